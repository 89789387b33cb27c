"""Observing the rules of a game at one state, and in whole random games with every state checked.

Both are in one kernel, so that each rule is compiled once; the rule checker needs no other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, GREATEST_REWARD, PROBABILITY_TOLERANCE
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import DONE
from branchwise.core.machine.stop_flags import END_BATCH, END_GAME
from branchwise.core.machine.stop_requests import asked
from branchwise.core.numbers.random_streams import PLAYOUT_STREAM, advanced, draw_below, draw_share

START, SAMPLE, DRAW = -1, -2, -3  # in place of an action
FAULTY, NEXT_GAME, GOES_ON = 1, 2, 3  # besides DONE
TERMINAL, PLAYER, COUNT, GAME, MOVES, WIDEST, STATES = range(7)  # places in facts
NUM_FACTS = 7


class Sight(NamedTuple):
    """The rules' answers at a state; A is the number of distinct actions or outcomes, P that of players."""

    facts: NDArray[np.int64]  # [NUM_FACTS] TERMINAL (0 or 1), PLAYER and COUNT of legal actions; then, of
    # random games, the GAME under way, its MOVES, the WIDEST choice of actions, and STATES seen, ever
    actions: NDArray[np.int32]  # [A] legal actions, or outcomes of chance; the first COUNT of them are set
    chances: NDArray[np.float64]  # [A] probabilities of outcomes
    returns: NDArray[np.float64]  # [P] set once the game is over
    rewards: NDArray[np.float64]  # [2 P] of the action applied last, one a player; then, discounted, of all
    evaluation: NDArray[np.float64]  # [P] set until then
    stamps: NDArray[np.int64]  # [A] the last of the STATES in which an action was legal
    streams: NDArray[np.uint64]  # [NUM_STREAMS] rules draw from the playouts' stream


class Games(NamedTuple):
    """Random games, G of them; moves are drawn as by `core.simulation.playout.play_randomly`."""

    counters: NDArray[np.uint64]  # [G] where the random numbers of each game begin
    lengths: NDArray[np.int64]  # [G] moves of each game
    returns: NDArray[np.float64]  # [G, P]


@entry_kernel
def observe(state, start, action, sight, games):
    """Write the rules' answers at a state into `sight`, or play random games; returns DONE or FAULTY.

    Without games: apply `action` to `state`, legal (not checked) or START for none, and look at it; or only
    let the rules draw an outcome of chance, for SAMPLE, or an action, for DRAW, as the first of the actions.
    With games: play each from `start`, until one breaks a rule: a player, an action, a return or an
    evaluation out of range, no action or one twice, more moves than `max_game_length`, or fields that change
    although no action is applied. Fewer if this thread is asked to end.

    state, sight, games : modified in place.   start : a state of the same game.   action : int64.
    """
    facts = sight.facts
    playing = games.counters.size > 0
    counter = np.uint64(0)
    moves = 0
    weight = 1.0
    if state.samples:
        if action == SAMPLE:
            sight.actions[0] = state.sample_outcome(state.draws_from(sight.streams))
            return DONE
    if state.samples_actions:
        if action == DRAW:
            sight.actions[0] = state.sample_action(state.draws_from(sight.streams))
            return DONE
    if playing:
        facts[GAME] = 0
        facts[MOVES] = 0
        facts[WIDEST] = 0
        counter = begin_game(state, start, sight, games)
    while True:
        if moves == 0:
            weight = 1.0
            sight.rewards[:] = 0.0
        if action != START and not apply_checked(state, sight, action, weight):
            return FAULTY
        content = state.content_hash()
        over = is_over(state, sight, playing, moves)
        if not over:
            facts[PLAYER] = state.current_player()
            if state.has_chance and facts[PLAYER] == CHANCE:
                facts[COUNT] = state.fill_chance_outcomes(sight.actions, sight.chances)
            elif state.samples and facts[PLAYER] == CHANCE:
                facts[COUNT] = 0
            else:
                facts[COUNT] = state.fill_legal_actions(sight.actions)
            state.write_evaluation(sight.evaluation)
        if not playing or asked(END_GAME):
            return DONE
        facts[STATES] += 1
        status = note_state(state, sight, games, moves, over, content)
        if status == NEXT_GAME:
            counter = begin_game(state, start, sight, games)
            moves = 0
            action = np.int64(START)
            if asked(END_BATCH):
                return DONE
            continue
        if status != GOES_ON:
            return status
        count = facts[COUNT]
        by_chance = (state.has_chance or state.samples) and facts[PLAYER] == CHANCE
        distinct = state.num_outcomes if by_chance else state.num_actions
        if facts[PLAYER] >= sight.returns.size or moves >= state.max_game_length:
            return FAULTY
        if facts[PLAYER] < 0 and not by_chance:
            return FAULTY
        if state.samples:
            if by_chance:
                action = np.int64(state.sample_outcome(state.draws_from(sight.streams)))
                if action < 0 or action >= distinct or state.content_hash() != content:
                    return FAULTY
                moves += 1
                continue
        if count < 1 or count > distinct:
            return FAULTY
        for i in range(count):
            legal = sight.actions[i]
            if legal < 0 or legal >= distinct or sight.stamps[legal] == facts[STATES]:
                return FAULTY
            sight.stamps[legal] = facts[STATES]
        if state.pays and moves > 0 and not by_chance:
            weight *= state.discount
        counter = advanced(counter)
        if by_chance:
            place = _drawn(sight.chances, count, draw_share(counter))
            if place < 0:
                return FAULTY
            action = np.int64(sight.actions[place])
        else:
            facts[WIDEST] = max(facts[WIDEST], count)
            action = np.int64(sight.actions[draw_below(counter, count)])
        moves += 1


