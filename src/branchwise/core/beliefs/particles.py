"""Belief update: particles that are moved along with the real problem, and compared with what was observed.

With `observation_density` each particle is moved and weighted (sequential importance sampling); without it,
particles are drawn and moved until enough gave exactly what was observed (rejection). A particle in which the
problem is over does not fit, because the real problem goes on.

Gordon, Salmond, Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state estimation", 1993.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, GREATEST_REWARD
from branchwise.core.beliefs.belief_search import check_observation
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import (
    BAD_DENSITY,
    BAD_OUTCOME,
    DONE,
    NEVER_ENDS,
    REWARD_IS_NO_NUMBER,
)
from branchwise.core.numbers.random_streams import (
    PLAYOUT_STREAM,
    draw_by_sums,
    draw_share,
    next_counter,
)

FOUND, TRIED, OVER = range(3)
"""Places in `Filter.facts`: particles that fit, particles moved, and those of them that were over then."""
NUM_FACTS = 3


class Filter(NamedTuple):
    """Data of one update; N particles, K numbers in an observation."""

    facts: NDArray[np.int64]  # [NUM_FACTS]
    seen: NDArray[np.float64]  # [K] what was observed
    given: NDArray[np.float64]  # [MOST_NUMBERS] what a particle gave
    shares: NDArray[np.float64]  # [N] cumulative weights before
    weights: NDArray[np.float64]  # [N] weights after
    ancestors: NDArray[np.int64]  # [N] which particle each descends from
    paid: NDArray[np.float64]  # [1] scratch
    streams: NDArray[np.uint64]  # [NUM_STREAMS] rules draw from the playouts' stream


@entry_kernel
def reject(before, after, action, attempts, update):
    """Fill `after` with particles that gave what was observed; returns a status.

    before, after : arrays of states, `after` modified in place from update.facts[FOUND] on.   action : int64.
    attempts : most particles to move; fewer if all places are filled.
    """
    facts = update.facts
    for _ in range(attempts):
        if facts[FOUND] == update.weights.size:
            break
        ancestor = _drawn(update)
        particle = after.at(facts[FOUND])
        particle.copy_from(before.at(ancestor))
        status = _move(particle, action, update)
        if status != DONE:
            return status
        if particle.is_terminal():
            continue
        random = particle.draws_from(update.streams)
        count = particle.write_observation(action, random, update.given)
        status = check_observation(update.given, count)
        if status != DONE:
            return status
        if _is_seen(update, count):
            update.ancestors[facts[FOUND]] = ancestor
            update.weights[facts[FOUND]] = 1.0
            facts[FOUND] += 1
    return DONE


@entry_kernel
def weigh(before, after, action, update):
    """Move all particles, and multiply update.weights by the density of what was observed; returns a status.

    before, after : arrays of states, `after` modified in place.   action : int64.
    """
    facts = update.facts
    for place in range(update.weights.size):
        particle = after.at(place)
        particle.copy_from(before.at(place))
        update.ancestors[place] = place
        if update.weights[place] == 0.0:
            continue
        status = _move(particle, action, update)
        if status != DONE:
            return status
        density = 0.0
        if not particle.is_terminal():
            random = particle.draws_from(update.streams)
            density = particle.weigh_observation(action, random, update.seen)
            if not 0.0 <= density < np.inf:
                return BAD_DENSITY
        update.weights[place] *= density
        if update.weights[place] > 0.0:
            facts[FOUND] += 1
    return DONE


@entry_kernel
def follow(before, after, action, update):
    """Move all particles, whatever they would give; those that are over then get no weight; returns a status.

    Arguments as for `weigh`.
    """
    for place in range(update.weights.size):
        particle = after.at(place)
        particle.copy_from(before.at(place))
        update.ancestors[place] = place
        status = _move(particle, action, update)
        if status != DONE:
            return status
        if particle.is_terminal():
            update.weights[place] = 0.0
    return DONE


@entry_kernel
def jitter(particles, update):
    """Let the rules move each copy of a particle a little: all but the first that descend from the same one.

    particles : modified in place; update.ancestors is sorted.
    """
    if particles.jitters:
        for place in range(1, update.ancestors.size):
            if update.ancestors[place] == update.ancestors[place - 1]:
                particle = particles.at(place)
                particle.jitter_state(particle.draws_from(update.streams))
    return DONE


@entry_kernel
def look(state, action, given, streams):
    """Write what is observed in a state after an action to `given`, float64; returns how many numbers."""
    return state.write_observation(action, state.draws_from(streams), given)


@kernel
def _drawn(update):
    """Return a particle's number, drawn in proportion to its weight."""
    return draw_by_sums(next_counter(update.streams, PLAYOUT_STREAM), update.shares)


@kernel
def _move(state, action, update):
    """Apply an action and let chance move after it; returns a status."""
    update.facts[TRIED] += 1
    if state.pays:
        if state.simulates:
            random = state.draws_from(update.streams)
            state.apply_randomly_for_rewards(action, random, update.paid, 0)
        else:
            state.apply_for_rewards(action, update.paid, 0)
        if not abs(update.paid[0]) <= GREATEST_REWARD:
            return REWARD_IS_NO_NUMBER
    elif state.simulates:
        state.apply_randomly(action, state.draws_from(update.streams))
    else:
        state.apply_action(action)
    passed = 0
    while (state.has_chance or state.samples) and not state.is_terminal():
        if state.current_player() != CHANCE:
            break
        if passed >= state.max_game_length:
            return NEVER_ENDS
        outcome = np.int64(0)
        if state.samples:
            outcome = np.int64(state.sample_outcome(state.draws_from(update.streams)))
        else:
            outcome = np.int64(state.draw_outcome(draw_share(next_counter(update.streams, PLAYOUT_STREAM))))
        if outcome < 0 or outcome >= state.num_outcomes:
            return BAD_OUTCOME
        state.apply_action(outcome)
        passed += 1
    if state.is_terminal():
        update.facts[OVER] += 1
    return DONE


@kernel
def _is_seen(update, count):
    """Whether a particle gave what was observed, number for number."""
    if count != update.seen.size:
        return False
    for place in range(count):
        if update.given[place] != update.seen[place]:
            return False
    return True
