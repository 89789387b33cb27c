"""Ratings: against published fits, closed forms and a general optimiser; intervals by simulation."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from branchwise.arena.statistics.elo import elo_difference, elo_of_score
from branchwise.arena.statistics.ratings import rate
from branchwise.arena.statistics.score import Score
from branchwise.common.errors import ResultsError, SettingsError, UnknownNameError
from support.pair_results import pair

UNIT = 400 / math.log(10)
won = Score.from_counts


def test_baseball_1987_is_as_published():
    """Agresti, "Categorical Data Analysis", 2nd edition, 2002, tables 10.10 and 10.11: no draws."""
    teams = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
    wins = [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ]
    scores = {
        (teams[i], teams[j]): won(wins=wins[i][j], losses=wins[j][i]) for i, j in combinations(range(7), 2)
    }
    ratings = rate(scores, virtual_draws=0, anchor=("Baltimore", 0))
    published = [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]
    assert [round(ratings[team].elo / UNIT, 2) for team in teams] == published
    errors = [(ratings[team].high - ratings[team].elo) / 1.96 / UNIT for team in teams[:-1]]
    assert [round(error, 1) for error in errors] == [0.3] * 6
    assert ratings["Baltimore"].low == ratings["Baltimore"].high == 0
    assert ratings.draws == 0


def test_puddings_are_as_published():
    """Davidson 1970, example 2 (data set `pudding` of the R package PlackettLuce): comparisons with draws."""
    rows = [
        (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9),
        (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16),
        (1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
    ]  # fmt: skip
    scores = {
        (str(i), str(j)): won(wins=wins, losses=losses, draws=draws) for i, j, wins, losses, draws in rows
    }
    ratings = rate(scores, virtual_draws=0)
    worth = np.exp([ratings[str(i)].elo / UNIT / (1 - ratings.draws) for i in range(1, 7)])
    published = [0.1388, 0.1730, 0.1617, 0.1654, 0.1587, 0.2024]
    assert worth / worth.sum() == pytest.approx(published, abs=6e-4)
    nu = 2 * ratings.draws / (1 - ratings.draws)
    assert nu == pytest.approx(0.7468, rel=0.01)  # slightly less, because of the two virtual decisive games


@pytest.mark.parametrize(("wins", "losses"), [(60, 40), (10, 0), (0, 3), (1, 0), (70, 1)])
def test_two_players_without_draws_have_half_a_game_added_to_either_side(wins, losses):
    ratings = rate({("a", "b"): won(wins=wins, losses=losses)})
    p = (wins + 0.5) / (wins + losses + 1)
    difference = ratings.difference("a", "b")
    assert difference.value == pytest.approx(elo_of_score(p), abs=1e-6)
    error = UNIT / math.sqrt((wins + losses + 1) * p * (1 - p))
    assert difference.margin == pytest.approx(1.959964 * error, rel=1e-6)
    assert ratings["a"].elo == pytest.approx(-ratings["b"].elo)


@pytest.mark.parametrize("draws", [0, 50, 300, 1500])
def test_two_players_are_as_far_apart_as_their_score_says(draws):
    score = won(wins=330, losses=270, draws=draws)
    ratings, apart = rate({("a", "b"): score}), elo_difference(score)
    assert ratings.difference("a", "b").value == pytest.approx(apart.value, rel=0.02)
    assert ratings.difference("a", "b").margin == pytest.approx(apart.margin, rel=0.02)


def test_pairs_that_balance_the_seats_make_intervals_narrower():
    paired = Score(pairs=(10, 0, 170, 0, 20))
    apart = won(wins=paired.wins, losses=paired.losses)
    ratings = rate({("a", "b"): paired})
    assert ratings.difference("a", "b").value == pytest.approx(rate({("a", "b"): apart})["a"].elo * 2)
    assert ratings.difference("a", "b").margin == pytest.approx(elo_difference(paired).margin, rel=0.02)
    assert ratings.dispersion == pytest.approx(0.3, abs=0.02)
    assert rate({("a", "b"): apart}).dispersion == 1


def plain_log_likelihood(theta, tie_worths, games, virtual):
    """Luce's model with ties, written out one game at a time, with the priors of `rate`."""
    worth, total = np.exp(theta), 0.0

    def value(players):
        return tie_worths.get(len(players), 0.0 if len(players) > 1 else 1.0) * math.prod(
            worth[p] for p in players
        ) ** (1 / len(players))

    for order in games:
        left = [p for tied in order for p in tied]
        for at, tied in enumerate(order):
            sets = [s for k in range(1, len(left) + 1) for s in combinations(left, k)]
            if at > 0:
                sets = [s for s in sets if len(s) < len(left) or len(left) == 1]
                if len(tied) == len(left) > 1:
                    break
            total += math.log(value(tied) / sum(value(s) for s in sets))
            left = [p for p in left if p not in tied]
    for (a, b), weight in virtual.items():
        total += weight / 2 * math.log(worth[a] * worth[b] / (worth[a] + worth[b]) ** 2)
    for size, tie_worth in tie_worths.items():
        total += 2 * math.log(size / (size + tie_worth))
    return total


