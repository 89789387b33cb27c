"""Boards as grids of cells: one description, drawn as plain text, terminal text or SVG.

A game describes its board as a `Grid`; everything that shows boards draws from it. Players differ in symbol
as well as in colour.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from branchwise.common.errors import GameError

if TYPE_CHECKING:
    import numpy as np
    from rich.text import Text

PLAYER_COLOURS = ("#d9480f", "#1c7ed6", "#2b8a3e", "#862e9c")
TERMINAL_STYLES = ("bold bright_red", "bold bright_cyan", "bold bright_green", "bold bright_magenta")
BLANKS = (".", "-", " ", "")
"""Texts of empty cells."""
_CELL = 40
_MARGIN = 24
_LINE = 18
_LETTER = 7
_LONGEST_LINE = 60
_ROW_WIDTH = 80
"""Characters after which a board of one row is folded."""
_ROW_STEP = 0.866
"""Distance of two rows of hexagons, as a share of a cell's width."""
_HEXAGON = ((0, -0.577), (0.5, -0.289), (0.5, 0.289), (0, 0.577), (-0.5, 0.289), (-0.5, -0.289))
"""Corners of a hexagon around its middle, as shares of its width."""


_Line = list[tuple[str, tuple[int, int] | None]]
"""A line of a drawing: pieces of it, each with the row and the column of its cell, or None."""


@dataclass(frozen=True)
class Cell:
    """One cell: its text, its owner (None: nobody), and the legal action it stands for."""

    text: str = "."
    owner: int | None = None
    action: int | None = None

    @property
    def looks(self) -> tuple[str, int | None]:
        """The part that a move can change: two blank cells look the same."""
        return ("" if self.text in BLANKS else self.text), self.owner


@dataclass(frozen=True)
class Grid:
    """Cells by row, the first row on top, with labels for columns and rows; `box` cells form a block.

    With `shifts`, cells are hexagons, and rows may have different lengths.
    """

    cells: tuple[tuple[Cell, ...], ...]
    column_labels: tuple[str, ...]
    row_labels: tuple[str, ...]
    box: tuple[int, int] | None = None
    """Rows and columns of a block; heavier lines or gaps separate blocks."""
    beneath: tuple[str, ...] = ()
    """Lines of text below the board."""
    shifts: tuple[int, ...] = ()
    """Half cells by which each row is moved to the right.

    Labels of columns stand below the last row, and those of further columns behind the rows above it.
    """
    starts: tuple[int, ...] = ()
    """The column of each row's first cell; () if it is 0 in all."""

    def column_label(self, row: int, place: int) -> str:
        """Return the label of the column of a cell, given its row and its place in it."""
        return self.column_labels[place + (self.starts[row] if self.starts else 0)]

    @property
    def end_labels(self) -> tuple[str, ...]:
        """The labels of columns behind the rows, by row; () if there are none."""
        below = len(self.cells[-1])
        if not self.shifts or len(self.column_labels) == below:
            return ()
        further = [*self.column_labels[below:], *[""] * len(self.cells)]
        return tuple(reversed(further[: len(self.cells)]))

    def with_actions(self, kept: Collection[int]) -> Grid:
        """Return the grid without the actions that are not among `kept`."""
        cells = tuple(
            tuple(cell if cell.action in kept else replace(cell, action=None) for cell in row)
            for row in self.cells
        )
        return replace(self, cells=cells)

    def changed(self, before: Grid) -> set[tuple[int, int]]:
        """Return (row, column) of each cell that looks different from `before`."""
        return {
            (r, c)
            for r, row in enumerate(self.cells)
            for c, cell in enumerate(row)
            if cell.looks != before.cells[r][c].looks
        }


@cache
def column_names(count: int) -> tuple[str, ...]:
    """Return letters for `count` columns, as on a chess board; aa follows z.

    >>> column_names(3), column_names(28)[-1]
    (('a', 'b', 'c'), 'ab')
    """
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    names = [*alphabet, *(first + second for first in alphabet for second in alphabet)]
    return tuple(names[:count])


