"""Exact values of small games for two, by alpha-beta with a table of positions.

The tree is searched for player 0's return, which player 0 maximises and player 1 minimises. The player to
move is read from each state, so extra turns and passes need no change of sign. Alpha-beta: Knuth, Moore, "An
analysis of alpha-beta pruning", 1975. Its fail-soft form returns the best bound found: Fishburn, 1983. Moves
that often cause cut-offs are tried first: Schaeffer, "The history heuristic", 1989.
"""

from __future__ import annotations

import math
from collections import defaultdict
from operator import itemgetter

from branchwise.common.players import CHANCE
from branchwise.rules.facts.facts import copied, game_facts
from branchwise.testing.state_interface import State, child, children, table_key
from branchwise.testing.state_interface import UnsolvableError as UnsolvableError
from branchwise.testing.successors import check_listable, for_player

_ROUNDING = 1e-9


def exact_value(state: State) -> float:
    """Return the return of the player to move at `state` under perfect play by both.

    Raises `UnsolvableError`; see `Solver`.

    >>> from branchwise.games.nim import Nim
    >>> [exact_value(Nim(chips=chips)) for chips in range(1, 9)]
    [1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0, -1.0]
    """
    return Solver().solve(state)


def solve_actions(state: State) -> dict[int, float]:
    """Return the return of the player to move under perfect play after each legal action.

    Raises `UnsolvableError`; see `Solver`.

    >>> from branchwise.games.nim import Nim
    >>> solve_actions(Nim(chips=6))
    {0: -1.0, 1: 1.0, 2: -1.0}
    """
    return Solver().solve_actions(state)


class Solver:
    """Solves many positions of one game and remembers their values.

    Takes any state with OpenSpiel's methods of a finite zero-sum game for two; states are not modified.
    Positions are remembered while the solver lives if states compare by content; otherwise every path to a
    position is searched anew. Nearly every searched position is remembered, in about 300 bytes for a state
    with a few scalar fields. Examples:

    | game from its start                | value | positions searched | time  |
    |------------------------------------|-------|--------------------|-------|
    | tic-tac-toe                        | draw  |                682 | 0.2 s |
    | nim(heaps=(3,4,5),max_take=0)      | won   |                112 |       |
    | connect_four(rows=4,columns=4)     | draw  |              4,314 | 0.3 s |
    | connect_four(rows=5,columns=4)     | draw  |             39,101 |   2 s |
    | connect_four(rows=4,columns=5)     | draw  |             96,320 |   6 s |
    | connect_four(rows=5,columns=5)     | draw  |            791,350 |  59 s |

    Raises `UnsolvableError` for a finished game, for more or fewer than two players, for chance or
    simultaneous moves, for returns that do not sum to zero, and for lines too long for Python's stack.

    >>> from branchwise.games.nim import Nim
    >>> solver = Solver()
    >>> solver.solve(Nim()), solver.positions
    (1.0, 39)
    """

    def __init__(self) -> None:
        self.positions = 0
        """Number of positions searched so far, without finished ones."""
        self._table: dict[object, tuple[float, float]] = {}
        self._cuts: defaultdict[int, int] = defaultdict(int)
        self._bounds = (-math.inf, math.inf)

    @property
    def remembered(self) -> int:
        """Number of positions in the table."""
        return len(self._table)

    def solve(self, state: State) -> float:
        """Return the value of `state` for the player to move."""
        player = self._check(state)
        return for_player(player, self._exact(copied(state)))

    def solve_actions(self, state: State) -> dict[int, float]:
        """Return the value of each legal action of `state` for the player to move."""
        player = self._check(state)
        return {action: for_player(player, self._exact(after)) for action, after in children(state)}

    def _check(self, state: State) -> int:
        facts = game_facts(state)
        if facts.num_players != 2:
            raise UnsolvableError(f"the solver takes games for two; {facts.name} is for {facts.num_players}")
        if facts.pays:
            raise UnsolvableError(
                f"the solver takes games with returns, and {facts.name} pays on the way",
                mend="expectimax takes rewards",
            )
        check_listable(state, facts)
        self._bounds = (facts.min_return, facts.max_return)
        return _mover(state)

    def _exact(self, state: State) -> float:
        """Return player 0's value of any state, finished or not."""
        if state.is_terminal():
            return self._outcome(state)
        try:
            return self._search(state, *self._bounds)
        except RecursionError:
            raise UnsolvableError("a line of play is too long for the solver, or has no end") from None

    def _search(self, state: State, alpha: float, beta: float) -> float:
        """Return player 0's value of an unfinished state: exact within (alpha, beta), outside it a bound."""
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
        """Return the value of the best move, or of the first that causes a cut-off."""
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
        """Return the bounds known for player 0's value of an unfinished state."""
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
    if player == CHANCE:
        raise UnsolvableError(
            "chance is to move, but the solver takes games without chance",
            mend="expectimax solves games of chance; value_iteration, those that can return to a state",
        )
    if player not in (0, 1):
        raise UnsolvableError(f"it is for player {player} to move, but the solver takes players 0 and 1")
    return player
