"""Chess: give checkmate to the king; positions are written as FEN, moves as UCI and SAN.

The rules are those of FIDE. Draws need no claim: a game is drawn when a position occurs for the third time,
after 50 moves of each player without a capture or a pawn's move, and when neither side has the material to
give mate. OpenSpiel and engines' tournaments do the same; FIDE lets a player claim these, and ends a game
only at the fifth occurrence or after 75 moves.

The position is kept twice: by square, and as sets of squares by player and piece. After each move the
rules find out once which squares are attacked, which pieces are pinned, and which squares end a check. With
these sets only legal moves are listed; only a capture en passant is tried out.
"""

import math

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import ActionError
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, won_by
from branchwise.games.bits import count_bits, lowest_bit
from branchwise.games.boards import WHITE_FIRST, place_piece
from branchwise.games.chess_notation import parse_fen, read_move, write_fen, write_san
from branchwise.games.chess_tables import (
    ALL,
    BETWEEN,
    BISHOP,
    BIT,
    CASTLED_KING,
    DARK,
    DIAGONALS,
    EN_PASSANT_KEYS,
    FOURTH_RANK,
    KEPT_RIGHTS,
    KING,
    KING_ATTACKS,
    KNIGHT,
    KNIGHT_ATTACKS,
    LAST_RANKS,
    LEAP,
    LINE,
    MOVER_KEY,
    MOVES,
    MUST_BE_EMPTY,
    MUST_BE_SAFE,
    NOT_A,
    NOT_H,
    NUMBER,
    ONE,
    PAWN,
    PAWN_ATTACKS,
    PAWN_LINES,
    PAWN_STEPS,
    PIECE_KEYS,
    PIECES,
    PROMOTION,
    PROMOTIONS,
    QUEEN,
    RIGHTS_KEYS,
    ROOK,
    SOURCE,
    STRAIGHTS,
    TAKE_LEFT,
    TAKE_RIGHT,
    TARGET,
    THROUGH,
    VALUES,
    WORTH,
    ahead,
    diagonal_attacks,
    knight_attacks,
    pawn_attacks,
    slider_attacks,
    straight_attacks,
)

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NONE = -1
PLAYING, CHECKMATE, STALEMATE, DEAD_POSITION, REPETITION, FIFTY_MOVES = range(6)
ENDINGS = ("", "checkmate", "stalemate", "too little material", "third repetition", "50 moves")


