"""Rules that store numbers too large for their fields, in lines that few games of the rule checker play."""

import numpy as np

import branchwise as bw


class Climb(bw.Game):
    """One of eight actions climbs a step, another at each move. The height has no room for more than 127."""

    num_players = 1
    num_actions = 8
    min_return, max_return = -200.0, 200.0
    max_game_length = 20

    height: np.int8 = 0
    moves: np.int16 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield from range(8)

    def apply_action(self, action):
        if action == (3 * self.moves + 1) % 8:
            self.climb()
        self.moves += 1

    def climb(self):
        self.height += 1

    def is_terminal(self):
        return self.moves == 8

    def returns(self):
        return (float(self.height),)


class Burn(Climb):
    """The same, but a step burns fuel, which has no room for less than none."""

    fuel: np.uint8 = 5

    def climb(self):
        self.height += 1
        self.fuel -= 1


class Pour(Climb):
    """The same, but fuel is poured into cups, in rows."""

    cups: bw.Array[np.uint8, 2, 2] = 0

    def climb(self):
        self.cups[1][1] += 46


class PourAtOnce(Pour):
    def climb(self):
        self.cups[1, 1] += 46
