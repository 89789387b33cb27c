"""Matrix games: both players choose at once, and a table says what each gets.

The first player chooses a row, the second a column. With one table the second player gets the negated number
of the first; a second table gives the second player's own, as in the prisoner's dilemma.
"""

import numpy as np

from branchwise.common.errors import GameError
from branchwise.common.players import SIMULTANEOUS
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game


def _table(name, option, rows):
    """Return the numbers of an option as a float64 array; raises `GameError` unless they are a table."""
    try:
        table = np.array(rows, np.float64)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise GameError(
            f"{name.partition('(')[0]}({option}={rows!r}) is no table of payoffs",
            mend="give rows of equal length: ((1, -1), (-1, 1))",
        )
    return table


class MatrixGame(Game):
    """Two players choose a row and a column at once; `payoffs` has the first player's payoff for each pair.

    payoffs : a tuple of rows.   others : the same for the second player; empty: the negated payoffs.

    >>> import branchwise as bw
    >>> pennies = bw.load_game("matrix_game(payoffs=((1,-1),(-1,1)))")()
    >>> pennies.apply_actions((0, 1))
    >>> pennies.returns()
    (-1.0, 1.0)
    >>> print(pennies)
        0     1
    0  +1  [-1]
    1  -1    +1
    player 0 chose row 0, player 1 column 1
    """

    payoffs = ((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0))
    others = ()

    num_players = 2
    max_game_length = 1
    rows = 3
    columns = 3

    chosen: Array[np.int32, 2] = -1

    @classmethod
    def configure(cls):
        table = _table(cls.name, "payoffs", cls.payoffs)
        second = _table(cls.name, "others", cls.others) if cls.others else -table
        if second.shape != table.shape:
            raise GameError(
                f"{cls.name}: payoffs has {table.shape[0]} by {table.shape[1]} numbers, others has "
                f"{second.shape[0]} by {second.shape[1]}",
                mend="give a payoff to both players for each pair of actions",
            )
        cls.rows, cls.columns = table.shape
        cls.num_actions = max(table.shape)
        cls.first_table, cls.second_table = table, second
        least, most = min(table.min(), second.min()), max(table.max(), second.max())
        is_zero_sum = bool(np.all(table + second == 0))
        cls.utility = "zero_sum" if is_zero_sum else "general_sum"
        if is_zero_sum:
            most = max(-least, most)
            least = -most
        cls.min_return, cls.max_return = float(least), float(most if most > least else least + 1.0)

    def current_player(self):
        return SIMULTANEOUS

    def legal_actions(self, player):
        count = self.rows if player == 0 else self.columns
        for action in range(self.num_actions):
            if action < count:
                yield action

    def apply_actions(self, actions):
        self.chosen[0] = actions[0]
        self.chosen[1] = actions[1]

    def is_terminal(self):
        return self.chosen[0] >= 0

    def returns(self):
        row, column = self.chosen[0], self.chosen[1]
        return (float(self.first_table[row, column]), float(self.second_table[row, column]))

    def __str__(self):
        rows = [["", *map(str, range(self.columns))]]
        for row in range(self.rows):
            rows.append([str(row), *(self.cell_text(row, column) for column in range(self.columns))])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)) for row in rows]
        if self.is_terminal():
            told = f"player 0 chose row {self.chosen[0]}, player 1 column {self.chosen[1]}"
        else:
            told = "player 0 chooses a row, player 1 a column"
        return "\n".join([*lines, told])

    def cell_text(self, row, column):
        """Return the payoff of a pair of actions as text, in brackets where it was chosen.

        Of the first player, and after a comma of the second if that is not its negative.
        """
        first, second = self.first_table[row, column], self.second_table[row, column]
        text = f"{first:+g}" if self.utility == "zero_sum" else f"{first:+g},{second:+g}"
        return f"[{text}]" if self.is_terminal() and self.chosen.tolist() == [row, column] else text
