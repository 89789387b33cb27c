"""Lines of best play, scores of children, and searches step by step, as the explorer shows them."""

from dataclasses import replace

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import GameError, SettingsError
from branchwise.games import load_game
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.search.settings.settings import Settings
from branchwise.search.trace.step_search import StepSearch
from support.rules import Race


def followed(reader, node):
    """Return the line below a node by going from each to the first of its ranked children."""
    line, opened = [], set()
    while (first := reader.first_of(node)) >= 0 and first not in opened:
        opened.add(first)
        node = int(reader.ranked(node)[0])
        if not reader.is_known(node):
            break
        line.append(node)
    return line


@pytest.mark.parametrize("settings", [{}, {"transpositions": True}])
@pytest.mark.parametrize("simulations", [3, 60, 700, 20_000])
@pytest.mark.parametrize(
    "game", ["tic_tac_toe", pytest.param("nim", marks=pytest.mark.bounds), "nim(heaps=(3,4,5),max_take=0)"]
)
def test_lines_lead_to_the_first_of_the_ranked_children(game, simulations, settings):
    for seed in range(3):
        found = bw.MCTS(seed=seed, **settings).search(load_game(game)(), simulations=simulations)
        reader = found.tree.reader
        nodes = np.unique(np.linspace(0, reader.used - 1, 60).astype(np.int64))
        assert reader.lines(nodes) == [followed(reader, int(node)) for node in nodes]


def test_a_line_may_be_longer_than_is_expected():
    state = load_game("nim(heaps=(150,),max_take=1)")()
    tree = bw.MCTS(seed=1).search(state, simulations=20_000).tree
    line = tree.reader.line(0)
    assert line == followed(tree.reader, 0)
    assert len(line) > 64


@pytest.mark.parametrize(
    "selection", ["ucb1", pytest.param("grave", marks=pytest.mark.bounds), "progressive_history"]
)
def test_scores_are_what_the_next_simulation_sees(selection):
    steps = StepSearch(TicTacToe(), Settings(seed=2, selection=selection, repeat=1))
    for _ in range(150):
        steps.step()
    scores = steps.tree.scores()
    choice = steps.step().selection.choices[0]
    seen = [replace(s, fate=t.fate) for s, t in zip(choice.siblings, scores, strict=True)]
    assert seen == list(scores)
    best = max((s for s in scores if s.score is not None), key=lambda s: s.score)
    assert best.node == choice.siblings[choice.chosen].node


@pytest.mark.bounds
def test_scores_of_a_compiled_search_add_up():
    found = bw.MCTS(seed=1, c=0.4).search(TicTacToe(), simulations=3000)
    below = found.tree.scores(["b2"])
    assert {child.move.player for child in below} == {1}
    assert [child.visits for child in below] == [
        found.tree.find(["b2", child.move.action]).visits for child in below
    ]
    for child in below:
        if child.score is not None:
            assert child.score == pytest.approx(child.value + child.exploration)


@pytest.mark.bounds
def test_scores_of_a_tree_from_a_file_are_not_known(tmp_path):
    found = bw.MCTS(seed=1).search(TicTacToe(), simulations=100)
    found.tree.save(tmp_path / "tree.bw")
    with pytest.raises(SettingsError, match="comes from a file"):
        bw.load_tree(tmp_path / "tree.bw").scores()


@pytest.mark.bounds
def test_steps_without_end_are_those_of_the_planner():
    steps = StepSearch(TicTacToe(), Settings(seed=9))
    told = list(bw.MCTS(seed=9).steps(TicTacToe(), simulations=20))
    assert [steps.step() for _ in range(20)] == told
    assert steps.tree.root.visits == 20


@pytest.mark.bounds
def test_steps_end_where_the_root_is_solved():
    steps = StepSearch(TicTacToe.from_actions(["a1", "b2", "a2", "c3"]), Settings(seed=1))
    while steps.step() is not None:
        pass
    assert steps.tree.root.proven == 1.0
    assert steps.step() is None


@pytest.mark.bounds
def test_steps_continue_without_proofs_where_returns_do_not_add_up():
    class Generous(TicTacToe):
        utility = None

        def returns(self):
            return (1.0, 1.0) if self.is_terminal() else (0.0, 0.0)

    steps = StepSearch(Generous(), Settings(seed=1))
    assert [steps.step().number for _ in range(30)] == list(range(1, 31))
    assert steps.tree.root.visits == 30
    assert not steps.composition.proofs


@pytest.mark.bounds
def test_steps_refuse_what_cannot_be_told_of():
    for settings in ({"threads": 2}, {"halving": True}):
        with pytest.raises(SettingsError, match="one by one"):
            StepSearch(TicTacToe(), Settings(**settings))
    with pytest.raises(GameError, match="over"):
        StepSearch(TicTacToe.from_actions([0, 3, 1, 4, 2]), Settings())
    assert StepSearch(Race(), Settings(seed=1)).step().number == 1
