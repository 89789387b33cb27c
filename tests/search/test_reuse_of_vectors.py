"""Trees that are kept after a continuous action that they contain."""

import numpy as np
import pytest

import branchwise as bw
from support.boxes import Gusts, Turns, TwoSteps


def facts_below(node):
    """Return visits and value of each node below, by its line of vectors."""
    found, waiting = {}, [((), node)]
    while waiting:
        line, node = waiting.pop()
        found[line] = (node.visits, node.value)
        waiting += [((*line, tuple(np.ravel(child.action))), child) for child in node.children]
    return found


@pytest.mark.bounds
@pytest.mark.parametrize("compiled", [True, False])
def test_the_subtree_below_a_vector_is_kept_as_it_was(compiled):
    planner, state = bw.MCTS(seed=1, compiled=compiled), Turns()
    for place in (0, 3, 1):  # not only the best
        result = planner.search(state, simulations=500)
        child = result.tree.root.children[place]
        before = facts_below(child)
        action = child.action
        assert planner.advance(action)
        state.apply_action(action)
        kept = planner.search(state, simulations=1)
        after = facts_below(kept.tree.root)
        assert kept.tree.root.visits == before[()][0] + 1
        assert set(before) <= set(after)
        assert len(set(after) - set(before)) <= 1
        same = sum(before[line] == after[line] for line in before if line)
        assert same >= len(before) - 1 - 6  # all but the path of one simulation


def whole_game(**settings):
    planner, state, seen = bw.MCTS(seed=5, **settings), Turns(), []
    while not state.is_terminal():
        result = planner.search(state, simulations=100)
        seen.append([(tuple(child.action), child.visits, child.value) for child in result.children])
        planner.advance(result.best_action)
        state.apply_action(result.best_action)
    return seen


def test_compiled_and_interpreted_searches_agree_in_a_whole_game():
    assert whole_game() == whole_game(compiled=False)


def test_nothing_is_kept_after_a_vector_that_was_not_tried():
    planner, state = bw.MCTS(seed=1), TwoSteps()
    planner.search(state, simulations=200)
    assert not planner.advance((0.123,))
    state.apply_action((0.123,))
    assert planner.search(state, simulations=50).tree.root.visits == 50


def test_a_drawn_state_keeps_its_tree_and_an_open_loop_does_not():
    for open_loop, kept in ((False, True), (None, False)):
        planner = bw.MCTS(seed=1, open_loop=open_loop, outcome_widening=1.0 if kept else None)
        state = Gusts()
        node = planner.search(state, simulations=2000).tree.root.children[0]
        state.apply_action(node.action, bw.Random(1))
        assert planner.advance(node.action, state=state) is kept
        assert (planner.search(state, simulations=10).tree.root.visits > 10) is kept


@pytest.mark.parametrize("told", [True, False])
def test_a_bot_keeps_the_tree_below_moves_that_it_is_told_of(told):
    bot = bw.load_bot("mcts(simulations=2000,seed=1)")
    state, moves = Turns(), []
    action = bot.choose(state, None, moves)
    reply = bot.result.tree.find([action]).children[0].action
    for move in (action, reply):
        state.apply_action(move)
        moves.append(tuple(move))
    bot.choose(state, None, moves if told else None)
    assert (bot.result.tree.root.visits > 2000) is told


def test_a_bot_that_plays_alone_keeps_its_tree():
    bot = bw.load_bot("mcts(simulations=2000,seed=1)")
    state = TwoSteps()
    state.apply_action(bot.choose(state))
    bot.choose(state)
    assert bot.result.tree.root.visits > 2000
