"""Moves that are written as two cells: "a2a3", "a2-a3" or, for a capture, "a2xb3"."""

import re


def joined_cells(text):
    """Return a move as its two cells without a hyphen or an x between them, in lower case.

    >>> joined_cells("A2-A3"), joined_cells("a2xb3"), joined_cells(" x1xx2 ")
    ('a2a3', 'a2b3', 'x1x2')
    """
    return re.sub(r"(?<=\d)[-x](?=[a-z])", "", text.strip().lower())
