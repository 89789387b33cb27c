"""Evaluators in place of playouts: several simulations under way in one tree, one evaluation for all."""

import math
import signal
import zlib

import numpy as np
import pytest

import branchwise as bw
from branchwise.core.tree.child_indices import children_of_one
from branchwise.core.tree.node_fields import REFUSED, ROOT, USED
from branchwise.games.cant_stop import CantStop
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.pig import Pig
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.rules.facts.facts import game_facts
from branchwise.search.settings.selection import find_rule
from support.paying import Auction, Wheel
from support.rows import slow
from support.simulators import Drift
from support.trees import all_facts, same_arrays

PIG = Pig.configured(target=20)


def numbers_of(state, count):
    """Return numbers from 0 to 1 that depend on the content of a state alone."""
    return np.random.default_rng(zlib.crc32(str(state).encode())).random(count)


def hashed(states):
    """Judge states by their content: values that add up to the same for two players, and weights."""
    facts = game_facts(states[0])
    drawn = np.array([numbers_of(state, facts.num_players + facts.num_actions) for state in states])
    low = max(facts.min_return, -1.0)
    high = min(facts.max_return, 1.0)
    values = low + (high - low) * drawn[:, : facts.num_players]
    if facts.num_players == 2 and math.isfinite(facts.sum_of_two):
        values[:, 1] = facts.sum_of_two - values[:, 0]
    return values, drawn[:, facts.num_players :] + 0.01


def hashed_values(states):
    return hashed(states)[0]


class Counting:
    """An evaluator that counts its batches."""

    def __init__(self, evaluator):
        self.evaluator = evaluator
        self.sizes = []

    def __call__(self, states):
        self.sizes.append(len(states))
        return self.evaluator(states)


class Foreign:
    """A tic-tac-toe that is no `Game`."""

    num_players, num_actions, max_game_length = 2, 9, 9

    def __init__(self, state):
        self.state = state

    def clone(self):
        return Foreign(self.state.copy())

    def __str__(self):
        return str(self.state)

    def __getattr__(self, name):
        if name in ("current_player", "legal_actions", "apply_action", "is_terminal", "returns"):
            return getattr(self.state, name)
        raise AttributeError(name)


def begun(game):
    """Return the first state of a game in which a player is to move."""
    state = game()
    while state.current_player() == bw.CHANCE:
        state.apply_action(next(iter(state.chance_outcomes()))[0])
    return state


def tree_of(result):
    return result.tree._tree


def check_nothing_under_way(tree, simulations):
    """Check that each visit of a node was counted once: in one of its children, or by its own evaluation."""
    nodes = tree.nodes[: int(tree.counters[USED])]
    assert nodes[ROOT]["visits"] == simulations
    for node in np.flatnonzero(nodes["first"] >= 0):
        below = int(nodes["visits"][children_of_one(nodes, node)].sum())
        own = int(nodes["visits"][node]) - below
        assert own == (0 if nodes["player"][node] == bw.CHANCE else 1)


# --- the same search as others -----------------------------------------------------------------------------


class Reference:
    """AlphaZero's search of a game for two, in plain Python: one leaf at a time, values for the mover."""

    def __init__(self, action=None, mover=None, prior=1.0):
        self.action, self.mover, self.prior = action, mover, prior
        self.visits, self.total, self.children = 0, 0.0, []

    def simulate(self, root, c, c_base):
        state, path = root.copy(), [self]
        while path[-1].children:
            here = path[-1]
            growing = c + math.log((here.visits + c_base + 1) / c_base)

            def score(child, visits=here.visits, growing=growing):
                mean = child.total / child.visits if child.visits else 0.5
                return mean + growing * child.prior * math.sqrt(visits) / (1 + child.visits)

            path.append(max(here.children, key=score))
            state.apply_action(path[-1].action)
        if state.is_terminal():
            returns = state.returns()
        else:
            values, weights = hashed([state])
            returns = values[0]
            legal = state.legal_actions()
            total = weights[0][legal].astype(np.float32).sum()
            path[-1].children = [
                Reference(action, state.current_player(), np.float32(weights[0][action]) / total)
                for action in legal
            ]
        for node in path:
            node.visits += 1
            if node.mover is not None:
                node.total += (returns[node.mover] + 1) / 2

    def facts(self):
        return {
            (): (self.visits, 0.0),
            **{
                (child.action, *line): found
                for child in self.children
                if child.visits
                for line, found in (child.facts() | {(): (child.visits, child.total)}).items()
            },
        }


