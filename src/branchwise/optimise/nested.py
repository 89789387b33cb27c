"""Nested Monte Carlo search as a planner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.common.argument_checks import number, one_of
from branchwise.common.errors import GameError, SettingsError
from branchwise.core.tree.node_fields import MAX_CHILDREN
from branchwise.optimise.optimiser import Optimiser, way_of_playouts
from branchwise.optimise.walkers.level_settings import by_level
from branchwise.optimise.walkers.nested_walker import NestedWalker
from branchwise.optimise.walkers.walker import Walker
from branchwise.rules.facts.facts import GameFacts

PLAYOUTS = ("uniform", "game", "prior")
MOST_SAMPLES = 1_000_000


class NestedSearch(Optimiser):
    """Nested Monte Carlo search for the best line of a problem of one player [Cazenave09].

    A search of level n follows each action by a search of level n - 1, and plays along the best line found so
    far; level 0 is a playout. It learns nothing and has few settings, so it suits problems in which moves
    mean different things in different states. The best line has the highest score: the sum of rewards, or the
    return at its end.

    level : from 1; each level multiplies the time by about the number of choices in a line.
    playout : "uniform", "game" (the rules' `playout_action`) or "prior" (in proportion to `prior`); None: the
    rules' default, usually "uniform".
    min_prior : from 0 to 1; levels from 1 on try only actions whose `prior` is at least this share of the
    largest one in the state. 0: all actions.
    width : from 1 to 65,535; levels from 2 on try at most that many actions of a state: those after which
    `samples` playouts have the best mean score. None: all actions.
    samples : from 1 to 1,000,000, with `width`. Both can be a number for each level from 2 on, level 2 first.
    improve : pass each line that level 1 finds, and the best of all, to the class's `improve(self, line)`,
    which returns a line that is at least as good. It runs in plain Python, and `self` is the searched state.
    threads : 1 to 256.   parallel : "root" (default): each thread has an independent search, and the best
    line of all counts; "leaf": one search, in which each thread plays a playout after every action at level
    1, and the best of them counts.
    seed : any whole number; the same seed and the same budget in playouts or runs give the same line. None: a
    new one for every search, reported in the result.
    compiled : True: refuse states whose rules cannot be compiled; False: never compile; None: compile the
    rules of every `Game`.

    Raises `SettingsError` for a value outside its range, and for a `width` with level 1.

    [Cazenave09]: Cazenave, "Nested Monte-Carlo search", 2009.

    >>> import branchwise as bw
    >>> result = bw.NestedSearch(level=2, seed=1).search(bw.load_game("left_move(moves=8)")())
    >>> result.best_score, result.best_moves[:3]
    (8.0, ('left', 'left', 'left'))
    """

    def __init__(
        self,
        *,
        level: int = 2,
        playout: str | None = None,
        min_prior: float = 0.0,
        width: int | Sequence[int] | None = None,
        samples: int | Sequence[int] = 30,
        improve: bool = False,
        threads: int = 1,
        parallel: str | None = None,
        seed: int | None = None,
        compiled: bool | None = None,
    ) -> None:
        super().__init__(level, improve, threads, parallel, seed, compiled)
        if playout is not None:
            one_of("playout", playout, PLAYOUTS)
        self.playout = playout
        number("min_prior", min_prior, 0.0, 1.0)
        self.min_prior = float(min_prior)
        self.width = None
        if width is not None:
            if level == 1:
                raise SettingsError(
                    f"width = {width} has no use at level 1, which tries all actions",
                    mend="leave width out, or give level=2 or more",
                )
            self.width = by_level("width", width, 2, level, MAX_CHILDREN)
        self.samples = by_level("samples", samples, 2, level, MOST_SAMPLES)

    def __repr__(self) -> str:
        return f"branchwise.NestedSearch(level={self.level})"

    @property
    def method(self) -> str:
        return f"nested(level={self.level})"

    def _walker(self, state: Any, facts: GameFacts, **options: Any) -> Walker:
        way = way_of_playouts(state, facts, self.playout)
        if self.min_prior > 0 and not callable(getattr(state, "prior", None)):
            raise GameError(
                f"min_prior = {self.min_prior:g} needs a method prior, which {facts.name} does not have",
                mend="leave min_prior out, or add def prior(self, action): return a weight of at least 0",
            )
        return NestedWalker(
            state,
            facts,
            top=self.level,
            way=way,
            min_prior=self.min_prior,
            width=self.width or (0,) * (self.level - 1),
            samples=self.samples,
            **options,
        )
