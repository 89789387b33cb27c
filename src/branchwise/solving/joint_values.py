"""Values of games in which two players move at once: each such state is a matrix game.

All reachable states are listed in plain Python, and solved from the end backwards. Where play can return to a
state, a discount below 1 makes repeated sweeps converge: Shapley, "Stochastic games", 1953.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, NO_ACTION, SIMULTANEOUS, TERMINAL
from branchwise.equilibrium.matrix import MatrixSolution, solve_matrix_game
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts
from branchwise.solving.state_policy import StatePolicy
from branchwise.testing.state_interface import UnsolvableError
from branchwise.testing.state_tables import NO_HORIZON, PlainStates

_ROUNDING = 1e-9
_ACCURACY = 1e-10


def solved_jointly(start: Game, facts: GameFacts, seconds: float) -> dict[str, Any]:
    """Return the parts of a `Solution` of a zero-sum game for two who move at once in some states."""
    from branchwise.compile.queries.graph_values import grouped

    if facts.num_players != 2:
        raise UnsolvableError(
            f"{facts.name} is for {facts.num_players} players who move at once; solved are those for two",
            mend="use bw.MCTS",
        )
    listed = _Listing(start, facts, seconds)
    groups = grouped(listed.all, 0)
    has_cycle = bool(groups.facts[-1] > 0)
    if has_cycle and facts.discount == 1.0:
        raise UnsolvableError(
            f"play of {facts.name} can return to a state, and its players move at once",
            mend="give the game a discount below 1, or use bw.MCTS",
        )
    values = listed.all.final[:, 0].copy()
    change = np.inf
    while change > _ACCURACY * (1.0 - facts.discount):
        before = values.copy()
        for state in groups.order.tolist():
            values[state] = listed.value(state, values)
        change = np.abs(values - before).max() if has_cycle else 0.0
    return {
        "values": (float(values[0]), listed.total - float(values[0])),
        "policy": listed.policy(values),
        "states": len(values),
        "method": "matrix games, by " + ("value iteration" if has_cycle else "backward induction"),
    }


class _Listing(PlainStates):
    """All reachable states; the steps of one where all move at once are the pairs of actions, row by row."""

    def __init__(self, start: Game, facts: GameFacts, seconds: float) -> None:
        self._sums: list[float] = []
        """What both players' returns add up to, at each end."""
        super().__init__(facts)
        self.add(start, facts.horizon or NO_HORIZON, seconds=seconds)
        if np.ptp(self._sums or [0.0]) > _ROUNDING:
            raise UnsolvableError(
                f"returns of {facts.name} do not always add up to the same, and where players move at once "
                "only such games are solved",
                mend="use bw.MCTS",
            )
        self.total = self._sums[0] if self._sums else 0.0
        self.all = self.graph()
        self._rewards = np.array([reward for *_, reward in self.steps])
        self._factors = np.where(self.all.players[self.all.targets] == CHANCE, 1.0, facts.discount)

    def final_return(self, state: Any) -> float:
        """Return player 0's return in a finished state, and note what both add up to."""
        if self.facts.pays:
            return 0.0
        returns = state.returns()
        self._sums.append(float(sum(returns)))
        return float(returns[0])

    def _choices(self, state: int) -> list[list[int]]:
        """Return the actions of each player, NO_ACTION for one who does not choose."""
        moves = [move for move, *_ in self.steps[self.first[state] : self.first[state + 1]]]
        if self.players[state] == SIMULTANEOUS:
            return [list(dict.fromkeys(actions)) for actions in zip(*moves, strict=True)]
        return [moves, [NO_ACTION]] if self.players[state] == 0 else [[NO_ACTION], moves]

    def _gains(self, state: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what player 0 can expect after each step."""
        part = slice(self.first[state], self.first[state + 1])
        found: NDArray[np.float64] = self._rewards[part] + self._factors[part] * values[self.targets[part]]
        return found

    def _matrix(self, state: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the matrix game of a state; where one player chooses it has one row or one column."""
        return self._gains(state, values).reshape(len(self._choices(state)[0]), -1)

    def value(self, state: int, values: NDArray[np.float64]) -> float:
        """Return player 0's value of a state from those of its successors."""
        if self.players[state] == TERMINAL:
            return self.final[state]
        if self.players[state] == CHANCE:
            chances = self.all.chances[self.first[state] : self.first[state + 1]]
            return float(self._gains(state, values) @ chances)
        return _solved(self._matrix(state, values)).value

    def policy(self, values: NDArray[np.float64]) -> StatePolicy:
        """Return the policy for the states that are not over."""
        kept = np.flatnonzero(self.all.players != TERMINAL)
        rows = [list(self._rows(state, values)) for state in kept.tolist()]
        columns = np.array(list(chain(*rows))).reshape(-1, 4).T
        arrays = dict(
            zip(("actions", "owners", "gains", "shares"), columns, strict=True),
            left=np.array(self.left)[kept],
            players=self.all.players[kept],
            values=np.stack((values, self.total - values), axis=1)[kept],
            starts=np.cumsum([0, *map(len, rows)]),
        )
        records = np.stack([self.states[state].to_record() for state in kept])
        return StatePolicy.of_records(type(self.states[0]), records, arrays)

    def _rows(self, state: int, values: NDArray[np.float64]) -> Iterator[tuple[int, int, float, float]]:
        """Yield each action in a state with its owner, what the owner can expect, and its probability."""
        if self.players[state] == CHANCE:
            return
        matrix = self._matrix(state, values)
        found = _solved(matrix)
        gains = matrix @ found.columns, self.total - found.rows @ matrix
        for owner, shares in enumerate((found.rows, found.columns)):
            for action, gain, share in zip(self._choices(state)[owner], gains[owner], shares, strict=True):
                if action != NO_ACTION:
                    yield action, owner, gain, share


def _solved(matrix: NDArray[np.float64]) -> MatrixSolution:
    row, column = int(np.argmax(matrix.min(axis=1))), int(np.argmin(matrix.max(axis=0)))
    if matrix[row].min() == matrix[:, column].max():  # a saddle point needs no linear programme
        pure = np.eye(matrix.shape[0])[row], np.eye(matrix.shape[1])[column]
        return MatrixSolution(float(matrix[row, column]), tuple(pure[0]), tuple(pure[1]))
    return solve_matrix_game(matrix)
