"""The exponential function of NRPA's weights."""

import math

import numpy as np
import pytest

from branchwise.core.interpret import interpreted
from branchwise.core.lines.nrpa_policy import exponential


@pytest.mark.parametrize("x", [0.0, 1e-9, -0.3, 0.35, 1.0, -17.25, 99.5, 459.9, -460.0])
def test_the_exponential_of_a_change(x):
    assert interpreted(exponential)(np.float64(x)) == pytest.approx(math.exp(x), rel=1e-15)


@pytest.mark.parametrize(
    ("x", "clipped"), [(1e6, 460.0), (math.inf, 460.0), (-1e6, -460.0), (math.nan, -460.0)]
)
def test_what_is_too_large_or_no_number_is_clipped(x, clipped):
    assert interpreted(exponential)(np.float64(x)) == pytest.approx(math.exp(clipped), rel=1e-15)
