"""Varied settings: the forms that are read, those that are refused, and the order of a grid."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwise as bw
from branchwise.arena.tuning.setting_grid import (
    Axis,
    axes_of,
    axis,
    check_placeholders,
    fill,
    grid,
    parse_vary,
)


@pytest.mark.parametrize(
    ("text", "values", "log"),
    [
        ("c=0.25:2:8", (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0), False),
        ("c=2:0.5:4", (2.0, 1.5, 1.0, 0.5), False),
        ("c=-1:1:3", (-1, 0, 1), False),
        ("c=0.1:0.5:5", (0.1, 0.2, 0.3, 0.4, 0.5), False),
        ("n=1:5:3", (1, 3, 5), False),
        ("n=100:10000:5:log", (100, 316, 1000, 3162, 10000), True),
        ("c=0.01:1:3:log", (0.01, 0.1, 1.0), True),
        ("n=100,1000,10000", (100, 1000, 10000), True),
        ("n=1,2,3,4,5,6,7,8", (1, 2, 3, 4, 5, 6, 7, 8), False),
        ("c = 0.5, 1", (0.5, 1), False),
        ("c=1e3,2e3", (1000.0, 2000.0), False),
        ("n=7", (7,), False),
        ("playout=uniform,decisive", ("uniform", "decisive"), False),
        ("s=rave(bias=0.1,k=3),ucb1,mix(a=(1,2))", ("rave(bias=0.1,k=3)", "ucb1", "mix(a=(1,2))"), False),
        ("bot=my.py:One,my.py:Two(a=3)", ("my.py:One", "my.py:Two(a=3)"), False),
    ],
)
def test_forms_that_are_read(text, values, log):
    found = parse_vary(text)
    assert found.values == values
    assert list(map(type, found.values)) == list(map(type, values))
    assert found.log == log


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0.25:2:8", 'it has no "="'),
        ("=1,2", '"" is not a name'),
        ("2c=1,2", '"2c" is not a name'),
        ("c=", "empty value"),
        ("c=1,,2", "empty value"),
        ("c=1,2,", "empty value"),
        ("c=1:2", 'cannot read "c=1:2"'),
        ("c=1:2:3:4:5", "cannot read"),
        ("c=1:2:3:lin", '"lin" is not log'),
        ("c=a:2:3", '"a" is not a number'),
        ("c=1:2:x", '"x" is not a number'),
        ("c=1:2:2.5", '"2.5" is not a number'),
        ("c=1:2:1", "the count of c = 1 is outside its range"),
        ("c=1:2:99999", "outside its range"),
        ("c=0:100:3:log", "both ends have to be above 0"),
        ("c=-1:100:3:log", "both ends have to be above 0"),
        ("c=0.5:0.5:3", "contains a value twice"),
        ("c=1:2:5", "c=1.0:2.0:5 gives fractions"),
        ("n=1:4:9:log", "contains a value twice"),
        ("c=1,1.0", "c has a value twice"),
        ("c=1,2x", '"2x" is not a number'),
        ("c=-inf:1:3", '"-inf" is not a number'),
    ],
)
def test_forms_that_are_refused(text, told):
    with pytest.raises(bw.SettingsError) as caught:
        parse_vary(text)
    assert told in str(caught.value)


@given(
    low=st.floats(0.001, 1e6),
    factor=st.floats(1.5, 1e6),
    count=st.integers(2, 40),
    log=st.booleans(),
)
def test_a_range_rises_from_end_to_end_in_equal_steps_or_ratios(low, factor, count, log):
    low, high = float(f"{low:.6g}"), float(f"{low * factor:.6g}")
    values = parse_vary(f"c={low!r}:{high!r}:{count}{':log' * log}").values
    assert len(values) == count
    assert (values[0], values[-1]) == (low, high)
    measure = math.log if log else float
    steps = [measure(b) - measure(a) for a, b in pairwise(values)]
    even = (measure(high) - measure(low)) / (count - 1)
    slack = 1e-5 * (1 if log else high)
    assert all(abs(step - even) <= slack for step in steps)


def test_values_may_be_given_in_python():
    import numpy as np

    assert axis("c", np.array([0.5, 1.0])).values == (0.5, 1.0)
    assert axis("reuse", [True, False]).values == ("true", "false")
    assert axes_of({"c": "1,2", "n": range(3)}) == (Axis("c", (1, 2)), Axis("n", (0, 1, 2)))
    assert axes_of("c=1,2") == (Axis("c", (1, 2)),)
    for bad in ([None], [math.nan], [], [[1]]):
        with pytest.raises(bw.SettingsError, match="c "):
            axis("c", bad)
    with pytest.raises(bw.SettingsError, match="c is varied twice"):
        axes_of(["c=1,2", "c=3"])


def test_the_last_axis_of_a_grid_varies_fastest():
    axes = [Axis("a", (1, 2)), Axis("b", ("x", "y")), Axis("c", (0.5,))]
    assert grid(axes) == [(1, "x", 0.5), (1, "y", 0.5), (2, "x", 0.5), (2, "y", 0.5)]
    texts = [fill("bot(a={a},b={b},c={c},d={a})", axes, values) for values in grid(axes)]
    assert texts[1] == "bot(a=1,b=y,c=0.5,d=1)"


def test_names_in_braces_and_names_that_vary_have_to_agree():
    axes = axes_of(["c=1,2", "count=3"])
    check_placeholders(["mcts(c={c})", "flat(simulations={count})"], axes)
    with pytest.raises(bw.UnknownNameError, match='no varied name "cont"; did you mean "count"'):
        check_placeholders(["mcts(c={c})", "flat(simulations={cont})"], axes)
    with pytest.raises(bw.SettingsError, match=r"count is varied, but no bot has \{count\}"):
        check_placeholders(["mcts(c={c})"], axes)
