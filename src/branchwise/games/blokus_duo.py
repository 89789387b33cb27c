"""Blokus Duo: place polyominoes that touch your own pieces at corners, never along edges.

Each player has the 21 pieces of one to five squares. The first piece covers one of two starting squares. A
player who cannot place a piece passes; when neither can, the player who has placed more squares wins. Placing
all pieces counts as 15 more squares, or as 20 if the last one was the single square.

A set of squares is four numbers of 64 bits, each with four rows of 16 bits, of which 14 are on the board. All
places of a piece are found together: where each of its squares is free, and one of them lies on a corner.
"""

from functools import cache

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, by_lead
from branchwise.games.bits import count_bits, lowest_bit
from branchwise.games.boards import place_piece
from branchwise.games.symmetries import move_bits, rectangle, symmetries_of

SIZE = 14
COLUMNS = "abcdefghijklmn"
WORDS = 4
STARTS = ((4, 4), (9, 9))
"""(row, column) of the starting squares, from below and from the left."""
ALL_PLACED, SINGLE_LAST = 15, 20

_PIECES = (
    "1 2 I3 V3 I4 L4 T4 O S4 F I5 L5 N P T5 U V5 W X Y Z",
    "# ## ### ##/#. #### ###/#.. ###/.#. ##/## ##./.## .##/##./.#. ##### ####/#... ##../.### ##/##/#. "
    "###/.#./.#. #.#/### ###/#../#.. ##./.##/..# .#./###/.#. ####/.#.. ##./.#./.##",
)
NAMES = tuple(_PIECES[0].split())


