"""A bot whose strength is an option, for tests that compare settings."""

import random

import branchwise as bw


class Skilled(bw.Bot):
    """Plays nim: a share `skill` of its moves is perfect where that is possible, all others take one chip."""

    def __init__(self, *, skill=1.0, simulations=1, seed=None):
        self._skill = skill
        self._random = random.Random(seed)

    def choose(self, state):
        taken = state.chips[0] % 4 if self._random.random() < self._skill else 1
        return max(int(taken), 1) - 1
