"""The page about levels shows the measurements of each game."""

import re
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.cli.tuning.levels import ladder_markdown
from support.shipped import FOR_ONE, UNMEASURED, WITH_LEVELS

PAGE = Path(__file__).parents[2] / "docs" / "levels.md"
SECTION = re.compile(r"<!-- levels of (\w+): begin -->\n(.*?)\n<!-- levels of \1: end -->", re.DOTALL)


def test_the_page_has_a_table_for_each_game_that_was_measured():
    found = sorted(name for name, _ in SECTION.findall(PAGE.read_text(encoding="utf-8")))
    assert found == list(WITH_LEVELS)


@pytest.mark.parametrize("game", UNMEASURED)
def test_those_that_were_not_measured_say_how_to_do_it(game):
    with pytest.raises(bw.SettingsError) as caught:
        bw.load_ladder(game)
    assert caught.value.mend == f'branchwise calibrate "{game}"'


@pytest.mark.parametrize("game", FOR_ONE)
def test_games_for_one_say_why_they_have_none(game):
    with pytest.raises(bw.SettingsError, match="is played alone, so it has no levels"):
        bw.load_ladder(game)


@pytest.mark.parametrize("game", WITH_LEVELS)
def test_the_table_of_a_game_is_what_was_measured(game):
    tables = dict(SECTION.findall(PAGE.read_text(encoding="utf-8")))
    assert tables[game] == ladder_markdown(bw.load_ladder(game))
