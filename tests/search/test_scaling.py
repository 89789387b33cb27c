"""Returns scaled by what was seen: wide bounds do not blind a search."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.core.tree.child_indices import children_of
from branchwise.core.tree.node_fields import ROOT
from branchwise.testing.reference import ReferencePlanner
from support.plain import Take


class Digits(bw.Game):
    """Choose four digits in turn; the score is their weighted sum, in steps of `unit`."""

    num_players = 1
    num_actions = 4
    max_game_length = 4
    min_return = -1000.0
    max_return = 10_604.0
    unit = 1.0

    number: np.int32 = 0
    length: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        for digit in range(4):
            yield digit

    def apply_action(self, action):
        self.number = self.number * 4 + (action * 7 + self.length * 3) % 4
        self.length += 1

    def is_terminal(self):
        return self.length == 4

    def returns(self):
        return (self.number * self.unit,)


class ThreeHeaps(bw.Game):
    """Three players take one or two chips in turn; the last taker gets 8, the next one 4, the third 0."""

    num_players = 3
    num_actions = 2
    min_return = -32.0
    max_return = 32.0
    max_game_length = 30

    chips: np.int8 = 13
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield from range(min(2, self.chips))

    def apply_action(self, action):
        self.chips -= action + 1
        self.mover = (self.mover + 1) % 3

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        last = (self.mover + 2) % 3
        if last == 0:
            return (8.0, 4.0, 0.0)
        return (0.0, 8.0, 4.0) if last == 1 else (4.0, 0.0, 8.0)


class Stakes(Take):
    """The same for stakes that are small beside the bounds; plain Python."""

    min_return, max_return = -1024.0, 1024.0

    def returns(self):
        return (-4.0, 4.0) if self.mover == 0 else (4.0, -4.0)


def shape(tree):
    """Return what a search knows of each node, as the reference planner has it."""
    return [(node.action, node.visits, node.value) for node in tree.walk()]


def same_tree(result, reference):
    """Whether a search built the reference planner's tree: equal visits and, but for rounding, means."""
    waiting = [(result.tree.root, reference)]
    count = 0
    while waiting:
        ours, theirs = waiting.pop()
        by_action = {node.action: node for node in theirs.children}
        visited = {child.action: child for child in ours.children if child.visits}
        assert {a: c.visits for a, c in visited.items()} == {
            a: n.visits for a, n in by_action.items() if n.visits
        }
        for action, child in visited.items():
            assert child.value == pytest.approx(by_action[action].mean, rel=1e-9, abs=1e-9)
            waiting.append((child, by_action[action]))
            count += 1
    return count


PLAIN = {"repeat": 1, "playout": "uniform", "proofs": False, "c": 0.5, "seed": 3}


def test_wide_bounds_do_not_spread_visits_evenly():
    state = Digits()
    seen = bw.MCTS(seed=1, proofs=False).search(state, simulations=400)
    blind = bw.MCTS(seed=1, proofs=False, scale="bounds").search(state, simulations=400)
    assert max(child.visits for child in blind.children) < 150
    assert seen.children[0].visits > 250
    assert seen.best_action == 1  # which puts 3 first


@pytest.mark.parametrize("simulations", [1, 2, 50, 700])
def test_compiled_search_of_three_players_builds_the_reference_tree(simulations):
    result = bw.MCTS(**PLAIN).search(ThreeHeaps(), simulations=simulations)
    reference = ReferencePlanner(c=0.5, seed=3, scale="seen").search(ThreeHeaps(), simulations)
    assert same_tree(result, reference) > min(simulations, 50) // 2


def test_search_of_plain_states_builds_the_reference_tree():
    result = bw.MCTS(**PLAIN).search(Stakes(chips=12), simulations=500)
    reference = ReferencePlanner(c=0.5, seed=3, scale="seen").search(Stakes(chips=12), 500)
    assert same_tree(result, reference) > 50


def test_unit_of_returns_does_not_change_the_search():
    small = bw.MCTS(seed=4).search(Digits(), simulations=150)
    large = bw.MCTS(seed=4).search(Digits.configured(unit=8.0)(), simulations=150)
    assert [(c.action, c.visits) for c in small.children] == [(c.action, c.visits) for c in large.children]
    assert large.value == pytest.approx(8 * small.value)


def test_result_tells_the_returns_that_were_scaled():
    result = bw.MCTS(seed=1, proofs=False).search(Digits(), simulations=300)
    low, high = result.scale
    assert 0 <= low < high <= 255
    assert result.to_dict()["scale"] == [low, high]
    assert f"returns scaled from {low:g} to {high:g}" in result.title
    for child in result.children:
        assert low <= child.lower_bound <= child.value <= high


def test_bounds_of_one_point_each_way_are_used_as_they_are():
    result = bw.MCTS(seed=1).search(Take(chips=9), simulations=50)
    assert result.scale == (-1.0, 1.0)
    assert "scaled" not in str(result)


def test_equal_returns_leave_selection_its_exploration():
    class Even(Stakes):
        def returns(self):
            return (4.0, 4.0)

    result = bw.MCTS(seed=1, proofs=False).search(Even(chips=30), simulations=300)
    assert result.scale == (4.0, 4.0)
    assert result.value == 4.0
    assert min(child.visits for child in result.children) > 80


@pytest.mark.bounds
def test_the_range_after_an_advance_is_that_of_the_tree_that_is_left():
    planner = bw.MCTS(seed=2, proofs=False)
    state = Digits()
    before = planner.search(state, simulations=400)
    planner.advance(before.best_action)
    state.apply_action(before.best_action)
    after = planner.search(state, simulations=400)
    assert after.tree.root.visits > 400  # the tree was kept
    assert before.scale[0] < after.scale[0]  # 3 comes first: nothing below 192 is left
    assert 192 <= after.scale[0] < after.scale[1] <= 255


def test_saved_tree_has_the_same_values(tmp_path):
    tree = bw.MCTS(seed=1).search(Digits(), simulations=300).tree
    tree.save(tmp_path / "digits.tree")
    again = bw.load_tree(tmp_path / "digits.tree", game=Digits)
    assert [n.value for n in again.root.children] == [n.value for n in tree.root.children]


def test_proofs_hold_beside_scaling():
    result = bw.MCTS(seed=1).search(Digits(), simulations=5000)
    assert result.ended_by == "proven"
    assert result.value == 255
    assert result.principal_variation == (1, 0, 3, 2)


def test_threads_leave_no_virtual_loss_behind():
    planner = bw.MCTS(seed=1, threads=4, proofs=False)
    tree = planner.search(ThreeHeaps(chips=40), simulations=30_000).tree
    nodes = tree._tree.nodes[: tree.reader.used]
    inner = [node for node in nodes if node["first"] > ROOT]
    for node in inner:
        children = nodes[children_of(nodes, node[None])[0]]
        visits = children["visits"]
        assert visits.min() >= 0
        assert abs(int(node["visits"]) - int(visits.sum())) <= max(8, 0.02 * node["visits"])
        means = children["value"][visits > 0] / visits[visits > 0]
        assert ((means > 0.5 - 1e-9) & (means < 0.625 + 1e-9)).all()  # gains of returns from 0 to 8


@pytest.mark.parametrize("scale", ["", "wide", None])
def test_an_unknown_scale_is_refused(scale):
    with pytest.raises(bw.SettingsError, match="scale"):
        bw.MCTS(scale=scale)
