"""Self-play: whole games within one kernel, by the same text of a simulation that searches have.

A game starts at a random position. At each position a proof is tried first; otherwise `simulations` are run
in a new tree, the best move is played, and the position becomes a sample. When the game ends, values are
passed back through it: TD(lambda) returns, where a proof replaces all that came after it.
Sources: Silver et al., 2017, as in `core.networks.training`; Danihelka, Guez, Schrittwieser, Silver, "Policy
improvement by planning with Gumbel", 2022: the policy's target of completed values; Sutton, "Learning to
predict by the methods of temporal differences", 1988.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import NO_ACTION
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import (
    DONE,
    HALTED,
    NO_LEGAL_ACTION,
    ROOT_IS_SOLVED,
    TOO_MANY_ACTIONS,
)
from branchwise.core.machine.stop_flags import END_BATCH
from branchwise.core.machine.stop_requests import asked
from branchwise.core.networks.proof_search import DEPTH, PROVEN, prove_state
from branchwise.core.numbers.random_streams import MOVES, advanced, draw_below, draw_share, mixed
from branchwise.core.tree.children import next_child, write_child
from branchwise.core.tree.node_fields import REFUSED, ROOT, USED

CURRENT, SIMULATED, PROOF = 0, 1, 6
"""Places of the states of a game: the position, the one of simulations, and the line of a proof."""
STATES = PROOF + DEPTH + 3

POSITIONS, PROVEN_POSITIONS, SIMULATIONS, TESTED, POLICY_ERRORS, VALUE_ERRORS, WORDS = range(7)
"""Places in `Report.counts`. Errors are those of the network alone, at positions with exact values."""

_RETRIES = 16
_TRY_ANYWAY = 1.0 / 16.0
_VISITS = 50.0
_LEAST_RANGE = 0.02
"""Range of gains, at least, to which completed values are stretched: smaller differences are noise."""


class Orders(NamedTuple):
    """The settings of one game."""

    counter: np.uint64  # the game's random numbers
    start: int  # random moves before the first position
    simulations: int  # per move
    proof_limit: int  # moves of a proof; 0: none
    trace: float  # lambda
    noise: float  # share of the root's priors that is random
    sharpness: float  # weight of completed values in the policy's target; 0: it is the counts of visits
    blunder: float  # loss of gain by a move from which on later values do not count
    go_on: float  # share of games that go on behind a proof
    symmetries: int  # of the game


class Report(NamedTuple):
    """What one game tells; M the most moves, A distinct actions, W words."""

    words: NDArray[np.int32]  # [W] samples: see `core.networks.training.Window`
    floats: NDArray[np.float32]  # [W] the same memory
    counts: NDArray[np.int64]  # [7] POSITIONS to WORDS
    values: NDArray[np.float64]  # [M + 1] scratch, by sample: for player 0, from -1 to 1
    tries: NDArray[np.int64]  # [M + 1] proofs tried, by moves made
    proofs: NDArray[np.int64]  # [M + 1] and found
    places: NDArray[np.int64]  # [M + 1] scratch, by sample: where it begins
    movers: NDArray[np.int64]  # [M + 1]
    ends: NDArray[np.int64]  # [M + 1] CARRIED, CUT or EXACT
    gains: NDArray[np.float64]  # [A] scratch: completed values of the root's children
    priors: NDArray[np.float64]  # [A] scratch: of the root's children, without noise
    noise: NDArray[np.float64]  # [A]

    @classmethod
    def of(cls, words: int, moves: int, num_actions: int) -> Report:
        """Allocate the memory of a thread."""
        memory = np.zeros(words, np.int32)
        of_moves = [np.zeros(moves + 1, np.int64) for _ in range(5)]
        of_actions = [np.zeros(num_actions) for _ in range(3)]
        values, counts = np.zeros(moves + 1), np.zeros(7, np.int64)
        return cls._make([memory, memory.view(np.float32), counts, values, *of_moves, *of_actions])


CARRIED, CUT, EXACT = range(3)
"""Whether a sample's value takes in what came after it."""


