"""Whole tournaments: results, bots that misbehave, SIGKILL, resumption, output of the commands."""

import json
import signal
import sys
import time
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.records.record import GamePlan, GameRecord
from branchwise.arena.statistics.ratings import rate
from branchwise.arena.statistics.score import Score
from branchwise.arena.store.store import Store
from branchwise.arena.tournament_result import Encounters, TournamentResult
from support.matches import played, start
from support.rows import slow

TESTS = Path(__file__).parents[1]
UNRULY = f"{TESTS / 'support/unruly.py'}:"
RACE = f"{TESTS / 'support/rules.py'}:Race"
BOTS = ("mcts(simulations=60)", "mcts(simulations=5)", "random", "flat(simulations=5)", "mcts(simulations=2)")

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def content(records):
    return [(r.plan, r.returns, r.ending, r.actions) for r in records]


def tournament(form, **options):
    given = {"games": 4, "seed": 2, "format": form, **options}
    return bw.Tournament("tic_tac_toe", BOTS, **given)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A store with a round robin, a knockout, and a match."""
    file = tmp_path_factory.mktemp("store") / "matches.sqlite"
    tournament("round-robin").run(store=file)
    tournament("knockout").run(store=file)
    with Store(file) as store:
        store.release(store.begin("nim", ("random", "random"), 2, {}, {}), "games")
    return file


def stored(file, number):
    with Store(file) as store:
        return TournamentResult.of_stored(store.match(number), store.games(number))


# --- what they find ---------------------------------------------------------------------------------


def test_a_round_robin_has_every_two_bots_meet(file):
    result = stored(file, 1)
    assert (result.ended_by, result.games, len(result.records)) == ("games", 40, 40)
    assert set(result.cross_table()) == {(a, b) for a in range(5) for b in range(5) if a != b}
    assert all(score.games == 4 for score in result.scores().values())
    assert [tally.games for tally in result.tallies()] == [16] * 5
    assert sum(tally.points for tally in result.tallies()) == 40
    for record in result.records:
        assert bw.load_game("tic_tac_toe").from_actions(record.actions).is_terminal() == (
            record.ending == "end"
        )
    assert result.ranking()[-1] == BOTS.index("random")
    assert [rating.player for rating in result.ratings()] == [BOTS[bot] for bot in result.ranking()]
    assert str(result).splitlines()[0] == "round-robin of 5 bots, tic_tac_toe, 40 of 40 games"
    assert str(result).endswith(str(result.ratings()))


def test_games_do_not_depend_on_how_many_are_played_at_once(file):
    result = tournament("knockout", concurrency=1).run()
    assert content(result.records) == content(stored(file, 2).records)
    assert result.ranking() == stored(file, 2).ranking()


def test_a_knockout_has_a_winner_who_won_all_duels(file):
    result = stored(file, 2)
    bracket = result.bracket()
    assert bracket.champion == result.ranking()[0]
    assert result.games == len(result.records)
    assert f"won by {BOTS[bracket.champion]}" in str(result)
    for duel in (duel for duels in bracket.rounds for duel in duels if duel.decided_by != "bye"):
        first, second = (BOTS[bot] for bot in duel.bots)
        assert result.score(first, second).points == duel.result[0]
        assert result.score(second, first).points == duel.result[1]


def test_a_gauntlet_of_three_players_has_every_group_with_the_first():
    result = bw.Tournament(RACE, ["random", *BOTS[1:4:2], BOTS[4]], games=3, seed=1, format="gauntlet").run()
    assert len(result.records) == 3 * 3
    groups = {frozenset(record.plan.seating) for record in result.records}
    assert groups == {frozenset(group) for group in ((0, 1, 2), (0, 1, 3), (0, 2, 3))}
    assert result.cross_table()[0, 1].games == 6
    assert result.cross_table()[1, 2].games == 3
    assert {rating.player: rating.games for rating in result.ratings()}["random"] == 9
    with pytest.raises(bw.ResultsError, match="race is no game for two"):
        result.scores()


def test_figures_of_a_tournament_are_those_of_its_games():
    """a beats b twice and draws with c once; c and b have one game without its partner."""
    played = [((0, 1), (1, -1)), ((1, 0), (-1, 1)), ((0, 2), (0, 0)), ((2, 0), (-1, 1)), ((2, 1), (1, -1))]
    records = tuple(
        GameRecord(GamePlan(number, number // 2, (), seating, (1, 2)), returns, "end")
        for number, (seating, returns) in enumerate(played)
    )
    result = TournamentResult(None, "nim", ("a", "b", "c"), "round-robin", 6, 2, 0, records)
    scores = {
        ("a", "b"): Score(pairs=(0, 0, 0, 0, 1)),
        ("a", "c"): Score(pairs=(0, 0, 0, 1, 0)),
        ("b", "c"): Score(singles=(1, 0, 0)),
    }
    assert result.scores() == scores
    assert result.score("c", "a") == scores["a", "c"].reversed()
    assert result.cross_table() == {
        (0, 1): Encounters(2, 2),
        (1, 0): Encounters(0, 2),
        (0, 2): Encounters(1.5, 2),
        (2, 0): Encounters(0.5, 2),
        (1, 2): Encounters(0, 1),
        (2, 1): Encounters(1, 1),
    }
    assert str(result.ratings()) == str(rate(scores))
    assert result.ratings(anchor=("b", 1000))["b"].elo == 1000
    assert result.ranking() == [0, 2, 1]
    with pytest.raises(bw.UnknownNameError, match="no bot in the tournament"):
        result.score("a", "d")


def test_a_tournament_without_games_has_nothing_to_say():
    result = TournamentResult(None, "nim", ("a", "b", "c"), "knockout", 4, 2, 1, ())
    assert (result.ranking(), result.cross_table(), result.scores()) == ([0, 1, 2], {}, {})
    assert str(result) == "knockout of 3 bots, nim, 0 of 4 games"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"format": "knokout"}, 'did you mean "knockout"?'),
        ({"games": 5}, "5 games leave the seats uneven"),
        ({"games": 0}, "games = 0"),
        ({"further_pairs": 2}, "further_pairs are for a knockout"),
        ({"format": "knockout", "further_pairs": -1}, "further_pairs = -1"),
        ({"bots": ["random"]}, "1 bots cannot play a tournament of nim"),
        ({"bots": ["mcts", "random", "mcts(simulations=9)"], "simulations": 9}, "are the same bot"),
        ({"bots": ["random", "rndom"]}, 'did you mean "random"'),
        ({"bots": ["random", "human"]}, "a person cannot play"),
        ({"game": RACE, "format": "knockout"}, "a knockout is for games of two, and race has 3 players"),
        ({"game": RACE, "games": 4}, "a multiple of 3, such as 6"),
        ({"game": RACE, "bots": ["random", "flat"]}, "2 bots cannot play a tournament of race"),
        (
            {"game": RACE, "bots": [f"mcts(simulations={n})" for n in range(1, 400)]},
            "games of the tournament = 220655379",
        ),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, told):
    given = {"game": "nim", "bots": ["random", "flat", "mcts"], **options}
    with pytest.raises(bw.BranchwiseError) as caught:
        bw.Tournament(given.pop("game"), given.pop("bots"), **given)
    assert told in str(caught.value)


# --- bots that misbehave ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["round-robin", slow("knockout")])
def test_faults_lose_the_game_and_nothing_else(form):
    bots = [f"{UNRULY}Quitter(good=1)", f"{UNRULY}Thrower(good=1)", f"{UNRULY}Answers(good=1)", "random"]
    game = "nim(heaps=(40,))"
    result = bw.Tournament(game, bots, games=2, seed=1, format=form, further_pairs=None, openings=[[]]).run()
    assert result.ended_by == "games"
    for record in result.records:
        assert record.bot_at_fault != 3
        assert (record.ending in ("died", "error", "illegal")) == (record.fault is not None)
    faults = [tally.faults for tally in result.tallies()]
    assert faults[3] == 0
    assert sum(faults) == len(result.faults()) == len(result.records)
    assert result.ranking()[0] == 3
    if form == "round-robin":
        assert len(result.records) == 12
        assert result.tallies()[3].points == 6
    else:
        assert result.bracket().champion == 3


# --- interruption and going on ----------------------------------------------------------------------


@linux
def test_a_tournament_killed_continues_to_the_same_end(file, tmp_path):
    own = tmp_path / "own.sqlite"
    words = ["tic_tac_toe", *BOTS, "--format", "knockout", "--games", "4", "--seed", "2", "-j", "2"]
    process = start("tournament", own, *words)
    until = time.monotonic() + 60
    while played(own) < 5 and time.monotonic() < until:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    expected = content(stored(file, 2).records)
    with Store(own) as store:
        kept = content(store.games(1))
        assert len(kept) >= 5
        assert all(one in expected for one in kept)
        if store.match(1).state != "complete":
            result = bw.Tournament.resume(store)
            assert result.ended_by == "games"
        assert content(store.games(1)) == expected
        assert (store.match(1).state, store.match(1).kind) == ("complete", "tournament")


def test_a_round_robin_of_which_any_games_are_missing_is_played_to_the_same_end(file, tmp_path):
    one = tournament("round-robin")
    expected = stored(file, 1).records
    with Store(tmp_path / "own.sqlite") as store:
        number = store.begin("tic_tac_toe", one.bots, one.games, one.settings(), {}, kind="tournament")
        for record in expected[3:30:2]:
            store.add(number, record)
        store.release(number)
        assert stored(tmp_path / "own.sqlite", number).ranking()  # an incomplete tournament can be shown
        result = bw.Tournament.resume(store)
        assert [record.returns for record in result.records] == [record.returns for record in expected]
        assert content(store.games(number)) == content(expected)


def test_what_is_complete_or_something_else_cannot_be_resumed(file):
    with pytest.raises(bw.StoreError, match="tournament 1 is complete"):
        bw.Tournament.resume(file, 1)
    with pytest.raises(bw.StoreError, match="no tournament that was interrupted"):
        bw.Tournament.resume(file)
    with pytest.raises(bw.StoreError, match="3 is a match") as caught:
        bw.Tournament.resume(file, 3)
    assert caught.value.mend == "branchwise match --resume 3"
    with pytest.raises(bw.StoreError, match="1 is a tournament"):
        bw.Match.resume(file, 1)


def test_settings_come_back_as_they_were():
    for form in ("round-robin", "gauntlet", "knockout"):
        one = tournament(form, clock="60+0.5")
        other = bw.Tournament.from_settings(json.loads(json.dumps(one.settings())))
        assert (other.settings(), other.bots, other.games) == (one.settings(), one.bots, one.games)


# --- commands ---------------------------------------------------------------------------------------


@pytest.fixture
def run(capsys):
    """Run the command line, and return what it showed."""
    from branchwise.cli.app import app

    def run(*words):
        with pytest.raises(SystemExit) as left:
            app([str(word) for word in words], prog_name="branchwise")
        shown = capsys.readouterr()
        return left.value.code, shown.out, shown.err

    return run


def test_tournament_shows_ratings_and_a_cross_table(run, tmp_path):
    words = ["tournament", "tic_tac_toe", *BOTS[:3], "--games", "2", "--seed", "1", "--store", tmp_path / "t"]
    code, out, _ = run(*words)
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[0][:4] == ["tournament", "1:", "round-robin", "of"]
    head = lines.index(["bot", "Elo", "95", "%", "points", "share", "won", "drawn", "lost", "faults"])
    ranked = [line[1] for line in lines[head + 1 : head + 4]]
    assert sorted(ranked) == sorted(BOTS[:3])
    cross = lines.index(["points", "against,", "of", "2", "1", "2", "3"])
    assert [line[:2] for line in lines[cross + 1 : cross + 4]] == [
        [str(n), bot] for n, bot in enumerate(ranked, 1)
    ]
    shown = stored(tmp_path / "t", 1)
    assert float(lines[cross + 1][2]) == shown.score(ranked[0], ranked[1]).points
    assert run("results", "1", "--store", tmp_path / "t")[1].splitlines()[1:10] == out.splitlines()[1:10]


def test_tables_are_not_cut_where_there_is_no_terminal(run, tmp_path):
    bots = [f"{UNRULY}Spoiler(good={100 + n})" for n in range(10)]
    words = ("tic_tac_toe", *bots, "--games", "2", "--openings-depth", "0", "--store", tmp_path / "t")
    code, out, _ = run("tournament", *words)
    assert code == 0
    assert all(out.count(bot) == 2 for bot in bots)
    assert max(map(len, out.splitlines())) > 90


def test_results_list_and_show_tournaments(run, file):
    _, out, _ = run("results", "--store", file)
    assert "round-robin:" in out
    assert "knockout:" in out
    listed = json.loads(run("results", "--store", file, "--json")[1])
    assert [(one["kind"], one.get("tournament", one.get("match"))) for one in listed] == [
        ("match", 3),
        ("tournament", 2),
        ("tournament", 1),
    ]
    code, out, _ = run("results", "2", "--games", "--store", file)
    assert code == 0
    result = stored(file, 2)
    assert f"won by {BOTS[result.bracket().champion]}" in out
    assert "semi-finals" in out
    assert "has a bye" in out
    shown = json.loads(run("results", "2", "--store", file, "--json")[1])
    assert shown["winner"] == shown["bots"][0]["bot"] == BOTS[result.bracket().champion]
    assert [len(duels) for duels in shown["rounds"]] == [4, 2, 1]
    assert shown["settings"]["format"] == shown["format"] == "knockout"
    shown = json.loads(run("results", "1", "--store", file, "--json")[1])
    assert len(shown["scores"]) == 10
    assert len(shown["cross_table"]) == 20
    assert [rating["player"] for rating in shown["ratings"]] == [bot["bot"] for bot in shown["bots"]]


def test_games_of_a_tournament_are_replayed_and_exported(run, file, tmp_path):
    assert "tournament 2 has no game 999" in run("replay", "2", "999", "--store", file)[2]
    number = stored(file, 2).records[-1].number
    code, out, _ = run("replay", "2", number, "--store", file)
    assert code == 0
    assert "The end" in out
    out = tmp_path / "games.jsonl"
    assert run("results", "1", "--export", out, "--store", file)[0] == 0
    games = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(games) == 40
    assert all(set(game["bots"]) <= set(BOTS) and sum(game["points"]) == 1 for game in games)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nim"], "a tournament needs a game and bots"),
        (["nim", "random", "flat", "--format", "swiss"], "format = 'swiss' is unknown"),
        (["nim", "random", "flat", "--games", "3"], "such as 4"),
        (["--resume", "nim"], '"nim" is not the number of a tournament'),
        (["--resume", "--format", "knockout"], "--format cannot be changed when resuming a tournament"),
        (["--resume", "1", "random"], "bots cannot be changed"),
        (["--resume", "--store", "nowhere.sqlite"], "there is no file nowhere.sqlite"),
    ],
)
def test_mistakes_are_reported_in_words(run, words, told):
    code, out, err = run("tournament", *words)
    assert (code, out) == (2, "")
    assert told in err


def test_a_tournament_tells_how_it_stands():
    from branchwise.arena.match_result import Standing
    from branchwise.cli.matches.tournament import so_far

    standing = Standing(("a", "b", "c"), 12)
    assert so_far(standing) == "0 of 12 games"
    for number, (seating, returns) in enumerate([((0, 1), (1, -1)), ((2, 0), (0, 0))]):
        plan = GamePlan(number, number, (), seating, (1, 2))
        standing.add(GameRecord(plan, returns, "end"), earlier=True)
    assert so_far(standing) == "2 of 12 games, leading a 75%, c 50%, b 0%"