class Chess(TwoPlayers, Game):
    """Action a is move a of the 1,968 that any piece could make, in the alphabetical order of their names.

    The names are those of UCI: "e2e4", "e1g1" castles, "a7a8q" promotes. Moves are read in UCI and in
    standard algebraic notation. Player 0 is White. `chess(fen="...")` begins from another position.

    Uniform playouts say little in chess. At 0.05 s a move, `cutoff=0`, which uses `evaluate` in their place,
    won 23 of 24 games against them (95 % interval 75 to 99 %). `selection="puct"`, which adds `prior`, won 97
    points of 100 against `cutoff=0` alone.

    >>> state = Chess.from_actions("e4 e5 Nf3 Nc6 Bb5 a6 b5c6")
    >>> state.to_fen()
    'r1bqkbnr/1ppp1ppp/p1B5/4p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 4'
    >>> state.to_san(state.action_from_string("d7c6"))
    'dxc6'
    >>> Chess.from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").turn()
    'draw: stalemate'
    """

    fen = ""

    num_actions = len(MOVES)
    num_net_inputs = 12
    board_style = BoardStyle("chess", 8, 8, (".", PIECES[:7], "." + PIECES[7:]), **WHITE_FIRST)
    max_game_length = 12_700  # 30 captures and 96 pawn moves, each within 100 moves after the one before

    board: Array[np.int8, 64] = 0
    """[square]: the piece there, an index into `PIECES`."""
    sets: Array[np.uint64, 2, 6] = 0
    """[player, kind]: where the player's pieces of this kind are."""
    men: Array[np.uint64, 2] = 0
    """[player]: where all pieces of the player are."""
    mover: np.int8 = 0
    rights: np.int8 = 0
    """Castling rights as bits, in the order KQkq."""
    en_passant: np.int8 = NONE
    """The square that a pawn has just passed, if it may be taken there."""
    clock: np.int16 = 0
    """Moves of both players since the last capture or pawn's move."""
    number: np.int16 = 1
    """The number of the move, counted as in FEN."""
    key: np.uint64 = 0
    """The position as a number of 64 bits (Zobrist)."""
    keys: Array[np.uint64, 100] = 0
    """[clock]: the positions since the last capture or pawn's move; 0 after these, and where unknown."""
    danger: np.uint64 = 0
    """Squares that the other player attacks; those behind the king, seen from a slider, too."""
    pinned: np.uint64 = 0
    """Pieces of the player to move that must stay on a line with their king."""
    allowed: np.uint64 = 0
    """Squares where a move that is not the king's may end: all, or in check those that end it."""
    ending: np.int8 = PLAYING

    @classmethod
    def configure(cls):
        parse_fen(cls.fen or START)

    def setup(self):
        self.set_up(self.fen or START)

    @classmethod
    def from_fen(cls, fen):
        """Return the state of a FEN; raises `GameError` if it is none. Earlier positions are not known."""
        state = cls.new_initial_state()
        state.set_up(fen)
        return state

    def set_up(self, fen):
        """Make this state the position of a FEN."""
        position = parse_fen(fen)
        for array in (self.board, self.sets, self.men, self.keys):
            array[...] = 0
        self.key = int(MOVER_KEY) if position.mover else 0
        for square, piece in enumerate(position.board):
            if piece:
                self.toggle(piece, square)
        self.mover, self.rights = position.mover, position.rights
        self.clock, self.number = position.clock, position.number
        self.key ^= int(RIGHTS_KEYS[self.rights])
        self.look(position.en_passant)

    def to_fen(self):
        """Return the position as FEN. The en passant square is given only if a pawn may be taken there."""
        return write_fen(self)

    def to_san(self, action):
        """Return a legal action in standard algebraic notation, such as "Nbd7" or "e8=Q+"."""
        return write_san(self, action)

    def is_terminal(self):
        return self.ending != PLAYING

    def returns(self):
        return won_by(1 - self.mover if self.ending == CHECKMATE else -1)

    # --- moves

    def legal_actions(self):
        king = self.king(self.mover)
        targets = self.king_targets(king)
        while targets:
            yield NUMBER[king, lowest_bit(targets)]
            targets &= targets - ONE
        for way in range(4):
            step = PAWN_STEPS[self.mover, way]
            targets = self.pawn_targets(way)
            while targets:
                target = lowest_bit(targets)
                number = NUMBER[target - step, target]
                if LAST_RANKS & BIT[target]:
                    for promotion in range(PROMOTIONS):
                        yield number + 1 + promotion
                else:
                    yield number
                targets &= targets - ONE
        if self.en_passant != NONE:
            sources = self.en_passant_sources()
            while sources:
                yield NUMBER[lowest_bit(sources), self.en_passant]
                sources &= sources - ONE
        pieces = self.pieces()
        while pieces:
            source = lowest_bit(pieces)
            targets = self.piece_targets(source)
            while targets:
                yield NUMBER[source, lowest_bit(targets)]
                targets &= targets - ONE
            pieces &= pieces - ONE

    def pieces(self):
        """Return the mover's knights, bishops, rooks and queens."""
        own = self.sets[self.mover]
        return np.uint64(self.men[self.mover]) & ~np.uint64(own[PAWN] | own[KING])

    def king_targets(self, king):
        """Return where the mover's king may go; castling is its move by two files."""
        mover = self.mover
        danger = np.uint64(self.danger)
        reached = KING_ATTACKS[king] & ~np.uint64(self.men[mover]) & ~danger
        if self.rights:
            occupied = self.occupied()
            for right in range(2 * mover, 2 * mover + 2):
                if self.rights >> right & 1:
                    if not (occupied & MUST_BE_EMPTY[right] | danger & MUST_BE_SAFE[right]):
                        reached |= CASTLED_KING[right]
        return reached

    def pawn_targets(self, way):
        """Return where the mover's pawns may go in one of four ways, apart from en passant."""
        mover = self.mover
        pawns, pinned = np.uint64(self.sets[mover, PAWN]), np.uint64(self.pinned)
        if pinned:
            pawns &= ~pinned | LINE[PAWN_LINES[mover, way], self.king(mover)]
        reached = ahead(pawns, mover)
        if way == TAKE_LEFT:
            reached = reached >> 1 & NOT_H & np.uint64(self.men[1 - mover])
        elif way == TAKE_RIGHT:
            reached = reached << 1 & NOT_A & np.uint64(self.men[1 - mover])
        else:
            empty = ~self.occupied()
            reached &= empty
            if way == LEAP:
                reached = ahead(reached, mover) & empty & FOURTH_RANK[mover]
        return reached & np.uint64(self.allowed)

    def en_passant_sources(self):
        """Return the mover's pawns that may take en passant, which is tried out."""
        mover, other = self.mover, 1 - self.mover
        target = BIT[self.en_passant]
        taken = ahead(target, other)
        found = np.uint64(0)
        if (target | taken) & np.uint64(self.allowed):
            king, queens = self.king(mover), np.uint64(self.sets[other, QUEEN])
            diagonal = np.uint64(self.sets[other, BISHOP]) | queens
            straight = np.uint64(self.sets[other, ROOK]) | queens
            pawns = PAWN_ATTACKS[other, self.en_passant] & np.uint64(self.sets[mover, PAWN])
            while pawns:
                pawn = pawns & ~(pawns - ONE)
                occupied = self.occupied() ^ pawn ^ taken ^ target
                if not (
                    diagonal_attacks(occupied, king) & diagonal or straight_attacks(occupied, king) & straight
                ):
                    found |= pawn
                pawns ^= pawn
        return found

    def piece_targets(self, square):
        """Return where the knight, bishop, rook or queen on a square, one of the mover's, may go."""
        mover = self.mover
        kind = self.board[square] - 1 - 6 * mover
        occupied = self.occupied()
        reached = np.uint64(0)
        if kind == KNIGHT:
            reached = KNIGHT_ATTACKS[square]
        else:
            if kind != ROOK:
                reached |= diagonal_attacks(occupied, square)
            if kind != BISHOP:
                reached |= straight_attacks(occupied, square)
        reached &= ~np.uint64(self.men[mover]) & np.uint64(self.allowed)
        if np.uint64(self.pinned) & BIT[square]:
            reached &= THROUGH[self.king(mover), square]
        return reached

    def king(self, player):
        return lowest_bit(np.uint64(self.sets[player, KING]))

    def occupied(self):
        return np.uint64(self.men[0]) | np.uint64(self.men[1])

    def apply_action(self, action):
        source, target = SOURCE[action], TARGET[action]
        mover, other = self.mover, 1 - self.mover
        piece = self.board[source]
        kind = piece - 1 - 6 * mover
        is_reversible = kind != PAWN
        self.toggle(piece, source)
        if self.board[target] != 0:
            self.toggle(self.board[target], target)
            is_reversible = False
        if PROMOTION[action] != NONE:
            self.toggle(1 + PROMOTION[action] + 6 * mover, target)
        else:
            self.toggle(piece, target)
        if self.en_passant != NONE:
            self.key ^= EN_PASSANT_KEYS[self.en_passant]
        passed = NONE
        if kind == PAWN:
            if abs(target - source) == 16:
                passed = (source + target) // 2
            elif target == self.en_passant:
                self.toggle(PAWN + 1 + 6 * other, target - PAWN_STEPS[mover, 0])
        elif kind == KING and abs(target - source) == 2:
            self.toggle(ROOK + 1 + 6 * mover, source + 3 if target > source else source - 4)
            self.toggle(ROOK + 1 + 6 * mover, (source + target) // 2)
        rights = self.rights & KEPT_RIGHTS[source] & KEPT_RIGHTS[target]
        if rights != self.rights:
            self.key ^= RIGHTS_KEYS[self.rights] ^ RIGHTS_KEYS[rights]
            self.rights = rights
        if is_reversible:
            self.clock += 1
        else:
            for i in range(min(self.clock + 1, 100)):
                self.keys[i] = 0
            self.clock = 0
        self.number += mover
        self.mover = other
        self.key ^= MOVER_KEY
        self.look(passed)

    def toggle(self, piece, square):
        """Put a piece, a value of the board, on an empty square, or take it away."""
        player = 1 if piece > 6 else 0
        self.board[square] ^= piece
        self.sets[player, piece - 1 - 6 * player] ^= BIT[square]
        self.men[player] ^= BIT[square]
        self.key ^= PIECE_KEYS[piece, square]

    def look(self, passed):
        """Set what follows from the position; `passed` is the square that a pawn has just passed, or NONE."""
        self.find_attacks()
        self.en_passant = passed
        if passed != NONE:
            if self.en_passant_sources():
                self.key ^= EN_PASSANT_KEYS[passed]
            else:
                self.en_passant = NONE
        if self.clock < 100:
            self.keys[self.clock] = self.key
        self.ending = self.find_ending()

    def find_attacks(self):
        """Set `danger`, `pinned` and `allowed`."""
        mover, other = self.mover, 1 - self.mover
        king = self.king(mover)
        own = np.uint64(self.men[mover])
        occupied = self.occupied()
        pawns, knights = np.uint64(self.sets[other, PAWN]), np.uint64(self.sets[other, KNIGHT])
        queens = np.uint64(self.sets[other, QUEEN])
        diagonal = np.uint64(self.sets[other, BISHOP]) | queens
        straight = np.uint64(self.sets[other, ROOK]) | queens
        danger = (
            slider_attacks(diagonal, straight, ~occupied | BIT[king])
            | knight_attacks(knights)
            | pawn_attacks(pawns, other)
            | KING_ATTACKS[self.king(other)]
        )
        self.danger = danger
        checkers = KNIGHT_ATTACKS[king] & knights | PAWN_ATTACKS[mover, king] & pawns
        pinned = np.uint64(0)
        snipers = DIAGONALS[king] & diagonal | STRAIGHTS[king] & straight
        while snipers:
            sniper = lowest_bit(snipers)
            between = BETWEEN[king, sniper] & occupied
            if not between:
                checkers |= BIT[sniper]
            elif not between & (between - ONE):
                pinned |= between & own
            snipers &= snipers - ONE
        self.pinned = pinned
        allowed = ALL
        if checkers:
            allowed = np.uint64(0)
            if not checkers & (checkers - ONE):
                allowed = checkers | BETWEEN[king, lowest_bit(checkers)]
        self.allowed = allowed

    def find_ending(self):
        """Return how the game has ended, or PLAYING."""
        if not self.can_move():
            return CHECKMATE if self.is_in_check() else STALEMATE
        if self.clock >= 100:
            return FIFTY_MOVES
        if self.is_dead():
            return DEAD_POSITION
        if self.clock >= 8:
            seen = 0
            for i in range(self.clock - 4, -1, -2):
                if self.keys[i] == self.key:
                    seen += 1
            if seen >= 2:
                return REPETITION
        return PLAYING

    def is_in_check(self):
        return np.uint64(self.danger) & np.uint64(self.sets[self.mover, KING]) != 0

    def can_move(self):
        if self.king_targets(self.king(self.mover)):
            return True
        for way in range(4):
            if self.pawn_targets(way):
                return True
        pieces = self.pieces()
        while pieces:
            if self.piece_targets(lowest_bit(pieces)):
                return True
            pieces &= pieces - ONE
        return self.en_passant != NONE and self.en_passant_sources() != 0

    def is_dead(self):
        """Whether there is at most one minor piece, or nothing but bishops on squares of one colour."""
        for player in range(2):
            if self.sets[player, PAWN] or self.sets[player, ROOK] or self.sets[player, QUEEN]:
                return False
        knights = np.uint64(self.sets[0, KNIGHT]) | np.uint64(self.sets[1, KNIGHT])
        bishops = np.uint64(self.sets[0, BISHOP]) | np.uint64(self.sets[1, BISHOP])
        if count_bits(knights | bishops) <= 1:
            return True
        return not knights and (not bishops & DARK or not bishops & ~DARK)

    def go_on(self, player):
        """Let `player`, who is to move, go on after a draw by repetition or by 50 moves.

        Programs may ask for that to analyse the position; no rule leads here. A capture or a pawn's move then
        begins to count anew, and all other moves after the 50 are draws. Raises `ActionError` after any other
        end of the game, and for the other player.

        >>> state = Chess.from_fen("7k/8/8/8/8/8/R7/K7 w - - 100 80")
        >>> state.go_on(0)
        >>> state.turn()
        'White to move'
        """
        if self.ending not in (PLAYING, REPETITION, FIFTY_MOVES):
            raise ActionError(f"the game is over: {ENDINGS[self.ending]}")
        if player != self.mover:
            raise ActionError(f"it is {('White', 'Black')[self.mover]}'s turn, who cannot pass")
        self.ending = PLAYING

    # --- knowledge ------------------------------------------------------------------------------------

    def evaluate(self):
        """Return an estimate by material, places and the best capture, for `cutoff`.

        Each piece counts what it is worth and how well its kind stands on its square. The player to move
        gains the best capture: the piece taken, less the one that takes it if the square is defended. A lead
        of 4 pawns is a value of 0.76.
        """
        lead = self.best_capture() * (1 - 2 * self.mover)
        rest = self.occupied()
        while rest:
            square = lowest_bit(rest)
            lead += VALUES[self.board[square], square]
            rest &= rest - ONE
        value = math.tanh(lead / 400)
        return (value, -value)

    def best_capture(self):
        """Return what the best capture wins, at least 0, in hundredths of a pawn."""
        theirs = np.uint64(self.men[1 - self.mover])
        best = 0
        for way in (TAKE_LEFT, TAKE_RIGHT):
            targets = self.pawn_targets(way)
            while targets:
                best = max(best, self.gain(PAWN + 1, lowest_bit(targets)))
                targets &= targets - ONE
        pieces = self.pieces()
        while pieces:
            source = lowest_bit(pieces)
            targets = self.piece_targets(source) & theirs
            while targets:
                best = max(best, self.gain(self.board[source], lowest_bit(targets)))
                targets &= targets - ONE
            pieces &= pieces - ONE
        return best

    def gain(self, piece, target):
        """Return what is won if a piece goes to a square: what stands there, less itself if attacked."""
        lost = WORTH[piece] if np.uint64(self.danger) & BIT[target] else 0
        return WORTH[self.board[target]] - lost

    def prior(self, action):
        """Return a weight for `selection="puct"` by what a move gains at once.

        It gains what it takes, the worth of a promotion, and the better place; it loses the piece if the
        square is attacked, and a piece that leaves an attacked square is saved. A gain of
        one and a half pawns makes the weight e times as large.
        """
        source, target = SOURCE[action], TARGET[action]
        piece = self.board[source]
        sign = 1 - 2 * self.mover
        gain = self.gain(piece, target) + sign * (VALUES[piece, target] - VALUES[piece, source])
        if np.uint64(self.danger) & BIT[source]:
            gain += WORTH[piece] // 2
        if PROMOTION[action] != NONE:
            gain += WORTH[1 + PROMOTION[action]] - WORTH[PAWN + 1]
        return math.exp(min(max(gain, -400), 600) / 150)

    # --- names and pictures ---------------------------------------------------------------------------

    def net_inputs(self, player):
        for right in range(4):
            if self.rights >> right & 1:
                yield right
        if self.en_passant != NONE:
            yield 4 + self.en_passant % 8

    def action_to_string(self, action):
        return MOVES[action]

    def action_from_string(self, text):
        """Return the legal action that `text` names, in UCI or SAN. Raises `ActionError`."""
        action = read_move(self, text)
        return super().action_from_string(text) if action is None else action

    def board_cells(self, out):
        for square in range(64):
            if self.board[square]:
                piece = self.board[square] - 1
                place_piece(out, square ^ 56, piece // 6, piece % 6 + 1)

    def action_squares(self, action):
        yield SOURCE[action] ^ 56
        yield TARGET[action] ^ 56

    def board_caption(self):
        return self.turn()

    def turn(self):
        """Return who is to move, or how the game has ended."""
        if self.ending == CHECKMATE:
            return f"checkmate, {('Black', 'White')[self.mover]} wins"
        if self.is_terminal():
            return f"draw: {ENDINGS[self.ending]}"
        return f"{('White', 'Black')[self.mover]} to move" + (", in check" if self.is_in_check() else "")
