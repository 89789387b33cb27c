"""The strength that a match shows, and tests that stop it: exact values, any order, resumption."""

import math
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchwise as bw
from branchwise.arena.match_result import MatchResult, Standing
from branchwise.arena.records.record import GamePlan, GameRecord
from branchwise.arena.statistics.score import Score
from branchwise.arena.statistics.sprt import Sprt, Verdict
from branchwise.arena.statistics.stopping import RoundsInOrder, SprtJudge, first_verdict
from branchwise.arena.store.store import Store
from branchwise.arena.store.tables import VERSION

BOTS = ("mcts(simulations=60)", "mcts(simulations=25)")
RETURNS = {1.0: (1.0, -1.0), 0.5: (0.0, 0.0), 0.0: (-1.0, 1.0)}


def game(number, points):
    """A game with the given points for the first bot."""
    seating = (0, 1) if number % 2 == 0 else (1, 0)
    returns = RETURNS[points if seating[0] == 0 else 1 - points]
    return GameRecord(GamePlan(number, number // 2, (), seating, (1, 2)), returns, "end")


def match_of(points, *, sprt=None, ended_by="games", left_out=()):
    records = tuple(game(number, made) for number, made in enumerate(points) if number not in left_out)
    return MatchResult(None, "nim", ("a", "b"), len(points), records, ended_by, sprt=sprt)


# --- scores -----------------------------------------------------------------------------------------


def test_a_match_has_the_score_of_its_pairs():
    result = match_of([1, 1, 1, 0.5, 1, 0, 0.5, 0.5, 0, 0.5, 0, 0, 1])
    assert result.score() == Score(pairs=(1, 1, 2, 1, 1), drawn_pairs=1, singles=(0, 0, 1))
    assert result.score(1) == result.score().reversed()
    assert result.elo().value == pytest.approx(-result.elo(1).value)
    assert result.likelihood_of_superiority() == pytest.approx(1 - result.likelihood_of_superiority(1))


def test_games_whose_partner_is_missing_count_alone():
    result = match_of([1, 0, 1, 1], left_out=(1,))
    assert result.score() == Score(pairs=(0, 0, 0, 0, 1), singles=(0, 0, 1))


def test_ratings_of_two_agree_with_their_difference_in_elo():
    result = match_of([1, 0, 1, 1, 0, 1] * 20)
    strong, weak = result.ratings()
    assert (strong.player, weak.player) == ("a", "b")
    assert strong.elo - weak.elo == pytest.approx(result.elo().value, abs=2)


def test_a_standing_has_the_score_of_the_match_whatever_the_order_of_games():
    points = [1, 1, 1, 0.5, 1, 0, 0.5, 0.5, 0, 0.5]
    standing = Standing(("a", "b"), 10)
    for number in (3, 0, 9, 1, 2, 8, 5):
        standing.add(game(number, points[number]))
    assert standing.score == match_of(points, left_out=(4, 6, 7)).score()
    assert Standing(("a", "b", "c"), 10).score is None


def test_more_than_two_bots_have_ratings_and_no_score():
    records = tuple(
        GameRecord(GamePlan(n, n // 3, (), (n % 3, (n + 1) % 3, (n + 2) % 3), (1, 2, 3)), returns, "end")
        for n, returns in enumerate([(1.0, -1.0, -1.0), (-1.0, -1.0, 1.0), (1.0, 0.0, -1.0)])
    )
    result = MatchResult(None, "race", ("a", "b", "b"), 3, records)
    assert {rating.player: rating.games for rating in result.ratings()} == {"a": 3, "b": 3, "b #2": 3}
    assert result.ratings()["a"].elo > result.ratings()["b"].elo
    with pytest.raises(bw.ResultsError, match="race is no game for two"):
        result.score()


def test_without_games_there_is_nothing_to_say():
    result = match_of([])
    assert result.score() == Score()
    assert str(result) == "a : b, nim, 0 of 0 games"
    for ask in (result.elo, result.ratings):
        with pytest.raises(bw.ResultsError, match="no games have been played"):
            ask()
    with pytest.raises(bw.SettingsError, match="bot = 2"):
        result.score(2)


def test_a_match_says_what_it_found():
    result = match_of([1, 0.5] * 30, sprt=Sprt(0, 100))
    assert str(result).splitlines() == [
        "a : b, nim, 60 of 60 games",
        str(result.score()),
        f"Elo {result.elo()}, likelihood of superiority {result.likelihood_of_superiority():.1%}",
        f"H0: 0 Elo, H1: 100, alpha 0.05, beta 0.05: {result.sprt_state()}",
    ]


# --- rounds in order --------------------------------------------------------------------------------

pairs = st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0])] * 2), min_size=1, max_size=60)


@settings(max_examples=40)
@given(pairs=pairs, elo1=st.sampled_from([30, 200]), data=st.data())
def test_a_verdict_does_not_depend_on_the_order_in_which_games_end(pairs, elo1, data):
    """The verdict and its pair are the same for games in any order, judged one by one or afterwards."""
    points = [made for pair in pairs for made in pair]
    sprt = Sprt(0, elo1, alpha=0.2, beta=0.2)
    records = [game(number, made) for number, made in enumerate(points)]
    state, counted = first_verdict(sprt, records)
    judge = SprtJudge(sprt)
    rounds = RoundsInOrder(2, [judge])
    reasons = [rounds(record) for record in data.draw(st.permutations(records))]
    ended_by = next((reason for reason in reasons if reason), "")
    assert ended_by == ("" if state.verdict is Verdict.CONTINUE else state.verdict.value)
    if counted is None:
        assert judge.state.llr == pytest.approx(state.llr, abs=1e-9)
        assert state.llr == pytest.approx(sprt.llr(match_of(points).score()), abs=1e-9)
    else:
        assert sprt.state(match_of(points[:counted]).score()).verdict is state.verdict
        for fewer in range(0, counted, 2):
            assert sprt.state(match_of(points[:fewer]).score()).verdict is Verdict.CONTINUE


