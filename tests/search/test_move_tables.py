"""GRAVE: tables of all moves of nodes with many visits, and moves that have no statistics."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.core.tree.node_fields import LEAST_TABLES, MOVES_EACH, ROOT, TABLES_USED
from branchwise.games.tic_tac_toe import TicTacToe
from support.paying import Wheel

GRAVE = {"selection": "grave(reference_visits=20)", "playout": "uniform", "proofs": False, "seed": 1}
MOVES = 18


def table_of(tree, node):
    """Return the table of a node, or None."""
    number = int(tree.move_tables[node])
    return tree.all_moves[(number - 1) * MOVES : number * MOVES] if number > 0 else None


@pytest.mark.bounds
def test_the_roots_table_counts_every_move_of_every_simulation():
    """No move can be played twice in a game, so each counts once for each simulation."""
    result = bw.MCTS(**GRAVE).search(TicTacToe(), simulations=700)
    table = table_of(result.tree._tree, ROOT)
    assert result.tree._tree.tables[MOVES_EACH] == MOVES
    assert table["visits"].sum() == result.moves
    mine, others = table[:9], table[9:]
    assert (mine["visits"] + others["visits"] <= 700).all()
    assert mine["visits"].sum() > others["visits"].sum()  # X has a move more
    lost = 700 - result.tree._tree.nodes["value"][1:10].sum()
    for moves, gained in ((mine, 700 - lost), (others, lost)):
        assert (moves["value"] <= np.minimum(moves["visits"], gained) + 1e-9).all()


def test_nodes_have_tables_after_half_of_the_visits():
    tree = bw.MCTS(**GRAVE).search(TicTacToe(), simulations=700).tree._tree
    used = int(tree.counters[0])
    visits, expanded = tree.nodes["visits"][:used], tree.nodes["first"][:used] > 0
    due = expanded & (visits > 10)
    due[ROOT] = True
    assert tree.tables[TABLES_USED] == due.sum() > 10
    assert ((tree.move_tables[:used] > 0) == due).all()
    numbers = tree.move_tables[:used][due]
    assert sorted(numbers) == list(range(1, due.sum() + 1))


def test_a_kept_tree_keeps_its_tables():
    planner = bw.MCTS(**GRAVE)
    state = TicTacToe()
    result = planner.search(state, simulations=2000)
    tree, child = result.tree._tree, result.tree.root.children[0]
    before = table_of(tree, child.index).copy()
    used = int(tree.tables[TABLES_USED])
    planner.advance(child.action)
    state.apply_action(child.action)
    again = planner.search(state, simulations=1)
    kept = again.tree._tree
    gained = table_of(kept, ROOT)["visits"] - before["visits"]
    assert set(gained) == {0, 1}
    assert gained.sum() == again.moves
    assert 0 < kept.tables[TABLES_USED] < used


def test_without_room_for_tables_those_above_are_read():
    """A tree of so few nodes has room for LEAST_TABLES."""
    result = bw.MCTS(selection="grave(reference_visits=1)", proofs=False, seed=1).search(
        TicTacToe(), simulations=3000, max_nodes=600
    )
    tree = result.tree._tree
    assert tree.all_moves.size == LEAST_TABLES * MOVES
    numbers = tree.move_tables[: int(tree.counters[0])]
    assert (numbers < 0).any()
    assert sorted(numbers[numbers > 0]) == list(range(1, LEAST_TABLES + 1))


def test_threads_share_tables():
    result = bw.MCTS(**GRAVE, threads=2).search(TicTacToe(), simulations=4000)
    tree = result.tree._tree
    assert abs(int(table_of(tree, ROOT)["visits"].sum()) - result.moves) <= 9 * 64


def test_rewards_after_a_node_are_credited_in_its_table():
    result = bw.MCTS(**GRAVE).search(Wheel(), simulations=300)
    plain = bw.MCTS(**GRAVE, compiled=False).search(Wheel(), simulations=300)
    mine, theirs = result.tree._tree, plain.tree._tree
    size = int(mine.tables.prod())
    assert size > 0
    assert (mine.all_moves[:size] == theirs.all_moves[:size]).all()


@pytest.mark.parametrize("selection", ["rave", "grave"])
def test_moves_without_statistics_are_tried_first(selection):
    """So after as many simulations as moves, each move was played by its player at least once."""
    tree = bw.MCTS(selection=selection, proofs=False, seed=1).search(TicTacToe(), simulations=9).tree._tree
    children = tree.nodes[1:10]
    if selection == "rave":
        assert (tree.amaf[1:10]["visits"] > 0).all()
    else:
        assert (table_of(tree, ROOT)["visits"][children["action"]] > 0).all()
