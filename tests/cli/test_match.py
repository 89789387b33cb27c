"""The commands match, results, replay and review."""

import csv
import json
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.match_result import Standing
from branchwise.arena.records.record import GamePlan, GameRecord, MoveRecord
from branchwise.arena.review import ranked, review
from branchwise.arena.statistics.elo import elo_difference
from branchwise.arena.statistics.score import Score
from branchwise.arena.store.store import Store
from branchwise.cli.matches.match import so_far
from branchwise.cli.matches.replay import Replay
from branchwise.cli.terminal.screen import Screen
from branchwise.games.connect_four import ConnectFour
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing import solve_actions
from support.rules import Race

BOTS = ("mcts(simulations=100)", "random")
RULES = Path(__file__).parents[1] / "support/rules.py"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A store with a match of four games, and one of which two of six games have been played."""
    file = tmp_path_factory.mktemp("store") / "matches.sqlite"
    bw.Match("connect_four", BOTS, games=4, seed=1).run(store=file)
    match = bw.Match("tic_tac_toe", ["random", "random"], games=6, seed=2, openings_depth=0)
    with Store(file) as store:
        number = store.begin("tic_tac_toe", match.bots, 6, match.settings(), {})
        for record in match.run().records[:2]:
            store.add(number, record)
        store.release(number)
    return file


# --- match ------------------------------------------------------------------------------------------


def test_match_plays_and_shows_a_table(run, tmp_path):
    shown = run("match", "nim", *BOTS, "--games", "4", "--seed", "1", "--store", tmp_path / "m.sqlite")
    assert shown.code == 0
    assert "match 1: nim, 4 of 4 games" in shown.out
    rows = [line.split() for line in shown.out.splitlines()]
    assert ["bot", "points", "share", "won", "drawn", "lost", "faults"] in rows
    assert next(row for row in rows if row[:1] == [BOTS[0]])[1:4] == ["4", "100.0%", "4"]


def test_match_shows_what_it_says_of_strength(run, tmp_path):
    words = ("match", "nim", *BOTS, "--games", "8", "--seed", "1", "--store", tmp_path / "m.sqlite")
    shown = run(*words).out
    assert f"score     100.0% [51.0, 100.0] for {BOTS[0]}" in shown
    assert "Elo       above +7\n" in shown
    assert "pairs     0 points: 0, 0.5: 0, 1: 0, 1.5: 0, 2: 4" in shown
    assert shown in run("results", "1", "--store", tmp_path / "m.sqlite").out.replace(
        time_of(run("results", "1", "--store", tmp_path / "m.sqlite").out), time_of(shown)
    )
    score = json.loads(run("results", "1", "--json", "--store", tmp_path / "m.sqlite").out)["score"]
    assert (score["mean"], score["pairs"], score["elo"]["value"]) == (1.0, [0, 0, 0, 0, 4], None)


def time_of(shown):
    return shown.partition("\n")[0].rpartition(", ")[2]


def test_match_stops_when_its_test_is_answered(run, tmp_path):
    store = tmp_path / "m.sqlite"
    words = ("match", "nim", *BOTS, "--sprt", "0,100", "--alpha", "0.1", "--seed", "1", "--store", store)
    shown = run(*words)
    assert shown.code == 0
    assert "test      H0: 0 Elo, H1: 100, alpha 0.1, beta 0.05" in shown.out
    assert "(-2.89, +2.25): H1 accepted" in shown.out
    assert "of 10,000 games" in shown.out
    found = json.loads(run("results", "1", "--store", store, "--json").out)
    assert found["ended_by"] == found["sprt"]["verdict"] == "H1 accepted"
    assert (found["state"], found["settings"]["sprt"]["elo1"]) == ("complete", 100.0)
    assert found["sprt"]["llr"] >= found["sprt"]["upper"]
    assert found["sprt"]["counted"] == found["score"]["games"] < 100


def test_match_tells_how_it_stands():
    standing = Standing(("a", "b"), 100, test=bw.Sprt(0, 30).state(Score()))
    assert so_far(standing) == "0 of 100 games, 0 : 0, LLR +0.00 (-2.94, +2.94)"
    standing = Standing(("a", "b"), 100)
    for number, returns in enumerate([(1.0, -1.0), (1.0, -1.0), (0.0, 0.0)]):
        plan = GamePlan(number, number // 2, (), [(0, 1), (1, 0)][number % 2], (1, 2))
        standing.add(GameRecord(plan, returns, "end"), earlier=True)
    assert so_far(standing) == f"3 of 100 games, 1.5 : 1.5, Elo {elo_difference(standing.score)}"


def test_match_as_json_names_faults(run, tmp_path):
    bot = tmp_path / "broken_bot.py"
    bot.write_text(
        "import branchwise as bw\nclass Broken(bw.Bot):\n    def choose(self, state):\n        return 1 / 0\n"
    )
    words = ("match", "nim", str(bot), "random", "--games", "2", "--store", tmp_path / "m.sqlite")
    shown = json.loads(run(*words, "--json").out)
    assert (shown["played"], shown["ended_by"], shown["endings"]) == (2, "games", {"error": 2})
    assert shown["bots"][0]["faults"] == 2
    assert {fault["bot"] for fault in shown["faults"]} == {str(bot)}
    assert {fault["detail"] for fault in shown["faults"]} == {"ZeroDivisionError('division by zero')"}
    listed = run("results", "1", "--store", tmp_path / "m.sqlite").out
    assert "lost by error: ZeroDivisionError('division by zero')" in listed.replace("\n", " ")


def test_match_takes_openings_from_a_file(run, tmp_path):
    openings = tmp_path / "openings.txt"
    openings.write_text("d1 d2 # centre\na1 a2\n")
    store = tmp_path / "m.sqlite"
    words = ("match", "connect_four", "random", "random", "-n", "6", "--openings", openings, "--store", store)
    assert run(*words).code == 0
    with Store(store) as kept:
        assert [record.plan.opening for record in kept.games(1)] == [(3, 3)] * 2 + [(0, 0)] * 2 + [(3, 3)] * 2


def test_match_resumes_the_latest_that_is_open(run, file, tmp_path):
    copy = tmp_path / "copy.sqlite"
    with Store(file) as store:
        before = store.games(2)
        store._db.execute("VACUUM INTO ?", (str(copy),))
    shown = run("match", "--resume", "--store", copy, "--json")
    assert shown.code == 0
    assert json.loads(shown.out)["match"] == 2
    assert json.loads(shown.out)["played"] == 6
    with Store(copy) as store:
        assert store.games(2)[:2] == before
        assert store.match(2).state == "complete"
    assert run("match", "--resume", "--store", copy).code == 2
    assert "match 1 is complete" in run("match", "--resume", "1", "--store", copy).err


# --- results ----------------------------------------------------------------------------------------


def test_results_list_the_matches_the_latest_first(run, file):
    shown = run("results", "--store", file)
    assert shown.code == 0
    lines = shown.out.splitlines()
    assert lines[1].split()[0] == "2"
    assert "interrupted" in lines[1]
    assert "2 of 6" in lines[1]
    assert "complete" in shown.out
    listed = json.loads(run("results", "--store", file, "--json").out)
    assert [(one["match"], one["state"], one["played"]) for one in listed] == [
        (2, "interrupted", 2),
        (1, "complete", 4),
    ]


def test_results_show_one_match_and_its_games(run, file):
    shown = run("results", "1", "--games", "--store", file)
    assert "match 1: connect_four, 4 of 4 games" in shown.out
    assert "seed 1" in shown.out
    assert sum(line.split()[:1] in (["0"], ["1"], ["2"], ["3"]) for line in shown.out.splitlines()) == 4
    shown = json.loads(run("results", "1", "--store", file, "--json").out)
    assert shown["settings"]["names"] == list(BOTS)
    assert shown["bots"][0]["games"] == 4


def test_results_export_lines_of_json_that_hold_everything(run, file, tmp_path):
    out = tmp_path / "games.jsonl"
    assert run("results", "1", "--export", out, "--store", file).code == 0
    games = [json.loads(line) for line in out.read_text().splitlines()]
    assert [game["game"] for game in games] == [0, 1, 2, 3]
    with Store(file) as store:
        for game, record in zip(games, store.games(1), strict=True):
            texts = [*game["opening"], *(move["move"] for move in game["moves"])]
            assert ConnectFour.from_actions(texts) == ConnectFour.from_actions(record.actions)
            assert game["returns"] == list(record.returns)
            assert game["bots"] == [BOTS[bot] for bot in record.plan.seating]
            assert [move["simulations"] for move in game["moves"]] == [m.simulations for m in record.moves]
            for move, kept in zip(game["moves"], record.moves, strict=True):
                assert [child["visits"] for child in move["children"]] == [c.visits for c in kept.children]


def test_results_export_a_table(run, file, tmp_path):
    out = tmp_path / "games.csv"
    assert run("results", "1", "--export", out, "--store", file).code == 0
    with out.open(newline="") as table:
        rows = list(csv.DictReader(table))
    with Store(file) as store:
        for row, record in zip(rows, store.games(1), strict=True):
            moves = f"{row['opening']} {row['moves']}".split()
            assert ConnectFour.from_actions(moves) == ConnectFour.from_actions(record.actions)
            assert row["bots"] == "; ".join(BOTS[bot] for bot in record.plan.seating)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["results", "7"], "has no match 7"),
        (["results", "--games"], "the number of the match is missing"),
        (["results", "--export", "x.csv"], "the number of the match is missing"),
        (["results", "1", "--export", "games.xlsx"], "name a file that ends in .jsonl or .csv"),
        (["results", "1", "--export", "/nowhere/games.csv"], "cannot write /nowhere/games.csv"),
        (["replay", "1", "9"], "match 1 has no game 9"),
        (["replay", "9", "0"], "has no match 9"),
        (["replay", "1", "0", "--ply", "99"], "ply = 99 is outside its range"),
        (["replay", "1", "0", "--ply", "-1"], "ply = -1 is outside its range"),
        (["review", "2", "5"], "match 2 has no game 5"),
    ],
)
def test_what_is_not_in_the_store_is_reported(run, file, words, told):
    shown = run(*words, "--store", file)
    assert shown.code == 2
    assert told in shown.err
    assert shown.out == ""


# --- replay -----------------------------------------------------------------------------------------


def test_replay_shows_every_position_with_the_searches_numbers(run, file):
    shown = run("replay", "1", "0", "--store", file).out
    with Store(file) as store:
        record = store.game(1, 0)
    state = ConnectFour.from_actions(record.plan.opening)
    assert str(state) in plain(shown)
    for move in record.moves:
        text = state.action_to_string(move.action)
        assert f"{move.ply + 1}. {text}, player {move.seat}, {BOTS[record.plan.seating[move.seat]]}" in shown
        state.apply_action(move.action)
        assert str(state) in plain(shown)
    assert "100 simulations" in shown
    assert "The end, " in shown
    assert "of the opening" in shown


def plain(text):
    return "\n".join(line.rstrip() for line in text.splitlines())


def test_replay_shows_one_position(run, file):
    shown = run("replay", "1", "1", "--ply", "0", "--store", file).out
    assert shown.startswith("the start\n")
    assert shown.count(" a b c d e f g") == 1
    as_json = json.loads(run("replay", "1", "1", "--json", "--store", file).out)
    assert as_json["match"] == 1
    assert len(as_json["opening"]) == 4


def test_replay_steps_as_it_is_reported(file, capsys):
    with Store(file) as store:
        stored, record = store.match(1), store.game(1, 0)
    last = len(record.actions)
    answers = iter(["", "b", "what", "0", str(last), "", "q"])
    Replay(stored, record, ConnectFour, Screen()).step(lambda prompt: next(answers))
    shown = capsys.readouterr().out
    titles = [line.split(".")[0] for line in shown.splitlines() if ", player " in line and "." in line]
    assert [title for title in titles if title.isdecimal()] == ["4", "5", "4", "4", str(last), str(last)]
    assert "the start" in shown
    assert '"what" is not one of' in shown
    assert "This is the end of the game." in shown


# --- review -----------------------------------------------------------------------------------------


def record_of(game, opening, moves):
    state = game.from_actions(opening)
    found = []
    for ply, move in enumerate(moves, start=len(opening)):
        action = state.check_action(move)
        found.append(MoveRecord(ply, int(state.current_player()), action))
        state.apply_action(action)
    actions = tuple(game.from_actions(opening[:i]).check_action(m) for i, m in enumerate(opening))
    return GameRecord(
        GamePlan(0, 0, actions, (0, 1), (1, 2)), tuple(state.returns()), "end", moves=tuple(found)
    )


def test_review_prices_every_move_as_an_exact_solver_does():
    record = record_of(TicTacToe, ["b2"], ["a2", "b1", "b3", "a1", "c3", "a3", "c1", "c2"])
    reviews = list(review(TicTacToe, record, simulations=20_000))
    assert [reviewed.move.ply for reviewed in reviews] == list(range(1, 9))
    for reviewed in reviews:
        exact = solve_actions(reviewed.state)
        lost = max(exact.values()) - exact[reviewed.move.action]
        assert reviewed.lost == pytest.approx(lost, abs=0.05)
        if lost:
            assert exact[reviewed.best] == max(exact.values())
    assert [round(reviewed.lost) for reviewed in ranked(reviews)[:3]] in ([1, 1], [1, 1, 0])


def test_review_knows_the_move_played_as_well_as_the_best():
    record = record_of(ConnectFour, ["d1"], ["a1", "d2"])
    first, second = review(ConnectFour, record, simulations=4000)
    for reviewed in (first, second):
        assert reviewed.played.visits >= 1999  # one opens the root
    assert first.best != first.move.action or first.lost == 0


def test_review_searches_a_move_on_when_another_is_proven_to_win_at_once():
    """X could win with a3 and plays c3, which loses to b3."""
    record = record_of(TicTacToe, ["a1", "b1", "a2", "b2"], ["c3", "b3"])
    blunder, last = review(TicTacToe, record, simulations=2000)
    assert blunder.better.action == TicTacToe.from_actions(["a1", "b1", "a2", "b2"]).action_from_string("a3")
    assert (blunder.better.value, blunder.played.value, blunder.played.proven) == (1.0, -1.0, -1.0)
    assert blunder.lost == 2.0
    assert last.lost == 0.0


def test_review_among_three_players_speaks_for_who_moved():
    """With 8 of 10 reached, adding 2 wins at once, and adding 1 gives the game to the next."""
    state = Race.from_actions([1, 1, 1, 1])
    assert state.total == 8
    record = record_of(Race, [1, 1, 1, 1], [0, 0])
    (reviewed, last) = review(Race, record, simulations=500)
    assert reviewed.lost == pytest.approx(2.0, abs=0.05)
    assert (reviewed.best, reviewed.played.action) == (1, 0)
    assert (last.lost, last.best) == (0.0, 0)


def test_review_ranks_mistakes_on_the_command_line(run, file):
    words = ("review", "1", "1", "--simulations", "500", "--top", "3", "--store", file)
    shown = run(*words)
    assert shown.code == 0
    assert "match 1, game 1: " in shown.out
    found = json.loads(run(*words, "--json").out)
    lost = [mistake["lost"] for mistake in found["mistakes"]]
    assert lost == sorted(lost, reverse=True)
    assert len(lost) == 3
    assert all(m["best_value"] - m["value"] == pytest.approx(m["lost"]) for m in found["mistakes"])
    assert found == json.loads(run(*words, "--json").out)


def test_games_of_three_are_counted_by_place(run, tmp_path):
    """Two who lose to one winner have not drawn."""
    bots = ("random", "random", "flat(simulations=20)")
    store = ("--store", tmp_path / "m.sqlite")
    shown = run("match", f"{RULES}:Race", *bots, "--games", "6", "--seed", "1", *store).out
    rows = [line.split() for line in shown.splitlines()]
    heading = next(row for row in rows if row[:1] == ["bot"])
    assert heading[-4:] == ["1st", "2nd", "3rd", "faults"]
    found = json.loads(run("results", "1", "--json", *store).out)["bots"]
    assert [sum(bot["places"]) for bot in found] == [6, 6, 6]
    assert [sum(places) for places in zip(*(bot["places"] for bot in found), strict=True)] == [6, 12, 0]
    assert {"wins", "draws", "losses"}.isdisjoint(found[0])
    flat = next(row for row in rows if row[:1] == ["flat(simulations=20)"])
    assert flat[-3:] == [str(count) for count in found[2]["places"]]
