"""`branchwise walkthrough`: every form on stdout and in files, mistakes in words."""

import json
from xml.etree import ElementTree

import pytest

WORDS = ("walkthrough", "tic_tac_toe", "--moves", "b2 a1 c3 a3", "--simulations", "3", "--seed", "1")


def test_walkthrough_is_text_on_a_terminal(run):
    shown = run(*WORDS)
    assert shown.out.startswith("tic_tac_toe: Monte Carlo Tree Search, step by step\n")
    for part in ("Simulation 3", "1 Selection: ", "2 Expansion: ", "3 Playout: ", "4 Backup: "):
        assert part in shown.out
    assert run(*WORDS).out == shown.out


def test_walkthrough_is_the_one_of_the_planner(run):
    import branchwise as bw
    from branchwise.games.tic_tac_toe import TicTacToe

    state = TicTacToe.from_actions(["b2", "a1", "c3", "a3"])
    settings = {"c": 0.3, "selection": "puct", "playout": "uniform", "proofs": False, "max_depth": 2}
    walk = bw.MCTS(seed=1, **settings).walkthrough(state, simulations=3, after=10)
    options = "--c 0.3 --selection puct --playout uniform --no-proofs --settings max_depth=2 --after 10"
    content = json.loads(run(*WORDS, *options.split(), "--json").out)
    assert content == {**json.loads(json.dumps(walk.to_dict())), "moves": ["b2", "a1", "c3", "a3"]}
    assert [simulation["number"] for simulation in content["simulations"]] == [11, 12, 13]


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("walk.html", "<!doctype html>"),
        ("walk.htm", "<!doctype html>"),
        ("walk.json", "{"),
        ("walk", "tic_tac"),
    ],
)
def test_output_is_a_file_in_the_form_of_its_ending(run, tmp_path, name, begins):
    file = tmp_path / name
    file.write_text("something else")
    shown = run(*WORDS, "--output", file)
    assert (shown.code, shown.out) == (0, "")
    assert file.read_text(encoding="utf-8").startswith(begins)


def test_pictures_are_numbered_beside_one_another_or_in_a_folder(run, tmp_path):
    run(*WORDS, "--after", "8", "--output", tmp_path / "walk.svg")
    beside = sorted(file.name for file in tmp_path.iterdir())
    assert beside[:5] == [
        "walk-09-1-selection.svg",
        "walk-09-2-expansion.svg",
        "walk-09-3-playout.svg",
        "walk-09-4-backup.svg",
        "walk-10-1-selection.svg",
    ]
    assert len(beside) == 12
    run(*WORDS, "--format", "svg", "--output", tmp_path / "frames")
    inside = sorted((tmp_path / "frames").iterdir())
    assert [file.name for file in inside[:2]] == ["1-1-selection.svg", "1-2-expansion.svg"]
    assert len(inside) == 12
    for file in inside:
        ElementTree.fromstring(file.read_text(encoding="utf-8"))


def test_a_page_on_stdout(run):
    assert run(*WORDS, "--format", "html").out.startswith("<!doctype html>")


def test_own_rules_are_walked_through(run, rules):
    shown = run("walkthrough", rules(), "--simulations", "2", "--seed", "1")
    assert "Simulation 2" in shown.out


BAD = {
    "unknown format": (["nim", "--format", "htm"], "format = 'htm' is unknown; did you mean \"html\"?"),
    "pictures on stdout": (["nim", "--format", "svg"], "pictures are written to files, one for each phase"),
    "no folder": (["nim", "--output", "/nowhere/walk.html"], "there is no folder /nowhere"),
    "a folder": (["nim", "--output", "/"], "/ is a folder"),
    "two forms": (["nim", "--json", "--format", "svg"], "--json and --format svg exclude each other"),
    "zero simulations": (["nim", "--simulations", "0"], "simulations = 0 is outside its range"),
    "negative after": (["nim", "--after", "-1"], "after = -1 is outside its range"),
    "an end before": (
        ["tic_tac_toe", "--moves", "b2 a1 c3 a3", "--after", "5000"],
        "there is nothing left to search",
    ),
    "unknown game": (["tic_tac_tow"], 'no game "tic_tac_tow"; did you mean "tic_tac_toe"?'),
    "unknown rule": (["nim", "--selection", "ucb2"], 'no selection rule "ucb2"; did you mean "ucb1"?'),
    "unknown playout": (["nim", "--playout", "unifrm"], '"unifrm"; did you mean "uniform"?'),
    "several threads": (["nim", "--settings", "threads=2"], "with several threads"),
    "given twice": (["nim", "--c", "1", "--settings", "c=2"], "c is given twice"),
    "too many for pictures": (
        ["nim", "--simulations", "65", "--format", "html", "--seed", "1"],
        "65 simulations are too many for pictures",
    ),
    "game over": (["tic_tac_toe", "--moves", "a1 a2 b1 b2 c1"], "is over"),
}


@pytest.mark.parametrize("mistake", BAD)
def test_mistake_is_reported_in_words(run, mistake):
    words, told = BAD[mistake]
    shown = run("walkthrough", *words)
    assert shown.code == 2
    assert told in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_a_file_in_place_of_the_folder_for_pictures_is_reported(run, tmp_path):
    file = tmp_path / "frames"
    file.write_text("")
    shown = run(*WORDS, "--format", "svg", "--output", file)
    assert shown.code == 2
    assert "frames is a file" in shown.err


def test_a_file_that_cannot_be_written_is_reported(run, tmp_path, monkeypatch):
    from pathlib import Path

    def fail(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "write_text", fail)
    shown = run(*WORDS, "--output", tmp_path / "walk.html")
    assert shown.code == 2
    assert "walk.html cannot be written: Permission denied" in shown.err


def test_a_terminal_without_the_signs_gets_plain_ones(run, monkeypatch):
    from branchwise.pictures.walkthrough import text

    monkeypatch.setattr(text, "SIGNS", "\ud800")  # what no encoding has
    assert run(*WORDS).out.isascii()
