"""A walk-through as SVG: on the left the tree after a phase, on the right the work of the phase.

Nodes keep their places from frame to frame. Areas, colours and lines are those of `pictures.tree.svg`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from branchwise.common.errors import SettingsError
from branchwise.common.players import CHANCE
from branchwise.drawing.grid import PLAYER_COLOURS
from branchwise.pictures.simulation_report import PHASES
from branchwise.pictures.tree.svg import TREE_STYLE, Box, draw_boxes, lay_out, legend, node_box
from branchwise.pictures.tree.tree import DrawnNode
from branchwise.pictures.walkthrough.captions import MEANINGS, caption, head, title
from branchwise.pictures.walkthrough.panels import WIDTH as PANEL
from branchwise.pictures.walkthrough.panels import board, panel
from branchwise.pictures.walkthrough.walkthrough import Frame, Lecture

MOST_SIMULATIONS = 64
_MARGIN = 16.0
_GAP = 36.0
_LEAST_TREE = 480.0
_TABS = 52.0
_LEGEND = 46.0
_LINE = 19.0
_CHARACTER = 7.7
"""Estimated width of a character in captions; rather too large than too small."""

STYLE = (
    f"{TREE_STYLE}"
    ".bw-walk{--accent:#6741d9}"
    ".bw-walk .soft{opacity:.72}.bw-walk .strong{font-weight:650}.bw-walk .small{font-size:11px}"
    ".bw-walk .mono{font-family:ui-monospace,monospace;font-size:12px}"
    ".bw-walk .accent,.bw-walk .fresh text{fill:var(--accent);opacity:1}"
    ".bw-walk .edge.line{stroke:var(--accent);stroke-opacity:1}"
    ".bw-walk .node.line .shape{stroke:var(--accent);stroke-opacity:1;stroke-width:2}"
    ".bw-walk .fresh .shape{stroke-width:3}"
    ".bw-walk .cut,.bw-walk .axis{fill:none;stroke:#868e96;stroke-opacity:.6}.bw-walk .cut{stroke-opacity:.3}"
    ".bw-walk .bar{stroke:currentColor;stroke-opacity:.4}"
    ".bw-walk .assumed{fill-opacity:.35;stroke-dasharray:3 2}"
    ".bw-walk .chosen{fill:var(--accent);fill-opacity:.13}"
    ".bw-walk .explored{fill:var(--accent);fill-opacity:.38}"
    ".bw-walk .chip{stroke:#868e96}.bw-walk .open{fill:none;stroke-dasharray:3 2}"
    ".bw-walk .chip.new{stroke:var(--accent);stroke-width:2.5;stroke-dasharray:none}"
    ".bw-walk .on{fill:#111}"
    ".bw-walk .tab{fill:#868e96;fill-opacity:.14}.bw-walk .tab.now{fill:var(--accent);fill-opacity:1}"
    ".bw-walk .told.now{fill:#fff}"
    ".bw-walk .up{fill:none;stroke:var(--accent);stroke-width:2}"
    # Pieces are black and white, because coloured pieces could be confused with the colours of values.
    f'.bw-walk .board [fill="{PLAYER_COLOURS[0]}"]{{fill:#343a40}}'
    f'.bw-walk .board [fill="{PLAYER_COLOURS[1]}"]{{fill:#f8f9fa}}'
    ".bw-walk .board circle{stroke:#868e96;stroke-width:1.5}"
    f'.bw-walk .board circle[fill="{PLAYER_COLOURS[1]}"]+text{{fill:#212529}}'
    "@media (prefers-color-scheme:dark){.bw-walk{--accent:#b197fc}.bw-walk .told.now{fill:#111}}"
)
_OWN_STYLE = (
    "svg.bw-walk:root{color:#212529;background:#fff}"
    "@media (prefers-color-scheme:dark){svg.bw-walk:root{color:#e9ecef;background:#17191c}}"
)


@dataclass(frozen=True)
class Picture:
    """One drawn frame: the content of its `svg` element, from 0, 0."""

    content: str
    width: float
    height: float


def walkthrough_svgs(lecture: Lecture) -> list[str]:
    """Draw each frame as a picture, with its heading and caption.

    Raises `SettingsError` for more than 64 simulations.
    """
    pictures = draw_frames(lecture)
    return [_with_caption(frame, lecture, p) for frame, p in zip(lecture.frames, pictures, strict=True)]


def svg_head(picture: Picture, label: str, *, above: float = 0.0) -> str:
    """Return the opening tag of a frame's element, with room `above` for heading and caption."""
    width, height = picture.width, picture.height + above
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bw-walk" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="system-ui,sans-serif" font-size="13" '
        f'fill="currentColor" role="img" aria-label="{escape(label)}">'
    )


