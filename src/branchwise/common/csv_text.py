"""Tables as comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable


def csv_text(heads: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as text, a line for the names of its columns and one for each row; None is empty.

    >>> csv_text(["move", "value"], [["a,b", 0.5], ["c", None]])
    'move,value\\n"a,b",0.5\\nc,\\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return text.getvalue()
