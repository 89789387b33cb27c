"""The methods that can be compared, their requirements, and how to run them.

Methods run as they are elsewhere in the package: MCTS, nested search and NRPA with compiled rules, the others
in plain Python. With `compiled=False` all run in plain Python.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from branchwise.common.errors import GameError, SettingsError, nearest_name
from branchwise.common.name_and_options import parse_spec, split_outside_brackets
from branchwise.common.optional_libraries import need_library
from branchwise.compare.annealing import anneal
from branchwise.compare.episodes import play_episodes, warm_up
from branchwise.compare.genetic import breed
from branchwise.compare.line_vectors import Decoder, meets_chance
from branchwise.compare.run import Better, Budget, EnoughError, MethodRun, Record
from branchwise.optimise.classical import PathResult, a_star, breadth_first, depth_first
from branchwise.optimise.late_acceptance import LateAcceptance
from branchwise.optimise.nested import NestedSearch
from branchwise.optimise.nrpa import NRPA
from branchwise.optimise.optimiser import Optimiser
from branchwise.optimise.portfolio import Portfolio
from branchwise.optimise.result import OptimisationResult
from branchwise.optimise.walkers.problem import chance_error, problem_facts, replayed
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.planner import MCTS

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    """A method by its text, such as `mcts(c=1.4)`.

    about : description in one line.   counts : unit of its steps.   settings : class or function whose
    keywords are its options; None: it has no options.   run : runs it.   check : raises if it cannot run on a
    problem or is not installed.   draws : whether it depends on a seed.
    """

    about: str
    counts: str
    run: Callable[[Task], MethodRun]
    settings: Callable[..., Any] | None = None
    check: Callable[[Any, GameFacts], object] = lambda _, __: None
    draws: bool = True


@dataclass(frozen=True)
class Task:
    """One run to be made."""

    text: str
    options: Options
    state: Any
    facts: GameFacts
    budget: Budget
    seed: int
    compiled: bool | None

    def record(self) -> Record:
        """Return a new record, whose clock starts now."""
        return Record(self.budget, self.facts.max_return)


def find_method(text: str) -> tuple[Method, Options]:
    """Return the method and the options in `text`.

    Raises `UnknownNameError` for an unknown method or option, and `SettingsError` for text that cannot be
    parsed.

    >>> method, options = find_method("nrpa(level=2)")
    >>> method.counts, options
    ('playouts', {'level': 2})
    """
    name, options = parse_spec(text)
    if name not in METHODS:
        raise nearest_name("method", name, METHODS)
    method = METHODS[name]
    parameters = () if method.settings is None else inspect.signature(method.settings).parameters
    known = [one for one in parameters if one not in _OF_COMPARISONS]
    for option in options:
        if option not in known:
            raise nearest_name(f"setting of {name}", option, known)
    return method, options


_OF_COMPARISONS = ("state", "seed", "seconds", "max_states", "compiled")
"""Settings that a comparison sets for all methods."""


def run_method(text: str, state: Any, budget: Budget, seed: int, compiled: bool | None = None) -> MethodRun:
    """Run a method on a problem, and replay its best line in plain Python as a check.

    Raises the method's error for a problem on which it cannot run.
    """
    method, options = find_method(text)
    facts = problem_facts(state, text)
    method.check(state, facts)
    found = method.run(Task(text, options, state, facts, budget, seed, compiled))
    if found.best_score is not None and found.best_line:
        score = replayed(state, facts, found.best_line).score
        if not abs(score - found.best_score) <= 1e-9 * max(1.0, abs(score)):
            raise GameError(
                f"a line of {facts.name} by {text} has the score {found.best_score:g}, and {score:g} when it "
                "is played again",
                mend="compare compiled rules with plain Python by branchwise check",
            )
    return found


def check_method(text: str, state: Any) -> Method:
    """Return a method; raises an error with the reason if it cannot run on a problem.

    Chance is looked for along one random line; a run that meets it later raises the same error.
    """
    method, _ = find_method(text)
    facts = problem_facts(state, text)
    if meets_chance(state, facts):
        raise chance_error(facts, text)
    method.check(state, facts)
    return method


# --- runs ---------------------------------------------------------------------------------------------


def _until_enough(task: Task, record: Record, search: Callable[[], None]) -> MethodRun:
    """Run a search that ends with an `EnoughError` or Ctrl-C."""
    try:
        search()
    except EnoughError as enough:
        return record.run(task.text, task.seed, str(enough))
    except KeyboardInterrupt:
        return record.run(task.text, task.seed, "interrupted")
    raise AssertionError(f"{task.text} ended before its budget")


def _run_mcts(task: Task) -> MethodRun:
    planner = MCTS(**task.options, seed=task.seed, compiled=task.compiled)
    with planner:
        warm_up(planner, task.state)
        record = task.record()
        return _until_enough(task, record, lambda: play_episodes(planner, task.state, task.facts, record))


def _run_lines(search: Callable[[Decoder, Record, int], None]) -> Callable[[Task], MethodRun]:
    def run(task: Task) -> MethodRun:
        decoder = Decoder(task.state, task.facts, task.text)
        record = task.record()
        return _until_enough(task, record, lambda: search(decoder, record, task.seed))

    return run


def _run_optimiser(kind: type[Optimiser]) -> Callable[[Task], MethodRun]:
    def run(task: Task) -> MethodRun:
        planner: Any = kind(**task.options, seed=task.seed, compiled=task.compiled)
        result = planner.search(task.state, seconds=task.budget.seconds, playouts=task.budget.steps)
        ended_by = "steps" if result.ended_by == "playouts" else result.ended_by
        return _as_run(
            task, result, result.playouts, result.moves, ended_by, result.ended_by == "best possible"
        )

    return run


def _run_classical(search: Callable[..., PathResult]) -> Callable[[Task], MethodRun]:
    def run(task: Task) -> MethodRun:
        limits: dict[str, Any] = {"seconds": task.budget.seconds}
        if task.budget.steps is not None:
            limits["max_states"] = task.budget.steps
        result = search(task.state, **task.options, **limits)
        is_optimal = result.is_optimal or result.best_score == task.facts.max_return
        return _as_run(task, result, result.expanded, result.entered, result.ended_by, is_optimal)

    return run


def _as_run(
    task: Task,
    result: OptimisationResult | PathResult,
    steps: int,
    entered: int,
    ended_by: str,
    is_optimal: bool,
) -> MethodRun:
    """Convert a planner's result to a `MethodRun`."""
    return MethodRun(
        method=task.text,
        seed=task.seed,
        best_score=result.best_score,
        best_line=result.best_line,
        steps=steps,
        entered=entered,
        seconds=result.seconds,
        history=tuple(Better(*found) for found in result.history),
        ended_by=ended_by,
        is_optimal=is_optimal,
    )


