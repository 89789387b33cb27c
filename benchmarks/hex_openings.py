"""Which first moves win at Hex, by a small solver of its own that never saw a network.

    python benchmarks/hex_openings.py --size 5

Depth-first search with a table; 5 by 5 cells take two or three minutes. A win comes with its carrier: the
empty cells that it needs. Where one reply loses, replies outside the carrier of that loss lose too, so only
those inside it are tried: the must-play region. A player whose stones are joined by bridges with no cell in
common has won. Source: Hayward, Björnsson, Johanson, Kan, Po, van Rijswijck, "Solving 7x7 Hex with
domination, fill-in, and virtual connections", 2005.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from numba import njit
from numba.typed import Dict

_UNKNOWN = -1


class Board(NamedTuple):
    """Sets of cells as bits; player 0 joins the first row and the last, player 1 the columns."""

    near: np.ndarray  # [cells] the neighbours of each
    sides: np.ndarray  # [2, 2] the sides of each player
    bridged: np.ndarray  # [cells, 6] the cell at the other end of each bridge, -1: none


def board_of(size: int) -> Board:
    """Return the neighbours, sides and bridges of a board."""
    near, bridged = np.zeros(size * size, np.int64), np.full((size * size, 6), -1)
    for row in range(size):
        for column in range(size):
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0), (1, -1), (-1, 1)):
                if 0 <= row + down < size and 0 <= column + right < size:
                    near[row * size + column] |= 1 << ((row + down) * size + column + right)
            for way, (down, right) in enumerate(((-1, 2), (1, 1), (2, -1), (1, -2), (-1, -1), (-2, 1))):
                if 0 <= row + down < size and 0 <= column + right < size:
                    bridged[row * size + column, way] = (row + down) * size + column + right
    top, left = sum(1 << i for i in range(size)), sum(1 << (i * size) for i in range(size))
    sides = np.array([[top, top << (size * (size - 1))], [left, left << (size - 1)]])
    return Board(near, sides, bridged)


@njit
def around(near, cells):
    """Return the neighbours of some cells."""
    found = np.int64(0)
    for cell in range(near.size):
        if cells >> cell & 1:
            found |= near[cell]
    return found


@njit
def reached(near, start, allowed):
    """Return the allowed cells that are joined to the start."""
    found = start & allowed
    front = found
    while front:
        front = around(near, front) & allowed & ~found
        found |= front
    return found


@njit
def joined(board, own, empty, player):
    """Return the carrier of a connection of a player's stones by bridges; -1 if none was found."""
    near, first, last = board.near, board.sides[player, 0], board.sides[player, 1]
    group, used = reached(near, first, own), np.int64(0)
    for cell in range(near.size):  # second rows are joined to a side by two empty cells
        pair = near[cell] & first & empty
        if own >> cell & 1 and not group >> cell & 1 and pair & (pair - 1) and not pair & used:
            used |= pair
            group |= reached(near, np.int64(1) << cell, own)
    grows = True
    while grows and not group & last:
        grows = False
        for cell in range(near.size):
            if not group >> cell & 1:
                continue
            pair = near[cell] & last & empty
            if pair & (pair - 1) and not pair & used:
                return used | pair
            for way in range(6):
                other = board.bridged[cell, way]
                if other < 0 or not own >> other & 1 or group >> other & 1:
                    continue
                pair = near[cell] & near[other]
                if pair & empty == pair and not pair & used:
                    used |= pair
                    group |= reached(near, np.int64(1) << other, own)
                    grows = True
    return used if group & last else np.int64(_UNKNOWN)


@njit
def missing(board, own, empty, player, found):
    """Write how many stones a path of a player through each empty cell still needs."""
    near = board.near
    found[:] = 0
    for side in range(2):
        start = board.sides[player, side]
        front = (start | around(near, reached(near, start, own))) & empty
        passed, needed = np.int64(0), 1
        while front:
            for cell in range(near.size):
                if front >> cell & 1:
                    found[cell] += needed
            passed |= front
            touched = around(near, front)
            front = (touched | around(near, reached(near, touched, own))) & empty & ~passed
            needed += 1
        for cell in range(near.size):
            if empty & ~passed & (np.int64(1) << cell):
                found[cell] += 99


@njit
def solved(board, table, own, other, player):
    """Return the carrier of a win of the player to move, or the complement (~) of that of a loss."""
    key = (own, other, player)
    if key in table:
        return table[key]
    cells = board.near.size
    empty = ((np.int64(1) << cells) - 1) & ~own & ~other
    lost = joined(board, other, empty, 1 - player)
    if lost != _UNKNOWN:
        table[key] = ~lost
        return ~lost
    ours, theirs = np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    missing(board, own, empty, player, ours)
    missing(board, other, empty, 1 - player, theirs)
    must, needed = empty, np.int64(0)
    for cell in range(cells):  # what another stone of the opponent would win must be met
        move = np.int64(1) << cell
        if empty & move:
            threat = joined(board, other | move, empty & ~move, 1 - player)
            if threat != _UNKNOWN:
                must &= threat | move
                needed |= threat | move
    for cell in np.argsort(ours + theirs):
        move = np.int64(1) << cell
        if not must & move:
            continue
        if reached(board.near, board.sides[player, 0], own | move) & board.sides[player, 1]:
            table[key] = move
            return move
        result = solved(board, table, other, own | move, 1 - player)
        if result < 0:
            table[key] = ~result | move
            return ~result | move
        needed |= result
        must &= result
    table[key] = ~needed
    return ~needed


def winning_openings(size: int) -> list[bool]:
    """Return whether each first move wins; a half turn of the board changes nothing."""
    board, table = board_of(size), Dict()
    table[(np.int64(-1), np.int64(-1), 0)] = np.int64(0)  # tells the types
    half = [
        solved(board, table, np.int64(0), np.int64(1 << cell), 1) < 0 for cell in range(-(-(size**2) // 2))
    ]
    return half + half[::-1][size % 2 :]


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--size", type=int, default=5, choices=range(2, 7))
    size = parser.parse_args().size
    wins = winning_openings(size)
    for row in range(size):
        print(" " * row + " ".join(".W"[won] for won in wins[row * size : (row + 1) * size]))


if __name__ == "__main__":
    main()
