"""Searching one tree of a multi-process search, in a process of its own.

Orders come over a connection, each the name of a method of `Worker` and its arguments; the value or exception
of the method goes back. The tree is in memory shared with the planner's process. The other end is
`search.parallel.process_pool`.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from multiprocessing import connection, parent_process
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from branchwise.catalogue.files import is_file_module, run_file
from branchwise.common.errors import GameError, SettingsError
from branchwise.common.processes import die_with
from branchwise.compile.stopping.time_limits import Limits, current_limits, limited
from branchwise.core.tree.node_fields import Tree, array_sizes, new_tree
from branchwise.rules.checking.diagnosis import RULE_ERRORS
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.composition.composition import Composition
from branchwise.search.composition.search_object import Search
from branchwise.search.drivers.interpreted import InterpretedDriver
from branchwise.search.parallel.shared_memory import received_arrays
from branchwise.search.settings.settings import Settings

END_SIGNAL = getattr(signal, "SIGUSR1", signal.SIGTERM)
"""Signal that asks a process to finish its order early; Windows has none."""


class Answer(NamedTuple):
    """The value of an order; or the exception that it raised, pickled, and its traceback as text."""

    value: Any = None
    error: bytes | None = None
    trace: str = ""


def serve(orders: connection.Connection) -> None:
    """Follow orders until the other end is closed or its process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the planner handles Ctrl-C
    signal.signal(END_SIGNAL, lambda *_: current_limits().ask())
    parent = parent_process()
    assert parent is not None
    assert parent.pid is not None
    die_with(parent.pid)
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    worker = Worker(orders)
    try:
        orders.send(Answer())
        while True:
            order, args = orders.recv()
            orders.send(_answer(worker, order, args))
    except (EOFError, OSError):
        return  # the other end is gone


def _answer(worker: Worker, order: str, args: Sequence[Any]) -> Answer:
    try:
        return Answer(getattr(worker, order)(*args))
    except BaseException as error:
        return Answer(error=_pickled_error(error), trace="".join(traceback.format_exception(error)))


def _pickled_error(error: BaseException) -> bytes:
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:
        return pickle.dumps(GameError(f"the rules raised {type(error).__name__} in a search: {error}"))
    return pickled


def _end_with(parent: int) -> None:
    """End this process when the process that started it has ended, where `die_with` cannot."""
    connection.wait([parent])
    os._exit(1)


class Worker:
    """A tree and the driver of its simulations. Every public method is an order."""

    def __init__(self, orders: connection.Connection) -> None:
        self._orders = orders
        self._kept: tuple[str, ...] = ()
        self._widths = (0, 0)  # dimensions of continuous actions, distinct moves of all players
        self._driver: InterpretedDriver | None = None

    def open(
        self,
        module: str,
        file: str | None,
        state: bytes,
        settings: bytes,
        facts: GameFacts,
        proofs: bool,
        seed: int,
        thread: int,
        capacity: int,
        kept: tuple[str, ...],
        arrays: Mapping[str, NDArray[Any]] | None,
    ) -> None:
        """Prepare to search from a state; the memory of its tree follows. State and settings are pickled.

        module, file : where the class of the state is defined; the file is read if an import would not find
        the module.
        """
        if self._driver is not None:  # release its tree now, the rest whenever Python collects it
            dimensions, moves = self._widths
            self._driver.search.use(new_tree(1, kept=self._kept, dimensions=dimensions, moves=moves))
        self._kept, self._widths = kept, (facts.dimensions, facts.num_moves)
        tree = self._received_tree(capacity)
        known = module in sys.modules or is_file_module(module)
        if not known and file is not None and Path(file).name == f"{module}.py":
            run_file(Path(file), module)
        root = _unpickled(state, "a state of this game")
        planned: Settings = _unpickled(settings, "the selection rule")
        composition = Composition(root, facts, planned, proofs=proofs, in_python=True)
        self._driver = InterpretedDriver(root, Search(composition, tree, seed, thread, arrays))

    def use(self, capacity: int) -> None:
        """Search the tree in the memory that follows, which holds all nodes of the last one."""
        self._search.use(self._received_tree(capacity))

    def set_root(self, state: bytes) -> None:
        """Start simulations from another state from now on; nodes of the tree have been moved."""
        self._search.forget_places()
        self._opened.set_root(_unpickled(state, "a state of this game"))

    def run(self, simulations: int, line: Sequence[int], seconds: float | None) -> tuple[int, list[int], int]:
        """Run `simulations` simulations; returns the status, the actions before a fault, and the moves played
        so far.

        line : actions that each begins with, see `Runner.guide`.   seconds : until the search must end; None:
        no limit. Exceptions of the rules get the attribute `trail`.
        """
        self._search.guide(line)
        end = None if seconds is None else time.perf_counter() + seconds
        with limited(Limits(end)):
            try:
                status = self._opened.run(simulations)
            except RULE_ERRORS as error:
                error.trail = self._opened.trail()  # type: ignore[union-attr]
                raise
        return int(status), self._opened.path_to_fault(), self._search.moves

    @property
    def _opened(self) -> InterpretedDriver:
        assert self._driver is not None
        return self._driver

    @property
    def _search(self) -> Search:
        return self._opened.search

    def _received_tree(self, capacity: int) -> Tree:
        return Tree(**received_arrays(self._orders, array_sizes(capacity, self._kept, *self._widths)))


def _unpickled(data: bytes, what: str) -> Any:
    try:
        return pickle.loads(data)
    except Exception as error:
        raise SettingsError(
            f"another process cannot read {what}: {type(error).__name__}: {error}",
            mend="define it at the top level of a module, in a file of its own; or leave threads out",
        ) from error