GAMES = [
    [["a"], ["b"], ["c"], ["d"]],
    [["b"], ["a", "c"], ["d"]],
    [["a", "b"], ["c", "d"]],
    [["d"], ["a", "b", "c"]],
    [["c"], ["a"], ["b"]],
    [["a", "b", "c"]],
    [["d", "a"]],
    [["b"], ["d"]],
    [["c"], ["b", "d"], ["a"]],
    [["a"], ["d"], ["c"]],
]


def test_games_of_many_with_ties_are_fitted_as_by_a_general_optimiser():
    names = "abcd"
    games = [[[names.index(p) for p in tied] for tied in order] for order in GAMES]
    met, opponents = {}, dict.fromkeys(range(4), 0)
    for order in games:
        players = sorted(p for tied in order for p in tied)
        for a, b in combinations(players, 2):
            met[a, b] = met.get((a, b), 0) + 1
            opponents[a] += 1
            opponents[b] += 1
    virtual = {(a, b): 0.5 * (n / opponents[a] + n / opponents[b]) for (a, b), n in met.items()}

    def loss(x):
        tie_worths = {2: math.exp(x[4]), 3: math.exp(x[5])}
        return 0.5 * x[:4].sum() ** 2 - plain_log_likelihood(x[:4], tie_worths, games, virtual)

    found = optimize.minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-7})
    ratings = rate(orders=GAMES)
    draws = math.exp(found.x[4]) / (2 + math.exp(found.x[4]))
    assert ratings.draws == pytest.approx(draws, abs=1e-5)
    expected = found.x[:4] * (1 - draws) * UNIT
    assert [ratings[p].elo for p in names] == pytest.approx(list(expected), abs=0.01)

    step, size = 1e-4, 6  # the information at the maximum, by finite differences
    around = np.eye(size) * step
    information = np.array([
        [
            (loss(found.x + i + j) - loss(found.x + i - j) - loss(found.x - i + j) + loss(found.x - i - j))
            / (4 * step**2)
            for j in around
        ]
        for i in around
    ])  # fmt: skip
    change = np.zeros(size)
    change[[0, 3]] = (1 - draws) * UNIT, -(1 - draws) * UNIT
    change[4] = -draws * (1 - draws) * (found.x[0] - found.x[3]) * UNIT
    error = math.sqrt(change @ np.linalg.inv(information) @ change)
    assert ratings.difference("a", "d").margin == pytest.approx(1.959964 * error, rel=1e-3)


def test_scores_and_orders_of_two_are_the_same():
    score = won(wins=5, draws=3, losses=2)
    orders = [[["a"], ["b"]]] * 5 + [[["a", "b"]]] * 3 + [[["b"], ["a"]]] * 2
    assert rate({("a", "b"): score})["a"] == rate(orders=orders)["a"]
    assert rate({("b", "a"): score.reversed()})["a"].elo == pytest.approx(rate(orders=orders)["a"].elo)
    both_ways = rate({("a", "b"): won(wins=5, draws=3), ("b", "a"): won(wins=2)})
    assert both_ways["a"].elo == pytest.approx(rate(orders=orders)["a"].elo)


names = st.sampled_from("abcde")
orders = st.lists(names, min_size=2, max_size=5, unique=True).flatmap(
    lambda players: st.lists(st.booleans(), min_size=len(players) - 1, max_size=len(players) - 1).map(
        lambda cuts: cut(players, cuts)
    )
)


def cut(players, cuts):
    order = [[players[0]]]
    for player, new in zip(players[1:], cuts, strict=True):
        if new:
            order.append([player])
        else:
            order[-1].append(player)
    return order


