"""Files of measurements that come with Branchwise fit its rules."""

import json
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.rules.measured_files.digest import rules_digest

PACKAGE = Path(bw.__file__).parent
MEASURED = sorted(file for folder in ("levels", "tuned") for file in PACKAGE.rglob(f"{folder}/*.json"))


@pytest.mark.parametrize("file", MEASURED, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_rules_have_not_changed_since_they_were_measured(file):
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content["rules"] == rules_digest(bw.load_game(content["game"]))


def test_many_games_have_levels_and_settings():
    assert len(MEASURED) > 30
