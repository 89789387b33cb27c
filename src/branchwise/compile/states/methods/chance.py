"""Outcomes of chance: listed with their probabilities, or drawn."""

from __future__ import annotations

import numpy as np
from numba import njit

from branchwise.core.machine.kernel import INNER


@njit(**INNER)
def _fill_chance_outcomes(self, faces, odds):
    """Write the outcomes of chance and their probabilities, if there is room; returns their number."""
    count = 0
    for outcome, probability in self.chance_outcomes():
        if count < faces.size:
            faces[count] = outcome
            odds[count] = probability
        count += 1
        if count > faces.size:
            break
    return count


@njit(**INNER)
def draw_outcome(self, share):
    """Return the outcome of chance at cumulative probability `share`, 0 to 1; -1 if there is none."""
    drawn = np.int64(-1)
    total = 0.0
    for outcome, probability in self.chance_outcomes():
        if probability > 0.0:
            drawn = np.int64(outcome)
        total += probability
        if total > share:
            break
    return drawn


@njit(**INNER)
def draw_among_few(self, share):
    """The same for short lists: always to the end, because the CPU cannot predict where a loop would stop."""
    drawn = np.int64(-1)
    total = 0.0
    for outcome, probability in self.chance_outcomes():
        if share >= total and probability > 0.0:
            drawn = np.int64(outcome)
        total += probability
    return drawn


CHANCE_METHODS = {"fill_chance_outcomes": _fill_chance_outcomes, "draw_outcome": draw_outcome}
"""Additional methods for games with chance."""
