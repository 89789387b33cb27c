"""A car on a lattice of poses: its motions from pose to pose, and the ground that they sweep.

The car follows the bicycle model: its position is the middle of the rear axle, which moves in the direction
of the heading, and turned wheels lead it along an arc. A pose is a corner of a square grid with one of 16
headings. Each motion ends exactly on another pose, so that the same few poses recur: the state lattice of
Pivtoraiko, Knepper, Kelly, "Differentially constrained mobile robot motion planning in state lattices", 2009.

A straight motion is one step of its heading. A turn is a step of the old heading and one of the new, and the
corner between them is rounded by the largest arc that fits.
"""

import math

import numpy as np

CELL = 0.5
"""Metres between corners of the grid."""
HEADINGS = 16
STRAIGHT, LEFT, RIGHT = range(3)
TURNS = (0, 1, -1)
"""By steering: change of heading in a motion forward."""

FRONT, REAR, HALF_WIDTH = 3.2, 0.8, 0.9
"""Metres from the middle of the rear axle to the car's ends and sides."""
SPACING = 0.1
"""Metres between the poses at which a motion is checked."""
MARGIN = 0.1
"""Metres added to each side of the car; more than it moves between two such poses."""

_QUARTER = ((2, 0), (2, 1), (1, 1), (1, 2))
STEPS = np.array(
    _QUARTER
    + tuple((-y, x) for x, y in _QUARTER)
    + tuple((-x, -y) for x, y in _QUARTER)
    + tuple((y, -x) for x, y in _QUARTER)
)
"""By heading: the step to the right and up, in cells. The headings are the directions of these steps."""
ANGLES = np.arctan2(STEPS[:, 1], STEPS[:, 0])
"""By heading, in radians."""


def displacement(heading, steering):
    """Return the cells to the right and up by which a motion forward moves the car.

    >>> displacement(0, STRAIGHT).tolist(), displacement(0, LEFT).tolist(), displacement(0, RIGHT).tolist()
    ([2, 0], [4, 1], [4, -1])
    """
    if steering == STRAIGHT:
        return STEPS[heading]
    return STEPS[heading] + STEPS[(heading + TURNS[steering]) % HEADINGS]


def parts(heading, steering):
    """Return the parts of a motion forward: metres straight, an arc's angle and radius, metres straight.

    The angle is positive to the left; without a turn it is 0 and the radius infinite.

    >>> before, angle, radius, after = parts(0, LEFT)
    >>> round(before, 3), round(math.degrees(angle), 3), round(radius, 3), round(after, 3)
    (0.0, 26.565, 4.236, 0.118)
    """
    length = CELL * math.hypot(*STEPS[heading])
    if steering == STRAIGHT:
        return length, 0.0, math.inf, 0.0
    other = (heading + TURNS[steering]) % HEADINGS
    next_length = CELL * math.hypot(*STEPS[other])
    angle = math.remainder(ANGLES[other] - ANGLES[heading], math.tau)
    rounded = min(length, next_length)
    return length - rounded, angle, rounded / math.tan(abs(angle) / 2), next_length - rounded


def motion_length(heading, steering):
    """Return the length of the rear axle's path in a motion, in metres.

    >>> motion_length(0, STRAIGHT)
    1.0
    """
    before, angle, radius, after = parts(heading, steering)
    return before + (abs(angle) * radius if angle else 0.0) + after


def pose_at(heading, steering, way):
    """Return x, y and the angle of the car after `way` metres of a motion from the origin.

    >>> x, y, angle = pose_at(0, LEFT, motion_length(0, LEFT))
    >>> round(float(x), 9), round(float(y), 9), round(math.degrees(angle), 3)
    (2.0, 0.5, 26.565)
    """
    before, turned, radius, _ = parts(heading, steering)
    angle = ANGLES[heading]
    ahead = min(way, before)
    x, y = ahead * math.cos(angle), ahead * math.sin(angle)
    if turned and way > before:
        side = math.copysign(radius, turned)
        share = min((way - before) / radius, abs(turned))
        after = angle + math.copysign(share, turned)
        x += side * (math.sin(after) - math.sin(angle))
        y -= side * (math.cos(after) - math.cos(angle))
        angle = after
        rest = way - before - share * radius
        x, y = x + rest * math.cos(angle), y + rest * math.sin(angle)
    return x, y, angle


