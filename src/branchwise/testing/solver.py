"""Exact values of small games for two, by alpha-beta with a table of positions.

The tree is searched for player 0's return: player 0 looks for the highest, player 1 for the lowest, and
who is to move is asked of each state. So there is no sign to get wrong after an extra turn or a pass.
Alpha-beta: Knuth, Moore, "An analysis of alpha-beta pruning", 1975; the fail-soft form, which returns the
best bound it has seen: Fishburn, 1983. Moves that cut off often are tried first: Schaeffer, "The history
heuristic", 1989.
"""

from __future__ import annotations

import math
from collections import defaultdict
from operator import itemgetter

from branchwise.errors import BranchwiseError
from branchwise.rules.facts import copied, game_facts
from branchwise.testing.states import State, child, children, table_key

_ROUNDING = 1e-9


class UnsolvableError(BranchwiseError, ValueError):
    """A game or a state that the exact solver does not take."""


def solve(state: State) -> float:
    """Return the return that the player to move at `state` reaches if both play perfectly.

    Raises `UnsolvableError`; see `Solver`.

    >>> from branchwise.games.nim import Nim
    >>> [solve(Nim(chips=chips)) for chips in range(1, 9)]
    [1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0, -1.0]
    """
    return Solver().solve(state)


def solve_actions(state: State) -> dict[int, float]:
    """Return, by legal action, the return that the player to move reaches by it if both play perfectly.

    Raises `UnsolvableError`; see `Solver`.

    >>> from branchwise.games.nim import Nim
    >>> solve_actions(Nim(chips=6))
    {0: -1.0, 1: 1.0, 2: -1.0}
    """
    return Solver().solve_actions(state)


class Solver:
    """Solves many positions of one game, remembering what it has seen.

    Takes any state of a zero-sum game for two that ends, with OpenSpiel's methods, and leaves it as it is.
    Positions are remembered for as long as the solver lives if states are equal by content; else every
    path to a position is searched anew. Nearly every position searched is remembered, in about 300 bytes for
    a state with a few scalar fields. From the start:

    | game from its start                | value | positions searched | time  |
    |------------------------------------|-------|--------------------|-------|
    | tic-tac-toe                        | draw  |                682 | 0.2 s |
    | nim(heaps=(3,4,5),max_take=0)      | won   |                112 |       |
    | connect_four(rows=4,columns=4)     | draw  |              4,314 | 0.3 s |
    | connect_four(rows=5,columns=4)     | draw  |             39,101 |   2 s |
    | connect_four(rows=4,columns=5)     | draw  |             96,320 |   6 s |
    | connect_four(rows=5,columns=5)     | draw  |            791,350 |  59 s |

    Raises `UnsolvableError` for a finished game, for other than two players, for a chance player or
    moves at once, for returns that do not sum to zero, and for lines too long for Python's stack.

    >>> from branchwise.games.nim import Nim
    >>> solver = Solver()
    >>> solver.solve(Nim()), solver.positions
    (1.0, 39)
    """

    def __init__(self) -> None:
        self.positions = 0
        """Positions searched so far, the finished not counted."""
        self._table: dict[object, tuple[float, float]] = {}
        self._cuts: defaultdict[int, int] = defaultdict(int)
        self._bounds = (-math.inf, math.inf)

    @property
    def remembered(self) -> int:
        """Positions in the table."""
        return len(self._table)

    def solve(self, state: State) -> float:
        """Return the value of `state` for the player to move."""
        player = self._check(state)
        return _for_player(player, self._exact(copied(state)))

    def solve_actions(self, state: State) -> dict[int, float]:
        """Return the value of each legal action of `state` for the player to move."""
        player = self._check(state)
        return {action: _for_player(player, self._exact(after)) for action, after in children(state)}

    def _check(self, state: State) -> int:
        facts = game_facts(state)
        if facts.num_players != 2:
            raise UnsolvableError(f"the solver takes games for two; {facts.name} is for {facts.num_players}")
        if state.is_terminal():
            raise UnsolvableError(
                f"this {facts.name} game is over: nobody is to move", mend="its value is state.returns()"
            )
        self._bounds = (facts.min_return, facts.max_return)
        return _mover(state)

    def _exact(self, state: State) -> float:
        """Return player 0's value of any state."""
        if state.is_terminal():
            return self._outcome(state)
        try:
            return self._search(state, *self._bounds)
        except RecursionError:
            raise UnsolvableError("a line of play is too long for the solver, or has no end") from None

    def _search(self, state: State, alpha: float, beta: float) -> float:
        """Return player 0's value of a live state: exact within (alpha, beta), beyond them a bound on it."""
        low, high = self._known(state)
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        alpha, beta = max(alpha, low), min(beta, high)
        self.positions += 1
        best = self._best_move(state, alpha, beta)
        key = table_key(state)
        if key is not None:
            self._table[key] = (low if best <= alpha else best, high if best >= beta else best)
        return best

    def _best_move(self, state: State, alpha: float, beta: float) -> float:
        """Return the value of the best move, or of the first found that cuts off."""
        player = _mover(state)
        better = max if player == 0 else min
        best = -math.inf if player == 0 else math.inf
        live = []
        for action in state.legal_actions():
            after = child(state, action)
            if after.is_terminal():
                best = better(best, self._outcome(after))
            else:
                low, high = self._known(after)
                if low >= beta if player == 0 else high <= alpha:
                    return low if player == 0 else high
                live.append((self._cuts[action], action, after))
        live.sort(key=itemgetter(0), reverse=True)
        for _, action, after in live:
            alpha, beta = (max(alpha, best), beta) if player == 0 else (alpha, min(beta, best))
            if alpha >= beta:
                break
            effort = self.positions
            best = better(best, self._search(after, alpha, beta))
            if best >= beta if player == 0 else best <= alpha:
                self._cuts[action] += self.positions - effort
        return best

    def _known(self, state: State) -> tuple[float, float]:
        """Return what is known already of player 0's value of a live state."""
        key = table_key(state)
        return self._bounds if key is None else self._table.get(key, self._bounds)

    def _outcome(self, state: State) -> float:
        """Return player 0's return in a finished state."""
        returns = [float(number) for number in state.returns()]
        if len(returns) != 2 or not abs(sum(returns)) <= _ROUNDING:
            raise UnsolvableError(f"the returns {returns} are not those of a zero-sum game for two")
        low, high = self._bounds
        if not low <= returns[0] <= high:
            raise UnsolvableError(f"the returns {returns} lie outside the bounds {low} to {high}")
        return returns[0]


def _mover(state: State) -> int:
    player = int(state.current_player())
    if player not in (0, 1):
        raise UnsolvableError(f"it is for player {player} to move, but the solver takes players 0 and 1")
    return player


def _for_player(player: int, value: float) -> float:
    return value if player == 0 else 0.0 - value
