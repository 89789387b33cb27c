"""Phantom tic-tac-toe: players see only their own marks, and those that they have bumped into.

A move to a taken cell fails and shows whose mark is there. The player then tries another cell or, with
`abrupt`, has lost the turn. Three in a row win. Lanctot, "Monte Carlo sampling and regret minimization for
equilibrium computation and decision-making in large extensive form games", 2013.
"""

from branchwise.boards.style import BoardStyle
from branchwise.games.phantom import Phantom
from branchwise.games.tic_tac_toe import HAS_LINE


class PhantomTicTacToe(Phantom):
    """Action a tries cell a; cells are numbered row by row from the top left, which is "a3".

    >>> state = PhantomTicTacToe.from_actions("b2 b2 a1")
    >>> state.current_player(), state.observation(1)[:9]
    (0, (0, 0, 0, 0, 1, 0, 2, 0, 0))
    """

    abrupt = False
    board_style = BoardStyle("marks", 3, 3, players=("X", "O"))

    @classmethod
    def num_cells(cls):
        return 9

    def has_won(self, player, cell):
        marks = 0
        for other in range(9):
            if self.board[other] == player + 1:
                marks |= 1 << other
        return HAS_LINE[marks]
