"""Playouts of one leaf by several threads at once.

Only the leader selects, expands and backs up. At each leaf it publishes the state, runs a playout, and
waits for the helpers, which then wait for the next leaf. Each thread has its own random stream, and outcomes
are added in a fixed order, so that the result does not depend on speed. Chaslot, Winands, van den Herik,
"Parallel Monte-Carlo tree search", 2008.
"""

from __future__ import annotations

from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import DONE, HELPER_RAISED
from branchwise.core.machine.leader_and_helpers import (
    FIRST_FREE,
    HELPERS,
    all_have_answered,
    answer,
    hand_out,
    has_job,
    jobs_done,
)

DEPTH, LEFT, STATUSES = range(FIRST_FREE, FIRST_FREE + 3)
"""Further places in search.mailbox: depth of the leaf; decisions left there before the horizon; from
STATUSES on, each helper's last status."""


@entry_kernel
def help_with_playouts(search, leaf, state, number):
    """Play out every leaf that the leader publishes, until the leader finishes; returns their number.

    search : the helper's, except that mailbox and outcomes are the leader's.   leaf : the leader's
    state.   state : the helper's, modified in place.   number : of the helper, from 0.
    """
    mailbox = search.mailbox
    served = jobs_done(mailbox)
    players = search.returns.size
    while has_job(mailbox, served):
        served += 1
        state.copy_from(leaf)
        search.left[0] = mailbox[LEFT]
        mailbox[STATUSES + number] = search.play_once(search, state, mailbox[DEPTH])
        for player in range(players):
            search.outcomes[number * players + player] = search.returns[player]
        answer(mailbox)
    return served


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
    hand_out(mailbox)
    status = search.play_once(search, state, depth)
    if not all_have_answered(mailbox):
        return HELPER_RAISED
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
