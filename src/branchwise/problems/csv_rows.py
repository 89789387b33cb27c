"""Tables in files: named columns of texts, with the number of each row's line for errors."""

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError, nearest_name
from branchwise.games.option_checks import read_text


@dataclass(frozen=True)
class Rows:
    """The rows of a file.

    where : description of the file, for errors.   lines : the line of each row.   columns : texts by name.
    """

    where: object
    lines: list[int]
    columns: dict[str, list[str]]

    def numbers(
        self, column: str, low: float, high: float, default: float | None = None, whole: bool = False
    ) -> NDArray[Any]:
        """Return the numbers in a column, or `default` for each row if the file has no such column.

        Raises `GameError`, with the line, unless all are from `low` to `high`; whole : without a fraction.
        """
        if default is not None and column not in self.columns:
            return np.full(len(self.lines), default)
        values = np.array([_number(text) for text in self.columns[column]])
        fine = (low <= values) & (values <= high) & ((values == np.floor(values)) | (not whole))
        if not fine.all():
            row = int(np.argmin(fine))
            text, kind = self.columns[column][row][:40], "a whole number" if whole else "a number"
            raise GameError(
                f"{self.where}, line {self.lines[row]}: {column} is {text!r}, not {kind} from {low:g} to "
                f"{high:g}"
            )
        return values.astype(np.int64) if whole else values


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def read_rows(
    file: str | Path, where: object, needed: Sequence[str], others: Sequence[str] | None, most: int
) -> Rows:
    """Return the rows of a CSV file whose first line names its columns, in any order.

    needed, others : the columns that it must have, and may have; with None any other.   most : maximum number
    of rows. Raises `GameError`, with the line of the fault.
    """
    reader = csv.reader(read_text(file, where).splitlines())
    filled = filter(any, ([cell.strip() for cell in cells] for cells in reader))
    head = [cell.lower() for cell in next(filled, needed)]
    _check_head(head, f"{where}, line {reader.line_num}", needed, others)
    rows, lines = list[list[str]](), list[int]()
    for cells in filled:
        place = f"{where}, line {reader.line_num}"
        if len(cells) != len(head):
            raise GameError(f"{place} has {len(cells)} cells, and line 1 names {len(head)} columns")
        if len(rows) == most:
            raise GameError(f"{place}: there are more than {most} rows")
        rows.append(cells)
        lines.append(reader.line_num)
    if not rows:
        raise GameError(f"{where} has no rows", mend=f"the first line names columns: {', '.join(needed)}")
    return Rows(where, lines, dict(zip(head, map(list, zip(*rows, strict=True)), strict=True)))


def _check_head(head: list[str], place: str, needed: Sequence[str], others: Sequence[str] | None) -> None:
    """Raise an error unless the names of columns are all known, none twice, and none missing."""
    for number, name in enumerate(head):
        if others is not None and name not in (*needed, *others):
            raise nearest_name(f"column of {place}:", name, (*needed, *others))
        if name in head[:number]:
            raise GameError(f"{place}: the column {name} is named twice")
    for name in needed:
        if name not in head:
            raise GameError(f"{place}: there is no column {name}")
