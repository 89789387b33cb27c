"""An episode as a moving picture: the pictures of its states, shown one after another by an animated SVG.

CSS moves it, so it plays wherever a browser shows an SVG file, also as an image of a page. If the system asks
for less motion, the last picture is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any
from xml.etree import ElementTree

from branchwise.common.argument_checks import number
from branchwise.common.errors import SettingsError

PACE = 0.5
"""Seconds from picture to picture."""
_REST = 4
"""Factor by which the last picture is shown longer."""
_NAMESPACE = "http://www.w3.org/2000/svg"
_CHOSEN = "film-chosen"


def film(pictures: Sequence[str], chosen: Sequence[Any] = (), *, pace: float = PACE) -> str:
    """Return a moving picture that shows `pictures` in turn, again and again.

    pictures : SVG texts such as `to_svg` returns, at least one.   chosen : the action taken in each picture
    but the last, which is framed where the picture shows it.   pace : seconds from picture to picture.

    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> states = [TicTacToe.from_actions(moves) for moves in ([], ["b2"], ["b2", "a1"])]
    >>> moving = film([state.to_svg() for state in states], [4, 0])
    >>> moving.count("animation-delay"), moving.count('class="film-chosen"')
    (3, 2)
    """
    if not pictures:
        raise SettingsError("a film needs at least one picture")
    number("pace", pace, 0.01, 60.0)
    roots = [ElementTree.fromstring(picture) for picture in pictures]
    actions: list[Any] = [*chosen[: len(roots) - 1]]
    actions += [None] * (len(roots) - len(actions))
    frames = [_pieces(root, action) for root, action in zip(roots, actions, strict=True)]
    shared = sum(1 for _ in takewhile(lambda same: len(set(same)) == 1, zip(*frames, strict=False)))
    period = pace * (len(frames) - 1 + _REST)
    parts = [_style(pace, period), *frames[0][:shared]]
    for place, frame in enumerate(frames):
        name = "film" if place + 1 < len(frames) else "film film-last"
        parts.append(f'<g class="{name}" style="animation-delay:{place * pace:g}s">')
        parts += [*frame[shared:], "</g>"]
    width, height = (max(_size(root)[side] for root in roots) for side in (0, 1))
    given = {**roots[0].attrib, "viewBox": f"0 0 {width:g} {height:g}"}
    given |= {"width": f"{width:g}", "height": f"{height:g}"}
    head = " ".join(f'{name}="{value}"' for name, value in given.items())
    return f'<svg xmlns="{_NAMESPACE}" {head}>{"".join(parts)}</svg>'


def _pieces(root: ElementTree.Element, chosen: Any) -> list[str]:
    """Return the elements of a picture as texts; nothing in them can be clicked any more."""
    for element in root.iter():
        action = element.attrib.pop("data-action", None)
        element.attrib.pop("tabindex", None)
        element.attrib.pop("cursor", None)
        element.tag = element.tag.removeprefix(f"{{{_NAMESPACE}}}")
        if action is not None and chosen is not None and action == str(chosen):
            element.set("class", _CHOSEN)
    return [ElementTree.tostring(child, encoding="unicode") for child in root]


def _size(root: ElementTree.Element) -> tuple[float, float]:
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    return left + width, top + height


def _style(pace: float, period: float) -> str:
    """Return the rules that show each picture for its time and hide it for the rest of the period."""
    shown, last = 100 * pace / period, 100 * _REST * pace / period
    return (
        f"<style>.film{{visibility:hidden;animation:film {period:g}s step-end infinite}}"
        ".film-last{animation-name:film-last}"
        f"@keyframes film{{0%{{visibility:visible}}{shown:.4f}%{{visibility:hidden}}}}"
        f"@keyframes film-last{{0%{{visibility:visible}}{last:.4f}%{{visibility:hidden}}}}"
        f".{_CHOSEN}>rect:first-child{{stroke:#fab005;stroke-width:3}}"
        "@media (prefers-reduced-motion:reduce){.film{animation:none}.film-last{visibility:visible}}</style>"
    )
