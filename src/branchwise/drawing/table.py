"""Tables of text that fit the width they are printed at: numbers keep theirs, texts give way."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import rich.table
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

_GAP = 2
"""Blanks between two columns."""
_LEAST = 18
_LEAST_CUT = 10
"""Characters that a text keeps before the table is divided; a text that is cut, not folded."""
_INDENT = 2
"""Blanks before each further line of a text that is folded."""


class Table(rich.table.Table):
    """A table without lines. No column vanishes, however little room there is.

    Columns that are justified to the right hold numbers, which are never cut. Other columns hold texts: they
    are folded, or cut at the end if the column has `no_wrap`. If that does not make enough room, the columns
    are divided among several tables, one below the other. Each of them begins with the first column, and
    with the second if the first has no heading.

    numbered : whether a first column without heading numbers the rows, from 1.
    """

    def __init__(self, *, show_header: bool = True, numbered: bool = False) -> None:
        super().__init__(box=None, pad_edge=False, show_header=show_header)
        self._numbered = numbered
        if numbered:
            self.add_numbers("")

    def add_texts(self, *headings: str) -> None:
        """Add columns of texts."""
        for heading in headings:
            self.add_column(heading)

    def add_numbers(self, *headings: str) -> None:
        """Add columns of numbers."""
        for heading in headings:
            self.add_column(heading, justify="right")

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        number = [str(self.row_count + 1)] if self._numbered else []
        super().add_row(*number, *cells, **options)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = [
            _Column(
                [str(cell) for cell in column.cells],
                str(column.header) if self.show_header else "",
                is_number=column.justify == "right",
                is_cut=bool(column.no_wrap),
            )
            for column in self.columns
        ]
        for number, (places, widths) in enumerate(_parts(columns, options.max_width)):
            if number:
                yield Text("")
            yield self._part(places, widths, columns)

    def _part(self, places: Sequence[int], widths: Sequence[int], columns: list[_Column]) -> rich.table.Table:
        """Return the columns at `places` as a table of these widths."""
        part = rich.table.Table(box=None, pad_edge=False, show_header=self.show_header)
        for place, width in zip(places, widths, strict=True):
            side = self.columns[place].justify
            part.add_column(columns[place].heading(width), justify=side, width=width, no_wrap=True)
        for number, row in enumerate(self.rows):
            cells = [columns[place].entry(number, width) for place, width in zip(places, widths, strict=True)]
            part.add_row(*cells, style=row.style)
        return part


@dataclass(frozen=True)
class _Column:
    """The texts of a column, and how they give way."""

    cells: list[str]
    header: str
    is_number: bool
    is_cut: bool

    @property
    def natural(self) -> int:
        """The width at which nothing gives way."""
        return max(1, _widest([*self.cells, self.header]))

    @property
    def least(self) -> int:
        """The width below which the table is divided: of numbers, the heading alone is folded."""
        if self.is_number:
            return max(1, _widest([*self.cells, *self.header.split()]))
        return min(self.natural, _LEAST_CUT if self.is_cut else _LEAST)

    def heading(self, width: int) -> str:
        return folded(self.header, width, indent=0)

    def entry(self, number: int, width: int) -> str:
        cell = self.cells[number]
        return cell if self.is_cut and not self.is_number else folded(cell, width)


def as_text(*things: RenderableType) -> str:
    """Return things as they are printed one below the other, 100 characters wide and without colours."""
    out = io.StringIO()
    console = Console(file=out, width=100, color_system=None)
    for thing in things:
        console.print(thing)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def folded(text: str, width: int, indent: int = _INDENT) -> str:
    """Return `text` as lines of at most `width` characters, after blanks and commas where possible.

    >>> print(folded("mcts(simulations=1000,c=0.7)", 24))
    mcts(simulations=1000,
      c=0.7)
    """
    lines, rest, indent = [], text, min(indent, width // 4)
    while cell_len(rest) > width:
        end = _end(rest, width)
        lines.append(rest[:end].rstrip())
        rest = " " * indent + rest[end:].lstrip()
    return "\n".join([*lines, rest])


def _end(text: str, width: int) -> int:
    """Return the number of characters for the first line of a text that is wider than `width`."""
    most = len(text)
    while cell_len(text[:most]) > width:
        most -= 1
    least = len(text) - len(text.lstrip())
    for breaks in (" ,", "(=:/"):
        # A blank at the very end of the line takes no room.
        ends = [text.rfind(mark, least + 1, most + (mark == " ")) for mark in breaks]
        if max(ends) > least:
            return max(ends) + 1
    return max(most, least + 1)


def _widest(texts: Iterable[str]) -> int:
    return max((cell_len(line) for text in texts for line in text.splitlines()), default=0)


def _parts(columns: list[_Column], room: int) -> list[tuple[list[int], list[int]]]:
    """Return the tables into which the columns are divided: the places of their columns, and their widths."""
    everything = list(range(len(columns)))
    if sum(columns[place].least for place in everything) + _gaps(everything) <= room:
        return [(everything, _shared(columns, room - _gaps(everything)))]
    keys = everything[: 1 if columns[0].header else 2]
    widths = [
        columns[key].least if columns[key].is_number else min(columns[key].natural, max(room // 2, _LEAST))
        for key in keys
    ]
    kept = sum(width + _GAP for width in widths)
    groups: list[list[int]] = []
    for place in everything[len(keys) :]:
        longer = [*groups[-1], place] if groups else [place]
        if groups and sum(columns[p].least for p in longer) + _gaps(longer) <= room - kept:
            groups[-1] = longer
        else:
            groups.append([place])
    return [
        ([*keys, *group], [*widths, *_shared([columns[p] for p in group], room - kept - _gaps(group))])
        for group in groups
    ]


def _gaps(places: Sequence[int]) -> int:
    return _GAP * (len(places) - 1)


def _shared(columns: list[_Column], room: int) -> list[int]:
    """Return the widths of columns that share `room`: texts to fold come first, then those to cut."""
    if sum(column.natural for column in columns) <= room:
        return [column.natural for column in columns]
    widths = [min(column.least, room) for column in columns]
    for is_cut in (False, True):
        growing = [
            place
            for place, column in enumerate(columns)
            if column.is_cut is is_cut and not column.is_number and column.natural > widths[place]
        ]
        while growing and sum(widths) < room:
            narrowest = min(growing, key=lambda place: widths[place])
            widths[narrowest] += 1
            if widths[narrowest] == columns[narrowest].natural:
                growing.remove(narrowest)
    return widths
