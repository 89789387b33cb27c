"""Searches of games of chance against exact values, compiled against interpreted, and broken chances."""

import math
import statistics

import pytest

import branchwise as bw
from branchwise.core.tree.node_fields import USED
from branchwise.games.pig import Pig
from branchwise.problems.frozen_lake import FrozenLake
from branchwise.testing import Expectimax, check_game, value_iteration
from support.dice import CoinTicTacToe, Ladder, StubbornPair
from support.rows import bounded, slow
from support.trees import all_facts

PIG_TO_20 = Pig.configured(target=20)
EXACT_PIG_TO_20 = 0.2311171  # .6155585 of the games are won
SHARE = 0.01 * 2.0  # of the range of returns

SETTINGS = [
    {},
    {"proofs": False},
    {"selection": "rave"},
    {"selection": "puct"},
    {"playout": "mast"},
    {"playout": "last_good_reply"},
    {"transpositions": True},
    {"scale": "seen"},
    {"backup": "power"},
    {"repeat": 1},
]

STATES = [CoinTicTacToe.from_actions([0, 4, 1]), PIG_TO_20(), Ladder()]
WITHOUT_PROOFS = {"proofs": False, "scale": "seen", "selection": "puct", "playout": "mast"}
CASES = [
    bounded(STATES[0], {}),
    (STATES[1], {}),
    (STATES[2], {}),
    bounded(STATES[0], {"selection": "rave", "playout": "last_good_reply", "backup": "power", "repeat": 1}),
    bounded(STATES[1], WITHOUT_PROOFS),
    bounded(STATES[2], {"transpositions": True}),
]
CASES += [slow(state, settings) for state in STATES for settings in SETTINGS[1:]]
"""Each of the settings, in few compositions, since each is compiled for itself; the slow ones are alone."""


@pytest.fixture(scope="module")
def coins():
    return Expectimax()


# --- exact values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [None, False], ids=["compiled", "python"])
@pytest.mark.parametrize("transpositions", [False, True])
@pytest.mark.parametrize(
    "moves",
    [[0, 4, 1, 0, 0, 8, 1], [1, 4, 1, 0, 0, 8, 1], [0, 4, 1, 0, 1, 8, 0, 2, 1], [1, 4, 0, 0, 1, 8, 0, 2, 0]],
    ids=str,
)
def test_tic_tac_toe_with_a_coin_is_solved_with_the_exact_value(coins, moves, transpositions, compiled):
    state = CoinTicTacToe.from_actions(moves)
    planner = bw.MCTS(seed=1, transpositions=transpositions, compiled=compiled)
    result = planner.search(state, simulations=20_000)
    assert result.ended_by == "proven"
    assert result.value == result.tree.root.proven == coins.value(state)
    exact = coins.action_values(state)
    assert exact[result.best_action] == max(exact.values())


@pytest.mark.parametrize("first", [0, 1])
def test_tic_tac_toe_with_a_coin_is_solved_from_the_first_move(coins, first):
    state = CoinTicTacToe.from_actions([first])
    result = bw.MCTS(seed=1, transpositions=True).search(state, simulations=1_000_000)
    assert (result.ended_by, result.value) == ("proven", coins.value(state))


@pytest.mark.parametrize("transpositions", [False, True])
def test_every_bound_in_a_tree_with_chance_holds(coins, transpositions):
    """Each node's bounds enclose the exact value, for the player who moved last."""
    state = CoinTicTacToe.from_actions([0, 4, 1, 0, 0])
    result = bw.MCTS(seed=4, transpositions=transpositions).search(state, simulations=1500)
    waiting = [(result.tree.root, state, None)]
    solved = 0
    seen = set()
    while waiting:
        node, state, mover = waiting.pop()
        if transpositions and (state, mover) in seen:  # equal states share a node
            continue
        seen.add((state, mover))
        credited = (
            mover if state.is_terminal() or state.current_player() == bw.CHANCE else state.current_player()
        )
        for child in node.children:
            after = state.copy()
            after.apply_action(child.action)
            if after.is_terminal():
                first = after.returns()[0]
            else:
                first = coins.value(after) * (-1 if after.current_player() == 1 else 1)
            exact = first if credited == 0 else -first
            lower, upper = child.bounds
            assert lower <= exact <= upper
            solved += child.proven is not None
            waiting.append((child, after, credited))
    assert solved > 50


def test_a_problem_for_one_player_is_solved_with_its_expected_return():
    result = bw.MCTS(seed=1).search(Ladder(), simulations=1000)
    assert (result.ended_by, result.value) == ("proven", 0.5)
    assert result.best_action == 0