def draw_frames(lecture: Lecture) -> list[Picture]:
    """Draw all frames in one size, nodes always in the same places."""
    if len(lecture.frames) > MOST_SIMULATIONS * len(PHASES):
        raise SettingsError(
            f"{len(lecture.frames) // len(PHASES):,} simulations are too many for pictures, which can show "
            f"{MOST_SIMULATIONS}",
            mend="show fewer, and skip the first ones with after=",
        )
    boxes = _shown([_boxes(frame, lecture) for frame in lecture.frames])
    layout = lay_out([_largest(box) for box in zip(*boxes, strict=True)], _TABS + 14)
    tree_width = max(layout.width, _LEAST_TREE)
    panels = [panel(frame, lecture) for frame in lecture.frames]
    boards = [board(frame) for frame in lecture.frames]
    left, right = layout.bottom + _LEGEND, _TABS + 8 + max(height for _, height in panels)
    room = max(height for _, height in boards) + 24
    board_x, board_y = (_MARGIN, left + 12) if left < right else (tree_width + _GAP, right + 16)
    width, height = tree_width + _GAP + PANEL + _MARGIN, max(left, right, board_y + room) + _MARGIN
    cut = tree_width + _GAP / 2
    pictures = []
    for frame, found, (beside, _), (shown, _) in zip(lecture.frames, boxes, panels, boards, strict=True):
        tree = "".join(draw_boxes(found, layout, lecture.tree))
        content = [
            _tabs(frame, width),
            f'<g class="bw-tree">{tree}{legend(lecture.tree, layout.bottom + 24, "the path")}</g>',
            f'<path class="cut" d="M{cut:.1f} {_TABS + 12:.1f}V{height - 8:.1f}"/>',
            f'<g transform="translate({tree_width + _GAP:.1f} {_TABS + 8:.1f})">{"".join(beside)}</g>',
            f'<g transform="translate({board_x:.1f} {board_y:.1f})">{"".join(shown)}</g>',
        ]
        pictures.append(Picture("".join(content), width, height))
    return pictures


def _boxes(frame: Frame, lecture: Lecture) -> list[Box | None]:
    """Return the boxes of a frame: one for each node, then for each a mark for children not shown."""
    root = lecture.frames[-1].nodes[0]
    most = 1 if root is None else max(root.visits, 1)
    boxes = [
        None if node is None else node_box(node, most, lecture.returns, node.index in frame.fresh)
        for node in frame.nodes
    ]
    return boxes + [_more(index, node) for index, node in enumerate(frame.nodes)]


def _more(index: int, node: DrawnNode | None) -> Box | None:
    """Return the mark for the children of a node that are not shown, or None if there are none."""
    if node is None or not node.more:
        return None
    untried = "not drawn" if node.player == CHANCE else "untried"
    return Box(node, index, True, 0.0, (f"+{node.more:,} {'more' if node.more_visits else untried}",))


def _shown(frames: Sequence[Sequence[Box | None]]) -> list[list[Box | None]]:
    """Drop the boxes that no frame shows."""
    some = [any(boxes) for boxes in zip(*frames, strict=True)]
    return [[box for box, is_shown in zip(frame, some, strict=True) if is_shown] for frame in frames]


def _largest(boxes: Sequence[Box | None]) -> Box:
    """Return a box large enough for every frame."""
    found = [box for box in boxes if box is not None]
    widest = max(found, key=lambda box: box.label_width)
    return replace(found[-1], words=widest.words, radius=max(box.radius for box in found))


def _tabs(frame: Frame, width: float) -> str:
    """Draw the tabs of the four phases, with the current one highlighted."""
    each = (width - 2 * _MARGIN) / len(PHASES)
    parts = []
    for i, phase in enumerate(PHASES):
        now = " now" if phase == frame.phase else ""
        x = _MARGIN + i * each
        middle = x + (each - 8) / 2
        parts.append(
            f'<g text-anchor="middle"><rect x="{x:.1f}" y="2" width="{each - 8:.1f}" '
            f'height="{_TABS - 10:.0f}" rx="6" class="tab{now}"/>'
            f'<text x="{middle:.1f}" y="19" class="told strong{now}">{i + 1} {phase.capitalize()}</text>'
            f'<text x="{middle:.1f}" y="35" class="told small{now}">{MEANINGS[phase]}</text></g>'
        )
    return "".join(parts)


def _with_caption(frame: Frame, lecture: Lecture, picture: Picture) -> str:
    """Return a whole picture, with heading and caption on top."""
    width = picture.width - 2 * _MARGIN
    lines = textwrap.wrap(" ".join(caption(frame, lecture)), int(width / _CHARACTER))
    above = 52 + _LINE * len(lines)
    texts = [
        f'<text x="{_MARGIN:g}" y="24" font-size="16" class="strong">{escape(head(frame))}</text>',
        f'<text x="{picture.width - _MARGIN:.1f}" y="24" text-anchor="end" class="soft">'
        f"{escape(title(lecture))}</text>",
    ]
    texts += [
        f'<text x="{_MARGIN:g}" y="{48 + _LINE * i:.1f}" font-size="13.5">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return "".join(
        [
            svg_head(picture, head(frame), above=above),
            f"<style>{STYLE}{_OWN_STYLE}</style>",
            *texts,
            f'<g transform="translate(0 {above:.0f})">{picture.content}</g></svg>',
        ]
    )
