"""Files of measurements that come with Branchwise fit the rules; others are compared with them."""

import json
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.games.nim import Nim
from branchwise.rules.beside import fits
from branchwise.rules.digest import rules_digest

PACKAGE = Path(bw.__file__).parent
MEASURED = sorted(file for folder in ("levels", "tuned") for file in PACKAGE.rglob(f"{folder}/*.json"))


@pytest.mark.parametrize("file", MEASURED, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_rules_have_not_changed_since_they_were_measured(file):
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content["rules"] == rules_digest(bw.load_game(content["game"]))


def test_many_games_have_levels_and_settings():
    assert len(MEASURED) > 30


def test_only_the_packages_own_files_are_believed(tmp_path):
    assert fits(Nim, "other rules", PACKAGE / "games" / "tuned" / "nim.json")
    assert not fits(Nim, "other rules", tmp_path / "nim.json")
    assert fits(Nim, rules_digest(Nim), tmp_path / "nim.json")


def test_rules_of_others_are_compared_wherever_the_file_is():
    class Nim2(Nim):
        """Branchwise's rules in another module."""

    assert not fits(Nim2, "other rules", PACKAGE / "games" / "tuned" / "nim.json")