@kernel
def _drawn(chances, count, share):
    """Return the index of the outcome at cumulative probability `share`; -1 for invalid probabilities."""
    total = 0.0
    drawn = -1
    for i in range(count):
        if not chances[i] >= 0.0:
            return -1
        total += chances[i]
        share -= chances[i]
        if drawn < 0 and share < 0.0:
            drawn = i
    if abs(total - 1.0) > PROBABILITY_TOLERANCE:
        return -1
    return drawn if drawn >= 0 else count - 1


# --- for actions of all kinds -----------------------------------------------------------------------------


@kernel
def apply_checked(state, sight, action, weight):
    """Apply an action, a number or a vector, and add its rewards, with this weight, to the sums in `sight`.

    Returns whether the rewards are finite numbers.
    """
    if not state.pays:
        if state.simulates:
            state.apply_randomly(action, state.draws_from(sight.streams))
        else:
            state.apply_action(action)
        return True
    if state.simulates:
        state.apply_randomly_for_rewards(action, state.draws_from(sight.streams), sight.rewards, 0)
    else:
        state.apply_for_rewards(action, sight.rewards, 0)
    for player in range(sight.returns.size):
        sight.rewards[sight.returns.size + player] += weight * sight.rewards[player]
        if not abs(sight.rewards[player]) <= GREATEST_REWARD:
            return False
    return True


@kernel
def is_over(state, sight, playing, moves):
    """Whether the game is over, or a random game is at its horizon; if so, the returns are written."""
    over = state.is_terminal()
    sight.facts[TERMINAL] = over
    if playing and state.pays and state.horizon > 0 and moves >= state.max_game_length:
        over = True
    if over:
        state.write_returns(sight.returns)
    return over


@kernel
def note_state(state, sight, games, moves, over, content):
    """Check what the rules answered at a state of a random game, and record the game if it is over.

    content : hash of the state before they answered. Returns FAULTY, DONE after the last game, NEXT_GAME
    after another one, or GOES_ON.
    """
    sight.facts[MOVES] = moves
    if state.content_hash() != content or not is_within_bounds(state, sight, over):
        return np.int64(FAULTY)
    if not over:
        return np.int64(GOES_ON)
    return np.int64(DONE if note_end(state, sight, games, moves) else NEXT_GAME)


@kernel
def is_within_bounds(state, sight, over):
    """Whether the returns, or before the end the evaluation, are within the game's bounds."""
    numbers = sight.returns if over else sight.evaluation
    for player in range(numbers.size):
        if not (state.min_return <= numbers[player] <= state.max_return):
            return False
    return True


@kernel
def begin_game(state, start, sight, games):
    """Let the next game begin at `start`; returns the counter of its random numbers.

    The rules draw theirs from other places of the stream.
    """
    counter = games.counters[sight.facts[GAME]]
    sight.streams[PLAYOUT_STREAM] = ~counter
    state.copy_from(start)
    return counter


@kernel
def note_end(state, sight, games, moves):
    """Record a game that has ended after `moves`; returns whether it was the last."""
    game = sight.facts[GAME]
    games.lengths[game] = moves
    players = sight.returns.size
    for player in range(players):
        earned = sight.rewards[players + player] if state.pays else sight.returns[player]
        games.returns[game, player] = earned
    sight.facts[GAME] = game + 1
    return game + 1 == games.counters.size
