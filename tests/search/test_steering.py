"""Searches that leave actions out, and searches that visit lines first."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import ActionError, SettingsError
from branchwise.core.tree import children
from branchwise.core.tree.node_fields import BARRED, ROOT
from branchwise.games.connect_four import ConnectFour
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.pig import Pig
from branchwise.games.rock_paper_scissors import RockPaperScissors
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.problems.pendulum import Pendulum
from branchwise.testing import solve_actions

WON = TicTacToe.from_actions("a1 b1 a2 b2")  # a3 wins; b3, which the other needs, does not lose
PYTHON = {"compiled": False}


def even(states):
    """Value all states alike."""
    return np.zeros((len(states), 2))


def in_words(settings):
    """Return a name that is the same in every process."""
    words = (f"{name}={getattr(value, '__name__', value)}" for name, value in settings.items())
    return ", ".join(words) or "default"


def all_facts(node):
    below = [all_facts(child) for child in node.children]
    return node.action, node.visits, node.bounds if node.index != ROOT else None, below


MODES = [
    {},
    {**PYTHON, "proofs": False},
    {**PYTHON, "transpositions": True},
    {**PYTHON, "halving": True},
    {**PYTHON, "open_loop": True},
    {**PYTHON, "selection": "puct"},
    {**PYTHON, "evaluator": even, "batch_size": 4},
    {"threads": 2},
    {"threads": 2, "parallel": "root"},
]


@pytest.mark.parametrize("settings", MODES, ids=in_words)
def test_only_the_named_actions_are_searched(settings):
    state = TicTacToe.from_actions("b2")
    result = bw.MCTS(seed=1, **settings).search(state, simulations=200, among=["a1", 1, "c3"])
    assert {child.action for child in result.children} == {6, 1, 2}
    assert sum(child.visits for child in result.children) >= 199  # an evaluator values the root, too
    free = bw.MCTS(seed=1, **settings).search(state, simulations=200)
    assert len(free.children) == 8


@pytest.mark.parametrize(
    ("named", "left"),
    [
        ("b1", {"b1"}),
        ("b1 c2", {"b1", "c2"}),
        (4, {"b2"}),
        (np.int64(4), {"b2"}),
        (["a1", 4], {"a1", "b2"}),
    ],
)
def test_actions_are_named_one_by_one_or_in_one_text(named, left):
    state = TicTacToe()
    result = bw.MCTS(seed=1, **PYTHON).search(state, simulations=20, among=named)
    assert {state.action_to_string(child.action) for child in result.children} == left


def test_a_line_of_one_move_may_be_a_number_of_numpy():
    result = bw.MCTS(seed=1, **PYTHON).search(TicTacToe(), simulations=60, at_least={np.int64(4): 40})
    assert next(child.visits for child in result.children if child.action == 4) >= 40


def test_children_that_come_one_at_a_time_are_left_out_too(monkeypatch):
    monkeypatch.setattr(children, "MOST_AT_ONCE", 0)
    result = bw.MCTS(seed=1, **PYTHON).search(TicTacToe(), simulations=100, among=["a1", "b2"])
    assert {child.action for child in result.children} == {6, 4}


def test_what_a_player_knows_is_searched_among_the_named_actions():
    known = bw.Playthrough(KuhnPoker(), "J K bet").information_state(1)
    result = bw.MCTS(seed=1, **PYTHON).search(known, simulations=50, among=["pass"])
    assert [known.action_to_string(child.action) for child in result.children] == ["pass"]
    one = bw.MCTS(seed=1, **PYTHON).search(known, simulations=100, at_least={"pass": 60})
    assert {known.action_to_string(c.action): c.visits for c in one.children}["pass"] >= 60


def test_compiled_and_interpreted_searches_of_a_course_build_the_same_tree():
    course = {"among": ["d1", "a1"], "avoid": {(1, 3): 4, (0, 0): 6}, "at_least": {("d1", "c1"): 90}}
    trees = [bw.MCTS(seed=3, **how).search(ConnectFour(), simulations=300, **course) for how in ({}, PYTHON)]
    assert all_facts(trees[0].tree.root) == all_facts(trees[1].tree.root)
    assert [child.visits for child in trees[0].children] == [300]


def test_a_search_that_leaves_actions_out_is_shown_step_by_step():
    course = {"among": ["d1", "a1"], "avoid": {(1, 3): 2}}
    done = list(bw.MCTS(seed=3).steps(ConnectFour(), simulations=40, **course))
    result = bw.MCTS(seed=3).search(ConnectFour(), simulations=40, **course)
    firsts = [one.selection.line[:1] or one.expansion.line[:1] for one in done]
    assert {move for (move,) in firsts} == {"a1", "d1"}
    visits = {c.action: c.visits for c in result.children}
    assert {0: firsts.count(("a1",)), 3: firsts.count(("d1",))} == visits


def test_an_action_is_avoided_as_many_moves_deep_as_told_and_by_that_player_alone():
    def levels(player, depth):
        tree = bw.MCTS(seed=1).search(ConnectFour(), simulations=3000, avoid={(player, 3): depth}).tree
        found, level = [], [tree.root]
        while level:
            below = [child for node in level for child in node.children]
            if any(child.action == 3 for child in below):
                found.append(depth_of(below[0], tree))
            level = below
        return found

    def depth_of(node, tree):
        return next(d for d in range(1, 60) if any(n.index == node.index for n in at(tree, d)))

    def at(tree, depth):
        level = [tree.root]
        for _ in range(depth):
            level = [child for node in level for child in node.children]
        return level

    assert levels(0, 3)[:3] == [2, 4, 5]
    assert levels(1, 2)[:3] == [1, 3, 4]


def test_nothing_is_proven_of_a_root_that_lacks_actions_but_a_win():
    lost = bw.MCTS(seed=1).search(WON, simulations=300, among=["c1", "c3"])
    assert [child.proven for child in lost.children] == [-1.0, -1.0]
    assert lost.ended_by == "simulations"
    assert lost.tree._tree.nodes[ROOT]["upper"] == 1.0
    won = bw.MCTS(seed=1).search(WON, simulations=300, among=["c1", "a3"])
    assert (won.ended_by, won.value, won.action_text(won.best_action)) == ("proven", 1.0, "a3")


def test_values_of_avoided_replies_are_not_taken_for_proofs():
    """Without its defence a player loses, which proves nothing."""
    chance, proven = np.random.default_rng(1), 0
    for _ in range(40):
        state = TicTacToe()
        for _ in range(3):
            state.apply_action(int(chance.choice(state.legal_actions())))
        exact = solve_actions(state)
        avoid = {
            (int(player), int(move)): int(chance.integers(1, 4))
            for player, move in chance.integers((2, 9), size=(6, 2))
        }
        result = bw.MCTS(seed=1).search(state, simulations=1500, avoid=avoid)
        assert all(child.lower <= exact[child.action] <= child.upper for child in result.children)
        proven += sum(child.proven is not None for child in result.children)
    assert proven > 20


def test_a_tree_that_lacks_actions_is_not_kept():
    planner = bw.MCTS(seed=1)
    planner.search(ConnectFour(), simulations=300, among=["d1"])
    assert not planner.advance(3)
    after = ConnectFour.from_actions("d1")
    fresh = bw.MCTS(seed=1).search(after, simulations=200)
    assert planner.search(after, simulations=200).children == fresh.children


def test_a_search_is_resumed_only_with_the_same_actions():
    planner = bw.MCTS(seed=1)
    planner.search(ConnectFour(), simulations=300, among=["d1", "a1"])
    assert planner.carry_on()
    assert planner.search(ConnectFour(), simulations=100, among=["a1", "d1"]).tree.root.visits == 400
    assert planner.carry_on()
    assert planner.search(ConnectFour(), simulations=100).tree.root.visits == 100


def test_naming_all_legal_actions_leaves_nothing_out():
    planner = bw.MCTS(seed=1)
    result = planner.search(ConnectFour(), simulations=300, among=range(7))
    assert result.children == bw.MCTS(seed=1).search(ConnectFour(), simulations=300).children
    assert not result.tree._tree.nodes[ROOT]["flags"] & BARRED
    assert planner.advance(result.best_action)


LINES = [*MODES[:3], *MODES[5:]]


@pytest.mark.parametrize("settings", LINES, ids=in_words)
def test_a_line_gets_its_visits_before_the_search_goes_on_alone(settings):
    def visits(result):
        node = result.tree.root
        for action in (6, 2):
            node = next(child for child in node.children if child.action == action)
        return node.visits

    planner = bw.MCTS(seed=1, **{**settings, "proofs": False})
    result = planner.search(TicTacToe(), simulations=400, at_least={("a1", "c3"): 100, "c1 b2": 60})
    trees = settings.get("threads", 1) if settings.get("parallel") == "root" else 1
    assert visits(result) >= 100 / trees * 0.9
    assert sum(child.visits for child in result.children) >= 399
    others = {c.action: c.visits for c in result.children if result.action_text(c.action) not in ("a1", "c1")}
    assert sum(others.values()) > 100  # of the 240 that are not asked for


def test_a_line_of_a_wide_game_gets_its_visits_at_once(monkeypatch):
    monkeypatch.setattr(children, "MOST_AT_ONCE", 0)
    planner = bw.MCTS(seed=1, proofs=False, **PYTHON)
    root = planner.search(TicTacToe(), simulations=30, at_least={("a1", "c3", "b2"): 20}).tree.root
    a1 = next(child for child in root.children if child.action == 6)
    (c3,) = a1.children
    assert c3.action == 2
    assert [child.action for child in c3.children] == [4]


def test_a_running_search_goes_on_with_a_line_in_the_same_tree():
    planner = bw.MCTS(seed=1)
    planner.search(ConnectFour(), simulations=500)
    planner.carry_on()
    before = {c.action: c.visits for c in planner.search(ConnectFour(), simulations=1).children}
    planner.carry_on()
    result = planner.search(ConnectFour(), simulations=1000, at_least={"a1": 700})
    after = {child.action: child.visits for child in result.children}
    assert result.tree.root.visits == 1501
    assert 700 <= after[0] < 760
    assert sum(after[a] - before[a] for a in range(1, 7)) >= 240


def test_visits_that_were_asked_for_make_no_action_the_best():
    planner = bw.MCTS(seed=1)
    result = planner.search(ConnectFour(), simulations=3000, at_least={"a1": 2000})
    assert max(result.children, key=lambda child: child.visits).action == 0
    assert result.action_text(result.best_action) == "d1"
    assert planner.advance(0)
    planner.search(ConnectFour.from_actions("a1"), simulations=100, at_least={"g1": 1500})
    after = planner.search(ConnectFour.from_actions("a1"), simulations=100)
    assert after.action_text(after.best_action) != "g1"


def test_a_proven_line_gets_no_more_visits():
    result = bw.MCTS(seed=1).search(WON, simulations=400, at_least={"c1 b3": 300, "c3": 50})
    assert result.value == 1.0
    assert {child.action: child.visits for child in result.children}[8] < 300


def test_a_line_for_which_there_is_no_room_does_not_take_the_whole_search():
    result = bw.MCTS(seed=1, proofs=False, memory_mb=0.002).search(
        ConnectFour(),
        simulations=3000,
        at_least={" ".join(f"{c}{n}" for c in "ab" for n in range(1, 7)): 2000},
    )
    assert result.memory_full
    assert {child.action: child.visits for child in result.children}[0] < 1500


@pytest.mark.parametrize(
    ("state", "course", "error", "told"),
    [
        (TicTacToe(), {"among": []}, SettingsError, "no legal move is left"),
        (TicTacToe(), {"among": ["z9"]}, ActionError, '"z9" is not a legal move'),
        (WON, {"among": ["a1"]}, ActionError, "is not a legal move"),
        (TicTacToe(), {"avoid": {(0, m): 1 for m in range(9)}}, SettingsError, "no legal move is left"),
        (TicTacToe(), {"avoid": {(2, 0): 1}}, SettingsError, "the player of avoid"),
        (TicTacToe(), {"avoid": {(0, 0): 0}}, SettingsError, "the depth of avoid"),
        (TicTacToe(), {"avoid": {(0, 9): 1}}, SettingsError, "an action of avoid"),
        (TicTacToe(), {"avoid": ["a1"]}, SettingsError, "avoid is a list, not a dict"),
        (TicTacToe(), {"avoid": {"a1": 1}}, SettingsError, "avoid has 'a1', which is no pair"),
        (TicTacToe(), {"avoid": {3: 1}}, SettingsError, "avoid has 3, which is no pair"),
        (TicTacToe(), {"at_least": [("a1", 5)]}, SettingsError, "at_least is a list, not a dict"),
        (TicTacToe(), {"at_least": {(): 5}}, SettingsError, "a line without moves"),
        (TicTacToe(), {"at_least": {"a1 a1": 5}}, ActionError, "is not a legal move"),
        (TicTacToe(), {"at_least": {"a1": 0}}, SettingsError, "at_least = 0"),
        (WON, {"at_least": {"a3 b3": 5}}, ActionError, 'the game is over before "b3"'),
        (TicTacToe(), {"among": ["a1"], "at_least": {"b1": 5}}, SettingsError, "which is left out"),
        (Pig(), {"at_least": {"roll hold": 5}}, ActionError, "chance moves before"),
        (Pig.from_actions("roll 4 hold"), {"avoid": {(0, 0): 2}}, SettingsError, "below the root no action"),
        (RockPaperScissors(), {"among": [0]}, SettingsError, "players of rock_paper_scissors move at once"),
        (Pendulum(), {"among": [0]}, SettingsError, "actions of pendulum are continuous"),
    ],
)
def test_what_cannot_be_steered_is_refused(state, course, error, told):
    with pytest.raises(error, match="^[^/]*" + told.replace("(", r"\(")):
        bw.MCTS(seed=1, **PYTHON).search(state, simulations=10, **course)


@pytest.mark.parametrize("settings", [{"halving": True}, {"early_stop": True}], ids=str)
def test_lines_are_refused_where_another_setting_says_what_is_visited(settings):
    with pytest.raises(SettingsError, match="at_least cannot be combined with halving or early_stop"):
        bw.MCTS(**settings).search(TicTacToe(), simulations=10, at_least={"a1": 5})
