"""Nim: take chips from one heap; the player who takes the last chip wins, or loses in misère.

In the default, one heap of 21 and one to three chips per move, the player to move loses exactly when the
number of chips is a multiple of four. With several heaps and no limit the player to move loses exactly when
the exclusive or of the heaps is zero (Bouton 1901).
"""

import numpy as np

from branchwise.common.errors import GameError
from branchwise.drawing.grid import Cell, Grid, column_names
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game

WIDEST_PICTURE = 40


class Nim(Game):
    """Take one to `max_take` chips from one heap (0: any number); `misere` makes the winner the loser.

    The action is heap * most + take - 1, where `most` is the largest number of chips in any move. Taking
    three chips is written "3" with one heap, and "b3" from the second of several.
    """

    heaps = (21,)
    max_take = 3
    misere = False

    num_players = 2
    utility = "zero_sum"
    num_heaps = 1
    most = 3

    chips: Array[np.int16, "num_heaps"] = 0
    mover: np.int8 = 0

    @classmethod
    def configure(cls):
        if not all(type(chips) is int and chips >= 0 for chips in cls.heaps):
            raise GameError(f"nim cannot start from the heaps {cls.heaps}", mend="heaps are numbers of chips")
        if not (1 <= sum(cls.heaps) <= 10_000 and len(cls.heaps) <= 26):
            raise GameError(
                f"nim cannot start from {sum(cls.heaps)} chips in {len(cls.heaps)} heaps",
                mend="give 1 to 10,000 chips, in at most 26 heaps",
            )
        if cls.max_take < 0:
            raise GameError(f"nim(max_take={cls.max_take}) is negative", mend="0 means no limit")
        cls.num_heaps = len(cls.heaps)
        cls.most = min(max(cls.heaps), cls.max_take or max(cls.heaps))
        cls.num_actions = cls.num_heaps * cls.most
        cls.max_game_length = sum(cls.heaps)

    def setup(self):
        self.chips = self.heaps

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for heap in range(self.num_heaps):
            for take in range(1, min(self.most, self.chips[heap]) + 1):
                yield heap * self.most + take - 1

    def sample_action(self, random):
        moves = 0
        for heap in range(self.num_heaps):
            moves += min(self.most, self.chips[heap])
        number = random.below(moves)
        heap = 0
        while number >= min(self.most, self.chips[heap]):
            number -= min(self.most, self.chips[heap])
            heap += 1
        return heap * self.most + number

    def apply_action(self, action):
        self.chips[action // self.most] -= action % self.most + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        for heap in range(self.num_heaps):
            if self.chips[heap] > 0:
                return False
        return True

    def returns(self):
        winner = self.mover if self.misere else 1 - self.mover
        return (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def action_to_string(self, action):
        heap, take = divmod(action, self.most)
        return str(take + 1) if self.num_heaps == 1 else f"{column_names(26)[heap]}{take + 1}"

    def to_grid(self):
        """Draw a row for each heap; the chip k places from the right end stands for taking k + 1 chips."""
        width = max(*self.heaps, *self.chips.tolist())
        if width > WIDEST_PICTURE:
            return None

        def cell(heap, place):
            take = self.chips[heap] - place
            if take < 1:
                return Cell(" ")
            return Cell("o", action=heap * self.most + take - 1 if take <= self.most else None)

        cells = tuple(tuple(cell(heap, place) for place in range(width)) for heap in range(self.num_heaps))
        numbers = tuple(str(place + 1) for place in range(width))
        return Grid(cells, numbers, column_names(self.num_heaps))
