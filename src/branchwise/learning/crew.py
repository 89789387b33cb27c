"""The threads of a training: each plays whole games in one kernel, or does another task of the round.

Games are numbered, and each has random numbers of its own, so that it does not matter which thread plays it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.stopping.time_limits import current_limits
from branchwise.core.checking.random_games import play_games
from branchwise.core.machine.kernel_status import Status
from branchwise.core.networks import self_play
from branchwise.core.networks.proof_search import Proof
from branchwise.core.networks.self_play import Orders, Report, play_game
from branchwise.core.numbers.random_streams import MOVES, new_streams
from branchwise.core.tree.node_fields import new_tree
from branchwise.game.rules_class import Game
from branchwise.learning.recipe import Lengths
from branchwise.networks.network import Network
from branchwise.rules.checking.before_compiling import vet
from branchwise.rules.checking.diagnosis import RULE_ERRORS, fault_error, raised_error
from branchwise.rules.facts.facts import searched_facts
from branchwise.search.composition.composition import Composition
from branchwise.search.composition.search_object import Search
from branchwise.search.drivers.interrupts import HeldInterrupts
from branchwise.search.settings.settings import Settings

keep_on_disk()

_WORDS = 2**20
_MOST_MOVES = 4096
_RANDOM_GAMES = 200


@dataclass(frozen=True)
class Played:
    """What a game brought; see `core.networks.self_play.Report`."""

    words: NDArray[np.int32]
    tries: NDArray[np.int64]
    proofs: NDArray[np.int64]
    counts: NDArray[np.int64]


class HaltedError(Exception):
    """A task was asked to end before it was done."""


class Worker:
    """The memory of one thread."""

    def __init__(self, composition: Composition, game: type[Game], simulations: int, thread: int) -> None:
        facts = composition.facts
        capacity = composition.room(facts.num_actions, simulations) + 1
        tree = new_tree(capacity, facts.min_return, facts.max_return, composition.kept)
        self.search = Search(composition, tree, 0, thread)
        self._game = game
        native = compiled_type(game)
        self._initial = NativeRecords(native)
        self._initial.records[0] = game().to_record()
        self._states = NativeRecords(native, self_play.STATES)
        self._proof = Proof.of(facts.num_actions)
        moves = min(facts.max_game_length, _MOST_MOVES)
        words = max(_WORDS, 64 * (3 + int(self.search.scratch.net_inputs.size) + 2 * facts.num_actions))
        self._report = Report.of(words, moves, facts.num_actions)

    @property
    def moves(self) -> int:
        """Most moves of a game that are counted."""
        return self._report.tries.size - 1

    def play(self, orders: Orders, promising: NDArray[np.bool_]) -> Played:
        """Play one game; raises `GameError` for a fault of the rules."""
        report, of_games = self._report, (self._states, self._initial)
        self._run(play_game, self.search.native, *of_games, orders, promising, self._proof, report)
        counts = report.counts.copy()
        words = report.words[: counts[self_play.WORDS]].copy()
        return Played(words, report.tries.copy(), report.proofs.copy(), counts)

    def random_lengths(self, seed: int) -> Lengths:
        """Play random games, and return their lengths."""
        found = []
        streams = new_streams(seed, 1)
        for _ in range(_RANDOM_GAMES):
            before = int(streams[MOVES])
            self._run(play_games, self._initial, self._states, self._proof.kept, streams, 1)
            found.append(int(streams[MOVES]) - before)
        return Lengths(int(np.quantile(found, 0.5)), int(np.quantile(found, 0.9)))

    def _run(self, kernel: Any, *args: Any) -> None:
        """Call a kernel that plays; raises `GameError` for a fault of the rules."""
        facts = self.search.composition.facts
        try:
            status = Status(call(kernel, *args))
        except RULE_ERRORS as error:
            raise raised_error(self._game(), facts, error) from error
        if status is Status.HALTED:
            raise HaltedError
        if status is not Status.DONE:
            raise fault_error(self._game(), facts, status, [])


class Crew:
    """Threads that play games of `game` by a search with `network`."""

    def __init__(self, game: type[Game], network: Network, simulations: int, threads: int) -> None:
        vet(game)
        facts = searched_facts(game())
        if facts.num_actions > 2**16:
            raise GameError(f"{facts.name} has {facts.num_actions:,} distinct actions: too many to learn")
        composition = Composition(game(), facts, Settings(network=network, selection="puct"), proofs=True)
        self.workers = [Worker(composition, game, simulations, thread) for thread in range(threads)]
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="branchwise-learning")
        self._lock = threading.Lock()
        self._next = 0

    def run(self, tasks: Sequence[Callable[[Worker], None]]) -> None:
        """Run the tasks, which begin in this order; raises an exception, or Ctrl-C, when all have ended."""
        self._next = 0
        limits = current_limits()

        def work(worker: Worker) -> None:
            while not limits.asked:
                with self._lock:
                    number, self._next = self._next, self._next + 1
                if number >= len(tasks):
                    return
                try:
                    tasks[number](worker)
                except BaseException:
                    limits.ask()
                    raise

        with HeldInterrupts(limits.ask):
            futures = [self._pool.submit(copy_context().run, work, worker) for worker in self.workers]
            wait(futures)
        raised = [future.exception() for future in futures if future.exception() is not None]
        for error in sorted(raised, key=lambda one: isinstance(one, HaltedError)):
            assert error is not None
            raise error

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()
