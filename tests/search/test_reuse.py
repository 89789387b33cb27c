"""Trees kept from move to move."""

import gc
import os

import numpy as np
import pytest

import branchwise as bw
from branchwise.core.tree.child_indices import children_of_one
from branchwise.core.tree.node_fields import LINK, SPARE, USED
from branchwise.games.connect_four import ConnectFour
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing import exact_value
from support.pig import Pig
from support.rules import Kalah, Passing, Race
from support.trees import same_arrays


def facts_below(node, line=()):
    """Return what is known of every node below, by the line that leads there."""
    found = {line: (node.visits, node.value if line else None, node.bounds if line else None, node.player)}
    for child in node.children:
        found.update(facts_below(child, (*line, child.action)))
    return found


@pytest.mark.bounds
@pytest.mark.parametrize("settings", [{}, {"transpositions": True}, {"selection": "rave"}], ids=str)
@pytest.mark.parametrize("compiled", [None, False], ids=["compiled", "python"])
def test_advance_keeps_the_part_below_as_it_is(compiled, settings):
    planner = bw.MCTS(seed=1, compiled=compiled, **settings)
    result = planner.search(TicTacToe(), simulations=400)
    action = result.best_action
    child = next(c for c in result.tree.root.children if c.action == action)
    before = facts_below(child)
    assert planner.advance(action)
    state = TicTacToe.from_actions([action])
    after = planner.search(state, simulations=1)
    assert after.simulations == 1
    assert after.tree.root.visits == before[()][0] + 1
    unchanged = sum(
        before[line][:2] == facts[:2]
        for line, facts in facts_below(after.tree.root).items()
        if line in before
    )
    assert unchanged >= len(before) - 30  # all but the path of one simulation, and what it shares states with


def grown_in_a_game(game, **settings):
    """Return the children of every search of a whole game, by a planner that keeps its tree."""
    planner, state, seen = bw.MCTS(seed=5, **settings), game(), []
    moves = np.random.default_rng(1)
    while not state.is_terminal() and len(seen) < 12:
        if state.current_player() != bw.CHANCE:
            result = planner.search(state, simulations=60)
            seen.append([(child.action, child.visits, child.value) for child in result.children])
        action = int(moves.choice(list(state.legal_actions())))
        planner.advance(action)
        state.apply_action(action)
    return seen


@pytest.mark.parametrize("game", [Race, Pig], ids=lambda game: game.name)
def test_all_drivers_grow_the_same_trees_in_a_whole_game(game, late_code):
    """Random numbers that were drawn ahead are not lost when the root moves on."""
    expected = grown_in_a_game(game)
    assert grown_in_a_game(game, compiled=False) == expected
    for late_code.asked_for in (30, 100, 10**9):
        assert grown_in_a_game(game, compiled="meanwhile") == expected


@pytest.mark.bounds
@pytest.mark.parametrize("game", [Kalah, Passing, Race, TicTacToe], ids=lambda game: game.name)
def test_a_whole_game_with_a_kept_tree_stays_right(game):
    planner, state = bw.MCTS(seed=5), game()
    while not state.is_terminal():
        result = planner.search(state, simulations=300)
        tree = result.tree._tree
        used = int(tree.counters[USED])
        real = tree.nodes["flags"][:used] & (LINK | SPARE) == 0
        for i in np.flatnonzero(real & (tree.nodes["first"][:used] >= 0)):
            children = children_of_one(tree.nodes, i)
            assert i < children.min() <= children.max() < used
            assert tree.nodes["visits"][i] >= tree.nodes["visits"][children].sum()
        if game is not Race:
            for child in result.children:
                after = state.copy()
                after.apply_action(child.action)
                if child.proven is None or after.is_terminal():
                    continue
                same = after.current_player() == result.player
                assert child.proven == (exact_value(after) if same else -exact_value(after))
        planner.advance(result.best_action)
        state.apply_action(result.best_action)


@pytest.mark.bounds
def test_a_graph_that_is_given_more_room_still_finds_equal_states():
    planner, state = bw.MCTS(seed=1, transpositions=True, proofs=False), TicTacToe()
    action = planner.search(state, simulations=100).best_action
    assert planner.advance(action)
    state.apply_action(action)
    tree = planner.search(state, simulations=3000).tree._tree
    used = int(tree.counters[USED])
    assert used > 9 * 101 + 1  # more than there was room for
    own = np.flatnonzero((tree.links[:used] == np.arange(used)) & (tree.keys[:used] != 0))
    assert own.size < used
    assert np.unique(tree.keys[own]).size == own.size


