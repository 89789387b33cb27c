"""Playing a state out: to the end of the game, or to where it is evaluated.

Every `play_out...` here modifies the state, leaves the outcome in search.returns, draws from search.streams,
and returns a status. `depth` is the number of moves played in the tree before.
"""

from __future__ import annotations

import math

import numpy as np
from numba import boolean, float64, int64

from branchwise.common.players import CHANCE
from branchwise.core.backup.move_statistics import NO_REPLY, pair_of, slot_of
from branchwise.core.backup.paranoid import oppose
from branchwise.core.machine.kernel import kernel, phase, text
from branchwise.core.machine.kernel_status import (
    ACTION_OUT_OF_RANGE,
    BAD_OUTCOME,
    DONE,
    EVALUATION_OUT_OF_BOUNDS,
    HALTED,
    ILLEGAL_PLAYOUT_ACTION,
    NEVER_ENDS,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    RETURN_OUT_OF_BOUNDS,
    REWARD_IS_NO_NUMBER,
    SAMPLE_OUT_OF_RANGE,
    TOO_MANY_ACTIONS,
)
from branchwise.core.machine.states_on_stack import on_stack
from branchwise.core.machine.stop_flags import END_GAME
from branchwise.core.machine.stop_requests import asked
from branchwise.core.machine.two_action_list import item_of, likely, new_shortlist
from branchwise.core.numbers.random_streams import (
    MOVES,
    PLAYOUT_STREAM,
    SELECT_STREAM,
    advanced,
    below_of,
    draw_below,
    draw_share,
    mixed,
    next_counter,
    share_of,
)
from branchwise.core.tree.node_fields import MAX_CHILDREN, NO_ACTION

NOT_LISTED = -2
"""In place of an action: the one chosen is not legal."""

_TRUSTED_PAIRS = 7
"""Visits from which the tally of a pair of actions counts: Tak, Winands, Bjornsson, 2012."""


@kernel
def play_randomly(state, actions, streams):
    """Play uniformly random moves until the game is over; returns a status.

    It is a method of states, because those that are not compiled have a faster loop of their own; this one
    keeps the stream's counter in a register, which makes games up to three times as fast. A processor often
    guesses wrongly what a random move leads to, and then waits; draws are mixed two moves ahead, and so do
    not add to the wait.

    state, streams : modified in place: one draw a move.   actions : int32 [A], scratch.
    """
    if state.samples_actions:
        return play_drawn(state, streams, True, None)
    if state.num_actions <= MAX_CHILDREN and actions.size < state.num_actions:
        return TOO_MANY_ACTIONS  # never; it lets the compiler leave out most of the rules' looks at the size
    counter = streams[PLAYOUT_STREAM]
    status = DONE
    moves = 0
    following = mixed(advanced(counter))
    later = mixed(advanced(advanced(counter)))
    while not state.is_terminal():
        if asked(END_GAME):
            status = HALTED
            break
        bits = following
        if state.has_chance and state.current_player() == CHANCE:
            counter = advanced(counter)
            following = later
            later = mixed(advanced(advanced(counter)))
            outcome = state.draw_outcome(share_of(bits))
            if outcome < 0 or outcome >= state.num_outcomes:
                status = BAD_OUTCOME
                break
            if moves >= state.max_game_length:
                status = NEVER_ENDS
                break
            state.apply_action(outcome)
            moves += 1
            continue
        action = np.int64(NO_ACTION)
        if state.lists_few:
            count, action = state.draw_from_few(bits)
        else:
            count = state.fill_legal_actions(actions)
        if count < 1:
            status = NO_LEGAL_ACTION
            break
        if count > actions.size:
            status = TOO_MANY_ACTIONS
            break
        if moves >= state.max_game_length:
            status = NEVER_ENDS
            break
        counter = advanced(counter)
        following = later
        later = mixed(advanced(advanced(counter)))
        if not state.lists_few:
            action = np.int64(actions[below_of(bits, count)])
        state.play_action(action)
        moves += 1
    streams[PLAYOUT_STREAM] = counter
    streams[MOVES] += np.uint64(moves)
    return status


@kernel
def play_choices(state, streams):
    """Play moves that the rules choose by `playout_action` until the game is over; returns a status.

    For games without chance that tell by `is_legal` whether an action is legal.
    """
    return play_drawn(state, streams, None, True)


