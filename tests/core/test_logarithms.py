"""Logarithms of visits."""

import math

import numba
import numpy as np

from branchwise.core.numbers.logarithms import log_of


@numba.njit
def logarithms(numbers, found):
    for place in range(numbers.size):
        found[place] = log_of(numbers[place])


def test_logarithms_are_those_of_the_c_library_rounded():
    near_powers = [2**power + k for power in range(13, 32) for k in (-1, 0, 1, 977)]
    numbers = np.array([*range(1, 20_000), *near_powers], np.int64)
    found = np.zeros(numbers.size, np.float32)
    logarithms(numbers, found)
    assert found.tolist() == [float(np.float32(math.log(n))) for n in numbers.tolist()]
