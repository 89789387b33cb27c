"""Simulations of games of chance reported one by one: draws of outcomes, and whose values they are."""

from collections import Counter

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.players import credited
from branchwise.games.backgammon import Backgammon
from branchwise.games.pig import Pig
from branchwise.pictures.simulation_report import PHASES
from branchwise.search.trace.tree_snapshots import moments
from support.dice import CoinTicTacToe, Ladder
from support.rows import slow

BEARING_OFF = np.zeros((2, 25), np.int8)
BEARING_OFF[:, [0, 2, 4]] = 1

STATES = [
    Pig.configured(target=20)(),
    Backgammon(checkers=BEARING_OFF, off=[12, 12], high=2, low=1, started=True),
    CoinTicTacToe.from_actions([0, 4, 1]),
    Ladder(),
]
COMPILED = [(STATES[2], {}), slow(STATES[0], {}), slow(STATES[1], {})]
COMPILED += [slow(STATES[2], s) for s in ({"proofs": False}, {"selection": "puct"}, {"playout": "mast"})]
INTERPRETED = [{"selection": "thompson"}, {"scale": "seen", "playouts": 2, "backup": "power", "repeat": 1}]


def told(state, simulations, **settings):
    return list(bw.MCTS(seed=5, **settings).steps(state, simulations=simulations))


def choices_of(simulation):
    return [*simulation.selection.choices, *filter(None, [simulation.expansion.choice])]


def draws_of(simulations):
    found = [choice for simulation in simulations for choice in choices_of(simulation) if choice.is_chance]
    assert found
    return found


def named(state):
    return state.name


# --- the tree -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("state", "settings"), COMPILED, ids=lambda of: getattr(of, "name", str(of)))
def test_stepping_builds_the_tree_of_the_compiled_search(state, settings):
    assert_steps_build_the_tree(state, settings, compiled=True)


@pytest.mark.parametrize("state", STATES, ids=named)
def test_stepping_builds_the_tree_of_the_search(state):
    """Of the interpreted search; tests of searches find that the compiled one builds the same."""
    assert_steps_build_the_tree(state, {}, compiled=False)


@pytest.mark.parametrize(
    ("state", "settings"),
    [
        *zip([STATES[2], STATES[3]], INTERPRETED, strict=True),
        *(slow(*row) for row in zip([STATES[3], STATES[2]], INTERPRETED, strict=True)),
    ],
    ids=lambda of: getattr(of, "name", str(of)),
)
def test_stepping_builds_the_tree_of_the_search_with_other_settings(state, settings):
    assert_steps_build_the_tree(state, settings, compiled=False)


def assert_steps_build_the_tree(state, settings, *, compiled):
    walk = bw.MCTS(seed=5, **settings).walkthrough(state, simulations=150)
    searched = bw.MCTS(seed=5, compiled=compiled, **settings).search(state, simulations=150)
    assert len(walk.simulations) == searched.simulations
    assert len(walk.tree) == len(searched.tree)
    for array in ("nodes", "probabilities"):
        mine, theirs = (getattr(tree._tree, array)[: len(tree)] for tree in (walk.tree, searched.tree))
        assert (mine == theirs).all()


def test_stepping_builds_the_graph_of_the_search():
    state = CoinTicTacToe.from_actions([0, 4, 1, 0, 0, 8, 1])
    planner = bw.MCTS(seed=5, transpositions=True)
    result = planner.search(state, simulations=200)
    simulations = told(state, 200, transpositions=True)
    assert len(simulations) == result.simulations
    last = simulations[-1].backup.updates[-1]
    assert (last.visits_after, last.bounds_after) == (result.tree.root.visits, result.tree.root.bounds)


def test_a_game_of_chance_is_stepped_through_until_its_root_is_solved():
    *_, last = told(Ladder(), 1000)
    assert last.number < 1000
    assert last.backup.updates[-1].bounds_after == (0.5, 0.5)


@pytest.mark.parametrize("state", STATES, ids=named)
def test_what_is_told_makes_up_the_whole_tree(state):
    walk = bw.MCTS(seed=5).walkthrough(state, simulations=150)
    returns = (walk.facts.min_return, walk.facts.max_return)
    trees = moments(walk.simulations, state.current_player(), returns)
    assert len(trees) == len(walk.simulations) * len(PHASES)
    known = trees[-1].nodes
    assert len(known) == len(walk.tree)
    for _, node in walk.tree.walk():
        mine = known[node.index]
        assert (mine.visits, mine.value, mine.bounds) == (node.visits, node.value, node.bounds)
        assert (mine.player, mine.mover) == (node.player, node.mover)


