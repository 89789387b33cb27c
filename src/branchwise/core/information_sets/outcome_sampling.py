"""Outcome sampling: counterfactual regret minimisation by sampled games, online and targeted.

A simulation plays one game from the start. It updates regrets of one player, in turn, and the average
strategy of the other, at all information sets on its way. Each of these numbers is divided by the
probability with which the simulation came there, so its expectation is that of a walk over all games,
however games are sampled.

A share of the simulations is targeted: they follow routes to what one player knows now. Both kinds count as
one way of sampling with mixed probabilities. Baselines are estimates of action values that lower the
variance; they do not change expectations.

Sources: Lanctot, Waugh, Zinkevich, Bowling, "Monte Carlo sampling for regret minimization in extensive
games", 2009; Lisy, Lanctot, Bowling, "Online Monte Carlo counterfactual regret minimization for search in
imperfect information games", 2015; Schmid, Burch, Lanctot, Moravcik, Kadlec, Bowling, "Variance reduction
in Monte Carlo counterfactual regret minimization (VR-MCCFR) for extensive form games using baselines",
2019.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, PROBABILITY_TOLERANCE
from branchwise.core.information_sets.consistent_histories import ENDS, NONE
from branchwise.core.information_sets.information_keys import learn, look, watch
from branchwise.core.information_sets.regret_table import (
    ACTIONS_DIFFER,
    DEPTH,
    FULL,
    GROWS,
    NO_ROOM,
    SIMULATIONS,
    draw_move,
    enter,
    find,
    has_room,
    list_moves,
    note_move,
    play_to_end,
)
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import (
    BAD_OUTCOME,
    BAD_PROBABILITY,
    DONE,
    NEVER_ENDS,
    NOT_CONSTANT_SUM,
)
from branchwise.core.machine.states_on_stack import on_stack
from branchwise.core.machine.stop_flags import END_BATCH
from branchwise.core.machine.stop_requests import asked
from branchwise.core.numbers.random_streams import (
    OUTCOME_STREAM,
    SELECT_STREAM,
    draw_share,
    next_counter,
)

REGRET, STRATEGY, BASELINE = range(3)
"""Columns of `InformationSets.numbers`: counterfactual regret; sum of weighted strategies; estimate of player
0's value after the action."""
NUM_COLUMNS = 3

EXPLORATION, TARGETING, BASELINE_STEP, SUM = range(4)
"""Places in `Sampling.options`: share of uniform choices of the player whose regrets are updated; share of
targeted simulations; step by which baselines move to what was sampled, 0 for none; the sum of both players'
returns."""
NUM_OPTIONS = 4
_ROUNDING = 1e-9


class Sampling(NamedTuple):
    """What outcome sampling needs besides the table and the path; L levels, A distinct actions."""

    options: NDArray[np.float64]  # [NUM_OPTIONS]
    strategy: NDArray[np.float64]  # [L, A] strategy of the information set of each level
    reach: NDArray[
        np.float64
    ]  # [L] others' probability of coming to the level, divided by that of sampling it
    ratio: NDArray[np.float64]  # [L] 1 / probability with which the move was sampled there
    chance: NDArray[np.float64]  # [L] probability of the outcome, of chance


@entry_kernel
def sample_outcomes(state, sets, path, routes, sampling, count):
    """Run `count` simulations; returns DONE, NO_ROOM or a fault.

    It runs fewer if this thread is asked to end.   state : the start of the game, followed by room for one.
    All others are modified in place.
    """
    look(state, path.sight)
    for player in range(path.known.size):
        path.known[player] = path.sight.known[player]
        path.views[player] = path.sight.views[player]
    facts = sets.facts
    until = facts[SIMULATIONS] + count
    while facts[SIMULATIONS] < until and not asked(END_BATCH):
        if facts[GROWS] == 1 and not has_room(sets, path):
            return NO_ROOM
        facts[DEPTH] = 0
        status = _simulate(state, sets, path, routes, sampling)
        if status != DONE:
            return status
        facts[SIMULATIONS] += 1
    return DONE


@kernel
def _simulate(state, sets, path, routes, sampling):
    """Play one game and update the information sets on its way; returns a status."""
    here = on_stack(state, state.at(1))
    here.copy_from(state)
    sight, facts, options = path.sight, sets.facts, sampling.options
    for player in range(sight.known.size):
        sight.known[player] = path.known[player]
        sight.views[player] = path.views[player]
    updated = facts[SIMULATIONS] % 2
    share, route = 0.0, np.int64(NONE)
    targeted = False
    if routes.facts[ENDS] > 0 and routes.children[0] != NONE:
        share, route = options[TARGETING], np.int64(0)
        targeted = draw_share(next_counter(path.streams, SELECT_STREAM)) < share
    aimed, plain, others = 1.0, 1.0, 1.0  # probabilities of sampling what was played, and the others' of it
    known_on = True
    while not here.is_terminal():
        depth = facts[DEPTH]
        if depth >= path.sets.size:
            return NEVER_ENDS
        player = here.current_player()
        number = np.int64(NONE)
        stream = SELECT_STREAM
        if state.has_chance and player == CHANCE:
            stream = OUTCOME_STREAM
            count = here.fill_chance_outcomes(path.moves, path.odds)
            status = _check_odds(path, count)
            if status != DONE:
                return status
        else:
            count = list_moves(here, player, path)
            if count < 0:
                return -count
            number = find(sets, sight.known[player])
            if number < 0:
                if not has_room(sets, path):
                    facts[FULL] = 1
                    break
                number = enter(sets, sight.known[player], count)
                known_on = False
            elif sets.counts[number] != count:
                return ACTIONS_DIFFER
            _match_regrets(sets, sampling, number, depth)
            explored = options[EXPLORATION] if player == updated else 0.0
            for place in range(count):
                path.odds[place] = explored / count + (1.0 - explored) * sampling.strategy[depth, place]
        before = share * aimed + (1.0 - share) * plain
        chosen, followed, aim = _draw(path, routes, stream, count, route, targeted)
        odds = path.odds[chosen]
        plain *= odds
        aimed *= aim if route != NONE else odds
        sampling.reach[depth] = others / before
        sampling.ratio[depth] = before / (share * aimed + (1.0 - share) * plain)
        if number == NONE:
            sampling.chance[depth] = odds
            others *= odds
        elif player != updated:
            others *= sampling.strategy[depth, chosen]
        route = followed
        action = np.int64(path.moves[chosen])
        note_move(sets, path, number, player, chosen, action)
        watch(here, sight, player, action)
        here.apply_action(action)
        if not known_on or here.is_terminal():
            break
        learn(here, sight, player, action)
    status = play_to_end(here, path)
    if status != DONE:
        return status
    if not abs(path.returns[0] + path.returns[1] - options[SUM]) <= _ROUNDING:
        return NOT_CONSTANT_SUM
    _back_up(sets, path, sampling, updated)
    return DONE


