"""The threads that help a walker with playouts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context

import numpy as np

from branchwise.compile.native import NativeRecords
from branchwise.compile.watch import current_limits
from branchwise.core.lines import FAULTY, START, STATUSES, Task, Team
from branchwise.core.mailbox import ANSWERS, FINISHED, GENERATION, HELPERS
from branchwise.core.random import new_streams
from branchwise.search.interrupts import HeldInterrupts


class Helpers:
    """Helpers of a walker, each with a task, a state and random numbers of its own.

    count : from 1.   states : of the walker.   task : the walker's, whose settings helpers share.
    """

    def __init__(self, count: int, states: NativeRecords, task: Task, seed: int) -> None:
        self.team = Team(mailbox=np.zeros(STATUSES + count, np.int64), numbers=np.zeros(2))
        self.team.mailbox[HELPERS] = count
        self.team.mailbox[FINISHED] = 1
        self.states = NativeRecords(states._numba_type_, count)
        self.tasks = [
            task._replace(
                facts=task.facts.copy(),
                streams=new_streams(seed, number + 1),
                legal=np.zeros_like(task.legal),
                shares=np.zeros_like(task.shares),
                paid=np.zeros_like(task.paid),
                returns=np.zeros_like(task.returns),
            )
            for number in range(count)
        ]
        self._raised: int | None = None

    @property
    def start(self) -> int:
        """Number of moves that the helpers' lines have in common with the leader's."""
        return int(self.team.mailbox[START])

    @property
    def faulty(self) -> int | None:
        """The helper in whose line the last fault was found, from 0; None if it is the leader's."""
        if self._raised is not None:
            return self._raised
        found = int(self.team.mailbox[FAULTY])
        return found - 1 if found else None

    def run(self, lead: Callable[[], int], help_one: Callable[[int], None]) -> int:
        """Call `lead` while each helper runs `help_one` in a thread; returns its status."""
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
            finally:
                mailbox[FINISHED] = 1
            wait(futures)
        for number, future in enumerate(futures):
            error = future.exception()
            if error is not None:
                self._raised = number
                raise error
        return status

    def _help(self, help_one: Callable[[int], None], number: int) -> None:
        try:
            help_one(number)
        except BaseException:
            self.team.mailbox[FINISHED] = 1  # so that the leader does not wait for an answer
            raise
