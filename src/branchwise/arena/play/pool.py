"""The worker processes of a match, which play several games at once.

Each is a separate Python that lives from game to game. It is started, never forked, so that compiled code
and threads work as usual. A worker that does not answer in time is ended. If a worker dies, the bot whose
turn it was loses that game, and a new worker takes its place. Above each worker is a keeper (`play.keeper`),
which ends everything that the worker has started.
"""

from __future__ import annotations

import os
import pickle
import queue
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

import msgspec

from branchwise.arena.play.referee import Terms
from branchwise.arena.play.status_board import (
    BUILDING,
    CLOSING,
    IDLE,
    RULES,
    THINKING,
    WARMING,
    WorkerStatus,
)
from branchwise.arena.play.worker import Message, Setup
from branchwise.arena.play.worker_launch import launch
from branchwise.arena.play.worker_messages import KEY_BYTES, TASKS_KEY, FloodError, Inlet, Outlet
from branchwise.arena.records.playback import played_with_dice, reached_text
from branchwise.arena.records.record import GamePlan, GameRecord, MoveRecord, returns_after_fault
from branchwise.common.errors import MatchError
from branchwise.common.players import CHANCE
from branchwise.common.processes import signal_name
from branchwise.game.kinds.continuous_actions import Plain, as_plain, box_size
from branchwise.games import load_game
from branchwise.rules.facts.game_type import pays

LOOK = 0.2
"""Seconds between checks of the status boards."""

START_PATIENCE = 120.0
IDLE_PATIENCE = 5.0
"""Seconds after which a process that has a game to play, but does nothing, is given up."""

END_PATIENCE = 5.0
"""Seconds in which a keeper must end all processes below it."""

MOST_OUTPUT = 2**20
"""Bytes of the bots' printed output to keep."""

_ATTEMPTS = 3
_SHOWN_OUTPUT = 3000
_DOING = {
    BUILDING: "while it was being built",
    WARMING: "in its first moves, outside the game",
    CLOSING: "while it was being closed",
}


ENDED, FLOODED = "ended", "flooded"
"""Reports on a process that sends no more messages: its pipe has ended, or is full of noise."""

Moves = list[tuple[Plain, float]]
"""The moves of a game so far, with the seconds that they took."""

Inbox = queue.Queue[tuple["WorkerProcess", "Message | str"]]