@kernel
def _check_odds(path, count):
    """Scale the probabilities of outcomes to add up to 1; returns a status."""
    if count < 1 or count > path.moves.size:
        return BAD_OUTCOME
    total = 0.0
    for place in range(count):
        if not path.odds[place] >= 0.0:
            return BAD_PROBABILITY
        total += path.odds[place]
    if not abs(total - 1.0) <= PROBABILITY_TOLERANCE:
        return BAD_PROBABILITY
    for place in range(count):
        path.odds[place] /= total
    return DONE


@kernel
def _match_regrets(sets, sampling, number, depth):
    """Write the strategy of an information set: in proportion to regrets above 0, or uniform without any."""
    first, count = sets.first[number], sets.counts[number]
    total = 0.0
    for place in range(count):
        total += max(sets.numbers[first + place, REGRET], 0.0)
    for place in range(count):
        if total > 0.0:
            sampling.strategy[depth, place] = max(sets.numbers[first + place, REGRET], 0.0) / total
        else:
            sampling.strategy[depth, place] = 1.0 / count


@kernel
def _draw(path, routes, stream, count, route, targeted):
    """Draw a move by path.odds, which add up to 1, along the routes if `targeted`.

    route : node of the routes, or NONE.   Returns the place of the move, the node of the routes after it, and
    the probability with which a targeted simulation chooses it.
    """
    if route == NONE:
        return draw_move(path, stream, 1.0, count), np.int64(NONE), 0.0
    total, fitting = 0.0, 0
    child = np.int64(routes.children[route])
    while child != NONE:
        total += path.odds[routes.places[child]]
        fitting += 1
        child = np.int64(routes.siblings[child])
    chosen = np.int64(NONE)
    if targeted:
        counter = next_counter(path.streams, stream)
        left = draw_share(counter) * (total if total > 0.0 else np.float64(fitting))
        child = np.int64(routes.children[route])
        while child != NONE:
            weight = path.odds[routes.places[child]] if total > 0.0 else 1.0
            if weight > 0.0:
                chosen = np.int64(routes.places[child])
                left -= weight
                if left < 0.0:
                    break
            child = np.int64(routes.siblings[child])
    else:
        chosen = draw_move(path, stream, 1.0, count)
    child = np.int64(routes.children[route])
    while child != NONE and routes.places[child] != chosen:
        child = np.int64(routes.siblings[child])
    if child == NONE:
        return chosen, np.int64(NONE), 0.0
    aim = path.odds[chosen] / total if total > 0.0 else 1.0 / fitting
    if routes.children[child] == NONE:
        child = np.int64(NONE)  # the player knows there what is known now
    return chosen, child, aim


@kernel
def _back_up(sets, path, sampling, updated):
    """Update the information sets on the path, from the last to the first."""
    options, numbers = sampling.options, sets.numbers
    step = options[BASELINE_STEP]
    value = path.returns[updated]
    for depth in range(sets.facts[DEPTH] - 1, -1, -1):
        number = np.int64(path.sets[depth])
        ratio = sampling.ratio[depth]
        if number == NONE:
            value *= sampling.chance[depth] * ratio
            continue
        first, count, chosen = sets.first[number], sets.counts[number], path.places[depth]
        reach = sampling.reach[depth]
        strategy = sampling.strategy[depth]
        sets.visits[number] += 1
        below = value
        value = 0.0
        for place in range(count):
            estimate = _baseline(numbers[first + place, BASELINE], options, updated)
            if place == chosen:
                estimate += (below - estimate) * ratio
            value += strategy[place] * estimate
        if path.players[depth] == updated:
            for place in range(count):
                estimate = _baseline(numbers[first + place, BASELINE], options, updated)
                if place == chosen:
                    estimate += (below - estimate) * ratio
                numbers[first + place, REGRET] += reach * (estimate - value)
        else:
            for place in range(count):
                numbers[first + place, STRATEGY] += reach * strategy[place]
        if step > 0.0:
            old = numbers[first + chosen, BASELINE]
            new = below if updated == 0 else options[SUM] - below
            numbers[first + chosen, BASELINE] = old + step * (new - old)


@kernel
def _baseline(stored, options, updated):
    """Return the estimate of the updated player's value, from that of player 0."""
    return stored if updated == 0 else options[SUM] - stored
