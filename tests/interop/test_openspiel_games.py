"""The table of OpenSpiel's games in docs/interop.md: each is searched as it says, or refused."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.rules.knowledge.foreign_games import ForeignKnown
from branchwise.search.results.joint_result import JointResult

pyspiel = pytest.importorskip("pyspiel")

PAGE = (Path(__file__).parents[2] / "docs" / "interop.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("<!-- openspiel: begin -->")[2].partition("<!-- openspiel: end -->")[0]
ROWS = {
    name: (int(count), re.findall(r"`([^`]+)`", games))
    for name, count, games in re.findall(r"^\| (.*?) \| (\d+) \| (.*) \|$", TABLE, re.MULTILINE)
}
HOW = {game: name for name, (_, games) in ROWS.items() for game in games}
FILES = {
    "game.efg": 'EFG 2 R "a choice each" { "A" "B" }\n'
    'p "" 1 1 "" { "left" "right" } 0\nt "" 1 "" { 1 -1 }\n'
    'p "" 2 1 "" { "up" "down" } 0\nt "" 2 "" { 2 -2 }\nt "" 3 "" { -1 1 }\n',
    "game.nfg": 'NFG 1 R "a dilemma"\n{ "A" "B" } { 2 2 }\n\n5 5\n10 0\n0 10\n1 1\n',
}


def how_searched(game):
    """Return the row of the table in which a game should be."""
    try:
        state = bw.from_openspiel(game, seed=1)
    except bw.GameError as error:
        reasons = {
            "random numbers of its own": "chance from random numbers of its own",
            "MEAN_FIELD": "mean-field games",
            "no actions with numbers": "actions without numbers",
        }
        return "refused: " + next(row for words, row in reasons.items() if words in error.problem)
    if isinstance(state, ForeignKnown):
        try:
            result = bw.PIMC(deals=2, seed=1).search(state, simulations=4)
        except bw.GameError as error:
            return (
                "`PIMC`, but games are hardly ever found" if "was found in" in error.problem else str(error)
            )
        assert result.best_action in state.legal
        assert result.deals == 2
        return "`PIMC`, what a player knows"
    result = bw.MCTS(seed=1).search(state, simulations=4)
    if isinstance(result, JointResult):
        assert all(
            action in (state.legal_actions(player) or [bw.NO_ACTION])
            for player, action in enumerate(result.best_action)
        )
        return "`MCTS`, all at once"
    assert result.best_action in state.legal_actions()
    return "`MCTS`, players in turn"


def test_the_table_has_every_game_of_openspiel_once():
    listed = "import pyspiel; print(*(kind.short_name for kind in pyspiel.registered_games()))"
    fresh = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True)
    theirs = set(fresh.stdout.split())  # before games of ours, or of OpenSpiel in Python, are registered
    assert sorted(game.partition("(")[0] for game in HOW) == sorted(theirs)
    assert all(count == len(games) for count, games in ROWS.values())
    searched = sum(count for row, (count, _) in ROWS.items() if not re.search("refused|hardly", row))
    assert f"Of the {len(theirs)} games of OpenSpiel 2.0.2, {searched} are searched" in PAGE


@pytest.mark.parametrize("game", HOW)
def test_a_game_is_searched_as_the_table_says(game, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    assert how_searched(game) == HOW[game]
    lines = capfd.readouterr().err.splitlines()
    assert [line for line in lines if not line.startswith("compiling ")] == []