def poses(heading, steering):
    """Return x, y and the angle of poses along a motion from the origin, at most `SPACING` apart."""
    length = motion_length(heading, steering)
    count = math.ceil(length / SPACING)
    return [pose_at(heading, steering, length * number / count) for number in range(count + 1)]


def corners(x, y, angle, margin=0.0):
    """Return the four corners of the car at a pose, enlarged by a margin."""
    ahead, aside = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    return [
        (x, y) + along * ahead + across * aside
        for along, across in (
            (FRONT + margin, HALF_WIDTH + margin),
            (-REAR - margin, HALF_WIDTH + margin),
            (-REAR - margin, -HALF_WIDTH - margin),
            (FRONT + margin, -HALF_WIDTH - margin),
        )
    ]


def covers(x, y, angle):
    """Whether a car at the origin is above a point."""
    c, s = math.cos(angle), math.sin(angle)
    return -REAR <= x * c + y * s <= FRONT and abs(y * c - x * s) <= HALF_WIDTH


def blocked(x, y, angle, size, discs, boxes, margin=MARGIN):
    """Return whether the car touches an obstacle or the edge, for each pose.

    x, y : arrays of one shape, in metres, of poses with the same angle.   size : width and height of the
    ground.   discs : rows of x, y, radius.   boxes : rows of left, bottom, right, top.
    """
    c, s = math.cos(angle), math.sin(angle)
    half_length, half_width = (FRONT + REAR) / 2 + margin, HALF_WIDTH + margin
    middle = (FRONT - REAR) / 2
    x, y = x + middle * c, y + middle * s
    wide = half_length * abs(c) + half_width * abs(s)
    high = half_length * abs(s) + half_width * abs(c)
    hit = (x < wide) | (x > size[0] - wide) | (y < high) | (y > size[1] - high)
    for at_x, at_y, radius in discs:
        right, up = at_x - x, at_y - y
        along = np.maximum(np.abs(right * c + up * s) - half_length, 0.0)
        across = np.maximum(np.abs(up * c - right * s) - half_width, 0.0)
        hit |= along * along + across * across < radius * radius
    for left, bottom, right_edge, top in boxes:
        # Two rectangles are apart if a side of one separates them.
        half_x, half_y = (right_edge - left) / 2, (top - bottom) / 2
        right, up = left + half_x - x, bottom + half_y - y
        hit |= (
            (np.abs(right) < half_x + wide)
            & (np.abs(up) < half_y + high)
            & (np.abs(right * c + up * s) < half_length + half_x * abs(c) + half_y * abs(s))
            & (np.abs(up * c - right * s) < half_width + half_x * abs(s) + half_y * abs(c))
        )
    return hit


def free_motions(columns, rows, discs, boxes):
    """Return which motions forward are free: [columns, rows, HEADINGS, 3] booleans, by pose and steering.

    columns, rows : corners of the grid. A motion is free if the car touches no obstacle and stays on the
    ground throughout.
    """
    size = CELL * (columns - 1), CELL * (rows - 1)
    x, y = np.meshgrid(CELL * np.arange(columns), CELL * np.arange(rows), indexing="ij")
    free = np.zeros((columns, rows, HEADINGS, 3), np.bool_)
    for heading in range(HEADINGS):
        here = ~blocked(x, y, ANGLES[heading], size, discs, boxes)
        for steering in range(3):
            which = np.nonzero(here)
            for right, up, angle in poses(heading, steering)[1:]:
                hit = blocked(x[which] + right, y[which] + up, angle, size, discs, boxes)
                which = tuple(index[~hit] for index in which)
            free[(*which, heading, steering)] = True
    return free
