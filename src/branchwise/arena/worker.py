"""The process that plays games for a match, one after another.

Tasks come in by its standard input and records go out by its standard output, before bots see either: what
a bot prints goes to the standard error, a file of the arena's. When the input ends, so does the process.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import pickle
import queue
import sys
import threading
from dataclasses import dataclass
from typing import Any, BinaryIO

from branchwise.arena.play import Table, Terms, warm_up
from branchwise.arena.processes import become_worker
from branchwise.arena.record import GamePlan
from branchwise.arena.turns import IDLE, TurnBoard
from branchwise.errors import BranchwiseError
from branchwise.games import load_game
from branchwise.processes import die_with

READY = "ready"
PLAYED = "played"
FAILED = "failed"


@dataclass(frozen=True)
class Setup:
    """What a process is told first.

    parent : the id of who starts it.   board : the descriptor of a `TurnBoard`.   cold : bots, by their
    place in the match, that are not tried out before their first game, because a process was lost by that.
    """

    parent: int
    board: int
    game: str
    terms: Terms
    cold: frozenset[int] = frozenset()


def main() -> None:
    """Play games until the input ends."""
    tasks, results = _streams()
    setup: Setup = pickle.load(tasks)
    die_with(setup.parent)
    become_worker()
    faulthandler.enable(all_threads=False)
    board = TurnBoard(setup.board)
    plans: queue.SimpleQueue[GamePlan] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(tasks, plans), daemon=True).start()
    try:
        game = load_game(setup.game)
        warm = set(setup.cold)
        _send(results, READY, None)
        while True:
            plan = plans.get()
            _empty_output()
            board.note_game()
            for seat, place in enumerate(plan.seating):
                if place not in warm:
                    warm_up(game, setup.terms, place, seat, board)
                    warm.add(place)
                    _settle()
            record = Table(game, plan, setup.terms, board).play()
            board.note(IDLE)
            _send(results, PLAYED, record)
    except BaseException as error:
        told = error if isinstance(error, BranchwiseError) else f"{type(error).__name__}: {error}"
        _send(results, FAILED, str(told))
        os._exit(1)


def _settle() -> None:
    """Take all that is there by now out of the garbage collector's rounds, which would cost bots time."""
    gc.collect()
    gc.freeze()


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """Return the streams from and to the arena; bots get an empty input and the error output."""
    tasks, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return tasks, results


def _read(tasks: BinaryIO, plans: queue.SimpleQueue[GamePlan]) -> None:
    while True:
        try:
            plans.put(pickle.load(tasks))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)


def _send(results: BinaryIO, kind: str, content: Any) -> None:
    try:
        results.write(pickle.dumps((kind, content)))
        results.flush()
    except OSError:
        os._exit(1)


def _empty_output() -> None:
    """Forget what was printed in earlier games; of the last one it is kept, should the process die."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        os.ftruncate(2, 0)
        os.lseek(2, 0, os.SEEK_SET)
    except (OSError, ValueError):
        pass