def cell_name(cell: int, rows: int, columns: int) -> str:
    """Return the name of a cell as on a chess board; cells are numbered row by row from the top left.

    >>> cell_name(0, 8, 8), cell_name(63, 8, 8)
    ('a8', 'h1')
    """
    return f"{column_names(columns)[cell % columns]}{rows - cell // columns}"


def board_grid(
    height: int,
    width: int,
    cell: Callable[[int, int], Cell],
    box: tuple[int, int] | None = None,
    *,
    beneath: Iterable[str] = (),
    of: Any = None,
) -> Grid:
    """Return the grid of the cells cell(row, column), labelled like a chess board: rows from the bottom.

    beneath : lines below the board.   of : a state; its cells keep the actions that are legal. None: cells
    keep all their actions.
    """
    cells = tuple(tuple(cell(r, c) for c in range(width)) for r in range(height))
    row_labels = tuple(str(height - r) for r in range(height))
    grid = Grid(cells, column_names(width), row_labels, box, tuple(beneath))
    if of is None:
        return grid
    return grid.with_actions(() if of.is_terminal() else of.legal_actions())


def check_symbols(game: str, symbols: object) -> None:
    """Raise `GameError` unless `symbols` is a text or a sequence of texts that can be drawn."""
    if isinstance(symbols, str):
        # A combining mark would join the character before it and shift the values after it.
        bad = [c for c in symbols if not c.isprintable() or unicodedata.category(c) in ("Mn", "Me")]
        mend = f'give each value one character, or one text: symbols = (".", "X", "O"), not {symbols!r}'
    elif isinstance(symbols, list | tuple):
        bad = [text for text in symbols if not (isinstance(text, str) and text and text.isprintable())]
        mend = 'give each value a text on one line: symbols = (".", "X", "O")'
    else:
        raise GameError(
            f"{game}.symbols is {symbols!r}, which is not a text",
            mend='give each value of a cell a character, in the order of the values: symbols = ".XO"',
        )
    if bad:
        raise GameError(f"{game}.symbols has {bad[0]!r}, which cannot be drawn in a cell", mend=mend)
    if not symbols:
        raise GameError(
            f"{game}.symbols is empty", mend='the default, symbols = ".XO", suits boards of 0, 1 and 2'
        )


def grid_from_array(
    board: np.ndarray[Any, Any],
    symbols: Sequence[str],
    num_actions: int,
    legal: Collection[int],
    beneath: Sequence[str] = (),
) -> Grid:
    """Describe a board array of one or two dimensions whose values are 0 for empty and p + 1 for player p.

    Row 0 is on top; labels number the rows from the bottom. If there are as many actions as cells, a cell
    stands for the action with its number. If there are as many actions as columns, an empty cell stands for
    the action of its column. beneath : lines below the board.
    """
    rows: list[list[Any]] = [board.tolist()] if board.ndim == 1 else board.tolist()
    playable = frozenset(legal)
    height, width = len(rows), len(rows[0])

    def cell(r: int, c: int) -> Cell:
        value = rows[r][c]
        whole = value == int(value)
        text = symbols[int(value)] if whole and 0 <= value < len(symbols) else str(value)
        owner = int(value) - 1 if whole and 1 <= value < len(symbols) else None
        action: int | None = None
        if num_actions == height * width:
            action = r * width + c
        elif num_actions == width and value == 0:
            action = c
        return Cell(text, owner, action if action in playable else None)

    return board_grid(height, width, cell, beneath=map(_shortened, beneath))


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 3] + "..."


