"""The table that a figure is drawn from; it contains everything in the figure."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from branchwise.common.csv_text import csv_text
from branchwise.common.errors import ResultsError

Entry = int | float | str | None


@dataclass(frozen=True)
class Table:
    """Columns with names, and rows of numbers, words and blanks (None).

    >>> table = Table(("n", "score"), ((10, 0.25), (20, None)))
    >>> Table.from_csv(table.to_csv()) == table, table.column("n")
    (True, [10, 20])
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]

    @classmethod
    def of(cls, rows: Sequence[dict[str, Entry]], columns: Iterable[str]) -> Table:
        """Return a table of some columns from rows given as dicts."""
        columns = tuple(columns)
        return cls(columns, tuple(tuple(row[name] for name in columns) for row in rows))

    def column(self, name: str) -> list[Entry]:
        """Return a column; raises `ResultsError` for an unknown name."""
        index = self._index(name)
        return [row[index] for row in self.rows]

    def numbers(self, name: str) -> list[float]:
        """Return a column of numbers; missing ones are nan."""
        return [math.nan if entry is None or isinstance(entry, str) else entry for entry in self.column(name)]

    def to_csv(self) -> str:
        """Return the table as CSV; the first line has the names, and numbers have all their digits."""
        return csv_text(self.columns, self.rows)

    @classmethod
    def from_csv(cls, text: str) -> Table:
        """Return the table that `to_csv` wrote."""
        lines = list(csv.reader(io.StringIO(text)))
        if not lines:
            raise ResultsError("the table has no line")
        rows = tuple(tuple(map(_entry, line)) for line in lines[1:])
        if any(len(row) != len(lines[0]) for row in rows):
            raise ResultsError("the table has a line that is longer or shorter than its first")
        return cls(tuple(lines[0]), rows)

    @classmethod
    def read(cls, file: Path) -> Table:
        """Return the table in a file."""
        try:
            return cls.from_csv(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ResultsError(f"cannot read {file}: {error}") from error

    def _index(self, name: str) -> int:
        if name not in self.columns:
            raise ResultsError(f'the table has no column "{name}"', mend=f"it has {', '.join(self.columns)}")
        return self.columns.index(name)


def _entry(text: str) -> Entry:
    if not text:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
