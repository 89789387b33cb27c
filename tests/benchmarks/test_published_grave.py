"""The compact search as published, which is compared with Branchwise's."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from branchwise.games.tic_tac_toe import TicTacToe

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def published():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("published_grave")


@pytest.mark.parametrize("rule", ["uct", "rave", "grave"])
def test_wins_in_one_and_blocks_are_found(published, rule):
    search = published.PublishedSearch(rule=rule, playouts=2000, seed=1)
    wins = TicTacToe.from_actions("a1 b1 a2 b2")
    assert wins.action_to_string(search.choose(wins)) == "a3"
    blocks = TicTacToe.from_actions("a1 b2 a2")
    assert blocks.action_to_string(search.choose(blocks)) == "a3"


def test_statistics_add_up(published):
    search = published.PublishedSearch(rule="grave", playouts=500, reference=20, seed=1)
    search.choose(TicTacToe())
    trees = search._trees
    assert trees.visits[0] == trees.plays[0].sum() == 500
    for node in np.flatnonzero(trees.visits):
        assert trees.plays[node].sum() == trees.visits[node]
        below = trees.nodes[node][trees.plays[node] > 1]
        assert (below > node).all()
    mine, theirs = trees.amaf_plays[0, :9], trees.amaf_plays[0, 9:]
    assert (mine >= trees.plays[0]).all()
    assert (mine + theirs <= 500).all()  # a cell is taken once
    assert 500 * 5 <= trees.amaf_plays[0].sum() <= 500 * 9
    np.testing.assert_array_equal(trees.amaf_wins <= trees.amaf_plays, True)


def test_wins_are_credited_to_the_player_who_moved(published):
    """X has two lines of two, so nearly all playouts are X's: in X's statistics, and not in O's."""
    state = TicTacToe.from_actions("a1 b2 c3 c1 a3")
    search = published.PublishedSearch(rule="rave", playouts=300, seed=1)
    search.choose(state)
    trees = search._trees
    assert state.current_player() == 1
    assert trees.wins[0].sum() < 0.5 * trees.plays[0].sum()
    x, o = slice(0, 9), slice(9, 18)
    assert trees.amaf_wins[0, x].sum() > trees.amaf_wins[0, o].sum()
