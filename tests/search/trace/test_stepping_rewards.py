"""Simulations with rewards on the way, reported one by one: the parts of what each node adds."""

import json
import math

import pytest

import branchwise as bw
from branchwise.pictures.simulation_report import PHASES
from branchwise.rules.facts.facts import apply_legal, game_facts, reward_of
from branchwise.search.trace.tree_snapshots import moments
from support.paying import Auction, Corridor, Duel, Gifts, Treadmill, Wheel
from support.rows import slow

PROBLEMS = [Auction, Corridor, Duel, Gifts, Treadmill, Wheel]
COMPILED = [(Wheel, {}), slow(Auction, {}), slow(Duel, {})]
COMPILED += [slow(Wheel, s) for s in ({"proofs": False}, {"selection": "puct"}, {"playout": "mast"})]
INTERPRETED = [{"selection": "thompson"}, {"scale": "seen", "playouts": 2, "backup": "power", "repeat": 1}]


def told(problem, simulations, **settings):
    return list(bw.MCTS(seed=5, **settings).steps(problem(), simulations=simulations))


def path_of(simulation):
    choices = [*simulation.selection.choices, *filter(None, [simulation.expansion.choice])]
    return [choice.siblings[choice.chosen].move for choice in choices]


def paid(state, move):
    """Play a move, and return its rewards."""
    return reward_of(state, apply_legal(state, move.action), game_facts(state))


def named(of):
    return getattr(of, "name", str(of))


# --- the tree -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("problem", "settings"), COMPILED, ids=named)
def test_stepping_builds_the_tree_of_the_compiled_search(problem, settings):
    assert_steps_build_the_tree(problem(), settings, compiled=True)


@pytest.mark.parametrize("problem", PROBLEMS, ids=named)
def test_stepping_builds_the_tree_of_the_search(problem):
    """Of the interpreted search; tests of searches find that the compiled one builds the same."""
    assert_steps_build_the_tree(problem(), {}, compiled=False)


@pytest.mark.parametrize(
    ("problem", "settings"),
    [
        *zip([Wheel, Corridor], INTERPRETED, strict=True),
        *(slow(*row) for row in zip([Corridor, Wheel], INTERPRETED, strict=True)),
    ],
    ids=named,
)
def test_stepping_builds_the_tree_of_the_search_with_other_settings(problem, settings):
    assert_steps_build_the_tree(problem(), settings, compiled=False)


def assert_steps_build_the_tree(state, settings, *, compiled):
    walk = bw.MCTS(seed=5, **settings).walkthrough(state, simulations=80)
    searched = bw.MCTS(seed=5, compiled=compiled, **settings).search(state, simulations=80)
    assert len(walk.simulations) == searched.simulations
    assert len(walk.tree) == len(searched.tree)
    for name in ("nodes", "probabilities"):
        mine, theirs = (getattr(tree._tree, name)[: len(tree)] for tree in (walk.tree, searched.tree))
        assert (mine == theirs).all()


@pytest.mark.parametrize("problem", [slow(Corridor), Wheel], ids=named)
def test_stepping_builds_the_graph_of_the_search(problem):
    settings = {"seed": 5, "transpositions": True, "compiled": False}
    result = bw.MCTS(**settings).search(problem(), simulations=120)
    simulations = told(problem, 120, transpositions=True, compiled=False)
    assert len(simulations) == result.simulations
    last = simulations[-1].backup.updates[-1]
    assert (last.visits_after, last.bounds_after) == (result.tree.root.visits, result.tree.root.bounds)
    values = {u.line[0]: u.value_after for s in simulations for u in s.backup.updates if len(u.line) == 1}
    final = told(problem, 120, transpositions=True, compiled=False)[-1].backup.updates[-2]
    assert values[final.line[0]] == final.value_after


@pytest.mark.parametrize("problem", PROBLEMS, ids=named)
def test_what_is_told_makes_up_the_whole_tree(problem):
    state = problem()
    walk = bw.MCTS(seed=5).walkthrough(state, simulations=80)
    returns = (walk.facts.min_return, walk.facts.max_return)
    trees = moments(walk.simulations, state.current_player(), returns)
    assert len(trees) == len(walk.simulations) * len(PHASES)
    known = trees[-1].nodes
    assert len(known) == len(walk.tree)
    for _, node in walk.tree.walk():
        mine = known[node.index]
        assert (mine.visits, mine.value, mine.bounds) == (node.visits, node.value, node.bounds)
        assert mine.mover == node.mover


