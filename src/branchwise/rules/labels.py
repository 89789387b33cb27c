"""Comparing the names of moves with the labels of cells in the board's picture."""

from __future__ import annotations

from collections.abc import Iterable

from branchwise.game import Game


def label_note(state: Game, legal: Iterable[int]) -> str | None:
    """Return one sentence on how the names of moves and the labels of cells disagree, or None if they agree.

    A move may be named after any cell that stands for it, or after that cell's column. A picture that the
    class draws itself may have labels that name no moves, but no move may be named after another move's cell.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> label_note(ConnectFour(), range(7)) is None
    True
    """
    grid = state.to_grid()
    if grid is None:
        return None
    cells: dict[int, list[str]] = {}
    columns: dict[int, set[str]] = {}
    owners: dict[str, int | None] = {}
    for number, (row, row_label) in enumerate(zip(grid.cells, grid.row_labels, strict=False)):
        for place, cell in enumerate(row):
            column_label = grid.column_label(number, place)
            label = f"{column_label}{row_label}"
            owners[label.lower()] = cell.action
            if cell.action is not None:
                cells.setdefault(cell.action, []).append(label)
                columns.setdefault(cell.action, set()).add(column_label.lower())
    drawn_by_default = type(state).to_grid is Game.to_grid
    other_notation = None
    for action in legal:
        if action not in cells:
            continue
        name = state.action_to_string(action)
        written = name.lower()
        if written in (label.lower() for label in cells[action]) or written in columns[action]:
            continue
        told = f'the move "{name}" stands for the cell that the picture labels {cells[action][0]}'
        if written in owners:
            bottom = "; the picture numbers rows from the bottom" if drawn_by_default else ""
            return (
                f"{told}, and the picture labels another cell {written}{bottom}: "
                "let action_to_string write the picture's labels, or draw other ones in to_grid"
            )
        if drawn_by_default and other_notation is None:
            other_notation = (
                f"{told}, which numbers rows from the bottom: "
                "let action_to_string write these labels, or draw other ones in to_grid"
            )
    return other_notation
