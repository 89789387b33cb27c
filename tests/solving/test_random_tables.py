"""Random Markov decision processes, in all layouts, against policy iteration with a linear solve."""

import numpy as np
import pytest
from scipy import sparse

import branchwise as bw
from branchwise.testing import UnsolvableError

TABLES = 1000


def random_process(seed):
    """Return probabilities [A, S, S], rewards [A, S, S], allowed actions [S, A] and the discount.

    Kinds by number: discounted; without a discount, rewards of at least 0, of at most 0, and of both signs
    where an end is near. In the second and third there are loops and chains without an exit.
    """
    rng = np.random.default_rng(seed)
    kind = seed % 4
    states, actions = int(rng.integers(2, 13)), int(rng.integers(1, 5))
    chances = rng.random((actions, states, states)) * (
        rng.random((actions, states, states)) < rng.uniform(0.15, 1)
    )
    for action in range(actions):
        for state in range(states):
            if rng.random() < 0.35 or not chances[action, state].any():  # one sure next state, often a loop
                chances[action, state] = 0.0
                chances[action, state, state if rng.random() < 0.3 else rng.integers(states)] = 1.0
            elif rng.random() < 0.2:  # leaves only slowly
                chances[action, state] *= 1e-4
                chances[action, state, state] = 1.0
    rewards = np.round(rng.normal(size=(actions, states, states)), 2)
    rewards[rng.random(rewards.shape) < 0.4] = 0.0
    discount = 1.0
    if kind == 0:
        discount = float(rng.choice([0.0, 0.5, 0.9, 0.99, 0.9999]))
    elif kind == 1:
        # What pays can be had only on the way to the last state, which ends it all.
        chances[:, -1] = 0.0
        chances[:, -1, -1] = 1.0
        rewards[:] = 0.0
        rewards[:, :-1, -1] = np.round(rng.random((actions, states - 1)), 2)
    else:
        chances[:, -1] = 0.0
        chances[:, -1, -1] = 1.0
        rewards = -np.abs(rewards) if kind == 2 else rewards
        rewards[:, -1] = 0.0
        if kind == 3:
            chances[:, :-1, -1] += 0.05 * chances[:, :-1].sum(axis=2)
        else:
            chances[0, :-1, -1] += 0.01
    chances /= chances.sum(axis=2, keepdims=True)
    allowed = np.ones((states, actions), bool)
    if seed % 3 == 0:
        allowed = rng.random((states, actions)) < 0.7
        allowed[:, 0] = True
    return chances, rewards, allowed, discount


def by_policy_iteration(chances, rewards, allowed, discount):
    """Return the values by Howard's policy iteration; where play may stay for nothing, for 0."""
    states = chances.shape[1]
    paid = (chances * rewards).sum(axis=2).T  # [S, A]
    free = np.zeros(states, bool)
    if discount == 1.0:
        # States from which play can go on for ever without a reward, or must: the greatest such set.
        free = np.ones(states, bool)
        nothing = ~((chances > 0) & (rewards != 0.0)).any(axis=2).T & allowed
        while True:
            inside = nothing & ~((chances > 0) & ~free[None, None, :]).any(axis=2).T
            kept = free & inside.any(axis=1)
            if (kept == free).all():
                break
            free = kept
        if (rewards > 0).any():  # to stay is an option, not the best one: only where no reward can follow
            can = np.zeros(states, bool)
            while True:
                more = (
                    can
                    | (((paid > 0) & allowed).any(axis=1))
                    | (((chances > 0) & can[None, None, :]).any(axis=2).T & allowed).any(axis=1)
                )
                if (more == can).all():
                    break
                can = more
            free &= ~can
    # A policy that comes to an end: towards the free states, and last of all towards what is nearest.
    policy = np.argmax(allowed, axis=1)
    done = free.copy()
    while True:
        near = ((chances > 0) & done[None, None, :]).any(axis=2).T & allowed
        new = near.any(axis=1) & ~done
        if not new.any():
            break
        policy[new] = np.argmax(near[new], axis=1)
        done |= new
    for _ in range(100):  # rounding could go round in circles
        own = chances[policy, np.arange(states)] * discount
        own[free] = 0.0
        reward = np.where(free, 0.0, paid[np.arange(states), policy])
        values = np.linalg.solve(np.eye(states) - own, reward)
        gains = np.where(allowed, paid + discount * (chances @ values).T, -np.inf)
        better = gains.max(axis=1) > gains[np.arange(states), policy] + 1e-10 * (1 + np.abs(values))
        better &= ~free
        if not better.any():
            break
        policy = np.where(better, np.argmax(gains, axis=1), policy)
    return values


