"""Small games with chance."""

import numpy as np

import branchwise as bw
from branchwise.games.tic_tac_toe import FULL, HAS_LINE

NOBODY = -1


class CoinTicTacToe(bw.Game):
    """Tic-tac-toe in which a coin says who makes each mark: outcome 0 is player 0. Ends solved, by proof."""

    num_players = 2
    num_actions = 9
    num_outcomes = 2
    max_game_length = 18
    utility = "zero_sum"

    marks: bw.Array[np.int16, 2] = 0
    mover: np.int8 = NOBODY

    def current_player(self):
        return bw.CHANCE if self.mover == NOBODY else self.mover

    def chance_outcomes(self):
        yield 0, 0.5
        yield 1, 0.5

    def legal_actions(self):
        for cell in range(9):
            if not (self.marks[0] | self.marks[1]) >> cell & 1:
                yield cell

    def apply_action(self, action):
        if self.mover == NOBODY:
            self.mover = action
        else:
            self.marks[self.mover] |= 1 << action
            self.mover = NOBODY

    def is_terminal(self):
        return HAS_LINE[self.marks[0]] or HAS_LINE[self.marks[1]] or self.marks[0] | self.marks[1] == FULL

    def returns(self):
        if HAS_LINE[self.marks[0]]:
            return (1.0, -1.0)
        return (-1.0, 1.0) if HAS_LINE[self.marks[1]] else (0.0, 0.0)


class Ladder(bw.Game):
    """One player climbs two rungs in four moves: surely one at a time, or both at once with a chance of 1/4.

    The return is the share of moves that are left at the top, and 0 if it is not reached.
    """

    num_players = 1
    num_actions = 2
    num_outcomes = 2
    min_return = 0.0
    max_return = 1.0
    max_game_length = 8

    rung: np.int8 = 0
    moves: np.int8 = 0
    leaping: bool = False

    def current_player(self):
        return bw.CHANCE if self.leaping else 0

    def legal_actions(self):
        yield 0
        yield 1

    def chance_outcomes(self):
        yield 0, 0.75
        yield 1, 0.25

    def apply_action(self, action):
        if self.leaping:
            self.leaping = False
            self.rung += 2 * action
        else:
            self.moves += 1
            self.leaping = action == 1
            self.rung += 1 - action

    def is_terminal(self):
        return not self.leaping and (self.rung >= 2 or self.moves == 4)

    def returns(self):
        return (1 - self.moves / 4,) if self.rung >= 2 else (0.0,)


class StubbornPair(bw.Game):
    """Who gives in loses, and nobody has to."""

    num_players = 2
    num_actions = 2

    mover: np.int8 = 0
    over: bool = False

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.over = action == 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.over

    def returns(self):
        return (1.0, -1.0) if self.mover == 0 else (-1.0, 1.0)
