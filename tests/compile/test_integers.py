"""`bit_count` and `bit_length` of compiled numbers are those of Python."""

import numpy as np
import pytest
from numba import njit

import branchwise.compile.language.integers  # noqa: F401 - what is tested

NUMBERS = [0, 1, -1, 2, 3, 7, -8, 255, 2**31, -(2**31), 2**62 + 5, 2**63 - 1, -(2**63)]


@njit
def count(number):
    return number.bit_count()


@njit
def length(number):
    return number.bit_length()


@pytest.mark.parametrize("number", NUMBERS)
def test_as_in_python(number):
    assert count(np.int64(number)) == number.bit_count()
    assert length(np.int64(number)) == number.bit_length()


def test_narrow_and_unsigned():
    assert count(np.int8(-128)) == (-128).bit_count()
    assert length(np.int8(-128)) == (-128).bit_length()
    assert count(np.uint64(2**64 - 1)) == 64
    assert length(np.uint64(2**63)) == 64
    assert count(np.uint8(255)) == 8
