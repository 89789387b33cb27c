"""The compact search as published, which is compared with Branchwise's."""

import importlib
import math
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import branchwise as bw
from branchwise.core.simulation.select import Child, Parent
from branchwise.core.simulation.selection_rules import FIRST
from branchwise.games.tic_tac_toe import TicTacToe

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def published():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("published_grave")


@pytest.fixture(scope="module")
def rave():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("rave")


OPTIONS = Namespace(playouts=50, c=0.4, bias=1e-3, reference=30)


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


@pytest.mark.parametrize("name", ["uct", "grave", "ours_uct", "ours_rave", "ours_grave"])
def test_every_player_is_a_bot_with_these_playouts(rave, name):
    bot = bw.load_bot(rave.player(name, rave.GAMES["domineering"], OPTIONS), seed=1)
    assert (bot.options()["simulations"] if "_" in name else bot._options[0]) == 50
    if name == "ours_grave":
        assert bot.options()["selection"] == "grave(bias=0.0158,reference_visits=30)"


def test_our_rule_weighs_statistics_as_the_published_one():
    ours = bw.search.settings.selection.find_rule(f"rave(bias={math.sqrt(OPTIONS.bias / 4)})")
    own = SimpleNamespace(c=np.float32(0.0), bias=np.float32(ours.options["bias"]))
    for visits, value, amaf_visits, amaf_value in ((1, 0.0, 1, 1.0), (40, 0.6, 900, 0.45), (5, 1.0, 2, 0.0)):
        child = Child(visits, 1 / visits, value, 0, 0, 0, amaf_visits, amaf_value, 0, 0, 0)
        parent = Parent(1000, math.log(1000))
        weight = amaf_visits / (visits + amaf_visits + OPTIONS.bias * visits * amaf_visits)
        expected = (1 - weight) * value + weight * amaf_value
        assert ours.score(child, parent, own) == pytest.approx(expected, rel=1e-5)
    unknown = Child(0, math.inf, 0.9, 0, 0, 0, 0, 0, 0, 0, 0)
    assert ours.score(unknown, Parent(9, math.log(9)), own) == FIRST


def test_what_differs_is_another_contest(rave):
    first = rave.contest("go", "grave:rave", OPTIONS)
    assert first == {"game": "go", "pair": "grave:rave", "playouts": 50, "bias": 1e-3, "reference": 30}
    assert rave.contest("go", "rave:uct", OPTIONS) == {
        "game": "go",
        "pair": "rave:uct",
        "playouts": 50,
        "c": 0.4,
        "bias": 1e-3,
    }