class WorkerProcess:
    """A worker process and the game that it plays."""

    def __init__(self) -> None:
        self.plan: GamePlan | None = None
        self.began = 0.0
        self._launched = launched = launch()
        self._board, self._output, self._process = launched.board, launched.output, launched.process
        self._inbox: Inbox = queue.Queue()
        self._seen = WorkerStatus()
        self._since = time.monotonic()
        self._status: int | None = None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._tasks = Outlet(self._process.stdin.fileno(), TASKS_KEY)
        self._key = secrets.token_bytes(KEY_BYTES)
        self._over = threading.Event()
        results = Inlet(self._process.stdout.fileno(), self._key)
        self._reader = threading.Thread(target=self._read, args=(results,), daemon=True)
        self._reader.start()

    @property
    def fits(self) -> bool:
        """Whether it waits for a game, and a process started now would be the same."""
        return self.plan is None and self._launched.fits and self.last_status().doing == IDLE

    def enter(self, game: str, dimensions: int, terms: Terms, cold: frozenset[int], inbox: Inbox) -> None:
        """Prepare for the games of a match, the first or another one."""
        self._inbox = inbox
        self._board.expect_vectors(dimensions)
        self._send(Setup(self._process.pid, self._board.descriptor, self._key, game, terms, cold))

    def play(self, plan: GamePlan) -> None:
        """Start a game."""
        self.plan = plan
        self.began = time.time()
        self._since = time.monotonic()
        self._send(plan)

    def overdue(self) -> WorkerStatus | None:
        """Return the status whose time limit the process has exceeded, or None."""
        status = self._board.read()
        now = time.monotonic()
        if status.count != self._seen.count:
            self._seen, self._since = status, now
            return None
        limit = START_PATIENCE if status.count == 0 else status.limit
        if status.doing == IDLE and status.count:
            limit = IDLE_PATIENCE
        return status if self.plan is not None and now - self._since > limit else None

    def last_status(self) -> WorkerStatus:
        return self._board.read()

    def moves(self) -> Moves:
        """Return action and seconds of each move of the game so far."""
        return self._board.moves()

    def last_words(self) -> str:
        """Return the end of what the process printed in this game."""
        size = os.fstat(self._output.fileno()).st_size
        self._output.seek(max(0, size - _SHOWN_OUTPUT))
        return self._output.read().decode(errors="replace").strip()

    def trim(self) -> None:
        """Truncate the captured output of the process if it is too long."""
        with suppress(OSError):
            if os.fstat(self._output.fileno()).st_size > MOST_OUTPUT:
                os.ftruncate(self._output.fileno(), 0)

    def end(self) -> int:
        """End the process, and whatever it started; returns its exit status, or minus the signal's number."""
        if self._status is None:
            with suppress(OSError):
                self._process.terminate()  # the keeper knows the status of one that ended by itself
                self._process.send_signal(signal.SIGCONT)
            try:
                self._status = self._process.wait(END_PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._status = self._process.wait()
            self._over.set()
            self._reader.join()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            self._board.close()
        return self._status

    def forget(self) -> None:
        """Close the captured output."""
        self._output.close()

    def _send(self, content: object) -> None:
        with suppress(OSError):  # it has died, which its reader reports
            self._tasks.send(pickle.dumps(content))

    def _read(self, results: Inlet) -> None:
        """Forward messages from the process until it ends or is abandoned."""
        decode = msgspec.msgpack.Decoder(Message).decode
        try:
            while not self._over.is_set():
                payload = results.receive(LOOK)
                if payload is not None:
                    self._inbox.put((self, decode(payload)))
        except FloodError:
            self._inbox.put((self, FLOODED))
        except (EOFError, OSError, msgspec.MsgspecError):
            self._inbox.put((self, ENDED))


class GamePool(Protocol):
    """What plays the games of one match, in whatever processes; a `Runner` needs no more of it."""

    def start(self) -> None:
        """Get ready for the first game."""

    @property
    def has_room(self) -> bool:
        """Whether another game can begin."""

    @property
    def playing(self) -> int:
        """Number of games that have begun and not ended."""

    def play(self, plan: GamePlan) -> None:
        """Begin a game; there must be room."""

    def finished(self, timeout: float) -> Iterator[GameRecord]:
        """Wait up to `timeout` seconds, and yield the games that end meanwhile; raises `MatchError`."""

    def abandon(self) -> None:
        """Stop all games in progress; none of them counts."""

    def close(self) -> None:
        """Leave no game and no process behind."""


_kept: list[WorkerProcess] = []
"""Warm workers for the next match."""
_keeping = 0


@contextmanager
def warm_workers() -> Iterator[None]:
    """Keep the workers of each match in the block for the next one."""
    global _keeping
    _keeping += 1
    try:
        yield
    finally:
        _keeping -= 1
        while _kept and not _keeping:
            _discard(_kept.pop())


def _discard(worker: WorkerProcess) -> None:
    worker.end()
    worker.forget()


class WorkerPool(GamePool):
    """A fixed number of processes for the games of one match.

    game, terms : as in `Setup`.   count : games at once, from 1. Close it, or processes stay behind.
    """

    def __init__(self, game: str, terms: Terms, count: int) -> None:
        if not hasattr(os, "killpg"):
            raise MatchError("matches are played on Linux and macOS", mend="on Windows, use WSL")
        self._game = game
        self._rules = load_game(game)
        self._dimensions = box_size(self._rules)
        self._terms = terms
        self._count = count
        self._inbox: Inbox = queue.Queue()
        self._workers: list[WorkerProcess] = []
        self._attempts: dict[int, int] = {}
        self._cold: frozenset[int] = frozenset()
        self._warm = False
        self._looked = 0.0

    def close(self) -> None:
        """End the processes, except for those that wait and are kept for the next match."""
        for worker in [*self._workers]:
            if _keeping and worker.fits:
                self._workers.remove(worker)
                _kept.append(worker)
            else:
                self._dismiss(worker)

    @property
    def playing(self) -> int:
        """Number of games in progress."""
        return sum(worker.plan is not None for worker in self._workers)

    @property
    def has_room(self) -> bool:
        """Whether another game can begin.

        The first process compiles the code of its bots, by rehearsing them or during a game, before any other
        begins. The others then find it on disk, instead of all compiling it at once.
        """
        self._warm = self._warm or any(worker.last_status().doing == THINKING for worker in self._workers)
        return self.playing < (self._count if self._warm else 1)

    def _new_worker(self) -> WorkerProcess:
        while _kept:
            worker = _kept.pop(0)
            if worker.fits:
                break
            _discard(worker)
        else:
            worker = WorkerProcess()
        worker.enter(self._game, self._dimensions, self._terms, self._cold, self._inbox)
        return worker

    def start(self) -> None:
        """Start the first process, so that it is ready for the first game."""
        self._workers.append(self._new_worker())

    def play(self, plan: GamePlan) -> None:
        """Start a game; there must be room."""
        begun_late = self._terms.at_once and not self._warm
        while len(self._workers) < (1 if begun_late else self._count):
            self._workers.append(self._new_worker())
        next(worker for worker in self._workers if worker.plan is None).play(plan)

    def abandon(self) -> None:
        """Stop all games in progress; none of them counts."""
        for worker in [*self._workers]:
            if worker.plan is not None:
                self._dismiss(worker)

    def finished(self, timeout: float) -> Iterator[GameRecord]:
        """Wait up to `timeout` seconds, and yield the games that end meanwhile.

        Raises `MatchError` if the rules or the processes fail.
        """
        with suppress(queue.Empty):
            worker, message = self._inbox.get(timeout=min(timeout, LOOK))
            yield from self._received(worker, message)
        now = time.monotonic()
        if now - self._looked < LOOK:
            return
        self._looked = now
        for worker in [*self._workers]:
            worker.trim()
            status = worker.overdue()
            if status is not None and self._inbox.empty():
                yield from self._given_up(worker, status)

    def _received(self, worker: WorkerProcess, message: Message | str) -> Iterator[GameRecord]:
        if worker not in self._workers:
            return
        if isinstance(message, str):
            yield from self._died(worker, flooded=message == FLOODED)
        elif message.record is None:
            problem = f"{self._rules.name} cannot be played on: {message.problem}"
            raise MatchError(problem, after=self._line(worker))
        elif message.record.plan == worker.plan:
            worker.plan = None
            self._warm = self._warm or message.is_warm
            yield message.record

    def _died(self, worker: WorkerProcess, *, flooded: bool = False) -> Iterator[GameRecord]:
        """Handle a process that ended by itself or sent an invalid message."""
        status, moves = worker.last_status(), worker.moves()
        exit_status = worker.end()
        how = f"the process ended with status {exit_status}"
        if flooded:
            how = "the process was ended: it flooded the pipe of the arena"
        elif exit_status < 0:
            how = f"the process was ended by {signal_name(-exit_status)}"
        yield from self._without_end(worker, status, moves, "died", how)

    def _play_again(self, plan: GamePlan, how: str, words: str) -> None:
        """Restart a game whose process was lost while no bot was running; raises `MatchError`."""
        self._attempts[plan.number] = self._attempts.get(plan.number, 0) + 1
        if self._attempts[plan.number] >= _ATTEMPTS:
            raise MatchError(
                f"game {plan.number} cannot be played: {how}, {_ATTEMPTS} times, while no bot was thinking",
                mend=words or None,
            )
        self.play(plan)

    def _given_up(self, worker: WorkerProcess, status: WorkerStatus) -> Iterator[GameRecord]:
        """Handle a process that exceeded a time limit."""
        if status.count == 0:
            raise MatchError(f"a process to play in did not start within {START_PATIENCE:g} s")
        if status.doing == RULES:
            raise MatchError(
                f"nothing came of {self._rules.name}'s rules for {status.limit:g} s", after=self._line(worker)
            )
        how = f"no answer within {status.limit:g} s"
        if status.doing == IDLE:
            how = f"nothing came of it for {IDLE_PATIENCE:g} s"
        yield from self._without_end(worker, status, worker.moves(), "hung", how)

    def _without_end(
        self, worker: WorkerProcess, status: WorkerStatus, moves: Moves, ending: str, how: str
    ) -> Iterator[GameRecord]:
        """End a process; its game is lost by the bot that it waited for, or played again if it was none."""
        worker.end()
        plan, words = worker.plan, worker.last_words()
        self._dismiss(worker)
        if plan is None:
            return
        if status.doing in (IDLE, RULES):
            self._play_again(plan, how, words)
        else:
            told = " ".join(filter(None, (how, _DOING.get(status.doing))))
            yield self._lost(worker, plan, status, moves, ending, f"{told}\n{words}".strip())

    def _lost(
        self,
        worker: WorkerProcess,
        plan: GamePlan,
        status: WorkerStatus,
        moves: Moves,
        ending: str,
        detail: str,
    ) -> GameRecord:
        """Return the record of a game that ended because a bot lost its process."""
        game = self._rules
        if status.doing in (WARMING, CLOSING):
            self._cold |= {plan.seating[status.seat]}
        played = played_with_dice(game, plan, (action for action, _ in moves))
        paid = played.paid if pays(game) else ()
        records, opening = [], len(plan.opening)
        for ply, move in enumerate(played.moves[opening:], start=opening):
            played.go_to(ply + 1)
            seconds = None if move.player == CHANCE else moves[ply - opening][1]
            action = as_plain(move.action)
            records.append(MoveRecord(ply, move.player, action, seconds, reached=reached_text(played)))
        return GameRecord(
            plan=plan,
            returns=returns_after_fault(
                status.seat, game.num_players, game.min_return, game.max_return, paid
            ),
            ending=ending,
            fault=status.seat,
            detail=detail,
            began=worker.began,
            seconds=time.time() - worker.began,
            moves=tuple(records),
        )

    def _dismiss(self, worker: WorkerProcess) -> None:
        _discard(worker)
        self._workers.remove(worker)

    def _line(self, worker: WorkerProcess) -> str | None:
        """Return the moves of the game that a process plays, in the game's notation."""
        if worker.plan is None:
            return None
        played = played_with_dice(self._rules, worker.plan, (action for action, _ in worker.moves()))
        return " ".join(move.text for move in played.moves) or None
