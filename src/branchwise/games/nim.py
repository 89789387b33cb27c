"""Nim: take chips from one heap; the player who takes the last chip wins, or loses in misère.

In the default, one heap of 21 and one to three chips per move, the player to move loses exactly when the
number of chips is a multiple of four. With several heaps and no limit the player to move loses exactly when
the exclusive or of the heaps is zero (Bouton 1901).
"""

from itertools import permutations

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.drawing.grid import column_names
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, won_by
from branchwise.games.boards import place_piece
from branchwise.games.symmetries import move_cells

WIDEST_PICTURE = 40


class Nim(TwoPlayers, Game):
    """Take one to `max_take` chips from one heap (0: any number); `misere` makes the winner the loser.

    The action is heap * most + take - 1, where `most` is the largest number of chips in any move. Taking
    three chips is written "3" with one heap, and "b3" from the second of several.
    """

    heaps = (21,)
    max_take = 3
    misere = False

    net_patterns = ()

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
        heaps = [*range(cls.num_heaps)]
        some = permutations(heaps) if cls.num_heaps <= 4 else [heaps[n:] + heaps[:n] for n in heaps]
        cls.ways = np.array([*some])  # of more than four heaps, all would be too many
        cls.symmetries = len(cls.ways)
        cls.most = min(max(cls.heaps), cls.max_take or max(cls.heaps))
        cls.num_actions = cls.num_heaps * cls.most
        cls.max_game_length = sum(cls.heaps)
        cls.width = max(cls.heaps)
        cls.num_net_inputs = cls.num_heaps * (cls.width + 1)
        numbers = [str(place + 1) for place in range(cls.width)]
        labels = {"column_labels": numbers, "row_labels": column_names(cls.num_heaps)}
        fits = cls.width <= WIDEST_PICTURE
        cls.board_style = BoardStyle("marks", "num_heaps", "width", (" o",), **labels) if fits else None

    def setup(self):
        self.chips = self.heaps

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
        return won_by(self.mover if self.misere else 1 - self.mover)

    def net_inputs(self, player):
        for heap in range(self.num_heaps):
            yield heap * (self.width + 1) + min(self.width, self.chips[heap])

    def symmetry(self, k):
        move_cells(self.chips, self.ways[k])

    def symmetry_action(self, k, action):
        return self.ways[k, action // self.most] * self.most + action % self.most

    def action_to_string(self, action):
        heap, take = divmod(action, self.most)
        return str(take + 1) if self.num_heaps == 1 else f"{column_names(26)[heap]}{take + 1}"

    def board_cells(self, out):
        for heap in range(self.num_heaps):
            for place in range(self.chips[heap]):
                place_piece(out, heap * self.width + place, -1)

    def action_squares(self, action):
        """Yield the leftmost chip that is taken; those to its right are taken, too."""
        heap = action // self.most
        yield heap * self.width + self.chips[heap] - action % self.most - 1

    def to_grid(self):
        fits = self.board_style and max(self.chips) <= self.width
        return super().to_grid() if fits else None
