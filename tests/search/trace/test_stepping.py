"""Simulations reported one by one: the tree is the search's own, and the reports agree with it."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.pictures.simulation_report import PHASES
from branchwise.search.trace.tree_snapshots import moments
from support.rows import slow
from support.rules import Kalah, Passing, Prisoners, Race

GAMES = [TicTacToe, ConnectFour.configured(rows=4, columns=5), Nim, Race, Kalah, Passing]
SOON_OVER = TicTacToe.from_actions(["b2", "a1", "c3", "a3"])


class Counting:
    """A state that is no `Game`: two players add 1 or 2 to a number, whoever reaches 7 wins."""

    def __init__(self, total=0, mover=0):
        self.total, self.mover = total, mover

    def current_player(self):
        return self.mover

    def legal_actions(self):
        return [1, 2]

    def apply_action(self, action):
        self.total, self.mover = self.total + action, 1 - self.mover

    def is_terminal(self):
        return self.total >= 7

    def returns(self):
        return [-1.0, 1.0] if self.mover == 0 else [1.0, -1.0]

    def clone(self):
        return Counting(self.total, self.mover)

    def __str__(self):
        return f"total {self.total}"


def walked(state, simulations, after=0, **settings):
    return bw.MCTS(seed=5, **settings).walkthrough(state, simulations=simulations, after=after)


def told(state, simulations, **settings):
    return list(bw.MCTS(seed=5, **settings).steps(state, simulations=simulations))


def choices_of(simulation):
    return [*simulation.selection.choices, *filter(None, [simulation.expansion.choice])]


def assert_same_trees(one, other):
    assert len(one) == len(other)
    mine, theirs = (tree._tree.nodes[: len(tree)] for tree in (one, other))
    assert (mine == theirs).all()


# --- the tree ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selection", "playout", "proofs"),
    [
        ("ucb1", "uniform", True),
        ("ucb1_tuned", "decisive", False),
        ("puct", "decisive", True),
    ],
)
def test_stepping_builds_the_tree_of_the_search(selection, playout, proofs):
    settings = {"selection": selection, "playout": playout, "proofs": proofs}
    for game in GAMES if playout == "uniform" else (Race, Passing):
        walk = walked(game(), 80, **settings)
        searched = bw.MCTS(seed=5, compiled=False, **settings).search(game(), simulations=80)
        assert len(walk.simulations) == searched.simulations, game.name
        assert_same_trees(walk.tree, searched.tree)


@pytest.mark.parametrize(
    "settings",
    [
        {"compiled": True},
        {"selection": "rave", "playout": "mast"},
        {"selection": "thompson", "first_play": 0.5, "widening": 1.5},
        {"first_play": "parent", "playouts": 3, "max_depth": 2, "backup": "power"},
        slow({"selection": "thompson"}),
        slow({"first_play": "parent", "playouts": 3, "max_depth": 2}),
        slow({"first_play": 0.6, "backup": "power"}),
    ],
    ids=lambda settings: ",".join(map(str, settings.values())),
)
def test_stepping_builds_the_tree_of_the_search_with_other_settings(settings):
    game = ConnectFour.configured(rows=4, columns=5)
    walk = walked(game(), 80, **settings)
    searched = bw.MCTS(seed=5, **{"compiled": False, **settings}).search(game(), simulations=80)
    assert_same_trees(walk.tree, searched.tree)
    for simulation in walk.simulations:
        for choice in choices_of(simulation):
            assert_explained(choice)


def test_stepping_builds_the_graph_of_the_search():
    settings = {"seed": 5, "transpositions": True, "compiled": False}
    result = bw.MCTS(**settings).search(SOON_OVER, simulations=60)
    planner = bw.MCTS(**settings)
    simulations = list(planner.steps(SOON_OVER, simulations=60))
    assert len(simulations) == result.simulations
    last = simulations[-1].backup.updates[-1]
    assert last.visits_after == result.tree.root.visits
    assert last.bounds_after == result.tree.root.bounds


def test_simulations_that_are_not_told_leave_the_same_ones_to_follow():
    whole = told(ConnectFour(), 60)
    later = list(bw.MCTS(seed=5).steps(ConnectFour(), simulations=4, after=56))
    assert later == whole[56:]
    assert [simulation.number for simulation in later] == [57, 58, 59, 60]


def test_a_state_that_is_no_game_is_stepped_through():
    walk = walked(Counting(), 12)
    searched = bw.MCTS(seed=5).search(Counting(), simulations=12)
    assert_same_trees(walk.tree, searched.tree)
    assert walk.simulations[0].playout.games[0].board.startswith("total ")


def test_returns_that_do_not_add_up_are_stepped_through_without_proofs():
    walk = walked(Prisoners(), 40)
    assert not walk.proofs
    assert_same_trees(walk.tree, bw.MCTS(seed=5, compiled=False).search(Prisoners(), simulations=40).tree)


def test_stepping_ends_when_the_root_is_solved():
    simulations = told(SOON_OVER, 5000)
    assert len(simulations) < 5000
    lower, upper = simulations[-1].backup.updates[-1].bounds_after
    assert lower == upper


def test_the_state_is_left_as_it_was():
    state = SOON_OVER.copy()
    told(state, 5)
    assert state == SOON_OVER


# --- selection --------------------------------------------------------------------------------------


def assert_explained(choice):
    """Check that the child that was chosen is the one that what is told of its siblings leads to."""
    fates = [sibling.fate for sibling in choice.siblings]
    assert fates.count("chosen") == 1
    assert fates[choice.chosen] == "chosen"
    scores = [-math.inf if s.score is None else s.score for s in choice.siblings]
    if choice.because == "score":
        assert choice.chosen == scores.index(max(scores))
    elif choice.because == "untried":
        assert "untried" not in fates[: choice.chosen]
        assert choice.siblings[choice.chosen].visits == 0
    else:
        assert choice.because == "proven"
        assert max(scores) == -math.inf
        lowers = [s.bounds[0] for s in choice.siblings]
        assert choice.chosen == lowers.index(max(lowers))
    for sibling in choice.siblings:
        assert (sibling.fate == "solved") <= (sibling.bounds[0] == sibling.bounds[1])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_is_reported_siblings_explains_the_choice(game):
    for simulation in told(game(), 60):
        for choice in choices_of(simulation):
            assert_explained(choice)


def test_terms_are_those_of_ucb1_in_returns():
    seen = 0
    for simulation in told(ConnectFour(), 60, c=0.5, proofs=False):
        for choice in simulation.selection.choices:
            for sibling in choice.siblings:
                if sibling.score is not None:
                    explored = 2 * 0.5 * math.sqrt(math.log(choice.visits) / sibling.visits)
                    assert sibling.exploration == pytest.approx(explored, rel=1e-5)
                    assert sibling.score == pytest.approx(sibling.value + explored, rel=1e-5)
                    seen += 1
    assert seen > 100


def test_priors_and_assumed_values_are_reported():
    _, *simulations = told(Nim(), 5, selection="puct")
    for simulation in simulations:
        (choice, *_) = simulation.selection.choices
        visited = [s for s in choice.siblings if s.visits]
        mean = sum(s.value * s.visits for s in visited) / sum(s.visits for s in visited)
        for sibling in choice.siblings:
            assert sibling.prior == pytest.approx(1 / 3)
            assert sibling.visits or sibling.value == pytest.approx(mean)


def test_other_inputs_of_a_rule_are_reported():
    choice = told(Nim(), 6, selection="rave")[-1].selection.choices[0]
    for sibling in choice.siblings:
        assert set(sibling.other) == {"amaf_visits", "amaf_value"}
        assert sibling.exploration is None
        assert -1 <= sibling.other["amaf_value"] <= 1


def test_solved_and_beaten_children_are_told_apart():
    fates = {
        sibling.fate
        for simulation in told(Passing(), 400)
        for choice in simulation.selection.choices
        for sibling in choice.siblings
    }
    assert {"chosen", "lower", "untried", "solved"} <= fates


# --- expansion, playout, backup ---------------------------------------------------------------------


def test_new_children_are_the_legal_moves_in_the_order_of_the_tree():
    for simulation in told(SOON_OVER, 30):
        expansion = simulation.expansion
        if expansion.without:
            assert expansion.children == ()
            assert (expansion.node, expansion.line) == (simulation.selection.leaf, simulation.selection.line)
            continue
        state = TicTacToe.from_actions(["b2", "a1", "c3", "a3", *simulation.selection.line])
        assert sorted(child.move.action for child in expansion.children) == state.legal_actions()
        assert all(b.node == a.node + 1 for a, b in pairwise(expansion.children))
        assert {child.move.player for child in expansion.children} == {state.current_player()}
        for child in expansion.children:
            after = state.copy()
            after.apply_action(child.move.action)
            over = after.returns()[child.move.player] if after.is_terminal() else None
            assert child.settled == over


def test_reasons_for_adding_nothing():
    def reasons(simulations, **settings):
        return [simulation.expansion.without for simulation in told(SOON_OVER, simulations, **settings)]

    assert reasons(6) == ["", *["first visit"] * 4, ""]
    assert set(reasons(20, max_depth=1)) == {"", "first visit", "depth"}
    assert set(reasons(60, proofs=False)) == {"", "first visit", "game over"}
    assert set(reasons(20, memory_mb=0.0005)) == {"", "first visit", "memory"}


@pytest.mark.parametrize("game", [TicTacToe, Race, Kalah, Passing], ids=lambda game: game.name)
def test_playouts_lead_from_the_new_node_to_the_returns(game):
    for simulation in told(game(), 40):
        state = game()
        for choice in choices_of(simulation):
            move = choice.siblings[choice.chosen].move
            assert move.player == choice.player == state.current_player()
            assert move.text == state.action_to_string(move.action)
            state.apply_action(move.action)
        assert str(state) == simulation.expansion.board
        played = simulation.playout.games
        for move in played[0].moves if played else ():
            assert move.player == state.current_player()
            state.apply_action(move.action)
        assert state.is_terminal()
        assert simulation.playout.returns == tuple(state.returns())
        assert not played or str(state) == played[0].board


def test_several_playouts_return_their_mean():
    for simulation in told(Race(), 6, playouts=3):
        games = simulation.playout.games
        assert len(games) == 3
        assert simulation.playout.returns == pytest.approx(np.mean([game.returns for game in games], axis=0))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_updates_go_from_the_last_node_to_the_root_and_credit_who_moved(game):
    for simulation in told(game(), 80, proofs=False):
        moved = [choice.siblings[choice.chosen].move for choice in choices_of(simulation)]
        *updates, root = simulation.backup.updates
        assert [update.line for update in updates] == [
            tuple(move.text for move in moved[:depth]) for depth in range(len(moved), 0, -1)
        ]
        assert (root.line, root.player, root.returned, root.value_after) == ((), None, None, None)
        for update, move in zip(updates, reversed(moved), strict=True):
            assert update.player == move.player
            assert update.returned == simulation.playout.returns[move.player]
            total = (update.value_before or 0.0) * update.visits_before + update.returned
            assert update.value_after == pytest.approx(total / update.visits_after)
        assert all(update.visits_after == update.visits_before + 1 for update in simulation.backup.updates)


def test_returns_that_are_no_whole_numbers_are_credited_as_they_are():
    for simulation in told(Prisoners(), 40, proofs=False):
        for update in simulation.backup.updates[:-1]:
            assert update.returned == simulation.playout.returns[update.player]


def test_a_return_is_corrected_to_what_is_proven():
    corrected = [
        update
        for simulation in told(SOON_OVER, 60, playout="uniform")
        for update in simulation.backup.updates
        if update.player is not None and update.returned != simulation.playout.returns[update.player]
    ]
    assert corrected
    for update in corrected:
        lower, upper = update.bounds_after
        assert lower <= update.returned <= upper
        total = (update.value_before or 0.0) * update.visits_before + update.returned
        assert update.value_after == pytest.approx(total / update.visits_after)


@pytest.mark.parametrize("proofs", [True, False], ids=["proofs", "no-proofs"])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_is_told_makes_up_the_whole_tree(game, proofs):
    walk = walked(game(), 100, proofs=proofs)
    trees = moments(walk.simulations, game().current_player(), (-1.0, 1.0))
    assert len(trees) == len(walk.simulations) * len(PHASES)
    known = trees[-1].nodes
    assert len(known) == len(walk.tree)
    for depth, node in walk.tree.walk():
        mine = known[node.index]
        assert len(mine.moves) == depth
        assert (mine.visits, mine.value, mine.bounds) == (node.visits, node.value, node.bounds)
        assert node.index == 0 or mine.moves[-1].player == node.mover
        assert mine.player == node.player


def test_a_part_of_the_tree_is_put_together_from_later_simulations():
    walk = walked(ConnectFour(), 5, after=80)
    for known in moments(walk.simulations, 0, (-1.0, 1.0))[-1].nodes.values():
        node = walk.tree.find([move.action for move in known.moves])
        assert node.index == known.index
        assert (known.visits, known.value, known.bounds) == (node.visits, node.value, node.bounds)


# --- records and refusals ---------------------------------------------------------------------------


def test_records_are_plain_values():
    walk = walked(SOON_OVER, 16)
    content = walk.to_dict()
    assert json.loads(json.dumps(content)) == json.loads(json.dumps(content, allow_nan=False))
    assert content["simulations"][3]["backup"]["updates"][0]["line"] == ("c2",)
    assert (content["selection"], content["c"], content["playout"]) == ("ucb1", 0.7, "decisive")
    assert hash(walk.simulations[0].backup.updates) is not None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threads": 2}, "with several threads"),
        ({"halving": True}, "with halving"),
    ],
)
def test_searches_that_do_not_go_one_by_one_are_refused(settings, message):
    with pytest.raises(bw.SettingsError, match=message):
        bw.MCTS(**settings).steps(SOON_OVER)


def test_transpositions_are_refused_where_there_is_a_tree_to_draw():
    with pytest.raises(bw.SettingsError, match="no tree to walk through"):
        bw.MCTS(transpositions=True).walkthrough(SOON_OVER)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"simulations": 0}, "simulations = 0 is outside its range"),
        ({"after": -1}, "after = -1 is outside its range"),
        ({"after": 5000}, "nothing left to search"),
    ],
)
def test_numbers_out_of_range_are_refused(numbers, message):
    with pytest.raises(bw.SettingsError, match=message):
        bw.MCTS(seed=1).steps(SOON_OVER, **numbers)


def test_faults_of_the_rules_are_reported_before_the_first_simulation_is():
    class Broken(Counting):
        def returns(self):
            return [3.0, -3.0]

        def clone(self):
            return Broken(self.total, self.mover)

    with pytest.raises(bw.GameError, match="outside min_return to max_return"):
        bw.MCTS(seed=1).steps(Broken())
    with pytest.raises(bw.GameError, match="is over"):
        bw.MCTS(seed=1).steps(Counting(total=9))