@kernel
def play_drawn(state, streams, sampled, chosen):
    """Play moves that the rules draw themselves, without a list of all, in the same way.

    The stream is a copy on the stack, with its next draw mixed ahead.
    sampled, chosen : one is None, the other is True; moves are drawn by `sample_action` or `playout_action`.
    """
    random = on_stack(state.draws_ahead_from(streams), state.draws_ahead_from(streams))
    random.mix_ahead()
    status = DONE
    moves = 0
    while not state.is_terminal():
        if state.has_chance and state.current_player() == CHANCE:
            action = np.int64(state.draw_outcome(random.uniform()))
            if action < 0 or action >= state.num_outcomes:
                status = BAD_OUTCOME
                break
        else:
            action = np.int64(NO_ACTION)
            if sampled is not None:
                action = np.int64(state.sample_action(random))
                if action < 0 or action >= state.num_actions:
                    status = SAMPLE_OUT_OF_RANGE
                    break
            if chosen is not None:
                action = np.int64(state.playout_action(random))
                if action < 0 or action >= state.num_actions or not state.is_legal(action):
                    status = ILLEGAL_PLAYOUT_ACTION
                    break
        if moves >= state.max_game_length:
            status = NEVER_ENDS
            break
        if asked(END_GAME):
            status = HALTED
            break
        state.play_action(action)
        moves += 1
    streams[PLAYOUT_STREAM] = random.counter
    streams[MOVES] += np.uint64(moves)
    return status


@kernel
def draw_from_few(state, bits):
    """Return how many actions are legal, and the one of them that random `bits` stand for, int64.

    A method of states with at most two actions. Usually all are legal; a processor that expects this knows
    the action without waiting for their number.
    """
    legal = new_shortlist()
    count = state.fill_legal_actions(legal)
    if likely(count == state.num_actions):
        return count, np.int64(item_of(legal, below_of(bits, state.num_actions)))
    return count, np.int64(item_of(legal, below_of(bits, count)))


@kernel
def sampled(state, streams, counter):
    """Let the rules draw a uniformly random action; returns a status, the stream's counter and the action."""
    streams[PLAYOUT_STREAM] = counter
    action = np.int64(state.sample_action(state.draws_from(streams)))
    counter = streams[PLAYOUT_STREAM]
    if action < 0 or action >= state.num_actions:
        return SAMPLE_OUT_OF_RANGE, counter, action
    return DONE, counter, action


@text
def play_out_uniformly(search, state, depth):
    """Play uniformly random moves to the end."""
    status = state.play_randomly(search.actions, search.streams)
    if status != DONE:
        return status
    state.write_returns(search.returns)
    return search.accept(search, depth, False)


@text
def play_out_as_chosen(search, state, depth):
    """Play moves that the rules choose to the end."""
    status = state.play_choices(search.streams)
    if status != DONE:
        return status
    state.write_returns(search.returns)
    return search.accept(search, depth, False)


@kernel
def play_for_rewards(state, actions, streams, returns, paid, decisions):
    """Play uniformly random moves of a game that pays on the way, until it is over; returns a status.

    state, streams, actions : as in `play_randomly`, which plays the same moves.   returns : float64 [P],
    becomes the sum of the rewards; those after the first decision are discounted.   paid : float64 [P],
    scratch.   decisions : most that are played; negative: no limit.
    """
    counter = streams[PLAYOUT_STREAM]
    status = DONE
    moves = 0
    weight = 1.0
    returns[:] = 0.0
    following = mixed(advanced(counter))
    later = mixed(advanced(advanced(counter)))
    while not state.is_terminal():
        if asked(END_GAME):
            status = HALTED
            break
        bits = following
        action = np.int64(NO_ACTION)
        if state.has_chance and state.current_player() == CHANCE:
            counter = advanced(counter)
            action = state.draw_outcome(share_of(bits))
            if action < 0 or action >= state.num_outcomes:
                status = BAD_OUTCOME
                break
        else:
            if decisions == 0:
                break
            decisions -= 1
            if moves > 0:
                weight *= state.discount
            if state.samples_actions:
                status, counter, action = sampled(state, streams, counter)
                if status != DONE:
                    break
                later = mixed(advanced(counter))
            else:
                if state.lists_few:
                    count, action = state.draw_from_few(bits)
                else:
                    count = state.fill_legal_actions(actions)
                if count < 1:
                    status = NO_LEGAL_ACTION
                    break
                if count > actions.size:
                    status = TOO_MANY_ACTIONS
                    break
                counter = advanced(counter)
                if not state.lists_few:
                    action = np.int64(actions[below_of(bits, count)])
        if moves >= state.max_game_length:
            status = NEVER_ENDS
            break
        following = later
        later = mixed(advanced(advanced(counter)))
        state.apply_for_rewards(action, paid, 0)
        for player in range(returns.size):
            returns[player] += weight * paid[player]
        moves += 1
    streams[PLAYOUT_STREAM] = counter
    streams[MOVES] += np.uint64(moves)
    return status


