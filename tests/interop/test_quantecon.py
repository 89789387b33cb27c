"""Tables solved by QuantEcon's DiscreteDP, and by us: the same values."""

import numpy as np
import pytest

import branchwise as bw

markov = pytest.importorskip("quantecon.markov")

PROBLEMS = 50


def random_tables(seed):
    """Return rewards [S, A], -inf for what is not allowed, probabilities [S, A, S] and the discount."""
    rng = np.random.default_rng(seed)
    states, actions = int(rng.integers(2, 30)), int(rng.integers(1, 6))
    chances = rng.random((states, actions, states)) * (rng.random((states, actions, states)) < 0.4)
    chances[:, :, 0] += 1e-3
    chances /= chances.sum(axis=2, keepdims=True)
    rewards = rng.normal(size=(states, actions))
    rewards[:, 1:][rng.random((states, actions - 1)) < 0.2] = -np.inf
    return rewards, chances, float(rng.choice([0.3, 0.9, 0.99, 0.999]))


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_values_are_those_of_quantecon(seed):
    rewards, chances, discount = random_tables(seed)
    theirs = markov.DiscreteDP(rewards, chances, discount).solve(method="policy_iteration")
    scale = max(1.0, float(np.abs(theirs.v).max()))
    for start in {0, len(rewards) - 1}:
        state = bw.from_matrices(chances, rewards, discount=discount, start=start, layout="state-action-next")
        found = bw.solve(state)
        assert abs(found.value - theirs.v[start]) <= 1e-9 * scale
        assert found.policy[state] == theirs.sigma[start]