def _needs(library: str, doing: str) -> Callable[[Any, GameFacts], object]:
    return lambda _, __: need_library(library, doing, "compare")


def _check_a_star(state: Any, facts: GameFacts) -> None:
    if not callable(getattr(state, "heuristic", None)):
        raise GameError(
            f"astar needs a method heuristic, which {facts.name} does not have",
            mend="return a lower bound of the remaining cost, or leave astar out",
        )


_NEEDS_SIMANNEAL = _needs("simanneal", "annealing is done")
_NEEDS_PYGAD = _needs("pygad", "genetic search is done")

METHODS: dict[str, Method] = {
    "mcts": Method("episodes by MCTS with more and more simulations a move", "simulations", _run_mcts, MCTS),
    "nrpa": Method("nested rollout policy adaptation", "playouts", _run_optimiser(NRPA), NRPA),
    "nested": Method("nested Monte Carlo search", "playouts", _run_optimiser(NestedSearch), NestedSearch),
    "late_acceptance": Method(
        "local search by late acceptance", "playouts", _run_optimiser(LateAcceptance), LateAcceptance
    ),
    "portfolio": Method("the best of several methods", "playouts", _run_optimiser(Portfolio), Portfolio),
    "bfs": Method("breadth-first search", "states", _run_classical(breadth_first), draws=False),
    "dfs": Method("depth-first search", "states", _run_classical(depth_first), depth_first, draws=False),
    "astar": Method("A*", "states", _run_classical(a_star), check=_check_a_star, draws=False),
    "annealing": Method("simulated annealing", "lines", _run_lines(anneal), check=_NEEDS_SIMANNEAL),
    "genetic": Method("genetic search", "lines", _run_lines(breed), check=_NEEDS_PYGAD),
}


def split_methods(text: str) -> list[str]:
    """Split a list of methods on the commas outside brackets.

    >>> split_methods("mcts(c=1.4,cutoff=5), bfs")
    ['mcts(c=1.4,cutoff=5)', 'bfs']
    """
    found = split_outside_brackets(text)
    if not all(found):
        raise SettingsError(f'cannot read the methods "{text}"', mend="write mcts,bfs,dfs")
    return found
