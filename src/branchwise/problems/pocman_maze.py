"""Mazes of `pocman`: reading them, and tables of their squares for the rules.

Those with names are Silver and Veness's, from their program POMCP 1.0.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError
from branchwise.problems.reached import reached_from

DOWN = (-1, 0, 1, 0)
RIGHT = (0, 1, 0, -1)
"""A step in each direction, north, east, south and west, as rows down and columns to the right."""
WALL = -1

MAZES = {
    "full": (
        6,
        """
        ###################
        #.................#
        #.##.###.#.###.##.#
        #o...............o#
        #.##.#.#####.#.##.#
        #....#...#...#....#
        ####.###.#.###.####
        ####.#-------#.####
        ####.#-#-CD#-#.####
        <---.#-#-AB#-#.--->
        ####.#-#####-#.####
        ####.#-------#.####
        ####.#.#####.#.####
        #........p........#
        #.##.###.#.###.##.#
        #o.#...........#.o#
        ##.#.#.#####.#.#.##
        #....#...#...#....#
        #.######.#.######.#
        #.................#
        ###################
        """,
    ),
    "mini": (
        4,
        """
        ############
        #....##....#
        #.##.##.##.#
        #.#......#.#
        #...#..#...#
        <.#.#C-#.#.>
        #.#.#AB#.#.#
        #...####...#
        #.#..p...#.#
        #.##.##.##.#
        #....##....#
        ############
        """,
    ),
    "micro": (
        3,
        """
        #########
        #.......#
        #..#.#..#
        #.#.a.#.#
        #...#...#
        #.#...#.#
        #..#.#..#
        #...p...#
        #########
        """,
    ),
}
"""By name: ghosts at a smaller distance than this chase PocMan; and the maze, as `read_maze` reads it."""

_LONGEST = 100
_GHOSTS = "ABCDEFGHI"
_FOOD = "." + "p" + _GHOSTS.lower()
_FLOOR = _FOOD + "-oP" + _GHOSTS
_MEND = (
    'give rows of one length with "/" between them and # all around: # is a wall, . floor for food, - floor '
    "without, o a pill, p PocMan and a, b, ... ghosts, on floor for food, or P, A, B, ... without"
)


@dataclass(frozen=True)
class Maze:
    """A maze; N squares that are no walls are numbered row by row from the top, G ghosts."""

    lines: tuple[str, ...]
    """Rows of text, with the walls around."""
    squares: NDArray[np.int64]
    """[rows, columns] the number of each square, or WALL."""
    row: NDArray[np.int64]
    """[N] of each square, as in `lines`."""
    column: NDArray[np.int64]
    """[N]"""
    ways: NDArray[np.int64]
    """[N, 4] the next square in each direction, or WALL."""
    sight: NDArray[np.int64]
    """[N, 4] squares in a straight line, up to a wall; passages end it."""
    near: NDArray[np.int64]
    """[N, 9] squares beside it, also diagonally, and itself; WALL where there are fewer."""
    is_pill: NDArray[np.bool_]
    """[N]"""
    food: NDArray[np.int64]
    """[F] squares on which there may be food."""
    home: int
    """Where PocMan begins."""
    ghosts: NDArray[np.int64]
    """[G] where ghosts begin. Ghosts that were eaten return to the first of these."""


def read_maze(name: str, text: str) -> Maze:
    """Return the maze that `text` draws.

    text : rows, joined by "/" or by new lines. `#` is a wall, `.` a square for food, `-` one without, `o` a
    power pill. PocMan begins at `p`, and ghosts at `a`, `b` and so on, all on squares for food, or at `P`,
    `A`, `B` and so on, on squares without. Walls are all around, except that a row from `<` to `>` is a
    passage: who leaves the maze at one of its ends comes in at the other.
    name : of the problem, for errors. Raises `GameError`.

    >>> maze = read_maze("pocman", "######/<-pa.>/######")
    >>> maze.ways[:, 3], maze.home, maze.ghosts
    (array([3, 0, 1, 2]), 1, array([2]))
    """

    def refuse(problem: str) -> GameError:
        return GameError(f"{name}: {problem}", mend=_MEND)

    lines = tuple(line.strip() for line in text.strip().replace("\n", "/").split("/"))
    height, width = len(lines), len(lines[0])
    if max(height, width) > _LONGEST:
        raise refuse(f"the maze has {height} rows of {width} squares, and {_LONGEST} is the maximum")
    for number, line in enumerate(lines, start=1):
        if len(line) != width:
            raise refuse(f"row {number} of the maze has {len(line)} squares, and row 1 has {width}")
        inner = line[1:-1] if 1 < number < height else line.replace("#", "")
        strange = set(inner) - set(_FLOOR + "#" if 1 < number < height else "")
        if strange:
            raise refuse(f"row {number} of the maze has {min(strange)!r} in it")
        if line[0] + line[-1] not in ("##", "<>"):
            raise refuse(f"row {number} of the maze has no walls at its ends, and is no passage")
        if line[0] == "<" and "#" in (line[1], line[-2]):
            raise refuse(f"row {number} of the maze is a passage that is closed by a wall")
    drawn = "".join(lines)
    count = sum(drawn.lower().count(letter.lower()) for letter in _GHOSTS)
    if drawn.lower().count("p") != 1:
        raise refuse(f"PocMan begins in {drawn.lower().count('p')} squares of the maze")
    if count == 0 or any(drawn.lower().count(letter.lower()) != 1 for letter in _GHOSTS[:count]):
        raise refuse("ghosts of the maze are not the letters from a on, each once")
    if not set(drawn) & set(_FOOD + "o"):
        raise refuse("the maze has no square for food")
    return _numbered(lines, refuse)


def _numbered(lines: tuple[str, ...], refuse: Callable[[str], GameError]) -> Maze:
    cells = np.array([list(line) for line in lines])
    is_floor = np.isin(cells, list(_FLOOR))
    squares = np.full(cells.shape, WALL, np.int64)
    row, column = np.nonzero(is_floor)
    squares[is_floor] = np.arange(row.size)
    ways = np.full((row.size, 4), WALL, np.int64)
    sight = np.zeros((row.size, 4), np.int64)
    near = np.full((row.size, 9), WALL, np.int64)
    for square in range(row.size):
        r, c = int(row[square]), int(column[square])
        for direction in range(4):
            down, right = DOWN[direction], RIGHT[direction]
            far = 0
            while is_floor[r + down * (far + 1), c + right * (far + 1)]:
                far += 1
            sight[square, direction] = far
            beside = cells[r + down, c + right]
            there = {"<": -2, ">": 1}.get(beside, c + right)
            ways[square, direction] = squares[r + down, there]
        around = squares[r - 1 : r + 2, c - 1 : c + 2].ravel()
        near[square, : np.sum(around != WALL)] = around[around != WALL]
    home = int(squares[np.isin(cells, ["p", "P"])][0])
    found = reached_from([home], lambda square: [int(way) for way in ways[square] if way != WALL])
    for square in range(row.size):
        if square not in found:
            raise refuse(
                f"row {row[square] + 1}, column {column[square] + 1} of the maze cannot be reached by PocMan"
            )
    if row.size == 1:
        raise refuse("PocMan has no way to go")
    starts = {sign.lower(): square for square, sign in enumerate(cells[row, column])}
    letters = [letter for letter in _GHOSTS.lower() if letter in starts]
    return Maze(
        lines=lines,
        squares=squares,
        row=row.astype(np.int64),
        column=column.astype(np.int64),
        ways=ways,
        sight=sight,
        near=near,
        is_pill=cells[row, column] == "o",
        food=np.flatnonzero(np.isin(cells[row, column], list(_FOOD))),
        home=home,
        ghosts=np.array([starts[letter] for letter in letters], np.int64),
    )
