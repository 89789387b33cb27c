"""A search tree as SVG, from left to right: areas are visits, colours are values, lines are shares.

In a page it takes the page's text colour; a picture on its own follows the reader's dark mode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from branchwise.common.errors import SettingsError
from branchwise.common.players import named
from branchwise.pictures.tree.layout import tidy
from branchwise.pictures.tree.tree import (
    DrawnNode,
    TreeDrawing,
    bound_text,
    cell_width,
    scale_colour,
    signed,
    tooltip,
)

MOST_NODES = 5_000
_MOST_RADIUS = 20.0
_LEAST_RADIUS = 3.5
_LEAST_WIDTH = 560.0
_MARGIN = 14.0
_RING = 3.0
_LABEL_GAP = 7.0
_COLUMN_GAP = 54.0
_ROW_GAP = 5.0
_LABEL_HEIGHT = 27.0
_MORE_HEIGHT = 20.0
_LONGEST_LABEL = 24
_CELL, _SMALL_CELL = 7.6, 6.1
"""Estimated widths of a character in the two font sizes; rather too large than too small."""
_HEAD, _FOOT = 30.0, 46.0

TREE_STYLE = (
    ".bw-tree text,.bw-tree .dots{fill:currentColor}"
    ".bw-tree .soft{opacity:.72}"
    ".bw-tree .edge{fill:none;stroke:#868e96;stroke-opacity:.55}"
    ".bw-tree .edge.line{stroke:currentColor;stroke-opacity:.8}"
    ".bw-tree .below{fill:none;stroke:#868e96}"
    ".bw-tree .line .move{font-weight:700}"
    ".bw-tree .shape{stroke:currentColor;stroke-opacity:.5}"
    ".bw-tree .line .shape{stroke-opacity:1;stroke-width:1.5}"
    ".bw-tree .ring{fill:none;stroke:currentColor}"
    ".bw-tree .unvisited{fill:none;stroke-dasharray:2 2}"
    ".bw-tree .root{fill:#868e96;fill-opacity:.25}"
)
_PAGE_STYLE = (
    "svg.bw-tree:root{color:#212529;background:#fff}"
    "@media (prefers-color-scheme:dark){svg.bw-tree:root{color:#e9ecef;background:#17191c}}"
)


@dataclass(frozen=True)
class Box:
    """A box of the layout: a node with its label, or the mark for children left out.

    above : index of its parent's box, -1 for the first.   mark : an extra class, for styles.
    """

    node: DrawnNode
    above: int
    left_out: bool
    radius: float
    words: tuple[str, ...]
    mark: str = ""

    @property
    def height(self) -> float:
        if self.left_out:
            return _MORE_HEIGHT
        return max(2 * (self.radius + (_RING if self.node.proven is not None else 0)), _LABEL_HEIGHT)

    @property
    def depth(self) -> int:
        return self.node.depth + self.left_out

    @property
    def is_on_line(self) -> bool:
        return self.node.on_line and not self.left_out

    @property
    def label_width(self) -> float:
        """An estimate; fonts differ."""
        sizes = (_SMALL_CELL,) if self.left_out else (_CELL, _SMALL_CELL)
        return max(cell_width(word) * size for word, size in zip(self.words, sizes, strict=True))


@dataclass(frozen=True)
class Layout:
    """Positions of the boxes.

    columns : for each depth the x of the middle of circles, of the start of labels, and of the end.
    middles : y of each box.   width, bottom : of the whole, with margins except below.
    """

    columns: list[tuple[float, float, float]]
    middles: list[float]
    width: float
    bottom: float


def tree_svg(drawing: TreeDrawing) -> str:
    """Draw a tree; every node has its index as `data-node` and its action as `data-action`.

    Raises `SettingsError` for more than 5,000 nodes.
    """
    if len(drawing.nodes) > MOST_NODES:
        raise SettingsError(
            f"{len(drawing.nodes):,} nodes are too many for one picture, which can show {MOST_NODES:,}",
            mend="show fewer: a smaller top or depth, or a larger min_visits",
        )
    boxes = boxes_of(drawing)
    layout = lay_out(boxes, _HEAD)
    width = max(layout.width, _LEAST_WIDTH, cell_width(drawing.title) * _CELL + 2 * _MARGIN)
    height = layout.bottom + _FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bw-tree" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="system-ui,sans-serif" font-size="13" '
        f'role="img" aria-label="{escape(drawing.title)}">',
        f"<style>{TREE_STYLE}{_PAGE_STYLE}</style>",
        f'<text x="{_MARGIN:g}" y="18" font-weight="600">{escape(drawing.title)}</text>',
        *draw_boxes(boxes, layout, drawing),
        legend(drawing, height - 28, "expected play"),
        "</svg>",
    ]
    return "".join(parts)


def tree_div(drawing: TreeDrawing) -> str:
    """Draw a tree for a notebook or as part of a page; a wide tree scrolls."""
    return f'<div class="bw-tree-view" style="overflow-x:auto">{tree_svg(drawing)}</div>'


def tree_page(drawing: TreeDrawing) -> str:
    """Draw a tree as a self-contained page, light or dark as the reader prefers."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(drawing.title)}</title>"
        '<meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}'
        "body{margin:1rem;color:CanvasText;background:Canvas}</style></head>"
        f"<body>{tree_div(drawing)}</body></html>"
    )


