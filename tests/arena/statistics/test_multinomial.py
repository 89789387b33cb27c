"""The likeliest distribution under a condition, against a general optimiser."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from branchwise.arena.statistics.multinomial import likeliest_with_effect, likeliest_with_mean

PAIRS = np.linspace(0, 1, 5)
GAMES = np.linspace(0, 1, 3)
RESULTS = [
    [4, 8, 20, 12, 6],
    [365, 16618, 36229, 16974, 390],
    [1, 0.001, 30, 0.001, 9],
    [3, 5, 40],
    [7, 0.001, 2],
]


def log_likelihood(counts, probabilities):
    return float(counts @ np.log(probabilities))


def best(counts, condition, start):
    """Maximise the likelihood by a general method, from a start that need not satisfy the condition."""
    scale = counts.sum()
    found = optimize.minimize(
        lambda p: -log_likelihood(counts, p) / scale,
        start,
        jac=lambda p: -counts / p / scale,
        bounds=[(1e-12, 1)] * len(counts),
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": condition},
        ],
        options={"maxiter": 1000, "ftol": 1e-14},
        method="SLSQP",
    )
    return found.x


def effect(scores, p):
    mean = p @ scores
    return (mean - 0.5) / np.sqrt(p @ (scores - mean) ** 2)


@pytest.mark.parametrize("counts", RESULTS)
@pytest.mark.parametrize("mean", [0.2, 0.5, 0.52, 0.9])
def test_a_given_mean_is_met_as_likely_as_can_be(counts, mean):
    counts = np.array(counts, dtype=float)
    scores = np.linspace(0, 1, len(counts))
    ours = likeliest_with_mean(counts / counts.sum(), scores, mean)
    assert ours.sum() == pytest.approx(1)
    assert ours @ scores == pytest.approx(mean)
    theirs = best(counts, lambda p: p @ scores - mean, np.full(len(counts), 1 / len(counts)))
    assert log_likelihood(counts, ours) >= log_likelihood(counts, theirs) - 1e-6 * counts.sum()
    rng = np.random.default_rng(0)
    held = np.linalg.qr(np.stack([np.ones_like(scores), scores], axis=1))[0]
    for _ in range(100):  # the likelihood is concave: no step within the condition improves it
        way = rng.normal(size=len(counts)) * ours
        way -= held @ (held.T @ way)
        way *= 1e-3 * (ours / np.abs(way)).min()
        assert log_likelihood(counts, ours + way) < log_likelihood(counts, ours) + 1e-9


@pytest.mark.parametrize("counts", RESULTS)
@pytest.mark.parametrize("wanted", [-0.3, 0.0, 0.05, 0.3])
def test_a_given_effect_is_met_as_likely_as_can_be(counts, wanted):
    counts = np.array(counts, dtype=float)
    scores = np.linspace(0, 1, len(counts))
    ours = likeliest_with_effect(counts / counts.sum(), scores, 0.5, wanted)
    assert ours.sum() == pytest.approx(1)
    assert effect(scores, ours) == pytest.approx(wanted, abs=1e-8)
    starts = [np.full(len(counts), 1 / len(counts)), ours, counts / counts.sum()]
    for start in starts:
        theirs = best(counts, lambda p: effect(scores, p) - wanted, start)
        if abs(effect(scores, theirs) - wanted) < 1e-7:
            assert log_likelihood(counts, ours) >= log_likelihood(counts, theirs) - 1e-6 * counts.sum()


@given(
    st.lists(st.one_of(st.just(1e-3), st.integers(1, 10**6)), min_size=5, max_size=5),
    st.floats(0.01, 0.99),
    st.floats(-0.5, 0.5),
)
def test_conditions_are_met_whatever_was_seen(counts, mean, wanted):
    shares = np.array(counts, dtype=float) / sum(counts)
    met = likeliest_with_mean(shares, PAIRS, mean)
    assert (met > 0).all()
    assert met.sum() == pytest.approx(1, abs=1e-9)
    assert met @ PAIRS == pytest.approx(mean, abs=1e-9)
    met = likeliest_with_effect(shares, PAIRS, 0.5, wanted)
    assert met.sum() == pytest.approx(1, abs=1e-7)
    assert effect(PAIRS, met) == pytest.approx(wanted, abs=1e-6)


def test_what_satisfies_the_condition_already_is_left_as_it_is():
    shares = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    assert likeliest_with_mean(shares, PAIRS, float(shares @ PAIRS)) == pytest.approx(shares)
    assert likeliest_with_effect(shares, PAIRS, 0.5, effect(PAIRS, shares)) == pytest.approx(shares)


def test_many_at_once_are_as_each_alone():
    shares = np.random.default_rng(1).dirichlet(np.full(5, 0.4), size=50) + 1e-6
    shares /= shares.sum(-1, keepdims=True)
    means = likeliest_with_mean(shares, PAIRS, 0.53)
    effects = likeliest_with_effect(shares, PAIRS, 0.5, 0.1)
    for at, one in enumerate(shares):
        assert means[at] == pytest.approx(likeliest_with_mean(one, PAIRS, 0.53), abs=1e-12)
        assert effects[at] == pytest.approx(likeliest_with_effect(one, PAIRS, 0.5, 0.1), abs=1e-8)
    assert likeliest_with_mean(shares[:0], PAIRS, 0.53).shape == (0, 5)
