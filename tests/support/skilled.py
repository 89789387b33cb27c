"""A bot whose strength is one of its options: for tests of what compares settings."""

import random

import branchwise as bw


class Skilled(bw.Bot):
    """Plays nim perfectly in the share `skill` of moves where it can, and takes one chip in all others."""

    def __init__(self, *, skill=1.0, simulations=1, seed=None):
        self._skill = skill
        self._random = random.Random(seed)

    def choose(self, state):
        taken = state.chips[0] % 4 if self._random.random() < self._skill else 1
        return max(int(taken), 1) - 1
