"""Common base of nested search and NRPA as planners: budget, threads, and stopping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from branchwise.common.argument_checks import one_of, whole_number
from branchwise.common.errors import GameError, SettingsError
from branchwise.common.one_search import OneSearch
from branchwise.core.lines.solution_lines import BY_PRIOR, BY_RULES, UNIFORM
from branchwise.game.kinds.random_numbers import given_or_new
from branchwise.game.rules_class import Game
from branchwise.optimise.result import OptimisationResult
from branchwise.optimise.run import Effort, Run
from branchwise.optimise.walkers.arms_walker import ArmsWalker
from branchwise.optimise.walkers.line_improvement import Improver
from branchwise.optimise.walkers.problem import problem_facts
from branchwise.optimise.walkers.walker import Walker
from branchwise.rules.checking.before_compiling import vet
from branchwise.rules.facts.facts import GameFacts

MAX_LEVEL = 20
MAX_THREADS = 256
PARALLEL = ("root", "leaf")

Progress = Callable[[OptimisationResult], object]


class Optimiser(OneSearch):
    """A planner that looks for the best line of a problem of one player; see its subclasses.

    level : level of the search, from 1.   improve, threads, parallel, seed, compiled : as in a
    subclass.
    """

    def __init__(
        self,
        level: int,
        improve: bool,
        threads: int,
        parallel: str | None,
        seed: int | None,
        compiled: bool | None,
    ) -> None:
        whole_number("level", level, 1, MAX_LEVEL)
        whole_number("threads", threads, 1, MAX_THREADS)
        if parallel is not None:
            one_of("parallel", parallel, PARALLEL)
            if threads == 1:
                raise SettingsError(
                    f'parallel="{parallel}" is given with one thread', mend="give threads=2 or more"
                )
        if compiled not in (None, True, False):
            raise SettingsError(f"compiled = {compiled!r} is unknown", mend="True, False or None")
        if improve not in (True, False):
            raise SettingsError(f"improve = {improve!r} is unknown", mend="True or False")
        self.level = level
        self.improve = improve
        self.threads = threads
        self.parallel = parallel
        self.seed = seed
        self.compiled = compiled
        super().__init__()

    @property
    def method(self) -> str:
        """The method with its main settings, for results."""
        raise NotImplementedError

    def search(
        self,
        state: Any,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        runs: int | None = None,
        patience: float | None = None,
        start: Sequence[int] = (),
        progress: Progress | None = None,
    ) -> OptimisationResult:
        """Look for the best line from `state` until the first of the given limits; `state` is not changed.

        playouts, runs : in all threads together. A run is a search of the top level from the start; when it
        is complete, another one begins, and the best line of all counts. Without a limit, each thread makes
        one run, or all together with parallel="leaf", where the last playouts, up to threads - 1, may be in
        excess.   seconds : excluding the time for compiling the rules.
        patience : seconds after the last improvement.   start : a whole line to begin from, which is the
        first best line; NRPA without a beam adapts to it.
        progress : called about ten times a second with the result so far.

        The search also ends when a line has the score `max_return`. Ctrl-C and `stop()` end it early; it
        still returns the best line so far.

        Raises `SettingsError` for an invalid budget, and `GameError` for a state that is over, for several
        players or chance, and for rules that break their contract.
        """
        effort = Effort(playouts, seconds, runs, patience)
        with self._searching():
            return self._search(state, effort, tuple(start), progress)

    def _search(
        self, state: Any, effort: Effort, start: tuple[int, ...], progress: Progress | None
    ) -> OptimisationResult:
        facts = problem_facts(state, type(self).__name__)
        improver = Improver(state, facts) if self.improve else None
        compiled = self._is_compiled(state)
        if compiled:
            vet(type(state))
        elif self.threads > 1:
            raise SettingsError(
                f"the rules of {facts.name} stay in Python, which runs in one thread at a time",
                mend="leave threads out, or let the rules be compiled",
            )
        seed = given_or_new(self.seed)
        together = self.parallel == "leaf"
        threads = 1 if together else self.threads
        runs = threads if effort.has_no_limit else effort.runs
        threads = threads if runs is None else min(threads, runs)
        walkers: list[Walker | ArmsWalker] = [
            self._walker(
                state,
                facts,
                runs=0 if runs is None else runs // threads + (thread < runs % threads),
                seed=seed,
                thread=thread,
                helpers=self.threads - 1 if together else 0,
                compiled=compiled,
                improver=improver,
            )
            for thread in range(threads)
        ]
        return Run(state, facts, self.method, walkers, effort, seed, start, self._stop, progress).to_end()

    def _walker(self, state: Any, facts: GameFacts, **options: Any) -> Walker | ArmsWalker:
        raise NotImplementedError

    def _is_compiled(self, state: Any) -> bool:
        if self.compiled and not isinstance(state, Game):
            raise SettingsError(
                f"the rules of a {type(state).__name__} cannot be compiled: it is not a branchwise.Game",
                mend="leave compiled out, or write the rules as a subclass of branchwise.Game",
            )
        return isinstance(state, Game) and self.compiled is not False


def way_of_playouts(state: Any, facts: GameFacts, playout: str | None) -> int:
    """Return how playouts choose actions; None: by the rules' `playout_action`, else by `prior`.

    Raises `GameError` for rules without the required method.
    """
    rules = {"game": (BY_RULES, "playout_action"), "prior": (BY_PRIOR, "prior")}
    if playout is None:
        return next((way for way, rule in rules.values() if callable(getattr(state, rule, None))), UNIFORM)
    if playout == "uniform":
        return UNIFORM
    way, rule = rules[playout]
    if not callable(getattr(state, rule, None)):
        raise GameError(
            f'playout = "{playout}" needs a method {rule}, which {facts.name} does not have',
            mend='leave playout out, or give playout="uniform"',
        )
    return way
