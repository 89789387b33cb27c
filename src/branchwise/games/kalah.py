"""Kalah: sow seeds around the board, and bring more of them into your store.

The rules are those of Irving, Donkers, Uiterwijk, "Solving Kalah", 2000, and of OpenSpiel's mancala. Kalah
was invented by William Julius Champion in 1940.
"""

import numpy as np

from branchwise.boards.layer import NO_CELL
from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.drawing.grid import column_names
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, by_lead
from branchwise.games.boards import place_piece

MOST_SEEDS = 1000


class Kalah(TwoPlayers, Game):
    """Action p sows the seeds of the pit p of the player to move, counted from the left of that player.

    Seeds go one by one into the next pits, the player's store, and the opponent's pits, but not into the
    opponent's store. A last seed in the player's store gives another turn. A last seed in an empty pit of the
    player captures the seeds of the opposite pit, if there are any, and goes into the store with them. When
    all pits of one player are empty, the game is over; seeds in pits then count for the pits' owner.

    pits, seeds : pits of each player, 1 to 26, and seeds in each.   margin : the returns are the seeds by
    which each player leads; otherwise a win is 1, and a draw 0.

    Moves are the letter of the pit: player 0 has "A" to "F" from left to right, and player 1 "a" to "f" from
    right to left; either case can be typed.

    >>> print(Kalah.from_actions("C A"))
    1  0 4 4 4 4 4 4
    0    0 5 1 6 6 5 1
         A B C D E F
    pits of player 1: f e d c b a
    player 1 to move
    """

    pits = 6
    seeds = 4
    margin = False
    net_patterns = ()

    board: Array[np.int16, "places"] = 0
    """The pits of player 0, that player's store, and the same of player 1, in the order of sowing."""
    mover: np.int8 = 0
    over: bool = False

    @classmethod
    def configure(cls):
        if not (1 <= cls.pits <= 26 and cls.seeds >= 1) or 2 * cls.pits * cls.seeds > MOST_SEEDS:
            raise GameError(
                f"kalah cannot have {cls.pits} pits with {cls.seeds} seeds",
                mend=f"give 1 to 26 pits, 1 or more seeds, and at most {MOST_SEEDS} seeds in all",
            )
        cls.side = cls.pits + 1
        cls.places = 2 * cls.side
        cls.num_actions = cls.pits
        total = 2 * cls.pits * cls.seeds
        cls.max_game_length = min(total * (total * cls.pits + 1), 100_000)
        cls.total = total
        cls.num_net_inputs = cls.places * (total + 1)
        cls.max_return = float(total) if cls.margin else 1.0
        cls.min_return = -cls.max_return
        names = ("", *(name.upper() for name in column_names(cls.pits)), "")
        cls.board_style = BoardStyle(
            "marks", 2, cls.pits + 2, ["0"] * 3, column_labels=names, row_labels="10"
        )

    def setup(self):
        self.board[:] = self.seeds
        self.board[self.pits] = 0
        self.board[self.places - 1] = 0

    def legal_actions(self):
        first = self.mover * self.side
        for pit in range(self.pits):
            if self.board[first + pit] > 0:
                yield pit

    def apply_action(self, action):
        first = self.mover * self.side
        store = first + self.pits
        other_store = self.places - 1 if self.mover == 0 else self.pits
        place = first + action
        seeds = self.board[place]
        self.board[place] = 0
        while seeds > 0:
            place += 1
            if place == other_store:
                place += 1
            if place >= self.places:
                place = 0
            self.board[place] += 1
            seeds -= 1
        if first <= place < store and self.board[place] == 1:
            opposite = 2 * self.pits - place
            if self.board[opposite] > 0:
                self.board[store] += 1 + self.board[opposite]
                self.board[place] = 0
                self.board[opposite] = 0
        if place != store:
            self.mover = 1 - self.mover
        self.over = self.seeds_in_pits(0) == 0 or self.seeds_in_pits(1) == 0

    def seeds_in_pits(self, player):
        total = 0
        for pit in range(self.pits):
            total += self.board[player * self.side + pit]
        return total

    def score(self, player):
        """Return the seeds of a player, in the store and in the pits."""
        return self.board[player * self.side + self.pits] + self.seeds_in_pits(player)

    def is_terminal(self):
        return self.over

    def returns(self):
        return by_lead(self.score(0) - self.score(1), self.margin)

    def net_inputs(self, player):
        """Yield how many seeds each place has, seen from the player's side."""
        for place in range(self.places):
            yield place * (self.total + 1) + self.board[(place + player * self.side) % self.places]

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        name = column_names(self.pits)[action]
        return name.upper() if self.mover == 0 else name

    def board_cells(self, out):
        out[:, :, 1] = NO_CELL
        for place in range(self.places):
            place_piece(out, self.square(place), place // self.side, self.board[place])

    def square(self, place):
        """Return the square of a pit or a store; player 1's are in the upper row, from right to left."""
        return 2 * self.pits + 1 - place if place >= self.side else self.pits + 3 + place

    def action_squares(self, action):
        yield self.square(self.mover * self.side + action)

    def board_caption(self):
        pits = f"pits of player 1: {' '.join(reversed(column_names(self.pits)))}"
        return pits if self.over else f"{pits}\nplayer {self.mover} to move"
