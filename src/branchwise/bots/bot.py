"""What every bot can do."""

from __future__ import annotations

import inspect
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from branchwise.errors import ActionError
from branchwise.notation import format_spec
from branchwise.ranges import whole_number
from branchwise.rules.facts import check_is_state

if TYPE_CHECKING:
    from branchwise.game import Game
    from branchwise.search.result import SearchResult


class Bot(ABC):
    """Chooses actions. A subclass needs `choose`; its constructor's arguments are its options.

    >>> class First(Bot):
    ...     name = "first"
    ...     def choose(self, state):
    ...         return state.legal_actions()[0]
    >>> from branchwise.games.nim import Nim
    >>> First().choose(Nim())
    0
    """

    name: ClassVar[str] = "bot"

    result: SearchResult | None = None
    """What the last search found, for bots that search."""

    keeps_proofs: bool = True
    """Whether the bot plays on as its searches have proven, so that a game may end by its proofs."""

    @abstractmethod
    def choose(self, state: Any) -> int:
        """Return a legal action of `state`, which is not over and is not changed."""

    def set_moves(self, actions: Sequence[int]) -> None:  # noqa: B027 - most bots need the state alone
        """Be told before a choice which actions have led from the start of the game to the state."""

    def set_limits(  # noqa: B027 - most bots know no limits
        self, *, seconds: float | None = None, nodes: int | None = None, depth: int | None = None
    ) -> None:
        """Be told before a choice how long it may take; a bot keeps to limits of its own as well.

        seconds : above 0.   nodes : simulations, or whatever a bot counts, from 1.   depth : moves looked
        ahead, from 1. All None: the bot's own limits alone.
        """

    def stop(self) -> None:  # noqa: B027 - most bots choose at once
        """End the choice under way, from another thread, as soon as can be."""

    def ponder(self, state: Any) -> None:  # noqa: B027 - most bots do not
        """Begin to think about `state` while another player chooses, until `choose` or `stop` is called."""

    def new_game(self) -> None:  # noqa: B027 - most bots keep nothing from move to move
        """Forget the game before: another one begins."""

    def set_clocks(self, player: int, remaining: Sequence[float], increment: float) -> None:  # noqa: B027
        """Be told before a choice what the game clocks show; most bots do not look at them.

        player : whom the bot moves for.   remaining : seconds left, by player.   increment : seconds that
        each move adds.
        """

    def check_game(self, game: type[Game]) -> None:  # noqa: B027 - most bots play any game
        """Raise an error of `branchwise.errors` if the bot cannot play `game`, before any is played."""

    def close(self) -> None:  # noqa: B027 - most bots hold nothing
        """Let go of what the bot holds outside Python: processes, connections, files."""

    @classmethod
    def option_names(cls) -> list[str]:
        """Return the options that the constructor takes."""
        return list(inspect.signature(cls).parameters)

    def options(self) -> dict[str, object]:
        """Return the options that were given, for the bot's text form."""
        return {}

    def __repr__(self) -> str:
        return format_spec(self.name, {k: v for k, v in self.options().items() if v is not None})


def check_not_over(state: Any) -> None:
    """Raise `ActionError` where there is nothing to choose, `GameError` for what is no state."""
    check_is_state(state)
    if state.is_terminal():
        raise ActionError(
            "the game is over: there is nothing to choose", mend="check state.is_terminal() first"
        )


def seeded(seed: int | None) -> random.Random:
    """Return a bot's own generator; the same for the same `seed`, ever new for None."""
    whole_number("seed", seed, -(2**127), 2**127)
    return random.Random(seed)
