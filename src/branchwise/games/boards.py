"""What games on boards share apart from rules: pieces on their squares, and moves written as two cells."""

import re
from typing import Any

BLACK_FIRST: dict[str, Any] = {"colours": ("black", "white"), "players": ("Black", "White")}
WHITE_FIRST: dict[str, Any] = {"colours": ("white", "black"), "players": ("White", "Black")}
"""What a `BoardStyle` says of players who are called so."""


def by_player(mover, mine, theirs):
    """Return what is the mover's and what is the opponent's in the order of the players.

    >>> by_player(1, "mine", "theirs")
    ('theirs', 'mine')
    """
    return (mine, theirs) if mover == 0 else (theirs, mine)


def owner_of(place, *stones):
    """Return the player whose stones, a set of bits, have one at a place, or None; stones : by player.

    >>> owner_of(2, 0b001, 0b100), owner_of(1, 0b001, 0b100)
    (1, None)
    """
    return next((player for player, held in enumerate(stones) if held >> place & 1), None)


def place_bits(out, bits, player, kind=1):
    """Put pieces of a player on the squares of a board whose bits are set; bit 0 is the first square.

    out : [rows, columns, 2], owner and kind of each cell.
    """
    for square in range(out.shape[0] * out.shape[1]):
        if bits >> square & 1:
            place_piece(out, square, player, kind)


def place_piece(out, square, player, kind=1):
    """Put a piece of a player, or of nobody for -1, on a square of a board; `out` as for `place_bits`."""
    columns = out.shape[1]
    out[square // columns, square % columns, 0] = player
    out[square // columns, square % columns, 1] = kind


def joined_cells(text):
    """Return a move as its two cells without a hyphen or an x between them, in lower case.

    >>> joined_cells("A2-A3"), joined_cells("a2xb3"), joined_cells(" x1xx2 ")
    ('a2a3', 'a2b3', 'x1x2')
    """
    return re.sub(r"(?<=\d)[-x](?=[a-z])", "", text.strip().lower())
