"""Acrobot: swing two links that hang from a bar, with a motor between them, until the tip is high above it.

Sutton, "Generalization in reinforcement learning: successful examples using sparse coarse coding", 1996,
with the equations of Sutton and Barto's book, integrated by one step of Runge and Kutta, as in Gymnasium's
Acrobot.
"""

import math

from branchwise.drawing.grid import PLAYER_COLOURS, Cell, Grid
from branchwise.drawing.shapes import GREY, MARGIN, choices, disc, line
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer

GRAVITY = 9.8
MASS = 1.0
"""Mass of each link; each is 1 long."""
CENTRE = 0.5
"""From a link's upper end to its centre of mass."""
INERTIA = 1.0
TIME_STEP = 0.2
TOP_SPIN_1 = 4 * math.pi
TOP_SPIN_2 = 9 * math.pi
GOAL = 1.0
"""Height above the bar that the tip has to pass."""

STEPS_FROM_REST = 36.7
STEPS_PER_ENERGY = 1.786
"""Steps left as a function of the energy: a straight line fitted to 60 episodes of the playout policy."""

NAMES = ("back", "none", "forth")
HALF_GRID = 8
SCALE = 80.0
"""Pixels for the length of a link."""


def slopes(torque, angle_1, angle_2, spin_1, spin_2):
    """Return the time derivatives of both angles and both spins.

    Squares are written as products: the last digit of a power may differ between plain Python and compiled
    code.
    """
    cosine, sine = math.cos(angle_2), math.sin(angle_2)
    inertia = MASS * CENTRE**2 + MASS * (1.0 + CENTRE**2 + 2.0 * CENTRE * cosine) + 2.0 * INERTIA
    coupling = MASS * (CENTRE**2 + CENTRE * cosine) + INERTIA
    weight_2 = MASS * CENTRE * GRAVITY * math.cos(angle_1 + angle_2 - math.pi / 2)
    weight = (
        -MASS * CENTRE * spin_2 * spin_2 * sine
        - 2.0 * MASS * CENTRE * spin_2 * spin_1 * sine
        + MASS * (CENTRE + 1.0) * GRAVITY * math.cos(angle_1 - math.pi / 2)
        + weight_2
    )
    change_2 = (torque + coupling / inertia * weight - MASS * CENTRE * spin_1 * spin_1 * sine - weight_2) / (
        MASS * CENTRE**2 + INERTIA - coupling * coupling / inertia
    )
    return spin_1, spin_2, -(coupling * change_2 + weight) / inertia, change_2


def moved(state, change, time):
    """Return the four numbers of `state` after changing at the rates `change` for `time`."""
    return (
        state[0] + time * change[0],
        state[1] + time * change[1],
        state[2] + time * change[2],
        state[3] + time * change[3],
    )


def wrapped(angle):
    """Return the equivalent angle in [-pi, pi]."""
    while angle > math.pi:
        angle -= 2 * math.pi
    while angle < -math.pi:
        angle += 2 * math.pi
    return angle


