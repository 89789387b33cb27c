"""A small game in which a player must pass."""

import numpy as np

import branchwise as bw


class Passing(bw.Game):
    """Players mark the cells of a 2x2 board; with the second move the second player must pass."""

    num_players = 2
    num_actions = 5

    board: bw.Array[np.int8, 2, 2] = 0
    played: np.int8 = 0

    def current_player(self):
        return self.played % 2

    def legal_actions(self):
        if self.played == 1:
            yield 4
        else:
            for cell in range(4):
                if self.board[cell // 2, cell % 2] == 0:
                    yield cell

    def apply_action(self, action):
        if action < 4:
            self.board[action // 2, action % 2] = self.played % 2 + 1
        self.played += 1

    def is_terminal(self):
        return self.played == 5

    def returns(self):
        return (1.0, -1.0) if self.board[0, 0] == 1 else (-1.0, 1.0)

    def action_to_string(self, action):
        return "pass" if action == 4 else f"{'ab'[action % 2]}{2 - action // 2}"
