"""Improving lines with the rules' `improve` method, such as 2-opt for round trips; results are checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.common.errors import ActionError, GameError
from branchwise.optimise.walkers.problem import Replayed, replayed
from branchwise.rules.facts.facts import GameFacts, copied

_TOLERANCE = 1e-9
_MEND = "return a line that is at least as good, the given one if none is known"


class Improver:
    """Improves lines from `state` by `state.improve(line)`, which runs in plain Python.

    Raises `GameError` for rules without that method.
    """

    def __init__(self, state: Any, facts: GameFacts) -> None:
        self._name = f"{type(state).__name__}.improve"
        if not callable(getattr(state, "improve", None)):
            raise GameError(
                f"improve = True needs a method improve, which {facts.name} does not have",
                mend="leave improve out, or write improve(self, line), which returns a better line",
            )
        self._state = state
        self._facts = facts

    def improved(self, line: tuple[int, ...]) -> tuple[int, ...]:
        """Return the rules' improvement of a line; see `check`.

        Raises `GameError` if the rules raise an exception, or return anything but a line.
        """
        try:
            given = copied(self._state).improve(line)
        except Exception as error:
            raise GameError(f"{self._name} raised {type(error).__name__}: {error}") from error
        try:
            better = tuple(int(action) for action in given)
        except (TypeError, ValueError) as error:
            raise GameError(
                f"{self._name} gave {given!r}, which is not a line of actions", mend=_MEND
            ) from error
        most = self._facts.max_game_length
        if len(better) > most:
            raise GameError(
                f"{self._name} gave a line of {len(better)} actions, but max_game_length is {most}",
                mend=_MEND,
            )
        return better

    def played(self, line: Sequence[int]) -> Replayed:
        """Replay an improved line and return its result; raises `GameError` if it is not legal."""
        try:
            return replayed(self._state, self._facts, line)
        except ActionError as error:
            raise GameError(
                f"{self._name} gave a line that cannot be played: {error.problem}", mend=_MEND
            ) from error

    def check(self, score: float, before: float) -> None:
        """Raise `GameError` if the score of an improved line is worse than before."""
        if not score >= before - _TOLERANCE * max(1.0, abs(before)):
            raise GameError(
                f"{self._name} gave a line with the score {score:g}, and the given one has {before:g}",
                mend=_MEND,
            )
