"""The threads that help a walker with playouts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from copy import deepcopy

import numpy as np

from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.stopping.time_limits import current_limits
from branchwise.core.lines.solution_lines import (
    DEPTH,
    FAULTY,
    LEADING,
    NEXT,
    OF_LINES,
    PLAYING,
    REACHED,
    START,
    Task,
    Team,
)
from branchwise.core.machine.leader_and_helpers import ANSWERS, FINISHED, GENERATION, HELPERS
from branchwise.core.numbers.random_streams import ORDER_STREAM, new_streams
from branchwise.search.drivers.interrupts import HeldInterrupts

_LEADER = -1


class Helpers:
    """Helpers of a walker, each with a task and a state of its own.

    count : from 1.   states : of the walker.   task : the walker's, which those of helpers are copies of.
    """

    def __init__(self, count: int, states: NativeRecords, task: Task, seed: int) -> None:
        streams = [new_streams(seed, number + 1) for number in range(count)]
        self.team = Team(
            mailbox=np.zeros(OF_LINES + 3 * count, np.int64),
            numbers=np.zeros(2),
            seeds=np.array([each[ORDER_STREAM] for each in streams]),
        )
        self.team.mailbox[HELPERS] = count
        self.team.mailbox[FINISHED] = 1
        self.team.mailbox[NEXT] = count  # no line is left
        self.states = NativeRecords(states._numba_type_, count)
        self.tasks = [deepcopy(task)._replace(streams=each) for each in streams]
        self._task = task
        self._raised: int | None = None

    @property
    def start(self) -> int:
        """Number of moves that the lines of a step have in common."""
        return int(self.team.mailbox[START])

    def fault(self) -> tuple[int, int]:
        """Return the line of the last fault, from 1 (0: the leader's own), and the depth that it reached."""
        mailbox = self.team.mailbox
        if self._raised is None:
            line = int(mailbox[FAULTY])
            words = OF_LINES + 3 * (line - 1)
            return line, int(mailbox[words + REACHED] if line else self._task.facts[DEPTH])
        if self._raised == _LEADER:
            return int(mailbox[LEADING]), int(self._task.facts[DEPTH])
        words = OF_LINES + 3 * self._raised
        return int(mailbox[words + PLAYING]), int(self.tasks[self._raised].facts[DEPTH])

    def run(self, lead: Callable[[], int], help_one: Callable[[Helpers, int], None]) -> int:
        """Call `lead` while each helper runs `help_one` in a thread; returns the status of `lead`."""
        mailbox = self.team.mailbox
        mailbox[FINISHED] = 0
        mailbox[ANSWERS] = mailbox[GENERATION] * mailbox[HELPERS]
        count = len(self.tasks)
        with (
            HeldInterrupts(current_limits().ask),
            ThreadPoolExecutor(count, thread_name_prefix="branchwise") as pool,
        ):
            try:
                futures: list[Future[None]] = [
                    pool.submit(copy_context().run, self._help, help_one, number) for number in range(count)
                ]
                status = lead()
            except BaseException:
                self._raised = _LEADER
                raise
            finally:
                mailbox[FINISHED] = 1
            wait(futures)
        for number, future in enumerate(futures):
            error = future.exception()
            if error is not None:
                self._raised = number
                raise error
        return status

    def _help(self, help_one: Callable[[Helpers, int], None], number: int) -> None:
        try:
            help_one(self, number)
        except BaseException:
            self.team.mailbox[FINISHED] = 1  # so that the leader does not wait for an answer
            raise
