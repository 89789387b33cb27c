"""Pieces of SVG for games whose pictures are no grids; see `drawing.grid` for those that are.

Numbers are pixels, counted from the top left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from branchwise.common.players import CHANCE

GREY = "#868e96"
TEXT = "currentColor"
TILE = 40
MARGIN = 10
MARK = 44
"""Width that a button leaves free for the explorer's mark of an action."""
_BUTTON = 34
_GAP = 5
_LETTER = 8.5
_LEAST_WIDTH = 400
"""Width that buttons may take below a narrow picture."""


def picture(width: float, height: float, parts: Iterable[str]) -> str:
    """Return the picture that consists of `parts`, for light and dark pages."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="sans-serif" font-size="14" role="img">{"".join(parts)}</svg>'
    )


def rectangle(x: float, y: float, width: float, height: float, colour: str, opacity: float = 1.0) -> str:
    """Return a filled rectangle."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{colour}" '
        f'fill-opacity="{opacity:g}"/>'
    )


def label(x: float, y: float, text: str, *, anchor: str = "start", colour: str = GREY) -> str:
    """Return a text; `y` is its base line."""
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>'


_FEW = 12


def choices(state: Any, parts: list[str], bottom: float, right: float, told: str = "") -> str:
    """Return a picture of `parts` that has a button for each legal action, or outcome of chance, below them.

    bottom, right : the ends of `parts`.   told : a line above the buttons. A button can be reached by
    keyboard, and leaves room on its left for the explorer's mark of the action.
    """
    legal = [] if state.is_terminal() else state.legal_actions()
    names = [state.action_to_string(action) for action in legal]
    mark = MARK if legal and state.current_player() != CHANCE else 0
    width = mark + 20 + _LETTER * max(map(len, names), default=0)
    in_row = max(1, int((max(right, _LEAST_WIDTH) - MARGIN) // (width + _GAP)))
    drawn = [label(MARGIN, bottom + 24, told)] if told else []
    top = bottom + (36 if told else MARGIN)
    for place, (action, name) in enumerate(zip(legal, names, strict=True)):
        x, y = MARGIN + (width + _GAP) * (place % in_row), top + _BUTTON * (place // in_row)
        drawn += [
            f'<g data-action="{action}" tabindex="0" cursor="pointer">',
            rectangle(x, y, width, _BUTTON - _GAP, GREY, 0.24),
            f'<rect data-mark="" x="{x:g}" y="{y:g}" width="{mark}" height="{_BUTTON - _GAP}" fill="none"/>'
            if mark
            else "",
            label(x + (mark + width) / 2, y + 20, name, anchor="middle", colour=TEXT),
            "</g>",
        ]
    wide = max(right, MARGIN + (width + _GAP) * min(in_row, len(names)) - _GAP)
    rows = -(-max(len(names), min(state.num_actions, _FEW)) // in_row)  # the same in states with fewer moves
    return picture(wide + MARGIN, top + _BUTTON * rows, [*parts, *drawn])


def tile(row: int, column: int, colour: str, opacity: float = 1.0, text: str = "", ink: str = GREY) -> str:
    """Return a square of a board of tiles with a text in its middle."""
    x, y = MARGIN + TILE * column, MARGIN + TILE * row
    square = rectangle(x + 1, y + 1, TILE - 2, TILE - 2, colour, opacity)
    return square + (label(x + TILE / 2, y + 25, text, anchor="middle", colour=ink) if text else "")


def tiles(rows: int, columns: int, look: Callable[[int, int], tuple[Any, ...]]) -> list[str]:
    """Return a board of tiles; look(row, column) : the colour of each and what else `tile` takes."""
    return [tile(row, column, *look(row, column)) for row in range(rows) for column in range(columns)]


def token(row: float, column: float, colour: str, text: str = "", size: float = 0.72) -> str:
    """Return a disc that lies on a tile; `size` is its width as a share of the tile's."""
    x, y = MARGIN + TILE * (column + 0.5), MARGIN + TILE * (row + 0.5)
    disc = f'<circle cx="{x:g}" cy="{y:g}" r="{TILE * size / 2:g}" fill="{colour}"/>'
    return disc + (label(x, y + 5, text, anchor="middle", colour="#fff") if text else "")


def line(points: Iterable[tuple[float, float]], colour: str, width: float = 2.0) -> str:
    """Return a line through `points`, with round corners and ends."""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (
        f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width:g}" '
        'stroke-linecap="round" stroke-linejoin="round"/>'
    )


def disc(x: float, y: float, radius: float, colour: str) -> str:
    """Return a filled circle."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{colour}"/>'


def polygon(points: Iterable[tuple[float, float]], colour: str, opacity: float = 1.0) -> str:
    """Return a filled area with these corners."""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{places}" fill="{colour}" fill-opacity="{opacity:g}"/>'
