"""Maps of places between which somebody travels: where the places are, and how they are drawn."""

import numpy as np

from branchwise.drawing.shapes import GREY, MARGIN, TEXT, label, rectangle

WIDE = 560
"""Width of a map in pixels."""
_SPOT = 18


def random_places(random, count, most):
    """Return places at random in a square, whole numbers from 0 to `most`, [count, 2]."""
    return np.array([[random.below(most + 1) for _ in range(2)] for _ in range(count)], float)


def on_a_circle(count):
    """Return places for pictures of what has none: on a circle, clockwise from the top, [count, 2]."""
    turns = 2 * np.pi * np.arange(count) / count
    return np.stack([np.sin(turns), -np.cos(turns)], axis=1)


def on_a_map(places):
    """Return where places are on a map, [places, 2], and where it ends below, in pixels."""
    low = places.min(axis=0)
    extent = float((places.max(axis=0) - low).max()) or 1.0
    at = MARGIN + _SPOT / 2 + (places - low) * ((WIDE - _SPOT) / extent)
    return at, float(at[:, 1].max()) + _SPOT / 2


def spot(at, name, action=None, opacity=0.3):
    """Return a square with a name in it; with an action it is a button."""
    x, y = at
    button = "" if action is None else f'data-action="{action}" tabindex="0" cursor="pointer" '
    square = rectangle(x - _SPOT / 2, y - _SPOT / 2, _SPOT, _SPOT, GREY, opacity)
    told = label(x, y + 3.5, name, anchor="middle", colour=TEXT)
    return f'<g {button}font-size="10">{square}{told}</g>'
