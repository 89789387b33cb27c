"""Positions of chess as FEN, and moves as people write them (SAN)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from branchwise.common.errors import ActionError, GameError
from branchwise.games.bits import lowest_bit
from branchwise.games.chess_tables import (
    ACTION_OF,
    BIT,
    KING,
    KING_ATTACKS,
    MOVES,
    PAWN,
    PIECES,
    PROMOTION,
    RIGHTS,
    ROOK,
    SOURCE,
    SQUARES,
    TARGET,
    knight_attacks,
    pawn_attacks,
    slider_attacks,
)

_Refusal = Callable[[str, str], GameError]

NO_SQUARE = -1
_HOMES = (("K", "e1"), ("R", "h1"), ("R", "a1"), ("k", "e8"), ("r", "h8"), ("r", "a8"))
_ROOKS = str.maketrans("HAha", "KQkq")
"""Castling rights by the file of the rook, as in Shredder-FEN."""

_SAN = re.compile(r"([KQRBN])?([a-h])?([1-8])?[x:]?([a-h][1-8])(?:=?([QRBNqrbn]))?")


class Position(NamedTuple):
    """What a FEN says.

    board : pieces by square, as in `PIECES`.   rights : as bits.   en_passant : the square that a pawn has
    just passed, or -1.
    """

    board: tuple[int, ...]
    mover: int
    rights: int
    en_passant: int
    clock: int
    number: int


def parse_fen(text: str) -> Position:
    """Return the position of a FEN; the clock and the number of the move may be left out.

    Raises `GameError` if it cannot be read, or if it is not a position of chess: one king a side, no pawns on
    the first and last rank, the player who moved not in check, kings and rooks at home for castling.
    """

    def refused(problem: str, mend: str) -> GameError:
        return GameError(f'the FEN "{text}" {problem}', mend=mend)

    fields = text.split()
    if len(fields) not in (4, 6):
        raise refused(
            f"has {len(fields)} fields",
            "write pieces, w or b, castling rights, en passant square, and two counts",
        )
    board = _board(fields[0], refused)
    if fields[1] not in ("w", "b"):
        raise refused(f'has "{fields[1]}" as the player to move', "write w or b")
    mover = "wb".index(fields[1])
    rights = _rights(fields[2], board, refused)
    en_passant = _en_passant(fields[3], board, mover, refused)
    clock, number = fields[4:] or ("0", "1")
    if not (clock.isdecimal() and number.isdecimal() and int(clock) <= 10_000 and int(number) <= 10_000):
        raise refused(
            f'counts "{clock} {number}"', "write the moves since the last capture, then the move number"
        )
    if _is_attacked(board, 1 - mover):
        raise refused("has a king that could be taken", "let the other player move")
    return Position(board, mover, rights, en_passant, int(clock), max(1, int(number)))


def _board(text: str, refused: _Refusal) -> tuple[int, ...]:
    ranks = text.split("/")
    rows = []
    for rank in ranks:
        row = [PIECES.find(letter) for letter in re.sub("[1-8]", lambda n: "." * int(n[0]), rank)]
        if len(row) != 8 or -1 in row:
            raise refused(f'has the rank "{rank}"', "write 8 squares: KQRBNP, kqrbnp, 1 to 8 for empty ones")
        rows.append(row)
    if len(rows) != 8:
        raise refused(f"has {len(rows)} ranks", "write 8 ranks with / between them")
    board = tuple(piece for row in reversed(rows) for piece in row)
    for letter in "Kk":
        if board.count(PIECES.index(letter)) != 1:
            raise refused(f"has {board.count(PIECES.index(letter))} pieces {letter}", "place one king a side")
    if any(PIECES[piece] in "Pp" for piece in board[:8] + board[56:]):
        raise refused("has a pawn on the first or last rank", "pawns stand on ranks 2 to 7")
    return board


def _rights(text: str, board: tuple[int, ...], refused: _Refusal) -> int:
    letters = "" if text == "-" else text.translate(_ROOKS)
    if re.fullmatch("[KQkqB-Gb-g]*[B-Gb-g][KQkqB-Gb-g]*", letters):
        raise refused(
            f'has castling rights "{text}", as in Chess960', "rooks castle from a and h here, the king from e"
        )
    if any(letter not in RIGHTS or letters.count(letter) > 1 for letter in letters):
        raise refused(f'has castling rights "{text}"', "write some of KQkq or of HAha, or -")
    for letter in letters:
        king, rook = {"K": (0, 1), "Q": (0, 2), "k": (3, 4), "q": (3, 5)}[letter]
        for piece, home in (_HOMES[king], _HOMES[rook]):
            if board[SQUARES.index(home)] != PIECES.index(piece):
                raise refused(f"lets {letter} castle without {piece} on {home}", "leave out this right")
    return sum(1 << RIGHTS.index(letter) for letter in letters)


def _en_passant(text: str, board: tuple[int, ...], mover: int, refused: _Refusal) -> int:
    if text == "-":
        return NO_SQUARE
    square = SQUARES.index(text) if text in SQUARES else NO_SQUARE
    step = 8 - 16 * mover
    passed = square != NO_SQUARE and square // 8 == 5 - 3 * mover
    if not passed or board[square] or board[square + step] or PIECES[board[square - step]] != "pP"[mover]:
        raise refused(
            f'has the en passant square "{text}"',
            "write the square that a pawn has just passed, or -",
        )
    return square


def _is_attacked(board: tuple[int, ...], player: int) -> bool:
    """Whether a player's king is attacked."""
    sets = np.zeros(13, np.uint64)
    for square, piece in enumerate(board):
        sets[piece] |= BIT[square]
    own = 6 * player + 1
    pawns, knights, bishops, rooks, queens, king = sets[7 - 6 * player : 13 - 6 * player]
    attacked = (
        slider_attacks(bishops | queens, rooks | queens, sets[0] | sets[own + KING])
        | knight_attacks(knights)
        | pawn_attacks(pawns, 1 - player)
        | KING_ATTACKS[lowest_bit(king)]
    )
    return bool(attacked & sets[own + KING])


