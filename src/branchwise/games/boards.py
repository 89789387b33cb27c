"""What games on boards share apart from rules: pictures of stones, and moves written as two cells."""

import re

from branchwise.drawing.grid import Cell, board_grid

BLACK_FIRST = {"colours": ("black", "white"), "players": ("Black", "White")}
WHITE_FIRST = {"colours": ("white", "black"), "players": ("White", "Black")}
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


def player_cell(state, player, action=None):
    """Return a cell with a player's stone, or an empty one, which stands for an action, for None."""
    return Cell(action=action) if player is None else Cell(state.symbols[player + 1], player)


def stones_grid(state, height, width, owner, action=None):
    """Return the grid of a board on which each player has stones.

    owner(row, column) : the player with a stone on a cell, or None; row 0 is on top.   action(row, column) :
    what an empty cell stands for, if that is legal; without it cells stand for no actions.
    """

    def cell(row, column):
        named = None if action is None else action(row, column)
        return player_cell(state, owner(row, column), named)

    return board_grid(height, width, cell, of=state)


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