class Acrobot(OnePlayer, Game):
    """Actions 0, 1 and 2 apply a torque of -1, 0 and +1 for .2 seconds. Each step but the last costs 1.

    An episode ends when the tip is higher above the bar than a link is long, or after 500 steps. In playouts
    "game" the motor mostly turns against the swing of the upper link. `evaluate` estimates the remaining
    steps from the energy: searches with `cutoff=10,playout=uniform,c=0.1` are much stronger.

    >>> state = Acrobot(angle_1=0.0, angle_2=0.0, spin_1=0.0, spin_2=0.0)
    >>> state.apply_action(2)
    -1.0
    >>> print(state.told())
    links -0.8° and +2.0°, -7.4 and +19.2°/s
    """

    num_actions = 3
    horizon = 200
    max_game_length = 500
    max_return = 0.0
    min_return = -500.0
    playout = "game"

    angle_1: float = 0.0
    """Angle of the upper link from hanging down; the next is the lower link's from the upper one. Radians."""
    angle_2: float = 0.0
    spin_1: float = 0.0
    """Radians per second."""
    spin_2: float = 0.0

    def setup(self, random):
        self.angle_1 = 0.2 * random.uniform() - 0.1
        self.angle_2 = 0.2 * random.uniform() - 0.1
        self.spin_1 = 0.2 * random.uniform() - 0.1
        self.spin_2 = 0.2 * random.uniform() - 0.1

    def apply_action(self, action):
        torque = action - 1.0
        start = (self.angle_1, self.angle_2, self.spin_1, self.spin_2)
        one = slopes(torque, *start)
        two = slopes(torque, *moved(start, one, TIME_STEP / 2))
        three = slopes(torque, *moved(start, two, TIME_STEP / 2))
        four = slopes(torque, *moved(start, three, TIME_STEP))
        sixth = TIME_STEP / 6.0
        self.angle_1 = wrapped(start[0] + sixth * (one[0] + 2 * two[0] + 2 * three[0] + four[0]))
        self.angle_2 = wrapped(start[1] + sixth * (one[1] + 2 * two[1] + 2 * three[1] + four[1]))
        spin_1 = start[2] + sixth * (one[2] + 2 * two[2] + 2 * three[2] + four[2])
        spin_2 = start[3] + sixth * (one[3] + 2 * two[3] + 2 * three[3] + four[3])
        self.spin_1 = min(max(spin_1, -TOP_SPIN_1), TOP_SPIN_1)
        self.spin_2 = min(max(spin_2, -TOP_SPIN_2), TOP_SPIN_2)
        return 0.0 if self.is_terminal() else -1.0

    def is_terminal(self):
        return -math.cos(self.angle_1) - math.cos(self.angle_2 + self.angle_1) > GOAL

    def playout_action(self, random):
        if random.below(8) == 0:
            return random.below(3)
        return 0 if self.spin_1 >= 0.0 else 2

    def evaluate(self):
        if self.is_terminal():
            return (0.0,)
        return (-max(STEPS_FROM_REST - STEPS_PER_ENERGY * self.energy(), 1.0),)

    def energy(self):
        """Return the energy of both links; potential energy is 0 at the height of the bar."""
        cosine = math.cos(self.angle_2)
        upper = (CENTRE**2 + 1.0 + CENTRE**2 + 2.0 * CENTRE * cosine) * MASS + 2.0 * INERTIA
        both = (CENTRE**2 + CENTRE * cosine) * MASS + INERTIA
        lower = MASS * CENTRE**2 + INERTIA
        drop = (CENTRE + 1.0) * math.cos(self.angle_1) + CENTRE * math.cos(self.angle_1 + self.angle_2)
        return (
            0.5 * upper * self.spin_1 * self.spin_1
            + both * self.spin_1 * self.spin_2
            + 0.5 * lower * self.spin_2 * self.spin_2
            - MASS * GRAVITY * drop
        )

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return NAMES[action]

    def told(self):
        """Return the state in words."""
        numbers = map(math.degrees, (self.angle_1, self.angle_2, self.spin_1, self.spin_2))
        return "links {:+.1f}° and {:+.1f}°, {:+.1f} and {:+.1f}°/s".format(*numbers)

    def joints(self):
        """Return the positions of the joint and the tip, to the right of the bar and above it."""
        x, y = math.sin(self.angle_1), -math.cos(self.angle_1)
        both = self.angle_1 + self.angle_2
        return (x, y), (x + math.sin(both), y - math.cos(both))

    def to_grid(self):
        size = 2 * HALF_GRID + 1
        cells = [[Cell(" ") for _ in range(size)] for _ in range(size)]
        cells[HALF_GRID // 2] = [Cell("-") for _ in range(size)]

        def mark(x, y, cell):
            cells[HALF_GRID - round(y * HALF_GRID / 2)][HALF_GRID + round(x * HALF_GRID / 2)] = cell

        joint, tip = self.joints()
        for share in (step / 8 for step in range(1, 8)):
            mark(share * joint[0], share * joint[1], Cell("*"))
            mark(joint[0] + share * (tip[0] - joint[0]), joint[1] + share * (tip[1] - joint[1]), Cell("*"))
        mark(0.0, 0.0, Cell("+"))
        mark(*joint, Cell("o"))
        mark(*tip, Cell("@", owner=0))
        return Grid(tuple(map(tuple, cells)), ("",) * size, ("",) * size, beneath=(self.told(),))

    def to_svg(self):
        """Draw the links, the height that the tip has to pass, and a button for each action."""
        width = 4.4 * SCALE
        middle = 2.2 * SCALE

        def point(x, y):
            return MARGIN + middle + x * SCALE, MARGIN + middle - y * SCALE

        joint, tip = self.joints()
        goal = point(0.0, GOAL)[1]
        parts = [
            f'<path d="M{MARGIN:g},{goal:g}h{width:g}" stroke="#2b8a3e" stroke-width="2" '
            'stroke-dasharray="6 6"/>',
            line([point(0.0, 0.0), point(*joint)], GREY, 12.0),
            line([point(*joint), point(*tip)], PLAYER_COLOURS[0], 12.0),
            *(disc(*point(*place), 4, "#fff") for place in ((0.0, 0.0), joint)),
        ]
        return choices(self, parts, MARGIN + width, MARGIN + width, self.told())