@entry_kernel
def play_game(search, states, initial, orders, promising, proof, report):
    """Play one game, and write its samples and counts to `report`; returns DONE or a fault.

    search : its tree and scratch are modified in place.   states : STATES of them, modified.
    initial : the state in which games begin.   promising : bool [M + 1], by moves made: whether proofs are
    found often enough.   proof : memory of proofs.
    """
    state = states.at(CURRENT)
    counter = np.uint64(orders.counter)
    for i in range(MOVES):
        search.streams[i] = mixed(counter + np.uint64(i + 1))
    proof.keys[:] = np.uint64(0)
    proof.cuts[:] = 0
    report.counts[:] = 0
    report.tries[:] = 0
    report.proofs[:] = 0
    status, made, counter = _start(state, initial, orders.start, report, proof.kept, counter)
    number = 0
    value = 0.0
    while status == DONE:
        if state.is_terminal():
            value = _final_value(state, proof)
            break
        if asked(END_BATCH):
            status = HALTED
            break
        start = report.counts[WORDS]
        room = report.words.size - start - 3 - search.net_inputs.size - 2 * search.num_actions
        if room < 0 or made >= report.tries.size:
            break  # the last position's value stands for the rest
        player = np.int64(state.current_player())
        counter = advanced(counter)
        exact = False
        if orders.proof_limit > 0 and (promising[made] or draw_share(counter) < _TRY_ANYWAY):
            exact = prove_state(_copied(states), proof, orders.proof_limit) == PROVEN
            report.tries[made] += 1
            report.proofs[made] += np.int64(exact)
        _plant(search)
        search.viewer = player
        status = search.simulate(search, state, states.at(SIMULATED))
        if status == ROOT_IS_SOLVED:
            status = DONE
        if status != DONE:
            break
        report.counts[SIMULATIONS] += 1
        counter = advanced(counter)
        turn = _turn(states, orders.symmetries, counter)
        inputs = search.fill_inputs(search, states.at(SIMULATED))
        if inputs < 0:
            status = -inputs
            break
        report.words[start + 1] = inputs
        for i in range(inputs):
            report.words[start + 2 + i] = search.net_inputs[i]
        at = start + 2 + inputs
        if exact:
            _note_errors(search, player, proof, report)
            of_search = _from_returns(state, proof.found[1])
            counter = advanced(counter)
            played = np.int64(proof.kept[draw_below(counter, np.int64(proof.found[0]))])
            _write_kept(search, report, proof, at)
            report.ends[number] = EXACT
        else:
            raw = search.evaluation[player]
            counter = _add_noise(search, orders.noise, report, counter)
            status = _simulate(search, states, orders.simulations, report)
            if status != DONE:
                break
            gain, played, end = _judge(search, orders, raw, report, at)
            of_search = 2.0 * gain - 1.0 if player == 0 else 1.0 - 2.0 * gain
            report.ends[number] = end
            exact = end == EXACT
        if states.turns:
            for i in range(report.words[at]):
                action = np.int64(report.words[at + 1 + i])
                report.words[at + 1 + i] = state.symmetry_action(turn, action)
        report.places[number] = start
        report.movers[number] = player
        report.values[number] = of_search
        report.counts[WORDS] = at + 1 + 2 * report.words[at]
        report.counts[PROVEN_POSITIONS] += np.int64(exact)
        number += 1
        value = of_search
        if exact:
            counter = advanced(counter)
            if draw_share(counter) >= orders.go_on:
                break
        state.apply_action(played)
        made += 1
    report.counts[POSITIONS] = number
    _pass_back(report, number, value, orders.trace)
    return status


@kernel
def _start(state, initial, plies, report, actions, counter):
    """Make `plies` random moves, or fewer if games end before; returns status, moves and counter."""
    for attempt in range(2 * _RETRIES):
        if attempt >= _RETRIES:
            plies //= 2
        state.copy_from(initial)
        made = 0
        while made < plies and not state.is_terminal():
            count = state.fill_legal_actions(actions)
            if count < 1:
                return NO_LEGAL_ACTION, made, counter
            if count > actions.size:
                return TOO_MANY_ACTIONS, made, counter
            counter = advanced(counter)
            state.apply_action(np.int64(actions[draw_below(counter, count)]))
            made += 1
        if not state.is_terminal():
            return DONE, made, counter
    state.copy_from(initial)
    return DONE, 0, counter


