"""The Connect Four solver in `benchmarks/`: compared with the general one; and its stored positions."""

import importlib
import random
import sys
from pathlib import Path

import pytest

from branchwise.games.connect_four import ConnectFour
from branchwise.testing.solver import Solver
from support.rows import slow

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FIRST_MOVES = {"a": -1, "b": -1, "c": 0, "d": 1, "e": 0, "f": -1, "g": -1}
"""From the start, Allis 1988 and Allen 1988."""


@pytest.fixture(scope="module")
def exact():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("exact_connect_four")
        del sys.modules["exact_connect_four"]


@pytest.fixture(scope="module")
def solver(exact):
    return exact.Solver()


@pytest.mark.parametrize("plies", [slow(24), 26, 28, 31, 34, 37, 40, 41])
def test_values_of_late_positions_are_those_of_the_general_solver(exact, solver, plies):
    generator = random.Random(plies)
    general = Solver()
    for _ in range(5):
        state = ConnectFour.from_actions([*exact.random_moves(plies, generator)])
        assert solver.solve_actions(state) == general.solve_actions(state), state


def test_a_position_and_its_mirror_image_have_the_same_value(exact, solver):
    moves = "fbeaacafdabg"
    there, back = (ConnectFour.from_actions([*text]) for text in (moves, exact.mirrored(moves)))
    values = solver.solve_actions(there)
    assert len(set(values.values())) > 1
    assert exact.Solver().solve_actions(back) == {6 - action: value for action, value in values.items()}


def test_other_boards_and_finished_games_are_refused(solver):
    for state in (ConnectFour.configured(rows=5)(), ConnectFour.from_actions([*"abababa"])):
        with pytest.raises(ValueError, match="not a live position of Connect Four on 7x6"):
            solver.solve(state)


def test_stored_positions_have_one_right_move_and_nobody_wins_at_once(exact):
    positions = exact.read_positions()
    assert len({position.moves for position in positions}) == len(positions) >= 200
    for position in positions:
        state = position.state()
        assert list(position.values) == state.legal_actions()
        assert position.keeping == 1 < len(position.values)
        assert not exact.wins_at_once(state)


def test_stored_values_are_what_the_solver_finds(exact, solver):
    late = [position for position in exact.read_positions() if len(position.moves) >= 14]
    for position in late[:8]:
        assert solver.solve_actions(position.state()) == position.values, position.moves


@pytest.mark.slow
@pytest.mark.parametrize("move", ["g", "f", "e", "d"])
def test_first_moves_have_the_published_values(solver, move):
    assert -solver.solve(ConnectFour.from_actions(move)) == FIRST_MOVES[move]
