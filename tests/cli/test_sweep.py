"""The commands sweep, tune and figure."""

import json
from pathlib import Path

import pytest

from branchwise.arena.store.store import Store
from branchwise.figures.figure_table import Table

pytest.importorskip("matplotlib")

SKILLED = f"{Path(__file__).parents[1] / 'support/skilled.py'}:Skilled"


@pytest.fixture
def words(tmp_path):
    """What sweep and tune have in common here: nim from given openings, which need no search."""
    openings = tmp_path / "openings.txt"
    openings.write_text("1\n2\n3\n")
    return [
        *("nim", "--bot", f"{SKILLED}(skill={{s}})", "--vary", "s=0,1.0", "--against", "random"),
        *("--openings", openings, "--seed", "1", "-j", "1", "--store", tmp_path / "m.sqlite"),
    ]


def test_sweep_shows_a_table_and_draws_it(run, words, tmp_path):
    shown = run("sweep", *words, "--games", "6", "--output", tmp_path / "skill.svg")
    assert shown.code == 0
    assert "sweep 1: nim, 6 games each" in shown.out
    rows = [line.split() for line in shown.out.splitlines()]
    assert ["s", "games", "won", "drawn", "lost", "score", "95", "%", "Elo", "95", "%"] in rows
    assert next(row for row in rows if row[:2] == ["1.0", "6"])[2:6] == ["6", "0", "0", "100.0%"]
    names = sorted(file.name for file in tmp_path.glob("skill*"))
    assert names == ["skill-dark.svg", "skill.csv", "skill.svg"]
    assert Table.read(tmp_path / "skill.csv").column("s") == [0, 1.0]

    again = run("sweep", "--resume", "1", "--store", tmp_path / "m.sqlite", "--json")
    found = json.loads(again.out)
    assert [cell["values"] for cell in found["cells"]] == [{"s": 0}, {"s": 1.0}]
    assert found["cells"][1]["elo"] is None  # infinite
    assert found["cells"][1]["elo_low"] > found["cells"][0]["elo_low"]
    with Store(tmp_path / "m.sqlite") as store:
        assert [stored.played for stored in store.matches()] == [6, 6]

    drawn = ("sweep", "--resume", "--store", tmp_path / "m.sqlite", "-o", tmp_path / "again", "--draw")
    assert run(*drawn, "stacks").code == 0
    assert len(list(tmp_path.glob("again*"))) == 5
    assert "a map takes two varying settings" in run(*drawn, "map").err


def test_tune_shows_the_ranking_and_the_winner_with_fresh_games(run, words, tmp_path):
    shown = run("tune", *words, "--games", "24")
    assert shown.code == 0
    ranking, _, winner = shown.out.partition("The winner, ")
    assert "looks better than it is." in " ".join(ranking.split())
    # where lines break depends on how long the path is
    told = f"{SKILLED}(skill=1.0), in new games:"
    assert "".join(winner.split()).startswith("".join(told.split()))
    found = json.loads(run("tune", "--resume", "--store", tmp_path / "m.sqlite", "--json").out)
    assert found["winner"]["values"] == {"s": 1.0}
    assert found["winner"]["games"] == 6
    assert [one["games"] for one in found["ranking"]] == [8, 8]
    assert found["winner"]["match"] not in [one["match"] for one in found["ranking"]]


def test_figures_are_listed_and_drawn(run, tmp_path):
    listed = run("figure").out
    assert "flat-against-mcts" in listed
    named = {one["figure"] for one in json.loads(run("figure", "--json").out)}
    assert named >= {"mcts-against-random", "exploration-100"}
    shown = json.loads(run("figure", "exploration-10", "-o", tmp_path / "new", "--json").out)
    assert [Path(file).name for file in shown["files"]] == [
        *("exploration-10.svg", "exploration-10-dark.svg"),
        *("exploration-10.png", "exploration-10-dark.png", "exploration-10.csv"),
    ]
    assert all(Path(file).stat().st_size for file in shown["files"])


def test_a_figure_is_measured_anew_for_another_game(run, tmp_path):
    words = ["--game", "nim", "--vary", "x=1,40", "--games", "4", "--seed", "1", "-j", "1"]
    shown = run("figure", "mcts-against-random", *words, "-o", tmp_path, "--store", tmp_path / "m.sqlite")
    assert shown.code == 0
    table = Table.read(tmp_path / "mcts-against-random.csv")
    assert table.column("x") == [1, 40]
    assert table.column("games") == [4, 4]
    assert "nim: MCTS-x against random" not in shown.out  # that is the picture's title


def test_what_was_interrupted_says_how_to_continue(run, words, monkeypatch):
    from branchwise.arena.statistics.score import Score
    from branchwise.arena.tuning import sweep
    from branchwise.arena.tuning.series import PlayedMatch

    monkeypatch.setattr(sweep.Series, "play", lambda *a, **k: PlayedMatch(1, Score(), 0, False))
    shown = run("sweep", *words, "--games", "6")
    assert shown.code == 130
    assert "To continue: branchwise sweep --resume 1 --store" in shown.out


@pytest.fixture
def alone(tmp_path):
    """The same of a problem for one player."""
    machines = f"{Path(__file__).parents[1] / 'support/simulators.py'}:Machines"
    return [
        *(machines, "--bot", "mcts(simulations={n})", "--vary", "n=1,80"),
        *("--seed", "1", "-j", "1", "--store", tmp_path / "m.sqlite"),
    ]


def test_sweep_of_a_problem_shows_mean_returns(run, alone, tmp_path):
    shown = run("sweep", *alone, "--games", "7", "--output", tmp_path / "n.svg")
    assert (shown.code, shown.err.count("Error")) == (0, 0)
    rows = [line.split() for line in shown.out.splitlines()]
    assert ["n", "games", "mean", "return", "95", "%", "best"] in rows
    assert [row[:2] for row in rows if row[1:2] == ["7"]] == [["1", "7"], ["80", "7"]]
    found = json.loads(run("sweep", "--resume", "--store", tmp_path / "m.sqlite", "--json").out)
    assert found["cells"][1]["mean"] > found["cells"][0]["mean"]
    assert "score" not in found["cells"][0]
    assert Table.read(tmp_path / "n.csv").column("mean") == [cell["mean"] for cell in found["cells"]]


def test_tune_of_a_problem_shows_mean_returns_of_the_winner(run, alone, tmp_path):
    shown = run("tune", *alone, "--games", "41", "--final", "11")
    assert shown.code == 0
    found = json.loads(run("tune", "--resume", "--store", tmp_path / "m.sqlite", "--json").out)
    assert found["winner"]["values"] == {"n": 80}
    assert found["winner"]["games"] == 11
    assert "The winner, mcts(simulations=80), in new games:" in shown.out


def test_an_opponent_in_a_problem_is_refused_in_one_sentence(run, alone):
    refused = run("sweep", *alone, "--against", "random")
    assert refused.code == 2
    assert refused.err.startswith("SettingsError: machines is played alone, so there is no opponent\n")
    assert "--against is missing" in run("sweep", "nim", "--bot", "mcts(c={c})", "--vary", "c=1,2").err
