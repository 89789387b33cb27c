"""Shapes of three by three points around a move of Go that playouts prefer: hane, cuts, moves at the edge.

Gelly, Wang, Munos, Teytaud, "Modification of UCT with patterns in Monte-Carlo Go", 2006, give the shapes.
"""

from itertools import product

import numpy as np

BEYOND = 3
"""The value of a point beyond the edge; 0 is empty, 1 and 2 are stones."""
WORD = 32

SHAPES = (
    # three rows; the move is in the middle. ? stands for anything, x and o for anything but X or O
    "XOX ... ???",  # hane
    "XO. ... ?.?",
    "XO? X.. x.?",
    ".O. X.. ...",
    "XO? O.o ?o?",  # cut
    "XO? O.X ???",
    "?X? O.O ooo",
    "OX? o.O ???",
    "X.? O.? ###",  # at the edge
    "OX? X.O ###",
    "?X? x.O ###",
    "?XO x.x ###",
    "?OX X.O ###",
)
_MEANINGS = {"?": ".XO#", "x": ".O#", "o": ".X#"}


def symmetric_forms(shape):
    """Return a shape's eight turned and mirrored forms, each in both colours, as texts of nine points."""
    rows, forms = shape.split(), set()
    for _ in range(4):
        rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
        for form in ("".join(rows), "".join(row[::-1] for row in rows)):
            forms |= {form, form.translate(str.maketrans("XOxo", "OXox"))}
    return forms


def shape_table(shapes):
    """Return the set of neighbourhoods with one of these shapes: number n is bit n % WORD of word n // WORD.

    A neighbourhood is a number of eight digits to the base 4, the values of the points around the move: rows
    from the top, and from left to right.

    >>> table = shape_table(["XO? O.X ???"])
    >>> sum(int(word).bit_count() for word in table) > 0
    True
    """
    numbers = set()
    for form in {form for shape in shapes for form in symmetric_forms(shape)}:
        around = form[:4] + form[5:]
        for points in product(*(_MEANINGS.get(mark, mark) for mark in around)):
            numbers.add(sum(".XO#".index(point) << 2 * (7 - k) for k, point in enumerate(points)))
    table = np.zeros(4**8 // WORD, np.int64)
    for number in numbers:
        table[number // WORD] |= 1 << number % WORD
    return table