def test_pairs_after_one_that_is_missing_do_not_count():
    won = [1.0] * 200
    sprt = Sprt(0, 50)
    assert match_of(won, sprt=sprt).sprt_state().verdict is Verdict.H1
    state, counted = first_verdict(sprt, match_of(won, left_out=(5,)).records)
    assert counted is None
    assert state == sprt.state(Score(pairs=(0, 0, 0, 0, 2)))


def test_games_that_end_after_the_verdict_are_kept_and_do_not_count():
    sprt = Sprt(0, 50)
    counted = len(match_of([1.0] * 200, sprt=sprt).counted)
    result = match_of([1.0] * counted + [0.0] * 6, sprt=sprt, ended_by="H1 accepted")
    assert (len(result.records), len(result.counted)) == (counted + 6, counted)
    assert result.score() == Score(pairs=(0, 0, 0, 0, counted // 2))
    assert result.tallies()[0].points == counted


# --- matches with a test ----------------------------------------------------------------------------

TESTED = {"sprt": bw.Sprt(0, 100, alpha=0.1, beta=0.1), "games": 400, "seed": 3}


@pytest.fixture(scope="module")
def tested():
    return bw.Match("connect_four", BOTS, **TESTED, concurrency=1).run()


def test_a_test_stops_the_match_at_its_verdict(tested):
    assert tested.ended_by == tested.sprt_state().verdict.value
    assert tested.sprt_state().verdict is not Verdict.CONTINUE
    assert len(tested.counted) % 2 == 0
    assert len(tested.counted) <= len(tested.records) < 400


def test_how_many_games_are_played_at_once_does_not_change_what_is_found(tested):
    other = bw.Match("connect_four", BOTS, **TESTED, concurrency=3).run()
    assert other.sprt_state() == tested.sprt_state()
    assert other.score() == tested.score()
    assert [r.plan for r in other.counted] == [r.plan for r in tested.counted]


def test_a_resumed_match_continues_with_its_test(tested, tmp_path):
    match = bw.Match("connect_four", BOTS, **TESTED)
    assert bw.Match.from_settings(match.settings()).sprt == TESTED["sprt"]
    with Store(tmp_path / "m.sqlite") as store:
        number = store.begin("connect_four", match.bots, match.games, match.settings(), {})
        for record in tested.counted[1 : len(tested.counted) - 3 : 2]:
            store.add(number, record)
        store.release(number)
        states = []
        result = bw.Match.resume(store, progress=lambda standing: states.append(standing.test))
        assert (result.ended_by, result.sprt_state()) == (tested.ended_by, tested.sprt_state())
        assert result.score() == tested.score()
        stored = store.match(number)
        assert (stored.state, stored.ended_by) == ("complete", tested.ended_by)
        assert MatchResult.of_stored(stored, store.games(number)).sprt_state() == tested.sprt_state()
    assert all(state is not None for state in states)


def test_a_match_whose_test_has_been_answered_ends_at_once(tested, tmp_path):
    """The match is killed between its last game and its end."""
    match = bw.Match("connect_four", BOTS, **TESTED)
    with Store(tmp_path / "m.sqlite") as store:
        number = store.begin("connect_four", match.bots, match.games, match.settings(), {})
        for record in tested.counted:
            store.add(number, record)
        store.release(number)
        result = bw.Match.resume(store)
    assert (result.ended_by, len(result.records)) == (tested.ended_by, len(tested.counted))


def test_equal_bots_at_the_limit_leave_the_question_open():
    result = bw.Match("nim", ["random", "random"], games=10, seed=1, sprt=bw.Sprt(0, 5)).run()
    assert result.ended_by == "games"
    assert result.sprt_state().verdict is Verdict.CONTINUE
    assert len(result.counted) == 10


def test_games_of_a_match_are_100_and_with_a_test_10_000():
    assert bw.Match("nim", ["random", "random"]).games == 100
    assert bw.Match("nim", ["random", "random"], sprt=bw.Sprt(0, 5)).games == 10_000


def test_a_test_among_more_than_two_is_refused():
    from support.rules import Race

    with pytest.raises(bw.SettingsError, match="compares two bots, and race has 3 players"):
        bw.Match(Race, ["random"] * 3, sprt=bw.Sprt(0, 5))


def test_a_store_of_the_first_layout_is_brought_up_to_date(tmp_path):
    file = tmp_path / "old.sqlite"
    bw.Match("nim", ["random", "random"], games=4, seed=1).run(store=file)
    db = sqlite3.connect(file)
    for column in ("kind", "best", "seal"):
        db.execute(f"ALTER TABLE matches DROP COLUMN {column}")
    db.execute("ALTER TABLE games DROP COLUMN dice")
    db.execute("ALTER TABLE moves DROP COLUMN reached")
    db.execute("PRAGMA user_version = 1")
    db.close()
    with Store(file) as store:
        assert (store.match().kind, store.match().played) == ("match", 4)
    db = sqlite3.connect(file)
    assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
    db.close()


def test_numbers_without_an_end_are_null_in_json():
    from branchwise.cli.matches.scores import score_to_dict

    shown = score_to_dict(match_of([1.0] * 10).score())
    assert (shown["elo"]["value"], shown["elo"]["high"]) == (None, None)
    assert math.isfinite(shown["elo"]["low"])
