"""The worker process, which plays games of a match one after another.

It receives tasks by its standard input and sends records by its standard output. Both descriptors are moved
first, so that the printed output of bots goes to the standard error, a file of the arena. The process ends
when its input ends. The arena trusts only the format of these messages: see `play.wire`.
"""

from __future__ import annotations

import faulthandler
import gc
import importlib
import os
import pickle
import queue
import select
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from branchwise.arena.play.nested_matches import become_worker
from branchwise.arena.play.referee import Referee, Terms, warm_up
from branchwise.arena.play.status_board import IDLE, RULES, StatusBoard
from branchwise.arena.play.worker_messages import TASKS_KEY, Inlet, Outlet
from branchwise.arena.records.record import GamePlan, GameRecord
from branchwise.common.errors import BranchwiseError
from branchwise.common.processes import die_with
from branchwise.game.kinds.continuous_actions import box_size
from branchwise.games import load_game

LOAD_PATIENCE = 120.0
"""Seconds in which a game must be loaded."""


@dataclass(frozen=True)
class Setup:
    """The first message to a worker, and again before the games of another match.

    parent : id of the parent process.   board : descriptor of its `StatusBoard`.   key : of its messages.
    cold : bots, by index in the match, that are not rehearsed before their first game, because a process was
    lost while rehearsing them.
    """

    parent: int
    board: int
    key: bytes
    game: str
    terms: Terms
    cold: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Message:
    """A message of a worker: a finished game, or why there is none.

    problem : of the rules or of the process; '' if there is none.   is_warm : whether the code of the game's
    bots is ready.
    """

    record: GameRecord | None = None
    problem: str = ""
    is_warm: bool = False


def main() -> None:
    """Play games until the input ends."""
    tasks, output = _streams()
    task = tasks.receive(0)
    if task is None:  # this process was started ahead
        importlib.import_module("branchwise.bots.players.mcts")
        task = tasks.receive()
    setup: Setup = pickle.loads(task or b"")
    die_with(setup.parent)
    become_worker()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a bot's Ctrl-C must not end the worker
    faulthandler.enable(all_threads=False)
    board, results = StatusBoard(setup.board), Outlet(output, setup.key)
    plans: queue.SimpleQueue[GamePlan | Setup] = queue.SimpleQueue()
    plans.put(setup)
    threading.Thread(target=_read, args=(tasks, plans), daemon=True).start()
    streams = _Streams(tasks, results)
    try:
        while True:
            plan = plans.get()
            if isinstance(plan, Setup):
                setup = plan
                board.note(RULES, limit=LOAD_PATIENCE)
                game = load_game(setup.game)
                board.expect_vectors(box_size(game))
                at_once = setup.terms.at_once
                warm = set() if at_once else set(setup.cold)
                board.note(IDLE)
                continue
            _empty_output()
            board.note_game()
            was_warm = warm.issuperset(plan.seating)
            for seat, index in enumerate(plan.seating):
                if index not in warm and not at_once:
                    warm_up(game, setup.terms, index, seat, board)
                    streams.check_thoroughly()
                    warm.add(index)
                    _settle()
            record = Referee(game, plan, setup.terms, board, streams.check, warm).play()
            streams.check_thoroughly()
            is_warm = warm.issuperset(plan.seating)
            if at_once and is_warm and not was_warm:
                _settle()
            board.note(IDLE)
            _send(results, Message(record, is_warm=is_warm))
    except BaseException as error:
        told = error if isinstance(error, BranchwiseError) else f"{type(error).__name__}: {error}"
        _send(results, Message(problem=str(told).encode(errors="replace").decode() or "unknown"))
        os._exit(1)


class _Streams:
    """The descriptors of this process, which are checked each time after a bot has run."""

    def __init__(self, tasks: Inlet, results: Outlet) -> None:
        self._tasks, self._results = tasks, results
        self._open = select.poll()
        for stream in (tasks, results):
            self._open.register(stream.descriptor, 0)
        self._is_copy = False
        os.register_at_fork(after_in_child=self._note_copy)

    def check(self) -> None:
        """End the process if a bot has forked it and runs in both copies, or has closed a descriptor.

        It must be quick, because it runs after every move: it makes one system call.
        """
        if self._is_copy:
            os._exit(0)
        if self._open.poll(0):
            self._leave()

    def check_thoroughly(self) -> None:
        """Also end the process if a descriptor is open but leads elsewhere."""
        self.check()
        if not (self._tasks.is_intact and self._results.is_intact):
            self._leave()

    def _note_copy(self) -> None:
        self._is_copy = True

    def _leave(self) -> None:
        with suppress(OSError):
            os.write(2, b"a descriptor that ties the process to the arena was closed\n")
        os._exit(1)


def _settle() -> None:
    """Exclude all present objects from garbage collection, which would cost bots time."""
    gc.collect()
    gc.freeze()


def _streams() -> tuple[Inlet, int]:
    """Return the streams from and to the arena; bots get an empty input and the error output."""
    tasks, results = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return Inlet(tasks, TASKS_KEY), results


def _read(tasks: Inlet, plans: queue.SimpleQueue[GamePlan | Setup]) -> None:
    try:
        while True:
            plans.put(pickle.loads(tasks.receive() or b""))
    except BaseException:  # the arena has ended, or a bot has interfered
        os._exit(0)


def _send(results: Outlet, message: Message) -> None:
    try:
        results.send(msgspec.msgpack.encode(message))
    except OSError:
        os._exit(1)


def _empty_output() -> None:
    """Discard the output of earlier games; that of the current one is kept in case the process dies."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        os.ftruncate(2, 0)
        os.lseek(2, 0, os.SEEK_SET)
    except (OSError, ValueError):
        pass
