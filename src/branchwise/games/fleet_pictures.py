"""Text and pictures of battleship: the boards of both players, side by side."""

from branchwise.drawing.grid import PLAYER_COLOURS, column_names, playable
from branchwise.drawing.shapes import GREY, MARGIN, TEXT, clickable, label, picture, rectangle

CELL = 32
LEFT = 20
"""Room for the labels of rows."""
GAP = 50
TOP = 32


def boards_text(state):
    """Return both boards and a line on what to do next as text."""
    margin = len(str(state.rows))
    wide = max(margin + 2 * state.columns, 8) + 4
    lines = ["".join(f"player {owner}".ljust(wide) for owner in range(2))]
    for row in range(state.rows):
        line = ""
        for owner in range(2):
            cells = [state.shown(owner, state.columns * row + column) for column in range(state.columns)]
            line += " ".join([str(state.rows - row).rjust(margin), *cells]).ljust(wide)
        lines.append(line)
    names = " ".join([" " * margin, *column_names(state.columns)])
    lines += [f"{names.ljust(wide)}{names}", state.below()]
    return "\n".join(line.rstrip() for line in lines if line)


def boards_svg(state):
    """Draw both boards. A cell from which a ship may be laid has two halves: to the right, and downwards."""
    legal = playable(state)
    parts = []
    for owner in range(2):
        left = LEFT + owner * (state.columns * CELL + GAP) + MARGIN
        parts.append(label(left, MARGIN + 14, f"player {owner}", colour=PLAYER_COLOURS[owner]))
        can_act = state.is_laying() == (owner == state.turn % 2)
        for cell in range(state.cells):
            row, column = divmod(cell, state.columns)
            x, y = left + column * CELL, TOP + row * CELL
            parts.append(_cell(state, owner, cell, x, y, legal if can_act else frozenset()))
        for row in range(state.rows):
            parts.append(label(left - 6, TOP + (row + 0.5) * CELL + 5, str(state.rows - row), anchor="end"))
        for column, name in enumerate(column_names(state.columns)):
            x = left + (column + 0.5) * CELL
            parts.append(label(x, TOP + 16 + state.rows * CELL, name, anchor="middle"))
    bottom = TOP + 42 + state.rows * CELL
    parts.append(label(LEFT + MARGIN, bottom, state.below(), colour=TEXT))
    wide = max(2 * state.columns * CELL + GAP, 220)
    return picture(LEFT + wide + 2 * MARGIN, bottom + MARGIN, parts)


def _cell(state, owner, cell, x, y, legal):
    """Return the picture of a cell; legal : actions that it may stand for."""
    shown, inner = state.shown(owner, cell), CELL - 2
    colour = PLAYER_COLOURS[owner] if shown.isalpha() else GREY
    opacity = {".": 0.12, "~": 0.3}.get(shown, 0.35 if shown.islower() else 0.8)
    text = "" if shown == "." else shown
    parts = [
        rectangle(x + 1, y + 1, inner, inner, colour, opacity + 0.1 * (cell in legal)),
        label(x + CELL / 2, y + CELL / 2 + 5, text, anchor="middle", colour=TEXT),
    ]
    if cell in legal:
        return clickable(cell, *parts)
    for half, arrow in enumerate("→↓"):
        action = cell + (half + 1) * state.cells
        if action in legal:
            top = y + 1 + half * inner / 2
            area = rectangle(x + 1, top, inner, inner / 2 - 1, GREY, 0.24)
            sign = label(x + CELL / 2, top + inner / 4 + 4, arrow, anchor="middle", colour=TEXT)
            parts.append(clickable(action, area, sign))
    return "".join(parts)
