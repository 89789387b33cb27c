"""A game of a user's own, in a file of its own, with nothing that could be drawn."""

import numpy as np

import branchwise as bw


class CountUp(bw.Game):
    """Two players add 1 or 2; who reaches ten wins. There is no board."""

    num_players = 2
    num_actions = 2
    max_game_length = 10

    total: np.int8 = 0
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield 0
        if self.total < 9:
            yield 1

    def apply_action(self, action):
        self.total += action + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.total >= 10

    def returns(self):
        first = 1 if self.mover == 1 else -1
        return first, -first

    def action_to_string(self, action):
        return f"plus{action + 1}"