def facts_of(node):
    found = {(): (node.visits, 0.0)}
    for child in node.children:
        if child.visits:
            below = facts_of(child) | {(): (child.visits, (child.value + 1) / 2 * child.visits)}
            found |= {(child.action, *line): facts for line, facts in below.items()}
    return found


@pytest.mark.parametrize("moves", [[], ["d1"], ["d1", "c1", "d2"]])
def test_one_leaf_at_a_time_is_the_search_of_alpha_zero(moves):
    root = ConnectFour.from_actions(moves)
    rule = find_rule("puct")
    planner = bw.MCTS(selection="puct", first_play=0.5, evaluator=hashed, proofs=False, seed=3)
    result = planner.search(root, simulations=500)
    reference = Reference()
    for _ in range(500):
        reference.simulate(root, rule.c, rule.options["c_base"])
    mine, theirs = facts_of(result.tree.root), reference.facts()
    assert mine.keys() == theirs.keys()
    for line, (visits, total) in theirs.items():
        assert mine[line] == (visits, pytest.approx(total, abs=1e-4)), line


CASES = [
    (ConnectFour, {"selection": "puct"}, hashed, 16),
    slow(ConnectFour, {"selection": "puct"}, hashed, 1),
    (PIG, {}, hashed_values, 7),
    slow(CantStop.configured(players=3), {}, hashed_values, 8),
    (Wheel, {"proofs": False}, hashed_values, 4),
    (Auction, {"scale": "seen", "selection": "ucb1_tuned"}, hashed_values, 4),
]


@pytest.mark.parametrize(("game", "settings", "evaluator", "size"), CASES)
def test_compiled_and_interpreted_searches_build_the_same_tree(game, settings, evaluator, size):
    compiled, interpreted = (
        bw.MCTS(seed=5, evaluator=evaluator, batch_size=size, compiled=way, **settings).search(
            begun(game), simulations=300
        )
        for way in (True, False)
    )
    assert compiled.simulations == interpreted.simulations
    assert all_facts(compiled.tree.root) == all_facts(interpreted.tree.root)


@pytest.mark.bounds
@pytest.mark.parametrize("game", [ConnectFour, PIG, Wheel])
def test_nothing_is_left_under_way(game):
    proofs = game is not Wheel
    planner = bw.MCTS(seed=1, evaluator=hashed_values, batch_size=16, proofs=proofs)
    tree = tree_of(planner.search(game(), simulations=400))
    check_nothing_under_way(tree, 400)
    if proofs:
        nodes = tree.nodes[: int(tree.counters[USED])]
        assert (nodes["value"] >= -1e-9).all()
        assert (nodes["value"] <= nodes["visits"] + 1e-9).all()


def test_a_foreign_state_is_searched_by_the_same_evaluations():
    own = bw.MCTS(seed=2, evaluator=hashed_values, batch_size=8, proofs=False)
    foreign = bw.MCTS(seed=2, evaluator=hashed_values, batch_size=8, proofs=False)
    assert same_arrays(
        own.search(TicTacToe(), simulations=200),
        foreign.search(Foreign(TicTacToe()), simulations=200),
    )


# --- batches ----------------------------------------------------------------------------------------------


def test_batches_are_filled_where_paths_do_not_meet():
    evaluator = Counting(hashed_values)
    bw.MCTS(seed=1, evaluator=evaluator, batch_size=16, proofs=False).search(ConnectFour(), simulations=2000)
    assert sum(evaluator.sizes) == 2000
    assert max(evaluator.sizes) == 16
    assert len(evaluator.sizes) < 2000 / 8


def test_a_budget_is_kept_to_the_simulation():
    for simulations in (1, 2, 15, 16, 17):
        evaluator = Counting(hashed_values)
        planner = bw.MCTS(seed=1, evaluator=evaluator, batch_size=16, proofs=False)
        assert planner.search(ConnectFour(), simulations=simulations).simulations == simulations
        assert sum(evaluator.sizes) == simulations


def test_states_are_the_evaluators_own():
    def spoil(states):
        values = hashed_values(states)
        for state in states:
            state.apply_action(state.legal_actions()[0])
        return values

    for root in (TicTacToe(), Foreign(TicTacToe())):
        kept, spoilt = (
            bw.MCTS(seed=1, evaluator=evaluator, batch_size=4, proofs=False).search(root, simulations=100)
            for evaluator in (hashed_values, spoil)
        )
        assert same_arrays(kept, spoilt)


