"""Mean returns: of one player, of three and more, and of games that are not won, drawn or lost."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import branchwise as bw
from branchwise.arena.match_result import MatchResult, Standing
from branchwise.arena.records.record import BestLine, GamePlan, GameRecord
from branchwise.arena.schedule.openings import settles
from branchwise.arena.statistics.interval import student_quantile
from branchwise.arena.statistics.means import Mean, mean_of
from branchwise.arena.statistics.payoffs import are_plain, difference, payoffs
from branchwise.arena.store.store import Store
from branchwise.arena.tournament_result import TournamentResult
from branchwise.arena.tuning.series import check_opponent
from branchwise.cli.app import app
from branchwise.cli.matches.match import so_far
from branchwise.cli.matches.tournament import so_far as tournament_so_far
from support.rules import Climb

RULES = f"{Path(__file__).parents[2] / 'support/rules.py'}:"
SKILLED = f"{Path(__file__).parents[2] / 'support/alone.py'}:"
CLIMB, SHARES = f"{RULES}Climb", f"{RULES}Shares"
GREEDY, LAZY = f"{SKILLED}Greedy", f"{SKILLED}Lazy"
OPENINGS = [[0], [1], [2], [0, 2]]


@pytest.fixture
def run():
    from typer.testing import CliRunner

    def run(*words):
        result = CliRunner().invoke(app, [str(word) for word in words], prog_name="branchwise")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def alone(number, start, bot, gain, **others):
    return GameRecord(GamePlan(number, start, (), (bot,), (1,)), (gain,), "end", **others)


# --- means and their intervals ----------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_students_quantiles_are_those_of_scipy(level):
    for freedom in (1, 2, 3, 4, 5, 10, 30, 1000):
        assert student_quantile(level, freedom) == pytest.approx(
            stats.t.ppf(0.5 + level / 2, freedom), rel=2e-5
        )


SHAPES = {
    "normal": (lambda source: source.normal(50, 10), 50.0),
    "skewed": (lambda source: source.exponential(), 1.0),
    "few values": (lambda source: float(source.poisson(1.0)), 1.0),
    "solved or not": (lambda source: float(source.random() < 0.8), 0.8),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("games", [30, 100])
def test_intervals_hold_the_true_mean_as_often_as_they_say(shape, games):
    draw, truth = SHAPES[shape]
    source = np.random.default_rng(7)
    held = 0
    for _ in range(1000):
        mean = mean_of([[draw(source)] for _ in range(games)])
        held += mean.low is not None and mean.low <= truth <= mean.high
    assert 925 <= held <= 980


def test_intervals_hold_where_games_from_one_opening_go_together():
    source = np.random.default_rng(3)
    held = apart = 0
    for _ in range(1000):
        rounds = [list(source.normal(0, 1) + source.normal(0, 0.3, 3)) for _ in range(25)]
        mean = mean_of(rounds)
        held += mean.low <= 0 <= mean.high
        single = mean_of([value] for values in rounds for value in values)
        apart += single.low <= 0 <= single.high
    assert held >= 930
    assert apart < 850  # taken as independent, the games give intervals that are too narrow


def test_an_interval_takes_two_results_and_equal_ones_are_not_certain():
    assert mean_of([[3.0, 5.0]]) == Mean(2, 4.0)
    assert str(mean_of([[2.5]])) == "2.5"
    assert mean_of([[1.0]] * 10).interval == ""
    assert mean_of([[1.0]] * 10, ends=(1.0, 1.0)).low is None
    among_others = mean_of([[1.0]] * 10, ends=(0.0, 1.0))
    assert among_others.low < 0.9
    with pytest.raises(bw.ResultsError, match="takes at least one"):
        mean_of([])


def test_a_difference_by_the_same_starts_is_known_better_than_the_two_means():
    source = random.Random(1)
    records = []
    for start in range(40):
        luck = source.gauss(100, 30)
        for bot, skill in ((0, 3.0), (1, 0.0)):
            gain = luck + skill + source.gauss(0, 2)
            records.append(alone(len(records), start, bot, gain))
    first, second = payoffs(records, 2)
    assert first.mean.low < second.mean.mean < first.mean.high
    apart = difference(records, 0, 1)
    assert apart.games == 40
    assert 0 < apart.low < 3 < apart.high < 5
    assert difference(records, 1, 0).mean == pytest.approx(-apart.mean)
    assert difference(records[:-1], 0, 1).games == 39  # a game whose partner is missing does not count
    with pytest.raises(bw.ResultsError, match="by both bots"):
        difference(records[:1], 0, 1)


def test_what_a_bot_got_is_reported_by_player():
    records = [
        GameRecord(GamePlan(0, 0, (), (0, 1, 2), (1, 1, 1)), (4.0, 2.0, 0.0), "end"),
        GameRecord(GamePlan(1, 0, (), (1, 2, 0), (1, 1, 1)), (1.0, 3.0, 5.0), "end"),
        GameRecord(GamePlan(2, 0, (), (2, 0, 1), (1, 1, 1)), (0.0, -4.0, 1.0), "error", fault=1),
    ]
    first, second, third = payoffs(records, 3)
    assert [seat.mean for seat in first.seats] == [4.0, -4.0, 5.0]
    assert [seat.mean for seat in second.seats] == [1.0, 2.0, 1.0]
    assert (first.mean.mean, first.mean.games, first.mean.low) == (5 / 3, 3, None)  # one round
    assert (first.best, third.best) == (5.0, 3.0)
    assert payoffs(records[:1], 4)[3] is None


def test_wins_draws_and_losses_of_two_need_no_payoffs():
    def games(*returns):
        return [GameRecord(GamePlan(n, n, (), (0, 1), (1, 1)), r, "end") for n, r in enumerate(returns)]

    assert are_plain(games((1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)))
    assert are_plain(games((1.0, 0.0), (0.5, 0.5)))
    assert not are_plain(games((3.0, 1.0), (0.0, 0.0)))
    assert not are_plain(games((2.0, -2.0), (1.0, -1.0), (0.0, 0.0)))
    assert not are_plain([alone(0, 0, 0, 1.0)])


# --- one player -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def climbed(tmp_path_factory):
    """A store with a match of two bots in a one-player game."""
    file = tmp_path_factory.mktemp("alone") / "matches.sqlite"
    match = bw.Match(CLIMB, [GREEDY, LAZY], games=8, seed=1, openings=OPENINGS)
    match.run(store=file)
    with Store(file) as store:  # and half of the same match again
        records = store.games(1)
        number = store.begin("climb", match.bots, 8, match.settings(), {})
        for record in records[:3]:
            store.add(number, record, best=BestLine(0, 0, 7.0, ("a",)) if record.number == 0 else None)
        store.release(number)
    return file


def test_bots_that_play_alone_play_the_same_starts(climbed):
    with Store(climbed) as store:
        records = store.games(1)
    assert [(r.plan.opening, r.plan.seating) for r in records[:4]] == [
        ((0,), (0,)),
        ((0,), (1,)),
        ((1,), (0,)),
        ((1,), (1,)),
    ]
    for one, other in zip(records[::2], records[1::2], strict=True):
        assert (one.plan.opening, one.plan.seeds) == (other.plan.opening, other.plan.seeds)
    assert len({record.plan.seeds for record in records}) == 4


def test_a_match_of_bots_that_play_alone_tells_means_a_difference_and_the_best_line(run, climbed):
    shown = run("results", "1", "--store", climbed).stdout
    rows = [line.split() for line in shown.splitlines()]
    assert ["bot", "mean", "return", "95", "%", "best", "games", "faults"] in rows
    greedy = next(row for row in rows if row[:1] == [GREEDY])
    assert greedy[1] == "12.8"
    assert greedy[-2:] == ["14", "4"]
    assert f"for {GREEDY} over {LAZY}, by 4 starts that both played" in shown
    assert f"best        14, game 4, {GREEDY}: c c c c c" in shown
    for word in ("points", "Elo", "100.0%", "stronger"):
        assert word not in shown


def test_a_match_of_bots_that_play_alone_as_json(run, climbed):
    shown = json.loads(run("results", "1", "--store", climbed, "--json").stdout)
    assert [bot.keys() for bot in shown["bots"]] == [{"bot", "games", "faults"}] * 2
    assert [one["mean"] for one in shown["payoffs"]] == [12.75, 1.25]
    assert shown["payoffs"][0]["low"] < 12.75 < shown["payoffs"][0]["high"]
    (apart,) = shown["differences"]
    assert (apart["bot"], apart["over"], apart["mean"], apart["games"]) == (GREEDY, LAZY, 11.5, 4)
    assert shown["best"] == {"game": 4, "bot": GREEDY, "score": 14.0, "moves": list("ccccc")}
    for name in ("score", "ratings"):
        assert name not in shown


def test_the_best_line_is_kept_when_a_match_continues(climbed):
    result = bw.Match.resume(climbed, 2)
    assert result.ended_by == "games"
    assert result.best == BestLine(4, 0, 14.0, tuple("ccccc"))
    with Store(climbed) as store:
        assert store.match(2).best == result.best
    assert "mean return 12" in str(result)
    for ask in (result.score, result.elo, result.ratings):
        with pytest.raises(bw.ResultsError, match=r"payoffs\(\)"):
            ask()


def test_a_game_lost_by_a_fault_is_no_best_line():
    result = bw.Match(CLIMB, [f"{SKILLED}Stumbler", GREEDY], games=2, seed=1, openings=[[2]]).run()
    assert [record.ending for record in result.records] == ["error", "end"]
    assert result.best == BestLine(1, 1, 14.0, tuple("ccccc"))
    assert [one.best for one in result.payoffs()] == [None, 14.0]


def test_one_bot_alone_has_a_mean():
    result = bw.Match(CLIMB, [GREEDY], games=2, seed=1, openings=OPENINGS[:2]).run()
    (gain,) = result.payoffs()
    assert gain.mean.mean == 12.5


def test_a_tournament_of_bots_that_play_alone(run, tmp_path):
    file = tmp_path / "matches.sqlite"
    words = (CLIMB, LAZY, "random", GREEDY, "--games", "3", "--seed", "1", "--store", file)
    (tmp_path / "openings").write_text("a\nb\na c\n")
    shown = run("tournament", *words, "--openings", tmp_path / "openings").stdout
    rows = [line.split() for line in shown.splitlines()]
    assert next(row for row in rows if row[:1] == ["1"])[1] == GREEDY
    assert next(row for row in rows if row[:1] == ["3"])[1] == LAZY
    assert f"for {GREEDY} over {LAZY}, by 3 starts that both played" in shown
    assert "best        " in shown
    values = json.loads(run("results", "1", "--store", file, "--json").stdout)
    assert [one["bot"] for one in values["payoffs"]] == [GREEDY, "random", LAZY]
    assert values["payoffs"][0]["games"] == 3
    assert values["ratings"] == []
    assert len(values["differences"]) == 2
    assert values["best"]["bot"] == GREEDY
    result = TournamentResult.of_stored(*_stored(file))
    assert result.difference(GREEDY, LAZY).mean > 5
    with pytest.raises(bw.ResultsError, match="no ratings"):
        result.ratings()


def _stored(file):
    with Store(file) as store:
        return store.match(1), store.games(1, moves=False)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: bw.Match(CLIMB, [GREEDY, LAZY], sprt=bw.Sprt(0, 30)), "who beats whom, and climb is played"),
        (lambda: bw.Match(CLIMB, []), "0 bots cannot play a match of climb"),
        (lambda: bw.Tournament(CLIMB, [GREEDY, LAZY], format="knockout"), "nobody meets anybody in climb"),
        (lambda: bw.Tournament(CLIMB, [GREEDY, LAZY], format="gauntlet"), "so there is no gauntlet"),
        (
            lambda: check_opponent(bw.load_game(CLIMB), LAZY),
            "climb is played alone, so there is no opponent",
        ),
    ],
)
def test_what_makes_no_sense_for_a_player_alone_is_refused(make, told):
    with pytest.raises(bw.SettingsError, match=told):
        make()


def test_a_match_tells_how_those_who_play_alone_stand():
    standing = Standing(("a", "b"), 4, 1)
    assert "mean - : -" in so_far(standing)
    for number, gain in enumerate((3.0, 1.5, 4.0)):
        standing.add(alone(number, number // 2, number % 2, gain))
    assert standing.score is None
    assert "3 of 4 games, mean 3.5 : 1.5" in so_far(standing)
    assert "leading a 3.5, b 1.5" in tournament_so_far(standing)


@pytest.mark.parametrize(
    ("proven", "decided"),
    [((0.5, 0.5), True), ((0.5, 0.25), False), ((0.5, None), False), ((None, None), False), ((1.0,), True)],
)
def test_a_start_is_decided_for_a_player_alone_where_every_move_brings_the_same(proven, decided):
    assert settles(proven, Climb) == decided


# --- three players and payoffs ----------------------------------------------------------------------


def test_three_with_payoffs_see_their_mean_returns_by_player(run, tmp_path):
    file = tmp_path / "matches.sqlite"
    words = (SHARES, GREEDY, LAZY, "random", "--games", "6", "--openings-depth", "0", "--seed", "2")
    shown = run("match", *words, "--store", file).stdout
    assert "Elo" in shown
    assert "points" in shown
    assert "mean return, 95 %" in shown
    assert "as player 2" in shown
    values = json.loads(run("results", "1", "--store", file, "--json").stdout)
    assert len(values["ratings"]) == 3
    lazy = values["payoffs"][1]
    assert (lazy["bot"], lazy["mean"], lazy["games"]) == (LAZY, 0.0, 6)
    assert [seat["games"] for seat in lazy["seats"]] == [2, 2, 2]
    greedy = values["payoffs"][0]
    assert greedy["mean"] > 1
    assert greedy["low"] < greedy["mean"] < greedy["high"]
    assert greedy["mean"] == pytest.approx(sum(seat["mean"] for seat in greedy["seats"]) / 3)
    assert "mean return" in str(MatchResult.of_stored(*_stored(file)))


def test_two_who_win_draw_or_lose_see_points_alone(run, tmp_path):
    shown = run(
        "match", "nim", "random", "random", "-n", "2", "--openings-depth", "0", "--store", tmp_path / "m"
    )
    assert "mean return" not in shown.stdout
