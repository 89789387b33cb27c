"""The measure of what shared dice gain."""

import importlib
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCORES = np.random.default_rng(1).integers(0, 2, (4000, 2)).astype(float)


@pytest.fixture(scope="module")
def shared_dice():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("shared_dice")


def test_the_ratio_is_one_for_independent_games_and_nothing_where_luck_cancels(shared_dice):
    assert shared_dice.ratio(SCORES) == pytest.approx(1.0, abs=0.05)
    cancelled = np.stack([SCORES[:, 0], 1 - SCORES[:, 0]], axis=1)
    assert shared_dice.ratio(cancelled) == pytest.approx(0.0, abs=1e-12)
    doubled = np.stack([SCORES[:, 0], SCORES[:, 0]], axis=1)
    assert shared_dice.ratio(doubled) == pytest.approx(2.0)


def test_the_interval_encloses_the_ratio(shared_dice):
    found = shared_dice.estimated(SCORES[:400], seed=2)
    assert found.low < found.value < found.high
    assert found.low < 1.0 < found.high
    assert found.high - found.low < 0.4
