"""Playouts of one leaf by several threads at once.

Only the leader selects, expands and backs up. At each leaf it publishes the state, runs a playout, and
waits for the helpers, which then wait for the next leaf. Each thread has its own random stream, and outcomes
are added in a fixed order, so that the result does not depend on speed. Chaslot, Winands, van den Herik,
"Parallel Monte-Carlo tree search", 2008.
"""

from __future__ import annotations

import os

from numba import types

from branchwise.core.atomic import add_to_item, publish_item, read_item
from branchwise.core.halting import asked
from branchwise.core.kernel import entry_kernel, kernel
from branchwise.core.requests import SHOW_LIFE
from branchwise.core.status import DONE, HELPER_RAISED

GENERATION, FINISHED, ANSWERS, HELPERS, DEPTH, LEFT, STATUSES = range(7)
"""Indices in search.mailbox, int64: number of the leaf; whether the helpers must return; number of answers so
far; number of helpers; depth of the leaf; decisions left there before the horizon; from STATUSES on, each
helper's last status."""


_SPINS = 2000
"""Reads of the mailbox before a waiting thread yields its core to others; about a microsecond."""

_give_way = types.ExternalFunction("SwitchToThread" if os.name == "nt" else "sched_yield", types.int32())


@kernel
def _wait(waited):
    if waited >= _SPINS:
        asked(SHOW_LIFE)
        _give_way()
    return waited + 1


@entry_kernel
def help_with_playouts(search, leaf, state, number):
    """Play out every leaf that the leader publishes, until the leader finishes; returns their number.

    search : the helper's, except that mailbox and outcomes are the leader's.   leaf : the leader's
    state.   state : the helper's, modified in place.   number : of the helper, from 0.
    """
    mailbox = search.mailbox
    served = read_item(mailbox, ANSWERS) // read_item(mailbox, HELPERS)
    players = search.returns.size
    while True:
        waited = 0
        while read_item(mailbox, GENERATION) == served:
            if read_item(mailbox, FINISHED):
                return served
            waited = _wait(waited)
        served += 1
        state.copy_from(leaf)
        search.left[0] = mailbox[LEFT]
        mailbox[STATUSES + number] = search.play_once(search, state, mailbox[DEPTH])
        for player in range(players):
            search.outcomes[number * players + player] = search.returns[player]
        add_to_item(mailbox, ANSWERS, 1)


@kernel
def play_out_together(search, state, depth):
    """Run a playout while each helper runs another; the outcome is the mean of all.

    A copy of the state is kept three places behind it.
    """
    mailbox = search.mailbox
    players = search.returns.size
    helpers = mailbox[HELPERS]
    state.at(3).copy_from(state)
    mailbox[DEPTH] = depth
    mailbox[LEFT] = search.left[0]
    generation = mailbox[GENERATION] + 1
    publish_item(mailbox, GENERATION, generation)
    status = search.play_once(search, state, depth)
    waited = 0
    while read_item(mailbox, ANSWERS) < generation * helpers:
        if read_item(mailbox, FINISHED):
            return HELPER_RAISED
        waited = _wait(waited)
    for number in range(helpers):
        if status == DONE:
            status = mailbox[STATUSES + number]
    if status != DONE:
        return status
    for player in range(players):
        total = search.returns[player]
        for number in range(helpers):
            total += search.outcomes[number * players + player]
        search.returns[player] = total / (helpers + 1)
    return DONE
