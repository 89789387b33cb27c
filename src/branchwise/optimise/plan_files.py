"""Plans as files: a table of the moves of a line, and lines read back from such tables or from results."""

from __future__ import annotations

import json
from pathlib import Path

from branchwise.common.csv_text import csv_text
from branchwise.common.errors import GameError
from branchwise.common.processes import write_whole
from branchwise.drawing.shapes import MARGIN, TEXT, label, picture
from branchwise.drawing.table import Table, as_text
from branchwise.games.option_checks import read_text
from branchwise.optimise.result import OptimisationResult
from branchwise.problems.csv_rows import read_rows
from branchwise.rules.facts.facts import apply_legal, copied, reward_of

_MOST = 2**31 - 1
_MOST_MOVES = 10_000_000
_LETTER = 8.5
_LINE = 20


def plan_rows(result: OptimisationResult) -> list[dict[str, object]]:
    """Return a row for each move of the best line, with its number, its text, and what it is paid.

    A class can say more of a move with `plan_row(self, action)`, which returns values by heads of columns.
    """
    position = copied(result.state)
    rows: list[dict[str, object]] = []
    for step, (action, move) in enumerate(zip(result.best_line, result.best_moves, strict=True), 1):
        more = position.plan_row(action) if callable(getattr(position, "plan_row", None)) else {}
        given = apply_legal(position, action)
        paid = reward_of(position, given, result.facts)[0] if result.facts.pays else ""
        rows.append({"step": step, "action": action, "move": move, "reward": paid, **more})
    return rows


def write_plan(file: Path, result: OptimisationResult) -> None:
    """Write the best line: as a picture if the name ends in .svg, else as CSV, with a row for each move.

    Raises `SettingsError` if the file cannot be written; a file that was there stays as it was.
    """
    rows = plan_rows(result)
    heads = list(dict.fromkeys(head for row in rows for head in row))
    if file.suffix.lower() == ".svg":
        text = plan_picture(result, heads, rows) + "\n"
    else:
        text = csv_text(heads, ([row.get(head) for head in heads] for row in rows))
    write_whole(file, text.encode())


def plan_picture(result: OptimisationResult, heads: list[str], rows: list[dict[str, object]]) -> str:
    """Return the picture that the rules draw of the end of the best line, or else a table of its moves."""
    drawn: str | None = result.end.to_svg()
    if drawn is not None:
        return drawn
    table = Table()
    table.add_texts(*heads)
    for row in rows:
        table.add_row(*(str(row.get(head, "")) for head in heads))
    lines = [result.title, "", *as_text(table).splitlines()]
    parts = [label(MARGIN, _LINE * number, line, colour=TEXT) for number, line in enumerate(lines, 1)]
    width = _LETTER * max(map(len, lines)) + 2 * MARGIN
    style = '<g font-family="monospace" style="white-space: pre">'
    return picture(width, _LINE * (len(lines) + 1), [style, *parts, "</g>"])


def read_plan(file: Path) -> tuple[int, ...]:
    """Return the actions of a line: of a CSV file with a column `action`, or of a result as JSON.

    Raises `GameError`, with the file and the line of the fault.
    """
    text = read_text(file, file)
    if not text.lstrip().startswith("{"):
        rows = read_rows(file, file, ("action",), None, _MOST_MOVES)
        return tuple(rows.numbers("action", 0, _MOST, whole=True).tolist())
    try:
        line = json.loads(text)["best_line"]
    except ValueError as error:
        raise GameError(f"{file} is not JSON: {error}") from error
    except KeyError as error:
        raise GameError(f"{file} has no best_line", mend="give a result as --json shows it") from error
    if not isinstance(line, list) or not line:
        raise GameError(f"{file}: best_line is {line!r}, not a list of actions")
    for number, action in enumerate(line, 1):
        if type(action) is not int or not 0 <= action <= _MOST:
            raise GameError(f"{file}, action {number}: {action!r} is not the number of an action")
    return tuple(line)