# --- rewards --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", PROBLEMS, ids=named)
def test_a_node_adds_its_reward_and_what_comes_after(problem):
    told_of = 0
    for simulation in told(problem, 120, proofs=False):
        state, rewards, factors = problem(), [], []
        for move in path_of(simulation):
            rewards.append(paid(state, move))
            by_chance = not state.is_terminal() and state.current_player() == bw.CHANCE
            factors.append(1.0 if by_chance else problem.discount)
        *updates, root = simulation.backup.updates
        assert (root.reward, root.rest, root.returned) == (None, None, None)
        rest = simulation.playout.returns
        for update, reward, factor in zip(updates, reversed(rewards), reversed(factors), strict=True):
            player = update.player
            assert (update.reward, update.rest) == (reward[player], rest[player])
            assert update.factor == factor or state.is_terminal()
            rest = tuple(r + update.factor * after for r, after in zip(reward, rest, strict=True))
            assert update.returned == rest[player]
            total = (update.value_before or 0.0) * update.visits_before + update.returned
            assert update.value_after == pytest.approx(total / update.visits_after)
            told_of += 1
    assert told_of > 120


@pytest.mark.parametrize(
    ("problem", "settings"),
    [
        *((problem, {}) for problem in PROBLEMS),
        (Wheel, {"playout": "mast"}),
        *(slow(problem, {"playout": "mast"}) for problem in PROBLEMS if problem is not Wheel),
    ],
    ids=named,
)
def test_rewards_of_a_playout_add_up_to_its_returns(problem, settings):
    for simulation in told(problem, 30, **settings):
        state = problem()
        for move in path_of(simulation):
            paid(state, move)
        for game in simulation.playout.games:
            total, weight = [0.0] * problem.num_players, 1.0
            assert len(game.rewards) == len(game.moves)
            for number, (move, rewards) in enumerate(zip(game.moves, game.rewards, strict=True)):
                if number and move.player != bw.CHANCE:
                    weight *= problem.discount
                assert rewards == paid(state, move)
                total = [t + weight * r for t, r in zip(total, rewards, strict=True)]
            assert list(game.returns) == pytest.approx(total)
            assert game.at_horizon == (not state.is_terminal())
            assert not game.cut_off
            assert str(state) == game.board
        assert simulation.playout.games or set(simulation.playout.returns) == {0.0}


def test_the_horizon_is_reported_where_it_ends_a_simulation():
    simulations = told(Treadmill, 60)
    withouts = {simulation.expansion.without for simulation in simulations}
    assert withouts == {"", "first visit", "horizon"}
    for simulation in simulations:
        played = sum(len(game.moves) for game in simulation.playout.games)
        assert len(simulation.expansion.line) + played == Treadmill.horizon


def test_an_evaluation_is_told_apart_from_the_horizon():
    class Guessed(Treadmill):
        """A treadmill whose playouts may be cut off."""

        def evaluate(self):
            return (2.0,)

    games = [game for s in told(Guessed, 60, cutoff=2) for game in s.playout.games]
    assert {(game.cut_off, game.at_horizon) for game in games} == {(True, False), (False, True)}
    for game in games:
        assert game.cut_off == (len(game.moves) == 2 and game.returns[0] == sum(map(sum, game.rewards)) + 2)


def test_a_settled_child_is_worth_its_reward():
    settled = 0
    for simulation in told(Corridor, 60):
        leaf = Corridor.from_actions(simulation.selection.line)
        for child in simulation.expansion.children:
            state = leaf.copy()
            rewards = paid(state, child.move)
            assert child.settled == (rewards[0] if state.is_terminal() else None)
            settled += child.settled is not None
    assert settled > 5


def test_scores_are_stretched_by_the_returns_that_are_given():
    seen = 0
    for simulation in told(Corridor, 60, c=0.5, proofs=False):
        for choice in simulation.selection.choices:
            low, high = choice.spread
            for sibling in choice.siblings:
                if sibling.score is not None:
                    gain = (min(max(sibling.value, low), high) - low) / (high - low)
                    score = (sibling.score - low) / (high - low)
                    explored = 0.5 * (math.log(max(choice.visits, 1)) / sibling.visits) ** 0.5
                    assert score == pytest.approx(gain + explored, abs=1e-5)
                    seen += 1
    assert seen > 100


def test_a_return_is_corrected_to_what_is_proven():
    corrected = [
        update
        for simulation in told(Corridor, 120)
        for update in simulation.backup.updates[:-1]
        if update.returned != update.reward + update.factor * update.rest
    ]
    assert corrected
    for update in corrected:
        lower, upper = update.bounds_after
        assert lower - 1e-6 <= update.returned <= upper + 1e-6


def test_records_have_no_infinite_numbers():
    walk = bw.MCTS(seed=5).walkthrough(Wheel(), simulations=12)
    content = walk.to_dict()
    assert content["returns"] == [None, None]
    assert (content["discount"], content["horizon"], content["open_loop"]) == (0.5, None, False)
    assert json.loads(json.dumps(content, allow_nan=False))
    bounds = [update["bounds_before"] for update in content["simulations"][0]["backup"]["updates"]]
    assert (None, None) in bounds
