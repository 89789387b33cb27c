"""Pictures of states as arrays of pixels, from their SVG by resvg."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError, SettingsError
from branchwise.game.rules_class import Game

BACKGROUND = "#ffffff"
FONTS = ("DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica", "Segoe UI", "Verdana")
"""Fonts for texts, of which the first that is installed is used."""

_SAMPLE = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"><text x="5" y="25">A1</text></svg>'


def check_can_render(rules: type[Game]) -> None:
    """Raise `SettingsError` without the libraries, `GameError` for a game whose states have no picture."""
    _libraries()
    if rules.to_svg is Game.to_svg and rules().to_svg() is None:
        raise GameError(
            f"states of {rules.name} have no picture, so there is nothing to render as rgb_array",
            mend='give the class to_grid or to_svg, or render with render_mode="ansi"',
        )


def pixels(state: Game) -> NDArray[np.uint8]:
    """Return the picture of a state as uint8 [height, width, 3], red, green and blue, on white.

    Raises like `check_can_render`.
    """
    svg = state.to_svg()
    if svg is None:
        raise GameError(f"this state of {state.name} has no picture")
    return _drawn(svg, _font() if "<text" in svg else FONTS[0])


def _drawn(svg: str, font: str) -> NDArray[np.uint8]:
    resvg, images = _libraries()
    png = resvg.svg_to_bytes(
        svg_string=svg,
        background=BACKGROUND,
        sans_serif_family=font,
        serif_family=font,  # in place of fonts that are not installed
    )
    with images.open(io.BytesIO(bytes(png))) as image:
        return np.array(image.convert("RGB"))


@cache
def _font() -> str:
    """Return an installed font, as resvg leaves out texts in others. Raises `SettingsError` without one."""
    for font in FONTS:
        if (_drawn(_SAMPLE, font) < 128).any():
            return font
    raise SettingsError(
        "there is no font to render the texts of a picture", mend=f"install one of {', '.join(FONTS)}"
    )


def _libraries() -> tuple[Any, Any]:
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:
        raise SettingsError(
            f"to render as rgb_array, a library is missing: {error.name}",
            mend='pip install "branchwise[render]"',
        ) from error
    return resvg_py, Image
