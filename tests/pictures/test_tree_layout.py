"""Boxes of a tidy tree: no overlap, children in order, parents centred over them, no wasted space."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.pictures.tree.layout import tidy
from support.trees import shapes

ROUNDING = 1e-9


def generations(children):
    """Yield the boxes of each generation in the order of their parents."""
    level = [0]
    while level:
        yield level
        level = [child for box in level for child in children[box]]


@given(shapes(), st.data())
def test_boxes_of_a_generation_keep_their_order_and_their_gap(children, data):
    size = st.floats(1, 40, allow_nan=False)
    sizes = data.draw(st.lists(size, min_size=len(children), max_size=len(children)))
    middles = tidy(children, sizes, gap=3.0)
    for level in generations(children):
        for one, other in pairwise(level):
            apart = (middles[other] - sizes[other] / 2) - (middles[one] + sizes[one] / 2)
            assert apart >= 3.0 - ROUNDING


@given(shapes())
def test_parents_are_midway_between_their_first_and_last_child(children):
    middles = tidy(children, [2.0] * len(children), gap=1.0)
    for box, below in enumerate(children):
        if below:
            assert middles[box] == pytest.approx((middles[below[0]] + middles[below[-1]]) / 2, abs=1e-9)


def test_hanging_boxes_leave_a_line_straight():
    middles = tidy([[1, 2], [3, 4], [], [], []], [4.0, 4.0, 1.0, 4.0, 1.0], gap=1.0, hanging={2, 4})
    assert [middles[box] for box in (0, 1, 3)] == [0.0, 0.0, 0.0]
    assert middles[2] == middles[4] == 3.5
    assert tidy([[1], []], [1.0, 1.0], gap=1.0, hanging={1}) == [0.0, 0.0]


@given(shapes())
def test_the_same_subtree_is_drawn_alike_wherever_it_is(children):
    twice = [
        [1, 1 + len(children)],
        *([1 + child for child in below] for below in children),
        *([1 + len(children) + child for child in below] for below in children),
    ]
    middles = tidy(twice, [2.0] * len(twice), gap=1.0)
    first, second = middles[1 : 1 + len(children)], middles[1 + len(children) :]
    way = second[0] - first[0]
    assert second == pytest.approx([y + way for y in first], abs=1e-9)


def test_subtrees_of_different_depth_are_packed_as_closely_as_their_outlines_allow():
    """A leaf between two deep subtrees does not push their grandchildren apart."""
    middles = tidy([[1, 2], [3], [4], [5, 6], [], [], []], [1.0] * 7, gap=0.0)
    assert middles[2] - middles[1] == 1.0


def test_a_line_of_a_hundred_thousand_boxes_is_straight():
    count = 100_000
    assert set(tidy([[i + 1] for i in range(count)] + [[]], [1.0] * (count + 1), gap=1.0)) == {0.0}