def test_evaluators_are_not_asked_about_chance_or_ends():
    def check(states):
        assert all(not state.is_terminal() and state.current_player() >= 0 for state in states)
        return hashed_values(states)

    result = bw.MCTS(seed=1, evaluator=check, batch_size=8).search(PIG(), simulations=500)
    assert result.simulations == 500


def test_a_full_tree_is_searched_on():
    planner = bw.MCTS(seed=1, evaluator=hashed_values, batch_size=16, proofs=False)
    result = planner.search(ConnectFour(), simulations=600, max_nodes=200)
    tree = tree_of(result)
    assert result.simulations <= 600
    assert tree.counters[REFUSED] > 0
    assert int(tree.counters[USED]) <= 200


def test_nodes_at_the_greatest_depth_are_evaluated_again():
    planner = bw.MCTS(seed=1, evaluator=hashed_values, batch_size=4, max_depth=1, proofs=False)
    result = planner.search(ConnectFour(), simulations=100)
    assert all(not child.children for child in result.tree.root.children)
    assert sum(child.visits for child in result.tree.root.children) == 99


def test_what_lies_below_the_move_played_is_kept():
    planner = bw.MCTS(seed=1, evaluator=hashed_values, batch_size=8, proofs=False)
    state = ConnectFour()
    action = planner.search(state, simulations=1000).best_action
    assert planner.advance(action)
    state.apply_action(action)
    result = planner.search(state, simulations=200)
    assert result.tree.root.visits > 250
    check_nothing_under_way(tree_of(result), result.tree.root.visits)


# --- what is found ----------------------------------------------------------------------------------------


def nim_values(noise):
    """Return an evaluator of Nim that is right up to noise; a multiple of four chips is lost."""

    def evaluate(states):
        values = np.empty((len(states), 2))
        for row, state in zip(values, states, strict=True):
            wins = state.chips % 4 != 0
            value = (0.4 if wins else -0.4) + noise * (numbers_of(state, 1)[0] - 0.5)
            row[state.current_player()], row[1 - state.current_player()] = value, -value
        return values

    return evaluate


@pytest.mark.parametrize("size", [1, 16])
def test_the_winning_move_is_found_from_both_parities(size):
    for chips in (14, 15, 17, 18, 19):
        for mover in (0, 1):
            state = Nim()
            state.chips, state.mover = chips, mover
            planner = bw.MCTS(seed=1, c=0.2, evaluator=nim_values(0.3), batch_size=size, proofs=False)
            result = planner.search(state, simulations=2000)
            assert (chips - result.best_action - 1) % 4 == 0
            assert result.value > 0.05


def test_games_are_solved_by_proof_though_evaluations_are_of_no_use():
    planner = bw.MCTS(seed=1, evaluator=lambda states: np.zeros((len(states), 2)), batch_size=32)
    result = planner.search(Nim(), simulations=200_000)
    assert result.ended_by == "proven"
    assert result.value == 1.0
    assert result.best_action == 0


def test_good_weights_lead_the_search():
    def knows(states):
        weights = np.full((len(states), 3), 0.01)
        for row, state in zip(weights, states, strict=True):
            row[(state.chips - 1) % 4 if state.chips % 4 else 0] = 1.0
        return np.zeros((len(states), 2)), weights

    planner = bw.MCTS(seed=1, selection="puct", evaluator=knows, batch_size=4, proofs=False)
    found = planner.search(Nim(), simulations=60)
    assert max(found.children, key=lambda child: child.visits).action == 0
    assert found.children[0].prior == pytest.approx(1 / 1.02, abs=1e-6)


