"""Matches and runs of games with continuous actions: what stores keep and exports and replays tell."""

import csv
import json
import sqlite3
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.records.playback import played_again, reached_text
from branchwise.arena.records.record import GamePlan, GameRecord, MoveRecord
from branchwise.arena.review import review
from branchwise.arena.store.store import Store
from branchwise.rules.playthrough.playthrough import Playthrough
from support.boxes import Gusts, Peak

SUPPORT = Path(__file__).parents[1] / "support" / "boxes.py"
DUEL, GUSTS = f"{SUPPORT}:Duel", f"{SUPPORT}:Gusts"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A store with a run of the pendulum, another of a simulator, and a match of two players."""
    file = tmp_path_factory.mktemp("vectors") / "m.sqlite"
    bw.Match("pendulum", ["mcts(simulations=20)"], games=3, seed=5).run(store=file)
    bw.Match(GUSTS, ["random"], games=2, seed=5).run(store=file)
    bw.Match(DUEL, ["mcts(simulations=40)", "random"], games=4, openings_depth=1, seed=5).run(store=file)
    return file


def records_of(file, match):
    with Store(file, create=False) as store:
        return store.games(match)


def test_what_was_stored_is_the_game_that_was_played(stored):
    pendulum, *_ = records_of(stored, 1)
    assert len(pendulum.moves) == 200
    game = bw.load_game("pendulum")
    assert played_again(game, pendulum).paid == pytest.approx(pendulum.returns, abs=1e-9)
    assert pendulum.moves[0].action == pendulum.moves[0].children[0].action
    for record in records_of(stored, 2):
        assert played_again(Gusts, record).paid == record.returns
    duels = records_of(stored, 3)
    assert [record.plan.opening for record in duels[::2]] == [record.plan.opening for record in duels[1::2]]
    assert {record.ending for record in duels} == {"end"}


def test_a_run_that_was_broken_off_continues_with_the_episodes_that_it_would_have_had(stored, tmp_path):
    copy = tmp_path / "copy.sqlite"
    with sqlite3.connect(stored) as db, sqlite3.connect(copy) as other:
        db.backup(other)
    db.close(), other.close()
    before = records_of(copy, 1)
    with sqlite3.connect(copy) as db:
        db.execute("DELETE FROM moves WHERE match = 1 AND game >= 1")
        db.execute("DELETE FROM games WHERE match = 1 AND number >= 1")
        db.execute("UPDATE matches SET ended_by = '' WHERE id = 1")
    db.close()
    bw.Match.resume(copy, 1)
    assert [record.actions for record in records_of(copy, 1)] == [record.actions for record in before]


def test_exports_hold_vectors_that_are_read_back_exactly(stored, tmp_path, run):
    table, lines = tmp_path / "games.csv", tmp_path / "games.jsonl"
    for file in (table, lines):
        assert run("results", "1", "--store", stored, "--export", file).code == 0
    record = records_of(stored, 1)[0]
    with table.open(newline="") as rows:
        words = next(csv.DictReader(rows))["moves"].split()
    assert [(float(word),) for word in words] == list(record.actions)
    told = json.loads(lines.read_text().splitlines()[0])["moves"]
    assert [tuple(move["action"]) for move in told] == list(record.actions)
    assert told[0]["children"][0]["action"] == told[0]["action"]


def test_replay_shows_the_vectors_and_the_film(stored, tmp_path, run):
    shown = run("replay", "1", "0", "--store", stored, "--ply", "1")
    first = records_of(stored, 1)[0].moves[0]
    assert shown.code == 0
    assert f"1. {first.action[0]}, player 0, mcts(simulations=20)" in shown.out
    assert sum(f"{child.action[0]}" in shown.out for child in first.children) >= 5
    film = tmp_path / "episode.svg"
    assert run("replay", "1", "0", "--store", stored, "--film", film).code == 0
    assert film.read_text().startswith("<svg")


def test_search_and_play_show_vectors(run):
    shown = run("search", "pendulum", "--simulations", "50", "--seed", "1", "--json")
    assert len(json.loads(shown.out)["best_action"]) == 1
    shown = run("play", "pendulum", "--simulations", "5", "--seed", "1")
    assert "200. mcts plays" in shown.out
    assert "Stopped after 200 moves, as many as a game may have." in shown.out


# --- reviews ----------------------------------------------------------------------------------------


def record_of(game, *actions):
    moves = tuple(MoveRecord(ply, 0, action) for ply, action in enumerate(actions))
    return GameRecord(GamePlan(0, 0, (), (0,), (1,), 7), (0.0,), "end", moves=moves)


def test_a_review_knows_the_value_of_the_vector_that_was_played():
    best, worst = (0.3, 1.7), (-1.0, -2.0)
    (of_best,) = review(Peak, record_of(Peak, best), simulations=4000)
    (of_worst,) = review(Peak, record_of(Peak, worst), simulations=4000)
    assert of_best.played.value == 0.0
    assert of_best.lost == 0.0
    assert tuple(of_best.best) == best
    assert of_worst.played.value == pytest.approx(-(1.3**2) - 3.7**2)
    assert of_worst.lost == pytest.approx(1.3**2 + 3.7**2, abs=0.1)
    assert of_worst.played.visits >= 2000
    assert list(of_worst.best) == pytest.approx(best, abs=0.4)


def test_a_review_of_a_simulator_finds_the_throw_that_missed():
    played, moves = Playthrough(Gusts(), random=bw.Random(1)), []
    for ply in range(2):
        action = (played.state.place - 1.0,)  # away from the target
        played.play(action)
        moves.append(MoveRecord(ply, 0, action, reached=reached_text(played)))
    record = GameRecord(GamePlan(0, 0, (), (0,), (1,), 7), played.paid, "end", moves=tuple(moves))
    reviews = list(review(Gusts, record, simulations=4000))
    assert len(reviews) == 2
    assert reviews[0].lost > 1.0
    assert reviews[0].best[0] == pytest.approx(1.0, abs=0.4)


def test_a_stored_game_is_reviewed(stored, run):
    shown = run("review", "3", "0", "--simulations", "200", "--store", stored, "--json")
    told = json.loads(shown.out)
    assert shown.code == 0
    assert told["moves"] == len(records_of(stored, 3)[0].moves) == 1
    for mistake in told["mistakes"]:
        assert -1.0 <= float(mistake["best"]) <= 1.0
