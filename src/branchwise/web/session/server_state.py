"""Shared by all pages of a server: games, limits, and the places and the memory for searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from branchwise import __version__
from branchwise.game.rules_class import Game
from branchwise.web.game.offered_games import GameCatalogue
from branchwise.web.protocol import messages
from branchwise.web.protocol.limits import ServerLimits
from branchwise.web.protocol.rule_threads import RuleThreads
from branchwise.web.search.tree_memory import Memory
from branchwise.web.session.search_slots import Slots


@dataclass
class Server:
    """A server's games and resources; on_first_game : called once, with the first game that a page opens."""

    catalogue: GameCatalogue
    limits: ServerLimits
    on_first_game: Callable[[type[Game]], object] | None = None
    slots: Slots = field(init=False)
    memory: Memory = field(init=False)
    rule_threads: RuleThreads = field(init=False, default_factory=RuleThreads)

    def __post_init__(self) -> None:
        self.slots = Slots(self.limits.searches)
        self.memory = Memory(self.limits.memory_mb, self.limits.searches)

    def note_game(self, rules: type[Game]) -> None:
        """Note that a page has opened a game."""
        told, self.on_first_game = self.on_first_game, None
        if told is not None:
            told(rules)

    @property
    def limits_told(self) -> messages.Limits:
        return messages.Limits(
            message_bytes=self.limits.message_bytes,
            seconds=self.limits.seconds,
            memory_mb=self.limits.memory_mb,
        )

    @property
    def version(self) -> str:
        return __version__
