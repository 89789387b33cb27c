"""The playouts of Connect 4 against their definition, by trying every move."""

import pytest

import branchwise as bw
from branchwise.compile.states.randomness import Randomness
from branchwise.core.numbers.random_streams import new_streams
from branchwise.games.connect_four import ConnectFour

BOARDS = [
    {},
    {"rows": 4, "columns": 5},
    {"in_a_row": 3},
    {"rows": 7, "columns": 6, "in_a_row": 5},
    {"rows": 1},
]


def wins(state, action):
    after = state.copy()
    after.apply_action(action)
    return after.won


def sensible(state):
    """Return the moves that a playout may make, from the definition."""
    legal = list(state.legal_actions())
    winning = [action for action in legal if wins(state, action)]
    if winning:
        return winning
    passed = state.copy()
    passed.mine, passed.mover = passed.mine ^ passed.taken, 1 - passed.mover
    blocking = [action for action in legal if wins(passed, action)]
    if blocking:
        return blocking

    def prepares(action):
        after = state.copy()
        after.apply_action(action)
        return action in after.legal_actions() and wins(after, action)

    return [action for action in legal if not prepares(action)] or legal


@pytest.mark.parametrize("options", BOARDS, ids=str)
def test_moves_are_sensible_and_all_of_them_occur(options, positions):
    game = ConnectFour.configured(**options)
    random = Randomness(new_streams(1))
    kinds = set()
    for state in positions(game, games=12):
        if state.is_terminal():
            continue
        expected = sensible(state)
        assert {state.playout_action(random) for _ in range(40 * len(expected))} == set(expected)
        kinds.add(len(expected) < len(list(state.legal_actions())))
    assert True in kinds


def test_compiled_playouts_are_the_same():
    compiled = bw.MCTS(playout="game", seed=3).search(ConnectFour(), simulations=300)
    plain = bw.MCTS(playout="game", seed=3, compiled=False).search(ConnectFour(), simulations=300)
    assert compiled.tree.to_text() == plain.tree.to_text()
    assert compiled.value == plain.value
