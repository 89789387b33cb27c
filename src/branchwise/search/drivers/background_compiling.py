"""Compiling in the background, for searches that begin before their machine code is ready.

Searches of the same composition and rules share one job, so that their code is compiled once, whatever the
number of searches and threads. Rules that cannot be compiled are tried once, too: the error is kept and
raised in every later search.
"""

from __future__ import annotations

import threading
from weakref import WeakValueDictionary

from numba import types

from branchwise.common.errors import BranchwiseError
from branchwise.compile.code.call_kernel import call, is_loaded, keep_on_disk, load
from branchwise.compile.code.compile_thread import Job
from branchwise.compile.states.native_types import NativeRecords, StateType
from branchwise.core.backup.keep_subtree import KEEPING, keep_below
from branchwise.core.simulation.simulate import run_simulations
from branchwise.core.tree.node_fields import new_tree, own_memory
from branchwise.search.composition.composition import Composition
from branchwise.search.composition.search_object import Search

keep_on_disk()

STATES = 4
"""States that a simulation needs: its own, two to look ahead with, one to start playouts from."""

_beginning = threading.Lock()
_under_way: WeakValueDictionary[tuple[str, str], Job] = WeakValueDictionary()
_failed: dict[tuple[str, str], BranchwiseError] = {}


def job_for_code(rules: StateType, search: Search, *, may_compile: bool = True) -> Job | None:
    """Return the job that loads or compiles the code of a search, started if need be; None if it is ready.

    may_compile : False: code on disk is loaded, but nothing is compiled.
    Raises the error of an earlier job if the code cannot be compiled.
    """
    native = search.native
    if is_loaded(run_simulations, native, rules, rules, types.int64) and is_loaded(
        keep_below, native, *KEEPING
    ):
        return None
    key = native._numba_type_.key, rules.key
    with _beginning:
        failed = _failed.get(key)
        if failed is not None:
            raise failed.with_traceback(None)
        job = _under_way.get(key)
        if job is not None and not job.wait(0):
            job.tell_thread()
            return job
        composition = search.composition
        job = Job(lambda: _get_code(key, rules, composition), may_compile=may_compile)
        if may_compile:
            _under_way[key] = job
        job.start()
        return job


def _get_code(key: tuple[str, str], rules: StateType, composition: Composition) -> None:
    """Load or compile the code that consecutive searches need, by a search of a single node."""
    facts = composition.facts
    bounds, widths = (facts.min_return, facts.max_return), (facts.dimensions, facts.num_moves)
    tree = new_tree(1, *bounds, composition.kept, own_memory, *widths)
    search = Search(composition, tree, seed=0)
    try:
        call(run_simulations, search.native, NativeRecords(rules), NativeRecords(rules, STATES), 0)
        load(keep_below, search.native, *KEEPING)
    except BranchwiseError as error:
        _failed[key] = error
        raise
