"""The rollout policy: the class's own rule, improved by one move of looking ahead.

Every action at the root is followed by playouts of `playout_action`, on common random numbers; the worse half
is dropped in each round, as in `search.run.halving`, but never the action of the rule. Another one is chosen
only if it is better by more than chance explains: Tesauro, Galperin, "On-line policy improvement using Monte
Carlo search", 1996; Bertsekas, Castanon, "Rollout algorithms for stochastic scheduling problems", 1999.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from branchwise.core.tree.child_indices import children_of_one
from branchwise.core.tree.node_fields import ROOT
from branchwise.game.kinds.random_numbers import Random
from branchwise.rules.facts.facts import copied, legal_action
from branchwise.search.run.halving import Halving
from branchwise.search.session.search_session import Session
from branchwise.search.settings.budget import Budget

_DEVIATIONS = 2.0
"""Standard errors by which an action must be better than the rule's."""

_BATCHES = 4
"""Batches of simulations of each candidate in a round; their differences tell the standard error."""

_NUMBERS = 40
"""Bits that number the simulations of an action; those before them are drawn by the seed."""


class Rollouts(Halving):
    """Chooses the child of the root at which the next simulations begin.

    It keeps `session.leading` at the action that it would choose now.
    """

    turns = _BATCHES

    def __init__(self, session: Session, budget: Budget) -> None:
        super().__init__(session, budget)
        self._session = session
        before = int(self._tree.nodes[ROOT]["visits"])  # of a search that goes on, with other numbers
        random = Random(session.seed + before)
        self._rule = legal_action(session.state, int(copied(session.state).playout_action(random)))
        session.leading = self._rule
        self._number = random.below(1 << 22) << _NUMBERS
        self._size = 0.0
        self._sizes: list[int] = []
        self._means: list[NDArray[np.float64]] = []
        self._batches = 0

    def choose(self, size: int, done: int, elapsed: float) -> int:
        size = super().choose(size, done, elapsed)
        if self._candidates:
            self._runner.search.scratch.number[0] = self._number + self._given[self._turn] - size
        return size

    @property
    def _is_between_batches(self) -> bool:
        return self._given[0] == self._given[-1]

    def _share(self, size: int, done: int, elapsed: float) -> float:
        """Return the simulations of each candidate in a batch."""
        if self._is_between_batches:
            self._turns = 0
            self._size = super()._share(size, done, elapsed)
            if self._budget.simulations is not None:
                self._size //= max(1, _BATCHES - self._batches)
        return self._size

    def _start(self) -> None:
        super()._start()
        self._seen = self._sums()

    def _sums(self) -> NDArray[np.float64]:
        """Return the visits of the root's children, and the sums of their returns."""
        nodes = self._tree.nodes[children_of_one(self._tree.nodes, ROOT)]
        return np.stack((nodes["visits"], nodes["value"])).astype(np.float64)

    def _is_round_over(self, done: int, elapsed: float) -> bool:
        if not self._is_between_batches or self._given[0] == 0:
            return False
        self._end_batch()
        enough = self._budget.simulations is not None and self._batches >= _BATCHES
        return (enough and self._round < self._rounds - 1) or super()._is_round_over(done, elapsed)

    def _end_batch(self) -> None:
        """Note what the candidates gained in a batch, and which action is the best so far."""
        now = self._sums()
        visits, gained = now - self._seen
        self._seen = now
        self._sizes.append(self._given[0] - sum(self._sizes))
        self._means.append(gained / np.maximum(visits, 1))
        self._batches += 1
        self._worth = np.average(np.stack(self._means)[:, self._candidates], axis=0, weights=self._sizes)
        best = self._candidates[int(np.argmax(self._worth))]
        self._session.leading = self._actions[best][0] if self._is_better(best) else self._rule

    def _halve(self) -> None:
        """Keep the better half of the candidates, and the rule's action."""
        others = [self._actions[it] != [self._rule] for it in self._candidates]
        order = np.lexsort((-self._worth, np.array(others)))[: max(2, math.ceil(len(others) / 2))]
        self._candidates = [self._candidates[place] for place in order]
        self._given = self._given[: len(self._candidates)]
        self._round += 1
        self._batches = 0

    def _is_better(self, best: int) -> bool:
        """Whether a child of the root is better than the rule's beyond doubt, or the rule's is left out."""
        if [self._rule] not in self._actions:
            return True
        if len(self._means) < _BATCHES:
            return False
        rule, sizes = self._actions.index([self._rule]), np.array(self._sizes)
        gains = np.array([batch[best] - batch[rule] for batch in self._means])
        gain = np.average(gains, weights=sizes)
        error = math.sqrt(sizes @ (gains - gain) ** 2 / (len(gains) - 1) / sizes.sum())
        return bool(gain > _DEVIATIONS * error)
