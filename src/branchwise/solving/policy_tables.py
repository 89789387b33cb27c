"""A policy as text, as CSV, and as a picture where states have two coordinates."""

from __future__ import annotations

from html import escape
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import SettingsError
from branchwise.drawing.shapes import GREY, MARGIN, TEXT, TILE, label, picture, tile
from branchwise.drawing.table import Table
from branchwise.rules.facts.facts import action_text

if TYPE_CHECKING:
    from branchwise.solving.state_policy import StatePolicy

_MOST_CELLS = 10_000
_LETTERS = 5


def text_table(policy: StatePolicy, most: int) -> Table:
    """Return a table of the first states in which somebody chooses."""
    table = Table()
    table.add_numbers(*policy.columns()[:-4])
    table.add_texts("action")
    table.add_numbers("probability", "value")
    for row in islice(policy.rows(most), 4 * most):
        *content, _action, name, share, value = row
        table.add_row(*map(str, content), name, f"{share:.4g}", f"{round(value, 6) + 0.0:.6f}")
    return table


def coordinates(policy: StatePolicy) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the names of two coordinates, the states to draw, and their places [states, 2]: column, row.

    They are the two numbers in which states differ, or the squares of a board of which one number tells the
    place; None if there are no such two.
    """
    rows, names = policy.choosing, policy.told
    columns = [policy.keys[name] for name in names]
    are_numbers = all(column[0].size == 1 and column.dtype.kind != "f" for column in columns)
    if not are_numbers or len(names) not in (1, 2):
        return None
    found = np.stack([column[rows].astype(np.int64).ravel() for column in columns], axis=1)
    if len(names) == 1:
        grid = policy.state(int(rows[0])).to_grid()
        if grid is None or not (found.min() >= 0 and found.max() < len(grid.cells) * len(grid.cells[0])):
            return None
        names, found = ["column", "row"], np.stack(divmod(found[:, 0], len(grid.cells[0]))[::-1], axis=1)
    if names[0] in ("y", "row"):
        names, found = names[::-1], found[:, ::-1]
    _, first = np.unique(found, axis=0, return_index=True)
    return names, rows[first], found[first]


def svg_text(policy: StatePolicy) -> str:
    """Return a picture with a square for each state: its action, and its value as a number and a colour."""
    seen = coordinates(policy)
    if seen is None:
        raise SettingsError(
            f"states of {policy.game.name} do not have two coordinates, so there is no picture of the policy",
            mend="write it as .csv",
        )
    names, rows, places = seen
    low = places.min(axis=0)
    width, height = (places.max(axis=0) - low + 1).tolist()
    if width * height > _MOST_CELLS:
        raise SettingsError(
            f"a picture of {width:,} by {height:,} states is too large", mend="write it as .csv"
        )
    values = policy.values[rows, np.maximum(policy.players[rows], 0)]
    least, span = float(values.min()), float(np.ptp(values)) or 1.0
    parts = []
    for row, (column, line), value in zip(rows, (places - low + 1).tolist(), values.tolist(), strict=True):
        part = slice(*policy.starts[row : row + 2])
        action = int(policy.actions[part][np.argmax(policy.shares[part])])
        name = action_text(policy.state(row), action)
        short = name if len(name) <= _LETTERS else str(action)
        square = tile(line, column, "#1c7ed6", 0.08 + 0.6 * (value - least) / span, short, TEXT)
        x, y = MARGIN + (column + 0.5) * TILE, MARGIN + (line + 1) * TILE - 4
        number = label(x, y, f"{value:.3g}", anchor="middle", colour=TEXT)
        parts.append(
            f'<g><title>{escape(name)}: {value:.6g}</title>{square}<g font-size="10">{number}</g></g>'
        )
    parts += [tile(0, column + 1, GREY, 0.0, str(low[0] + column)) for column in range(width)]
    parts += [tile(line + 1, 0, GREY, 0.0, str(low[1] + line)) for line in range(height)]
    bottom = MARGIN + (height + 1) * TILE + 18
    parts.append(label(MARGIN, bottom, f"{names[0]} →, {names[1]} ↓"))
    return picture(2 * MARGIN + (width + 1) * TILE, bottom + MARGIN, parts)
