"""The likeliest distribution over given scores that has a given mean, or a given mean in standard deviations.

A generalised likelihood-ratio test compares two such distributions. Arrays may have leading dimensions, one
problem for each index.

[VdBergh-mle] Van den Bergh, "Comparing the approximations for the generalized log likelihood ratio of a
multinomial distribution", https://www.cantate.be/Fishtest/comparing_approximations.pdf, proposition 1.1.
[VdBergh-nelo] the same, "Comments on normalized Elo",
https://www.cantate.be/Fishtest/normalized_elo_practical.pdf, section 4.1. The first is empirical likelihood:
Owen, "Empirical likelihood ratio confidence intervals for a single functional", Biometrika 75, 1988.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

ROUNDS = 200
TOLERANCE = 1e-9


def likeliest_with_mean(shares: FloatArray, scores: FloatArray, mean: float) -> FloatArray:
    """Return the likeliest probabilities whose mean score is `mean`, given the observed shares.

        p_i = f_i / (1 + x (a_i - mean)),    sum_i p_i (a_i - mean) = 0

    [VdBergh-mle]. shares : [..., k], above 0, adding up to 1.   scores : [k], rising.   mean : strictly
    between the least and the greatest of them (not checked).

    >>> likeliest_with_mean(np.array([0.3, 0.7]), np.array([0.0, 1.0]), 0.5).round(3).tolist()
    [0.5, 0.5]
    """
    return _tilted(shares, np.broadcast_to(scores - mean, shares.shape))


def likeliest_with_effect(shares: FloatArray, scores: FloatArray, centre: float, effect: float) -> FloatArray:
    """Return the likeliest probabilities whose mean lies `effect` standard deviations above `centre`.

    [VdBergh-nelo]: the condition is linearised at the last estimate and the linear problem is solved, until
    the estimate no longer changes. effect : -0.9 to 0.9 (not checked). Shapes as in `likeliest_with_mean`.
    Raises `ArithmeticError` if it does not converge.

    >>> p = likeliest_with_effect(np.array([0.2, 0.3, 0.5]), np.array([0.0, 0.5, 1.0]), 0.5, 0.1)
    >>> mean = p @ [0.0, 0.5, 1.0]
    >>> round(float((mean - 0.5) / np.sqrt(p @ [0.0, 0.25, 1.0] - mean**2)), 6)
    0.1
    """
    found = np.full(shares.shape, 1.0 / len(scores))
    for _ in range(ROUNDS):
        mean = (found @ scores)[..., np.newaxis]
        deviation = np.sqrt((found * (scores - mean) ** 2).sum(-1, keepdims=True))
        slope = scores - centre - effect / 2 * (deviation + (scores - mean) ** 2 / deviation)
        before, found = found, _tilted(shares, slope)
        if np.abs(found - before).max(initial=0.0) < TOLERANCE:
            return found
    raise ArithmeticError(f"no likeliest distribution {effect} deviations above {centre} found")


def _tilted(shares: FloatArray, slopes: FloatArray) -> FloatArray:
    """Return shares / (1 + x slopes), with the x for which the mean slope is 0.

    The mean slope falls from +inf to -inf between the two x at which a denominator vanishes. x is measured
    from the nearer of these, because rounding would otherwise spoil the probabilities of scores that were
    never seen. Each step is Newton's, or half the bracket if Newton's leaves it. slopes : [..., k], with both
    signs (not checked).
    """
    least, most = slopes.min(-1, keepdims=True), slopes.max(-1, keepdims=True)
    middle = -(1.0 / least + 1.0 / most) / 2
    beyond = (shares * slopes / (1.0 + middle * slopes)).sum(-1, keepdims=True) > 0
    extreme = np.where(beyond, least, most)
    gaps = 1.0 - slopes / extreme
    low = np.where(beyond, middle + 1.0 / extreme, 0.0)
    high = np.where(beyond, 0.0, middle + 1.0 / extreme)
    unchanged = 1.0 / extreme  # where x = 0
    at = np.where((low < unchanged) & (unchanged < high), unchanged, (low + high) / 2)
    weights: FloatArray = shares
    for _ in range(ROUNDS):
        weights = shares / (gaps + at * slopes)
        value = (weights * slopes).sum(-1, keepdims=True)
        low, high = np.where(value > 0, at, low), np.where(value > 0, high, at)
        step = at + value / ((weights * slopes) ** 2 / shares).sum(-1, keepdims=True)
        within = (step >= low) & (step <= high) & (step != 0)
        step = np.where(within, step, (low + high) / 2)
        if (np.abs(step - at) <= 1e-13 * np.abs(at)).all():
            break
        at = step
    return weights
