"""The recipe of a training, and its schedule: what depends on the share of it that is over.

Measured on Connect Four; `docs/learning.md` says what helped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.core.networks.self_play import Orders
from branchwise.networks.network import WIDTHS

ANYWHERE = 5
"""One round in this many starts anywhere in the game."""
_LONG: tuple[tuple[float, int, tuple[int, int]], ...] = ((45, 12_000, (128, 32)), (20, 5000, (64, 32)))
"""Long trainings: the least minutes, the least rounds, and the widths of their networks."""


@dataclass(frozen=True)
class Recipe:
    """How a network is trained; all numbers that are not a user's choice."""

    simulations: int = 128
    """Per move of self-play."""
    proof_limit: int = 2000
    """Moves that a proof may look at; proofs are tried where one in five succeeds. 0: none."""
    trace: float = 0.99
    """Lambda of the values' targets."""
    noise: float = 0.25
    """Share of the root's priors that is random."""
    sharpness: float = 0.15
    """Weight of completed values in the policy's target; 0: it is the counts of visits."""
    blunder: float = 0.05
    """Loss of gain by a move from which on later results do not count."""
    go_on: float = 0.3
    """Share of games that go on behind a proof."""
    samples: int = 20
    """How often a new position is trained on, on average."""
    batch: int = 256
    first_rate: float = 1e-3
    last_rate: float = 2e-5
    curriculum: float = 0.7
    """Share of the training in which starts move from the end of the game to its beginning."""
    openings: float = 0.3
    """Share of games, afterwards, that start within the first two moves."""
    widths: tuple[int, int] = WIDTHS
    """Of the network's two layers."""

    @classmethod
    def of_time(cls, minutes: float, rounds: int | None) -> Recipe:
        """Return the recipe for a training of `minutes`, or of `rounds` where their number is given.

        Long trainings have a wider network and longer proofs, which learn slowly at first.

        >>> [Recipe.of_time(minutes, None).widths for minutes in (10, 30, 60)]
        [(32, 16), (64, 32), (128, 32)]
        """
        for least_minutes, least_rounds, widths in _LONG:
            if minutes >= least_minutes if rounds is None else rounds >= least_rounds:
                return cls(proof_limit=16_000, widths=widths)
        return cls()

    @classmethod
    def of_stored(cls, told: dict[str, Any]) -> Recipe:
        """Return a recipe from its fields in a file; raises TypeError or KeyError for others."""
        width, second = told["widths"]
        return cls(**{**told, "widths": (width, second)})

    def orders(self, counter: np.uint64, start: int, symmetries: int) -> Orders:
        """Return the settings of a game with these random numbers that starts after `start` moves."""
        search = (self.simulations, self.proof_limit, self.trace, self.noise, self.sharpness)
        return Orders(counter, start, *search, self.blunder, self.go_on, symmetries)

    def rate(self, share: float) -> np.float32:
        """Return the size of training steps when `share` of the training is over.

        >>> recipe = Recipe()
        >>> float(recipe.rate(0.0)), round(float(recipe.rate(1.0)), 6)
        (0.0010000000474974513, 2e-05)
        """
        fall = (1.0 + math.cos(math.pi * min(share, 1.0))) / 2.0
        return np.float32(self.last_rate + (self.first_rate - self.last_rate) * fall)

    def starts(
        self,
        share: float,
        number: int,
        games: int,
        lengths: Lengths,
        proven: int,
        random: np.random.Generator,
    ) -> list[int]:
        """Return for each game of round `number` after how many random moves it starts.

        proven : after how many moves proofs succeed; games start earlier in the end.

        >>> starts = Recipe().starts(0.0, 1, 1000, Lengths(21, 33), 19, np.random.default_rng(0))
        >>> min(starts), max(starts)
        (21, 33)
        """
        low, high = 0, lengths.most
        if number % ANYWHERE and share < self.curriculum:
            back = 1.0 - share / self.curriculum
            low, high = round(back * lengths.usual), round(back * lengths.most)
        elif number % ANYWHERE:
            high = min(proven, lengths.most)
        drawn = random.integers(low, max(high, 2) + 1, games)
        if share >= self.curriculum:
            near = random.integers(0, 3, games)
            drawn = np.where(random.random(games) < self.openings, near, drawn)
        return [int(start) for start in drawn]


@dataclass(frozen=True)
class Lengths:
    """How many moves random games have: the usual number, and what one in ten exceeds."""

    usual: int
    most: int


class Promise:
    """After how many moves proofs are worth trying: a fifth of those tried there lately succeed."""

    _LEAST = 0.2
    _KEPT = 0.8
    """What earlier rounds count in each round."""

    def __init__(self, moves: int) -> None:
        self.tries = np.zeros(moves + 1)
        self.proofs = np.zeros(moves + 1)

    @property
    def table(self) -> NDArray[np.bool_]:
        """For each number of moves made, whether proofs are tried in all games."""
        return np.asarray(self.proofs >= self._LEAST * self.tries)

    @property
    def reach(self) -> int:
        """After how many moves, and all later ones, proofs are worth trying."""
        return int(np.max(np.nonzero(~self.table)[0], initial=-1)) + 1

    def begin_round(self) -> None:
        """Let earlier rounds count less."""
        self.tries *= self._KEPT
        self.proofs *= self._KEPT

    def add(self, tries: NDArray[np.int64], proofs: NDArray[np.int64]) -> None:
        """Count the proofs of a game."""
        self.tries[: tries.size] += tries
        self.proofs[: proofs.size] += proofs
