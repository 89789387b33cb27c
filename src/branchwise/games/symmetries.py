"""Symmetries of boards as tables, and moving what a state keeps by cells, for rules that have symmetries.

A way is a row of such a table: [cell] is the cell to which a symmetry moves what is there.
"""

import numpy as np

from branchwise.games.bits import ALL_BITS, each_bit

SQUARE = ((1, 0), (0, 1), (-1, 0), (0, -1))
HEXAGON = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
"""Steps to the coordinates (x, y) of neighbouring cells, in a circle; both have (1, 0) and (0, 1)."""
UPRIGHT = ((0, 1),)
"""Steps down: the symmetries that keep them only exchange left and right."""


def symmetries_of(places, steps=SQUARE, kept=()):
    """Return the symmetries of a board as ways, int64 [symmetry, cell]; symmetry 0 leaves all cells in place.

    places : coordinates (x, y) of each cell.   steps : to neighbours: a symmetry turns or mirrors them.
    kept : some of these steps, which it exchanges among themselves.

    >>> symmetries_of([(0, 0), (1, 0), (2, 0)]).tolist()
    [[0, 1, 2], [2, 1, 0]]
    >>> board = [(x, y) for y in range(5) for x in range(5)]
    >>> len(symmetries_of(board)), len(symmetries_of(board, kept=UPRIGHT)), len(symmetries_of(board, HEXAGON))
    (8, 2, 4)
    """
    number, found = {place: cell for cell, place in enumerate(places)}, {}
    pairs = [(right, down) for right in steps for down in steps]
    for (a, b), (c, d) in sorted(pairs, key=lambda pair: pair != ((1, 0), (0, 1))):  # the identity first

        def turned(some, a=a, b=b, c=c, d=d):
            return [(a * x + c * y, b * x + d * y) for x, y in some]

        if {*turned(steps)} == {*steps} and {*turned(kept)} == {*kept}:
            moved = turned(places)
            left, top = np.min(moved, 0) - np.min(places, 0)
            way = tuple(number.get((x - left, y - top), -1) for x, y in moved)
            if min(way) >= 0:
                found[way] = None
    return np.array([*found], np.int64)


def turned_steps(ways, places, steps):
    """Return [symmetry, direction]: the direction, a place in `steps`, that a symmetry makes of another.

    >>> places = rectangle(2, 2)
    >>> turned_steps(symmetries_of(places, kept=UPRIGHT), places, SQUARE).tolist()
    [[0, 1, 2, 3], [2, 1, 0, 3]]
    """
    number = {tuple(place): cell for cell, place in enumerate(places)}
    turned = np.tile(np.arange(len(steps)), (len(ways), 1))
    for direction, (right, down) in enumerate(steps):
        for (x, y), cell in number.items():
            beside = number.get((x + right, y + down))
            if beside is not None:
                ends = np.array(places)[ways[:, [cell, beside]]]
                turned[:, direction] = [steps.index(tuple(step)) for step in ends[:, 1] - ends[:, 0]]
                break
    return turned


def rectangle(rows, columns):
    """Return the coordinates of the cells of a board, row by row.

    >>> rectangle(2, 2)
    [(0, 0), (1, 0), (0, 1), (1, 1)]
    """
    return [(x, y) for y in range(rows) for x in range(columns)]


def move_cells(cells, way):
    """Move what each cell of a one-dimensional array has; places after those of the way are left alone.

    >>> cells = np.array([5, 6, 7, 0])
    >>> move_cells(cells, np.array([2, 0, 1]))
    >>> cells.tolist()
    [6, 7, 5, 0]
    """
    before = cells.copy()
    for cell in range(way.size):
        cells[way[cell]] = before[cell]


def moved_bits(bits, way):
    """Return where the cells of a set are moved, as bits.

    >>> moved_bits(0b011, np.array([2, 0, 1]))
    5
    """
    moved = 0
    for cell in each_bit(bits):
        moved |= 1 << int(way[cell])
    return moved & ALL_BITS


def move_bits(words, way, span):
    """Move the cells of a set of several words: cell c is bit c % span of word c // span."""
    before = words.copy()
    words[:] = 0
    for word in range(before.size):
        for bit in each_bit(before[word]):
            cell = int(way[word * span + bit])
            words[cell // span] |= 1 << cell % span


class MovesCells:
    """A game whose actions are the cells of its constant `ways`, perhaps with more after them, as a pass."""

    def symmetry_action(self, k, action):
        return self.ways[k, action] if action < self.ways.shape[1] else action
