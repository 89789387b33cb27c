"""Counts of games in pairs and alone, and the interval of their mean score."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.arena.statistics.interval import design_effect, normal_quantile, wilson
from branchwise.arena.statistics.score import Score
from branchwise.common.errors import BranchwiseError, ResultsError, SettingsError
from support.pair_results import OPENINGS, POINTS, with_mean

points = st.sampled_from([0.0, 0.5, 1.0])
pairs_played = st.lists(st.tuples(points, points), max_size=30)
singles_played = st.lists(points, max_size=30)


@given(pairs_played, singles_played)
def test_counts_are_those_of_the_games(pairs, singles):
    score = Score.from_results(pairs, singles)
    games = [one for both in pairs for one in both] + singles
    assert (score.wins, score.draws, score.losses) == tuple(games.count(p) for p in (1.0, 0.5, 0.0))
    assert (score.games, score.points) == (len(games), sum(games))
    assert score.pairs == tuple(sum(sum(both) == half / 2 for both in pairs) for half in range(5))
    if games:
        assert score.mean == pytest.approx(np.mean(games))


@given(pairs_played, singles_played)
def test_adding_game_by_game_is_the_same_as_all_at_once(pairs, singles):
    score = Score()
    for both in pairs:
        score = score.with_pair(*both)
    for one in singles:
        score = score.with_game(one)
    assert score == Score.from_results(pairs, singles)
    assert score == Score.from_results(pairs) + Score.from_results(singles=singles)


@given(pairs_played, singles_played)
def test_the_other_side_has_the_other_half(pairs, singles):
    score = Score.from_results(pairs, singles)
    other = score.reversed()
    turned = [(1 - a, 1 - b) for a, b in pairs]
    assert other == Score.from_results(turned, [1 - one for one in singles])
    assert other.reversed() == score
    low, high = score.interval()
    assert other.interval() == pytest.approx((1 - high, 1 - low))


@given(pairs_played, singles_played)
def test_the_interval_holds_the_mean_and_has_a_width(pairs, singles):
    score = Score.from_results(pairs, singles)
    low, high = score.interval()
    assert 0 <= low < high <= 1
    if score.games:
        assert low <= score.mean <= high
        more = score + score + score
        assert more.interval()[1] - more.interval()[0] < high - low
        assert score.interval(0.5)[0] > low or low == 0


def test_the_variance_of_pairs_is_that_of_their_points():
    score = Score(pairs=(3, 5, 9, 7, 6), drawn_pairs=4)
    shown = np.repeat(POINTS, score.pairs)
    assert score.mean == pytest.approx(shown.mean())
    assert score.variance / score.games == pytest.approx(shown.var() / len(shown))
    alone = Score.from_counts(wins=7, draws=2, losses=4)
    assert alone.variance == pytest.approx(np.var([1.0] * 7 + [0.5] * 2 + [0.0] * 4))


def test_two_kinds_of_games_add_their_variances():
    paired, alone = Score(pairs=(5, 0, 40, 0, 5)), Score.from_counts(wins=50, losses=50)
    both = paired + alone
    assert both.games == 200
    assert both.variance == pytest.approx((paired.variance + alone.variance) / 2)
    expected = 200**2 / (100**2 / paired.effective_games + 100**2 / alone.effective_games)
    assert both.effective_games == pytest.approx(expected)


@pytest.mark.parametrize(
    ("won", "games", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wins_and_losses_have_the_published_interval(won, games, low, high):
    """Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I, method 3."""
    score = Score.from_counts(wins=won, losses=games - won)
    assert score.interval() == pytest.approx((low, high), abs=5e-5)


def test_wilsons_interval_is_where_the_test_of_a_proportion_turns():
    for mean, games in [(0.3, 40.0), (0.0, 7.5), (1.0, 12.0), (0.97, 1000.0)]:
        for end in wilson(mean, games, 0.9):
            if 0 < end < 1:
                reach = abs(mean - end) / np.sqrt(end * (1 - end) / games)
                assert reach == pytest.approx(normal_quantile(0.9))


@given(st.lists(st.integers(0, 40), min_size=3, max_size=5).filter(lambda counts: len(counts) != 4))
def test_the_design_effect_is_a_variance_over_that_of_wins_and_losses(counts):
    virtual = np.array(counts, dtype=float)
    virtual[[0, -1]] += 0.5
    grid = np.linspace(0, 1, len(counts))
    mean = virtual @ grid / virtual.sum()
    variance = virtual @ (grid - mean) ** 2 / virtual.sum()
    assert design_effect(tuple(counts)) == pytest.approx(variance / (mean * (1 - mean)))
    assert 1 / (sum(counts) + 1) * (1 - 1e-12) <= design_effect(tuple(counts)) <= 1


def test_pairs_that_were_all_shared_are_not_taken_for_certain():
    few, many = Score(pairs=(0, 0, 10, 0, 0)), Score(pairs=(0, 0, 100, 0, 0))
    assert few.interval() == pytest.approx(wilson(0.5, 10 * 11))
    assert many.interval() == pytest.approx(wilson(0.5, 100 * 101))


def test_games_all_won_leave_a_lower_end():
    assert Score.from_counts(wins=10).interval() == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert Score.from_counts(losses=10).interval() == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert Score(pairs=(0, 0, 0, 0, 10)).interval() == Score.from_counts(wins=10).interval()


def test_pairs_that_balance_the_seats_say_more_than_games_apart():
    balanced = Score(pairs=(2, 0, 40, 0, 8))
    apart = Score.from_counts(wins=balanced.wins, losses=balanced.losses)
    assert balanced.mean == apart.mean
    assert balanced.effective_games > 2 * apart.effective_games


def test_text():
    assert str(Score.from_counts(wins=55, draws=10, losses=35)) == "+55 =10 -35, 60.0 % [50.7, 68.6]"
    assert str(Score.from_counts(wins=3)) == "+3 =0 -0, 100.0 % [43.9, 100.0]"
    assert str(Score.from_counts(wins=1200, losses=800)).startswith("+1,200 =0 -800, 60.0 %")
    assert str(Score()) == "no games"


@pytest.mark.parametrize("counts", [
    {"pairs": (1, 2, 3)},
    {"singles": (1, 2, 3, 4)},
    {"pairs": (0, 0, -1, 0, 0)},
    {"pairs": (0, 0, 1, 0, 0), "drawn_pairs": 2},
    {"singles": (0, 0, 1.5)},
    {"singles": (0, 0, True)},
    {"singles": (0, 0, None)},
    {"singles": (0, 0, "7")},
    {"singles": (0, 0, 10**13)},
])  # fmt: skip
def test_counts_that_make_no_sense_are_refused(counts):
    with pytest.raises(ResultsError):
        Score(**counts)


def test_lists_and_numpy_numbers_are_counts():
    score = Score(pairs=list(np.array([1, 2, 3, 4, 5])), singles=[0, 0, 2])
    assert score == Score(pairs=(1, 2, 3, 4, 5), singles=(0, 0, 2))
    assert hash(score) == hash(Score(pairs=(1, 2, 3, 4, 5), singles=(0, 0, 2)))
    assert type(score.pairs[0]) is int


@pytest.mark.parametrize("wrong", [0.7, -1, 2, float("nan"), "1", None])
def test_points_that_no_game_brings_are_refused(wrong):
    with pytest.raises(ResultsError, match=r"does not bring .* points"):
        Score().with_pair(1.0, wrong)


def test_nothing_is_said_without_games():
    assert Score().interval() == (0.0, 1.0)
    for name in ("mean", "variance", "effective_games"):
        with pytest.raises(ResultsError, match="no games have been played"):
            getattr(Score(), name)


@pytest.mark.parametrize("level", [0, 1, -0.1, 95, float("nan"), "x"])
def test_levels_that_make_no_sense_are_refused(level):
    with pytest.raises(SettingsError, match="level"):
        Score.from_counts(wins=1).interval(level)


def test_errors_are_the_packages_own():
    assert issubclass(ResultsError, BranchwiseError)
    assert issubclass(ResultsError, ValueError)


SEEDS = 4000


@cache
def interval(pairs):
    return Score(pairs=pairs).interval()


def coverage(probabilities, pairs, seed):
    """Return the share of matches of `pairs` pairs whose 95 % interval contains the true mean score."""
    mean = probabilities @ POINTS
    drawn = np.random.default_rng(seed).multinomial(pairs, probabilities, size=SEEDS)
    ends = np.array([interval(tuple(counts)) for counts in drawn.tolist()])
    return np.mean((ends[:, 0] <= mean + 1e-12) & (mean - 1e-12 <= ends[:, 1]))


@pytest.mark.parametrize("mean", [0.5, 0.57, 0.75, 0.93])
@pytest.mark.parametrize("opening", OPENINGS)
def test_intervals_cover_the_true_score_95_times_of_100(opening, mean):
    probabilities = with_mean(mean, **OPENINGS[opening])
    assert 0.935 <= coverage(probabilities, 100, seed=1) <= 0.97


@pytest.mark.parametrize("opening", OPENINGS)
def test_with_few_games_intervals_err_to_the_safe_side(opening):
    for mean in (0.5, 0.75, 0.93):
        assert 0.925 <= coverage(with_mean(mean, **OPENINGS[opening]), 10, seed=2) <= 1
