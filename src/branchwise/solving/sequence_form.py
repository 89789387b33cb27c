"""Equilibria of small games with hidden information, by a linear programme over sequences of own actions.

A player's strategy is the probability of each sequence of that player's own actions; with perfect recall all
expected returns are linear in it. Source: Koller, Megiddo, von Stengel, "Efficient computation of equilibria
for extensive two-person games", 1996.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError, SettingsError
from branchwise.common.optional_libraries import need_library
from branchwise.common.players import TERMINAL
from branchwise.rules.facts.facts import facts_of
from branchwise.rules.facts.game_type import declared_sum
from branchwise.testing.state_interface import UnsolvableError

if TYPE_CHECKING:
    from branchwise.equilibrium.game_tree import GameTree
    from branchwise.game.rules_class import Game

_ACCURACY = 1e-10
_MOST_SEQUENCES = 200_000


def equilibrium(game: type[Game], seconds: float) -> dict[str, Any]:
    """Return the parts of a `Solution` of a game with hidden information, for two players."""
    from branchwise.equilibrium.exploitability import expected_returns, exploitability
    from branchwise.equilibrium.game_tree import game_tree
    from branchwise.equilibrium.policy import Policy

    facts = facts_of(game())
    if facts.num_players != 2:
        raise UnsolvableError(
            f"{facts.name} is for {facts.num_players} players, and games with hidden information are solved "
            "for two alone",
            mend="use the bot ismcts",
        )
    if declared_sum(game, facts) is None:
        raise UnsolvableError(
            f"{facts.name} is not declared to be zero-sum, and only such games are solved",
            mend='declare utility = "zero_sum"; or use the bot ismcts',
        )
    deadline = time.thread_time() + seconds
    try:
        tree = game_tree(game, stop=lambda: time.thread_time() > deadline)
    except TimeoutError as error:
        raise UnsolvableError(
            f"{facts.name} is too large to solve in {seconds:g} s: {error.args[0]:,} histories were found",
            mend="use the bot ismcts, or bw.OOS; or give more seconds",
        ) from None
    if int(tree.starts[-1]) > _MOST_SEQUENCES:
        raise UnsolvableError(
            f"{facts.name} has {int(tree.starts[-1]):,} actions in information states, too many for a linear "
            "programme",
            mend="use bw.OOS",
        )
    policy = Policy.of(tree, _solved(tree))
    return {
        "values": expected_returns(policy),
        "policy": policy,
        "states": len(tree),
        "method": "sequence-form linear programme",
        "exploitability": exploitability(policy),
    }


def _solved(tree: GameTree) -> NDArray[np.float64]:
    """Return equilibrium probabilities, one for each information set and action."""
    sparse = need_library("scipy.sparse", "games with hidden information are solved", "equilibrium")
    nodes = tree.histories.arrays
    sequences, reach = _sequences(tree)
    ends = np.flatnonzero(nodes.players == TERMINAL)
    size = int(tree.starts[-1]) + 1
    payoffs = sparse.csr_matrix(
        (reach[ends] * nodes.returns[ends, 0], (sequences[ends, 0], sequences[ends, 1])), (size, size)
    )
    parents = sequences[tree.examples, tree.owners]
    plans = [_best_plan(tree, parents, player, matrix) for player, matrix in enumerate((payoffs, -payoffs.T))]
    counts = np.diff(tree.starts)
    shares = np.maximum(np.choose(np.repeat(tree.owners, counts), plans), 0.0)
    totals = np.repeat(np.add.reduceat(shares, tree.starts[:-1]), counts)
    uniform = np.repeat(1.0 / counts, counts)
    return np.where(totals > _ACCURACY, shares / np.maximum(totals, _ACCURACY), uniform)


def _sequences(tree: GameTree) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return each player's last own action before each node, [N, 2], and the probability of chance before it.

    Actions are numbered as in a row of one number for each set and action, plus 1; 0 is no action. Raises
    `GameError` if a player forgets an own action.
    """
    nodes = tree.histories.arrays
    found, reach = np.zeros((len(nodes.players), 2), np.int64), np.ones(len(nodes.players))
    for node in range(1, len(found)):
        parent = int(nodes.parents[node])
        found[node], reach[node] = found[parent], reach[parent] * nodes.chances[node]
        player = int(nodes.players[parent])
        if player >= 0:
            found[node, player] = 1 + tree.starts[tree.sets[parent]] + node - nodes.first[parent]
    chooses = np.flatnonzero(nodes.players >= 0)
    owners = nodes.players[chooses]
    same = found[tree.examples[tree.sets[chooses]], owners] == found[chooses, owners]
    if not same.all():
        line = " ".join(map(str, tree.histories.actions(int(chooses[np.argmin(same)]))))
        raise GameError(f"a player of {tree.game.name} forgets an own action before: {line}")
    return found, reach


def _best_plan(tree: GameTree, parents: NDArray[np.int64], player: int, matrix: Any) -> NDArray[np.float64]:
    """Return the probability of each action's sequence that maximises what `player` gets against anybody.

    matrix : the player's payoffs [own sequences, the other's].   The variables are the probabilities, then
    what each information set of the other is worth, the empty sequence first.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix, hstack

    mine, theirs = (_conditions(tree, parents, who) for who in (player, 1 - player))
    size = mine.shape[1]
    used = np.unique(theirs.tocoo().col)
    count = theirs.shape[0]
    objective = np.zeros(size + count)
    objective[size] = -1.0
    found = linprog(
        objective,
        A_ub=hstack([-matrix.T.tocsr()[used], theirs.T.tocsr()[used]]).tocsr(),
        b_ub=np.zeros(len(used)),
        A_eq=hstack([mine, coo_matrix((mine.shape[0], count))]).tocsr(),
        b_eq=np.eye(1, mine.shape[0])[0],
        bounds=[(0.0, None)] * size + [(None, None)] * count,
        method="highs-ds",
        options={"primal_feasibility_tolerance": _ACCURACY, "dual_feasibility_tolerance": _ACCURACY},
    )
    if not found.success:
        raise SettingsError(f"the linear programme was not solved: {found.message}")
    plan: NDArray[np.float64] = found.x[1:size]
    return plan


def _conditions(tree: GameTree, parents: NDArray[np.int64], player: int) -> Any:
    """Return the conditions on a plan, a row each: no action is 1; a set's actions add up to its parent."""
    from scipy.sparse import coo_matrix

    counts, own = np.diff(tree.starts), np.flatnonzero(tree.owners == player)
    actions = 1 + np.flatnonzero(np.repeat(tree.owners == player, counts))
    numbers = np.arange(1, len(own) + 1)
    rows = np.concatenate(([0], np.repeat(numbers, counts[own]), numbers))
    values = np.where(np.arange(len(rows)) <= len(actions), 1.0, -1.0)
    columns = np.concatenate(([0], actions, parents[own]))
    return coo_matrix((values, (rows, columns)), (len(own) + 1, int(tree.starts[-1]) + 1))
