"""Squares, moves and attacks of chess: what its rules look up.

A set of squares is a np.uint64 whose bit 8 * rank + file stands for a square; a1 is bit 0, h8 bit 63. White's
pieces are player 0's. Moves are numbered in the alphabetical order of their names in UCI.
"""

from typing import Any

import numpy as np

from branchwise.games.bits import ALL_BITS

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
PIECES = ".PNBRQKpnbrqk"
"""Letters of a board's values: 0 is empty, 1 + kind a white piece, 7 + kind a black one."""

ONE = np.uint64(1)
TOP = np.uint64(1 << 63)
ALL = np.uint64(ALL_BITS)
NOT_A = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_H = np.uint64(0x7F7F7F7F7F7F7F7F)
NOT_AB = np.uint64(0xFCFCFCFCFCFCFCFC)
NOT_GH = np.uint64(0x3F3F3F3F3F3F3F3F)
DARK = np.uint64(0xAA55AA55AA55AA55)

SQUARES = tuple(f"{file}{rank}" for rank in "12345678" for file in "abcdefgh")
"""Names by number."""


def _leaps(steps):
    """Return [square]: the squares that pieces with these steps, pairs of files and ranks, attack."""
    attacks = np.zeros(64, np.uint64)
    for square in range(64):
        for files, ranks in steps:
            file, rank = square % 8 + files, square // 8 + ranks
            if 0 <= file < 8 and 0 <= rank < 8:
                attacks[square] |= np.uint64(1 << 8 * rank + file)
    return attacks


def _rays(directions):
    """Return [direction, square]: the squares in these directions up to the edge of the board."""
    return np.array(
        [_leaps([(files * n, ranks * n) for n in range(1, 8)]) for files, ranks in directions], np.uint64
    )


_KNIGHT_STEPS = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]
_KING_STEPS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
_UPWARDS = [(1, 1), (-1, 1), (1, 0), (0, 1)]

BIT = np.array([1 << square for square in range(64)], np.uint64)
KNIGHT_ATTACKS = _leaps(_KNIGHT_STEPS)
KING_ATTACKS = _leaps(_KING_STEPS)
PAWN_ATTACKS = np.array([_leaps([(-1, 1), (1, 1)]), _leaps([(-1, -1), (1, -1)])])
"""[player, square]"""

ABOVE = _rays(_UPWARDS)
"""[line, square]: squares with higher numbers on a line through a square. Lines 0 and 1 are the diagonals to
the upper right and to the upper left, 2 is the rank, 3 the file."""
BELOW = _rays([(-files, -ranks) for files, ranks in _UPWARDS])
LINE = ABOVE | BELOW
DIAGONALS = LINE[0] | LINE[1]
STRAIGHTS = LINE[2] | LINE[3]


def line_attacks(occupied, line, square):
    """Return the squares on a line, 0 to 3, that a slider attacks: both ways up to the first piece.

    The difference of the nearest pieces above and below changes the bits between them, by borrowing: Michael
    Hoffmann's obstruction difference. The outermost bits stand for the edges of the board.

    >>> bin(line_attacks(np.uint64(0b01000010), 2, 3))
    '0b1110110'
    """
    above = occupied & ABOVE[line, square] | TOP
    below = occupied & BELOW[line, square] | ONE
    nearest = ONE << np.uint64(int(below).bit_length() - 1)
    return (above ^ (above - nearest)) & LINE[line, square]


def diagonal_attacks(occupied, square):
    return line_attacks(occupied, 0, square) | line_attacks(occupied, 1, square)


def straight_attacks(occupied, square):
    return line_attacks(occupied, 2, square) | line_attacks(occupied, 3, square)


def _between_and_through():
    """Return [square, square]: the squares between two squares of a line, and the whole line."""
    between, through = np.zeros((64, 64), np.uint64), np.zeros((64, 64), np.uint64)
    for one in range(64):
        for line in range(4):
            for other in range(64):
                if LINE[line, one] & BIT[other]:
                    between[one, other] = line_attacks(BIT[other], line, one) & line_attacks(
                        BIT[one], line, other
                    )
                    through[one, other] = LINE[line, one] | BIT[one]
    return between, through


BETWEEN, THROUGH = _between_and_through()