# --- faults -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda states: np.zeros(len(states)), "values of shape (1,) for 1 states"),
        (lambda states: np.zeros((len(states) + 1, 2)), "values of shape (2, 2)"),
        (lambda states: "good", "values that are not an array of numbers"),
        (lambda states: np.full((len(states), 2), np.nan), "the values [nan, nan]"),
        (lambda states: np.full((len(states), 2), 1.5), "the values [1.5, 1.5]"),
        (lambda states: (np.zeros((len(states), 2)), np.ones((len(states), 3))), "weights of shape (1, 3)"),
        (lambda states: (np.zeros((len(states), 2)), -np.ones((len(states), 7))), "negative weights"),
        (lambda states: (np.zeros((len(states), 2)), np.zeros((len(states), 7))), "weights of 0"),
        (lambda states: states[5], "raised IndexError"),
    ],
)
@pytest.mark.parametrize("compiled", [True, False])
def test_a_wrong_answer_is_one_clear_error(answer, said, compiled):
    planner = bw.MCTS(selection="puct", evaluator=answer, batch_size=4, compiled=compiled, proofs=False)
    with pytest.raises(bw.EvaluatorError, match="the evaluator") as caught:
        planner.search(ConnectFour(), simulations=50)
    assert said in str(caught.value)
    assert caught.value.mend


def test_rounding_beyond_the_bounds_is_corrected():
    planner = bw.MCTS(evaluator=lambda states: np.full((len(states), 2), [1 + 1e-6, -1 - 1e-6]), proofs=False)
    assert planner.search(ConnectFour(), simulations=50).value == pytest.approx(1.0)


def test_weights_that_nothing_reads_are_refused():
    with pytest.raises(bw.EvaluatorError, match="does not read"):
        bw.MCTS(evaluator=hashed).search(ConnectFour(), simulations=10)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, RuntimeError])
def test_an_evaluation_that_is_broken_off_leaves_no_trace(raised):
    def fails(states):
        calls.append(states)
        if len(calls) == 20:
            raise raised
        return hashed_values(states)

    calls = []
    planner = bw.MCTS(seed=1, evaluator=fails, batch_size=8, proofs=False)
    if raised is KeyboardInterrupt:
        assert planner.search(ConnectFour(), simulations=5000).ended_by == "interrupted"
    else:
        with pytest.raises(bw.EvaluatorError):
            planner.search(ConnectFour(), simulations=5000)
    tree = planner._states.session.trees[0]
    check_nothing_under_way(tree, sum(map(len, calls[:19])))
    assert planner.carry_on()
    result = planner.search(ConnectFour(), simulations=100)
    check_nothing_under_way(tree_of(result), result.tree.root.visits)


def test_ctrl_c_waits_for_a_batch_to_be_consistent():
    def interrupts(states):
        calls.append(len(states))
        if len(calls) == 10:
            signal.raise_signal(signal.SIGINT)
        return hashed_values(states)

    calls = []
    planner = bw.MCTS(seed=1, evaluator=interrupts, batch_size=8, proofs=False)
    result = planner.search(ConnectFour(), simulations=100_000)
    assert result.ended_by == "interrupted"
    check_nothing_under_way(tree_of(result), sum(calls[:9]))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"batch_size": 8}, "batch_size is given without evaluator"),
        ({"evaluator": 3}, "evaluator = 3 cannot be called"),
        ({"evaluator": hashed, "batch_size": 0}, "batch_size"),
        ({"evaluator": hashed, "playout": "mast"}, "playout cannot be combined"),
        ({"evaluator": hashed, "cutoff": 3}, "cutoff cannot be combined"),
        ({"evaluator": hashed, "threads": 2}, "threads cannot be combined"),
        ({"evaluator": hashed, "spread": True}, "spread cannot be combined"),
        ({"evaluator": hashed, "compiled": "meanwhile"}, 'compiled="meanwhile" cannot be combined'),
        ({"evaluator": hashed, "batch_size": 2, "transpositions": True}, "batch_size=1"),
        ({"evaluator": hashed, "batch_size": 2, "backup": "max"}, "batch_size=1"),
        ({"evaluator": hashed, "batch_size": 2, "halving": True}, "batches"),
    ],
)
def test_settings_that_contradict_an_evaluator_are_refused(settings, said):
    with pytest.raises(bw.SettingsError) as caught:
        bw.MCTS(**settings)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("game", "settings", "said"),
    [
        (Drift, {}, "an open loop"),
        (ConnectFour, {"selection": "rave"}, "learns from the moves of playouts"),
    ],
)
def test_searches_without_an_evaluator_are_named(game, settings, said):
    with pytest.raises(bw.GameError, match=said):
        bw.MCTS(evaluator=hashed_values, **settings).search(game(), simulations=10)


def test_steps_are_refused_in_one_sentence():
    with pytest.raises(bw.SettingsError, match="an evaluator"):
        bw.MCTS(evaluator=hashed_values).steps(ConnectFour())
