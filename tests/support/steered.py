"""A problem with continuous actions and random transitions whose optima, in both loops, are known."""

import numpy as np

import branchwise as bw

CHEAPEST, TARGET, REACH, WIND = 0.3, 0.9, 1.0, 1.0


class Steered(bw.Game):
    """Set out, be blown off course by up to 1, and correct by up to 1; the target is at .9.

    To set out for anywhere but .3 costs the square of the difference, and so does to miss the target.
    """

    num_players = 1
    min_return, max_return = -16.0, 0.0

    place: float = 0.0
    steps: np.int8 = 0

    def current_player(self):
        return 0

    def action_low(self):
        return (-1.0 if self.steps == 1 else 0.0,)

    def action_high(self):
        return (1.0 if self.steps == 1 else 1.5,)

    def apply_action(self, action, random):
        self.steps += 1
        if self.steps == 1:
            self.place = action[0] + 2.0 * random.uniform() - 1.0
            return -((action[0] - 0.3) ** 2)
        return -((self.place + action[0] - 0.9) ** 2)

    def is_terminal(self):
        return self.steps == 2


def values(aims, *, open_loop):
    """Return the value of each first action by the trapezoidal rule on a fine grid.

    In a closed loop the correction is chosen when the wind is known; in an open loop before.
    """
    winds = np.linspace(-WIND, WIND, 2001)[None, :]
    left = TARGET - np.asarray(aims)[:, None] - winds
    known = left if not open_loop else left.mean(axis=1, keepdims=True)
    missed = left - np.clip(known, -REACH, REACH)
    return -((np.asarray(aims) - CHEAPEST) ** 2) - np.trapezoid(missed**2, winds[0], axis=1) / (2 * WIND)


def optimum(*, open_loop):
    """Return the best first action and its value."""
    aims = np.linspace(0.0, 1.5, 1501)
    worth = values(aims, open_loop=open_loop)
    return float(aims[worth.argmax()]), float(worth.max())
