"""How one thread, the leader, hands jobs to helpers and gets their answers, without locks.

A mailbox is an int64 array of FIRST_FREE words, and of more that its users choose. The leader writes what the
helpers need and hands out a job; each helper does its part and answers; the leader waits for all of them.
"""

from __future__ import annotations

import os

from numba import types

from branchwise.core.machine.atomic import add_to_item, publish_item, read_item
from branchwise.core.machine.kernel import kernel
from branchwise.core.machine.stop_flags import SHOW_LIFE
from branchwise.core.machine.stop_requests import asked

GENERATION, FINISHED, ANSWERS, HELPERS, FIRST_FREE = range(5)
"""Indices in a mailbox: number of jobs so far; whether the helpers must return; number of answers so far;
number of helpers; the first word for other use."""

_SPINS = 2000
"""Reads of the mailbox before a waiting thread yields its core to others; about a microsecond."""

_give_way = types.ExternalFunction("SwitchToThread" if os.name == "nt" else "sched_yield", types.int32())


@kernel
def _wait(waited):
    if waited >= _SPINS:
        asked(SHOW_LIFE)
        _give_way()
    return waited + 1


@kernel
def jobs_done(mailbox):
    """Return how many jobs are done, for a helper that begins."""
    return read_item(mailbox, ANSWERS) // read_item(mailbox, HELPERS)


@kernel
def has_job(mailbox, done):
    """Wait for a helper's next job after `done`; returns whether there is one, and the helper goes on."""
    waited = 0
    while read_item(mailbox, GENERATION) == done:
        if read_item(mailbox, FINISHED):
            return False
        waited = _wait(waited)
    return True


@kernel
def answer(mailbox):
    """Tell the leader that a helper has done its part of the job."""
    add_to_item(mailbox, ANSWERS, 1)


@kernel
def hand_out(mailbox):
    """Let the helpers begin the job that the leader has written."""
    publish_item(mailbox, GENERATION, mailbox[GENERATION] + 1)


@kernel
def all_have_answered(mailbox):
    """Wait for the answers of all helpers; returns whether they came, False if a helper's rules raised."""
    wanted = mailbox[GENERATION] * mailbox[HELPERS]
    waited = 0
    while read_item(mailbox, ANSWERS) < wanted:
        if read_item(mailbox, FINISHED):
            return False
        waited = _wait(waited)
    return True
