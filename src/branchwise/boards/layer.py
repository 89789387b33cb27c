"""What the cells of a board hold and which squares an action touches, as numbers.

A class of rules may say both, by `board_cells(self, out)` and `action_squares(self, action)`; here are the
defaults, which follow from its board array, and what everything that shows boards reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

import numpy as np

from branchwise.boards.array import board_array
from branchwise.boards.style import Look, look_of
from branchwise.common.errors import GameError
from branchwise.drawing.grid import Cell, Grid

NO_CELL = -1
"""The kind of a place that is no cell, such as a corner of a board that is not square."""
_LONGEST = 10_000
"""Squares of a path above which it is taken for one that does not end."""
_HIGHEST = 9999

Cells = np.ndarray[Any, np.dtype[np.int16]]


def has_layer(game: type[Any]) -> bool:
    """Whether a class says itself how its board looks, by `board_style`."""
    return (game._inner or game).board_style is not None


def array_cells(state: Any, out: Cells) -> None:
    """Fill `out` from the board array of a state: p + 1 is a piece of player p, other values are kinds."""
    array = board_array(state)
    if array is None:
        return
    values = array.reshape(out.shape[:2])
    owned = (values >= 1) & (values <= state.num_players)
    out[:, :, 0] = np.where(owned, values - 1, -1)
    out[:, :, 1] = np.where(owned, 1, values)


def default_squares(state: Any, action: int) -> Iterator[int]:
    """Yield the square of an action, if actions are the squares, perhaps with one more, or the columns.

    In a column it is the lowest that is empty.
    """
    look = look_of(type(state))
    if look is None:
        return
    if type(state).num_actions in (look.squares, look.squares + 1):
        if action < look.squares:
            yield action
    elif type(state).num_actions == look.columns:
        kinds = cells_of(state)[:, action, 1]
        empty = np.flatnonzero(kinds == 0)
        if empty.size:
            yield int(empty[-1]) * look.columns + action


def cells_of(state: Any) -> Cells:
    """Return int16 [rows, columns, 2]: the owner of each cell, -1 for nobody, and its kind, 0 for empty.

    Raises `GameError` for owners and kinds that there are not, and for a game without a board.

    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> cells_of(TicTacToe.from_actions("b2 a1"))[1:, :2].tolist()
    [[[-1, 0], [0, 1]], [[1, 1], [-1, 0]]]
    """
    look = look_of(type(state))
    if look is None:
        raise GameError(f"{type(state).name} has no board", mend="give its class a board_style")
    inner = _own(state)
    wide = np.zeros((look.rows, look.columns, 2), np.int16)
    wide[:, :, 0] = -1
    try:
        inner.board_cells(wide)
    except Exception as error:
        where = f"a board of {look.rows} by {look.columns}"
        raise _fault(inner, f"board_cells failed on {where}: {error}") from error
    owners, kinds = wide[:, :, 0], wide[:, :, 1]
    bad = (owners < -1) | (owners >= inner.num_players) | (kinds < NO_CELL) | (kinds > _HIGHEST)
    if bad.any():
        row, column = (int(place[0]) for place in np.nonzero(bad))
        raise _fault(
            inner,
            f"board_cells gave owner {owners[row, column]} and kind {kinds[row, column]} in row {row}, "
            f"column {column}",
        )
    return wide


def squares_of(state: Any, action: int, player: int | None = None) -> tuple[int, ...]:
    """Return the path of squares that an action touches, in order; () if it has no place on the board.

    player : whose action it is, where all move at once.

    A square is row * columns + column. Raises `GameError` for one that is not on the board.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> squares_of(ConnectFour(), 3)
    (38,)
    """
    look = look_of(type(state))
    draws_starter = type(state)._inner is not None and state.starter < 0  # the outcome says who starts
    if look is None or draws_starter:
        return ()
    inner = _own(state)
    asks_who = player is not None and type(inner).action_squares.__code__.co_argcount > 2
    given = (action, player) if asks_who else (action,)
    try:
        path = tuple(map(int, islice(inner.action_squares(*given), _LONGEST)))
    except Exception as error:
        raise _fault(inner, f"action_squares({action}) failed: {error}") from error
    if len(path) == _LONGEST:
        raise _fault(inner, f"action_squares({action}) gave {_LONGEST} squares, and perhaps does not end")
    for square in path:
        if not 0 <= square < look.squares:
            raise _fault(
                inner, f"action_squares({action}) gave {square}; squares are 0 to {look.squares - 1} there"
            )
    return path


def caption_of(state: Any) -> str:
    """Return the caption of a state's board, "" for none; raises `GameError` if the class fails to say it.

    >>> from branchwise.games.chess import Chess
    >>> caption_of(Chess())
    'White to move'
    """
    inner = _own(state)
    try:
        return str(inner.board_caption())
    except Exception as error:
        raise _fault(inner, f"board_caption failed: {error}") from error


def path_name(state: Any, action: int) -> str:
    """Return the name of an action by the squares that it touches, such as "e2e4", or else its number.

    A single row has no names of its own, unless the class has a `board_style`. If what a class says of its
    board is at fault, its moves can still be played, by number; `branchwise check` tells the fault.
    """
    try:
        look = look_of(type(state))
        if look is None or state._joint or (look.rows == 1 and not has_layer(type(state))):
            return str(action)
        return "".join(look.name(square) for square in squares_of(state, action)) or str(action)
    except GameError:
        return str(action)


def layer_grid(state: Any, legal: Collection[int]) -> Grid:
    """Return the board of a state as a grid; a cell stands for the legal action that touches it alone.

    The caption of the board stands below it.
    """
    look = look_of(type(state))
    assert look is not None
    cells = cells_of(state)
    actions: dict[int, int] = {}
    for action in legal:
        path = squares_of(state, action)
        if len(path) == 1:
            actions.setdefault(path[0], action)
    rows, starts = [], []
    for row in range(look.rows):
        here = [column for column in range(look.columns) if cells[row, column, 1] != NO_CELL]
        first, last = (here[0], here[-1]) if here and look.shifts else (0, look.columns - 1)
        starts.append(first)
        rows.append(
            tuple(
                _cell(look, owner, kind, actions.get(row * look.columns + column))
                for column, (owner, kind) in enumerate(cells[row, first : last + 1].tolist(), first)
            )
        )
    columns = look.column_labels or ("",) * look.columns
    labels = look.row_labels or ("",) * look.rows
    shifts = tuple(shift + 2 * start for shift, start in zip(look.shifts, starts, strict=False))
    beneath = tuple(caption_of(state).splitlines())
    return Grid(
        tuple(rows), columns, labels, look.block, beneath, shifts, tuple(starts) if any(starts) else ()
    )


def _cell(look: Look, owner: int, kind: int, action: int | None) -> Cell:
    return Cell(look.text(owner, kind), None if owner < 0 else owner, action)


def _own(state: Any) -> Any:
    """Return a state in the game's own rules, where chance draws who starts."""
    return state if type(state)._inner is None else state.inner_state


def _fault(state: Any, what: str) -> GameError:
    return GameError(f"{type(state).__name__}.{what}", mend="see docs/boards.md, Cells and paths")
