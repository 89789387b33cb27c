"""Settings of a bot from nearly random to strong, how strength grows along them, and equal steps of it.

A setting is a number of simulations and a share of random moves. From weak to strong the share falls to
none first, at few simulations; from there on simulations grow. A place on this way is a number from 0 to 2:
up to 1 it goes with the share, from there on with the logarithm of simulations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from branchwise.errors import ResultsError
from branchwise.notation import format_spec

FEW = 32
"""Simulations of the settings with random moves."""

SHARES = (0.75, 0.6, 0.45, 0.3, 0.2, 0.1, 0.05)
"""Of random moves, in the settings that are measured first; the first is that of level 1."""

GROWTH = 3.0
"""By how much simulations grow from one setting to the next, at most."""


@dataclass(frozen=True, order=True)
class Setting:
    """A bot `mcts`; settings are in order of strength, as far as strength follows from them.

    skill : the share of moves that are searched for, 0 to 1.   simulations : of each of these.

    >>> Setting(0.25, 32).bot, Setting(1.0, 300).bot
    ('mcts(simulations=32,random_moves=0.75)', 'mcts(simulations=300)')
    """

    skill: float
    simulations: int

    @property
    def bot(self) -> str:
        """Its text form."""
        random = round(1 - self.skill, 6)
        return format_spec(
            "mcts", {"simulations": self.simulations} | ({"random_moves": random} if random else {})
        )


@dataclass(frozen=True)
class Way:
    """The way from the weakest setting to the strongest, of `most` simulations, 32 or more.

    >>> way = Way(3200)
    >>> way.at(0.5), way.at(1.5)
    (Setting(skill=0.625, simulations=32), Setting(skill=1.0, simulations=320))
    >>> round(way.place(Setting(1.0, 320)), 9)
    1.5
    """

    most: int

    @property
    def end(self) -> float:
        """The place of the strongest setting: 2, or 1 where simulations do not grow."""
        return 2.0 if self.most > FEW else 1.0

    def at(self, place: float) -> Setting:
        """Return the setting at a place, in round numbers."""
        if place <= 1:
            return Setting(round(1 - SHARES[0] * (1 - place), 3), FEW)
        simulations = FEW * (self.most / FEW) ** (place - 1)
        return Setting(1.0, int(round(simulations, min(3 - len(str(round(simulations))), 0))))

    def place(self, setting: Setting) -> float:
        """Return the place of a setting."""
        if setting.skill < 1 or self.most == FEW:
            return 1 - (1 - setting.skill) / SHARES[0]
        return 1 + math.log(setting.simulations / FEW) / math.log(self.most / FEW)


def first_settings(most: int) -> list[Setting]:
    """Return the settings that are measured first, from weak to strong; the last has `most` simulations.

    >>> [setting.simulations for setting in first_settings(1000) if setting.skill == 1.0]
    [32, 76, 179, 423, 1000]
    """
    way = Way(most)
    steps = math.ceil(math.log(most / FEW, GROWTH) - 1e-9)
    weak = [Setting(round(1 - share, 6), FEW) for share in SHARES]
    return [*weak, *(way.at(1 + at / max(steps, 1)) for at in range(steps)), Setting(1.0, most)]


@dataclass(frozen=True)
class Difference:
    """How much stronger one setting is than another, as measured, with its standard error; both in Elo."""

    weak: Setting
    strong: Setting
    elo: float
    error: float


class Strength:
    """Strength in Elo along a way, as differences between settings tell: it never falls.

    On either half of the way a sum, with weights that are not negative, of functions that rise from 0 to 1:
    x, x^2, 1 - (1 - x)^2 and 1 - (1 - x)^4. The weights are those of least squares, each difference counting
    by its error; all sets of functions are tried.

    >>> way = Way(3200)
    >>> ends = [way.at(0.0), way.at(1.0), way.at(2.0)]
    >>> found = Strength(way, [Difference(ends[0], ends[1], 300.0, 20.0), Difference(*ends[1:], 90.0, 20.0)])
    >>> [round(found(place)) for place in (0, 1, 2)]
    [0, 300, 390]
    """

    def __init__(self, way: Way, differences: Sequence[Difference]) -> None:
        self._way = way
        errors = np.array([d.error for d in differences])
        rows = np.array([_rises(way.place(d.strong)) - _rises(way.place(d.weak)) for d in differences])
        aims = np.array([d.elo for d in differences]) / errors
        self._weights = _least_squares(rows / errors[:, np.newaxis], aims)

    def __call__(self, place: float) -> float:
        """Return the strength at a place, above that at 0."""
        return float(_rises(place) @ self._weights)

    def place_of(self, elo: float) -> float:
        """Return the place with a strength from 0 to that of the end; the first of several."""
        low, high = 0.0, self._way.end
        for _ in range(60):
            middle = (low + high) / 2
            if self(middle) < elo:
                low = middle
            else:
                high = middle
        return high


def equal_steps(strength: Strength, way: Way, count: int) -> tuple[list[Setting], float]:
    """Return `count` settings of equal steps in strength, from end to end of the way, and the step in Elo.

    Raises `ResultsError` where the steps are too small for settings to differ.
    """
    step = strength(way.end) / (count - 1)
    between = [way.at(strength.place_of(number * step)) for number in range(1, count - 1)]
    chosen = [way.at(0.0), *between, Setting(1.0, way.most)]
    if any(one >= other for one, other in pairwise(chosen)):
        raise ResultsError(
            f"the strongest setting is {step * (count - 1):.0f} Elo above the weakest: too little for {count}"
            " levels",
            mend="play more games, or let the strongest have more simulations",
        )
    return chosen, step


def _rises(place: float) -> NDArray[np.float64]:
    """Return the functions that strength is made of, at a place: those of the first half, then the second."""
    halves = (min(place, 1.0), max(place - 1.0, 0.0))
    return np.array([f for x in halves for f in (x, x * x, 1 - (1 - x) ** 2, 1 - (1 - x) ** 4)])


def _least_squares(rows: NDArray[np.float64], aims: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights, none negative, that bring `rows` closest to `aims`; the fewest of equally close."""
    best, least = np.zeros(rows.shape[1]), float(aims @ aims)
    for size in range(1, rows.shape[1] + 1):
        for chosen in map(list, combinations(range(rows.shape[1]), size)):
            weights = np.linalg.lstsq(rows[:, chosen], aims, rcond=None)[0]
            missed = float(((rows[:, chosen] @ weights - aims) ** 2).sum())
            if weights.min() >= 0 and missed < least - 1e-9 * (1 + least):
                best, least = np.zeros(rows.shape[1]), missed
                best[chosen] = weights
    return best
