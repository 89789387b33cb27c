"""What the planners on information sets have in common."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from branchwise.common.argument_checks import number, whole_number
from branchwise.common.one_search import OneSearch
from branchwise.equilibrium.game_tree import game_tree
from branchwise.equilibrium.policy import Policy
from branchwise.game.kinds.random_numbers import given_or_new
from branchwise.game.rules_class import Game
from branchwise.information_sets.checks import checked_facts
from branchwise.information_sets.consistent_histories import KnownRoutes
from branchwise.information_sets.result import InformationSetResult, shares_of
from branchwise.information_sets.search_memory import Table
from branchwise.rules.checking.before_compiling import vet
from branchwise.rules.knowledge.information import InformationState
from branchwise.rules.knowledge.known import check_known
from branchwise.search.settings.budget import Budget

_SHARE_OF_TIME = 0.5
_LEAST_SECONDS = 1e-3


class Planner(OneSearch, ABC):
    """A planner with a table of information sets."""

    num_columns: ClassVar[int]
    """Numbers that the table has for each action."""

    answer: ClassVar[int]
    """The column to which the probabilities of the answer are in proportion."""

    def __init__(self, seed: int | None, memory_mb: float, **given: float) -> None:
        super().__init__()
        whole_number("seed", seed, -(2**127), 2**127, optional=True)
        number("memory_mb", memory_mb, 0.0, 1e7, above=True)
        self.seed = seed
        """The seed of every search; None: a new one each time."""
        self._memory_mb = memory_mb
        self._given = {**given, "memory_mb": memory_mb}

    @property
    def changed(self) -> dict[str, object]:
        """The settings that are not the defaults, besides the seed."""
        defaults = inspect.signature(type(self)).parameters
        return {name: value for name, value in self._given.items() if value != defaults[name].default}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.changed.items())
        return f"branchwise.{type(self).__name__}({shown})"

    def search(
        self, known: InformationState, *, simulations: int | None = None, seconds: float | None = None
    ) -> InformationSetResult:
        """Search by what the player to move knows, within a budget.

        simulations : of this search; `OOS` also has those of earlier moments of the same game.   seconds : a
        clock for everything but compiling; at most half is spent on finding the histories that fit.

        Raises `GameError` for a state in place of an information state, and for a game that hides nothing or
        cannot be walked from its start, by `OOS` also if it is not zero-sum for two players; `ActionError` if
        the player is not to move; `SettingsError` for an invalid budget.
        """
        check_known(known, type(self).__name__)
        budget = Budget(simulations, seconds)
        with self._searching():
            seed = given_or_new(self.seed)
            table, routes, (done, spent), dealt = self._search(known, budget, seed)
            row = row_of(table, routes.key, len(known.legal))
            probabilities = scaled(row[:, self.answer], len(row)).tolist()
            return InformationSetResult(
                known=known,
                actions=shares_of(known, probabilities, self._values(row)),
                visits=table.visits(routes.key),
                simulations=done,
                seconds=spent,
                information_sets=len(table),
                is_full=table.is_full,
                histories=len(routes),
                dealt=dealt,
                is_complete=routes.is_complete,
                seed=seed,
            )

    def solve(
        self, game: type[Game], *, simulations: int | None = None, seconds: float | None = None
    ) -> Policy:
        """Return the policy that one search from the start of a small game finds.

        By `OOS` it is the average strategy of both players, from simulations without a target; by `MOISMCTS`
        it is in proportion to visits. Raises the errors of `search` for the game, and those of `Policy`.
        """
        budget = Budget(simulations, seconds)
        with self._searching():
            table = self._new_table(game, given_or_new(self.seed))
            self._run_from_start(table, budget)
            return policy_of(game, table, self.answer)

    @abstractmethod
    def _search(
        self, known: InformationState, budget: Budget, seed: int
    ) -> tuple[Table, KnownRoutes, tuple[int, float], int]:
        """Search by what a player knows.

        Returns the table, the histories that fit, the simulations and seconds spent, and the states dealt.
        """

    @abstractmethod
    def _run_from_start(self, table: Table, budget: Budget) -> object:
        """Run simulations from the start of the game."""

    def _new_table(self, game: type[Game], seed: int) -> Table:
        facts = checked_facts(game, type(self).__name__)
        vet(game)
        return Table(game, facts, self.num_columns, seed, self._memory_mb)

    def _values(self, row: NDArray[np.float64]) -> list[float | None]:
        """Return the value of each action of an information set, None where it is not known."""
        return [None] * len(row)


def share_of_time(budget: Budget) -> float | None:
    """Return the seconds for finding where simulations begin; None without a limit."""
    return None if budget.seconds is None else _SHARE_OF_TIME * budget.seconds


def time_left(budget: Budget, spent: float) -> Budget:
    """Return what is left of a budget after some seconds."""
    if budget.seconds is None:
        return budget
    return Budget(budget.simulations, max(_LEAST_SECONDS, budget.seconds - spent))


def policy_of(game: type[Game], table: Table, column: int) -> Policy:
    """Return the policy in which probabilities are in proportion to a column of the table.

    All actions are equally likely in information sets that are not in the table.
    """
    tree = game_tree(game)
    keys = tree.histories.arrays.known[tree.examples, tree.owners]
    probabilities: list[NDArray[np.float64]] = []
    for actions, row in zip(tree.actions, table.rows(keys), strict=True):
        probabilities.append(scaled(None if row is None else row[:, column], len(actions)))
    return Policy.of(tree, np.concatenate(probabilities))


def row_of(table: Table, key: np.uint64, count: int) -> NDArray[np.float64]:
    """Return the numbers of one information set, all 0 if it is not in the table."""
    (row,) = table.rows(np.array([key], np.uint64))
    return np.zeros((count, table.sets.numbers.shape[1])) if row is None else row


def scaled(weights: Any, count: int) -> NDArray[np.float64]:
    """Return weights scaled to add up to 1; uniform if all are 0."""
    total = 0.0 if weights is None else float(weights.sum())
    found: NDArray[np.float64] = np.full(count, 1.0 / count) if total <= 0.0 else weights / total
    return found