@given(st.lists(orders, min_size=1, max_size=25))
def test_ratings_are_finite_and_centred_whatever_happened(games):
    ratings = rate(orders=games)
    for group in ratings.groups:
        assert sum(ratings[player].elo for player in group) == pytest.approx(0, abs=1e-4)
    for rating in ratings:
        assert math.isfinite(rating.elo)
        assert rating.low < rating.elo < rating.high
        assert 0 <= rating.score <= 1
        assert rating.games == sum(any(rating.player in tied for tied in order) for order in games)


def test_what_order_results_come_in_does_not_matter():
    scores = {("a", "b"): won(6, 2, 4), ("b", "c"): won(9, 0, 3), ("a", "c"): won(5, 5, 2)}
    expected = rate(scores)
    for shuffled in permutations(scores.items()):
        ratings = rate(dict(shuffled))
        for player in "abc":
            assert ratings[player].elo == pytest.approx(expected[player].elo, abs=1e-6)
            assert ratings[player].low == pytest.approx(expected[player].low, abs=1e-6)


def test_unbeaten_players_have_finite_ratings_by_their_virtual_draw_alone():
    scores = {("best", "a"): won(wins=20), ("best", "b"): won(wins=20), ("a", "b"): won(10, 0, 10)}
    assert 400 < rate(scores)["best"].elo < 2000
    assert rate(scores, virtual_draws=2)["best"].elo < rate(scores)["best"].elo
    with pytest.raises(ResultsError, match="no finite ratings: best won every game"):
        rate(scores, virtual_draws=0)
    with pytest.raises(ResultsError, match="no finite ratings: a, best won every game"):
        rate({("a", "best"): won(2, 1, 1), ("a", "c"): won(3), ("best", "d"): won(2), ("c", "d"): won(0, 1)},
             virtual_draws=0)  # fmt: skip


def test_groups_that_never_met_are_told_apart():
    ratings = rate({
        ("a", "b"): won(8, 0, 2), ("x", "y"): won(5, 1, 4), ("y", "z"): won(5, 1, 4), ("x", "w"): Score(),
    })  # fmt: skip
    assert ratings.groups == (("x", "y", "z"), ("a", "b"))
    assert [rating.group for rating in ratings] == [0, 0, 0, 1, 1]
    for group in ratings.groups:
        assert sum(ratings[player].elo for player in group) == pytest.approx(0, abs=1e-6)
    alone = rate({("a", "b"): won(8, 0, 2)})
    assert ratings["a"].low < ratings["a"].elo
    assert rate({("a", "b"): won(8, 0, 2), ("x", "y"): won(5, 0, 4)})["a"].elo == pytest.approx(
        alone["a"].elo
    )
    assert "never met those above:" in str(ratings)
    with pytest.raises(ResultsError, match="a and x cannot be compared"):
        ratings.difference("a", "x")
    with pytest.raises(UnknownNameError, match='no player with games "w"'):
        ratings["w"]


def test_an_anchor_moves_its_group_and_takes_its_own_uncertainty():
    scores = {("a", "b"): won(30, 10, 20), ("b", "c"): won(30, 5, 25), ("x", "y"): won(3, 0, 2)}
    free, held = rate(scores), rate(scores, anchor=("b", 1500))
    assert (held["b"].low, held["b"].elo, held["b"].high) == pytest.approx((1500, 1500, 1500))
    for one, other in [("a", "b"), ("c", "a")]:
        there, here = free.difference(one, other), held.difference(one, other)
        assert (here.value, here.margin) == pytest.approx((there.value, there.margin))
    apart = held.difference("a", "b")
    assert held["a"].elo - 1500 == pytest.approx(apart.value)
    assert (held["a"].high - held["a"].low) / 2 == pytest.approx(apart.margin)
    assert held["x"] == free["x"]
    with pytest.raises(UnknownNameError):
        rate(scores, anchor=("nobody", 0))


def test_superiority_agrees_with_the_interval_of_the_difference():
    ratings = rate({("a", "b"): won(60, 0, 40), ("b", "c"): won(55, 0, 45)})
    sure = ratings.likelihood_of_superiority("a", "c")
    assert sure + ratings.likelihood_of_superiority("c", "a") == pytest.approx(1)
    assert (sure > 0.975) == (ratings.difference("a", "c").low > 0)
    assert ratings.likelihood_of_superiority("a", "a") == 0.5
    assert ratings.difference("a", "a").value == 0


