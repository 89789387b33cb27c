"""What the planner of a partially observed problem knows: its actions, and what it observed after them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from branchwise.common.errors import GameError
from branchwise.game.rules_class import Game
from branchwise.rules.facts.given_to_bots import Shown


@dataclass(frozen=True)
class History(Shown):
    """The history of one episode of a partially observed problem.

    Bots choose by it; it contains no path to the state. Two moments with equal histories look the same.

    game : the rules.   events : the actions so far, each with what `observe` gave after it.   legal : the
    legal actions now.   over : whether the problem is over; nothing was observed after the last action then.

    >>> import branchwise as bw
    >>> played = bw.Playthrough(bw.load_game("tiger")(tiger=0), random=bw.Random(1))
    >>> played.play("listen")
    0
    >>> played.shown(0).events
    ((0, 1),)
    """

    game: type[Game]
    events: tuple[tuple[int, Any], ...]
    legal: tuple[int, ...] = field(compare=False, repr=False, default=())
    over: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the class of a variant, which a state rebuilds."""
        return _rebuilt, (self.game.new_initial_state(), self.events, self.legal, self.over)

    @property
    def name(self) -> str:
        """The text form of the problem."""
        return self.game.name

    def current_player(self) -> int:
        """Return 0, the only player."""
        return 0

    def is_terminal(self) -> bool:
        """Return whether the problem is over."""
        return self.over

    def action_to_string(self, action: int) -> str:
        """Return how people write an action, as in the problem's start."""
        return str(self.game.new_initial_state().action_to_string(action))

    def not_a_state(self) -> GameError:
        """Return the error for a search of states that is given this in place of one."""
        return GameError(
            f"{self.name} is partially observed, so there is no state here but what its planner did and saw",
            mend="bw.MCTS searches from a bw.Belief; the bot pomcp keeps one",
        )

    def __str__(self) -> str:
        return "; ".join(f"{action}: {seen}" for action, seen in self.events)


def _rebuilt(state: Game, *rest: Any) -> History:
    return History(type(state), *rest)


def numbers_of(given: object) -> list[float]:
    """Return the numbers of an observation, as `observe` returned it; raises `GameError` for anything else.

    >>> numbers_of(2), numbers_of((0.5, True))
    ([2.0], [0.5, 1.0])
    """
    try:
        if isinstance(given, str | bytes):
            raise TypeError
        return [float(number) for number in given] if isinstance(given, Iterable) else [float(given)]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise GameError(
            f"observe gave {given!r}, which is no observation", mend="return a number, or a tuple of numbers"
        ) from None
