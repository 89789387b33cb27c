"""The sequential test: fastchess's own test values, its bounds, and simulations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.arena.statistics.elo import NORMALIZED_UNIT, score_of_elo
from branchwise.arena.statistics.score import Score
from branchwise.arena.statistics.sprt import Sprt, Verdict
from branchwise.common.errors import SettingsError
from support.pair_results import OPENINGS, POINTS, with_mean


def counted(wins, losses, draws):
    """In the order of fastchess's `Stats`."""
    return Score.from_counts(wins=wins, draws=draws, losses=losses)


def paired(lost_twice, lost_drawn, won_lost, drawn_twice, won_drawn, won_twice):
    """In the order of fastchess's `Stats`."""
    middle = won_lost + drawn_twice
    return Score(pairs=(lost_twice, lost_drawn, middle, won_drawn, won_twice), drawn_pairs=drawn_twice)


# github.com/Disservin/fastchess, app/tests/sprt_test.cpp
FASTCHESS = [
    (counted(36433, 36027, 68692), "normalized", 0, 2, 0.92),
    (counted(10871, 10650, 20431), "normalized", -1.75, 0.25, 2.30),
    (counted(4250, 0, 0), "normalized", 0, 10, 120.56),
    (counted(21404, 21184, 40708), "logistic", 0.5, 2.5, -1.57),
    (counted(57433, 57030, 106593), "logistic", 0, 2, -2.59),
    (paired(365, 16618, 36029, 200, 16974, 390), "normalized", 0, 2, 2.25),
    (paired(127, 4883, 10311, 401, 5150, 104), "normalized", -1.75, 0.25, 3.01),
    (paired(0, 0, 0, 0, 0, 5550), "normalized", 0, 5, 111.82),
    (paired(223, 9863, 20279, 1000, 10037, 246), "logistic", 0.5, 2.5, -3.07),
    (paired(871, 26175, 55003, 980, 26678, 821), "logistic", 0, 2, -4.98),
]


@pytest.mark.parametrize(("score", "model", "elo0", "elo1", "llr"), FASTCHESS)
def test_ratios_are_those_of_fastchess(score, model, elo0, elo1, llr):
    """fastchess iterates to a lower precision, which shows if all games were won."""
    test = Sprt(elo0, elo1, model=model)
    assert test.llr(score) == pytest.approx(llr, abs=max(0.006, 3e-4 * abs(llr)))


@pytest.mark.parametrize(
    ("alpha", "beta", "lower", "upper"),
    [(0.05, 0.05, -2.944, 2.944), (0.01, 0.01, -4.595, 4.595), (0.05, 0.1, -2.251, 2.890)],
)
def test_bounds_are_walds(alpha, beta, lower, upper):
    test = Sprt(0, 10, alpha, beta)
    assert (test.lower, test.upper) == pytest.approx((lower, upper), abs=1e-3)


def test_wins_and_losses_alone_have_the_ratio_of_two_coins():
    wins, losses = 130, 95
    low, high = score_of_elo(5), score_of_elo(40)
    expected = wins * math.log(high / low) + losses * math.log((1 - high) / (1 - low))
    test = Sprt(5, 40)
    assert test.llr(counted(wins, losses, 0)) == pytest.approx(expected, abs=1e-3)


def test_close_hypotheses_have_the_ratio_of_the_normal_approximation():
    """Van den Bergh, "A practical introduction to the GSPRT": (s1 - s0)(2 s - s0 - s1) n / 2 v."""
    score = Score(pairs=(871, 26175, 55983, 26678, 821))
    low, high = score_of_elo(0), score_of_elo(1)
    expected = score.games * (high - low) * (2 * score.mean - low - high) / (2 * score.variance)
    assert Sprt(0, 1).llr(score) == pytest.approx(expected, rel=1e-3)


def test_pairs_and_single_games_add_up():
    test = Sprt(-10, 15)
    pairs, singles = Score(pairs=(4, 8, 20, 12, 6)), counted(20, 11, 9)
    assert test.llr(pairs + singles) == pytest.approx(test.llr(pairs) + test.llr(singles))


counts = st.integers(0, 200)


@given(st.tuples(counts, counts, counts, counts, counts), st.sampled_from(["logistic", "normalized"]))
def test_exchanging_sides_and_hypotheses_changes_the_sign(pairs, model):
    score = Score(pairs=pairs)
    there, back = Sprt(-5, 20, model=model).llr(score), Sprt(-20, 5, model=model).llr(score.reversed())
    assert there == pytest.approx(-back, abs=1e-6)


@given(st.tuples(counts, counts, counts, counts, counts))
def test_a_pair_won_speaks_for_h1_and_a_pair_lost_for_h0(pairs):
    test, score = Sprt(0, 30), Score(pairs=pairs)
    assert test.llr(score.with_pair(0, 0)) < test.llr(score.with_pair(1, 1))


def test_states():
    test = Sprt(0, 30)
    assert test.state(Score()).llr == 0
    assert test.state(Score()).verdict is Verdict.CONTINUE
    ahead, behind = Score(pairs=(4, 20, 60, 40, 16)), Score(pairs=(16, 40, 60, 20, 4))
    assert test.state(ahead).verdict is Verdict.H1
    assert test.state(behind).verdict is Verdict.H0
    assert str(test.state(Score(pairs=(1, 2, 5, 2, 1)))) == "LLR -0.15 (-2.94, +2.94): continue"
    assert str(test) == "H0: 0 Elo, H1: 30, alpha 0.05, beta 0.05"
    assert str(Sprt(0, 2, model="normalized")).startswith("H0: 0 normalized Elo, H1: 2,")