def test_pig_to_20_is_within_a_hundredth_of_the_range_and_the_error_falls_with_the_budget():
    def errors(simulations, seeds):
        results = [bw.MCTS(seed=seed).search(PIG_TO_20(), simulations=simulations) for seed in seeds]
        assert {result.best_action for result in results} == {0}
        return [abs(result.value - EXACT_PIG_TO_20) for result in results]

    many = errors(100_000, range(8))
    assert max(many) <= SHARE
    few = statistics.fmean(errors(1000, range(100, 140)))
    some = statistics.fmean(errors(10_000, range(100, 120)))
    assert few > some > statistics.fmean(many)


def test_pig_is_played_well_with_points_on_the_table():
    """With few points to lose the best is to roll, with enough to win nearly, as the exact values say."""
    values = value_iteration(PIG_TO_20())
    for scores, turn, mover in (([0, 0], 3, 0), ([0, 15], 12, 0), ([10, 4], 2, 1), ([15, 0], 4, 0)):
        state = PIG_TO_20(scores=scores, turn_total=turn, mover=mover)
        exact = values.action_values(state)
        result = bw.MCTS(seed=1).search(state, simulations=100_000)
        assert exact[result.best_action] == max(exact.values())


@pytest.mark.parametrize(
    ("settings", "visits", "tolerance"),
    [({"backup": "power"}, 1, 1e-9), ({"backup": "max", "transpositions": True}, 100, 0.01)],
    ids=str,
)
def test_what_backups_make_of_a_player_s_choice_is_passed_up_through_chance(settings, visits, tolerance):
    """A node of chance is worth the mean of its outcomes, each outcome what its best move is worth.

    In a graph an outcome may have gained by another way since the node was last visited.
    """
    root = bw.MCTS(seed=1, proofs=False, **settings).search(PIG_TO_20(), simulations=3000).tree.root
    waiting, met, looked_at = [root], {root}, 0  # a state of a graph can come back below itself
    while waiting:
        node = waiting.pop()
        visited = [child for child in node.children if child.visits]
        if node.player == bw.CHANCE and visited and node.visits >= visits:
            mean = statistics.fmean(child.value for child in visited)  # all faces are equally probable
            assert node.value == pytest.approx(mean, abs=tolerance)
            looked_at += 1
        waiting += [child for child in visited if child not in met]
        met.update(visited)
    assert looked_at > 30


# --- one tree, however it is built ----------------------------------------------------------------------


@pytest.mark.parametrize(("state", "settings"), CASES, ids=lambda of: getattr(of, "name", str(of)))
def test_compiled_and_interpreted_searches_build_the_same_tree(state, settings):
    compiled = bw.MCTS(seed=3, **settings).search(state, simulations=300)
    plain = bw.MCTS(seed=3, compiled=False, **settings).search(state, simulations=300)
    assert compiled.simulations == plain.simulations
    assert all_facts(compiled.tree.root) == all_facts(plain.tree.root)
    again = bw.MCTS(seed=3, **settings).search(state, simulations=300)
    assert all_facts(again.tree.root) == all_facts(compiled.tree.root)


@pytest.mark.parametrize(
    "text",
    [slow("backgammon"), "cant_stop(players=3)", slow("yahtzee(players=1)"), slow("yahtzee(players=3)")],
)
def test_games_with_many_outcomes_come_to_the_same_tree_compiled_and_interpreted(text):
    state = bw.load_game(text)()
    state.apply_action(state.legal_actions()[5])
    compiled, plain = (bw.MCTS(seed=3, compiled=way).search(state, simulations=60) for way in (None, False))
    assert all_facts(compiled.tree.root) == all_facts(plain.tree.root)


@pytest.mark.slow
def test_the_evaluation_of_backgammon_comes_to_the_same_tree_compiled_and_interpreted():
    state = bw.load_game("backgammon").from_actions("6-1")
    compiled, plain = (
        bw.MCTS(seed=3, cutoff=0, compiled=way).search(state, simulations=500) for way in (None, False)
    )
    assert all_facts(compiled.tree.root) == all_facts(plain.tree.root)


@pytest.mark.parametrize(
    "settings",
    [{}, WITHOUT_PROOFS, *(slow(s) for s in SETTINGS[1:] if "transpositions" not in s)],
    ids=str,
)
def test_visits_of_a_node_are_those_of_its_children_and_one_for_itself(settings):
    result = bw.MCTS(seed=1, **settings).search(PIG_TO_20(), simulations=2000)
    root = result.tree.root
    assert root.visits == result.simulations == 2000
    waiting = list(root.children)
    chances = 0
    while waiting:
        node = waiting.pop()
        if node.is_expanded:
            chances += node.player == bw.CHANCE
            assert node.visits == sum(child.visits for child in node.children) + 1
            waiting += node.children
    assert chances > 20


@pytest.mark.parametrize(
    ("parallel", "transpositions"), [("tree", False), ("root", False), ("root", True), ("leaf", False)]
)
def test_threads_search_games_of_chance(parallel, transpositions):
    planner = bw.MCTS(seed=1, threads=2, parallel=parallel, transpositions=transpositions)
    result = planner.search(PIG_TO_20(), simulations=50_000)
    assert result.simulations >= 50_000
    assert sum(child.visits for child in result.children) == pytest.approx(result.simulations, rel=0.01)
    assert result.best_action == 0
    assert result.value == pytest.approx(EXACT_PIG_TO_20, abs=3 * SHARE)


