"""The page about other libraries says which games each of them takes."""

from pathlib import Path

import pytest

import branchwise as bw
from branchwise.games import GAMES, load_game

pytest.importorskip("pyspiel")
pytest.importorskip("pettingzoo")

PAGE = Path(__file__).parents[2] / "docs" / "interop.md"
LIBRARIES = {"OpenSpiel": bw.to_openspiel, "PettingZoo": bw.to_pettingzoo}


def kind_of(game):
    """Return the row of the table in which a game counts."""
    kind = bw.game_type(game)
    if kind.dynamics == "simultaneous":
        return "moves at once"
    return "hidden information" if kind.information == "imperfect" else "perfect information, in turn"


def taken(library, name):
    try:
        library(name)
    except bw.GameError:
        return False
    return True


def test_the_table_counts_the_games_that_each_library_takes():
    text = PAGE.read_text(encoding="utf-8")
    text, _, after = text.partition("<!-- theirs: begin -->")[2].partition("<!-- theirs: end -->")
    head, _, *lines = ([cell.strip() for cell in line.split("|")[1:-1]] for line in text.strip().splitlines())
    shown = {row: dict(zip(head[1:], map(int, counts), strict=True)) for row, *counts in lines}
    found = {row: dict.fromkeys(LIBRARIES, 0) for row in shown}
    refused = set()
    for name in GAMES.builtin:
        for library, bridge in LIBRARIES.items():
            is_taken = taken(bridge, name)
            found[kind_of(load_game(name)) if is_taken else "not taken"][library] += 1
            refused |= set() if is_taken else {name}
    assert found == shown
    assert all(f"`{name}`" in after.partition("\n## ")[0] for name in refused)


def test_the_page_says_what_they_do_not_take():
    said = PAGE.read_text(encoding="utf-8").replace("\n", " ")
    assert "Neither library gets partially observed problems" in said
    assert "OpenSpiel has no continuous actions" in said
    assert not taken(bw.to_openspiel, "pendulum")
    assert taken(bw.to_pettingzoo, "pendulum")
    assert not any(taken(bridge, "tiger") for bridge in LIBRARIES.values())
