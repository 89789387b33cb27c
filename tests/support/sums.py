"""A game for two whose returns have no constant sum, with and without a declared utility."""

import numpy as np

import branchwise as bw


class Undeclared(bw.Game):
    """The second player moves twice, then the first; both gain most by the first of three endings."""

    num_players = 2
    num_actions = 3
    max_game_length = 3

    moves: np.int8 = 0
    chosen: np.int8 = 0

    def current_player(self):
        return 0 if self.moves == 2 else 1

    def legal_actions(self):
        yield from range(3)

    def apply_action(self, action):
        self.moves += 1
        self.chosen = action if self.moves == 3 else (self.chosen + action) % 3

    def is_terminal(self):
        return self.moves == 3

    def returns(self):
        if self.chosen == 0:
            return (1.0, 1.0)
        return (-1.0, 0.5) if self.chosen == 1 else (0.5, -1.0)

    def evaluate(self):
        return (0.25, 0.0)


class General(Undeclared):
    utility = "general_sum"