def boxes_of(drawing: TreeDrawing) -> list[Box]:
    """Return the boxes: the nodes in order, then the marks for children left out."""
    most = max(drawing.nodes[0].visits, 1)
    boxes = [node_box(node, most, drawing.returns) for node in drawing.nodes]
    marks = [
        Box(node, index, True, 0.0, (f"+{node.more:,} more",))
        for index, node in enumerate(drawing.nodes)
        if node.more
    ]
    return boxes + marks


def node_box(node: DrawnNode, most: int, returns: tuple[float, float], is_fresh: bool = False) -> Box:
    """Return the box of a node; most : visits of the largest circle.   is_fresh : whether it has changed."""
    radius = max(_MOST_RADIUS * math.sqrt(min(node.visits / most, 1.0)), _LEAST_RADIUS)
    move = node.text or ("root" if node.player is None else named(node.player))
    numbers = [f"{node.visits:,}", signed(node.value), bound_text(node, returns)]
    words = (_shortened(move), "  ".join(word for word in numbers if word))
    return Box(node, node.parent, False, radius, words, "fresh" if is_fresh else "")


def lay_out(boxes: Sequence[Box], top: float) -> Layout:
    """Return the positions of the boxes, all below `top`."""
    children: list[list[int]] = [[] for _ in boxes]
    for index, box in enumerate(boxes):
        if box.above >= 0:
            children[box.above].append(index)
    left_out = {index for index, box in enumerate(boxes) if box.left_out}
    middles = tidy(children, [box.height for box in boxes], _ROW_GAP, left_out)
    highest = min(y - box.height / 2 for y, box in zip(middles, boxes, strict=True))
    lowest = max(y + box.height / 2 for y, box in zip(middles, boxes, strict=True))
    columns = _columns(boxes)
    return Layout(
        columns, [y - highest + top for y in middles], columns[-1][2] + _MARGIN, lowest - highest + top
    )


def draw_boxes(boxes: Sequence[Box | None], layout: Layout, drawing: TreeDrawing) -> list[str]:
    """Draw the boxes and the edges to them, by `layout`; None: an invisible box."""
    shown = [(box, y) for box, y in zip(boxes, layout.middles, strict=True) if box is not None]
    edges = []
    for box, y in shown:
        above = boxes[box.above] if box.above >= 0 else None
        if above is not None:
            edges.append((box, _edge(above, box, layout, layout.middles[box.above], y, drawing)))
    edges.sort(key=lambda edge: (edge[0].above, edge[0].is_on_line))  # the line is drawn over its siblings
    marks = [_more(box, layout, y) if box.left_out else _node(box, layout, y, drawing) for box, y in shown]
    return [edge for _, edge in edges] + marks


def _columns(boxes: Sequence[Box]) -> list[tuple[float, float, float]]:
    """Return for each depth the x of the middle of circles, of the start of labels, and of the end."""
    columns = []
    left = _MARGIN
    for depth in range(max(box.depth for box in boxes) + 1):
        here = [box for box in boxes if box.depth == depth]
        radius = max(box.radius for box in here) + _RING
        start = left + 2 * radius + _LABEL_GAP
        end = start + max(box.label_width for box in here)
        columns.append((left + radius, start, end))
        left = end + _COLUMN_GAP
    return columns


