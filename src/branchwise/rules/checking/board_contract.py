"""What `board_style`, `board_cells` and `action_squares` have to keep to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.boards.layer import NO_CELL, cells_of, squares_of
from branchwise.boards.style import look_of
from branchwise.game.rules_class import Game
from branchwise.rules.checking.faults import Line

_OWN = ("board_style", "board_cells", "action_squares")


def check_board(line: Line, state: Game, legal: Sequence[Any]) -> None:
    """Raise `GameError` if what a class says of its board is at fault in a state; legal : its actions.

    A class that says nothing is not judged: its board is a guess.
    """
    if all(getattr(type(state), name) is getattr(Game, name) for name in _OWN):
        return
    with line.calling("board_style"):
        look = look_of(type(state))
    if look is None:
        return
    with line.calling("board_cells"):
        cells = cells_of(state)
    twin = type(state).from_record(state.to_record())
    for action in legal:
        with line.calling("action_squares"):
            path, again = squares_of(state, action), squares_of(twin, action)
        if path != again:
            raise line.fault(
                f"{line.game.__name__}.action_squares({action}) gave {list(path)} and then {list(again)} for "
                "the same fields",
                "let the squares follow from the fields and the action alone",
                rule="action_squares",
            )
        for square in path:
            row, column = divmod(square, look.columns)
            if cells[row, column, 1] == NO_CELL:
                raise line.fault(
                    f"{line.game.__name__}.action_squares({action}) gave {square}, row {row} and column "
                    f"{column}, where board_cells says that there is no cell",
                    "name squares that are there",
                    rule="action_squares",
                )
