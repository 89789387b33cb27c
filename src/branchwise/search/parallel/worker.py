"""What runs in a process of its own: one of the trees of a search in several processes.

Orders come over a connection, each the name of a method of `Worker` and its arguments; what the method
returns or raises goes back. The tree lies in memory that the planner's process sees too. The other end is
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
from collections.abc import Sequence
from multiprocessing import connection, parent_process
from pathlib import Path
from typing import Any, NamedTuple

from branchwise.compile.watch import Limits, current_limits, limited
from branchwise.core.tree import Tree, array_sizes, new_tree
from branchwise.errors import GameError, SettingsError
from branchwise.files import is_file_module, run_file
from branchwise.processes import die_with
from branchwise.rules.diagnosis import RULE_ERRORS
from branchwise.rules.facts import GameFacts
from branchwise.search.composition import Composition
from branchwise.search.drivers.interpreted import InterpretedDriver
from branchwise.search.parallel.shared_memory import received_arrays
from branchwise.search.search_object import Search
from branchwise.search.settings import Settings

END_SIGNAL = getattr(signal, "SIGUSR1", signal.SIGTERM)
"""Asks a process to come to the end of what it was ordered; there are none on Windows."""


class Answer(NamedTuple):
    """What an order returned; or the exception that it raised, pickled, and its traceback as text."""

    value: Any = None
    error: bytes | None = None
    trace: str = ""


def serve(orders: connection.Connection) -> None:
    """Do what is ordered until the other end is closed or its process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the planner, which tells what to do
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
        return  # nobody listens any more


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
    """End this process when the one that started it has ended, where `die_with` cannot."""
    connection.wait([parent])
    os._exit(1)


class Worker:
    """A tree, and what runs simulations on it. Every public method is an order."""

    def __init__(self, orders: connection.Connection) -> None:
        self._orders = orders
        self._kept: tuple[str, ...] = ()
        self._dimensions = 0
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
    ) -> None:
        """Be ready to search from a state; the memory of its tree follows. State and settings are pickled.

        module, file : where the class of the state is; the file is read if it is that of a module that no
        import would find.
        """
        if self._driver is not None:  # let go of its tree now, and of the rest when Python finds the time
            self._driver.search.use(new_tree(1, kept=self._kept, dimensions=self._dimensions))
        self._kept, self._dimensions = kept, facts.dimensions
        tree = self._received_tree(capacity)
        known = module in sys.modules or is_file_module(module)
        if not known and file is not None and Path(file).name == f"{module}.py":
            run_file(Path(file), module)
        root = _unpickled(state, "a state of this game")
        planned: Settings = _unpickled(settings, "the selection rule")
        composition = Composition.of(root, facts, planned, proofs=proofs, in_python=True)
        self._driver = InterpretedDriver(root, Search(composition, tree, seed, thread))

    def use(self, capacity: int) -> None:
        """Search the tree whose memory follows, which holds all that the last one did."""
        self._search.use(self._received_tree(capacity))

    def set_root(self, state: bytes) -> None:
        """Begin simulations at another state from now on; nodes of the tree have been moved."""
        self._search.forget_places()
        self._opened.set_root(_unpickled(state, "a state of this game"))

    def run(self, simulations: int, forced: int, seconds: float | None) -> tuple[int, list[int], int]:
        """Run `simulations` simulations; returns a status, the actions before the fault if it is one, and the
        moves played so far.

        forced : number of the root's child that each begins with, or -1.   seconds : until the search is to
        end, None: never. What rules raise gets the attribute `trail`.
        """
        self._search.record["forced"] = forced
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
        return Tree(**received_arrays(self._orders, array_sizes(capacity, self._kept, self._dimensions)))


def _unpickled(data: bytes, what: str) -> Any:
    try:
        return pickle.loads(data)
    except Exception as error:
        raise SettingsError(
            f"another process cannot read {what}: {type(error).__name__}: {error}",
            mend="define it at the top level of a module, in a file of its own; or leave threads out",
        ) from error
