"""The strengths that best explain orders of finish with ties: Luce's model and its special cases.

An order of finish is built from the top. Of the players still to be placed, a set comes next: one player, or
several that tie. The probability of a set is proportional to its worth. A player's worth is exp(theta). The
worth of a tie of k players is the geometric mean of theirs times exp(eta_k) [Firth19]. For games of two this
is Davidson's model of wins and draws [Davidson70], whose strengths depend on points alone, with half a point
for a draw. Without draws it is the model of Bradley and Terry; for more players without ties, that of
Plackett and Luce.

The log-likelihood is concave, so Newton's method finds its only maximum.

[Davidson70] Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments", JASA 65, 1970. [Firth19] Firth, Kosmidis, Turner, "Davidson-Luce model for multi-item choice
with ties", 2019, https://arxiv.org/abs/1909.07123.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

STEPS = 200
PRECISE = 1e-10
DECISIVE = 2.0
"""Virtual decisive results between equals for each size of tie. Without them eta would be infinite if all
games were drawn."""

Places = tuple[int, ...]


@dataclass
class Choices:
    """The data of the model: which players came next, and out of which. Players are numbered from 0."""

    first: defaultdict[Places, Counter[Places]] = field(default_factory=lambda: defaultdict(Counter))
    """By the players of a game: which of them came first, one or several."""
    later: defaultdict[Places, Counter[Places]] = field(default_factory=lambda: defaultdict(Counter))
    """By the players still to be placed after the first: which of them came next; never all of them."""

    def add(self, order: Sequence[Sequence[int]], count: int = 1) -> None:
        """Add games that ended in this order. The best come first; players who tie form one group.

        Players who tie for last place behind others are not compared with each other: often nobody asked
        which of them was better. They do not count as equal either, so this last group is left out.
        """
        left = sorted(player for tied in order for player in tied)
        for at, tied in enumerate(order):
            if len(left) == 1 or (at > 0 and len(tied) == len(left)):
                return
            (self.later if at else self.first)[tuple(left)][tuple(sorted(tied))] += count
            left = [player for player in left if player not in tied]

    @property
    def tie_sizes(self) -> list[int]:
        """The sizes of ties, from 2, in ascending order."""
        chosen = [
            next_ for stage in (self.first, self.later) for counts in stage.values() for next_ in counts
        ]
        return sorted({len(tied) for tied in chosen} - {1})


@dataclass(frozen=True)
class _Stage:
    """A choice among some players, made `total` times. Each row is one possible outcome."""

    parameters: NDArray[np.intp]  # [p] indices of the parameters that matter here
    design: FloatArray  # [rows, p] weight of each parameter in the log-worth of a row
    chosen: FloatArray  # [rows] how often each row was chosen
    total: float

    @cached_property
    def observed(self) -> FloatArray:
        return self.chosen @ self.design


@dataclass(frozen=True)
class Fit:
    """The fitted strengths.

    theta : [n] natural logarithms of worth; they sum to 0 in each group.   etas : by size of tie.
    covariance : of theta, then etas: the inverse of the information at the maximum, among thetas with
    these sums.
    """

    theta: FloatArray
    etas: dict[int, float]
    covariance: FloatArray


def fit(
    players: int, choices: Choices, likeness: Mapping[tuple[int, int], float], groups: Sequence[Sequence[int]]
) -> Fit:
    """Return the strengths with the greatest likelihood for `choices`.

    likeness : number of virtual draws between two players. Each counts as half a win and half a loss in
    Bradley and Terry's model, so it does not affect how often games are drawn.   groups : players who can be
    compared with each other, directly or through others. A maximum must exist (not checked): within a group,
    everybody must have finished ahead of everybody else, or tied with them, directly or through others.
    """
    sizes = choices.tie_sizes
    stages = [
        _stage(left, counts, sizes, players, whole=whole)
        for data, whole in ((choices.first, True), (choices.later, False))
        for left, counts in data.items()
    ]
    pairs = np.array(list(likeness), dtype=np.intp).reshape(-1, 2)
    weights = np.array(list(likeness.values()), dtype=np.float64)
    held = np.zeros((players + len(sizes),) * 2)
    for group in groups:
        held[np.ix_(group, group)] = 1.0
    objective = _Objective(stages, pairs, weights, np.array(sizes, dtype=np.float64), held)

    at = np.zeros(players + len(sizes))
    height, slope, information = objective(at)
    for _ in range(STEPS):
        step = np.linalg.solve(information, slope)
        while True:
            new_height, slope, new_information = objective(at + step)
            if new_height >= height - 1e-9 * (1 + abs(height)) or np.abs(step).max() < PRECISE:
                break
            step /= 2
        at, height, information = at + step, new_height, new_information
        if np.abs(step).max() < PRECISE:
            break
    else:
        raise ArithmeticError("the strengths did not settle")
    etas = {size: float(at[players + i]) for i, size in enumerate(sizes)}
    covariance = np.linalg.inv(information).astype(np.float64)
    for group in groups:  # holding the sum at 0 adds no uncertainty
        covariance[np.ix_(group, group)] -= 1 / len(group) ** 2
    return Fit(at[:players], etas, covariance)


@dataclass(frozen=True)
class _Objective:
    """The log-likelihood, its gradient, and its information (minus the second derivative)."""

    stages: Sequence[_Stage]
    pairs: NDArray[np.intp]  # [m, 2] players with virtual draws
    weights: FloatArray  # [m] how many each pair has
    sizes: FloatArray  # [k] sizes of ties
    held: FloatArray  # [all, all] 1 for parameters whose sum is held at 0

    def __call__(self, at: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        height = -0.5 * float(at @ self.held @ at)
        slope = -self.held @ at
        information = self.held.copy()
        for stage in self.stages:
            worth = stage.design @ at[stage.parameters]
            shift = worth.max()
            share = np.exp(worth - shift)
            share /= share.sum()
            log_total = shift - np.log(share[worth.argmax()])
            mean = share @ stage.design
            spread = (stage.design * share[:, np.newaxis]).T @ stage.design - np.outer(mean, mean)
            height += float(stage.chosen @ worth - stage.total * log_total)
            slope[stage.parameters] += stage.observed - stage.total * mean
            information[np.ix_(stage.parameters, stage.parameters)] += stage.total * spread
        self._likeness(at, slope, information)
        height -= float(self.weights @ _log_cosh(self._gaps(at) / 2))
        players = len(at) - len(self.sizes)
        drawn = 1 / (1 + self.sizes * np.exp(-at[players:]))
        height += DECISIVE * float(np.log1p(-drawn).sum())
        slope[players:] -= DECISIVE * drawn
        information[range(players, len(at)), range(players, len(at))] += DECISIVE * drawn * (1 - drawn)
        return height, slope, information

    def _gaps(self, at: FloatArray) -> FloatArray:
        return at[self.pairs[:, 0]] - at[self.pairs[:, 1]]

    def _likeness(self, at: FloatArray, slope: FloatArray, information: FloatArray) -> None:
        pull = np.tanh(self._gaps(at) / 2)
        first, second = self.pairs.T
        np.add.at(slope, first, -self.weights * pull / 2)
        np.add.at(slope, second, self.weights * pull / 2)
        stiff = self.weights * (1 - pull**2) / 4
        np.add.at(information, (first, first), stiff)
        np.add.at(information, (second, second), stiff)
        np.add.at(information, (first, second), -stiff)
        np.add.at(information, (second, first), -stiff)


def _log_cosh(x: FloatArray) -> FloatArray:
    size: FloatArray = np.abs(x)
    return size + np.log1p(np.exp(-2 * size))


def _stage(left: Places, counts: Counter[Places], sizes: list[int], players: int, *, whole: bool) -> _Stage:
    """Return the choice among the players `left`; they may all tie if `whole`."""
    most = len(left) if whole else len(left) - 1
    rows = [tied for size in (1, *sizes) if size <= most for tied in combinations(left, size)]
    ties = [i for i, size in enumerate(sizes) if size <= most]
    design = np.zeros((len(rows), len(left) + len(ties)))
    column = {player: at for at, player in enumerate(left)}
    for row, tied in zip(design, rows, strict=True):
        row[[column[player] for player in tied]] = 1 / len(tied)
        if len(tied) > 1:
            row[len(left) + sizes.index(len(tied))] = 1
    parameters = np.array([*left, *(players + i for i in ties)], dtype=np.intp)
    chosen = np.array([counts[row] for row in rows], dtype=np.float64)
    return _Stage(parameters, design, chosen, float(chosen.sum()))
