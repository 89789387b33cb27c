"""A board with a button for each legal move, for games whose moves are more than one cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from branchwise.drawing.grid import grid_svg, grid_svg_size, playable
from branchwise.drawing.shapes import MARGIN, choices

if TYPE_CHECKING:
    from branchwise.drawing.grid import Grid

_LETTER = 8.5


def board_and_moves(state: Any, grid: Grid | None = None) -> str:
    """Return a picture of a state's board with a button for each legal action below it.

    grid : the board; None: that of `state.to_grid()`. None of its cells may stand for an action.
    """
    board = state.to_grid() if grid is None else grid
    width, height = grid_svg_size(board)
    longest = max([4, *(len(state.action_to_string(action)) for action in playable(state))])
    button = 20 + _LETTER * longest
    in_row = max(1, int((max(width, 400) - MARGIN) // (button + 5)))
    return choices(state, [grid_svg(board)], height + MARGIN, width, button, in_row)