@kernel
def play_simulator(state, actions, streams, returns, paid, decisions):
    """The same for rules that draw what actions lead to, for one player, without nodes of chance.

    The rules have the playouts' stream to themselves, and moves are drawn from that of selection, so that
    they can be mixed ahead.   state : the one behind it may be modified, too.
    """
    state = on_stack(state, state.at(1))
    counter = streams[SELECT_STREAM]
    status = DONE
    moves = 0
    weight = 1.0
    total = 0.0
    random = state.draws_from(streams)
    following = mixed(advanced(counter))
    later = mixed(advanced(advanced(counter)))
    while not state.is_terminal() and decisions != 0:
        if asked(END_GAME):
            status = HALTED
            break
        decisions -= 1
        count = state.fill_legal_actions(actions)
        if count < 1:
            status = NO_LEGAL_ACTION
            break
        if count > actions.size:
            status = TOO_MANY_ACTIONS
            break
        if moves >= state.max_game_length:
            status = NEVER_ENDS
            break
        action = np.int64(actions[below_of(following, count)])
        counter = advanced(counter)
        following = later
        later = mixed(advanced(advanced(counter)))
        if action < 0 or action >= state.num_actions:
            status = ACTION_OUT_OF_RANGE
            break
        state.apply_randomly_for_rewards(action, random, paid, 0)
        total += weight * paid[0]
        weight *= state.discount
        moves += 1
    returns[0] = total
    streams[SELECT_STREAM] = counter
    streams[MOVES] += np.uint64(moves)
    return status


@text
def play_out_in_simulator(search, state, depth):
    """Play uniformly random moves of a simulator to the end or the horizon, and add up the rewards."""
    status = state.play_simulator(search.actions, search.streams, search.returns, search.paid, search.left[0])
    if status != DONE:
        return status
    return search.accept(search, depth, False)


@text
def play_out_for_rewards(search, state, depth):
    """Play uniformly random moves to the end or the horizon, and add up the rewards."""
    status = state.play_for_rewards(
        search.actions, search.streams, search.returns, search.paid, search.left[0]
    )
    if status != DONE:
        return status
    return search.accept(search, depth, False)


@text
def play_out_by_moves(search, state, depth):
    """Play moves one by one (`search.play_move`) to the end, to the horizon or until they are cut off."""
    moves = 0
    weight = 1.0
    left = np.int64(-1)
    if search.pays:
        left = search.begin_sum(search)
    while not state.is_terminal():
        player = state.current_player()
        if search.draws_chance and player == CHANCE:
            if state.is_to_be_left():
                return HALTED
            outcome = search.draw_chance(search, state)
            if outcome < 0 or outcome >= search.num_outcomes:
                return BAD_OUTCOME
            if moves >= state.max_game_length:
                return NEVER_ENDS
            search.note_outcome(search, depth + moves, outcome)
            search.apply(search, state, outcome)
            if search.pays:
                search.add_to_sum(search, weight)
            moves += 1
            continue
        if search.pays:
            if left == 0:
                break
            left -= 1
            if moves > 0:
                weight *= search.discount
        if search.cuts_off and moves >= search.cutoff:
            search.streams[MOVES] += np.uint64(moves)
            if search.pays:
                state.write_evaluation(search.paid)
                search.add_to_sum(search, weight)
            else:
                state.write_evaluation(search.returns)
            return search.accept(search, depth, True)
        if state.is_to_be_left():
            return HALTED
        if moves >= state.max_game_length:
            return NEVER_ENDS
        status = search.play_move(search, state, player, depth + moves)
        if status != DONE:
            return status
        if search.pays:
            search.add_to_sum(search, weight)
        moves += 1
    search.streams[MOVES] += np.uint64(moves)
    if not search.pays:
        state.write_returns(search.returns)
    return search.accept(search, depth, False)


@text
def play_by_policy(search, state, player, place):
    """Play a move that the search's policy chooses, number `place` of the simulation; returns a status.

    Moves that win at once, or that keep the next player from it, come first (`search.urgent_move`).
    """
    count = np.int64(1)
    is_listed = search.lists_moves
    if not state.tells_legality:
        is_listed = True
    if is_listed:
        count = state.fill_legal_actions(search.actions)
        if count < 1:
            return NO_LEGAL_ACTION
        if count > search.actions.size:
            return TOO_MANY_ACTIONS
    if player < 0 or player >= search.num_players:
        return PLAYER_OUT_OF_RANGE
    action = search.urgent_move(search, state, player, count)
    if action == NO_ACTION:
        action = search.choose_move(search, state, player, count, place)
    if action == NOT_LISTED:
        return ILLEGAL_PLAYOUT_ACTION
    if action < 0 or action >= search.num_actions:
        return ACTION_OUT_OF_RANGE
    search.note_move(search, place, player, action)
    search.apply(search, state, action)
    return DONE


