"""The solver of Hex openings against the solver of any game."""

import importlib
import sys
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.testing import Solver


@pytest.fixture(scope="module")
def winning_openings():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
        yield importlib.import_module("hex_openings").winning_openings
        del sys.modules["hex_openings"]


@pytest.mark.parametrize("size", [2, 3])
def test_openings_win_as_the_solver_of_any_game_says(size, winning_openings):
    game, solver = bw.load_game(f"hex(size={size})"), Solver()
    assert winning_openings(size) == [
        solver.solve(game.from_actions([action])) < 0 for action in range(size**2)
    ]


def test_only_the_short_diagonal_wins_on_16_cells(winning_openings):
    assert [cell for cell, wins in enumerate(winning_openings(4)) if wins] == [3, 6, 9, 12]
