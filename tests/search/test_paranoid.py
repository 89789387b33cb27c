"""Searches in which all others play against the player at the root."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.testing import check_game
from support.paying import Gifts
from support.rows import bounded, slow
from support.trees import all_facts


class Pots(bw.Game):
    """Three players in turn take one of four pots, twice round; what the pots hold depends on who was before.

    Each wants most for themselves, and a move that costs its player little may cost another much.
    """

    num_players = 3
    num_actions = 4
    max_game_length = 6
    min_return, max_return = 0.0, 1.0
    utility = "general_sum"

    taken: bw.Array[np.int8, 6] = -1
    moves: np.int8 = 0

    def current_player(self):
        return self.moves % 3

    def legal_actions(self):
        for pot in range(4):
            yield pot

    def apply_action(self, action):
        self.taken[self.moves] = action
        self.moves += 1

    def is_terminal(self):
        return self.moves == 6

    def returns(self):
        return (self.share(0), self.share(1), self.share(2))

    def share(self, player):
        mine = 5 * self.taken[player] + 3 * self.taken[player + 3]
        other = 7 * self.taken[(player + 1) % 3] + 11 * self.taken[(player + 2) % 3 + 3]
        return float((mine * (other + 3) + other) % 23) / 23.0

    def evaluate(self):
        return (0.2 + self.moves / 20, 0.5, 0.3)


def worth(state, viewer, paid=0.0):
    """Return what `viewer` gets at least, whatever the others do."""
    if state.is_terminal():
        return state.returns()[viewer] if hasattr(state, "returns") else 0.0
    found = []
    for action in state.legal_actions():
        after = state.copy()
        given = after.apply_action(action)
        reward, discount = (given[viewer], state.discount) if given is not None else (0.0, 1.0)
        found.append(reward + discount * worth(after, viewer))
    return max(found) if state.current_player() == viewer else min(found)


def selfish(state):
    """Return what each player gets if everyone takes what is best for them."""
    if state.is_terminal():
        return state.returns()
    mover, found = state.current_player(), []
    for action in state.legal_actions():
        after = state.copy()
        after.apply_action(action)
        found.append(selfish(after))
    return max(found, key=lambda returns: returns[mover])


@pytest.mark.parametrize("moves", [[], [1], [2, 3], [0, 1, 2], [3, 0, 2, 1]], ids=str)
@pytest.mark.parametrize("settings", [{"c": 2.0}, {"c": 2.0, "transpositions": True}], ids=str)
def test_the_root_player_gets_what_others_cannot_prevent(moves, settings):
    """From each seat, and both parities."""
    state = Pots.from_actions(moves)
    viewer = state.current_player()
    least = worth(state, viewer)
    result = bw.MCTS(seed=1, paranoid=True, **settings).search(state, simulations=400_000)
    assert result.value == pytest.approx(least, abs=0.03)
    after = state.copy()
    after.apply_action(result.best_action)
    assert worth(after, viewer) == pytest.approx(least)


def test_that_is_less_than_what_they_get_where_each_goes_for_themselves():
    differing = 0
    for moves in ([1], [2, 3], [0, 1, 2]):
        state = Pots.from_actions(moves)
        mine = selfish(state)[state.current_player()]
        least = worth(state, state.current_player())
        assert least <= mine
        result = bw.MCTS(seed=1).search(state, simulations=400_000)
        assert result.value == pytest.approx(mine, abs=0.05)
        differing += mine - least > 0.1
    assert differing >= 2


@pytest.mark.parametrize("moves", [[], [0], [1, 1], [1, 0, 1]], ids=str)
@pytest.mark.parametrize("settings", [{}, slow({"transpositions": True})], ids=str)
def test_rewards_are_opposed_too(moves, settings):
    state = Gifts.from_actions(moves)
    least = worth(state, state.current_player())
    result = bw.MCTS(seed=1, paranoid=True, **settings).search(state, simulations=30_000)
    low, high = result.scale
    assert result.value == pytest.approx(least, abs=0.03 * max(high - low, 1.0))


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        (Pots, {}),
        bounded(Pots, {"playout": "mast", "implicit_minimax": 0.3}),
        bounded(Pots, {"transpositions": True}),
        (Gifts, {}),
        bounded(Gifts, {"selection": "grave"}),
        slow(Pots, {"playout": "mast"}),
        slow(Pots, {"implicit_minimax": 0.3}),
        slow(Pots, {"selection": "grave"}),
        slow(Gifts, {"playout": "mast"}),
        slow(Gifts, {"transpositions": True}),
    ],
    ids=str,
)
def test_compiled_and_interpreted_searches_build_the_same_tree(game, settings):
    compiled = bw.MCTS(seed=3, paranoid=True, **settings).search(game(), simulations=300)
    plain = bw.MCTS(seed=3, paranoid=True, compiled=False, **settings).search(game(), simulations=300)
    assert all_facts(compiled.tree.root) == all_facts(plain.tree.root)


def test_values_of_the_others_are_opposites():
    tree = bw.MCTS(seed=1, paranoid=True).search(Pots(), simulations=3000).tree
    for child in tree.root.children:
        of_others = sum(node.visits * node.value for node in child.children)
        mine = child.visits * child.value
        first = child.visits - sum(node.visits for node in child.children)  # played out at the child itself
        assert mine + of_others == pytest.approx(sum(node.visits for node in child.children), abs=first)


def test_another_view_begins_anew():
    planner, state = bw.MCTS(seed=1, paranoid=True), Pots()
    for player in range(4):
        result = planner.search(state, simulations=500)
        again = bw.MCTS(seed=2, paranoid=True).search(state, simulations=500)
        assert result.player == player % 3
        if player < 3:
            assert result.tree.root.visits == again.tree.root.visits == 500
        state.apply_action(result.best_action)
        planner.advance(result.best_action)
    planner, state = bw.MCTS(seed=1, paranoid=True), Pots()
    action = planner.search(state, simulations=5000).best_action
    for move in (action, 1, 2):
        state.apply_action(move)
        assert planner.advance(move)
    assert planner.search(state, simulations=10).tree.root.visits > 10  # the same player is to move again


def test_two_players_with_a_constant_sum_are_searched_as_ever():
    from branchwise.games.connect_four import ConnectFour

    one = bw.MCTS(seed=1, proofs=False, paranoid=True).search(ConnectFour(), simulations=500)
    other = bw.MCTS(seed=1, proofs=False).search(ConnectFour(), simulations=500)
    assert all_facts(one.tree.root) == all_facts(other.tree.root)


def test_nothing_is_proven():
    result = bw.MCTS(seed=1, paranoid=True).search(Pots.from_actions([1, 2, 3, 0, 1]), simulations=500)
    assert result.ended_by == "simulations"
    assert all(child.proven is None for child in result.children)


def test_these_pots_keep_the_rules():
    assert check_game(Pots, games=20).games == 20
