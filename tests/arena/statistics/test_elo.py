"""Elo from scores: against tables, against fastchess's own test values, and at the ends."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.arena.statistics.elo import (
    NORMALIZED_UNIT,
    EloDifference,
    elo_difference,
    elo_of_score,
    likelihood_of_superiority,
    normalized_elo,
    score_of_elo,
)
from branchwise.arena.statistics.interval import normal_quantile
from branchwise.arena.statistics.score import Score
from branchwise.common.errors import ResultsError, SettingsError

Z = normal_quantile(0.95)


def counted(wins, losses, draws):
    """In the order of fastchess's `Stats`."""
    return Score.from_counts(wins=wins, draws=draws, losses=losses)


def paired(lost_twice, lost_drawn, won_lost, drawn_twice, won_drawn, won_twice):
    """In the order of fastchess's `Stats`."""
    middle = won_lost + drawn_twice
    return Score(pairs=(lost_twice, lost_drawn, middle, won_drawn, won_twice), drawn_pairs=drawn_twice)


# github.com/Disservin/fastchess, app/tests/elo_test.cpp: score, Elo and its +/-, normalized Elo and its +/-,
# likelihood of superiority in per cent; None where its test has no value
FASTCHESS = [
    (counted(76, 89, 123), 0.477, None, None, -20.76, 40.13, 15.53),
    (counted(136, 96, 111), 0.558, 40.70, 30.43, 49.77, 36.77, 99.60),
    (counted(34, 356, 0), 0.087, None, None, -508.44, 34.48, None),
    (paired(34, 54, 31, 32, 64, 75), 0.579, 55.58, 27.65, 57.94, 28.28, 100.00),
    (paired(332, 433, 457, 41, 333, 334), 0.488, -8.64, 10.33, -9.17, 10.96, 5.05),
    (paired(7895, 8757, 5485, 200, 568, 9999), 0.470, -21.04, 2.95, -19.01, 2.65, 0.00),
]


@pytest.mark.parametrize(("score", "mean", "elo", "margin", "nelo", "nelo_margin", "los"), FASTCHESS)
def test_values_are_those_of_fastchess(score, mean, elo, margin, nelo, nelo_margin, los):
    assert score.mean == pytest.approx(mean, rel=0.01)
    error = math.sqrt(score.variance / score.games)
    assert normalized_elo(score).value == pytest.approx(nelo, abs=0.006)
    assert Z * error / math.sqrt(score.variance) * NORMALIZED_UNIT == pytest.approx(nelo_margin, abs=0.006)
    assert normalized_elo(score).margin == pytest.approx(nelo_margin, rel=0.03)
    if elo is not None:
        assert elo_difference(score).value == pytest.approx(elo, abs=0.006)
        symmetric = elo_of_score(score.mean + Z * error) - elo_of_score(score.mean - Z * error)
        assert symmetric / 2 == pytest.approx(margin, abs=0.006)
        assert elo_difference(score).margin == pytest.approx(margin, rel=0.01)
    if los is not None:
        assert 100 * likelihood_of_superiority(score) == pytest.approx(los, abs=0.15)


def test_the_likelihood_of_superiority_without_draws_is_the_one_in_common_use():
    """Phi((wins - losses) / sqrt(wins + losses)), as in cutechess."""
    for wins, losses in [(60, 40), (7, 9), (500, 450), (3, 0)]:
        expected = 0.5 + 0.5 * math.erf((wins - losses) / math.sqrt(2 * (wins + losses)))
        assert likelihood_of_superiority(counted(wins, losses, 0)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("elo", "score"),
    [(0, 0.5), (50, 0.5715), (100, 0.6401), (200, 0.7597), (400, 10 / 11), (800, 100 / 101), (-400, 1 / 11)],
)
def test_the_expected_score_is_that_of_the_tables(elo, score):
    assert score_of_elo(elo) == pytest.approx(score, abs=5e-5)


@given(st.floats(-2000, 2000))
def test_scores_lead_back_to_elo(elo):
    assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo, abs=1e-6)


def test_the_ends_are_infinite():
    assert (elo_of_score(0.0), elo_of_score(1.0)) == (-math.inf, math.inf)
    assert (score_of_elo(-math.inf), score_of_elo(math.inf)) == (0.0, 1.0)
    assert (score_of_elo(1e6), score_of_elo(-1e6)) == (1.0, 0.0)


@pytest.mark.parametrize("wrong", [-0.01, 1.01, math.nan, "0.5", None])
def test_scores_out_of_range_are_refused(wrong):
    with pytest.raises(SettingsError, match="mean"):
        elo_of_score(wrong)


def test_where_all_games_were_won_only_the_bound_is_shown():
    won = elo_difference(counted(10, 0, 0))
    assert (won.value, won.high) == (math.inf, math.inf)
    assert won.low == pytest.approx(elo_of_score(wilson_low(10)))
    assert str(won) == "above +166"
    assert str(elo_difference(counted(0, 10, 0))) == "below -166"


def wilson_low(games):
    """The lower end of Wilson's interval where all games were won: n / (n + z^2)."""
    return games / (games + Z * Z)


def test_text():
    assert str(elo_difference(counted(55, 35, 10))) == "+70 [+5, +136]"
    assert str(elo_difference(counted(1, 1, 0))) == "+0 [-393, +393]"
    assert str(EloDifference(-0.2, -10, 9.6)) == "-0 [-10, +10]"


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_superiority_is_certain_at_97_5_per_cent_where_the_interval_lies_above_a_half(wins, draws, losses):
    score = Score.from_counts(wins, draws, losses)
    superior = likelihood_of_superiority(score)
    assert likelihood_of_superiority(score.reversed()) == pytest.approx(1 - superior)
    if score.games and abs(score.interval()[0] - 0.5) > 1e-9:
        assert (superior > 0.975) == (score.interval()[0] > 0.5)


def test_nothing_is_said_without_games_or_without_deviation():
    assert likelihood_of_superiority(Score()) == 0.5
    with pytest.raises(ResultsError, match="no games"):
        elo_difference(Score())
    with pytest.raises(ResultsError, match="no games"):
        normalized_elo(Score())
    for same in (counted(5, 0, 0), counted(0, 0, 7), paired(0, 0, 9, 0, 0, 0)):
        with pytest.raises(ResultsError, match="no deviation"):
            normalized_elo(same)


def test_normalized_elo_is_elo_near_equality_without_draws():
    score = counted(50_200, 49_800, 0)
    assert normalized_elo(score).value == pytest.approx(elo_difference(score).value, rel=1e-4)
