"""Random small games of every kind against exact solvers of the tests' own: see `support.random_tables`."""

import numpy as np
import pytest

import branchwise as bw
from support import random_tables
from support.random_tables import Paid, Turns, Unlike, at_once, peeking, turns
from support.rows import slow

SETTINGS = [{}, {"transpositions": True}, {"selection": "puct"}, {"threads": 2}]


def bounds_hold(node, state, exact):
    """Check the bounds of all nodes below `node`; return how many of them are proven."""
    waiting, solved = [(node, state)], 0
    while waiting:
        node, state = waiting.pop()
        mover = state.current_player()
        for child in node.children:
            after = state.copy()
            rewards = after.apply_action(child.action)
            values = exact(after)
            if mover >= 0:
                gain = 0.0 if rewards is None else rewards[mover]
                factor = state.discount if after.current_player() >= 0 else 1.0
                worth = gain + factor * values[mover]
                lower, upper = child.bounds
                assert lower - 1e-6 <= worth <= upper + 1e-6
                solved += child.proven is not None
            waiting.append((child, after))
    return solved


@pytest.mark.parametrize(("game", "number"), [(Turns, 60), (Paid, 40), slow(Turns, 1000), slow(Paid, 500)])
def test_bounds_and_proofs_of_random_games_hold_for_every_setting(game, number):
    solved = decided = 0
    for seed in range(number):
        state = turns(game, seed)
        exact = random_tables.value(state)[state.current_player()]
        settings = SETTINGS[seed % len(SETTINGS)]
        result = bw.MCTS(seed=seed, **settings).search(state, simulations=(40, 300, 3000)[seed % 3])
        solved += bounds_hold(result.tree.root, state, random_tables.value)
        if result.ended_by == "proven":
            decided += 1
            assert result.value == pytest.approx(exact, abs=1e-6)
    assert solved > 5 * number
    assert decided > number / 4


@pytest.mark.parametrize("number", [20, slow(200)])
def test_searches_of_general_sums_come_to_backward_induction_and_prove_nothing(number):
    """Where an opponent hardly cares between two moves that matter to the other, visits take long to tell."""
    lost = missed = 0
    for seed in range(number):
        state = turns(Unlike, seed)
        state.worth[:] = np.random.default_rng(seed).uniform(-1, 1, state.worth.shape)
        mover = state.current_player()
        result = bw.MCTS(seed=seed, c=0.5).search(state, simulations=50_000)
        assert bounds_hold(result.tree.root, state, random_tables.value) == 0
        after = state.copy()
        after.apply_action(result.best_action)
        exact = random_tables.value(state)[mover]
        lost += random_tables.value(after)[mover] < exact - 0.02
        missed += abs(result.value - exact) > 0.1
    assert lost <= number / 40
    assert missed <= number / 20


@pytest.mark.parametrize("number", [15, slow(300)])
def test_strategies_of_random_joint_games_are_near_an_equilibrium(number):
    """A twentieth of uniform play remains in every mean, and with it about as much of an error."""
    gains, errors = [], []
    for seed in range(number):
        state = at_once(seed)
        result = bw.MCTS(joint="regret_matching(gamma=0.05)", seed=seed).search(state, simulations=100_000)
        matrix = random_tables.joint_matrix(state)
        first, second = (
            np.array([policy.get(action, 0.0) for action in range(3)]) for policy in result.policies
        )
        gains.append((matrix @ second).max() - (first @ matrix).min())
        errors.append(abs(result.values[0] - random_tables.matrix_value(matrix)))
    assert max(gains) < 0.3
    assert np.mean(gains) < 0.03
    assert max(errors) < 0.15
    assert np.mean(errors) < 0.03


@pytest.mark.parametrize("number", [12, slow(400)])
def test_a_search_of_what_is_known_finds_the_values_of_random_hidden_games(number):
    for seed in range(number):
        state = peeking(seed)
        known = bw.Playthrough(state).information_state(0)
        result = bw.MCTS(seed=seed).search(known, simulations=20_000)
        exact = random_tables.peeking_values(state)
        best = result.children[0]
        assert exact[best.action] >= max(exact) - 0.02, seed
        assert best.value == pytest.approx(exact[best.action], abs=0.06)
        state.deck[:] = np.roll(state.deck, 1)
        again = bw.MCTS(seed=seed).search(bw.Playthrough(state).information_state(0), simulations=20_000)
        assert again.children == result.children
