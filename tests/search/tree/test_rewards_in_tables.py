"""Rewards and outcomes of chance in trees as tables and as JSON."""

import json

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.nim import Nim
from branchwise.rules.facts.facts import apply_legal, game_facts, reward_of
from support.dice import Ladder
from support.paying import Auction, Corridor, Gifts, Wheel
from support.simulators import Machines, SampledPig


def searched(problem, **settings):
    return bw.MCTS(seed=1, **settings).search(problem(), simulations=300).tree


def paid(problem, actions):
    """Return the rewards of the last of some moves, one a player."""
    state, rewards = problem(), None
    for action in actions:
        rewards = reward_of(state, apply_legal(state, action), game_facts(state))
    return rewards


def paths_of(rows):
    """Return by index the actions that lead to each of some nodes."""
    paths = {}
    for row in rows:
        above = () if row["parent"] is None else paths[row["parent"]]
        paths[row["index"]] = above if row["action"] is None else (*above, row["action"])
    return paths


@pytest.mark.parametrize("problem", [Auction, Corridor, Gifts, Wheel], ids=lambda problem: problem.name)
def test_nodes_tell_the_movers_reward(problem):
    tree = searched(problem)
    rows = tree.to_dict(top=None, depth=4, min_visits=0)["nodes"]
    assert rows[0]["reward"] is None
    paths, told = paths_of(rows), 0
    for row in rows[1:]:
        assert row["reward"] == paid(problem, paths[row["index"]])[row["mover"]]
        told += row["reward"] != 0
    assert told
    table = tree.to_table(depth=4, moves=True)
    known = {row["index"]: row["reward"] for row in rows}
    assert np.isnan(table["reward"][0])
    assert table["reward"][1:].tolist() == [known[index] for index in table["index"][1:].tolist()]
    assert "reward" not in tree.to_table(depth=1)


@pytest.mark.parametrize("problem", [Ladder, Wheel], ids=lambda problem: problem.name)
def test_outcomes_have_their_probabilities(problem):
    tree = searched(problem, proofs=False)
    rows = tree.to_dict(top=None, depth=4, min_visits=0)["nodes"]
    paths, outcomes = paths_of(rows), 0
    for row in rows[1:]:
        before = problem.from_actions(paths[row["index"]][:-1])
        assert row["by_chance"] == (before.current_player() == bw.CHANCE)
        if row["by_chance"]:
            assert row["probability"] == dict(before.chance_outcomes())[row["action"]]
            outcomes += 1
        else:
            assert row["probability"] is None
    assert outcomes
    table = tree.to_table()
    by_chance = ~np.isnan(table["probability"])
    assert by_chance.sum() >= outcomes
    sums = np.bincount(table["parent"][by_chance], weights=table["probability"][by_chance])
    assert sums[sums > 0] == pytest.approx(1.0)


def test_a_shared_node_tells_the_reward_of_the_move_on_this_way():
    rows = searched(Corridor, transpositions=True).to_dict(top=None, depth=3, min_visits=0)["nodes"]
    paths = paths_of(rows)
    for row in rows[1:]:
        assert row["reward"] == paid(Corridor, paths[row["index"]])[0]


def test_where_nothing_is_paid_or_listed_nothing_is_reported():
    plain, drawn = searched(Nim), searched(Machines)
    for tree in (plain, drawn):
        assert {row["reward"] for row in tree.to_dict()["nodes"]} == {None}
        assert {row["probability"] for row in tree.to_dict()["nodes"]} == {None}
        assert "probability" not in tree.to_table()
        assert json.dumps(tree.to_dict(), allow_nan=False)
    assert "reward" not in plain.to_table(moves=True)
    assert np.isnan(drawn.to_table(moves=True)["reward"]).all()


def test_a_tree_from_a_file_tells_them_too(tmp_path):
    tree = searched(bw.load_game("cliff_walking"))
    tree.save(tmp_path / "cliff.tree")
    told = bw.load_tree(tmp_path / "cliff.tree").to_dict(depth=3)["nodes"]
    assert told == tree.to_dict(depth=3)["nodes"]
    assert {node["reward"] for node in told} > {-1.0}


def test_pictures_tell_rewards_and_probabilities():
    picture = searched(Wheel).to_svg(depth=2, top=None)
    assert "reward -2.000 for the move, which is part of the value" in picture
    assert "probability 40.0%" in picture


@pytest.mark.bounds
def test_outcomes_that_were_drawn_have_no_score_and_no_probability():
    tree = searched(SampledPig, open_loop=False)
    chosen, drawn = tree.scores(), tree.scores([0])
    assert all(child.score is not None for child in chosen)
    assert len(drawn) == 6
    for child in drawn:
        assert (child.move.player, child.score, child.probability) == (bw.CHANCE, None, None)
    assert sum(child.visits for child in drawn) <= chosen[0].visits


def test_scores_in_an_open_loop_are_those_of_the_search():
    tree = searched(Machines)
    steps = list(bw.MCTS(seed=1).steps(Machines(), simulations=301))
    last = next(choice for choice in steps[-1].selection.choices if choice.node == 0)
    told = {sibling.move.action: sibling for sibling in last.siblings}
    for score in tree.scores():
        assert score.visits == told[score.move.action].visits
        assert score.score == pytest.approx(told[score.move.action].score, abs=0.01)
