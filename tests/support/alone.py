"""Bots for one-player games and for games with payoffs."""

import branchwise as bw


class Greedy(bw.Bot):
    """Takes the highest action."""

    name = "greedy"

    def choose(self, state):
        return max(state.legal_actions())


class Lazy(bw.Bot):
    """Takes the lowest action."""

    name = "lazy"

    def choose(self, state):
        return min(state.legal_actions())


class Stumbler(Greedy):
    """Takes the highest action twice, and then fails."""

    name = "stumbler"

    def __init__(self):
        self.left = 2

    def choose(self, state):
        self.left -= 1
        if self.left < 0:
            raise ValueError("stumbled")
        return super().choose(state)


class Brief(Greedy):
    """Takes the highest action, but fails in the game whose seed it is given."""

    name = "brief"

    def __init__(self, *, fails: int = 0, seed: int = 0):
        self.is_tired = seed == fails

    def choose(self, state):
        if self.is_tired:
            raise ValueError("tired")
        return super().choose(state)


class Quitter(Greedy):
    """Takes the highest action once, and then gives up."""

    name = "quitter"

    def __init__(self):
        self.left = 1

    def choose(self, state):
        self.left -= 1
        if self.left < 0:
            raise bw.ResignedError("enough")
        return super().choose(state)
