"""Phantom tic-tac-toe: players see only their own marks, and those that they have bumped into.

A move to a taken cell fails and shows whose mark is there. The player then tries another cell or, with
`abrupt`, has lost the turn. Three in a row win. Lanctot, "Monte Carlo sampling and regret minimization for
equilibrium computation and decision-making in large extensive form games", 2013.
"""

import numpy as np

from branchwise.fields import Private, Secret
from branchwise.game import Game
from branchwise.games.tic_tac_toe import HAS_LINE
from branchwise.render.grid import Cell, board_grid


class PhantomTicTacToe(Game):
    """Action a tries cell a; cells are numbered row by row from the top left, which is "a3".

    >>> state = PhantomTicTacToe.from_actions("b2 b2 a1")
    >>> state.current_player(), state.observation(1)[:9]
    (0, (0, 0, 0, 0, 1, 0, 2, 0, 0))
    """

    abrupt = False

    num_players = 2
    utility = "zero_sum"
    num_actions = 9
    max_game_length = 18

    board: Secret[np.int8, 9] = 0
    """0 for an empty cell, p + 1 for a mark of player p."""
    seen: Private[np.int8, "num_players", 9] = 0
    """The same, as far as each player knows."""
    mover: np.int8 = 0
    won: bool = False
    """Whether the other player, who moved last, has a line."""

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for cell in range(9):
            if self.seen[self.mover, cell] == 0:
                yield cell

    def apply_action(self, action):
        mover = self.mover
        fails = self.board[action] != 0
        if not fails:
            self.board[action] = mover + 1
            marks = 0
            for cell in range(9):
                if self.board[cell] == mover + 1:
                    marks |= 1 << cell
            self.won = HAS_LINE[marks]
        self.seen[mover, action] = self.board[action]
        if self.abrupt or not fails:
            self.mover = 1 - mover

    def is_full(self):
        for cell in range(9):
            if self.board[cell] == 0:
                return False
        return True

    def is_terminal(self):
        return self.won or self.is_full()

    def returns(self):
        if not self.won:
            return (0.0, 0.0)
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def action_to_string(self, action):
        return f"{'abc'[action % 3]}{3 - action // 3}"

    def to_grid(self):
        over = self.is_terminal()

        def cell(row, column):
            action = 3 * row + column
            mark = max(self.board[action], self.seen[0, action], self.seen[1, action])
            playable = not over and self.seen[self.mover, action] == 0
            return Cell(self.symbols[mark], mark - 1 if mark else None, action if playable else None)

        return board_grid(3, 3, cell)