@kernel
def _turn(states, symmetries, counter):
    """Copy the position as one of the game's symmetries, drawn at random, makes it; returns the symmetry."""
    turned = states.at(SIMULATED)
    turned.copy_from(states.at(CURRENT))
    turn = np.int64(0)
    if states.turns:
        turn = draw_below(counter, symmetries)
        turned.symmetry(turn)
    return turn


@kernel
def _copied(states):
    """Return the place for a proof of the position, which is copied there."""
    position = states.at(PROOF)
    position.copy_from(states.at(CURRENT))
    return position


@kernel
def _from_returns(state, value):
    """Return a return of player 0 as a value from -1 to 1."""
    return 2.0 * (value - state.min_return) / (state.max_return - state.min_return) - 1.0


@kernel
def _final_value(state, proof):
    """Return the value for player 0, from -1 to 1, of a game that is over."""
    state.write_returns(proof.returns)
    return _from_returns(state, proof.returns[0])


@kernel
def _plant(search):
    """Make the tree a root without visits."""
    write_child(search, ROOT, NO_ACTION)
    search.counters[USED] = 1
    search.counters[REFUSED] = 0


@kernel
def _simulate(search, states, simulations, report):
    """Run simulations from the position until the root is solved; returns a status."""
    root, state = states.at(CURRENT), states.at(SIMULATED)
    for _ in range(simulations - 1):
        status = search.simulate(search, root, state)
        if status == ROOT_IS_SOLVED:
            break
        if status != DONE:
            return status
        report.counts[SIMULATIONS] += 1
    return DONE


@kernel
def _add_noise(search, share, report, counter):
    """Mix the priors of the root's children with random ones, uniform among all; returns the counter."""
    first, count = np.int64(search.nodes[ROOT].first), np.int64(search.nodes[ROOT].count)
    total = 0.0
    for i in range(count):
        counter = advanced(counter)
        report.noise[i] = -math.log(1.0 - draw_share(counter))
        total += report.noise[i]
        report.priors[i] = search.priors[first + i]
    for i in range(count):
        search.priors[first + i] = np.float32(
            (1.0 - share) * report.priors[i] + share * report.noise[i] / total
        )
    return counter


@kernel
def _judge(search, orders, raw, report, at):
    """Write the policy's target to the report; returns the root's gain, the move, and CARRIED to EXACT.

    raw : the network's value of the position, as a return of the player to move.
    """
    nodes = search.nodes
    root = nodes[ROOT]
    first, count = np.int64(root.first), np.int64(root.count)
    solved = root.lower >= root.upper
    visited = most = 0.0
    weight = mean = 0.0
    for i in range(count):
        child = nodes[first + i]
        visits = np.float64(child.visits)
        visited += visits
        most = max(most, visits)
        low, high = _gain_of(search, child.lower), _gain_of(search, child.upper)
        if visits > 0.0 or low >= high:
            mean_gain = child.value / visits if visits > 0.0 else low
            report.gains[i] = min(max(mean_gain, low), high)
            weight += report.priors[i]
            mean += report.priors[i] * report.gains[i]
        else:
            report.gains[i] = -1.0
    of_net = min(max(_gain_of(search, raw), 0.0), 1.0)
    mixed_gain = of_net if weight <= 0.0 else (of_net + visited * mean / weight) / (1.0 + visited)
    least, greatest = 1.0, 0.0
    played, played_visits, best_gain = 0, -1.0, 0.0
    for i in range(count):
        child = nodes[first + i]
        low, high = _gain_of(search, child.lower), _gain_of(search, child.upper)
        if report.gains[i] < 0.0:
            report.gains[i] = min(max(mixed_gain, low), high)
        else:
            best_gain = max(best_gain, report.gains[i])
        least, greatest = min(least, report.gains[i]), max(greatest, report.gains[i])
        # A proven win is played first, a proven loss last, otherwise what was visited most.
        merit = np.float64(child.visits) + (1e9 if low >= 1.0 else 0.0) - (1e9 if high <= 0.0 else 0.0)
        if solved:
            merit += 1e12 if child.lower >= root.lower else 0.0
        if i == 0 or merit > played_visits:
            played, played_visits = i, merit
    _write_policy(search, orders, report, at, least, max(greatest - least, _LEAST_RANGE), most)
    action = np.int64(nodes[first + played].action)
    if solved:
        return _gain_of(search, root.lower), action, EXACT
    gain = report.gains[played]
    return gain, action, CUT if gain < best_gain - orders.blunder else CARRIED


