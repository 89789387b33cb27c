"""`repeat`: a well-visited choice is reused for several simulations, and for no more than that."""

from itertools import pairwise

import pytest

import branchwise as bw
from branchwise.games import ConnectFour, TicTacToe


def nodes(result):
    return [(depth, node.action, node.visits, node.value) for depth, node in result.tree.walk(min_visits=1)]


def test_small_trees_are_the_same_with_and_without():
    once, again = (
        bw.MCTS(seed=4, repeat=times, playout="uniform").search(ConnectFour(), simulations=127)
        for times in (1, 16)
    )
    assert nodes(once) == nodes(again)


def test_large_trees_are_not_but_add_up():
    once, again = (
        bw.MCTS(seed=4, repeat=times, proofs=False).search(TicTacToe(), simulations=4000) for times in (1, 16)
    )
    assert nodes(once) != nodes(again)
    assert once.best_action == again.best_action
    root = again.tree.root
    assert root.visits == 4000
    for node in (root, *root.children):
        own = node.visits - sum(child.visits for child in node.children)
        assert own == (node is not root), "the simulation that expanded it"


@pytest.mark.parametrize("proofs", [True, False])
def test_compiled_and_uncompiled_hold_to_the_same_choices(proofs):
    compiled, plain = (
        bw.MCTS(seed=2, compiled=form, proofs=proofs).search(TicTacToe(), simulations=1500)
        for form in (True, False)
    )
    assert nodes(compiled) == nodes(plain)


def test_steps_tell_which_choices_are_followed_again():
    planner = bw.MCTS(seed=1, proofs=False)
    steps = list(planner.steps(TicTacToe(), simulations=60, after=3000))
    firsts = [simulation.selection.choices[0] for simulation in steps]
    assert {choice.because for choice in firsts} == {"score", "again"}
    runs = 0
    for before, after in pairwise(firsts):
        if after.because == "again":
            assert after.siblings[after.chosen].node == before.siblings[before.chosen].node
            runs += 1
    assert runs > len(steps) / 2
    for choice in firsts:
        if choice.because == "score":
            scores = [sibling.score for sibling in choice.siblings if sibling.score is not None]
            assert choice.siblings[choice.chosen].score == max(scores)


def test_without_every_choice_is_scored():
    steps = bw.MCTS(seed=1, proofs=False, repeat=1).steps(TicTacToe(), simulations=20, after=3000)
    assert {choice.because for step in steps for choice in step.selection.choices[:1]} == {"score"}


@pytest.mark.parametrize("times", [0, -1, 1.5, None, "many"])
def test_a_number_that_makes_no_sense_is_refused(times):
    with pytest.raises(bw.SettingsError, match="repeat"):
        bw.MCTS(repeat=times)