def test_a_tree_that_was_moved_cannot_be_read_any_more():
    planner = bw.MCTS(seed=1)
    result = planner.search(ConnectFour(), simulations=1000)
    planner.advance(result.best_action)
    with pytest.raises(bw.BranchwiseError, match="before the search goes on or the planner advances"):
        _ = result.tree
    assert result.children[0].visits > 0


def test_another_state_than_the_one_reached_starts_anew():
    planner = bw.MCTS(seed=1)
    planner.advance(0)
    planner.search(ConnectFour(), simulations=500)
    planner.advance(3)
    other = planner.search(ConnectFour.from_actions(["a1"]), simulations=100)
    assert other.tree.root.visits == 100


def test_an_action_that_is_not_legal_is_refused():
    planner = bw.MCTS(seed=1)
    planner.search(ConnectFour(), simulations=50)
    with pytest.raises(bw.SettingsError, match="not a legal action"):
        planner.advance(9)


def test_thousands_of_advances_use_no_more_memory():
    planner = bw.MCTS(seed=1, memory_mb=1)
    capacity = None
    for _ in range(60):
        state = ConnectFour()
        planner.search(state, simulations=200)
        while not state.is_terminal():
            action = planner.search(state, simulations=50).best_action
            planner.advance(action)
            state.apply_action(action)
            if planner._states.session is not None:
                tree = planner._states.session.trees[0]
                assert tree.nodes.size * tree.nodes.itemsize <= 2**20
                capacity = tree.nodes.size
    assert capacity is not None


def resident_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
@pytest.mark.parametrize("settings", [{}, {"threads": 2}, {"transpositions": True}], ids=str)
def test_ten_thousand_advances_leave_the_process_no_larger(settings):
    planner = bw.MCTS(seed=1, memory_mb=16, **settings)
    sizes, advances = [], 0
    while advances < 12_000:
        state = ConnectFour()
        while not state.is_terminal():
            action = planner.search(state, simulations=500).best_action
            planner.advance(action)
            state.apply_action(action)
            advances += 1
            if advances % 1000 == 0:
                gc.collect()
                sizes.append(resident_mb())
    assert max(sizes[2:]) - sizes[1] < 2, sizes


def test_bots_keep_their_tree_from_move_to_move():
    bot, other = bw.load_bot("mcts(simulations=300)", seed=1), bw.load_bot("random", seed=2)
    state, kept = ConnectFour(), 0
    while not state.is_terminal():
        mover = bot if state.current_player() == 0 else other
        action = mover.choose(state)
        if mover is bot:
            kept += bot.result.tree.root.visits > 300
        state.apply_action(action)
    assert kept >= 2


def test_bots_games_can_be_repeated():
    def game():
        bots = [bw.load_bot("mcts(simulations=100)", seed=s) for s in (1, 2)]
        state, actions = ConnectFour(), []
        while not state.is_terminal():
            actions.append(bots[state.current_player()].choose(state))
            state.apply_action(actions[-1])
        return actions

    assert game() == game()


def test_tree_is_not_kept_when_the_rules_have_been_changed(monkeypatch):
    planner = bw.MCTS(seed=1)
    action = planner.search(TicTacToe(), simulations=100).best_action
    assert planner.carry_on()
    monkeypatch.setattr(TicTacToe, "is_terminal", lambda self: True)
    assert not planner.carry_on()
    assert not planner.advance(action)
    monkeypatch.undo()
    planner.search(TicTacToe(), simulations=100)
    assert planner.advance(action)


@pytest.mark.parametrize(
    "settings",
    [{}, {"transpositions": True}, {"selection": "rave"}, {"compiled": False}],
    ids=["plain", "graph", "rave", "interpreted"],
)
def test_a_tree_that_grows_in_place_is_the_tree_that_is_copied(settings):
    roomy, other = (bw.MCTS(seed=1, memory_mb=megabytes, **settings) for megabytes in (4, 0.1))
    roomy.carry_on(memory_mb=0.1)
    places = []
    for megabytes in (0.1, 0.2, 4):
        found = []
        for planner in (roomy, other):
            planner.carry_on(memory_mb=megabytes)
            found.append(planner.search(ConnectFour(), simulations=2500))
            assert found[-1].memory_full == (megabytes < 4)
            places.append(found[-1].live_tree.reader.tree.nodes.ctypes.data)
        assert same_arrays(*found)
    assert len(set(places[::2])) == 1
    assert len(set(places[1::2])) > 1
