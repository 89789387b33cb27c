"""A search tree in DOT, the language of Graphviz."""

from __future__ import annotations

import math

from branchwise.pictures.tree.tree import DrawnNode, TreeDrawing, bound_text, signed, tooltip

_GREY = "#868e96"
_DARK, _BRIGHT = "#212529", "#ffffff"


def tree_dot(drawing: TreeDrawing) -> str:
    """Draw a tree as a digraph; nodes are named by their indices and grow with their visits."""
    lines = [
        "digraph tree {",
        f"  graph [label={_quoted(drawing.title)}, labelloc=t, rankdir=LR, ordering=out, ranksep=0.6, "
        'nodesep=0.1, fontname="Helvetica", bgcolor="transparent"];',
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=10, margin="0.08,0.04"];',
        f'  edge [color="{_GREY}", arrowhead=none];',
    ]
    most = max(drawing.nodes[0].visits, 1)
    for index, node in enumerate(drawing.nodes):
        lines.append(f"  n{index} [{_node(node, drawing, (node.visits / most) ** 0.5)}];")
        if index:
            lines.append(f"  n{node.parent} -> n{index} [{_edge(node, drawing)}];")
    for index, node in enumerate(drawing.nodes):  # after all others, and so at the end of the children
        if node.more:
            lines.append(f'  more{index} [shape=plaintext, style="", label={_quoted(f"+{node.more} more")}];')
            lines.append(f"  n{index} -> more{index} [style=dotted];")
    return "\n".join([*lines, "}"])


def _node(node: DrawnNode, drawing: TreeDrawing, size: float) -> str:
    bound = bound_text(node, drawing.returns)
    label = [node.text or "root", f"{node.visits:,}", signed(node.value), bound]
    fill = "#f1f3f5" if node.value is None else drawing.colour(node.value)
    attributes = {
        "id": f"node{node.index}",
        "label": "\n".join(part for part in label if part),
        "tooltip": tooltip(node, drawing.returns),
        "fillcolor": fill,
        "fontcolor": _BRIGHT if _luminance(fill) < 0.3 else _DARK,
        "color": _DARK if node.on_line or node.parent < 0 else _GREY,
        "penwidth": "2" if node.on_line else "1",
        "width": f"{0.3 + size:.2f}",
        "height": f"{0.25 + 0.6 * size:.2f}",
    }
    if node.proven is not None:
        attributes["peripheries"] = "2"
    if node.terminal:
        attributes["style"] = "filled"
    return _listed(attributes)


def _edge(node: DrawnNode, drawing: TreeDrawing) -> str:
    attributes = {"penwidth": f"{0.6 + 6 * drawing.weight(node):.2f}"}
    if node.on_line:
        attributes["color"] = _DARK
    return _listed(attributes)


def _listed(attributes: dict[str, str]) -> str:
    return ", ".join(f"{name}={_quoted(value)}" for name, value in attributes.items())


def _quoted(text: str) -> str:
    r"""Return `text` as a literal string of DOT.

    >>> print(_quoted('a "b"\nc\\N'))
    "a \"b\"\nc\\N"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _luminance(colour: str) -> float:
    red, green, blue = (math.pow(int(colour[i : i + 2], 16) / 255, 2.2) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
