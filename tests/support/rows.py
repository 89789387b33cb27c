"""Rows of parametrised tests that only `make test-slow` runs."""

import pytest


def slow(*values):
    """Return a row for the slow tests.

    Most are here because they compile something for themselves: settings one by one where the other rows have
    them together, or other games where the kernels are the same. What only takes long is in `slow_tests.txt`.
    """
    return pytest.param(*values, marks=pytest.mark.slow)


def bounded(*values):
    """Return a row that `make test-bounds` runs, too: one for each path through the kernels."""
    return pytest.param(*values, marks=pytest.mark.bounds)
