"""The result of a search for the best line."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from branchwise.common.name_and_options import some_of
from branchwise.optimise.walkers.line_improvement import Improver
from branchwise.optimise.walkers.problem import replayed
from branchwise.optimise.walkers.walker import Improvement
from branchwise.rules.facts.facts import GameFacts

_LONGEST_WORD = 12
_ADVICE = {
    "prior": "The class could say which actions are promising, by def prior(self, action): a weight of at "
    "least 0, such as a high power of the inverse of the action's cost.",
    "improve": "The class could improve whole lines, by def improve(self, line), which returns a line that "
    "is at least as good.",
}
"""What a class can say in methods, the most useful one first."""


@dataclass(frozen=True)
class OptimisationResult:
    """Outcome of one search for the best line from `state`.

    best_score : the sum of the line's rewards, or the return at its end.   best_line : its actions.
    end : the state at its end.
    moves : total number of actions played, each of which entered a state.
    playouts : lines played in all threads.   runs : completed calls of the top level.
    history : for each improvement: the seconds and playouts until then, the line's score, and the moves until
    then.
    ended_by : "playouts", "seconds", "runs", "patience" (nothing improved for so long), "best possible" (no
    line has a higher score, by the bounds of the rules), "stopped" (by `stop`), "interrupted" (Ctrl-C), or
    "" while it runs.
    seed : reproduces the line with the same budget in playouts or runs.
    arms : of a portfolio: the best score of each method.
    """

    state: Any = field(repr=False)
    method: str
    best_score: float
    best_line: tuple[int, ...]
    playouts: int
    moves: int
    runs: int
    seconds: float
    history: tuple[Improvement, ...] = field(repr=False)
    ended_by: str
    seed: int
    facts: GameFacts = field(repr=False)
    arms: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def best_moves(self) -> tuple[str, ...]:
        """The best line in the problem's notation."""
        return replayed(self.state, self.facts, self.best_line).text

    @property
    def end(self) -> Any:
        """The state at the end of the best line."""
        return replayed(self.state, self.facts, self.best_line).end

    def improved(self) -> OptimisationResult:
        """Return this result with its line improved by the class's `improve(self, line)`.

        Raises `GameError` for a class without it, and if it returns a line that is worse or not legal.
        """
        improver = Improver(self.state, self.facts)
        line = improver.improved(self.best_line)
        score = improver.played(line).score
        improver.check(score, self.best_score)
        return replace(self, best_line=line, best_score=score)

    @property
    def advice(self) -> str:
        """What the class could add so that a portfolio finds better lines; "" where it has all of it."""
        missing = (text for rule, text in _ADVICE.items() if not callable(getattr(self.state, rule, None)))
        return next(missing, "") if self.arms else ""

    @property
    def playouts_per_second(self) -> float:
        return self.playouts / self.seconds if self.seconds else math.inf

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values for JSON."""
        return {
            "problem": self.facts.name,
            "method": self.method,
            "best_score": self.best_score,
            "best_line": list(self.best_line),
            "best_moves": list(self.best_moves),
            "playouts": self.playouts,
            "moves": self.moves,
            "runs": self.runs,
            "seconds": self.seconds,
            "ended_by": self.ended_by,
            "seed": self.seed,
            **({"arms": self.arms, "advice": self.advice} if self.arms else {}),
            "history": [improvement._asdict() for improvement in self.history],
        }

    @property
    def title(self) -> str:
        """The result in one line: problem, score, method and budget spent."""
        return (
            f"{self.facts.name}: score {self.best_score:g} by {self.method}, {self.playouts:,} playouts in "
            f"{self.seconds:.2f} s, {self.playouts_per_second / 1000:,.0f} k/s"
        )

    def __str__(self) -> str:
        moves = self.best_moves
        comma = any(len(move) > _LONGEST_WORD or " " in move for move in moves)
        line = some_of(moves, between=", " if comma else " ")
        return "\n".join(text for text in (self.title, line, self.advice) if text)
