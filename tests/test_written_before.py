"""Files of the first versions that wrote trees, stores and levels are read, or refused in one sentence."""

import json
import shutil
import sqlite3
import struct
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.store.tables import VERSION
from branchwise.games.nim import Nim

BEFORE = Path(__file__).parent / "written_before"
RETURNS = [(-1.0, 1.0), (1.0, -1.0), (1.0, -1.0), (1.0, -1.0)]


@pytest.mark.parametrize("kind", ["plain", "graph", "priors", "rave"])
def test_trees_of_the_first_version_are_read(kind, tmp_path):
    tree = bw.load_tree(BEFORE / f"{kind}.tree")
    assert tree.to_text() == (BEFORE / f"{kind}.txt").read_text()
    assert tree.state == Nim(chips=[9])
    assert (tree.seed, tree.simulations) == (1, tree.root.visits)
    tree.save(tmp_path / "again.tree")
    assert bw.load_tree(tmp_path / "again.tree").to_text() == tree.to_text()


@pytest.mark.parametrize("version", [0, 2, 2**31])
def test_trees_of_other_versions_are_refused_in_one_sentence(version, tmp_path):
    content = (BEFORE / "plain.tree").read_bytes()
    file = tmp_path / "a.tree"
    file.write_bytes(content[:8] + struct.pack("<I", version) + content[12:])
    with pytest.raises(bw.TreeFileError, match=f"has version {version} of the format") as caught:
        bw.load_tree(file)
    assert "\n" not in caught.value.problem


@pytest.mark.parametrize("layout", [1, 2])
def test_stores_of_earlier_layouts_are_read_and_upgraded(layout, tmp_path):
    file = written(tmp_path, layout)
    for _ in range(2):
        with bw.Store(file) as store:
            match = store.match(1)
            assert (match.game, match.bots, match.ended_by) == (
                "nim",
                ("random", "minimax(depth=3)"),
                "games",
            )
            games = list(store.games(1))
            assert [game.returns for game in games] == RETURNS
            for game in games:
                played = bw.Playthrough(Nim(), game.actions)
                assert played.returns == game.returns
                assert [move.player for move in played.moves[4:]] == [move.seat for move in game.moves]
    with sqlite3.connect(file) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
    db.close()


def test_a_match_of_the_first_layout_that_was_interrupted_is_resumed(tmp_path):
    file = written(tmp_path, 1)
    with sqlite3.connect(file) as db:
        db.execute("DELETE FROM games WHERE number >= 2")
        db.execute("DELETE FROM moves WHERE game >= 2")
        db.execute("UPDATE matches SET ended_by = ''")
    db.close()
    bw.Match.resume(file, trust=True)
    with bw.Store(file) as store:
        games = list(store.games(1))
    assert [game.number for game in games] == [0, 1, 2, 3]
    assert [game.returns for game in games[:2]] == RETURNS[:2]
    assert games[2].plan.opening == games[3].plan.opening


def test_levels_of_the_first_version_are_read(tmp_path):
    file = shutil.copy(BEFORE / "nim_levels.json", tmp_path)
    ladder = bw.load_ladder("nim", file)
    assert len(ladder.levels) == 10
    assert json.loads(ladder.to_json())["levels"] == json.loads(Path(file).read_text())["levels"]


@pytest.mark.parametrize("other", [0, 2, "1", None])
def test_levels_of_other_formats_are_refused_in_one_sentence(other, tmp_path):
    content = json.loads((BEFORE / "nim_levels.json").read_text())
    file = tmp_path / "levels.json"
    file.write_text(json.dumps(content | {"format": other}))
    with pytest.raises(bw.SettingsError, match=f"has format {other!r}, but this version reads 1") as caught:
        bw.load_ladder("nim", file)
    assert "\n" not in caught.value.problem


def written(folder, layout):
    """Return a store as it was written in an earlier layout."""
    file = folder / "matches.sqlite"
    with sqlite3.connect(file) as db:
        db.executescript((BEFORE / f"matches_{layout}.sql").read_text())
    db.close()
    return file
