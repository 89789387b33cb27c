"""Pieces of SVG for games whose pictures are no grids; see `render.grid` for those that are.

Numbers are pixels, counted from the top left.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

GREY = "#868e96"
TEXT = "currentColor"


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

    mark : width of a part on the left that is left free for what the explorer draws over the action.
    """
    free = f'<rect data-mark="" x="{x:g}" y="{y:g}" width="{mark:g}" height="{height:g}" fill="none"/>'
    return (
        f'<g data-action="{action}" tabindex="0" cursor="pointer">'
        f"{rectangle(x, y, width, height, GREY, 0.24)}{free if mark else ''}"
        f"{label(x + (mark + width) / 2, y + height / 2 + 5, text, anchor='middle', colour=TEXT)}</g>"
    )
