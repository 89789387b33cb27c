"""What problems have in common in which somebody walks from cell to cell of a ground."""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.players import CHANCE
from branchwise.games.bases import OnePlayer
from branchwise.games.boards import place_piece

NOWHERE = -1


def ground_style(signs, **more):
    """Return the style of a ground of cells on which the player is "@"; signs : of the kinds of cells.

    more : what else `BoardStyle` takes.
    """
    return BoardStyle("tiles", symbols=(signs, ".@"), **more)


def kinds_of(lines, signs):
    """Return the kinds of the cells that the signs in some lines stand for, int8 [rows, columns].

    >>> kinds_of(["..", ".x"], ".x").tolist()
    [[0, 0], [0, 1]]
    """
    return np.array([[signs.index(sign) for sign in line] for line in lines], np.int8)


def neighbours(rows, columns, steps):
    """Return the cell reached from each cell by each step (down, right), [cells, steps].

    A step off the board leads nowhere else.
    """
    return np.array(
        [
            [
                min(max(row + down, 0), rows - 1) * columns + min(max(column + right, 0), columns - 1)
                for down, right in steps
            ]
            for row in range(rows)
            for column in range(columns)
        ]
    )


class SlipperyWalk(OnePlayer):
    """A walk in four directions; on slippery ground chance picks the one that is taken.

    Outcome 1 is the direction that was chosen; 0 and 2 are those at right angles to it.

    A game has the fields `place`, row * columns + column, and `heading`, the chosen direction while chance is
    to move; the constants `is_slippery`, `ground`, the kinds of cells, and `next_place`, as from
    `neighbours`; and `step_to(place)`, which goes to a neighbour and returns the reward.
    """

    num_actions = 4
    num_outcomes = 3

    def current_player(self):
        return 0 if self.heading == NOWHERE else CHANCE

    def apply_action(self, action):
        if self.is_slippery and self.heading == NOWHERE:
            self.heading = action
            return 0.0
        direction = self.direction(action)
        self.heading = NOWHERE
        return self.step_to(self.next_place[self.place, direction])

    def direction(self, action):
        """Return the direction in which an action or an outcome of chance leads."""
        return action if self.heading == NOWHERE else (self.heading + action - 1) % 4

    def board_cells(self, out):
        out[:, :, 1] = self.ground
        place_piece(out, self.place, 0)

    def action_squares(self, action):
        if self.next_place[self.place, action] != self.place:
            yield self.next_place[self.place, action]
