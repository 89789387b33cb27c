"""Parts of selection: inverses of visits, and which of two children leads."""

import math
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from branchwise.core.interpret import interpreted
from branchwise.core.simulation.select import inverse, leading


@numba.njit
def inverses(numbers, found):
    for place in range(numbers.size):
        found[place] = inverse(numbers[place])


def test_inverses_are_those_of_a_division_in_32_bits():
    numbers = np.array([*range(1, 5000), 2**24 + 1, 2**31 - 1], np.int32)
    found = np.zeros(numbers.size, np.float32)
    inverses(numbers, found)
    assert found.tolist() == (np.float32(1.0) / numbers.astype(np.float32)).tolist()


def test_without_visits_the_inverse_is_infinite():
    found = np.zeros(1, np.float32)
    inverses(np.array([0], np.int32), found)
    assert found[0] == math.inf


@pytest.mark.parametrize("num_actions", [2, 3, 4, 81])
@pytest.mark.parametrize("scores", [(1, 2, 0), (2, 2, 1), (-math.inf, -3, -3), (0.5, math.inf, math.inf)])
def test_the_first_of_the_children_with_the_highest_score_leads(num_actions, scores):
    search = SimpleNamespace(num_actions=num_actions)
    best, best_score = 0, np.float32(-math.inf)
    for child, score in enumerate(np.float32(scores)):
        best, best_score = interpreted(leading)(search, best, best_score, child, score)
    assert (best, best_score) == (scores.index(max(scores)), max(scores))