# --- draws ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES, ids=named)
def test_a_draw_is_reported_with_the_probabilities_of_the_rules(state):
    added = 0
    for simulation in told(state, 150):
        here = state.copy()
        mover = None
        for choice in choices_of(simulation):
            assert choice.player == here.current_player()
            assert choice.is_chance == (choice.because == "chance") == (choice.player == bw.CHANCE)
            if choice.is_chance:
                pairs = [(sibling.move.action, sibling.probability) for sibling in choice.siblings]
                assert dict(pairs) == pytest.approx(dict(here.chance_outcomes()))
                assert [s.fate for s in choice.siblings].count("chosen") == 1
                assert {s.fate for s in choice.siblings} <= {"chosen", "not drawn"}
                assert {s.score for s in choice.siblings} == {None}
            else:
                assert {sibling.probability for sibling in choice.siblings} == {None}
            mover = credited(mover, choice.player)
            assert choice.credited == mover
            move = choice.siblings[choice.chosen].move
            assert move.text == here.action_to_string(move.action)
            here.apply_action(move.action)
        choice = simulation.expansion.choice
        if choice is not None and choice.is_chance:
            children = simulation.expansion.children
            assert [child.probability for child in children] == [s.probability for s in choice.siblings]
            assert simulation.expansion.without == ""
            added += 1
    assert added


def test_outcomes_are_drawn_as_often_as_they_are_likely():
    draws = draws_of(told(Ladder(), 400, proofs=False))
    drawn = Counter(choice.siblings[choice.chosen].move.action for choice in draws)
    assert drawn[1] / drawn.total() == pytest.approx(0.25, abs=0.06)


def test_the_expected_value_is_the_mean_by_probabilities_once_all_outcomes_are_known():
    known = 0
    for choice in draws_of(told(Ladder(), 60)):
        values = [s.bounds[0] if s.bounds[0] == s.bounds[1] else s.value for s in choice.siblings]
        if None in values:
            assert choice.expected_value is None
        else:
            assert choice.expected_value == pytest.approx(0.75 * values[0] + 0.25 * values[1])
            known += 1
    assert known
    assert told(Ladder(), 3)[-1].selection.choices[0].expected_value is None  # a player's


@pytest.mark.parametrize("state", STATES, ids=named)
def test_playouts_lead_through_chance_to_the_returns(state):
    by_chance = 0
    for simulation in told(state, 20):
        here = state.copy()
        for choice in choices_of(simulation):
            here.apply_action(choice.siblings[choice.chosen].move.action)
        assert str(here) == simulation.expansion.board
        for game in simulation.playout.games:
            for move in game.moves:
                assert move.player == here.current_player()
                by_chance += move.player == bw.CHANCE
                here.apply_action(move.action)
        assert simulation.playout.returns == tuple(here.returns())
    assert by_chance


@pytest.mark.parametrize("state", STATES, ids=named)
def test_updates_credit_an_outcome_to_the_player_who_moved_before(state):
    for simulation in told(state, 150, proofs=False):
        *updates, root = simulation.backup.updates
        assert (root.player, root.returned, root.by_chance) == (None, None, False)
        choices = choices_of(simulation)
        assert len(updates) == len(choices)
        for update, choice in zip(updates, reversed(choices), strict=True):
            assert (update.player, update.by_chance) == (choice.credited, choice.is_chance)
            assert update.returned == simulation.playout.returns[update.player]
            total = (update.value_before or 0.0) * update.visits_before + update.returned
            assert update.value_after == pytest.approx(total / update.visits_after)


def test_scores_of_outcomes_are_their_probabilities():
    tree = bw.MCTS(seed=1).search(Ladder(), simulations=30).tree
    outcomes = tree.scores([1])
    assert [(child.move.player, child.probability, child.score) for child in outcomes] == [
        (bw.CHANCE, 0.75, None),
        (bw.CHANCE, 0.25, None),
    ]
    visits = {node.action: node.visits for node in tree.find([1]).children}
    assert {child.move.action: child.visits for child in outcomes} == visits
