"""What the planner of a partially observed problem observes during a playthrough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.game.kinds.game_kinds import written_rule
from branchwise.game.kinds.random_numbers import Draws, Random
from branchwise.game.rules_class import Game
from branchwise.pictures.simulation_report import Move
from branchwise.rules.knowledge.planner_history import History, numbers_of


class Written(Enum):
    """What a record may have in place of an observation."""

    NOTHING_TOLD = "not in the record"
    """The record does not tell observations, as those of earlier versions."""


@dataclass(frozen=True)
class Step:
    """A move of a playthrough.

    ply : moves before it.   before, after : states.   earlier : returns the move of a ply, and the state
    before it.
    """

    ply: int
    action: Any
    before: Any
    after: Any
    earlier: Callable[[int], tuple[Any, Any]]

    @property
    def is_observed(self) -> bool:
        """Whether something is observed: not once the problem is over, nor if chance moves next."""
        return not self.after.is_terminal() and self.after.current_player() != CHANCE

    @property
    def decision(self) -> Any:
        """The planner's last action up to the move, which may be one of chance."""
        ply, action, before = self.ply, self.action, self.before
        while before.current_player() == CHANCE:
            ply -= 1
            action, before = self.earlier(ply)
        return action

    def observed(self, random: Draws) -> Any:
        """Return what the rules draw as observed after the move, as plain numbers."""
        return _plain(written_rule(type(self.after).observe)(self.after, self.decision, random))


class Observations:
    """What was observed after each move, drawn when the move is played.

    random : source of the random numbers that `observe` draws.
    """

    def __init__(self, random: Draws) -> None:
        self._random = random
        self._seen: list[Any] = []
        """After each move: a number, a tuple of numbers, None for nothing, or `Written.NOTHING_TOLD`."""

    def draw(self, step: Step, random: Draws | None) -> None:
        """Draw what is observed after a move, in place of what was observed from there on.

        random : of this move; None: the usual one.
        """
        self._keep(step.ply, step.observed(random or self._random) if step.is_observed else None)

    def read(self, step: Step, written: object) -> None:
        """Take what is `written` about a move in place of drawing it.

        Raises `GameError` for something that cannot be observed there.
        """
        seen = None
        if not step.is_observed:
            if written not in (None, Written.NOTHING_TOLD):
                raise _impossible(step, written, "nothing is observed there")
        elif written is Written.NOTHING_TOLD:
            seen = written
        else:
            seen = _checked(step, written)
        self._keep(step.ply, seen)

    def seen(self, ply: int) -> Any:
        """Return what was observed after the move before which there were `ply` moves; None for nothing."""
        return self._seen[ply]

    def told(self, count: int) -> list[Any] | None:
        """Return what was observed after each of the first moves as values for JSON.

        None if that is not known of each of them.
        """
        first = self._seen[:count]
        if Written.NOTHING_TOLD in first:
            return None
        return [list(seen) if isinstance(seen, tuple) else seen for seen in first]

    def history(
        self, game: type[Game], moves: Sequence[Move], legal: Sequence[int], *, over: bool
    ) -> History:
        """Return what the planner did and observed in the first moves.

        legal : the planner's actions now.   over : whether the problem is over. Raises `GameError` if the
        game comes from a record that does not tell the observations.
        """
        events: list[tuple[int, Any]] = []
        action = -1
        for number, (move, seen) in enumerate(zip(moves, self._seen, strict=False), start=1):
            if seen is Written.NOTHING_TOLD:
                raise GameError(
                    f"this {game.name} record does not tell what was observed after move {number}",
                    mend="records of earlier versions have no observations; play the episode again",
                )
            if move.player != CHANCE:
                action = int(move.action)
            if seen is not None:
                events.append((action, seen))
        return History(game, tuple(events), tuple(legal), over)

    def take(self, others: Observations) -> None:
        """Take over what was observed in another playthrough of the same moves."""
        self._seen = list(others._seen)

    def _keep(self, ply: int, seen: Any) -> None:
        del self._seen[ply:]
        self._seen.append(seen)


def _plain(seen: object) -> Any:
    """Return an observation as a number of Python, or a tuple of them.

    Raises `GameError` for anything else.
    """
    numbers_of(seen)
    if isinstance(seen, Iterable):
        return tuple(_number(number) for number in seen)
    return _number(seen)


def _number(number: Any) -> Any:
    return number.item() if isinstance(number, np.generic) else number


def _checked(step: Step, written: object) -> Any:
    """Return an observation that a record tells; raises `GameError` unless it can be made there."""
    rules = type(step.after)
    numbers = written if isinstance(written, list | tuple) else (written,)
    if not all(isinstance(number, bool | int | float) for number in numbers):
        raise _impossible(step, written, "it is no number and no list of numbers")
    seen = tuple(numbers) if isinstance(written, list | tuple) else written
    example = step.observed(Random(0))
    if isinstance(example, tuple) != isinstance(seen, tuple) or (
        isinstance(seen, tuple) and len(seen) != len(example)
    ):
        raise _impossible(step, written, f"an observation is like {example}")
    density = getattr(rules, "observation_density", None)
    if density is not None and not written_rule(density)(step.after, step.decision, seen) > 0:
        raise _impossible(step, written, "by observation_density it has no chance")
    return seen


def _impossible(step: Step, written: object, why: str) -> GameError:
    return GameError(
        f"{str(written)[:80]} cannot be observed after move {step.ply + 1} of this "
        f"{type(step.after).name} record: {why}",
        mend="the record was changed, or the rules have changed since",
    )