def sweep_up(sliders, free, step):
    """Return the squares that sliders attack by steps to higher numbers; `free` are those they may cross.

    The sets double their reach three times (Kogge-Stone). Wrapping around the edge is for callers to mask.
    """
    sliders |= free & (sliders << step)
    free &= free << step
    sliders |= free & (sliders << 2 * step)
    free &= free << 2 * step
    sliders |= free & (sliders << 4 * step)
    return sliders << step


def sweep_down(sliders, free, step):
    """The same by steps to lower numbers."""
    sliders |= free & (sliders >> step)
    free &= free >> step
    sliders |= free & (sliders >> 2 * step)
    free &= free >> 2 * step
    sliders |= free & (sliders >> 4 * step)
    return sliders >> step


def slider_attacks(diagonal, straight, empty):
    """Return all squares that any of these sliders attacks."""
    left, right = empty & NOT_H, empty & NOT_A
    to_left = sweep_down(straight, left, 1) | sweep_down(diagonal, left, 9) | sweep_up(diagonal, left, 7)
    to_right = sweep_up(straight, right, 1) | sweep_up(diagonal, right, 9) | sweep_down(diagonal, right, 7)
    along_files = sweep_up(straight, empty, 8) | sweep_down(straight, empty, 8)
    return to_left & NOT_H | to_right & NOT_A | along_files


def knight_attacks(knights):
    """Return all squares that any of these knights attacks."""
    one = (knights >> 1) & NOT_H | (knights << 1) & NOT_A
    two = (knights >> 2) & NOT_GH | (knights << 2) & NOT_AB
    return one << 16 | one >> 16 | two << 8 | two >> 8


def ahead(squares, player):
    """Return the squares one step ahead of each, as the player's pawns go."""
    return squares << 8 if player == 0 else squares >> 8


def pawn_attacks(pawns, player):
    """Return all squares that any of a player's pawns attacks."""
    before = ahead(pawns, player)
    return (before >> 1) & NOT_H | (before << 1) & NOT_A


PUSH, LEAP, TAKE_LEFT, TAKE_RIGHT = range(4)
"""Ways of a pawn: a step, two steps, taking towards the a-file, taking towards the h-file."""
PAWN_STEPS = np.array([[8, 16, 7, 9], [-8, -16, -9, -7]])
"""[player, way]: target - source"""
PAWN_LINES = np.array([[3, 3, 1, 0], [3, 3, 0, 1]])
"""[player, way]: the line on which the pawn stays"""
FOURTH_RANK = np.array([0xFF << 24, 0xFF << 32], np.uint64)
"""[player]: targets of two steps"""
LAST_RANKS = np.uint64(0xFF000000000000FF)


# --- numbers of moves -------------------------------------------------------------------------------------


def _all_moves():
    """Return the names in UCI of all moves that any piece could make, in alphabetical order."""
    names = []
    for source in range(64):
        reached = int(DIAGONALS[source] | STRAIGHTS[source] | KNIGHT_ATTACKS[source])
        for target in range(64):
            if reached >> target & 1:
                name = SQUARES[source] + SQUARES[target]
                names.append(name)
                if name[1] + name[3] in ("78", "21") and abs(source % 8 - target % 8) <= 1:
                    names += [name + piece for piece in "bnqr"]
    return sorted(names)


MOVES = tuple(_all_moves())
"""The name of each action: "e2e4", "e1g1" for castling, "a7a8q" for a promotion."""
ACTION_OF = {name: action for action, name in enumerate(MOVES)}
SOURCE: Any = np.array([SQUARES.index(name[:2]) for name in MOVES], np.int8)
TARGET: Any = np.array([SQUARES.index(name[2:4]) for name in MOVES], np.int8)
PROMOTION: Any = np.array([PIECES.lower().find(name[4:] or ".") - 1 for name in MOVES], np.int8)
"""The kind of piece that a pawn becomes, or -1."""
PROMOTIONS = 4
"""Promotions to b, n, q and r have the four numbers after that of the move without."""
NUMBER = np.zeros((64, 64), np.int16)
"""[source, target]: the action, without a promotion."""
for _action in range(len(MOVES)):
    if PROMOTION[_action] < 0:
        NUMBER[SOURCE[_action], TARGET[_action]] = _action

# --- castling ---------------------------------------------------------------------------------------------

RIGHTS = "KQkq"
"""Bit i of a state's castling rights is that of RIGHTS[i]."""
KEPT_RIGHTS = np.full(64, 15, np.int8)
"""[square]: the rights that remain after a move from or to it."""
for _square, _lost in (("h1", 1), ("a1", 2), ("e1", 3), ("h8", 4), ("a8", 8), ("e8", 12)):
    KEPT_RIGHTS[SQUARES.index(_square)] = 15 - _lost