def _edge(above: Box, box: Box, layout: Layout, y1: float, y2: float, drawing: TreeDrawing) -> str:
    _, start, end = layout.columns[above.depth]
    x1 = start + above.label_width + 5
    bend = max(end + 5, x1) + 7
    middle, _, _ = layout.columns[box.depth]
    x2 = middle - (4 if box.left_out else box.radius)
    half = (bend + x2) / 2
    kind = "edge line" if box.is_on_line else "edge"
    thick = 0.6 if box.left_out else 0.8 + 7 * drawing.weight(box.node)
    dots = ' stroke-dasharray="2 3"' if box.left_out else ""
    return (
        f'<path class="{kind}" stroke-width="{thick:.1f}"{dots} d="M{x1:.1f} {y1:.1f}H{bend:.1f}'
        f'C{half:.1f} {y1:.1f} {half:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"/>'
    )


def _node(box: Box, layout: Layout, y: float, drawing: TreeDrawing) -> str:
    node = box.node
    x, label, _ = layout.columns[box.depth]
    kind = "node line" if node.on_line or node.parent < 0 else "node"
    kind += f" {box.mark}" if box.mark else ""
    action = "" if node.action is None else f' data-action="{node.action}"'
    if node.mover is None:
        look = ' class="shape root"'
    elif node.value is None:
        look = ' class="shape unvisited"'
    else:
        look = f' class="shape" fill="{drawing.colour(node.value)}"'
    parts = [
        f'<g class="{kind}" data-node="{node.index}"{action}>'
        f"<title>{escape(tooltip(node, drawing.returns))}</title>",
        _shape(x, y, box.radius, node.terminal, look),
    ]
    if node.proven is not None:
        parts.append(_shape(x, y, box.radius + _RING, node.terminal, ' class="ring"'))
    move, numbers = box.words
    parts.append(f'<text class="move" x="{label:.1f}" y="{y - 2:.1f}">{escape(move)}</text>')
    parts.append(
        f'<text class="soft" x="{label:.1f}" y="{y + 11:.1f}" font-size="10.5" xml:space="preserve">'
        f"{escape(numbers)}</text>"
    )
    if node.below:
        x1 = label + box.label_width + 5
        parts.append(
            f'<path class="below" stroke-width="1.5" stroke-dasharray="1.5 3" d="M{x1:.1f} {y:.1f}h14"/>'
        )
    return "".join([*parts, "</g>"])


def _shape(x: float, y: float, radius: float, square: bool, attributes: str) -> str:
    """Return a circle, or a square of the same area."""
    if not square:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"{attributes}/>'
    half = radius * math.sqrt(math.pi) / 2
    side = f'width="{2 * half:.1f}" height="{2 * half:.1f}"'
    return f'<rect x="{x - half:.1f}" y="{y - half:.1f}" {side}{attributes}/>'


def _more(box: Box, layout: Layout, y: float) -> str:
    told = f"{box.node.more:,} more with {box.node.more_visits:,} visits in all"
    x, label, _ = layout.columns[box.depth]
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y + step:.1f}" r="1.1"/>' for step in (-4, 0, 4))
    return (
        f'<g class="more"><title>{told}</title><g class="dots soft">{dots}</g>'
        f'<text class="soft" x="{label:.1f}" y="{y + 3.5:.1f}" font-size="10.5">{box.words[0]}</text></g>'
    )


def legend(drawing: TreeDrawing, y: float, bold: str) -> str:
    """Return a picture's legend in two lines, the first at `y`; bold : the meaning of bold text."""
    low, high = drawing.scale
    steps = 24
    least, most = f"{low:+g}", f"{high:+g}"
    x = _MARGIN + 6.5 * len(least) + 5
    bars = "".join(
        f'<rect x="{x + 4 * i:.1f}" y="{y - 8:.1f}" width="4.3" height="9" '
        f'fill="{scale_colour(i / (steps - 1))}"/>'
        for i in range(steps)
    )
    end = x + 4 * steps
    lines = "prior" if drawing.has_priors else "share of visits"
    colours = "value, for the player who made the move"
    rest = f"area: visits · line: {lines} · ring: proven · square: game over · bold: {bold}"
    return (
        f'<g font-size="10.5"><text class="soft" x="{_MARGIN:g}" y="{y:.1f}">{least}</text>{bars}'
        f'<text class="soft" x="{end + 5:.1f}" y="{y:.1f}">{most} · {colours}</text>'
        f'<text class="soft" x="{_MARGIN:g}" y="{y + 17:.1f}">{rest}</text></g>'
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"
