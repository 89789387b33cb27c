"""Copies and pickles of planners, results and trees, and trees that several threads save."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim

WAYS = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
WAY = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
KINDS = [{}, {"threads": 2, "parallel": "root"}, {"compiled": False}]
KIND = pytest.mark.parametrize("settings", KINDS, ids=str)


@WAY
@KIND
def test_a_copy_of_a_planner_has_its_settings_and_searches_alone(way, settings):
    planner = bw.MCTS(seed=3, **settings)
    first = planner.search(ConnectFour(), simulations=60)
    planner.carry_on()
    twin = way(planner)
    assert repr(twin) == repr(planner)
    assert twin.settings == planner.settings
    assert not twin.carry_on()
    with planner._searching():
        again = twin.search(ConnectFour(), simulations=60)
    assert again.children == first.children
    assert planner.search(ConnectFour(), simulations=40).tree.root.visits > again.tree.root.visits / 2


def test_a_bot_that_searches_is_copied_too():
    bot = bw.load_bot("mcts(simulations=60)", seed=1)
    twin = WAYS["pickle"](bot)
    assert twin.choose(ConnectFour()) == bot.choose(ConnectFour())


@WAY
@KIND
@pytest.mark.parametrize("goes_on", ["advance", "search"])
def test_a_result_and_its_tree_stay_what_they_were(way, settings, goes_on):
    planner = bw.MCTS(seed=3, **settings)
    result = planner.search(ConnectFour(), seconds=60, simulations=60)
    twin, tree, node = way(result), way(result.tree), result.tree.root.top(1)[0]
    assert result.tree.scores()
    known = facts_of(result)
    values = (node.visits, node.value, [child.visits for child in node.children])
    go_on(planner, result, goes_on)
    for one in (result, twin, way(result), way(twin)):
        assert facts_of(one) == known
        assert one == result
    assert (tree.to_text(), way(tree).to_text()) == (known[-1], known[-1])
    assert (node.visits, node.value, [child.visits for child in node.children]) == values
    with pytest.raises(bw.SettingsError, match="comes from a file or is a copy"):
        result.tree.scores()


@WAY
@KIND
@pytest.mark.parametrize("goes_on", ["advance", "search"])
def test_a_result_that_nobody_asked_for_its_tree_is_a_value_without_one(way, settings, goes_on):
    planner, other = bw.MCTS(seed=3, **settings), bw.MCTS(seed=3, **settings)
    result = planner.search(ConnectFour(), simulations=60)
    known = facts_of(other.search(ConnectFour(), simulations=60))[:-1]
    go_on(planner, result, goes_on)
    for one in (result, way(result), way(way(result))):
        assert facts_of(one, tree=False) == known
        assert "<svg" not in one._repr_html_()
        with pytest.raises(bw.BranchwiseError, match="the tree of this result can no longer be read"):
            _ = one.tree


def go_on(planner, result, how):
    if how == "advance":
        planner.advance(result.best_action)
    else:
        assert planner.carry_on()
        assert planner.search(ConnectFour(), simulations=200).simulations == 200


def facts_of(result, *, tree=True):
    told = result.to_dict()
    del told["seconds"]
    shown = str(result).splitlines()[1:]
    found = (told, shown, result.children, result.policy(), result.nodes)
    return (*found, result.tree.to_text()) if tree else found


def test_results_of_a_search_under_way_stay_what_they_were():
    seen = []

    def look(found):
        seen.append((found, found.tree.root.visits, len(found.tree), found.simulations))

    planner = bw.MCTS(seed=3, compiled=False)
    final = planner.search(ConnectFour(), seconds=0.8, progress=look)
    assert len(seen) > 1
    for found, visits, nodes, simulations in seen:
        assert (found.tree.root.visits, len(found.tree), found.nodes) == (visits, nodes, nodes)
        assert sum(child.visits for child in found.children) <= visits == simulations
    assert seen[0][0].tree.root.visits < final.tree.root.visits

    thinking = bw.MCTS(seed=1, compiled=False).start(ConnectFour())
    early = thinking.result()
    visits = early.tree.root.visits
    assert thinking.wait(0.3).tree.root.visits > visits
    late = thinking.stop()
    assert early.tree.root.visits == visits == early.simulations
    assert late.tree.root.visits == late.simulations


def test_nodes_are_not_copied_for_results_that_are_gone():
    planner = bw.MCTS(seed=1, compiled=False)
    reader = planner.search(ConnectFour(), simulations=60).tree.reader
    unread = planner._states.session.unread
    assert reader in unread
    del reader
    assert not any(hasattr(thing, "tree") for thing in unread)


@pytest.mark.parametrize("transpositions", [False, True])
def test_what_is_pickled_of_a_tree_is_its_nodes_and_no_room_to_grow(transpositions):
    planner = bw.MCTS(seed=3, transpositions=transpositions, compiled=not transpositions and None)
    tree = planner.search(ConnectFour(), max_nodes=300, seconds=60).tree
    assert tree._tree.nodes.size >= len(tree)
    for thing in (tree, tree.root):
        assert len(pickle.dumps(thing)) < 200 * tree._tree.nodes.itemsize + 300 * 200
    twin = pickle.loads(pickle.dumps(tree))
    assert twin.to_text() == tree.to_text()
    assert not np.shares_memory(twin._tree.nodes, tree._tree.nodes)


def test_a_result_is_unpickled_in_another_process():
    planner = bw.MCTS(seed=3)
    result = planner.search(ConnectFour(), simulations=60)
    _ = result.tree
    planner.advance(result.best_action)
    code = "import pickle, sys\nresult = pickle.load(sys.stdin.buffer)\nprint(result.tree.to_text(), result)"
    found = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(result), capture_output=True)
    assert found.stdout.decode() == f"{result.tree.to_text()} {result}\n", found.stderr.decode()


def test_a_search_under_way_says_that_it_cannot_be_copied():
    thinking = bw.MCTS(seed=1).start(ConnectFour())
    try:
        for way in WAYS.values():
            with pytest.raises(TypeError, match="a search under way cannot be copied or pickled"):
                way(thinking)
    finally:
        thinking.stop()


def test_threads_that_save_one_tree_do_not_meet(tmp_path):
    tree = bw.MCTS(seed=1).search(ConnectFour(), simulations=2000).tree
    file, faults = tmp_path / "a.tree", []
    start = threading.Barrier(4)

    def save():
        start.wait()
        try:
            for _ in range(15):
                tree.save(file)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=save) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert bw.load_tree(file).to_text() == tree.to_text()
    assert [path.name for path in tmp_path.iterdir()] == ["a.tree"]


def test_a_tree_is_saved_under_the_longest_name_that_there_is(tmp_path):
    tree = bw.MCTS(seed=1).search(ConnectFour(), simulations=60).tree
    tree.save(tmp_path / ("a" * 255))
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("simulations", [1, 2, 3, 5])
def test_few_simulations_after_an_advance_that_kept_nothing_are_searched_by_many_threads(simulations):
    planner, state = bw.MCTS(seed=1, threads=3, parallel="root"), ConnectFour()
    planner.search(state, simulations=7)
    assert not planner.advance(0)
    state.apply_action(0)
    result = planner.search(state, simulations=simulations)
    assert result.simulations == simulations
    assert result.tree.root.is_expanded
    planner.carry_on()
    assert planner.search(state, simulations=1).simulations == 1


@WAY
def test_moves_to_the_end_are_those_of_the_search_whenever_they_are_read(way):
    """They are read from the tree on first access, so the tree may have changed by then."""

    def searched(planner):
        return planner.search(Nim(), simulations=30_000)

    def moves(result):
        return {child.action: child.moves_to_end for child in result.children}

    at_once = moves(searched(bw.MCTS(seed=4)))
    assert all(number is not None for number in at_once.values())
    planner = bw.MCTS(seed=4)
    late, copied = searched(planner), way(searched(bw.MCTS(seed=4)))
    planner.advance(late.best_action)
    follower = Nim()
    follower.apply_action(late.best_action)
    planner.search(follower, simulations=50)
    assert moves(late) == moves(copied) == at_once