@pytest.mark.parametrize("settings", [
    {"elo0": 10, "elo1": 10},
    {"elo0": 10, "elo1": 0},
    {"elo0": 0, "elo1": 5000},
    {"elo0": float("nan"), "elo1": 5},
    {"elo0": "0", "elo1": 5},
    {"elo0": 0, "elo1": 5, "alpha": 0},
    {"elo0": 0, "elo1": 5, "alpha": 0.5},
    {"elo0": 0, "elo1": 5, "beta": 1.5},
    {"elo0": 0, "elo1": 5, "model": "logistik"},
    {"elo0": 0, "elo1": 201, "model": "normalized"},
])  # fmt: skip
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(SettingsError):
        Sprt(**settings)


@pytest.mark.parametrize(("model", "widest"), [("logistic", 1000), ("normalized", 200)])
def test_the_widest_bounds_have_a_ratio_whatever_was_seen(model, widest):
    rng = np.random.default_rng(3)
    shares = rng.dirichlet(np.full(5, 0.1), size=300)
    counts = np.floor(shares * 10 ** rng.uniform(0, 6, size=(300, 1)))
    assert np.isfinite(Sprt(-widest, widest, model=model).llr_of_counts(counts, games=2)).all()


def run(test, probabilities, *, seeds, every, most, seed):
    """Return the shares of matches that accept H1 and that have no verdict, and the mean number of games."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((seeds, 5))
    going = np.arange(seeds)
    verdict, length = np.zeros(seeds), np.full(seeds, most)
    for pairs in range(every, most + 1, every):
        counts[going] += rng.multinomial(every, probabilities, size=len(going))
        ratio = test.llr_of_counts(counts[going], games=2)
        found = (ratio >= test.upper).astype(int) - (ratio <= test.lower)
        verdict[going], length[going] = found, pairs
        going = going[found == 0]
        if not len(going):
            break
    return np.mean(verdict == 1), np.mean(verdict == 0), 2 * length.mean()


SEEDS = 600
WITHIN = 3 * math.sqrt(0.05 * 0.95 / SEEDS)  # three standard errors of the measurement


@pytest.mark.parametrize("opening", OPENINGS)
def test_errors_are_as_rare_as_stated_and_the_length_is_as_foreseen(opening):
    test = Sprt(elo0=0, elo1=30, alpha=0.05, beta=0.05)
    for elo in (0, 30):
        probabilities = with_mean(score_of_elo(elo), **OPENINGS[opening])
        mean = probabilities @ POINTS
        variance = 2 * probabilities @ (POINTS - mean) ** 2
        accepted, open_, length = run(test, probabilities, seeds=SEEDS, every=4, most=4000, seed=7)
        assert open_ == 0
        assert (accepted if elo == 0 else 1 - accepted) <= 0.05 + WITHIN
        foreseen = test.outlook(elo, variance)
        assert foreseen.accepts_h1 == pytest.approx(0.05 if elo == 0 else 0.95, abs=0.003)
        assert foreseen.games * 0.9 < length < foreseen.games * 1.2 + 30


def test_errors_are_as_rare_as_stated_in_normalized_elo():
    test = Sprt(elo0=0, elo1=40, alpha=0.05, beta=0.1, model="normalized")
    even = with_mean(0.5, draws=2.0)
    deviation = math.sqrt(2 * even @ (POINTS - 0.5) ** 2)
    for elo, error in ((0, 0.05), (40, 0.1)):
        probabilities = with_mean(0.5 + elo * deviation / NORMALIZED_UNIT, draws=2.0)
        accepted, open_, length = run(test, probabilities, seeds=300, every=10, most=3000, seed=5)
        assert open_ == 0
        assert (1 - accepted if elo else accepted) <= error + 3 * math.sqrt(error * (1 - error) / 300)
        assert length == pytest.approx(test.outlook(elo, deviation**2).games, rel=0.25)


def test_the_outlook_is_walds():
    """Under either hypothesis of a test with equal errors: (1 - 2 a) ln((1 - a) / a) 2 v / (s1 - s0)^2."""
    test = Sprt(0, 20)
    step = score_of_elo(20) - 0.5
    expected = 0.9 * math.log(19) * 2 * 0.15 / step**2
    assert test.outlook(0, 0.15).games == pytest.approx(expected, rel=1e-6)
    assert test.outlook(20, 0.15).games == pytest.approx(expected, rel=1e-6)
    halfway = 400 * math.log10((0.5 + step / 2) / (0.5 - step / 2))
    assert test.outlook(halfway, 0.15).accepts_h1 == pytest.approx(0.5)
    assert test.outlook(halfway, 0.15).games == pytest.approx(math.log(19) ** 2 * 0.15 / step**2)
    near = test.outlook(halfway + 1e-4, 0.15)
    assert near.games == pytest.approx(test.outlook(halfway, 0.15).games, rel=1e-6)


@pytest.mark.parametrize("elo", [-1000, -300, 300, 1000])
def test_the_outlook_far_from_the_hypotheses_is_short_and_sure(elo):
    for model in ("logistic", "normalized"):
        far = Sprt(0, 0.5, model=model).outlook(elo, 0.2)
        assert far.accepts_h1 == pytest.approx(float(elo > 0), abs=1e-9)
        assert 0 < far.games < 1e6


def test_verdicts_are_not_hurried_by_a_few_equal_results():
    """Ten pairs that were all won say less than it seems: the variance of pairs is still unknown."""
    test = Sprt(0, 30)
    for pairs in [(0, 0, 0, 0, 10), (10, 0, 0, 0, 0), (0, 0, 20, 0, 0), (0, 0, 0, 15, 0)]:
        assert test.state(Score(pairs=pairs)).verdict is Verdict.CONTINUE
