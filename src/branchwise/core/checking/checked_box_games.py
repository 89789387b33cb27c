"""Observing rules with continuous actions, as `core.checking.checked_games` does for numbered actions.

In random games actions are drawn by the rules' `sample_action`, or uniformly from the box, with the same
random numbers as in plain Python (`boxes.sample_vector`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.checking.checked_games import (
    FAULTY,
    GAME,
    GOES_ON,
    MOVES,
    NEXT_GAME,
    PLAYER,
    SAMPLE,
    START,
    apply_checked,
    begin_game,
    is_over,
    note_state,
)
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import DONE
from branchwise.core.machine.stop_flags import END_BATCH, END_GAME
from branchwise.core.machine.stop_requests import asked
from branchwise.core.numbers.random_streams import PLAYOUT_STREAM, advanced, draw_share

GIVEN = 0  # stands for the action in `BoxSight.vector`


class BoxSight(NamedTuple):
    """The rules' answers about a state; D is the length of an action, P the number of players."""

    facts: NDArray[np.int64]  # [NUM_FACTS] as in `core.observe.Sight`
    vector: NDArray[np.float64]  # [D] the action to apply, or the one that the rules drew
    low: NDArray[np.float64]  # [D] the box; NaN where the rules give no box of this length
    high: NDArray[np.float64]  # [D]
    whole: NDArray[np.bool_]  # [D] which numbers of an action are whole
    returns: NDArray[np.float64]  # [P] set once the game is over
    rewards: NDArray[np.float64]  # [2 P] rewards of the last action, one per player; then the discounted sums
    evaluation: NDArray[np.float64]  # [P] set until the game is over
    streams: NDArray[np.uint64]  # [NUM_STREAMS] rules draw from the playouts' stream


@entry_kernel
def observe_in_box(state, start, action, sight, games):
    """Write the rules' answers about a state into `sight`, or play random games; returns DONE or FAULTY.

    Without games: GIVEN applies the action in sight.vector to `state` and records the result, START records
    the state as it is, and SAMPLE only lets the rules draw an action. With games: play each from `start`,
    until one breaks a rule: a player, a box, an action, a return or an evaluation out of range, more moves
    than `max_game_length`, or fields that change although no action is applied. Plays fewer games if this
    thread is asked to end.

    state, sight, games : modified in place.   start : a state of the same game.   action : int64.
    """
    facts = sight.facts
    playing = games.counters.size > 0
    counter = np.uint64(0)
    moves = 0
    weight = 1.0
    if state.draws_actions:
        if action == SAMPLE:
            state.draw_action(state.draws_from(sight.streams), sight.vector)
            return DONE
    if playing:
        facts[GAME] = 0
        facts[MOVES] = 0
        counter = begin_game(state, start, sight, games)
    while True:
        if moves == 0:
            weight = 1.0
            sight.rewards[:] = 0.0
        if action != START and not apply_checked(state, sight, sight.vector, weight):
            return FAULTY
        content = state.content_hash()
        over = is_over(state, sight, playing, moves)
        if not over:
            facts[PLAYER] = state.current_player()
            state.write_box(sight.low, sight.high)
            state.write_evaluation(sight.evaluation)
        if not playing or asked(END_GAME):
            return DONE
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
        if not 0 <= facts[PLAYER] < sight.returns.size or moves >= state.max_game_length:
            return FAULTY
        if not _is_box(sight):
            return FAULTY
        if state.pays and moves > 0:
            weight *= state.discount
        if state.draws_actions:
            apart = sight.streams[PLAYOUT_STREAM]
            sight.streams[PLAYOUT_STREAM] = counter
            state.draw_action(state.draws_from(sight.streams), sight.vector)
            counter = sight.streams[PLAYOUT_STREAM]
            sight.streams[PLAYOUT_STREAM] = apart
            if state.content_hash() != content or not _is_inside(sight):
                return FAULTY
        else:
            for i in range(sight.vector.size):
                counter = advanced(counter)
                side = sight.high[i] - sight.low[i]
                if sight.whole[i]:
                    number = np.floor(sight.low[i] + (side + 1.0) * draw_share(counter))
                else:
                    number = sight.low[i] + side * draw_share(counter)
                sight.vector[i] = min(number, sight.high[i])
        action = np.int64(GIVEN)
        moves += 1


@kernel
def _is_box(sight):
    """Whether the bounds in `sight` are finite, and no lower bound exceeds its upper bound."""
    for i in range(sight.low.size):
        low, high = sight.low[i], sight.high[i]
        if not (low <= high and math.isfinite(low) and math.isfinite(high)):
            return False
        if sight.whole[i] and not (np.floor(low) == low and np.floor(high) == high):
            return False
    return True


@kernel
def _is_inside(sight):
    """Whether the vector in `sight` is in the box there, with whole numbers as required."""
    for i in range(sight.low.size):
        number = sight.vector[i]
        if not sight.low[i] <= number <= sight.high[i]:
            return False
        if sight.whole[i] and np.floor(number) != number:
            return False
    return True
