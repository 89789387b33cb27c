"""Pig: a game of dice, with few fields and few actions."""

import numpy as np

import branchwise as bw


class Pig(bw.Game):
    """Roll as often as you like; a 1 loses what the turn has brought, holding keeps it."""

    num_players = 2
    num_actions = 2
    num_outcomes = 6
    max_game_length = 2000
    utility = "zero_sum"
    target = 20

    scores: bw.Array[np.int16, 2] = 0
    turn: np.int16 = 0
    mover: np.int8 = 0
    rolling: np.bool_ = False

    def current_player(self):
        return bw.CHANCE if self.rolling else self.mover

    def legal_actions(self):
        yield 0
        yield 1

    def chance_outcomes(self):
        for face in range(6):
            yield face, 1 / 6

    def apply_action(self, action):
        if not self.rolling:
            if action == 0:
                self.rolling = True
            else:
                self._end_turn(self.turn)
            return
        self.rolling = False
        if action == 0:
            self._end_turn(0)
        else:
            self.turn += action + 1

    def _end_turn(self, points):
        self.scores[self.mover] += points
        self.turn = 0
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.scores[0] >= self.target or self.scores[1] >= self.target

    def returns(self):
        return (1.0, -1.0) if self.scores[0] >= self.target else (-1.0, 1.0)

    def to_grid(self):
        return None

    def action_to_string(self, action):
        if self.rolling:
            return str(action + 1)
        return "hold" if action == 1 else "roll"