def test_outcomes_are_visited_as_often_as_they_are_likely():
    root = bw.MCTS(seed=1, proofs=False).search(Ladder(), simulations=20_000).tree.root
    leap = next(child for child in root.children if child.action == 1)
    shares = {child.action: child.visits / leap.visits for child in leap.children}
    assert shares[1] == pytest.approx(0.25, abs=5 * math.sqrt(0.25 * 0.75 / leap.visits))


# --- reuse and files ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "moves", "settings"),
    [
        (PIG_TO_20(), [0, 4], {}),
        (CoinTicTacToe.from_actions([0]), [4, 1], {}),
        (CoinTicTacToe.from_actions([0]), [4, 1], {"transpositions": True}),
    ],
    ids=str,
)
@pytest.mark.parametrize("compiled", [None, False], ids=["compiled", "python"])
def test_the_tree_is_kept_through_an_action_and_its_outcome(start, moves, settings, compiled):
    planner = bw.MCTS(seed=1, compiled=compiled, **settings)
    before = planner.search(start, simulations=2000).tree.find(moves).visits
    state = start.copy()
    for move in moves:
        assert planner.advance(move)
        state.apply_action(move)
    result = planner.search(state, simulations=1)
    assert result.simulations == 1
    assert result.tree.root.visits == before + 1


@pytest.mark.parametrize("settings", [{}, {"transpositions": True}], ids=str)
def test_a_tree_with_chance_is_saved_and_loaded(tmp_path, settings):
    tree = bw.MCTS(seed=1, **settings).search(PIG_TO_20(), simulations=1000).tree
    tree.save(tmp_path / "pig.tree")
    loaded = bw.load_tree(tmp_path / "pig.tree")
    assert all_facts(loaded.root) == all_facts(tree.root)
    assert str(loaded.to_text()) == str(tree.to_text())


# --- broken chances -------------------------------------------------------------------------------------


def empty(self):
    return
    yield


def negative(self):
    yield 0, -0.25
    yield 1, 1.25


def not_a_number(self):
    yield 0, math.nan
    yield 1, 1.0


def too_little(self):
    yield 0, 0.5
    yield 1, 0.25


def beyond(self):
    yield 0, 0.5
    yield 6, 0.5


def below(self):
    yield -1, 0.5
    yield 1, 0.5


def twice(self):
    yield 1, 0.5
    yield 1, 0.5


BROKEN = {
    "gave no outcome where chance is to move": empty,
    "gave outcome 0 the probability -0.25": negative,
    "gave outcome 0 the probability nan": not_a_number,
    "add up to 0.75, not to 1": too_little,
    "gave outcome 6, but num_outcomes is 6": beyond,
    "gave outcome -1, but num_outcomes is 6": below,
    "gave outcome 1 twice": twice,
}


@pytest.mark.parametrize("way", ["search", "interpreted", "check"])
@pytest.mark.parametrize(("told", "rule"), BROKEN.items(), ids=[rule.__name__ for rule in BROKEN.values()])
def test_broken_chances_are_one_clear_error(told, rule, way):
    game = type("Broken", (Pig,), {"chance_outcomes": rule, "target": 20})
    with pytest.raises(bw.GameError) as caught:
        if way == "check":
            raise check_game(game, games=5).error or AssertionError("no fault was found")
        bw.MCTS(seed=1, compiled=None if way == "search" else False).search(game(), simulations=100)
    assert told in caught.value.problem
    assert "Broken.chance_outcomes" in caught.value.problem
    assert "roll" in str(caught.value)  # the moves that lead there


# --- graphs that return to a node ------------------------------------------------------------------------


def test_a_frozen_lake_has_its_value_where_equal_states_are_one_node():
    """Outcomes of a node of chance that is seldom visited are visited on other ways: their values count."""
    game = FrozenLake.configured(discount=0.99)
    exact = value_iteration(game()).action_values(game())
    result = bw.MCTS(seed=1, transpositions=True).search(game(), simulations=50_000)
    assert result.value == pytest.approx(exact[0], abs=0.01)
    for child in result.children:
        assert child.value == pytest.approx(exact[child.action], abs=0.05)


@pytest.mark.parametrize("state", [slow(Pig()), StubbornPair()], ids=lambda state: state.name)
def test_a_simulation_leaves_a_cycle_of_decisions(state):
    """Each player of Pig may hold with nothing for ever: who chooses that once would choose it again."""
    result = bw.MCTS(seed=1, transpositions=True, proofs=False).search(state, simulations=2000)
    tree = result.tree._reader.tree
    assert tree.nodes["visits"][: tree.counters[USED]].sum() < 100 * 2000
