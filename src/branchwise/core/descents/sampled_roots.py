"""Where a simulation starts: in a state drawn anew from those that are possible.

The root is then not one state but a distribution over states, and each simulation draws its own: from an
array of states, all alike or by weight, as of a belief's particles; or dealt by the rules, as what one player
knows allows. There are three ways to deal, as in `rules.knowledge.dealing`: the rules fill what the player
does not see; unseen cards are shuffled; or the game is replayed from the start along what the player saw.

A deal can be rejected. Then it is dealt again, a few times. Deals that were found before are kept, and if no
attempt succeeds, one of them is used again. Only the first deal of a search is tried for long.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, uint64

from branchwise.common.players import CHANCE
from branchwise.core.machine.kernel import phase, text
from branchwise.core.machine.kernel_status import DONE, HALTED, NO_DEAL
from branchwise.core.numbers.random_streams import (
    OUTCOME_STREAM,
    draw_below,
    draw_by_sums,
    next_counter,
)

NUM_ROOTS, MOST_ATTEMPTS, CELL_BYTES, DEALT, REPEATED, KEPT, TRIED, _SLOTS, STORED, TOLD = range(10)
"""Places in search.dealing. NUM_ROOTS: states in the array, or deals that can be kept. MOST_ATTEMPTS: for the
first deal. CELL_BYTES: of a cell of the pool. Then counters: deals used, those of them that were used before,
deals kept, attempts, and slots of the table in use, see `core.tree.node_table`. STORED, TOLD: particles of
nodes, and numbers of their observations, see `core.beliefs.weighted_search`."""
NUM_DEALING = 10

FIRST_ATTEMPTS = 20_000
"""Attempts to find the first state that fits."""
KEPT_DEALS = 1000
"""Most deals that are kept in case that new ones are not found."""
FEW_ATTEMPTS = 16
"""Attempts for one deal once there are others that can be used again."""
NOTHING = -1
"""In place of an action, and of what is seen of one."""
NO_FIT = -1
"""In place of a number of events: the observer would have seen something else."""


# --- an array of states -----------------------------------------------------------------------------------


@text
def draw_root(search, root, state):
    """Make `state` one of the root states, drawn at random; returns a status."""
    state.copy_from(root.at(search.draw_place(search)))
    return DONE


@phase()
def draw_place(search):
    """Return the number of a root state; all are equally likely."""
    return draw_below(next_counter(search.streams, OUTCOME_STREAM), search.dealing[NUM_ROOTS])


@phase()
def draw_place_by_weight(search):
    """Return the number of a root state, drawn in proportion to its weight."""
    return draw_by_sums(next_counter(search.streams, OUTCOME_STREAM), search.shares)


# --- deals ------------------------------------------------------------------------------------------------


@text
def deal_surely(search, root, state):
    """Deal a state, which always fits; returns a status."""
    search.deal(search, root, state)
    search.count_deal(search)
    return DONE


@phase()
def count_deal(search):
    """Count a deal."""
    search.dealing[DEALT] += 1


@text
def deal_until_it_fits(search, root, state):
    """Deal a state that fits, or use an earlier deal again; returns a status.

    root : what is dealt from; the deals that are kept follow it.
    """
    while search.may_try(search):
        fits = search.deal(search, root, state)
        place = search.note_attempt(search, fits)
        if fits:
            if place > 0:
                root.at(place).copy_from(state)
            return DONE
        if state.is_to_be_left():
            return HALTED
    place = search.deal_again(search)
    if place == 0:
        return NO_DEAL
    state.copy_from(root.at(place))
    return DONE


@phase()
def may_try(search):
    """Whether to make another attempt for this simulation; counts it."""
    most = FEW_ATTEMPTS if search.dealing[KEPT] > 0 else search.dealing[MOST_ATTEMPTS]
    if search.dealing[TRIED] < most:
        search.dealing[TRIED] += 1
        return True
    search.dealing[TRIED] = 0
    return False


@phase(boolean)
def note_attempt(search, fits):
    """Count an attempt; returns where its deal is to be kept among the roots, from 1, or 0 for nowhere."""
    if not fits:
        return np.int64(0)
    dealing = search.dealing
    dealing[TRIED] = 0
    dealing[DEALT] += 1
    if dealing[KEPT] < dealing[NUM_ROOTS]:
        dealing[KEPT] += 1
        return dealing[KEPT]
    if dealing[NUM_ROOTS] == 0:
        return np.int64(0)
    return 1 + dealing[DEALT] % dealing[NUM_ROOTS]


@phase()
def deal_again(search):
    """Return where the deal to be used again is among the roots, from 1; 0 if there is none."""
    dealing = search.dealing
    if dealing[KEPT] == 0:
        return np.int64(0)
    counter = next_counter(search.streams, OUTCOME_STREAM)
    dealing[DEALT] += 1
    dealing[REPEATED] += 1
    return 1 + draw_below(counter, dealing[KEPT])


@text
def deal_by_rules(search, root, state):
    """Let the rules fill what the observer does not see; returns whether the deal fits."""
    state.copy_from(root)
    state.deal_anew(search.viewer, search.randomness(search.streams))
    return search.fits(search, state)


@text
def deal_from_pool(search, root, state):
    """Shuffle the cards that the observer does not see; returns whether the deal fits."""
    state.copy_from(root)
    random = search.randomness(search.streams)
    state.shuffle_cells(search.holes, search.dealing[CELL_BYTES], random)
    return search.fits(search, state)


@text
def fits_always(search, state):
    """Accept every deal."""
    return True


@text
def fits_by_rules(search, state):
    """Whether the observer thinks the deal possible, by the rules' `consistent`."""
    return state.fits(search.viewer)


