"""The text of battleship: the boards of both players, side by side."""

from branchwise.drawing.grid import column_names


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
