"""The page about levels shows the measurements of each game."""

import re
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.cli.levels import ladder_markdown
from branchwise.games import GAMES

PAGE = Path(__file__).parents[2] / "docs" / "levels.md"
SECTION = re.compile(r"<!-- levels of (\w+): begin -->\n(.*?)\n<!-- levels of \1: end -->", re.DOTALL)


def test_the_page_has_a_table_for_each_game():
    assert sorted(name for name, _ in SECTION.findall(PAGE.read_text(encoding="utf-8"))) == sorted(
        GAMES.builtin
    )


@pytest.mark.parametrize("game", sorted(GAMES.builtin))
def test_the_table_of_a_game_is_what_was_measured(game):
    tables = dict(SECTION.findall(PAGE.read_text(encoding="utf-8")))
    assert tables[game] == ladder_markdown(bw.load_ladder(game))
