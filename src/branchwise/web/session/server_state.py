"""Shared by all pages of a server: games, limits, and the places and the memory for searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from branchwise.game.rules_class import Game
from branchwise.web.game.offered_games import GameCatalogue
from branchwise.web.protocol import messages
from branchwise.web.protocol.limits import ServerLimits
from branchwise.web.protocol.rule_threads import RuleThreads
from branchwise.web.search.tree_memory import Memory
from branchwise.web.session.search_slots import Slots


@dataclass
class Server:
    """A server's games and resources; on_first_game : called once, when the first page opens a game."""

    catalogue: GameCatalogue
    limits: ServerLimits
    on_first_game: Callable[[], object] | None = None
    latest_game: type[Game] | None = field(init=False, default=None)
    """The game that a page has opened last."""
    slots: Slots = field(init=False)
    memory: Memory = field(init=False)
    rule_threads: RuleThreads = field(init=False, default_factory=RuleThreads)

    def __post_init__(self) -> None:
        self.slots = Slots(self.limits.searches)
        self.memory = Memory(self.limits.memory_mb, self.limits.searches)

    def note_game(self, rules: type[Game]) -> None:
        """Note that a page has opened a game."""
        self.latest_game = rules
        told, self.on_first_game = self.on_first_game, None
        if told is not None:
            told()

    @property
    def limits_told(self) -> messages.Limits:
        return msgspec.convert(self.limits, messages.Limits, from_attributes=True)