def player_symbols(grids: Iterable[Grid | None], count: int, symbols: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the symbol of each of `count` players, or () unless the grids agree on one for each.

    It is the only text of the player's cells in all grids or, of several, the one that `symbols`, those of
    the class, have for the player. Numbers are none: they count something.

    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> player_symbols([TicTacToe.from_actions(["a1", "b2"]).to_grid()], 2)
    ('X', 'O')
    """
    found: dict[int, set[str]] = {}
    for grid in grids:
        for row in () if grid is None else grid.cells:
            for cell in row:
                if cell.owner is not None and cell.text not in BLANKS:
                    found.setdefault(cell.owner, set()).add(cell.text)
    named = []
    for player in range(count):
        mine = found.get(player, set())
        others = set[str]().union(*(texts for owner, texts in found.items() if owner != player))
        declared = set(symbols[player + 1 : player + 2])
        named += [
            text for text in (mine if len(mine) == 1 else mine & declared) - others if not text.isdigit()
        ]
    return tuple(named) if len(named) == count else ()


def grid_text(grid: Grid, width: int | None = None) -> str:
    """Draw `grid` in plain characters, with labels and without trailing blanks.

    width : as for `grid_terminal`; by default a board of one row is folded at 80 characters, others are not.
    """
    if width is None and len(grid.cells) == 1:
        width = _ROW_WIDTH
    return "\n".join("".join(piece for piece, _ in line).rstrip() for line in _fitted(grid, width))


def grid_terminal(grid: Grid, highlight: Collection[tuple[int, int]] = (), width: int | None = None) -> Text:
    """Draw `grid` for a terminal: players in colour, `highlight`ed cells reversed, labels dim.

    width : of the terminal. A board that is wider is drawn closer together, and if that is not enough, in
    several pieces, one below the other. None: as wide as it is.
    """
    from rich.text import Text

    text = Text()
    for number, line in enumerate(_fitted(grid, width)):
        if number:
            text.append("\n")
        for piece, place in line:
            text.append(piece, style=_terminal_style(grid, place, highlight))
    return text


def grid_svg(grid: Grid, highlight: Collection[tuple[int, int]] = ()) -> str:
    """Draw `grid` as SVG text for light and dark pages.

    Every cell that stands for a legal action has `data-action` and can be reached by keyboard.
    """
    outline = _hexagon if grid.shifts else _square
    top, step = (0.577, _ROW_STEP) if grid.shifts else (0.5, 1)
    shifts = grid.shifts or [0] * len(grid.cells)
    lefts = [_MARGIN + (shift - min(shifts)) * _CELL / 2 for shift in shifts]
    bottom = _board_end(grid)[1]
    parts = [_svg_head(grid)]
    for r, (left, row) in enumerate(zip(lefts, grid.cells, strict=True)):
        y = 2 + _CELL * (top + r * step)
        parts.append(_svg_label(left - _MARGIN / 2, y + 5, grid.row_labels[r]))
        for c, cell in enumerate(row):
            x = left + (c + 0.5) * _CELL
            parts.append(_svg_cell(cell, x, y, outline(x, y), (r, c) in highlight))
        if grid.end_labels:
            parts.append(_svg_label(left + len(row) * _CELL + _MARGIN / 2, y + 5, grid.end_labels[r]))
    for c, label in enumerate(grid.column_labels[: len(grid.cells[-1])]):
        parts.append(_svg_label(lefts[-1] + (c + 0.5) * _CELL, bottom + 16, label))
    if not grid.shifts:
        parts += _svg_blocks(grid)
    return "".join([*parts, *_svg_foot(grid, bottom)])


def _square(x: float, y: float) -> str:
    """Return the beginning of a square cell's element; x, y : its middle."""
    return f'<rect x="{x - _CELL / 2:g}" y="{y - _CELL / 2:g}" width="{_CELL}" height="{_CELL}"'


def _hexagon(x: float, y: float) -> str:
    """Return the beginning of a hexagon's element, which has a corner on top."""
    corners = " ".join(f"{x + _CELL * a:.1f},{y + _CELL * b:.1f}" for a, b in _HEXAGON)
    return f'<polygon points="{corners}"'


def _svg_blocks(grid: Grid) -> list[str]:
    """Return the heavy lines around the board and between its blocks."""
    height, width = len(grid.cells), len(grid.cells[0])
    box_rows, box_columns = grid.box or (height, width)
    right, end = _MARGIN + width * _CELL, 2 + height * _CELL
    rows = [_svg_line(_MARGIN, y, right, y) for y in range(2, end + 1, box_rows * _CELL)]
    return rows + [_svg_line(x, 2, x, end) for x in range(_MARGIN, right + 1, box_columns * _CELL)]


def grid_svg_size(grid: Grid) -> tuple[int, int]:
    """Return the width and height of `grid_svg`, in pixels."""
    right, bottom = _board_end(grid)
    width = max([right, *(_MARGIN + len(line) * _LETTER for line in grid.beneath)])
    return width, bottom + _MARGIN + len(grid.beneath) * _LINE


def _board_end(grid: Grid) -> tuple[int, int]:
    """Return the right end of the picture of a board, and the lower end of its cells."""
    height = len(grid.cells)
    if not grid.shifts:
        return _MARGIN + len(grid.cells[0]) * _CELL + 4, height * _CELL + 4
    first = min(grid.shifts)
    halves = max(shift - first + 2 * len(row) for shift, row in zip(grid.shifts, grid.cells, strict=True))
    return 2 * _MARGIN + halves * _CELL // 2, round(_CELL * (height * _ROW_STEP + 0.3)) + 4


def _svg_head(grid: Grid) -> str:
    """Return the start of a picture."""
    width, height = grid_svg_size(grid)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="14" '
        'text-anchor="middle" role="img">'
    )