@phase()
def begin_sum(search):
    """Set search.returns to 0, to add rewards; returns how many decisions are left before the horizon."""
    search.returns[:] = 0.0
    return search.left[0]


@phase(float64)
def add_to_sum(search, weight):
    """Add `weight` times search.paid to search.returns."""
    for player in range(search.num_players):
        search.returns[player] += weight * search.paid[player]


@text
def draw_listed(search, state):
    """Return an outcome of chance, drawn by the probabilities that the rules list; -1 if there is none."""
    return state.draw_outcome(search.draw_share(search))


@text
def draw_sampled(search, state):
    """Return an outcome of chance that the rules draw."""
    return state.sample_outcome(search.randomness(search.streams))


@text
def play_out_once(search, state, depth):
    """Play one game."""
    return search.play_once(search, state, depth)


@text
def play_out_repeatedly(search, state, depth):
    """Play `search.settings.playout_policies` games, and learn from each; the outcome is their mean.

    There is room for a copy of the state three places behind it.
    """
    start = state.at(3)
    start.copy_from(state)
    search.total[:] = 0.0
    for i in range(search.playouts):
        if i > 0:
            state.copy_from(start)
        status = search.play_once(search, state, depth)
        if status != DONE:
            return status
        for player in range(search.total.size):
            search.total[player] += search.returns[player]
    for player in range(search.total.size):
        search.returns[player] = search.total[player] / search.playouts
    return DONE


# --- the outcome of a game --------------------------------------------------------------------------------


@text
def accept_all(search, depth, evaluated):
    """Take the outcome in search.returns as it is: `back_up` checks it; returns a status."""
    return DONE


@phase(int64, boolean)
def accept(search, depth, evaluated):
    """Check the outcome in search.returns, and learn from the simulation's moves; returns a status.

    evaluated : whether it is the game's evaluation.
    """
    status = check_bounds(search, EVALUATION_OUT_OF_BOUNDS if evaluated else RETURN_OUT_OF_BOUNDS)
    if status == DONE:
        if search.is_paranoid:
            oppose(search)
        search.learn(search, depth)
    return status


@kernel
def check_bounds(search, fault):
    """Return DONE, or `fault` unless all of search.returns are numbers within the game's bounds."""
    for player in range(search.returns.size):
        if search.pays and not math.isfinite(search.returns[player]):
            return REWARD_IS_NO_NUMBER
        if search.pays and search.is_paranoid and player != search.viewer:
            continue  # the opposite of what the bounds are for
        if not (search.min_return <= search.returns[player] <= search.max_return):
            return fault
    return DONE


# --- which move comes next --------------------------------------------------------------------------------


@text
def choose_uniformly(search, state, player, count, place):
    """Return a uniformly random one of search.actions[:count]."""
    return state.listed(search.actions, search.draw(search, count))


@text
def choose_by_policy(search, state, player, count, place):
    """Return the policy's move among search.actions[:count], or a uniformly random one."""
    if not search.is_uniform(search):
        action = search.preferred_move(search, player, count, place)
        if action != NO_ACTION:
            return action
    return state.listed(search.actions, search.draw(search, count))


@text
def choose_by_rules(search, state, player, count, place):
    """Return the choice of the game's `playout_action`, or NOT_LISTED if it is not legal.

    Where the rules tell whether an action is legal, no list of all is made unless something else needs it.
    """
    if search.is_uniform(search):
        return state.listed(search.actions, search.draw(search, count))
    action = state.playout_action(search.randomness(search.streams))
    if state.tells_legality:
        if action < 0 or action >= search.num_actions:
            return NOT_LISTED
        return action if state.is_legal(action) else NOT_LISTED
    return action if state.lists(search.actions, count, action) else NOT_LISTED


@text
def is_never_uniform(search):
    """The same where `epsilon` is 0."""
    return False


@phase()
def is_uniform(search):
    """Whether this move is one of those, a share of `epsilon`, that are drawn uniformly."""
    return draw_share(next_counter(search.streams, PLAYOUT_STREAM)) < search.epsilon


@phase(int64)
def draw(search, bound):
    """Return a number from 0 to bound - 1, int64, drawn from the playouts' stream."""
    return draw_below(next_counter(search.streams, PLAYOUT_STREAM), bound)


