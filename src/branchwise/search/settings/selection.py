"""Selection rules, built-in and the user's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from branchwise.catalogue.trusted_code import is_place
from branchwise.common.argument_checks import number, whole_number
from branchwise.common.errors import SettingsError, nearest_name
from branchwise.common.name_and_options import format_spec, parse_spec
from branchwise.compile.sources.code_origin import is_users
from branchwise.compile.sources.fingerprint import code_names, reached_globals
from branchwise.core.simulation import selection_rules
from branchwise.core.simulation.search_arrays import NUMBERS
from branchwise.core.simulation.select import CHILD_STATISTICS, Child, Parent

_RESERVED = {name for name, _ in NUMBERS}


@dataclass(frozen=True)
class SelectionRule:
    """A rule that chooses the child to visit by its score.

    score : a function of a child, its parent and the search's options (`core.select.Child`, `Parent`) that
    returns a number; the child with the highest score is visited. It is compiled into the search, so it can
    use what Numba's nopython mode supports. The search keeps the statistics that it reads; gains are 0 to 1.
    options : defaults of the numbers that it reads from `options`, except `c`.
    c : default weight of exploration.
    scores_unvisited : whether it can score a child without visits, whose `value` is then the mean of its
    visited siblings; if not, every child is visited once before any is visited again.
    reference_visits : 0: AMAF statistics are those of the node's own children, as in RAVE. Otherwise they
    come from the deepest node on the path with at least this many visits, and are of all moves of all
    players, as in GRAVE.

    >>> import math
    >>> import branchwise as bw
    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> def optimist(child, parent, options):
    ...     return child.value + options.c * math.sqrt(child.inverse_visits) + options.hope * child.variance
    >>> rule = bw.SelectionRule(optimist, options={"hope": 0.5}, c=1.0)
    >>> bw.MCTS(selection=rule, seed=1).search(TicTacToe(), simulations=500).simulations
    500
    """

    score: Callable[[Any, Any, Any], float]
    options: Mapping[str, float] = field(default_factory=dict)
    c: float = 0.7
    scores_unvisited: bool = False
    reference_visits: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.score, FunctionType):
            raise SettingsError(
                f"{self.score!r} is not a selection rule",
                mend="give a function of (child, parent, options) that returns a number",
            )
        for name, value in self.options.items():
            if name in _RESERVED or name == "c":
                raise SettingsError(f"a selection rule cannot have an option called {name}")
            number(name, value, -1e9, 1e9)
        whole_number("reference_visits", self.reference_visits, 0, 2**31 - 1)
        self._try_out()

    @property
    def name(self) -> str:
        return self.score.__name__

    @property
    def needs(self) -> frozenset[str]:
        """The statistics that the rule's function reads, as in `core.select.CHILD_STATISTICS`."""
        assert isinstance(self.score, FunctionType)
        return _own_needs(self.score) if self.is_own else _needs(self.score)

    @property
    def is_own(self) -> bool:
        """Whether the rule is built in."""
        return self.score.__module__ == selection_rules.__name__

    def with_options(self, given: Mapping[str, object]) -> SelectionRule:
        """Return the same rule with other values of some options."""
        known = {**self.options, "c": self.c, "reference_visits": self.reference_visits}
        for name, value in given.items():
            if name not in known:
                raise nearest_name(f"option of {self.name}", name, known)
            number(name, value, -1e9, 1e9)
        merged: dict[str, Any] = {**known, **given}
        return SelectionRule(
            self.score,
            {name: float(merged[name]) for name in self.options},
            float(merged["c"]),
            self.scores_unvisited,
            int(merged["reference_visits"]),
        )

    def __str__(self) -> str:
        return format_spec(self.name, {**self.options, "c": self.c})

    def _try_out(self) -> None:
        """Raise `SettingsError` if the function does not give a number for ordinary children."""
        options = SimpleNamespace(**{name: np.float32(v) for name, v in self.options.items()})
        options.c = np.float32(self.c)
        for visits, value in ((1.0, 0.0), (7.0, 0.5), (1000.0, 1.0)):
            child = Child(visits, 1 / visits, value, 0.1, 0.25, 0.5, 9.0, 0.5, 0.5, 20.0, 0.3)
            parent = Parent(4 * visits, math.log(4 * visits))
            try:
                score = float(self.score(child, parent, options))
            except Exception as error:
                raise SettingsError(
                    f"the selection rule {self.name} raises {type(error).__name__} for {child}: {error}",
                    mend="give a function of (child, parent, options) that returns a number",
                ) from error
            if math.isnan(score):
                raise SettingsError(f"the selection rule {self.name} returns NaN for {child}")


BUILT_IN = {
    "ucb1": SelectionRule(selection_rules.ucb1),
    "ucb1_tuned": SelectionRule(selection_rules.ucb1_tuned, c=1.0),
    "sp_mcts": SelectionRule(selection_rules.sp_mcts, {"doubt": 0.01}, c=0.3),
    "puct": SelectionRule(selection_rules.puct, {"c_base": 19652.0}, c=0.7, scores_unvisited=True),
    "rave": SelectionRule(selection_rules.rave, {"bias": 0.1}, c=0.3, scores_unvisited=True),
    "grave": SelectionRule(
        selection_rules.rave, {"bias": 0.1}, c=0.3, scores_unvisited=True, reference_visits=50
    ),
    "progressive_bias": SelectionRule(selection_rules.progressive_bias, {"bias": 1.0}),
    "progressive_history": SelectionRule(selection_rules.progressive_history, {"bias": 1.0}),
    "thompson": SelectionRule(selection_rules.thompson, c=1.0, scores_unvisited=True),
}
BUILT_IN["uct"] = BUILT_IN["ucb1"]
"""The built-in rules; `core.simulation.selection_rules` names their sources."""


def find_rule(given: str | SelectionRule | Callable[[Any, Any, Any], float]) -> SelectionRule:
    """Return a selection rule by its name, such as `rave` or `rave(bias=0.02)`, or from a function.

    Raises `UnknownNameError` for an unknown name or option, `SettingsError` for anything that is no rule.

    >>> find_rule("puct(c_base=1000)").options["c_base"]
    1000.0
    """
    if isinstance(given, SelectionRule):
        return given
    if not isinstance(given, str):
        return SelectionRule(given)
    if given in BUILT_IN:
        return BUILT_IN[given]
    name, options = parse_spec(given)
    if is_place(name):
        raise SettingsError(
            f'a planner takes a selection rule itself, not its place "{name}"',
            mend=f"import it and give it, selection={name.rpartition(':')[2]}; texts of bots may name places",
        )
    if name not in BUILT_IN:
        raise nearest_name("selection rule", name, BUILT_IN)
    return BUILT_IN[name].with_options(options)


def _needs(score: FunctionType) -> frozenset[str]:
    read: set[str] = set()
    for function in _reached(score, set()):
        read |= code_names(function.__code__)
    return frozenset(CHILD_STATISTICS[name] for name in read & CHILD_STATISTICS.keys())


_own_needs = cache(_needs)
"""The same, cached: for rules whose source does not change while they are in use."""


def _reached(function: FunctionType, seen: set[FunctionType]) -> set[FunctionType]:
    """Return `function` and every user function that it may call."""
    if function not in seen:
        seen.add(function)
        for _, value in reached_globals(function):
            if isinstance(value, FunctionType) and is_users(value):
                _reached(value, seen)
    return seen
