"""The common part of Go, Atari Go and NoGo: stones on a square board, their chains and liberties.

Stones of one colour that are connected along lines form a chain; the empty points next to it are its
liberties. A chain with a single liberty is in atari: a stone there captures it.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers
from branchwise.games.bits import count_bits, lowest_bit, nth_bit
from branchwise.games.boards import BLACK_FIRST, place_piece
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import MovesCells, rectangle, symmetries_of

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""Names of the columns, as in GTP: the letter I is left out."""
LARGEST = 19
CAPTURES, EXTENSIONS, USEFUL = 0, 1, 2
"""Kinds of points for playouts."""


def neighbours(point, size):
    """Return the points next to a point.

    >>> neighbours(0, 9), neighbours(10, 9)
    ([1, 9], [1, 9, 11, 19])
    """
    row, column = divmod(point, size)
    around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [r * size + c for r, c in around if 0 <= r < size and 0 <= c < size]


class StoneGame(MovesCells, TwoPlayers, Game):
    """Action row * size + column puts a stone on that point; point 0 is "A1", at the bottom left.

    A set of points is an array of words, and a word holds some whole rows: point p is bit p % span of word
    p // span. A chain has the number of its lowest point. `nowhere` is the chain of an empty point, and the
    neighbour beyond the edge; it has no members and no liberties.

    A game adds `legal_word(word)`, the legal points of the player to move.
    """

    size = 9

    board_style = BoardStyle("stones", **BLACK_FIRST, column_labels=LETTERS)

    empty: Array[np.int64, "words"] = 0
    stones: Array[np.int64, 2, "words"] = 0
    """[player]: the player's stones."""
    atari: Array[np.int64, "words"] = 0
    """Stones of both players whose chain has one liberty."""
    legal: Array[np.int64, "words"] = 0
    """Points where the player to move may play."""
    board: Array[np.int8, "places"] = 0
    """[point]: 0 for empty, p + 1 for a stone of player p."""
    chain: Array[np.uint16, "places"] = 0
    """[point]: the chain of the stone there."""
    members: Array[np.int64, "places", "words"] = 0
    """[chain]: its stones."""
    liberties: Array[np.int64, "places", "words"] = 0
    """[chain]: its liberties."""
    mover: np.int8 = 0

    @classmethod
    def configure(cls):
        check_ranges(cls, size=(1, LARGEST))
        cls.points = cls.nowhere = cls.size**2
        cls.places = cls.points + 1
        cls.ways = symmetries_of(rectangle(cls.size, cls.size))
        cls.symmetries = len(cls.ways)
        cls.span = 63 // cls.size * cls.size
        cls.words = -(-cls.points // cls.span)
        near = [neighbours(point, cls.size) for point in range(cls.points)]
        cls.near = np.array([(points + [cls.nowhere] * 4)[:4] for points in near], np.uint16)
        cls.near_set = np.array([cls.as_set(points) for points in near])
        cls.whole = tuple(cls.as_set(range(cls.points)).tolist())
        cls.not_last = int(cls.as_set(p for p in range(min(cls.span, cls.points)) if (p + 1) % cls.size)[0])
        cls.num_actions = cls.points
        cls.max_game_length = cls.points

    @classmethod
    def as_set(cls, points):
        """Return an array of words with these points."""
        words = [0] * cls.words
        for point in points:
            words[point // cls.span] |= 1 << point % cls.span
        return np.array(words, np.int64)

    def setup(self):
        self.empty[:] = self.whole
        self.chain[:] = self.nowhere
        self.find_legal()

    def legal_actions(self):
        for word in range(self.words):
            points = self.legal[word]
            for _ in range(points.bit_count()):
                yield word * self.span + lowest_bit(points)
                points &= points - 1

    def is_legal(self, action):
        return self.legal[action // self.span] >> action % self.span & 1 != 0

    def sample_action(self, random):
        return self.legal_point(random.below(self.count_legal()))

    def count_legal(self):
        count = 0
        for word in range(self.words):
            count += count_bits(self.legal[word])
        return count

    def legal_point(self, number):
        """Return legal point `number`, counted from 0; below `count_legal()` (not checked)."""
        word = start = before = 0
        for w in range(self.words - 1):  # without branches, because they would be unpredictable
            before += count_bits(self.legal[w])
            passed = number >= before
            word += passed
            start = before if passed else start
        return word * self.span + nth_bit(self.legal[word], number - start)

    def find_legal(self):
        for word in range(self.words):
            self.legal[word] = self.legal_word(word)

    def can_move(self):
        """Whether the player to move has a legal point."""
        for word in range(self.words):
            if self.legal[word]:
                return True
        return False

    def next_to(self, before, here, after):
        """Return the points of a word next to a set; `here` is the set's word, the others those around it.

        Bits that are not points of the word may be set, too.
        """
        beside = (here & self.not_last) << 1 | here >> 1 & self.not_last
        above_and_below = here << self.size | here >> self.size
        return beside | above_and_below | before >> self.span - self.size | after << self.span - self.size

    def not_suicide(self, word):
        """Return the empty points of a word where a stone of the mover has a liberty.

        They are next to an empty point, to an own chain with another liberty, or to a chain that is captured.
        """
        return self.empty[word] & self.next_to(
            self.breathing(word - 1), self.breathing(word), self.breathing(word + 1)
        )

    def breathing(self, word):
        if not 0 <= word < self.words:
            return 0
        atari = self.atari[word]
        mine, theirs = self.stones[self.mover, word], self.stones[1 - self.mover, word]
        return self.empty[word] | mine & ~atari | theirs & atari

    # --- putting a stone on the board -------------------------------------------------------------------

    def put(self, point):
        """Put a stone of the player to move on an empty point; returns the number of stones captured."""
        mine, theirs = self.mover + 1, 2 - self.mover
        word, bit = point // self.span, 1 << point % self.span
        self.board[point] = mine
        self.empty[word] ^= bit
        self.stones[self.mover, word] |= bit
        home = point
        dead = single = 0  # neighbours by their number, as bits
        for k in range(4):  # without branches, because they would be unpredictable
            neighbour = self.near[point, k]
            chain, colour = self.chain[neighbour], self.board[neighbour]
            self.liberties[chain, word] &= ~bit
            left = self.count_liberties(chain)
            dead |= ((left == 0) & (colour == theirs)) << k
            single |= (left == 1) << k
            home = min(home, chain) if colour == mine else home
        for w in range(self.words):
            atari = self.atari[w]
            for k in range(4):
                members = self.members[self.chain[self.near[point, k]], w]
                atari = atari & ~members | members & -(single >> k & 1)
            self.atari[w] = atari
        self.chain[point] = home
        self.members[home, word] |= bit
        for w in range(self.words):
            self.liberties[home, w] |= self.near_set[point, w] & self.empty[w]
        others = 0
        for k in range(4):
            neighbour = self.near[point, k]
            others |= ((self.board[neighbour] == mine) & (self.chain[neighbour] != home)) << k
        while others:
            chain = self.chain[self.near[point, lowest_bit(others)]]
            if chain != home:
                self.join(home, chain)
            others &= others - 1
        captured = 0
        while dead:
            chain = self.chain[self.near[point, lowest_bit(dead)]]
            if chain != self.nowhere:
                captured += self.remove(chain)
            dead &= dead - 1
        self.note_atari(home)
        return captured

    def count_liberties(self, chain):
        count = 0
        for w in range(self.words):
            count += count_bits(self.liberties[chain, w])
        return count

    def note_atari(self, chain):
        """Note whether a chain is in atari."""
        single = -(self.count_liberties(chain) == 1)  # all bits or none
        for w in range(self.words):
            members = self.members[chain, w]
            self.atari[w] = self.atari[w] & ~members | members & single

    def join(self, home, chain):
        """Make `chain` a part of the chain `home`."""
        for w in range(self.words):
            members = self.members[chain, w]
            self.members[home, w] |= members
            self.liberties[home, w] |= self.liberties[chain, w]
            self.members[chain, w] = 0
            self.liberties[chain, w] = 0
            while members:
                self.chain[w * self.span + lowest_bit(members)] = home
                members &= members - 1

    def remove(self, chain):
        """Take a chain of the opponent off the board; returns its number of stones."""
        count = 0
        for w in range(self.words):
            members = self.members[chain, w]
            self.members[chain, w] = 0
            self.empty[w] |= members
            self.stones[1 - self.mover, w] &= ~members
            count += members.bit_count()
            while members:
                bit = members & -members
                members ^= bit
                point = w * self.span + lowest_bit(bit)
                self.board[point] = 0
                self.chain[point] = self.nowhere
                for k in range(4):
                    other = self.chain[self.near[point, k]]
                    self.liberties[other, w] |= bit
                    for v in range(self.words):  # the point is new to its liberties, so there are two
                        self.atari[v] &= ~self.members[other, v]
        for w in range(self.words):  # both have been among the neighbours
            self.liberties[chain, w] = 0
            self.liberties[self.nowhere, w] = 0
        return count

    # --- choosing a point in playouts -------------------------------------------------------------------

    def atari_of(self, player, word):
        """Return the player's stones in atari, in a word."""
        return self.stones[player, word] & self.atari[word] if 0 <= word < self.words else 0

    def next_to_atari(self, player, word):
        """Return the legal points of a word that are next to the player's stones in atari.

        There the opponent captures, and the player extends the chain.
        """
        return self.legal[word] & self.next_to(
            self.atari_of(player, word - 1), self.atari_of(player, word), self.atari_of(player, word + 1)
        )

    def useful(self, word):
        """Return the legal points of a word among which playouts choose."""
        return self.legal[word]

    def candidates(self, kind, word):
        """Return the points of a word that capture (0), extend a chain in atari (1), or are useful (2)."""
        if kind == USEFUL:
            return self.useful(word)
        return self.next_to_atari(1 - self.mover if kind == CAPTURES else self.mover, word)

    def draw_point(self, kind, random):
        """Return a random one of these points, or `nowhere` if there is none."""
        count = 0
        for word in range(self.words):
            count += self.candidates(kind, word).bit_count()
        if count > 0:
            number = random.below(count)
            for word in range(self.words):
                points = self.candidates(kind, word)
                if number < points.bit_count():
                    return word * self.span + nth_bit(points, number)
                number -= points.bit_count()
        return self.nowhere

    def symmetry(self, k):
        """Put all stones on an empty board, each where its point is moved; none is captured on the way."""
        board, mover = self.board.copy(), self.mover
        self.board[: self.points] = 0
        self.chain[:] = self.nowhere
        self.stones[:] = 0
        self.atari[:] = 0
        self.members[:] = 0
        self.liberties[:] = 0
        for word in range(self.words):
            self.empty[word] = self.whole[word]
        for point in range(self.points):
            if board[point]:
                self.mover = board[point] - 1
                self.put(int(self.ways[k, point]))
        self.mover = mover
        self.find_legal()

    # --- names and pictures -----------------------------------------------------------------------------

    @classmethod
    def point_name(cls, point):
        """Return a point as in GTP: "A1" is at the bottom left.

        >>> StoneGame.point_name(0), StoneGame.point_name(8), StoneGame.point_name(9)
        ('A1', 'J1', 'A2')
        """
        return f"{LETTERS[point % cls.size]}{point // cls.size + 1}"

    def board_cells(self, out):
        for point in range(self.points):
            if self.board[point]:
                place_piece(out[::-1], point, self.board[point] - 1)

    def action_squares(self, action):
        if action < self.points:
            yield (self.size - 1 - action // self.size) * self.size + action % self.size
