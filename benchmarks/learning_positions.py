"""Positions of Connect Four with exact values, to judge nets that never saw them.

    pip install bitbully-databases
    python benchmarks/learning_positions.py --seed 1
    python benchmarks/learning_positions.py --seed 7 --each 3000 --sets middle_medium --file more.txt

Random moves lead to them; in none of them can the mover win at once. Sets, by name:

- `eight`, `eleven`: 8 or 11 discs, and not every move keeps the value;
- `values`: 11 discs, with nothing else asked of them;
- `begin_hard`, `begin_medium`: at most 14 moves made (8 to 11 here), and more than 28, or 14 to 28, to the
  end under perfect play, as in Pascal Pons's test sets (https://blog.gamesolver.org, "Test protocol");
- `middle_medium`: 14 to 28 moves made, and 14 to 28 to the end.

Values with up to 12 discs come from the databases, by alpha-beta down to their 12 discs; the others from
`exact_connect_four.py`. A line has the set, the columns played, and for each column `+`, `=`, `-` or `.` for
a win, a draw, a loss or no move.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from branchwise.games.connect_four import ConnectFour
from exact_connect_four import (
    BOARD,
    CELLS,
    CENTRE_FIRST,
    COLUMNS,
    LOWEST,
    ROWS,
    STEP,
    Position,
    Solver,
    count,
    entry_kernel,
    kernel,
    ordered_moves,
    random_moves,
    winning_cells,
)

POSITIONS = Path(__file__).with_name("learning_positions.txt")
SETS = ("eight", "eleven", "values", "begin_hard", "begin_medium", "middle_medium")
SIGNS = {1: "+", 0: "=", -1: "-"}
BOOK_DISCS = 12
SOON = 13
"""Moves to the end that are fewer than the least of `medium`."""
LONG = 28
"""Moves to the end that are the most of `medium`."""
KNOWN_BITS = 22
UNKNOWN_DISTANCE = 50


@kernel
def wins_within(mine, taken, plies, known, order):
    """Whether the player to move can force a win with at most `plies` moves of both, an odd number.

    known : int64 [2 ** KNOWN_BITS], answers so far, modified; order : int64 [CELLS, COLUMNS], scratch.
    """
    free = taken + LOWEST & BOARD
    if winning_cells(mine, taken) & free:
        return True
    if plies == 1:
        return False
    theirs = mine ^ taken
    moves = free
    forced = winning_cells(theirs, taken) & free
    if forced:
        if forced & forced - 1:
            return False
        moves = forced
    key = (mine + taken) << 5 | plies
    slot = key * 0x1E3779B97F4A7C15 >> 64 - KNOWN_BITS & (1 << KNOWN_BITS) - 1
    if known[slot] >> 1 == key:
        return known[slot] & 1 == 1
    found = False
    here = order[count(taken)]
    for place in range(ordered_moves(mine, taken, moves, here)):
        found = loses_within(theirs, taken | here[place], plies - 1, known, order)
        if found:
            break
    known[slot] = key << 1 | np.int64(found)
    return found


@kernel
def loses_within(mine, taken, plies, known, order):
    """Whether the player to move is forced to lose within `plies` moves, an even number."""
    free = taken + LOWEST & BOARD
    if winning_cells(mine, taken) & free or free == 0:
        return False
    theirs = mine ^ taken
    threats = winning_cells(theirs, taken) & free
    if threats & threats - 1:
        return True
    moves = threats if threats else free
    here = order[count(taken)]
    for place in range(ordered_moves(mine, taken, moves, here)):
        if not wins_within(theirs, taken | here[place], plies - 1, known, order):
            return False
    return True


@entry_kernel
def is_soon_over(mine, taken, known, order):
    """Whether either player can force a win in `SOON` moves."""
    return wins_within(mine, taken, SOON, known, order) or loses_within(mine, taken, SOON - 1, known, order)


@entry_kernel
def moves_to_win(mine, taken, known, order):
    """Return in how many moves the player to move can force a win; `SOON` + 2 if not within `SOON`."""
    for plies in range(1, SOON + 1, 2):
        if wins_within(mine, taken, plies, known, order):
            return plies
    return SOON + 2


class Forced:
    """How soon positions are decided, up to `SOON` moves; it remembers in 32 MB."""

    def __init__(self) -> None:
        self._memory = np.zeros(1 << KNOWN_BITS, np.int64), np.zeros((CELLS, COLUMNS), np.int64)

    def is_soon_over(self, state: ConnectFour) -> bool:
        return bool(is_soon_over(int(state.mine), int(state.taken), *self._memory))

    def moves_to_win(self, state: ConnectFour) -> int:
        return int(moves_to_win(int(state.mine), int(state.taken), *self._memory))


class Book:
    """Values of positions with at most as many discs as those of a database.

    A value is 100 - n for a win in n moves, n - 100 for a loss, 0 for a draw, from the mover's view. The
    database with 8 discs knows no distances: of its values only the sign counts.
    """

    def __init__(self, discs: int = BOOK_DISCS) -> None:
        from bitbully_databases import BitBullyDatabases

        self.discs = discs
        self._unit = 1 if discs == BOOK_DISCS else UNKNOWN_DISTANCE
        self._book = BitBullyDatabases("12-ply-dist" if discs == BOOK_DISCS else "8-ply")

    def value(self, state: ConnectFour, alpha: int = -100, beta: int = 100) -> int:
        """Return the value of a position with few enough discs that is not over, exact within the window."""
        for after in _children(state):
            if after.is_terminal():
                return 99
        if int(state.taken).bit_count() == self.discs:
            found = self._book.get_book_value(_rows(state))
            assert found is not None, f"the database does not have this position:\n{state}"
            return self._unit * int(found)
        best = -100
        for after in _children(state):
            value = -self.value(after, -_earlier(beta), -_earlier(max(alpha, best)))
            best = max(best, _later(value))
            if best >= beta:
                break
        return best

    def values(self, state: ConnectFour) -> dict[int, int]:
        """Return the value of each legal action."""
        found = {}
        for action in state.legal_actions():
            after = state.copy()
            after.apply_action(action)
            found[action] = 99 if after.is_terminal() else _later(-self.value(after))
        return found


def _later(value: int) -> int:
    """Return a value seen one move earlier, when the end is a move farther away."""
    return value - (value > 0) + (value < 0)


def _earlier(value: int) -> int:
    """Return the widest bound that `_later` brings back to `value`."""
    return value + (value > 0) - (value < 0)


def _children(state: ConnectFour) -> Iterator[ConnectFour]:
    for action in sorted(state.legal_actions(), key=CENTRE_FIRST.index):
        after = state.copy()
        after.apply_action(action)
        yield after


def _rows(state: ConnectFour) -> list[list[int]]:
    """Return the board as the databases want it: from the top, 1 for the player who began."""
    first = int(state.mine) if int(state.taken).bit_count() % 2 == 0 else int(state.mine ^ state.taken)
    cells = [[0] * COLUMNS for _ in range(ROWS)]
    for row in range(ROWS):
        for column in range(COLUMNS):
            bit = 1 << column * STEP + row
            if int(state.taken) & bit:
                cells[ROWS - 1 - row][column] = 1 if first & bit else 2
    return cells


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


def can_win(state: ConnectFour) -> bool:
    return any(after.is_terminal() and after.won for after in _children(state))


def positions(name: str, generator: random.Random, solver: Solver) -> Iterator[Position]:
    """Yield different positions of a set without an end."""
    book = None if name == "middle_medium" else Book()
    seen = set()
    forced = Forced()
    while True:
        if name == "eight":
            plies = 8
        elif name in ("eleven", "values"):
            plies = 11
        else:
            plies = (
                generator.randint(14, 28) if name == "middle_medium" else generator.randint(8, BOOK_DISCS - 1)
            )
        moves = random_moves(plies, generator)
        state = ConnectFour.from_actions([*moves])
        key = str(state)
        if key in seen or can_win(state):
            continue
        if book is None:
            if forced.is_soon_over(state):
                continue
            values = solver.solve_actions(state)
        else:
            distances = book.values(state)
            best = max(distances.values())
            length = 42 - plies if best == 0 else 100 - abs(best)
            if (name == "begin_hard" and length <= LONG) or (
                name == "begin_medium" and not 14 <= length <= LONG
            ):
                continue
            values = {action: sign(value) for action, value in distances.items()}
        found = Position(moves, values)
        if name in ("eight", "eleven") and found.keeping == len(values):
            continue
        seen.add(key)
        yield found


def written(position: Position) -> str:
    """Return what each column brings, as a line says it."""
    return "".join(SIGNS[position.values[c]] if c in position.values else "." for c in range(COLUMNS))


def read(name: str, path: Path = POSITIONS) -> list[Position]:
    """Return the positions of a set."""
    values = {sign: value for value, sign in SIGNS.items()}
    found = []
    for line in path.read_text().splitlines():
        of, moves, signs = line.split()
        if of == name:
            by_column = {column: values[sign] for column, sign in enumerate(signs) if sign != "."}
            found.append(Position(moves, by_column))
    return found


def main(arguments: Any = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=1000, help="positions of a set (1000)")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--file", type=Path, default=POSITIONS)
    options = parser.parse_args(arguments)
    solver = Solver()
    lines = []
    for name in options.sets:
        started = time.perf_counter()
        source = positions(name, random.Random(options.seed), solver)
        lines += [
            f"{name} {one.moves} {written(one)}" for one, _ in zip(source, range(options.each), strict=False)
        ]
        print(f"{name}: {options.each} positions in {time.perf_counter() - started:.0f} s", flush=True)
    options.file.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
