"""`branchwise tree`: every form on stdout and in files, trees kept and shown again, mistakes in words."""

import csv
import io
import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

WORDS = ("tree", "tic_tac_toe", "--simulations", "400", "--seed", "1")


def test_tree_is_shown_as_text_with_best_moves_first(run):
    shown = run(*WORDS, "--top", "2", "--depth", "2")
    heading, columns, first, *_ = shown.out.splitlines()
    assert heading.startswith("tic_tac_toe: player 0 to move, 400 visits, ")
    assert columns.split() == ["move", "by", "visits", "share", "value"]
    assert first.startswith("▸ ")
    assert "+7 more" in shown.out
    assert run(*WORDS, "--top", "2", "--depth", "2").out == shown.out


def test_tree_of_a_line_is_the_principal_variation_of_the_search(run):
    searched = json.loads(run("search", *WORDS[1:], "--json").out)
    shown = run(*WORDS, "--line").out.splitlines()
    assert [line.split()[1] for line in shown[2:]] == searched["principal_variation"]


def test_tree_is_written_in_every_form(run):
    svg = ElementTree.fromstring(run(*WORDS, "--format", "svg").out)
    drawn = [element for element in svg.iter() if element.get("data-node")]
    assert run(*WORDS, "--format", "dot").out.count('id="node') == len(drawn)
    assert run(*WORDS, "--format", "html").out.startswith("<!doctype html>")
    content = json.loads(run(*WORDS, "--json").out)
    assert len(content["nodes"]) == len(drawn)
    assert content == {**json.loads(run(*WORDS, "--format", "json").out), "seconds": content["seconds"]}
    rows = list(csv.DictReader(io.StringIO(run(*WORDS, "--format", "csv").out)))
    assert {row["index"] for row in rows} == {element.get("data-node") for element in drawn}
    assert (rows[0]["value"], rows[0]["move"]) == ("", "")
    assert {row["move"] for row in rows if row["depth"] == "1"} <= {f"{c}{r}" for c in "abc" for r in "123"}


def test_all_shows_every_node(run):
    content = json.loads(run(*WORDS, "--json", "--all", "--top", "1").out)
    assert len(content["nodes"]) == content["tree_nodes"] > 400


def test_moves_and_along_lead_to_the_start_of_the_showing(run):
    assert "player 1 to move" in run(*WORDS, "--moves", "b2").out
    assert run(*WORDS, "--along", "b2, a1", "--depth", "1").out.startswith(
        "tic_tac_toe after b2 a1: player 0"
    )


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("one.svg", "<svg"),
        ("one.html", "<!doctype html>"),
        ("one.gv", "digraph"),
        ("one.json", "{"),
        ("one.csv", "index,parent"),
        ("one.txt", "tic_tac_toe: player 0"),
        ("one", "tic_tac_toe: player 0"),
    ],
)
def test_output_is_a_file_in_the_form_of_its_ending(run, tmp_path, name, begins):
    file = tmp_path / name
    file.write_text("something else")
    shown = run(*WORDS, "--output", file)
    assert (shown.code, shown.out) == (0, "")
    assert file.read_text(encoding="utf-8").startswith(begins)


def test_a_kept_tree_is_shown_as_it_was(run, tmp_path):
    file = tmp_path / "kept.tree"
    assert run(*WORDS, "--output", file).code == 0
    direct = run(*WORDS, "--top", "3").out
    assert run("tree", "--load", file, "--top", "3").out == direct
    assert run("tree", "tic_tac_toe", "--load", file, "--top", "3").out == direct
    again = tmp_path / "again"
    assert run("tree", "--load", file, "--format", "file", "--output", again).code == 0
    assert again.read_bytes() == file.read_bytes()


def test_a_kept_tree_of_ones_own_rules_needs_their_file_for_its_moves(run, rules, tmp_path):
    letters = "    def action_to_string(self, action):\n        return 'abc'[action]\n\n"
    source, file = rules(("    def returns", f"{letters}    def returns")), tmp_path / "chips.tree"
    run("tree", source, "--simulations", "100", "--output", file)
    for words, moves in ((("--load", file), "012"), ((source, "--load", file), "abc")):
        shown = json.loads(run("tree", *words, "--depth", "1", "--json").out)["nodes"][1:]
        assert sorted(node["move"] for node in shown) == list(moves)


def test_a_terminal_without_the_signs_gets_plain_ones(run, monkeypatch):
    from branchwise.cli.search import tree

    assert tree._can_draw("utf-8")
    assert not any(map(tree._can_draw, ("ascii", "cp1252", "no such encoding", None)))
    monkeypatch.setattr(tree, "_can_draw", lambda encoding: False)
    assert run(*WORDS, "--depth", "1").out.isascii()


BAD = {
    "unknown format": (["nim", "--format", "svgg"], "format = 'svgg' is unknown; did you mean \"svg\"?"),
    "no game": ([], "the game is missing"),
    "unknown game": (["nmi"], 'no game "nmi"; did you mean "nim"?'),
    "no children": (["nim", "--top", "0"], "top = 0 is outside its range"),
    "negative depth": (["nim", "--depth", "-1"], "depth = -1 is outside its range"),
    "negative visits": (["nim", "--min-visits", "-1"], "min_visits = -1 is outside its range"),
    "zero simulations": (["nim", "--simulations", "0"], "simulations = 0 is outside its range"),
    "a move that is not in the tree": (
        ["nim", "--simulations", "50", "--along", "9"],
        '"9" is not in the tree',
    ),
    "a kept tree on stdout": (["nim", "--format", "file"], "needs a file to write to"),
    "no folder": (["nim", "--output", "/nowhere/tree.svg"], "there is no folder /nowhere"),
    "a folder": (["nim", "--output", "/"], "/ is a folder"),
    "two forms": (["nim", "--json", "--format", "svg"], "--json and --format svg exclude each other"),
    "no such file": (["--load", "nowhere.tree"], "nowhere.tree cannot be read: No such file"),
    "a foreign file": (["--load", __file__], "is not a search tree"),
    "a seed for a kept tree": (["--load", __file__, "--seed", "0"], "--seed has no effect"),
    "a search of a kept tree": (["--load", __file__, "--simulations", "5"], "--simulations has no effect"),
}


@pytest.mark.parametrize("mistake", BAD)
def test_mistake_is_reported_in_words(run, mistake):
    words, told = BAD[mistake]
    shown = run("tree", *words)
    assert shown.code == 2
    assert told in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_a_file_that_cannot_be_written_is_reported(run, tmp_path, monkeypatch):
    from pathlib import Path

    def fail(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "write_text", fail)
    shown = run(*WORDS, "--output", tmp_path / "one.svg")
    assert shown.code == 2
    assert "one.svg cannot be written: Permission denied" in shown.err


def test_a_search_that_is_interrupted_still_shows_its_tree(run, monkeypatch):
    from branchwise.search.planner import MCTS

    search = MCTS.search

    def interrupted(self, state, *, progress, **budget):
        return replace(search(self, state, simulations=100), ended_by="interrupted")

    monkeypatch.setattr(MCTS, "search", interrupted)
    shown = run("tree", "tic_tac_toe", "--seconds", "60")
    assert shown.code == 130
    assert shown.out.startswith("tic_tac_toe: player 0 to move, ")
