"""Exact values of Connect Four on 7x6: win, draw or loss, and positions in which the choice of move matters.

Alpha-beta with null windows over bitboards, a table of positions, and move ordering by the number of winning
cells. Solving all moves of a random position takes hundredths of a second from 14 discs on, tenths from 10, a
second or two with 8, and many minutes from the start.

    python benchmarks/exact_connect_four.py make --seed 1 --plies 8 10 12 14 16 --each 50
    python benchmarks/exact_connect_four.py check

The numbering of cells is that of `branchwise.games.connect_four`. Alpha-beta: Knuth, Moore, "An analysis of
alpha-beta pruning", 1975. Fail-soft bounds: Fishburn, 1983. A table of two slots, one for the costliest and
one for the latest: Breuker, Uiterwijk, van den Herik, "Replacement schemes for transposition tables", 1994.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from branchwise.games.connect_four import ConnectFour

POSITIONS = Path(__file__).with_name("connect_four_positions.jsonl")
COLUMN_NAMES = "abcdefg"

ROWS, COLUMNS = 6, 7
STEP = ROWS + 1
CELLS = ROWS * COLUMNS
LOWEST = sum(1 << column * STEP for column in range(COLUMNS))
COLUMN = (1 << ROWS) - 1
BOARD = LOWEST * COLUMN
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)

SLOT_BITS = 23
FOLDED = 12
"""Up to this many discs, a position and its mirror image share their entry in the table."""

LEAST_EFFORT = 100_000
"""A position is called hard if the solver must search at least this many positions."""

kernel = numba.njit(error_model="numpy", nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
entry_kernel = numba.njit(error_model="numpy", nogil=True, no_cfunc_wrapper=True)


class Memory(NamedTuple):
    """The arrays that a search writes to.

    An entry of the table has, from the highest bit: the position's key, the number of bits of the count of
    positions searched for it (6), the upper bound of its value + 1 (2), and the lower bound + 1 (2).
    """

    table: NDArray[np.int64]  # [2 ** SLOT_BITS] entries, 0 is none; even: the costliest, odd: the latest
    order: NDArray[np.int64]  # [CELLS, COLUMNS] by discs on the board: moves, best first
    searched: NDArray[np.int64]  # [1] positions searched


@kernel
def count(cells):
    number = 0
    while cells:
        cells &= cells - 1
        number += 1
    return number


@kernel
def has_line(discs):
    for step in (1, STEP - 1, STEP, STEP + 1):
        pairs = discs & discs >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


@kernel
def winning_cells(discs, taken):
    """Return the empty cells, reachable or not, that would complete a line for `discs`."""
    cells = discs << 1 & discs << 2 & discs << 3
    for step in (STEP - 1, STEP, STEP + 1):
        before = discs << step & discs << 2 * step
        after = discs >> step & discs >> 2 * step
        cells |= before & (discs << 3 * step | discs >> step)
        cells |= after & (discs >> 3 * step | discs << step)
    return cells & BOARD & ~taken


@kernel
def position_key(mine, taken):
    """Return a number unique to this position; up to `FOLDED` discs its mirror image has the same."""
    key = mine + taken
    if count(taken) > FOLDED:
        return key
    mirrored = 0
    for column in range(COLUMNS):
        mirrored = mirrored << STEP | (key >> column * STEP & (1 << STEP) - 1)
    return min(key, mirrored)


@kernel
def ordered_moves(mine, taken, moves, order):
    """Write the moves to `order`, most winning cells first, then central ones; returns their number."""
    number = 0
    for column in CENTRE_FIRST:
        move = moves & COLUMN << column * STEP
        if move:
            rated = count(winning_cells(mine | move, taken)) << CELLS + COLUMNS | move
            place = number
            while place and order[place - 1] >> CELLS + COLUMNS < rated >> CELLS + COLUMNS:
                order[place] = order[place - 1]
                place -= 1
            order[place] = rated
            number += 1
    for place in range(number):
        order[place] &= BOARD
    return number


@kernel
def remember(table, slot, key, low, high, searched):
    """Store bounds: the first slot keeps the entry that cost most to find, the second the latest other."""
    cost = 0
    while searched:
        searched >>= 1
        cost += 1
    entry = key << 10 | cost << 4 | high + 1 << 2 | low + 1
    if table[slot] >> 10 == key:
        table[slot] = entry
    elif table[slot] >> 4 & 63 <= cost:
        table[slot + 1] = table[slot]
        table[slot] = entry
    else:
        table[slot + 1] = entry


@kernel
def search(mine, taken, alpha, beta, memory):
    """Return the value for the player to move: exact within (alpha, beta), outside it a bound.

    mine, taken : int64, discs of the player to move and of both; the player must not be able to win at once
    (not checked).   alpha < beta : int64.   memory : modified in place.
    """
    theirs = mine ^ taken
    free = taken + LOWEST & BOARD
    threats = winning_cells(theirs, taken)
    moves = free & threats
    if moves & moves - 1:
        return -1
    if moves == 0:
        moves = free
    moves &= ~(threats >> 1)  # not below a winning cell of the opponent
    if moves == 0:
        return -1 if free else 0
    if taken | moves == BOARD:
        return 0
    if not has_line(BOARD & ~theirs):
        beta = min(beta, 0)
    if not has_line(BOARD & ~mine):
        alpha = max(alpha, 0)
    if alpha >= beta:
        return alpha

    key = position_key(mine, taken)
    slot = key * 0x1E3779B97F4A7C15 >> 64 - SLOT_BITS & (1 << SLOT_BITS) - 2
    low, high = -1, 1
    for place in (slot, slot + 1):
        entry = memory.table[place]
        if entry >> 10 == key:
            low, high = (entry & 3) - 1, (entry >> 2 & 3) - 1
            break
    if low >= beta:
        return low
    if high <= alpha:
        return high
    alpha, beta = max(alpha, low), min(beta, high)

    before = memory.searched[0]
    memory.searched[0] += 1
    order = memory.order[count(taken)]
    best = -1
    for place in range(ordered_moves(mine, taken, moves, order)):
        after = -search(theirs, taken | order[place], -beta, -max(alpha, best), memory)
        best = max(best, after)
        if best >= beta:
            break
    if best >= beta:
        low = best
    elif best <= alpha:
        high = best
    else:
        low = high = best
    remember(memory.table, slot, key, low, high, memory.searched[0] - before)
    return best


@entry_kernel
def position_value(mine, taken, memory):
    """Return the value of an unfinished position for the player to move: 1, 0 or -1."""
    if winning_cells(mine, taken) & taken + LOWEST:
        return 1
    if search(mine, taken, 0, 1, memory) > 0:
        return 1
    return search(mine, taken, -1, 0, memory)


class Solver:
    """Solves positions of Connect Four on 7x6 and remembers them in 64 MB.

    Raises `ValueError` for another board or a finished game.

    >>> Solver().solve_actions(ConnectFour.from_actions([*"fbeaacafdabg"]))
    {0: -1, 1: -1, 2: 0, 3: 1, 4: -1, 5: -1, 6: -1}
    """

    def __init__(self) -> None:
        self._memory = Memory(
            np.zeros(1 << SLOT_BITS, np.int64), np.zeros((CELLS, COLUMNS), np.int64), np.zeros(1, np.int64)
        )

    @property
    def positions(self) -> int:
        """Number of positions searched so far."""
        return int(self._memory.searched[0])

    def solve(self, state: ConnectFour) -> int:
        """Return the value of `state` for the player to move: 1, 0 or -1."""
        if (state.rows, state.columns, state.in_a_row) != (ROWS, COLUMNS, 4) or state.is_terminal():
            raise ValueError(f"not a live position of Connect Four on 7x6:\n{state}")
        return int(position_value(int(state.mine), int(state.taken), self._memory))

    def solve_actions(self, state: ConnectFour) -> dict[int, int]:
        """Return the value of each legal action of `state` for the player to move."""
        values = {}
        for action in state.legal_actions():
            after = state.copy()
            after.apply_action(action)
            values[action] = int(after.won) if after.is_terminal() else -self.solve(after)
        return values


@dataclass(frozen=True)
class Position:
    """A position with the exact value of every move."""

    moves: str
    """The columns played so far, such as "ddc"."""
    values: dict[int, int]
    """Value of each action, for the player to move."""

    @property
    def value(self) -> int:
        return max(self.values.values())

    @property
    def keeping(self) -> int:
        """Number of moves that keep the value."""
        return sum(value == self.value for value in self.values.values())

    def state(self) -> ConnectFour:
        return ConnectFour.from_actions([*self.moves])

    def keeps(self, action: int) -> bool:
        """Whether no action is better."""
        return self.values[action] == self.value


def hard_positions(plies: Sequence[int], each: int, seed: int) -> Iterator[Position]:
    """Yield different positions after random moves: `each` for every number of plies, taking these in turn.

    In each position exactly one of two or more moves keeps the value, and solving it took `LEAST_EFFORT`.
    In none of them could either player win with one disc. No two are equal or mirror images.
    """
    generator = random.Random(seed)
    solver = Solver()
    seen = set()
    for ply in list(plies) * each:
        while True:
            moves = random_moves(ply, generator)
            state = ConnectFour.from_actions([*moves])
            board = frozenset((str(state), str(ConnectFour.from_actions([*mirrored(moves)]))))
            if board in seen or wins_at_once(state):
                continue
            seen.add(board)
            before = solver.positions
            position = Position(moves, solver.solve_actions(state))
            if position.keeping == 1 < len(position.values) and solver.positions - before >= LEAST_EFFORT:
                yield position
                break


def random_moves(plies: int, generator: random.Random) -> str:
    """Return the columns of random first moves that do not end the game."""
    while True:
        state, moves = ConnectFour(), ""
        while len(moves) < plies and not state.is_terminal():
            action = generator.choice(state.legal_actions())
            state.apply_action(action)
            moves += COLUMN_NAMES[action]
        if not state.is_terminal():
            return moves


def mirrored(moves: str) -> str:
    return moves.translate(str.maketrans(COLUMN_NAMES, COLUMN_NAMES[::-1]))


def wins_at_once(state: ConnectFour) -> bool:
    """Whether either player, if to move, could complete a line with one disc."""
    theirs = state.mine ^ state.taken
    for action in state.legal_actions():
        disc = state.taken + (1 << action * STEP) & ~state.taken
        if state.has_line(state.mine | disc) or state.has_line(theirs | disc):
            return True
    return False


def write_positions(path: Path, positions: Iterable[Position], **facts: Any) -> None:
    """Write one line of facts, and one line for each position, with values by column."""
    lines = [json.dumps(facts)]
    for position in positions:
        values = [position.values.get(column) for column in range(COLUMNS)]
        lines.append(json.dumps({"moves": position.moves, "values": values}))
    path.write_text("\n".join(lines) + "\n")


def read_positions(path: Path = POSITIONS) -> list[Position]:
    """Return the positions of a file written by `write_positions`."""
    positions = []
    for line in path.read_text().splitlines()[1:]:
        fields = json.loads(line)
        values = {column: value for column, value in enumerate(fields["values"]) if value is not None}
        positions.append(Position(fields["moves"], values))
    return positions


def make(options: argparse.Namespace) -> None:
    """Find positions, solve them and write them to the file."""
    facts = {"game": "connect_four", "seed": options.seed, "plies": options.plies, "each": options.each}
    started = time.perf_counter()
    positions = list(hard_positions(options.plies, options.each, options.seed))
    write_positions(options.file, positions, **facts)
    taken = time.perf_counter() - started
    print(f"{len(positions)} positions in {taken:.0f} s; a random move keeps {by_chance(positions):.1%}")


def by_chance(positions: Sequence[Position]) -> float:
    """Return the probability that a random move keeps the value."""
    return sum(position.keeping / len(position.values) for position in positions) / len(positions)


def check(options: argparse.Namespace) -> None:
    """Solve the file's positions again; exits with an error at the first difference."""
    solver = Solver()
    positions = read_positions(options.file)
    started = time.perf_counter()
    for position in positions:
        values = solver.solve_actions(position.state())
        if values != position.values:
            raise SystemExit(f"{position.moves}: the file says {position.values}, but it is {values}")
    print(f"{len(positions)} positions have the values of the file ({time.perf_counter() - started:.0f} s)")


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    commands = parser.add_subparsers(required=True, metavar="make | check")
    for run in (make, check):
        command = commands.add_parser(run.__name__, help=run.__doc__, description=run.__doc__)
        command.set_defaults(run=run)
        command.add_argument("--file", type=Path, default=POSITIONS, help=f"({POSITIONS.name} beside this)")
        if run is make:
            command.add_argument("--seed", type=int, default=1, help="seed of the random moves (1)")
            command.add_argument("--plies", type=int, nargs="+", default=[8, 10, 12, 14, 16])
            command.add_argument("--each", type=int, default=50, help="positions by number of plies (50)")
    options = parser.parse_args(arguments)
    options.run(options)


if __name__ == "__main__":
    main()
