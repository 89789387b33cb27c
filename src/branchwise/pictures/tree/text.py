"""A search tree as text: one aligned line per node, with a bar for its share of the parent's visits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from branchwise.common.errors import SettingsError
from branchwise.pictures.tree.tree import DrawnNode, TreeDrawing, bound_text, cell_width, signed

LEAST_WIDTH = 40
_MARK = _GAP = "  "
_LEAST_MOVE = 6
_HEADS = ("by", "visits", "share", "value", "proven", "prior", "others")
_LEAST_NEEDED = ("by", "others", "prior", "proven")
"""Columns that are dropped on narrow terminals, in this order."""
_BAR_WIDTHS = (20, 3)


class _Signs(NamedTuple):
    """Characters that a tree is drawn with."""

    line: str
    branch: str
    last: str
    trunk: str
    blank: str
    bar: str
    """Partly filled cells, from the left, in equal steps up to a full one."""
    cut: str


_SIGNS = _Signs("▸", "├ ", "└ ", "│ ", "  ", "▏▎▍▌▋▊▉█", "…")
_PLAIN_SIGNS = _Signs(">", "|- ", "`- ", "|  ", "   ", "#", "~")


@dataclass(frozen=True)
class _Row:
    """One line of the text; share is None if it has no bar."""

    move: str
    on_line: bool
    cells: tuple[str, ...]
    share: float | None


def tree_text(drawing: TreeDrawing, width: int = 100, *, plain: bool = False) -> str:
    """Draw a tree in lines of at most `width` columns, from 40; plain : in ASCII, except the moves' names.

    The first node is in the heading. A single line of play is numbered instead of indented.
    """
    if width < LEAST_WIDTH:
        raise SettingsError(f"width = {width} is outside its range", mend=f"at least {LEAST_WIDTH}")
    signs = _PLAIN_SIGNS if plain else _SIGNS
    if len(drawing.nodes) == 1:
        return drawing.title
    rows = _line_rows(drawing) if drawing.is_line else _tree_rows(drawing, signs)
    heads = [head for i, head in enumerate(_HEADS) if any(row.cells[i] for row in rows)]
    widest = max(len("move"), *(cell_width(row.move) for row in rows))
    while True:
        indices = [_HEADS.index(head) for head in heads]
        widths = [max(len(_HEADS[i]), *(len(row.cells[i]) for row in rows)) for i in indices]
        room = width - len(_MARK) - sum(widths) - len(_GAP) * len(widths)
        spare = [head for head in _LEAST_NEEDED if head in heads]
        if room >= _LEAST_MOVE or not spare:
            break
        heads.remove(spare[0])
    bar_width, move_width = _shared_out(room, widest)
    columns = _Columns(indices, widths, bar_width, move_width, signs)
    lines = [drawing.title, columns.line(_Row("move", False, _HEADS, None))]
    return "\n".join([*lines, *(columns.line(row) for row in rows)])


class _Columns(NamedTuple):
    """The columns shown, by their indices among all, and their widths."""

    indices: list[int]
    widths: list[int]
    bar: int
    move: int
    signs: _Signs

    def line(self, row: _Row) -> str:
        """Return a row as a line of text."""
        mark = f"{self.signs.line} " if row.on_line else _MARK
        cells = [row.cells[i].rjust(width) for i, width in zip(self.indices, self.widths, strict=True)]
        if self.bar:
            bar = "" if row.share is None else _bar(row.share, self.bar, self.signs)
            cells.insert(self.indices.index(_HEADS.index("share")) + 1, bar.ljust(self.bar))
        return _GAP.join([mark + _fitted(row.move, self.move, self.signs), *cells]).rstrip()


def _tree_rows(drawing: TreeDrawing, signs: _Signs) -> list[_Row]:
    """Return the rows below the first node, including those for children left out."""
    rows: list[_Row] = []
    guides = {0: ""}
    waiting = [(0, False)]  # index in the drawing, and whether the row is for its children left out
    while waiting:
        index, left_out = waiting.pop()
        node = drawing.nodes[index]
        if left_out:
            rows.append(_more_row(node, guides[index] + (signs.last if index else "")))
            continue
        if index:
            rows.append(_node_row(node, guides[node.parent], _is_last(drawing, index), drawing, signs))
            if node.depth == 1:
                guides[index] = ""
            else:
                last = _is_last(drawing, index)
                guides[index] = guides[node.parent] + (signs.blank if last else signs.trunk)
        below = [(child, False) for child in drawing.children[index]]
        below += [(index, True)] if node.more else []
        waiting += reversed(below)
    return rows


def _is_last(drawing: TreeDrawing, index: int) -> bool:
    parent = drawing.nodes[index].parent
    return drawing.children[parent][-1] == index and not drawing.nodes[parent].more


def _node_row(node: DrawnNode, guide: str, last: bool, drawing: TreeDrawing, signs: _Signs) -> _Row:
    if node.depth > 1:
        guide += signs.last if last else signs.branch
    return _Row(
        guide + node.text,
        node.on_line,
        _numbers(node, drawing),
        node.share,
    )


def _line_rows(drawing: TreeDrawing) -> list[_Row]:
    """Return the rows of a line of play, each with the number of other moves."""
    digits = len(str(len(drawing.nodes) - 1))
    rows = []
    for before, node in zip(drawing.nodes, drawing.nodes[1:], strict=False):
        others = f"+{before.more}" if before.more else ""
        numbers = (*_numbers(node, drawing)[:-1], others)
        rows.append(_Row(f"{node.depth:>{digits}} {node.text}", False, numbers, node.share))
    return rows


def _numbers(node: DrawnNode, drawing: TreeDrawing) -> tuple[str, ...]:
    return (
        "" if node.mover is None else str(node.mover),
        f"{node.visits:,}",
        f"{node.share:.1%}",
        signed(node.value),
        bound_text(node, drawing.returns),
        "" if node.prior is None else f"{node.prior:.1%}",
        "",
    )


def _more_row(node: DrawnNode, guide: str) -> _Row:
    cells = ("", f"{node.more_visits:,}", f"{node.more_share:.1%}", "", "", "", "")
    return _Row(f"{guide}+{node.more:,} more", False, cells, None)


def _shared_out(room: int, wanted: int) -> tuple[int, int]:
    """Return the widths of bars and moves in `room` columns for both; bars shrink first."""
    most, least = _BAR_WIDTHS
    bar = min(most, room - wanted - len(_GAP))
    if bar < least:
        return 0, max(min(wanted, room), _LEAST_MOVE)
    return bar, wanted


def _bar(share: float, width: int, signs: _Signs) -> str:
    steps = len(signs.bar)
    whole, part = divmod(round(min(max(share, 0.0), 1.0) * width * steps), steps)
    return signs.bar[-1] * whole + (signs.bar[part - 1] if part else "")


def _fitted(text: str, width: int, signs: _Signs) -> str:
    """Return `text` in exactly `width` columns; a long text is cut at the front, where the guides are."""
    if cell_width(text) > width:
        while text and cell_width(text) > width - len(signs.cut):
            text = text[1:]
        text = signs.cut + text
    return text + " " * (width - cell_width(text))