def write_fen(state: Any) -> str:
    """Return the FEN of a state; the en passant square is given only if a pawn may be taken there."""
    ranks = []
    for rank in range(7, -1, -1):
        letters = "".join(PIECES[piece] for piece in state.board[8 * rank : 8 * rank + 8])
        ranks.append(re.sub(r"\.+", lambda run: str(len(run[0])), letters))
    rights = "".join(letter for bit, letter in enumerate(RIGHTS) if state.rights >> bit & 1) or "-"
    passed = "-" if state.en_passant == NO_SQUARE else SQUARES[state.en_passant]
    return f"{'/'.join(ranks)} {'wb'[state.mover]} {rights} {passed} {state.clock} {state.number}"


def write_san(state: Any, action: int) -> str:
    """Return a legal action in standard algebraic notation, such as "Nbd7", "exd5", "O-O", "e8=Q+"."""
    source, target = int(SOURCE[action]), int(TARGET[action])
    kind = (state.board[source] - 1) % 6
    after = state.copy()
    after.apply_action(action)
    mark = "" if not after.is_in_check() else "#" if after.is_terminal() and any(after.returns()) else "+"
    if kind == KING and abs(source - target) == 2:
        return ("O-O" if target > source else "O-O-O") + mark
    takes = "x" if state.board[target] or (kind == PAWN and source % 8 != target % 8) else ""
    promotion = f"={PIECES[1 + PROMOTION[action]]}" if PROMOTION[action] >= 0 else ""
    if kind == PAWN:
        piece = SQUARES[source][0] if takes else ""
    else:
        piece = PIECES[1 + kind] + _told_apart(state, action)
    return piece + takes + SQUARES[target] + promotion + mark


def _told_apart(state: Any, action: int) -> str:
    """Return the file, rank or square of the moving piece that tells it apart from others of its kind."""
    source, target = int(SOURCE[action]), int(TARGET[action])
    rivals = [
        int(SOURCE[other])
        for other in state.legal_actions()
        if TARGET[other] == target and SOURCE[other] != source
    ]
    rivals = [rival for rival in rivals if state.board[rival] == state.board[source]]
    if not rivals:
        return ""
    if all(rival % 8 != source % 8 for rival in rivals):
        return SQUARES[source][0]
    if all(rival // 8 != source // 8 for rival in rivals):
        return SQUARES[source][1]
    return SQUARES[source]


def read_move(state: Any, text: str) -> int | None:
    """Return the legal action that `text` names in UCI or SAN, or None.

    Castling may be written as the king taking its rook, as programs for Chess960 do: "e1h1".
    SAN may lack marks such as "+" and "=", and may say more than needed. Raises `ActionError` if several
    actions fit.
    """
    legal = state.legal_actions()
    action = ACTION_OF.get(text.strip().lower())
    if action is not None:
        action = _castling(state, action)
        return action if action in legal else None
    words = text.strip().rstrip("+#!?").replace("0", "O").replace("e.p.", "").strip()
    if words.upper() in ("O-O", "O-O-O"):
        step = 2 if len(words) == 3 else -2
        fits = [a for a in legal if _kind(state, a) == KING and TARGET[a] - SOURCE[a] == step]
        return fits[0] if fits else None
    match = _SAN.fullmatch(words)
    if match is None:
        return None
    piece, file, rank, target, promotion = match.groups()
    kind = "PNBRQK".index(piece or "P")
    become = -1 if promotion is None else "PNBRQK".index(promotion.upper())
    fits = [
        action
        for action in legal
        if _kind(state, action) == kind
        and SQUARES[TARGET[action]] == target
        and PROMOTION[action] == become
        and (file is None or SQUARES[SOURCE[action]][0] == file)
        and (rank is None or SQUARES[SOURCE[action]][1] == rank)
    ]
    if len(fits) > 1:
        raise ActionError(
            f'"{text}" fits {len(fits)} moves',
            mend=f"write one of {' '.join(MOVES[action] for action in fits)}",
        )
    return fits[0] if fits else None


def _castling(state: Any, action: int) -> int:
    """Return the action by which the king castles, if `action` is written as the king taking its rook."""
    king, rook = int(SOURCE[action]), int(TARGET[action])
    own = 6 * state.mover + 1
    at_home = king % 8 == 4 and rook in (king + 3, king - 4)
    if not at_home or state.board[king] != own + KING or state.board[rook] != own + ROOK:
        return action
    return ACTION_OF[SQUARES[king] + SQUARES[king + 2 if rook > king else king - 2]]


def _kind(state: Any, action: int) -> int:
    """Return the kind of the piece that an action moves."""
    kind: int = (state.board[int(SOURCE[action])] - 1) % 6
    return kind
