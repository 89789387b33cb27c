"""The tables of the page on statistics show what the modules compute."""

import re
from pathlib import Path

import pytest

from branchwise.arena.statistics.elo import elo_difference, score_of_elo
from branchwise.arena.statistics.score import Score
from branchwise.arena.statistics.sprt import Sprt

PAGE = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")


def row(start):
    """Return the numbers in the cells of the one row that begins so, after its first cell."""
    (found,) = (line for line in PAGE.splitlines() if line.startswith(f"| {start}"))
    return [float(cell) for cell in re.findall(r"(?<=\|) (-?[\d.]+) (?=\|)", found)]


def test_expected_scores():
    differences = row("difference in Elo")
    assert len(differences) == 8
    for elo, score in zip(differences, row("expected score, %"), strict=True):
        assert round(100 * score_of_elo(elo), 1) == score


@pytest.mark.parametrize("variance", [0.25, 0.15])
def test_lengths_of_tests(variance):
    (at,) = (n for n, line in enumerate(PAGE.splitlines()) if line.startswith(f"| {variance}: "))
    equal, half_way = (
        [int(n) for n in re.findall(r" (\d+) ", PAGE.splitlines()[line])] for line in (at, at + 1)
    )
    for elo1, if_equal, if_half_way in zip((10, 20, 30, 50, 100), equal, half_way, strict=True):
        test = Sprt(elo0=0, elo1=elo1)
        assert round(test.outlook(0, variance).games) == int(if_equal)
        assert round(test.outlook(elo1 / 2, variance).games) == int(if_half_way)


def test_half_widths():
    numbers = row("games |")
    assert len(numbers) == 7
    for games, width in zip(numbers, row("games apart, no draws"), strict=True):
        half = int(games) // 2
        assert round(elo_difference(Score.from_counts(wins=half, losses=half)).margin) == width
