"""Games for tuning: with a setting that beats its default, with a wrong space, and with common returns."""

from branchwise.games.nim import Nim


class Taught(Nim):
    """Nim with 29 chips whose playouts play perfectly, though they are not the default."""

    heaps = (29,)
    tuning = {"playout": ("game", "decisive"), "c": (0.5, 0.9)}

    def playout_action(self, random):
        chips = self.chips[0]
        take = chips % 4
        if take == 0:
            take = min(chips, 1 + random.below(3))
        return take - 1


class Misled(Nim):
    """Nim that declares a setting which does not exist."""

    tuning = {"playouts": (2,), "explorration": (0.5,)}


class Partners(Nim):
    """Nim whose players win together."""

    utility = "identical"

    def returns(self):
        return (1.0, 1.0) if self.mover == 0 else (-1.0, -1.0)