@kernel
def _write_policy(search, orders, report, at, least, span, most):
    """Write the target: priors times exponentials of completed values, or counts of visits.

    Of a solved root it is the best moves.
    """
    nodes = search.nodes
    root = nodes[ROOT]
    first, count = np.int64(root.first), np.int64(root.count)
    solved = root.lower >= root.upper
    scale = orders.sharpness * (_VISITS + most) / span
    greatest = -np.inf
    for i in range(count):
        report.noise[i] = math.log(max(report.priors[i], 1e-9)) + scale * (report.gains[i] - least)
        greatest = max(greatest, report.noise[i])
    total = 0.0
    for i in range(count):
        share = math.exp(report.noise[i] - greatest)
        if solved:
            share = 1.0 if nodes[first + i].lower >= root.lower else 0.0
        elif orders.sharpness == 0.0 and most > 0.0:
            share = np.float64(nodes[first + i].visits)
        report.noise[i] = share
        total += share
    report.words[at] = count
    child = first - 1
    for i in range(count):
        child = next_child(search, child)
        report.words[at + 1 + i] = nodes[child].action
        report.floats[at + 1 + count + i] = np.float32(report.noise[i] / total)


@kernel
def _gain_of(search, value):
    """Return a return, or bound of one, as a gain from 0 to 1."""
    return (np.float64(value) - search.min_return) / (search.max_return - search.min_return)


@kernel
def _write_kept(search, report, proof, at):
    """Write the target of a proven position: all moves that keep its value, equally."""
    nodes = search.nodes
    first, count = np.int64(nodes[ROOT].first), np.int64(nodes[ROOT].count)
    kept = np.int64(proof.found[0])
    report.words[at] = count
    for i in range(count):
        action = nodes[first + i].action
        report.words[at + 1 + i] = action
        report.floats[at + 1 + count + i] = np.float32(_is_kept(proof, kept, action) / proof.found[0])


@kernel
def _is_kept(proof, kept, action):
    for i in range(kept):
        if proof.kept[i] == action:
            return 1.0
    return 0.0


@kernel
def _note_errors(search, player, proof, report):
    """Count whether the network's first move loses value, and whether its value has the wrong sign."""
    nodes = search.nodes
    first, count = np.int64(nodes[ROOT].first), np.int64(nodes[ROOT].count)
    best = first
    for i in range(count):
        if search.priors[first + i] > search.priors[best]:
            best = first + i
    kept = np.int64(proof.found[0])
    report.counts[TESTED] += 1
    report.counts[POLICY_ERRORS] += np.int64(_is_kept(proof, kept, nodes[best].action) == 0.0)
    sign = 1.0 if player == 0 else -1.0
    middle = (search.min_return + search.max_return) / 2.0
    third = (search.max_return - search.min_return) / 6.0
    exact = sign * (proof.found[1] - middle)
    told = search.evaluation[player] - middle
    report.counts[VALUE_ERRORS] += np.int64(_sign(exact, third) != _sign(told, third))


@kernel
def _sign(value, third):
    return 1 if value > third else -1 if value < -third else 0


@kernel
def _pass_back(report, number, value, trace):
    """Write the values of all samples, each for the player to move; value : for player 0, at the end."""
    for i in range(number - 1, -1, -1):
        if report.ends[i] == CARRIED:
            value = (1.0 - trace) * report.values[i] + trace * value
        else:
            value = report.values[i]
        report.floats[report.places[i]] = np.float32(value if report.movers[i] == 0 else -value)
