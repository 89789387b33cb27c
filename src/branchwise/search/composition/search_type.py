"""The type of a composition's search objects: each composition has its own machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import FunctionType
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from branchwise.compile.sources.fingerprint import Fingerprint, UnfitForCacheError
from branchwise.compile.sources.outside_values import Reads
from branchwise.compile.states.native_types import SearchType, Table, object_type
from branchwise.compile.states.prepared_rules import translated
from branchwise.core.machine.kernel import kernel
from branchwise.core.simulation import selection_rules
from branchwise.core.simulation.search_arrays import ARRAYS, search_dtype
from branchwise.search.settings.selection import SelectionRule

_uncacheable: WeakKeyDictionary[FunctionType, tuple[str, Reads]] = WeakKeyDictionary()
"""For each selection rule that cannot be kept on disk: a name for its code, and the values it has read."""

_RULES = {
    name: kernel(getattr(selection_rules, name))
    for name in (
        "ucb1",
        "ucb1_tuned",
        "sp_mcts",
        "puct",
        "rave",
        "progressive_bias",
        "progressive_history",
        "thompson",
    )
}


@dataclass(kw_only=True)
class KernelTable(Table):
    """The kernels and constants of one composition."""

    score: Callable[..., Any] | None = None
    """The user's selection rule, if there is one."""


def search_type(
    rule: SelectionRule, constants: Mapping[str, bool | int], kernels: Mapping[str, Any]
) -> SearchType:
    """Return the type of searches with these parts; a user's score function is read anew each time."""
    named = rule.name, tuple(rule.options), tuple(constants.items()), tuple(kernels.items())
    if rule.is_own:
        return _own_search_type(*named)
    known = _without_score(*named)
    assert isinstance(rule.score, FunctionType)
    fingerprint = Fingerprint()
    fingerprint.add(known.fingerprint)
    fit_for_cache = True
    try:
        fingerprint.add(rule.score)
    except UnfitForCacheError:
        if rule.score not in _uncacheable or not _uncacheable[rule.score][1].hold():
            _uncacheable[rule.score] = f"unfit {uuid4()}", fingerprint.reads
        fingerprint.add_text(_uncacheable[rule.score][0])
        fit_for_cache = False
    score = translated(rule.score, fingerprint.text())
    table = replace(
        known,
        statics={**known.statics, "score": score},
        fingerprint=fingerprint.text(),
        fit_for_cache=fit_for_cache,
        score=rule.score,
    )
    return object_type(SearchType, table)


@lru_cache(maxsize=256)
def _own_search_type(rule: str, *parts: Any) -> SearchType:
    """Return the type of searches by one of Branchwise's own rules; parts : as in `_without_score`."""
    known = _without_score(rule, *parts)
    return object_type(SearchType, replace(known, statics={**known.statics, "score": _RULES[rule]}))


@lru_cache(maxsize=256)
def _without_score(
    rule: str,
    options: tuple[str, ...],
    constants: tuple[tuple[str, bool | int], ...],
    kernels: tuple[tuple[str, Any], ...],
) -> KernelTable:
    """Return the kernel table without the score function; its fingerprint covers these arguments alone.

    All arguments are Branchwise's own, or names, so that the cached table never goes stale.
    """
    table = KernelTable(
        name=rule,
        dtype=search_dtype(("c", *options)),
        constants=dict(constants),
        arrays=ARRAYS,
        statics=dict(kernels),
    )
    fingerprint = Fingerprint()
    fingerprint.add(("search", table.name, table.dtype))
    fingerprint.add(constants)
    fingerprint.add(tuple((name, kernel.py_func.__qualname__) for name, kernel in kernels))
    return replace(table, fingerprint=fingerprint.text())
