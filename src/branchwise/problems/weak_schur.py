"""Weak Schur numbers: put 1, 2, 3, ... into parts, none of which may contain two numbers and their sum.

The weak Schur number of k parts is the last number that can be placed: 2, 8, 23 and 66 for one to four parts.
For five, 196 has been reached, and for six, 646. Source: Eliahou, Marin, Revuelta, Sanz, "Weak Schur numbers
and the search for G. W. Walker's lost partitions", 2012.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_ranges

LIMITS = (4, 12, 32, 90, 260, 800)
"""Maximum number in this game, by the number of parts; beyond the published records."""
_A_ROW = 30


class WeakSchur(OnePlayer, Game):
    """Action p puts the next number into part p. Each number pays 1.

    The two numbers must differ: 1 and 2 may be in one part, but then not 3. Parts are opened in their order,
    because their names do not matter.

    >>> state = WeakSchur.from_actions("a a b b a")
    >>> print(state)
    a    1   2   5
    b    3   4
    c
    d
    next: 6
    >>> state.legal_actions()  # 1 + 5 = 6 bars the first part
    [1, 2]
    """

    parts = 4
    closeness = 100.0
    """Weight in `prior` of the previous number's part, relative to the others."""

    min_return = 0.0

    members: Array[np.bool_, "parts", "size"] = False
    barred: Array[np.bool_, "parts", "size"] = False
    """Whether a number is the sum of two in a part."""
    number: np.int16 = 1
    """The next number."""
    last: np.int8 = -1
    """The part of the previous number."""
    opened: np.int8 = 0
    """Number of parts in use."""

    @classmethod
    def configure(cls):
        check_ranges(cls, parts=(1, len(LIMITS)))
        cls.limit = LIMITS[cls.parts - 1]
        cls.size = cls.limit + 1
        cls.num_actions = cls.parts
        cls.max_return = float(cls.limit)
        cls.max_game_length = cls.limit
        rows = range(0, cls.limit, _A_ROW)
        cls.board_style = BoardStyle(
            "tiles",
            len(rows),
            _A_ROW,
            (".abcdef",),
            column_labels=[str(number) for number in range(1, _A_ROW + 1)],
            row_labels=list(map(str, rows)),
        )

    def legal_actions(self):
        for part in range(min(self.opened + 1, self.parts)):
            if not self.barred[part, self.number]:
                yield part

    def apply_action(self, action):
        number = self.number
        others = min(number, self.size - number)
        self.barred[action, number : number + others] |= self.members[action, :others]
        self.members[action, number] = True
        self.number = number + 1
        self.last = action
        self.opened = max(self.opened, action + 1)
        return 1.0

    def is_terminal(self):
        if self.number > self.limit:
            return True
        for part in range(self.parts):
            if not self.barred[part, self.number]:
                return False
        return True

    def action_code(self, action):
        return self.number * self.parts + action

    def prior(self, action):
        return self.closeness if action == self.last else 1.0

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return "abcdef"[action]

    def __str__(self):
        lines = []
        for part in range(self.parts):
            numbers = [n for n in range(1, self.number) if self.members[part, n]]
            lines.append(f"{'abcdef'[part]} " + "".join(f"{n:>4}" for n in numbers))
        return "\n".join([*(line.rstrip() for line in lines), f"next: {self.number}"])

    def board_cells(self, out):
        """Show the part of each number."""
        for part in range(self.parts):
            for number in range(1, self.number):
                if self.members[part, number]:
                    place_piece(out, number - 1, -1, 1 + part)
