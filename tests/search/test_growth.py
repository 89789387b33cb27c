"""Children that are added one at a time, in games of many actions."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import SettingsError
from branchwise.core.tree import children
from branchwise.core.tree.child_indices import children_of_one, num_nodes
from branchwise.core.tree.node_fields import IN_BLOCKS, NODE, PARTIAL, ROOT, USED
from branchwise.games.connect_four import ConnectFour
from branchwise.games.mnk import MNK
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.search.settings.settings import Settings
from branchwise.search.trace.step_search import StepSearch
from branchwise.testing import exact_value
from branchwise.testing.reference import ReferencePlanner
from support.rows import bounded, slow
from support.rules import Kalah, Passing, Race
from support.trees import check_tree, same_arrays

WIDE = MNK.configured(rows=10, columns=10, in_a_row=4)


@pytest.fixture
def by_one(monkeypatch):
    """Let small games grow as wide ones do."""
    monkeypatch.setattr(children, "MOST_AT_ONCE", 0)


def facts_below(node, line=()):
    """Return what is known of every node below, by the line that leads there."""
    found = {line: (node.visits, node.value if line else None, node.bounds if line else None, node.player)}
    for child in node.children:
        found.update(facts_below(child, (*line, child.action)))
    return found


def test_only_visited_nodes_and_the_root_s_children_take_memory():
    result = bw.MCTS(seed=1).search(WIDE(), simulations=20_000)
    tree = result.tree._tree
    assert len(result.children) == len(children_of_one(tree.nodes, ROOT)) == 100
    assert num_nodes(tree) == len(result.tree) <= 20_001 + 100
    assert tree.counters[USED] * NODE.itemsize <= 120 * 20_000


@pytest.mark.parametrize(
    "settings",
    [{"selection": "puct"}, {"selection": "rave"}, {"transpositions": True}, {"selection": "thompson"}],
    ids=str,
)
def test_statistics_of_unvisited_children_need_children(settings):
    result = bw.MCTS(seed=1, compiled=False, **settings).search(WIDE(), simulations=3)
    assert not result.tree._tree.nodes[ROOT]["flags"] & (PARTIAL | IN_BLOCKS)


@pytest.mark.parametrize("compiled", [None, False, "meanwhile"])
@pytest.mark.parametrize("game", [bounded(WIDE), TicTacToe, Race, Kalah, Passing], ids=lambda game: game.name)
def test_every_form_builds_the_tree_of_the_reference_planner(game, compiled, by_one, late_code):
    planner = bw.MCTS(seed=3, c=0.3, repeat=1, playout="uniform", proofs=False, compiled=compiled)
    simulations = 250 if game is WIDE else 700
    result = planner.search(game(), simulations=simulations)
    reference = ReferencePlanner(seed=3, c=0.3).search(game(), simulations)
    pairs, count = [(result.tree.root, reference)], 0
    while pairs:
        mine, theirs = pairs.pop()
        count += 1
        assert mine.visits == theirs.visits
        assert mine.action == (None if theirs is reference else theirs.action)
        assert mine.index == 0 or mine.visits == 0 or mine.value == theirs.value / theirs.visits
        record = result.tree._tree.nodes[mine.index]
        assert bool(record["flags"] & PARTIAL) == theirs.lacks_children
        nodes = {child.index: child for child in mine.children}
        order = children_of_one(result.tree._tree.nodes, mine.index) if nodes else []
        pairs += zip([nodes[int(index)] for index in order], theirs.children, strict=True)
    assert count == len(result.tree)


SETTINGS = [
    {},
    {"first_play": 0.6, "max_depth": 3, "backup": "power", "power": 3.0, "playout": "decisive"},
    {"selection": "ucb1_tuned", "first_play": "parent", "widening": 1.5, "scale": "seen", "playout": "mast"},
    slow({"selection": "ucb1_tuned", "first_play": "parent", "playout": "mast"}),
    slow({"backup": "power", "power": 3.0, "playout": "decisive"}),
    slow({"first_play": 0.6}),
    slow({"first_play": "parent"}),
    slow({"first_play": "parent", "widening": 1.5}),
    slow({"max_depth": 3}),
    slow({"scale": "seen"}),
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_compiled_and_python_rules_build_the_same_tree(settings, by_one):
    compiled = bw.MCTS(seed=3, **settings).search(TicTacToe(), simulations=600)
    assert compiled.simulations == compiled.tree.root.visits == 600
    check_tree(compiled.tree._tree, 600)
    assert same_arrays(
        compiled, bw.MCTS(seed=3, compiled=False, **settings).search(TicTacToe(), simulations=600)
    )


def test_a_fixed_first_play_leaves_poor_actions_without_a_child(by_one):
    result = bw.MCTS(seed=1, first_play=0.1, proofs=False).search(ConnectFour(), simulations=3000)
    widths = [len(node.children) for child in result.tree.root.children for node in child.children]
    assert min(width for width in widths if width) < 7


def test_widening_tries_more_actions_as_visits_grow(by_one):
    result = bw.MCTS(seed=1, widening=1.0, proofs=False).search(WIDE(), simulations=3000)
    tree = result.tree._tree
    for node in result.tree.root.children:
        if node.visits > 1:
            assert len(children_of_one(tree.nodes, node.index)) <= np.ceil(np.sqrt(node.visits))


@pytest.mark.parametrize("plies", range(2, 7))
def test_what_is_proven_is_true_for_positions_of_both_parities(plies, by_one):
    random = np.random.default_rng(plies)
    for _ in range(6):
        state = TicTacToe()
        for _ in range(plies):
            state.apply_action(int(random.choice(state.legal_actions())))
            if state.is_terminal():
                break
        if state.is_terminal():
            continue
        result = bw.MCTS(seed=plies).search(state, simulations=5000)
        assert (result.ended_by, result.value) == ("proven", exact_value(state))
        for child in result.children:
            after = state.copy()
            after.apply_action(child.action)
            if child.proven is not None and not after.is_terminal():
                assert child.proven == -exact_value(after)


@pytest.mark.parametrize(("compiled", "simulations"), [(None, 2000), (False, 400)])
def test_advance_keeps_the_part_below_and_completes_the_new_root(compiled, simulations):
    planner = bw.MCTS(seed=1, compiled=compiled)
    state = WIDE()
    result = planner.search(state, simulations=simulations)
    best = result.tree.root.children[0]
    before, action = facts_below(best), result.best_action
    assert best.action == action
    assert 1 < len(before) < 99
    assert planner.advance(action)
    state.apply_action(action)
    after = planner.search(state, simulations=1)
    assert len(after.children) == 99
    known = facts_below(after.tree.root)
    changed = [line for line in before if known[line][:2] != before[line][:2]]
    assert changed == [()]
    assert not after.tree._tree.nodes[ROOT]["flags"] & PARTIAL
    assert after.tree.root.visits == before[()][0] + 1


@pytest.mark.parametrize(
    "game", [bounded(Kalah), slow(Passing), slow(Race), bounded(WIDE)], ids=lambda game: game.name
)
def test_a_whole_game_with_a_kept_tree_stays_right(game, by_one):
    planner, state = bw.MCTS(seed=5), game()
    while not state.is_terminal():
        result = planner.search(state, simulations=300)
        check_tree(result.tree._tree, result.tree.root.visits, kept=True)
        assert len(result.children) == len(state.legal_actions())
        planner.advance(result.best_action)
        state.apply_action(result.best_action)


@pytest.mark.parametrize("threads", [bounded(2), 4])
@pytest.mark.parametrize("proofs", [True, False])
def test_threads_in_one_tree_lose_nothing(threads, proofs):
    for seed in range(3):
        result = bw.MCTS(seed=seed, threads=threads, proofs=proofs).search(WIDE(), simulations=20_000)
        assert result.simulations == 20_000
        check_tree(result.tree._tree, 20_000)


def test_threads_hammer_a_tiny_tree(by_one):
    for seed in range(20):
        result = bw.MCTS(seed=seed, threads=4, proofs=False).search(TicTacToe(), simulations=4000)
        check_tree(result.tree._tree, 4000)


@pytest.mark.parametrize("threads", [1, 4])
def test_a_full_memory_ends_growth_and_not_the_search(threads):
    result = bw.MCTS(seed=1, threads=threads, memory_mb=0.05).search(WIDE(), simulations=20_000)
    assert result.memory_full
    assert result.simulations == 20_000
    tree = result.tree._tree
    assert tree.counters[USED] <= tree.nodes.size
    visits = [child.visits for child in result.children]
    assert sum(visits) >= 19_000
    assert max(visits) > 400, "what is best is searched on"


def test_memory_that_has_no_room_for_the_first_moves_is_an_error():
    with pytest.raises(SettingsError, match="no room for the first moves"):
        bw.MCTS(seed=1).search(WIDE(), simulations=100, max_nodes=90)


def test_memory_that_an_advance_frees_is_used():
    planner, state = bw.MCTS(seed=1, memory_mb=0.3), WIDE()
    for _ in range(3):
        result = planner.search(state, simulations=20_000)
        assert result.memory_full
        planner.advance(result.best_action)
        state.apply_action(result.best_action)
        before = int(planner.search(state, simulations=1).tree._tree.counters[USED])
        grown = planner.search(state, simulations=500).tree._tree.counters[USED]
        assert grown > before + 400


def test_halving_gives_each_move_of_the_root_its_share():
    result = bw.MCTS(seed=1, halving=True, proofs=False).search(WIDE(), simulations=7000)
    assert min(child.visits for child in result.children) >= 9


def test_a_saved_tree_is_the_same_without_room_to_grow(tmp_path):
    tree = bw.MCTS(seed=1).search(WIDE(), simulations=3000).tree
    tree.save(tmp_path / "wide.tree")
    again = bw.load_tree(tmp_path / "wide.tree", game=WIDE)
    assert len(again) == len(tree) == again._tree.nodes.size
    assert facts_below(again.root) == facts_below(tree.root)
    assert again.to_text() == tree.to_text()


def test_steps_tell_of_the_one_child_that_is_added(by_one):
    steps = StepSearch(TicTacToe(), Settings(seed=4, proofs=False, repeat=1))
    done = [steps.step() for _ in range(200)]
    assert len(done[0].expansion.children) == 9
    assert {len(step.expansion.children) for step in done[1:]} == {0, 1}
    for step in done[1:]:
        for child in step.expansion.children:
            assert step.expansion.node == child.node
            assert step.expansion.choice.because == "untried"
    planned = bw.MCTS(seed=4, proofs=False, repeat=1).search(TicTacToe(), simulations=200)
    assert facts_below(steps.tree.root) == facts_below(planned.tree.root)


def test_steps_tell_of_ends_found_beside_it(by_one):
    state = TicTacToe.from_actions([0, 1, 4, 2, 3])  # whoever moves next must stop 8 and 5
    steps = StepSearch(state, Settings(seed=1))
    added = [step.expansion.children for step in (steps.step() for _ in range(40)) if step is not None]
    ends = [child for children in added[1:] for child in children if child.settled is not None]
    assert ends


@pytest.mark.slow
def test_a_million_simulations_of_a_wide_game_take_little_memory():
    game = MNK.configured(rows=19, columns=19, in_a_row=5)
    result = bw.MCTS(seed=1, proofs=False).search(game(), simulations=1_000_000)
    taken = int(result.tree._tree.counters[USED]) * NODE.itemsize
    assert taken <= 120e6, taken
