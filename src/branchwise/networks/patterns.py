"""Patterns of cells that a network sees as one: by default the lines of a board, from its geometry.

A pattern is a tuple of squares, row * columns + column. What its cells hold together chooses one row of the
network's first layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from branchwise.boards.style import Look
from branchwise.common.errors import GameError

Pattern = tuple[int, ...]

LONGEST_LINE = 4
_MOST_CODES = 1296
"""Contents of a line up to which it is seen as one."""
_MOST_PATTERNS = 1200
"""Lines up to which a board is seen by lines; a larger one is seen cell by cell."""
_MOST_CONTENTS = 2**18
"""Contents of all lines up to which they are of this length."""
MOST_ROWS = 2**21
_LONGEST = 16
_UNCONNECTED = ("cards", "backgammon")
"""Families of boards whose squares are no neighbours."""


def lines_of(look: Look, cells: frozenset[int], base: int) -> list[Pattern]:
    """Return every line of a board, of up to four cells, and the cells that are on none.

    cells : the squares that are cells.   base : how many contents a cell can have. With many, lines are
    shorter.

    >>> from branchwise.boards.style import look_of
    >>> from branchwise.games.connect_four import ConnectFour
    >>> len(lines_of(look_of(ConnectFour), frozenset(range(42)), 3))
    69
    """
    length = max(n for n in range(1, LONGEST_LINE + 1) if n == 1 or base**n <= _MOST_CODES)
    ways = [] if look.family in _UNCONNECTED else _ways(look, cells)
    while length > 1:
        found = [line for way in ways for line in _chains(way, cells, length)]
        if found and len(found) * base**length > _MOST_CONTENTS:
            length -= 1
            continue
        if found and len(found) <= _MOST_PATTERNS:
            seen = {cell for line in found for cell in line}
            return [*found, *((cell,) for cell in sorted(cells - seen))]
        length = 1 if found else length - 1
    return [(cell,) for cell in sorted(cells)]


def patterns_of(game: type[Any], given: Any, look: Look) -> list[Pattern]:
    """Return the patterns that a class names in `net_patterns`; raises `GameError` for what are none."""
    try:
        found = [tuple(int(square) for square in pattern) for pattern in given]
    except (TypeError, ValueError) as error:
        raise _fault(game, f"has no lists of squares: {error}") from error
    for pattern in found:
        if not 1 <= len(pattern) <= _LONGEST or len(set(pattern)) < len(pattern):
            raise _fault(game, f"has the pattern {pattern}, which is not 1 to {_LONGEST} different squares")
        for square in pattern:
            if not 0 <= square < look.squares:
                raise _fault(game, f"has the square {square}; squares are 0 to {look.squares - 1} there")
    return found


def _fault(game: type[Any], what: str) -> GameError:
    return GameError(
        f"{game.__name__}.net_patterns {what}", mend="write lists of squares, row * columns + column"
    )


def _ways(look: Look, cells: frozenset[int]) -> list[dict[int, int]]:
    """Return, for each direction, the next cell of each cell that has one."""
    if look.lines:
        return _ways_along(look)
    shifts = look.shifts or (0,) * look.rows
    steps = ((0, 2), (1, 1), (1, -1)) if look.shifts else ((0, 2), (2, 0), (2, 2), (2, -2))
    ways = []
    for down, right in steps:
        way = {}
        for cell in sorted(cells):
            row, column = divmod(cell, look.columns)
            below = row + (down if look.shifts else down // 2)
            if below >= look.rows:
                continue
            doubled = 2 * column + shifts[row] + right - shifts[below]
            after = below * look.columns + doubled // 2
            if doubled % 2 == 0 and 0 <= doubled < 2 * look.columns and after in cells:
                way[cell] = after
        ways.append(way)
    return ways


def _ways_along(look: Look) -> list[dict[int, int]]:
    """Return the same for a board whose stones stand on drawn lines."""
    ways: dict[tuple[int, int], dict[int, int]] = {}
    for line in look.lines:
        cell, after = sorted(line)
        (row, column), (below, right) = divmod(cell, look.columns), divmod(after, look.columns)
        direction = (below > row) - (below < row), (right > column) - (right < column)
        ways.setdefault(direction, {})[cell] = after
    return [ways[direction] for direction in sorted(ways)]


def _chains(way: dict[int, int], cells: frozenset[int], length: int) -> Iterator[Pattern]:
    """Yield every line of this length in one direction."""
    for cell in sorted(cells):
        line = [cell]
        while len(line) < length and line[-1] in way:
            line.append(way[line[-1]])
        if len(line) == length:
            yield tuple(line)