# --- replaying what was seen ------------------------------------------------------------------------------


@text
def deal_by_replay(search, root, state):
    """Play from the start along the observer's history; returns whether it could be followed to its end.

    root : the start of the game. Chance draws by its probabilities. A hidden move of another player is
    uniform among the legal ones that look as what the observer saw next.
    The state behind `state` is modified.
    """
    state.copy_from(root)
    seen = 0
    for _ in range(state.max_game_length + 1):
        if state.is_terminal():
            return False
        player = state.current_player()
        if player == search.viewer:
            if search.is_last(search, seen):
                return search.fits(search, state)
            action = search.own_action(search, seen)
            if action == NOTHING:
                return False
            search.apply(search, state, action)
            seen = search.follow_event(search, seen, action, NOTHING, search.view_of(search, state))
        elif search.draws_chance and player == CHANCE:
            outcome = search.draw_chance(search, state)
            if outcome < 0 or outcome >= search.num_outcomes:
                return False
            told = state.seen_of(outcome, search.viewer)
            search.apply(search, state, outcome)
            seen = search.follow_event(search, seen, NOTHING, told, search.view_of(search, state))
        else:
            seen = search.replay_hidden_move(search, state, seen)
        if seen == NO_FIT:
            return False
    return False


@text
def replay_hidden_move(search, state, seen):
    """Play a random one of another's legal moves that fit; returns the events seen after it, or NO_FIT."""
    count = state.fill_legal_actions(search.actions)
    if count < 1 or count > search.actions.size:
        return NO_FIT
    trial = state.at(1)
    for first in range(count):
        action = search.take_random(search, first, count)
        told = state.seen_of(action, search.viewer)
        trial.copy_from(state)
        search.apply(search, trial, action)
        after = search.follow_event(search, seen, NOTHING, told, search.view_of(search, trial))
        if after != NO_FIT:
            state.copy_from(trial)
            return after
    return np.int64(NO_FIT)


@phase(int64, int64)
def take_random(search, first, count):
    """Return a random one of search.actions[first:count], which goes to place `first`."""
    counter = next_counter(search.streams, OUTCOME_STREAM)
    actions = search.actions
    chosen = first + draw_below(counter, count - first)
    actions[first], actions[chosen] = actions[chosen], actions[first]
    return np.int64(actions[first])


@phase(int64)
def is_last(search, seen):
    """Whether the observer's history has no more than the first `seen` events."""
    return seen == search.script.size - 1


@phase(int64)
def own_action(search, seen):
    """Return the observer's own action in the event after the first `seen`, or NOTHING."""
    if seen == search.script.size - 1:
        return np.int64(NOTHING)
    return np.int64(search.script[seen + 1].action)


@phase(int64, int64, int64, uint64)
def follow_event(search, seen, action, told, view):
    """Compare a move with the event after the first `seen`; returns the events seen after it, or NO_FIT.

    action : the observer's own, or NOTHING.   told : what was seen of another's, or NOTHING.   view : a hash
    of what the observer sees after it. A move of which nothing is seen is no event.
    """
    if action == NOTHING and told == NOTHING and view == search.script[seen].view:
        return seen
    if seen == search.script.size - 1:
        return np.int64(NO_FIT)
    event = search.script[seen + 1]
    if event.action == action and event.seen == told and event.view == view:
        return seen + 1
    return np.int64(NO_FIT)
