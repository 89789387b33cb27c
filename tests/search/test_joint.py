"""Search where players move at once: the tree, its methods, its results."""

import pytest

import branchwise as bw
from branchwise.games.goofspiel import Goofspiel
from branchwise.games.oshi_zumo import OshiZumo
from branchwise.games.rock_paper_scissors import RockPaperScissors
from branchwise.games.tron import Tron
from branchwise.testing import JointReferencePlanner
from support.all_at_once import Auction, Dominated, Odd, PaidPennies
from support.joint_trees import assert_same, nodes_of, reference_nodes

BIASED = RockPaperScissors.configured(biased=True)
SMALL = Goofspiel.configured(num_cards=4, points_order="descending")
METHODS = ("decoupled_uct", "exp3", "regret_matching")
GAMMA = {"decoupled_uct": 0.0, "exp3": 0.1, "regret_matching": 0.2}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("game", "moves", "scale", "simulations"),
    [
        (BIASED, [], "seen", 400),
        (Goofspiel.configured(num_cards=4), [2], "bounds", 400),
        (Auction, [1, 2], "seen", 600),
        (Odd, [], "seen", 300),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_the_tree_is_that_of_the_readable_search_node_for_node(method, game, moves, scale, simulations):
    state = game.from_actions(moves)
    planner = JointReferencePlanner(method, gamma=GAMMA[method], c=0.7, scale=scale, seed=4)
    theirs = reference_nodes(planner.search(state, simulations))
    for seed_of in ({}, {"compiled": False}):
        result = bw.MCTS(joint=method, seed=4, **seed_of).search(state, simulations=simulations)
        assert_same(nodes_of(result), theirs)
