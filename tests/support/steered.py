"""A problem with continuous actions and random transitions whose optima, in both loops, are known."""

import numpy as np

import branchwise as bw

CHEAPEST, TARGET, REACH, WIND = 0.3, 0.9, 0.5, 0.5


class Steered(bw.Game):
    """Set out, be blown off course by up to half, and correct by up to half; the target is at .9.

    To set out for anywhere but .3 costs the square of the difference, and so does to miss the target.
    """

    num_players = 1
    min_return, max_return = -8.0, 0.0

    place: float = 0.0
    steps: np.int8 = 0

    def current_player(self):
        return 0

    def action_low(self):
        return (-0.5 if self.steps == 1 else 0.0,)

    def action_high(self):
        return (0.5 if self.steps == 1 else 1.5,)

    def apply_action(self, action, random):
        self.steps += 1
        if self.steps == 1:
            self.place = action[0] + random.uniform() - 0.5
            return -((action[0] - 0.3) ** 2)
        return -((self.place + action[0] - 0.9) ** 2)

    def is_terminal(self):
        return self.steps == 2


def optimum(*, open_loop):
    """Return the best first action and its value, by the trapezoidal rule on a fine grid.

    In a closed loop the correction is chosen when the wind is known; in an open loop before.
    """
    aims = np.linspace(0.0, 1.5, 1501)[:, None]
    winds = np.linspace(-WIND, WIND, 2001)[None, :]
    left = TARGET - aims - winds
    if open_loop:
        left = left - np.clip(TARGET - aims, -REACH, REACH)
    else:
        left = left - np.clip(left, -REACH, REACH)
    values = -((aims[:, 0] - CHEAPEST) ** 2) - np.trapezoid(left**2, winds[0], axis=1) / (2 * WIND)
    best = int(values.argmax())
    return float(aims[best, 0]), float(values[best])