def _svg_foot(grid: Grid, bottom: int) -> list[str]:
    """Return the lines below the board, and the end of the picture."""
    parts = []
    for number, line in enumerate(grid.beneath):
        y = bottom + _MARGIN + (number + 0.7) * _LINE
        parts.append(
            f'<text x="{_MARGIN}" y="{y:g}" fill="#868e96" font-size="12" text-anchor="start">'
            f"{escape(line)}</text>"
        )
    return [*parts, "</svg>"]


def _fitted(grid: Grid, width: int | None) -> list[_Line]:
    """Return the drawing as lines that are at most `width` characters long, if their cells are not longer."""
    lines = _lines(grid)
    if width is not None and _longest(lines) > width:
        lines = _lines(grid, upright=True)
        dense = lines if grid.shifts else _lines(grid, upright=True, dense=True)
        if _longest(lines) > width:
            lines = _in_pieces(grid, lines, width) if _longest(dense) > width else dense
    beneath: list[_Line] = [[(line, None)] for line in grid.beneath]
    return lines + beneath


def _lines(grid: Grid, *, upright: bool = False, dense: bool = False) -> list[_Line]:
    """Return the drawing without the lines below the board.

    upright : labels of columns do not widen the cells; their letters stand one below the other.
    dense : there are no blanks between cells of one character.
    """
    width = max(len(cell.text) for row in grid.cells for cell in row)
    if not upright:
        width = max(width, *(len(label) for label in grid.column_labels))
    margin = max(len(label) for label in grid.row_labels)
    height = len(grid.cells)
    box_rows, box_columns = grid.box or (height, max(map(len, grid.cells)))
    indents = _indents(grid, width)
    blanks = ("" if dense and width == 1 else " ", "   ")

    def gap(column: int) -> str:
        return blanks[column > 0 and column % box_columns == 0]

    lines: list[_Line] = []
    for r, row in enumerate(grid.cells):
        if r and r % box_rows == 0:
            lines.append([])
        line: _Line = [(indents[r] + f"{grid.row_labels[r]:>{margin}} ", None)]
        for c, cell in enumerate(row):
            line.append((gap(c), None))
            line.append((f"{cell.text:>{width}}", (r, c)))
        if grid.end_labels:
            line.append((f" {grid.end_labels[r]}", None))
        lines.append(line)
    below = grid.column_labels[: len(grid.cells[-1])]
    letters = max(map(len, below), default=0)
    for labels in zip(*(label.rjust(letters) for label in below), strict=True) if upright else [below]:
        line = [(indents[-1] + " " * (margin + 1), None)]
        lines.append(line + [(gap(c) + f"{label:>{width}}", None) for c, label in enumerate(labels)])
    return lines


