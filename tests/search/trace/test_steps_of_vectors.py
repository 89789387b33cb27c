"""Simulations with continuous actions, reported one by one, and the walk-through of them."""

import json

import numpy as np
import pytest

import branchwise as bw
from branchwise.rules.playthrough.playthrough import Playthrough
from support.boxes import Duel, Gusts, Peak, TwoSteps


@pytest.mark.parametrize(
    ("game", "compiled"), [(Peak, True), *((game, False) for game in (Peak, TwoSteps, Duel, Gusts))]
)
def test_the_simulations_are_those_of_a_search(game, compiled):
    steps = list(bw.MCTS(seed=3).steps(game(), simulations=60))
    tree = bw.MCTS(seed=3, compiled=compiled).search(game(), simulations=60).tree
    assert [step.number for step in steps] == list(range(1, 61))
    told = {}
    for step in steps:
        for child in step.expansion.children:
            told[child.node] = child.move.action
    known = {node.index: node.action for _, node in tree.walk() if node.index}
    assert {node: action.tolist() for node, action in told.items()} == {
        node: action.tolist() for node, action in known.items()
    }
    assert steps[-1].backup.updates[-1].visits_after == 60


def test_the_path_of_each_simulation_leads_to_its_board_and_its_return():
    for step in bw.MCTS(seed=3).steps(TwoSteps(), simulations=80):
        played = Playthrough(TwoSteps())
        for choice in step.selection.choices:
            played.play(choice.siblings[choice.chosen].move.action)
        assert step.selection.board == str(played.state)
        if step.expansion.choice is not None:
            played.play(step.expansion.choice.siblings[step.expansion.choice.chosen].move.action)
        for game in step.playout.games:
            for move in game.moves:
                played.play(move.action)
        paid = sum(update.reward for update in step.backup.updates[:-1]) + step.playout.returns[0]
        assert played.is_over
        assert paid == pytest.approx(played.paid[0])


def test_a_choice_by_score_is_the_highest_and_a_new_vector_comes_when_the_visits_ask_for_it():
    added = []
    for step in bw.MCTS(seed=3).steps(Peak(), simulations=50):
        assert len(step.expansion.children) <= 1
        if step.expansion.children:
            added.append(step.number)
            assert step.expansion.choice.because == "untried"
            continue
        (choice,) = step.selection.choices
        scores = [sibling.score for sibling in choice.siblings]
        assert scores[choice.chosen] == max(scores)
        assert choice.siblings[choice.chosen].fate == "chosen"
    assert added == [1, 3, 6, 11, 18, 27, 38]  # ceil(sqrt(visits before)) grows there


def test_vectors_outside_of_this_times_box_are_not_legal():
    fates = set()
    for step in bw.MCTS(seed=3).steps(Gusts(), simulations=200):
        for choice in step.selection.choices:
            for sibling in choice.siblings:
                fates.add(sibling.fate)
                assert isinstance(sibling.move.action, np.ndarray)
    assert {"chosen", "lower", "not legal"} <= fates


def test_steps_can_be_told_as_json_and_compared():
    first, second = (list(bw.MCTS(seed=3).steps(Peak(), simulations=5)) for _ in range(2))
    assert first == second
    told = json.loads(json.dumps([step.to_dict() for step in first]))
    move = told[0]["expansion"]["children"][0]["move"]
    assert move["action"] == first[0].expansion.children[0].move.action.tolist()
    assert move["text"] == "{:.4g},{:.4g}".format(*move["action"])


def test_the_walk_through_shows_the_vectors():
    walk = bw.MCTS(seed=3).walkthrough(TwoSteps(), simulations=3, after=20)
    moves = [
        choice.siblings[choice.chosen].move.text
        for step in walk.simulations
        for choice in step.selection.choices
    ]
    assert moves
    text, html = walk.to_text(), walk.to_html()
    for move in moves:
        assert move in text
        assert move in html
    assert len(walk.to_svg()) == 12
    assert json.loads(json.dumps(walk.to_dict()))["open_loop"] is True


@pytest.mark.parametrize("settings", [{"open_loop": False}, {"outcome_widening": 1.0}])
def test_vectors_and_drawn_outcomes_are_reported_together(settings):
    planner = bw.MCTS(seed=3, compiled=False, **settings)
    steps = list(planner.steps(Gusts(), simulations=60))
    tree = planner.search(Gusts(), simulations=60).tree
    added = {child.node for step in steps for child in step.expansion.children}
    known = {node.index for _, node in tree.walk() if node.index}
    assert added <= known
    chosen = [c.siblings[c.chosen] for c in steps[-1].choices]
    for step in steps:
        for choice in step.choices:
            if choice.player == bw.CHANCE:
                assert choice.because in ("new", "chance", "back")
            else:
                assert isinstance(choice.siblings[choice.chosen].move.action, np.ndarray)
    assert chosen
    updates = {update.node: update for step in steps for update in step.backup.updates}
    for _, node in tree.walk():
        assert updates[node.index].visits_after == node.visits