def _turned_and_mirrored(text):
    """Return the different forms of a piece as sorted tuples of (row, column), in order."""
    rows = text.split("/")
    cells = [(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == "#"]
    forms = set()
    for mirror in (1, -1):
        turned = [(r, mirror * c) for r, c in cells]
        for _ in range(4):
            turned = [(c, -r) for r, c in turned]
            low, left = min(r for r, _ in turned), min(c for _, c in turned)
            forms.add(tuple(sorted((r - low, c - left) for r, c in turned)))
    return sorted(forms)


FORMS = tuple(
    (piece, form) for piece, text in enumerate(_PIECES[1].split()) for form in _turned_and_mirrored(text)
)
"""[form]: the piece, and the squares that it covers from its lower left corner."""
PIECE = np.array([piece for piece, _ in FORMS])
SQUARES = np.array([len(form) for _, form in FORMS])
WIDTH = np.array([1 + max(c for _, c in form) for _, form in FORMS])
OFFSETS = np.array([[16 * r + c for r, c in form] + [0] * (5 - len(form)) for _, form in FORMS])
"""[form, square]: distance of the square's bit from that of the lower left corner."""
_HEIGHT = [1 + max(r for r, _ in form) for _, form in FORMS]
_PLACES = [(SIZE + 1 - h) * (SIZE + 1 - int(w)) for h, w in zip(_HEIGHT, WIDTH, strict=True)]
FIRST = np.concatenate([[0], np.cumsum(_PLACES)])
"""[form]: its first action; the others follow by row and column of the lower left corner."""
PASS = int(FIRST[-1])
FORM_OF = np.repeat(np.arange(len(FORMS)), _PLACES)
"""[action]"""

ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
BOARD = np.array([0x3FFF3FFF3FFF3FFF] * 3 + [0x3FFF3FFF], np.uint64)


def _ways():
    """Return the symmetries that keep the starting squares, int64 [symmetry, bit]."""
    ways = np.tile(np.arange(64 * WORDS), (8, 1))
    at = np.array([16 * r + c for c, r in rectangle(SIZE, SIZE)])
    ways[:, at] = at[symmetries_of(rectangle(SIZE, SIZE))]
    starts = [16 * r + c for r, c in STARTS]
    return ways[[{*way[starts]} == {*starts} for way in ways]]


def _turned_forms():
    """Return the form that a symmetry makes of each, [symmetry, form]."""
    number = {form: place for place, (_, form) in enumerate(FORMS)}
    turned = np.zeros((len(WAYS), len(FORMS)), np.int64)
    for k, way in enumerate(WAYS):
        for place, (_, form) in enumerate(FORMS):
            cells = [divmod(int(way[16 * r + c]), 16) for r, c in form]
            low, left = (min(some) for some in zip(*cells, strict=True))
            turned[k, place] = number[tuple(sorted((r - low, c - left) for r, c in cells))]
    return turned


WAYS = _ways()
TURNED = _turned_forms()


class BlokusDuo(TwoPlayers, Game):
    """Actions place the 91 forms of pieces, by row and column of the lower left corner; the last one passes.

    A move is written as its squares, "e5,f5,g5"; they are read in any order. Player 0 begins, on either
    starting square.

    >>> state = BlokusDuo.from_actions("e5,f5,g5 j10")
    >>> len(state.legal_actions()), state.score(0), state.score(1)
    (490, 3, 1)
    """

    num_actions = PASS + 1
    max_game_length = 84
    symmetries = len(WAYS)
    num_net_inputs = 43
    sides_alike = True
    board_style = BoardStyle("tiles", SIZE, SIZE, (".+", ".X", ".O"), ("purple", "orange"))

    squares: Array[np.uint64, 2, WORDS] = 0
    """[player, word]: where the player's pieces are; bit 16 * row + column over all words."""
    used: Array[np.int32, 2] = 0
    """[player]: pieces placed, as bits."""
    bonus: Array[np.int8, 2] = 0
    mover: np.int8 = 0
    passes: np.int8 = 0

    def legal_actions(self):
        free, corners = self.free_and_corners()
        found = False
        for form in range(FIRST.size - 1):
            if not self.used[self.mover] >> PIECE[form] & 1:
                for word in range(WORDS):
                    places = fitting(free, corners, form, word)
                    while places:
                        place = 64 * word + lowest_bit(places)
                        places &= places - ONE
                        found = True
                        yield FIRST[form] + place // 16 * (SIZE + 1 - WIDTH[form]) + place % 16
        if not found:
            yield PASS

    def free_and_corners(self):
        """Return where the mover may place squares, and where one must be; two words of zeros follow."""
        free, corners = np.zeros(WORDS + 2, np.uint64), np.zeros(WORDS + 2, np.uint64)
        own = np.zeros(WORDS + 2, np.uint64)
        for word in range(WORDS):
            own[word + 1] = self.squares[self.mover, word]
        for word in range(WORDS):
            here, below, above = own[word + 1], own[word], own[word + 2]
            up, down = here << 16 | below >> 48, here >> 16 | above << 48
            sides, diagonals = here << 1 | here >> 1 | up | down, (up | down) << 1 | (up | down) >> 1
            other = np.uint64(self.squares[1 - self.mover, word])
            free[word] = BOARD[word] & ~(here | sides | other)
            corners[word] = diagonals & free[word]
        if self.used[self.mover] == 0:
            for start in range(2):
                place = 16 * STARTS[start][0] + STARTS[start][1]
                corners[place // 64] |= ONE << np.uint64(place % 64) & free[place // 64]
        return free, corners

    def apply_action(self, action):
        mover = self.mover
        self.mover = 1 - mover
        if action == PASS:
            self.passes += 1
            return
        self.passes = 0
        form, corner = place_of(action)
        for square in range(SQUARES[form]):
            place = corner + OFFSETS[form, square]
            self.squares[mover, place // 64] |= ONE << np.uint64(place % 64)
        self.used[mover] |= 1 << PIECE[form]
        if self.used[mover] == (1 << 21) - 1:
            self.bonus[mover] = SINGLE_LAST if SQUARES[form] == 1 else ALL_PLACED

    def score(self, player):
        """Return the squares that a player has placed, with the bonus."""
        total = int(self.bonus[player])
        for word in range(WORDS):
            total += int(count_bits(self.squares[player, word]))
        return total

    def is_terminal(self):
        return self.passes == 2

    def returns(self):
        return by_lead(self.score(0) - self.score(1))

    def net_inputs(self, player):
        for piece in range(21):
            if self.used[player] >> piece & 1:
                yield piece
            if self.used[1 - player] >> piece & 1:
                yield 21 + piece
        if self.passes:
            yield 42

    def symmetry(self, k):
        for player in range(2):
            move_bits(self.squares[player], WAYS[k], 64)

    def symmetry_action(self, k, action):
        if action == PASS:
            return PASS
        form, corner = place_of(action)
        turned, low, left = TURNED[k, form], SIZE, SIZE
        for square in range(SQUARES[form]):
            bit = WAYS[k, corner + OFFSETS[form, square]]
            low, left = min(low, bit // 16), min(left, bit % 16)
        return FIRST[turned] + low * (SIZE + 1 - WIDTH[turned]) + left

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if action == PASS:
            return "pass"
        return ",".join(f"{COLUMNS[c]}{r + 1}" for r, c in squares_of(action))

    def action_from_string(self, text):
        """Return the legal action that `text` names by its squares, in any order. Raises `ActionError`."""
        names = sorted(text.strip().lower().split(","))
        action = _actions_by_squares().get(tuple(names))
        if action is not None and self.may_place(action):
            return action
        return super().action_from_string(text)

    def may_place(self, action):
        """Whether the player to move may place this form of a piece here."""
        form, corner = place_of(action)
        if self.used[self.mover] >> PIECE[form] & 1:
            return False
        free, corners = self.free_and_corners()
        return bool(fitting(free, corners, form, corner // 64) >> np.uint64(corner % 64) & ONE)

    def board_caption(self):
        """Return a line for each player about squares and pieces."""
        lines = []
        for player in range(2):
            left = [name for piece, name in enumerate(NAMES) if not self.used[player] >> piece & 1]
            lines.append(f"{self.symbols[player + 1]}: {self.score(player)}; left {' '.join(left) or 'none'}")
        return "\n".join(lines)

    def board_cells(self, out):
        for start in range(2):
            out[SIZE - 1 - STARTS[start][0], STARTS[start][1], 1] = 1
        for player in range(2):
            for square in range(SIZE * SIZE):
                bit = 16 * (SIZE - 1 - square // SIZE) + square % SIZE
                if np.uint64(self.squares[player, bit // 64]) >> np.uint64(bit % 64) & ONE:
                    place_piece(out, square, player)

    def action_squares(self, action):
        if action != PASS:
            form, corner = place_of(action)
            for square in range(SQUARES[form]):
                bit = corner + OFFSETS[form, square]
                yield SIZE * (SIZE - 1 - bit // 16) + bit % 16


def place_of(action):
    """Return the form of a piece that an action places, and the bit of its lower left corner."""
    form = FORM_OF[action]
    number = action - FIRST[form]
    across = SIZE + 1 - WIDTH[form]
    return form, 16 * (number // across) + number % across


def squares_of(action):
    """Return the squares, (row, column), that an action covers."""
    form, corner = place_of(action)
    return [(int(corner) // 16 + r, int(corner) % 16 + c) for r, c in FORMS[form][1]]


@cache
def _actions_by_squares():
    """Return the actions by the sorted names of their squares."""
    names = (sorted(f"{COLUMNS[c]}{r + 1}" for r, c in squares_of(action)) for action in range(PASS))
    return {tuple(squares): action for action, squares in enumerate(names)}


def fitting(free, corners, form, word):
    """Return the places of a form's lower left corner within a word where the form may be placed."""
    fits, touches = ALL, np.uint64(0)
    for square in range(SQUARES[form]):
        offset = OFFSETS[form, square]
        fits &= moved_back(free, word, offset)
        touches |= moved_back(corners, word, offset)
    return fits & touches


def moved_back(squares, word, places):
    """Return a word of the set, with 64 more bits behind it, whose squares are all moved back."""
    first, rest = word + places // 64, np.uint64(places % 64)
    return squares[first] >> rest | (squares[first + 1] << ONE) << (np.uint64(63) - rest)