def _longest(lines: list[_Line]) -> int:
    return max(len("".join(piece for piece, _ in line).rstrip()) for line in lines)


def _in_pieces(grid: Grid, lines: list[_Line], width: int) -> list[_Line]:
    """Cut a drawing from top to bottom into pieces, each with the labels of the rows; return their lines."""
    margin = min(len(line[0][0]) for line in lines if line)
    step = 1 + max(len(piece) for line in lines for piece, place in line if place is not None)
    room = width - margin
    if grid.shifts or grid.box:  # a cell may begin before the end of a piece and end behind it
        room -= step + 2
    room = max(room - room % step, step)
    found: list[_Line] = []
    for start in range(0, max(_longest(lines) - margin, 1), room):
        if start:
            found.append([])
        for line in lines:
            kept: _Line = [(line[0][0][-margin:], None)] if line else []
            at, end = len(line[0][0]) - margin if line else 0, 0
            for piece, place in line[1:]:
                if start <= at < start + room:
                    kept += [(" " * (at - start - end), None), (piece, place)]
                    end = at - start + len(piece)
                at += len(piece)
            found.append(kept)
    return found


def _indents(grid: Grid, width: int) -> list[str]:
    """Return the blanks before each row, by its shift; a cell of text is `width` + 1 wide."""
    if not grid.shifts:
        return [""] * len(grid.cells)
    first = min(grid.shifts)
    return [" " * ((shift - first) * (width + 1) // 2) for shift in grid.shifts]


def _terminal_style(grid: Grid, place: tuple[int, int] | None, highlight: Collection[tuple[int, int]]) -> str:
    if place is None:
        return "dim"
    cell = grid.cells[place[0]][place[1]]
    if cell.owner is not None:
        style = TERMINAL_STYLES[cell.owner % len(TERMINAL_STYLES)]
    else:
        style = "dim" if cell.action is None else "none"
    return f"{style} reverse" if place in highlight else style


def _svg_cell(cell: Cell, x: float, y: float, outline: str, highlighted: bool) -> str:
    """Draw a cell with its middle at x, y; `outline` is the beginning of its shape's element."""
    action = "" if cell.action is None else f' data-action="{cell.action}" tabindex="0" cursor="pointer"'
    if highlighted:
        shade = ' fill="#fab005" fill-opacity="0.35"'
    else:
        shade = f' fill="#868e96" fill-opacity="{0.08 if cell.action is None else 0.24}"'
    parts = [f"<g{action}>", f'{outline}{shade} stroke="#868e96" stroke-opacity="0.5"/>']
    if cell.owner is not None:
        colour = PLAYER_COLOURS[cell.owner % len(PLAYER_COLOURS)]
        parts.append(f'<circle cx="{x}" cy="{y}" r="{_CELL * 0.38}" fill="{colour}"/>')
        parts.append(f'<text x="{x}" y="{y + 5}" fill="#fff">{escape(cell.text)}</text>')
    elif cell.text not in BLANKS:
        parts.append(f'<text x="{x}" y="{y + 5}" fill="#868e96">{escape(cell.text)}</text>')
    parts.append("</g>")
    return "".join(parts)


def _svg_label(x: float, y: float, text: str) -> str:
    return f'<text x="{x}" y="{y}" fill="#868e96" font-size="12">{escape(text)}</text>'


def _svg_line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#868e96" stroke-width="2"/>'