MUST_BE_EMPTY = np.array([0x60, 0x0E, 0x60 << 56, 0x0E << 56], np.uint64)
"""[right]"""
MUST_BE_SAFE = np.array([0x70, 0x1C, 0x70 << 56, 0x1C << 56], np.uint64)
CASTLED_KING = np.array([1 << 6, 1 << 2, 1 << 62, 1 << 58], np.uint64)

# --- repetition -------------------------------------------------------------------------------------------

_random = np.random.Generator(np.random.PCG64(1))


def _keys(*shape):
    return _random.integers(0, 1 << 64, shape, np.uint64, endpoint=False)


PIECE_KEYS = _keys(13, 64)
"""[value of the board, square]: the key of a position is the exclusive or of those of its parts (Zobrist)."""
RIGHTS_KEYS = _keys(16)
EN_PASSANT_KEYS = _keys(64)
MOVER_KEY = _keys(1)[0]

# --- values -----------------------------------------------------------------------------------------------

WORTH = np.array([0, 100, 320, 330, 500, 900, 0, 100, 320, 330, 500, 900, 0])
"""[value of the board]: what the piece is worth, in hundredths of a pawn."""
_PLACES = """
  0  0  0  0  0  0  0  0   -50 -40 -30 -30 -30 -30 -40 -50   -20 -10 -10 -10 -10 -10 -10 -20
 50 50 50 50 50 50 50 50   -40 -20   0   0   0   0 -20 -40   -10   0   0   0   0   0   0 -10
 10 10 20 30 30 20 10 10   -30   0  10  15  15  10   0 -30   -10   0   5  10  10   5   0 -10
  5  5 10 25 25 10  5  5   -30   5  15  20  20  15   5 -30   -10   5   5  10  10   5   5 -10
  0  0  0 20 20  0  0  0   -30   0  15  20  20  15   0 -30   -10   0  10  10  10  10   0 -10
  5 -5 -10 0  0 -10 -5 5   -30   5  10  15  15  10   5 -30   -10  10  10  10  10  10  10 -10
  5 10 10 -20 -20 10 10 5  -40 -20   0   5   5   0 -20 -40   -10   5   0   0   0   0   5 -10
  0  0  0  0  0  0  0  0   -50 -40 -30 -30 -30 -30 -40 -50   -20 -10 -10 -10 -10 -10 -10 -20

  0  0  0  0  0  0  0  0   -20 -10 -10 -5 -5 -10 -10 -20   -30 -40 -40 -50 -50 -40 -40 -30
  5 10 10 10 10 10 10  5   -10   0   0  0  0   0   0 -10   -30 -40 -40 -50 -50 -40 -40 -30
 -5  0  0  0  0  0  0 -5   -10   0   5  5  5   5   0 -10   -30 -40 -40 -50 -50 -40 -40 -30
 -5  0  0  0  0  0  0 -5    -5   0   5  5  5   5   0  -5   -30 -40 -40 -50 -50 -40 -40 -30
 -5  0  0  0  0  0  0 -5     0   0   5  5  5   5   0  -5   -20 -30 -30 -40 -40 -30 -30 -20
 -5  0  0  0  0  0  0 -5   -10   5   5  5  5   5   0 -10   -10 -20 -20 -20 -20 -20 -20 -10
 -5  0  0  0  0  0  0 -5   -10   0   5  0  0   0   0 -10    20  20   0   0   0   0  20  20
  0  0  0  5  5  0  0  0   -20 -10 -10 -5 -5 -10 -10 -20    20  30  10   0   0  10  30  20
"""
"""Tomasz Michniewski's Simplified Evaluation Function (chessprogramming.org): what a white pawn, knight,
bishop, rook, queen and king is worth more on each square; rank 8 is on top, the a-file on the left."""


def _values():
    """Return [value of the board, square]: worth and place of a piece, negative for Black."""
    places = np.array(_PLACES.split(), np.int16).reshape(2, 8, 3, 8).transpose(0, 2, 1, 3).reshape(6, 8, 8)
    values = np.zeros((13, 64), np.int16)
    for kind in range(6):
        values[1 + kind] = WORTH[1 + kind] + places[kind, ::-1].ravel()
        values[7 + kind] = -(WORTH[1 + kind] + places[kind].ravel())
    return values


VALUES = _values()
