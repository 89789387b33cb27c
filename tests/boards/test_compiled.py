"""Cells and paths are plain numbers, and compile: a rule that reads them agrees in both forms."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.boards.style import look_of
from branchwise.common.players import CHANCE
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.games import game_names, load_game

ONE_A_FAMILY = ("connect_four", "tic_tac_toe", "chess", "checkers", "go", "hex", "quoridor")


def reading(base):
    """Return a subclass whose estimate depends on all that the cells hold and on the paths of all actions."""
    look = look_of(base)

    class Reading(base):
        height = look.rows
        width = look.columns
        room: bw.Array[np.int8, look.rows, look.columns, 2] = 0

        def evaluate(self):
            self.room[:, :, 0] = -1
            self.room[:, :, 1] = 0
            self.board_cells(self.room)
            total = 0
            for row in range(self.height):
                for column in range(self.width):
                    held = 3 * int(self.room[row, column, 0]) + int(self.room[row, column, 1])
                    total += held * (row * self.width + column + 1)
            for action in self.legal_actions():
                for square in self.action_squares(action):
                    total = (3 * total + int(square)) % 9973
            self.room[:] = 0
            value = total % 9973 / 9973
            return (value, -value)

    if base.action_squares is bw.Game.action_squares:  # the defaults are worked out outside of the rules
        Reading.action_squares = squares_by_number
    if base.board_cells is bw.Game.board_cells:
        Reading.board_cells = no_cells
    return Reading


def squares_by_number(self, action):
    yield action


def no_cells(self, out):
    out[0, 0, 1] = 1


def _says_its_board(name):
    game = load_game(name)
    return (
        game.board_style is not None
        and game.num_players == 2
        and not game._joint
        and not hides_information(game)
    )


def both_forms_agree(name):
    """Search with the estimate compiled; the first simulations are run again in plain Python."""
    game = reading(load_game(name))
    played = bw.Playthrough(game())
    while played.player == CHANCE:
        played.draw(bw.Random(1))
    result = bw.MCTS(cutoff=4, seed=1).search(played.state, simulations=100)
    assert sum(child.visits for child in result.children) > 0


@pytest.mark.parametrize("name", ONE_A_FAMILY)
def test_cells_and_paths_compile(name):
    assert _says_its_board(name)
    both_forms_agree(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in game_names() if name not in ONE_A_FAMILY])
def test_cells_and_paths_of_every_game_compile(name):
    if not _says_its_board(name):
        pytest.skip("says nothing of its board, or is no game of two who see everything")
    both_forms_agree(name)