# --- moves that cannot wait -------------------------------------------------------------------------------


@text
def no_urgent_move(search, state, player, count):
    """Look for none."""
    return NO_ACTION


@text
def decisive_move(search, state, player, count):
    """Return a move that wins at once, the first of search.actions[:count], or NO_ACTION.

    Teytaud, Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree search algorithms", 2010.
    The state behind `state` and search.returns are modified.
    """
    return search.winning_move(search, state, player, search.actions, count)


@text
def winning_move(search, state, player, actions, count):
    """Return the first of actions[:count] by which `player` wins at once, or NO_ACTION."""
    trial = state.at(1)
    for i in range(count):
        action = state.listed(actions, i)
        trial.copy_from(state)
        trial.apply_action(action)
        if trial.is_terminal():
            trial.write_returns(search.returns)
            if search.returns[player] >= search.max_return:
                search.streams[MOVES] += np.uint64(i + 1)
                return action
    search.streams[MOVES] += np.uint64(count)
    return NO_ACTION


@text
def anti_decisive_move(search, state, player, count):
    """Return a move that wins at once; else a random one of those that do not let the next player do so.

    NO_ACTION where all moves, or none, let them: same source. The two states behind `state`,
    search.others and search.returns are modified; search.actions[:count] is put in another order.
    """
    actions = search.actions
    winning = search.winning_move(search, state, player, actions, count)
    if winning != NO_ACTION:
        return winning
    trial = state.at(1)
    safe = 0
    for i in range(count):
        trial.copy_from(state)
        trial.apply_action(state.listed(actions, i))
        if not search.can_win_at_once(search, trial, player):
            actions[i], actions[safe] = actions[safe], actions[i]
            safe += 1
    search.streams[MOVES] += np.uint64(count)
    if safe == 0 or safe == count:
        return NO_ACTION
    return state.listed(actions, search.draw(search, safe))


@text
def can_win_at_once(search, state, player):
    """Whether it is another player's turn at `state`, and they have a winning move."""
    if state.is_terminal():
        return False
    other = state.current_player()
    if other == player or other < 0 or other >= search.num_players:
        return False
    count = min(state.fill_legal_actions(search.others), search.others.size)
    return search.winning_move(search, state, other, search.others, count) != NO_ACTION


# --- policies: which of search.actions[:count] is preferred, or NO_ACTION -----------------------------------


@phase(int64, int64, int64)
def move_by_average(search, player, count, place):
    """MAST: the move whose simulations returned most, whenever it was played; untried ones first.

    Finnsson, Bjornsson, "Simulation-based approach to general game playing", 2008; chosen greedily but
    for a share of uniform moves as by Tak, Winands, Bjornsson, 2012. Ties are broken at random.
    """
    return _move_by_mean(search, player, count, None)


@phase(int64, int64, int64)
def move_by_pairs(search, player, count, place):
    """NST: the same, averaged with how the move did just after the move before it, once that is known.

    Tak, Winands, Bjornsson, "N-grams and the last-good-reply policy applied in general game playing",
    2012, with sequences of one and two moves.
    """
    return _move_by_mean(search, player, count, search.moves[place - 1] if place > 0 else NO_ACTION)


@kernel
def _move_by_mean(search, player, count, before):
    """Return the move with the highest mean; before : the move that it answers, None if it is ignored."""
    start = search.draw(search, count)
    best = np.int64(NO_ACTION)
    best_mean = -1.0
    for i in range(count):
        action = np.int64(search.actions[(start + i) % count])
        if action < 0 or action >= search.num_actions:
            return action
        tally = search.history[slot_of(search, player, action)]
        mean = tally.value / tally.visits if tally.visits > 0 else 1.0
        if before is not None:
            pair = search.pairs[pair_of(search, player, np.int64(before), action)]
            if pair.visits >= _TRUSTED_PAIRS:
                mean = (mean + pair.value / pair.visits) / 2
        if mean > best_mean:
            best_mean = mean
            best = action
    return best


@phase(int64, int64, int64)
def move_by_reply(search, player, count, place):
    """LGRF-1: what answered the move before it in the last simulation that the player won with it.

    Baier, Drake, "The power of forgetting: improving the last-good-reply policy in Monte-Carlo Go", 2010.
    """
    if place == 0 or search.moves[place - 1] == NO_ACTION:
        return np.int64(NO_ACTION)
    reply = search.replies[slot_of(search, player, search.moves[place - 1])]
    if reply != NO_REPLY:
        for i in range(count):
            if search.actions[i] == reply:
                return np.int64(reply)
    return np.int64(NO_ACTION)
