"""Sequential halving at the root: the budget is divided among rounds; each round drops the worse half.

Karnin, Koren, Somekh, "Almost optimal exploration in multi-armed bandits", 2013; at the root of a tree:
Cazenave, "Sequential halving applied to trees", 2015.
"""

from __future__ import annotations

import math

import numpy as np

from branchwise.core.tree.child_indices import children_of_one
from branchwise.core.tree.node_fields import PARTIAL, ROOT
from branchwise.search.results.return_distribution import spread_of
from branchwise.search.session.search_session import Session
from branchwise.search.settings.budget import Budget


class Halving:
    """Chooses the child of the root at which the next simulations begin.

    budget : its simulations, or if there are none its seconds, are divided evenly among the rounds.
    """

    turns = 8
    """Turns of each candidate in a round that is limited by time."""

    def __init__(self, session: Session, budget: Budget) -> None:
        self._runner = session.runner
        self._tree = session.trees[0]
        self._budget = budget
        self._risk = session.settings.risk
        self._candidates: list[int] = []
        self._actions: list[list[int]] = []
        self._rounds = 0
        self._round = 0
        self._given: list[int] = []
        self._turns = 0
        self._turn = 0
        self._quota = 0

    def choose(self, size: int, done: int, elapsed: float) -> int:
        """Let simulations begin with the next candidate in turn; returns how many, at most `size`.

        done : simulations so far.   elapsed : seconds so far.
        """
        root = self._tree.nodes[ROOT]
        if root["first"] < 0 or root["flags"] & PARTIAL:
            self._runner.guide(())
            return 1
        if not self._candidates:
            self._start()
        if self._quota == 0:
            if self._is_round_over(done, elapsed):
                self._halve()
            self._turn = int(np.argmin(self._given))
            self._quota = max(1, math.ceil(self._share(size, done, elapsed)))
            self._turns += 1
        self._runner.guide(self._actions[self._candidates[self._turn]])
        size = min(size, self._quota)
        self._quota -= size
        self._given[self._turn] += size
        return size

    def _share(self, size: int, done: int, elapsed: float) -> float:
        """Return the simulations of one turn; it does not depend on speed if the budget is in simulations."""
        candidates = len(self._candidates)
        if self._budget.simulations is not None:
            return (self._round_end - done) / (candidates - self._turns % candidates)
        if self._budget.seconds is not None:
            in_round = done / max(elapsed, 1e-6) * self._budget.seconds / self._rounds
            return min(size, in_round / candidates / self.turns)
        return size

    @property
    def _round_end(self) -> int:
        simulations = self._budget.simulations or 0
        return simulations * (self._round + 1) // self._rounds

    def _start(self) -> None:
        nodes = self._tree.nodes
        self._actions = nodes["action"][children_of_one(nodes, ROOT)].reshape(-1, 1).tolist()
        count = len(self._actions)
        self._candidates = list(range(count))
        self._given = [0] * count
        self._rounds = max(1, math.ceil(math.log2(count)))

    def _is_round_over(self, done: int, elapsed: float) -> bool:
        if self._round == self._rounds - 1:
            return False
        if self._budget.simulations is not None:
            return done >= self._round_end
        if self._budget.seconds is not None:
            return elapsed >= self._budget.seconds * (self._round + 1) / self._rounds
        return False

    def _halve(self) -> None:
        """Keep the better half of the candidates; a proven loss is always dropped."""
        nodes = self._tree.nodes
        children = nodes[children_of_one(nodes, ROOT)[self._candidates]]
        worth = children["value"] / np.maximum(children["visits"], 1)
        if self._risk is not None:
            spreads = [spread_of(self._runner.of_threads, int(action)) for action in children["action"]]
            quantiles = [-math.inf if it is None else it.quantile(self._risk) for it in spreads]
            worth = np.array(quantiles)
        order = np.lexsort((-worth, -children["upper"]))
        kept = order[: max(1, math.ceil(len(order) / 2))]
        self._candidates = [self._candidates[i] for i in kept]
        self._given = [0] * len(self._candidates)
        self._turns = 0
        self._round += 1