def test_table():
    ratings = rate({("a long name", "b"): won(wins=900, losses=100), ("b", "c"): won(60, 0, 40)})
    assert str(ratings).splitlines()[0] == "player         elo           95 %   games   score"
    assert [line.split()[-2] for line in str(ratings).splitlines()[1:]] == ["90.0", "14.5", "40.0"]
    assert len({len(line) for line in str(ratings).splitlines()}) == 1


def test_fifty_players_and_games_of_twelve():
    rng = np.random.default_rng(4)
    strength = rng.normal(0, 1.5, size=50)
    scores = {}
    for i, j in combinations(range(50), 2):
        wins = int(rng.binomial(20, 1 / (1 + math.exp(strength[j] - strength[i]))))
        scores[f"p{i}", f"p{j}"] = won(wins=wins, losses=20 - wins)
    ratings = rate(scores)
    found = np.array([ratings[f"p{i}"].elo for i in range(50)]) / UNIT
    assert np.corrcoef(found, strength)[0, 1] > 0.99
    players = [f"p{i}" for i in range(12)]
    assert len(rate(orders=[[[p] for p in players], [players[:6], players[6:]]])) == 12


@pytest.mark.parametrize(("scores", "orders", "said"), [
    ({}, [], "no games have been played"),
    ({("a", "b"): Score()}, [], "no games have been played"),
    ({("a", "a"): won(1)}, [], "a cannot be rated by games against itself"),
    ({}, [[["a"]]], "a game of 1 players"),
    ({}, [[[str(i)] for i in range(13)]], "a game of 13 players"),
    ({}, [[["a"], ["b", "a"]]], "named twice"),
    ({}, [["ab", "c"]], "no order of finish"),
])  # fmt: skip
def test_results_that_make_no_sense_are_refused(scores, orders, said):
    with pytest.raises(ResultsError, match=said):
        rate(scores, orders)


@pytest.mark.parametrize("settings", [
    {"virtual_draws": -1}, {"virtual_draws": float("nan")}, {"level": 1}, {"anchor": ("a", float("inf"))},
])  # fmt: skip
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(SettingsError):
        rate({("a", "b"): won(1)}, **settings)


SEEDS = 150


@pytest.mark.parametrize("opening", [
    {}, {"advantage": 3.0}, {"draws": 2.0, "advantage": 1.0}, {"skill": 1.5},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("theta", [(0, 0, 0, 0), (0, 0.5, 1, 2)], ids=str)
def test_intervals_cover_the_true_ratings_95_times_of_100(theta, opening):
    """The true values are those of ten million pairs in each match."""
    matches = {(f"p{i}", f"p{j}"): pair(theta[i] - theta[j], **opening) for i, j in combinations(range(4), 2)}
    rng = np.random.default_rng(6)

    def score(pairs, drawn):
        return Score(pairs=tuple(int(n) for n in pairs), drawn_pairs=int(drawn))

    truth = rate({
        names: score(np.rint(chances[:, 0] * 1e7), np.floor(chances[2, 1] * 1e7))
        for names, chances in matches.items()
    })  # fmt: skip
    covered = differences = 0
    for _ in range(SEEDS):
        scores = {}
        for names, chances in matches.items():
            pairs = rng.multinomial(30, chances[:, 0])
            scores[names] = score(pairs, rng.binomial(pairs[2], chances[2, 1] / chances[2, 0]))
        ratings = rate(scores)
        covered += sum(r.low <= truth[r.player].elo <= r.high for r in ratings)
        for one, other in combinations(("p0", "p1", "p2", "p3"), 2):
            apart = ratings.difference(one, other)
            differences += apart.low <= truth[one].elo - truth[other].elo <= apart.high
    assert 0.925 <= covered / (4 * SEEDS) <= 0.975
    assert 0.925 <= differences / (6 * SEEDS) <= 0.975


def test_intervals_cover_in_games_of_four():
    theta = np.array([0.0, 0.3, 0.8, 1.5])
    rng = np.random.default_rng(8)
    truth = (theta - theta.mean()) * UNIT
    covered = 0
    for _ in range(200):
        placed = np.argsort(-(theta + rng.gumbel(size=(60, 4))), axis=1)  # Plackett and Luce's model
        ratings = rate(orders=[[[f"p{i}"] for i in game] for game in placed])
        covered += sum(ratings[f"p{i}"].low <= truth[i] <= ratings[f"p{i}"].high for i in range(4))
    assert 0.925 <= covered / 800 <= 0.975
