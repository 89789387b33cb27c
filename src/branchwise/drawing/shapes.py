"""Pieces of SVG for games whose pictures are no grids; see `drawing.grid` for those that are.

Numbers are pixels, counted from the top left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from branchwise.common.players import CHANCE
from branchwise.drawing.grid import column_names

GREY = "#868e96"
TEXT = "currentColor"
TILE = 40
MARGIN = 10
MARK = 44
"""Width that a button leaves free for the explorer's mark of an action."""


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


def button(
    action: int, x: float, y: float, width: float, height: float, text: str, *, mark: float = 0.0
) -> str:
    """Return a rectangle with a text that stands for a legal action and can be reached by keyboard.

    mark : width of the space on the left for the explorer's mark of the action.
    """
    free = f'<rect data-mark="" x="{x:g}" y="{y:g}" width="{mark:g}" height="{height:g}" fill="none"/>'
    return clickable(
        action,
        rectangle(x, y, width, height, GREY, 0.24),
        free if mark else "",
        label(x + (mark + width) / 2, y + height / 2 + 5, text, anchor="middle", colour=TEXT),
    )


def clickable(action: int, *parts: str) -> str:
    """Return `parts` as one that stands for a legal action and can be reached by keyboard."""
    return f'<g data-action="{action}" tabindex="0" cursor="pointer">{"".join(parts)}</g>'


def buttons(
    state: Any,
    top: float,
    width: float,
    in_row: int,
    *,
    gap: float = 5.0,
    height: float = 29.0,
    space: float = 5.0,
    mark: float = 0.0,
    text: Callable[[int], str] | None = None,
) -> tuple[list[str], float]:
    """Return a button for each legal action, or outcome, in rows from `top` on, and where the rows end.

    gap, space : between two buttons of a row, and between two rows.   mark : as for `button`.
    text(action) : what each button says; None: the action's name.
    """
    legal = [] if state.is_terminal() else state.legal_actions()
    text = state.action_to_string if text is None else text
    parts = []
    for place, action in enumerate(legal):
        row, column = divmod(place, in_row)
        x, y = MARGIN + (width + gap) * column, top + (height + space) * row
        parts.append(button(action, x, y, width, height, text(action), mark=mark))
    return parts, top + (height + space) * -(-len(legal) // in_row)


def choices(
    state: Any,
    parts: list[str],
    top: float,
    right: float,
    width: float,
    in_row: int,
    *,
    told: str = "",
    lead: float = 12.0,
) -> str:
    """Return a picture of `parts` that has a button for each legal action, or outcome of chance, below them.

    top, right : the ends of `parts`.   width, in_row : of buttons for outcomes. Those for actions are wider.
    told : a line above the buttons.   lead : from its base line to the buttons.
    """
    words = [label(MARGIN, top - lead, told)] if told else []
    whole = in_row * (width + 5)
    mark = 0.0 if not state.is_terminal() and state.current_player() == CHANCE else MARK
    drawn, bottom = buttons(state, top, width + mark, int(whole // (width + mark + 5)), mark=mark)
    return picture(max(right, MARGIN + whole - 5) + MARGIN, bottom, [*parts, *words, *drawn])


def tile(row: int, column: int, colour: str, opacity: float = 1.0, text: str = "", ink: str = GREY) -> str:
    """Return a square of a board of tiles with a text in its middle."""
    x, y = MARGIN + TILE * column, MARGIN + TILE * row
    square = rectangle(x + 1, y + 1, TILE - 2, TILE - 2, colour, opacity)
    return square + (label(x + TILE / 2, y + 25, text, anchor="middle", colour=ink) if text else "")


def tiles(rows: int, columns: int, look: Callable[[int, int], tuple[Any, ...]]) -> list[str]:
    """Return a board of tiles; look(row, column) : the colour of each and what else `tile` takes."""
    return [tile(row, column, *look(row, column)) for row in range(rows) for column in range(columns)]


def tile_labels(rows: int, columns: int, gap: float) -> list[str]:
    """Return the labels of a board of tiles: letters below, and numbers to the right; gap : before these."""
    right, bottom = MARGIN + TILE * columns + gap, MARGIN + TILE * rows + 16
    letters = [
        label(MARGIN + TILE * (column + 0.5), bottom, name, anchor="middle")
        for column, name in enumerate(column_names(columns))
    ]
    return letters + [label(right, MARGIN + TILE * (row + 0.5) + 5, str(rows - row)) for row in range(rows)]


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
