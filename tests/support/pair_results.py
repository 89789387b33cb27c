"""Pairs of games from random openings: distributions of their results, and samples from them.

Davidson's model of one game, with an advantage of the opening that each side has once, and a skill at it that
one side has in both games. The first makes the games of a pair differ, the second makes them alike.
"""

from functools import cache

import numpy as np

POINTS = np.linspace(0.0, 1.0, 5)
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def game(ahead, draws):
    """Return the probabilities [..., 3] of loss, draw and win; draws : 2 for half of games among equals."""
    power = np.exp(np.asarray(ahead) / 2)
    worth = np.stack([1 / power, np.broadcast_to(draws, power.shape), power], axis=-1)
    return worth / worth.sum(-1, keepdims=True)


def pair(ahead, *, draws=0.0, advantage=0.0, skill=0.0):
    """Return [5, 2]: the probability of each sum of points, and of it by two draws.

    advantage, skill : standard deviations over openings, as natural logarithms of odds.
    """
    bias, more = np.meshgrid(advantage * NODES, skill * NODES)
    first, second = game(ahead + more + bias, draws), game(ahead + more - bias, draws)
    joint = np.einsum("m,n,mni,mnj->ij", WEIGHTS, WEIGHTS, first, second)
    found = np.zeros((5, 2))
    for i, j in np.ndindex(3, 3):
        found[i + j, 0] += joint[i, j]
    found[2, 1] = joint[1, 1]
    return found


@cache
def with_mean(mean, **opening):
    """Return the probabilities [5] of pairs with mean score per game `mean`, found by bisection."""
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        if pair(middle, **opening)[:, 0] @ POINTS < mean:
            low = middle
        else:
            high = middle
    return pair(middle, **opening)[:, 0]


OPENINGS = {
    "independent games": {},
    "seats decide much": {"advantage": 2.0},
    "seats decide most": {"advantage": 4.0},
    "draws": {"draws": 2.0, "advantage": 1.0},
    "mostly draws": {"draws": 8.0, "advantage": 1.0},
    "alike within pairs": {"skill": 1.5},
}
