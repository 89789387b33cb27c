"""Settings of a bot from nearly random to strong, their strength, and equal steps of it.

A setting is a number of simulations and a share of random moves. From weak to strong, first the share of
random moves falls to none, with few simulations; then the number of simulations grows. A position on this
path is a number from 0 to 2: up to 1 it follows the share, beyond that the logarithm of the simulations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import ResultsError
from branchwise.common.name_and_options import format_spec, parse_spec

FEW = 32
"""Simulations of the settings with random moves."""

SHARES = (0.75, 0.6, 0.45, 0.3, 0.2, 0.1, 0.05)
"""Shares of random moves in the settings that are measured first; the first is that of level 1."""

GROWTH = 3.0
"""Largest factor by which simulations grow from one setting to the next."""


@dataclass(frozen=True, order=True)
class Setting:
    """A setting of a bot. Settings compare by the order of their strength along the path.

    skill : share of moves that are searched for, 0 to 1.   simulations : for each of these moves.   player :
    the bot without these two.

    >>> Setting(0.25, 32).bot, Setting(1.0, 300, "mcts(joint=regret_matching)").bot
    ('mcts(simulations=32,random_moves=0.75)', "mcts(simulations=300,joint='regret_matching')")
    """

    skill: float
    simulations: int
    player: str = field(default="mcts", compare=False)

    @property
    def bot(self) -> str:
        """The bot's text form."""
        name, options = parse_spec(self.player)
        random = round(1 - self.skill, 6)
        options = {"simulations": self.simulations, **options} | ({"random_moves": random} if random else {})
        return format_spec(name, options)


@dataclass(frozen=True)
class SettingPath:
    """The path from the weakest setting to the strongest.

    most : simulations of the strongest, at least 32.   player : as in `Setting`.

    >>> path = SettingPath(3200)
    >>> path.at(0.5).bot, path.at(1.5).bot
    ('mcts(simulations=32,random_moves=0.375)', 'mcts(simulations=320)')
    >>> round(path.position(Setting(1.0, 320)), 9)
    1.5
    """

    most: int
    player: str = "mcts"

    @property
    def end(self) -> float:
        """Position of the strongest setting: 2, or 1 if simulations do not grow."""
        return 2.0 if self.most > FEW else 1.0

    def at(self, position: float) -> Setting:
        """Return the setting at a position, in round numbers."""
        if position <= 1:
            return self.setting(round(1 - SHARES[0] * (1 - position), 3), FEW)
        simulations = FEW * (self.most / FEW) ** (position - 1)
        return self.setting(1.0, int(round(simulations, min(3 - len(str(round(simulations))), 0))))

    def setting(self, skill: float, simulations: int) -> Setting:
        """Return a setting of the path's player."""
        return Setting(skill, simulations, self.player)

    def position(self, setting: Setting) -> float:
        """Return the position of a setting."""
        if setting.skill < 1 or self.most == FEW:
            return 1 - (1 - setting.skill) / SHARES[0]
        return 1 + math.log(setting.simulations / FEW) / math.log(self.most / FEW)


def first_settings(path: SettingPath) -> list[Setting]:
    """Return the settings of a path that are measured first, from weak to strong; the last is its strongest.

    >>> [setting.simulations for setting in first_settings(SettingPath(1000)) if setting.skill == 1.0]
    [32, 76, 179, 423, 1000]
    """
    steps = math.ceil(math.log(path.most / FEW, GROWTH) - 1e-9)
    weak = [path.setting(round(1 - share, 6), FEW) for share in SHARES]
    return [*weak, *(path.at(1 + at / max(steps, 1)) for at in range(steps)), path.setting(1.0, path.most)]


@dataclass(frozen=True)
class Difference:
    """The measured difference in strength of two settings, with its standard error; both in Elo."""

    weak: Setting
    strong: Setting
    elo: float
    error: float


class Strength:
    """Strength in Elo along a path, fitted to measured differences; it never falls.

    On each half of the path it is a weighted sum, with weights of at least 0, of functions that rise from 0
    to 1: x, x^2, 1 - (1 - x)^2 and 1 - (1 - x)^4. The weights minimise the squared residuals in units of the
    standard errors; all subsets of the functions are tried.

    >>> path = SettingPath(3200)
    >>> ends = [path.at(0.0), path.at(1.0), path.at(2.0)]
    >>> found = Strength(path, [Difference(ends[0], ends[1], 300.0, 20.0), Difference(*ends[1:], 90.0, 20.0)])
    >>> [round(found(position)) for position in (0, 1, 2)]
    [0, 300, 390]
    """

    def __init__(self, path: SettingPath, differences: Sequence[Difference]) -> None:
        self._path = path
        errors = np.array([d.error for d in differences])
        rows = np.array(
            [_rises(path.position(d.strong)) - _rises(path.position(d.weak)) for d in differences]
        )
        aims = np.array([d.elo for d in differences]) / errors
        self._weights = _least_squares(rows / errors[:, np.newaxis], aims)

    def __call__(self, position: float) -> float:
        """Return the strength at a position, relative to that at position 0."""
        return float(_rises(position) @ self._weights)

    def position_of(self, elo: float) -> float:
        """Return the first position with this strength; elo : from 0 to the strength at the end."""
        low, high = 0.0, self._path.end
        for _ in range(60):
            middle = (low + high) / 2
            if self(middle) < elo:
                low = middle
            else:
                high = middle
        return high


def equal_steps(strength: Strength, path: SettingPath, count: int) -> tuple[list[Setting], float]:
    """Return `count` settings in equal steps of strength, from end to end of the path, and the step in Elo.

    Raises `ResultsError` if the steps are too small for settings to differ.
    """
    step = strength(path.end) / (count - 1)
    between = [path.at(strength.position_of(number * step)) for number in range(1, count - 1)]
    chosen = [path.at(0.0), *between, path.setting(1.0, path.most)]
    if any(one >= other for one, other in pairwise(chosen)):
        raise ResultsError(
            f"the strongest setting is {step * (count - 1):.0f} Elo above the weakest: too little for {count}"
            " levels",
            mend="play more games, or let the strongest have more simulations",
        )
    return chosen, step


def _rises(position: float) -> NDArray[np.float64]:
    """Return the values of the functions at a position: those of the first half, then of the second."""
    halves = (min(position, 1.0), max(position - 1.0, 0.0))
    return np.array([f for x in halves for f in (x, x * x, 1 - (1 - x) ** 2, 1 - (1 - x) ** 4)])


def _least_squares(rows: NDArray[np.float64], aims: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return non-negative weights that bring `rows` closest to `aims`; among equals, the fewest nonzero."""
    best, least = np.zeros(rows.shape[1]), float(aims @ aims)
    for size in range(1, rows.shape[1] + 1):
        for chosen in map(list, combinations(range(rows.shape[1]), size)):
            weights = np.linalg.lstsq(rows[:, chosen], aims, rcond=None)[0]
            missed = float(((rows[:, chosen] @ weights - aims) ** 2).sum())
            if weights.min() >= 0 and missed < least - 1e-9 * (1 + least):
                best, least = np.zeros(rows.shape[1]), missed
                best[chosen] = weights
    return best