def given(seed, chances, rewards, allowed, discount):
    """Return the process as `from_matrices` reads it, in one of the layouts by turns."""
    actions, states, _ = chances.shape
    paid = (chances * rewards).sum(axis=2).T
    way = seed % 5
    if way == 0:
        if not allowed.all():
            rewards = np.where(allowed.T[:, :, None], rewards, -np.inf)
        return bw.from_matrices(chances, rewards, discount=discount, layout="action-state-next")
    if way == 1:
        if not allowed.all():
            rewards = np.where(allowed.T[:, :, None], rewards, -np.inf)
            return bw.from_matrices(list(map(sparse.csr_matrix, chances)), rewards, discount=discount)
        return bw.from_matrices(
            list(map(sparse.csr_matrix, chances)), list(map(sparse.coo_matrix, rewards)), discount=discount
        )
    if discount == 1.0:  # what is paid on average for an action hides where nothing is paid
        rewards = np.where(allowed.T[:, :, None], rewards, -np.inf)
        return (
            bw.from_matrices(
                chances.transpose(1, 0, 2),
                rewards.transpose(1, 0, 2),
                discount=discount,
                layout="state-action-next",
            )
            if actions != states
            else bw.from_matrices(chances, rewards, discount=discount, layout="action-state-next")
        )
    if way == 2:
        return bw.from_matrices(
            chances.transpose(1, 0, 2),
            np.where(allowed, paid, -np.inf),
            discount=discount,
            layout="state-action-next",
        )
    pairs = np.argwhere(allowed)
    rows = chances[pairs[:, 1], pairs[:, 0]]
    return bw.from_matrices(
        sparse.csr_matrix(rows) if way == 3 else rows,
        paid[pairs[:, 0], pairs[:, 1]],
        discount=discount,
        state_indices=pairs[:, 0],
        action_indices=pairs[:, 1],
    )


def values_of(state):
    found = np.zeros(state.states)
    while state.is_terminal():
        if state.place + 1 == state.states:
            return found, None
        state.place += 1
    policy = bw.solve(state).policy
    for place in range(state.states):
        here = state.copy()
        here.place = place
        if not here.is_terminal():
            found[place] = policy.value(here)
    return found, policy


def assert_is_optimal(seed, state, policy, values, process):
    """What the policy plays from each state is worth what it says, by simulation of its own equations."""
    chances, rewards, _, discount = process
    states = len(values)
    own = np.zeros((states, states))
    paid = np.zeros(states)
    for place in range(states):
        here = state.copy()
        here.place = place
        if not here.is_terminal():
            action = policy[here]
            own[place] = chances[action, place] * discount
            paid[place] = chances[action, place] @ rewards[action, place]
    total, power = paid.copy(), own
    for _ in range(40):  # the sum of 2 ** 40 steps
        total, power = total + power @ total, power @ power
    assert total == pytest.approx(values, abs=1e-7 * (1 + np.abs(values).max())), seed


@pytest.mark.parametrize("block", range(10))
def test_random_tables_have_the_values_of_policy_iteration(block):
    for seed in range(block, TABLES, 10):
        process = random_process(seed)
        state = given(seed, *process)
        found, policy = values_of(state)
        expected = by_policy_iteration(*process)
        assert found == pytest.approx(expected, abs=1e-9 * (1 + np.abs(expected).max())), seed
        if policy is not None:
            assert_is_optimal(seed, state, policy, found, process)


def test_a_thousand_tables_of_one_size_are_one_class_and_are_solved_without_compiling(monkeypatch):
    from branchwise.compile.code import call_kernel

    rng = np.random.default_rng(1)
    kinds = set()
    bw.solve(bw.from_matrices(np.eye(3)[None], np.ones(3), discount=0.5))
    compiled = []
    monkeypatch.setattr(call_kernel, "_compiled", lambda *args: compiled.append(args))
    for _ in range(1000):
        chances = rng.random((2, 5, 5))
        state = bw.from_matrices(
            chances / chances.sum(axis=2, keepdims=True), rng.random((5, 2)), discount=0.9, start=2
        )
        kinds.add(type(state))
        assert bw.solve(state).value > 0.0
    assert len(kinds) == 1
    assert not compiled


def test_a_table_that_pays_for_ever_is_refused():
    for reward in (1.0, -1.0):
        state = bw.from_matrices(np.eye(2)[None], np.full(2, reward), discount=1.0)
        with pytest.raises(UnsolvableError, match="can go on for ever") as caught:
            bw.solve(state)
        assert "discount below 1" in caught.value.mend
