"""What outcome sampling adds up has the expectation of a walk over all histories, however it is sampled.

Strategies are held fixed by regrets so large that no simulation changes them. Every number must then be
that of the listed histories, within its standard error.
"""

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.players import CHANCE
from branchwise.core.information_sets.outcome_sampling import REGRET, STRATEGY
from branchwise.core.information_sets.regret_table import enter_all
from branchwise.equilibrium.game_tree import game_tree
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.information_sets.consistent_histories import KnownRoutes
from branchwise.search.settings.budget import Budget
from support.hiding import Peek

HUGE = 2.0**40
BATCHES, SIMULATIONS = 40, 25_000


def exact(policy):
    """Return the expected regret and strategy sum of one update of each action, by listed histories."""
    tree, nodes = policy.tree, policy.tree.histories.arrays
    steps = tree.weights(policy.probabilities)
    size = len(nodes.players)
    reach = np.ones((size, 3))  # of player 0, of player 1, of chance
    values = nodes.returns.copy()
    for node in range(1, size):
        before = nodes.parents[node]
        reach[node] = reach[before]
        reach[node, 2 if nodes.players[before] == CHANCE else nodes.players[before]] *= steps[node]
    for node in range(size - 1, 0, -1):
        values[nodes.parents[node]] += steps[node] * values[node]
    regrets, strategies = np.zeros(len(policy.probabilities)), np.zeros(len(policy.probabilities))
    for node in np.flatnonzero(tree.sets >= 0):
        player, start = nodes.players[node], tree.starts[tree.sets[node]]
        others = reach[node, 1 - player] * reach[node, 2]
        for place in range(nodes.counts[node]):
            child = nodes.first[node] + place
            regrets[start + place] += others * (values[child, player] - values[node, player])
            strategies[start + place] += reach[node, player] * reach[node, 2] * steps[child]
    return regrets, strategies


def sampled(policy, target, **settings):
    """Return the means of what simulations add, and their standard errors, as `exact` gives; and visits."""
    game, tree = policy.game, policy.tree
    planner = bw.OOS(seed=11, **settings)
    table = planner._new_table(game, 11)
    nodes = tree.histories.arrays
    keys = nodes.known[tree.examples, tree.owners]
    sets = table._new_sets(len(keys), len(policy.probabilities) + table.choices, 3)
    sets.keys[:] = keys
    sets.first[:] = tree.starts[:-1]
    sets.counts[:] = np.diff(tree.starts)
    sets.facts[:2] = len(keys), len(policy.probabilities)
    enter_all(sets)
    table.sets = sets
    routes = KnownRoutes(game, table.facts, target)
    assert target is None or len(routes) > 0
    numbers = sets.numbers[: len(policy.probabilities)]
    found = []
    for _ in range(BATCHES):
        numbers[:, REGRET] = HUGE * policy.probabilities
        numbers[:, STRATEGY] = 0.0
        planner._run(table, routes, Budget(SIMULATIONS))
        found.append(np.stack([numbers[:, REGRET] - HUGE * policy.probabilities, numbers[:, STRATEGY]]))
    assert len(table) == len(keys)
    samples = np.array(found) / (SIMULATIONS / 2)
    visits = np.repeat(sets.visits, np.diff(tree.starts))
    return samples.mean(axis=0), samples.std(axis=0, ddof=1) / np.sqrt(BATCHES), visits


def scrambled(game, seed):
    rng = np.random.default_rng(seed)
    tree = game_tree(game)
    rows = [rng.dirichlet(np.ones(len(actions))) for actions in tree.actions]
    if seed == 2:  # actions that are never played, also on the way to the target
        rows = [np.eye(len(row))[row.argmax()] * 0.5 + 0.5 * row * (row > 0.2) for row in rows]
    return bw.Policy.of(tree, np.concatenate([row / row.sum() for row in rows]))


CASES = [
    (KuhnPoker, None, {}),
    (KuhnPoker, None, {"baseline_step": 0.0, "exploration": 1.0}),
    (KuhnPoker, ("Q J pass bet", 0), {}),
    (KuhnPoker, ("J K bet", 1), {"baseline_step": 0.0}),
    (Peek, ([0, 1, 2], 1), {"targeting": 0.5}),
    (LeducPoker, ("Ja Qa raise call Kb", 0), {}),
]


@pytest.mark.parametrize(("game", "moves", "settings"), CASES, ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_means_are_those_of_all_histories(game, moves, settings, seed):
    policy = scrambled(game, seed)
    target = moves and bw.Playthrough(game(), moves[0]).information_state(moves[1])
    means, errors, visits = sampled(policy, target, **settings)
    rounding = 2e-5  # of numbers around 2**40
    for mean, error, wanted in zip(means, errors, exact(policy), strict=True):
        far = np.abs(mean - wanted) / (error + rounding)
        common = (error > 10 * rounding) & (visits > 3000)  # so that the mean is about normal
        assert common.sum() >= 5
        assert far[common].max() < 6.0
        assert np.sqrt(np.mean(far[common] ** 2)) < 2.0
        assert np.corrcoef(mean[visits > 3000], wanted[visits > 3000])[0, 1] > 0.9


def test_a_wrong_weight_would_be_found():
    """The same comparison fails if targeted simulations are counted as if they were not."""
    policy = scrambled(KuhnPoker, 1)
    target = bw.Playthrough(KuhnPoker(), "Q J pass bet").information_state(0)
    means, errors, _ = sampled(policy, target)
    wrong = exact(policy)[1] * 1.05
    assert (np.abs(means[1] - wrong) / errors[1]).max() > 10
