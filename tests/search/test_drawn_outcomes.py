"""Closed loops where chance is drawn: outcomes known by the states that they lead to, all or some of them."""

import math
import random as python_random

import pytest

import branchwise as bw
from branchwise.games.pig import Pig
from branchwise.testing import Expectimax
from support.dice import CoinTicTacToe
from support.paying import Wheel
from support.rows import bounded, slow
from support.simulators import Deck, Doors, Drift, Machines, Offers, SampledPig, Shutters
from support.trees import all_facts

CLOSED = {"open_loop": False}
SOME = {"outcome_widening": 2.0}
PIG_TO_20 = Pig.configured(target=20)
EXACT_PIG_TO_20 = 0.2311171
CASES = [
    bounded(Drift, SOME),
    bounded(
        Drift,
        {
            "outcome_widening": 1.0,
            "outcome_widening_power": 0.25,
            "playout": "mast",
            "selection": "ucb1_tuned",
            "repeat": 1,
        },
    ),
    slow(Machines, CLOSED),
    (SampledPig, CLOSED),
    slow(Drift, {"outcome_widening": 1.0, "outcome_widening_power": 0.25, "playout": "mast"}),
    slow(Machines, {**SOME, "selection": "ucb1_tuned", "repeat": 1}),
    slow(SampledPig, {**SOME, "playouts": 2, "max_depth": 3}),
    slow(Shutters, CLOSED),
    slow(Doors, CLOSED),
    (Deck, {**CLOSED, "playout": "nst"}),
    (Offers, SOME),
    (CoinTicTacToe, SOME),
    (Wheel, {**SOME, "scale": "seen"}),
]


def start(game):
    return CoinTicTacToe.from_actions([0]) if game is CoinTicTacToe else game()


def drawn_nodes(tree):
    """Yield the nodes of chance that have outcomes."""
    for _, node in tree.walk():
        if node.player == bw.CHANCE and node.num_children:
            yield node


# --- values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "settings"),
    [(SampledPig(), CLOSED), slow(PIG_TO_20(), {"outcome_widening": 1e6})],
    ids=["drawn", "listed"],
)
def test_answers_to_what_chance_brings_are_planned_for(state, settings):
    """An open loop comes to .18 or so; the error falls with the budget."""

    def errors(simulations, seeds):
        found = [bw.MCTS(seed=seed, **settings).search(state, simulations=simulations) for seed in seeds]
        return [abs(result.value - EXACT_PIG_TO_20) for result in found]

    many = errors(100_000, range(4))
    assert max(many) < 0.02
    assert sum(errors(1000, range(20))) / 20 > sum(errors(10_000, range(10))) / 10 > sum(many) / 4


def test_outcomes_without_end_are_answered_to_where_some_are_tried():
    """Where no two offers are equal, every one is new, and nothing is known of what comes after it."""

    def error(simulations, **settings):
        found = [
            bw.MCTS(seed=seed, **settings).search(Offers(made=1), simulations=simulations)
            for seed in range(4)
        ]
        return sum(abs(result.value - 5 / 8) for result in found) / 4

    errors = [error(simulations, outcome_widening=1.0) for simulations in (1000, 10_000, 100_000)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02
    assert error(100_000) > 0.1
    assert error(100_000, **CLOSED) > 0.1


@pytest.mark.parametrize("moves", [[0], [1], [0, 4, 1], [1, 4, 0], [0, 4, 1, 0, 0]], ids=str)
@pytest.mark.parametrize("widening", [2.0, 1e6])
def test_whose_values_these_are_where_chance_says_who_moves(moves, widening):
    """From both sides and both parities."""
    state = CoinTicTacToe.from_actions(moves)
    exact = Expectimax().action_values(state)
    result = bw.MCTS(seed=1, outcome_widening=widening).search(state, simulations=100_000)
    assert result.player == state.current_player()
    assert exact[result.best_action] == pytest.approx(max(exact.values()))
    assert result.value == pytest.approx(max(exact.values()), abs=0.05)


@pytest.mark.parametrize(("turns", "tolerance"), [(0, 0.05), (2, 0.03)])
def test_rewards_of_actions_and_outcomes_are_added_up_and_discounted_once(turns, tolerance):
    state = Wheel(turns=turns)
    exact = Expectimax().action_values(state)
    result = bw.MCTS(seed=1, outcome_widening=1e6).search(state, simulations=100_000)
    assert result.best_action == max(exact, key=exact.get)
    assert result.value == pytest.approx(max(exact.values()), abs=tolerance)


def test_a_horizon_counts_decisions():
    class Sampled(bw.Game):
        """The treadmill with a coin thrown for each step."""

        num_players, num_actions, max_game_length, horizon = 1, 2, 50, 5
        tired: bool = False

        def current_player(self):
            return 0

        def legal_actions(self):
            yield 0
            yield 1

        def apply_action(self, action, random):
            paid = 0.0
            if not self.tired:
                paid = 3.0 if action else 1.0
            self.tired = action == 1 and not self.tired
            return paid + random.below(2) - 0.5

        def is_terminal(self):
            return False

    result = bw.MCTS(seed=1, open_loop=False).search(Sampled(), simulations=20_000)
    assert result.value == pytest.approx(9.0, abs=0.2)  # 3, a step for nothing, 3, a step for nothing, 3
    assert max(depth for depth, _ in result.tree.walk()) <= 2 * Sampled.horizon


@pytest.mark.slow
def test_strength_rises_with_the_budget():
    def score(simulations, games=60):
        won = 0
        for game in range(games):
            world, state = bw.Random(game), SampledPig()
            planner = bw.MCTS(seed=game, open_loop=False)
            while not state.is_terminal():
                player = state.current_player()
                if player == bw.CHANCE:
                    state.apply_action(state.sample_outcome(world))
                elif player == game % 2:
                    state.apply_action(planner.search(state, simulations=simulations).best_action)
                else:
                    state.apply_action(state.legal_actions()[world.below(len(state.legal_actions()))])
            won += state.returns()[game % 2] > 0
        return won

    assert score(400) >= 45  # of 60; random play wins half
    assert score(400) > score(2)


# --- the tree -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "settings"), CASES, ids=str)
def test_compiled_and_interpreted_searches_build_the_same_tree(game, settings):
    compiled = bw.MCTS(seed=3, **settings).search(start(game), simulations=400)
    plain = bw.MCTS(seed=3, compiled=False, **settings).search(start(game), simulations=400)
    assert all_facts(compiled.tree.root) == all_facts(plain.tree.root)
    again = bw.MCTS(seed=3, **settings).search(start(game), simulations=400)
    assert all_facts(again.tree.root) == all_facts(compiled.tree.root)


def test_who_does_not_want_to_wait_gets_the_same_tree():
    later = bw.MCTS(seed=3, compiled="meanwhile", **CLOSED).search(Machines(), simulations=400)
    assert all_facts(later.tree.root) == all_facts(
        bw.MCTS(seed=3, **CLOSED).search(Machines(), simulations=400).tree.root
    )


def test_every_state_that_an_action_leads_to_has_one_node():
    tree = bw.MCTS(seed=1, **CLOSED).search(SampledPig(), simulations=20_000).tree
    rolls = [node for node in drawn_nodes(tree) if node.action == 0]
    holds = [node for node in drawn_nodes(tree) if node.action == 1]
    assert max(node.num_children for node in rolls) == 6
    assert {node.num_children for node in holds} == {1}
    best = tree.root.best_child()
    assert best.num_children == 6
    for outcome in best.children:  # a fair die
        assert outcome.visits / best.visits == pytest.approx(1 / 6, abs=0.02)


@pytest.mark.parametrize(("widening", "power"), [(1.0, 0.5), (3.0, 0.25), (2.0, 0.0)])
def test_only_that_many_outcomes_are_tried_as_visits_allow(widening, power):
    settings = {"outcome_widening": widening, "outcome_widening_power": power}
    root = bw.MCTS(seed=1, **settings).search(Drift(), simulations=5000).tree.root
    waiting, seen = list(root.children), 0
    while waiting:
        node = waiting.pop()
        if node.player == bw.CHANCE:
            assert 1 <= node.num_children <= math.ceil(widening * node.visits**power)
            assert sum(child.visits for child in node.children) == node.visits
            seen += 1
        waiting += node.children
    assert seen > 100


def test_known_outcomes_come_again_in_proportion_to_how_often_they_came():
    """One machine pays with a chance of .4, and two outcomes are all that is allowed."""
    root = (
        bw.MCTS(seed=1, c=3.0, outcome_widening=2.0, outcome_widening_power=0.0)
        .search(Machines(turns=2), simulations=40_000)
        .tree.root
    )
    machine = next(child for child in root.children if child.action == 2)
    assert sorted(outcome.visits / machine.visits for outcome in machine.children) == pytest.approx(
        [0.4, 0.6], abs=0.02
    )


def test_sequential_halving_divides_the_budget():
    result = bw.MCTS(seed=1, halving=True, **CLOSED).search(Machines(), simulations=4000)
    assert result.best_action == 2
    assert min(child.visits for child in result.children) > 400


def test_threads_with_a_tree_each():
    result = bw.MCTS(seed=1, threads=2, parallel="root", **CLOSED).search(SampledPig(), simulations=4000)
    assert result.simulations == 4000
    assert sum(child.visits for child in result.children) == 4000


def test_a_full_tree_continues_being_searched():
    full = bw.MCTS(seed=1, memory_mb=0.05, **SOME).search(Offers(), simulations=20_000)
    assert full.memory_full
    assert full.nodes < 1000
    assert full.value > 0.55
    for node in drawn_nodes(full.tree):
        assert sum(child.visits for child in node.children) <= node.visits
    large = bw.MCTS(seed=1, max_depth=1, **SOME).search(Wheel(turns=3), simulations=20_000)
    small = bw.MCTS(seed=1, memory_mb=0.02, **SOME).search(Wheel(turns=3), simulations=20_000)
    assert small.value == pytest.approx(large.value, abs=0.1)


# --- going on, files, pictures --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "compiled", [pytest.param(None, marks=pytest.mark.bounds), False], ids=["compiled", "python"]
)
@pytest.mark.parametrize("settings", [CLOSED, SOME], ids=str)
def test_what_is_known_of_the_state_that_came_is_kept(compiled, settings):
    planner = bw.MCTS(seed=1, compiled=compiled, **settings)
    state, world, kept = Machines(), bw.Random(1), []
    while not state.is_terminal():
        result = planner.search(state, simulations=600)
        node = next(child for child in result.tree.root.children if child.action == result.best_action)
        state.apply_action(result.best_action, world)
        kept.append(planner.advance(result.best_action, state=state))
        if kept[-1]:
            visits = {outcome.visits for outcome in node.children}
            assert planner.search(state, simulations=1).tree.root.visits - 1 in visits
    assert kept == [True, True, False]  # nothing is left to search at the end


def test_an_outcome_that_the_rules_draw_is_reported_after_the_move():
    planner, state = bw.MCTS(seed=1, **CLOSED), SampledPig()
    best = planner.search(state, simulations=3000).tree.root.best_child()
    assert best.action == 0
    visits = sorted(outcome.visits for outcome in best.children)
    for action in (0, 4):
        state.apply_action(action)
        assert planner.advance(action)
    root = planner.search(state, simulations=500).tree.root
    assert root.visits - 500 in visits
    assert root.player == 0
    assert root.visits == sum(child.visits for child in root.children) + 1


def test_a_state_that_was_never_met_begins_anew():
    planner, state = bw.MCTS(seed=1, **SOME), Drift()
    planner.search(state, simulations=200)
    state.apply_action(2, bw.Random(9))
    assert planner.advance(2, state=state) is False
    assert planner.search(state, simulations=100).tree.root.visits == 100


def test_the_tree_is_drawn_saved_and_loaded(tmp_path):
    result = bw.MCTS(seed=1, **CLOSED).search(SampledPig(), simulations=500)
    assert result.is_drawn
    assert "~" in str(result)
    tree = result.tree
    assert {node.mover for _, node in tree.walk() if node.index} == {0, 1}
    assert "~1" in tree.to_text()
    assert tree.find("0 ~1").visits == tree.find([0, 0]).visits
    assert tree.to_svg().startswith("<svg")
    tree.save(tmp_path / "pig.tree")
    loaded = bw.load_tree(tmp_path / "pig.tree", game=SampledPig)
    assert all_facts(loaded.root) == all_facts(tree.root)
    assert loaded.to_text() == tree.to_text()
    assert loaded.facts == tree.facts


def test_a_plan_knows_nothing_of_what_the_world_will_bring():
    right = tries = 0
    for seed in range(8):
        world, state = bw.Random(seed), Doors()
        planner = bw.MCTS(seed=seed, **CLOSED)
        while not state.is_terminal():
            action = planner.search(state, simulations=20).best_action
            right += state.apply_action(action, world)
            tries += 1
    assert abs(right / tries - 0.5) < 4 * math.sqrt(0.25 / tries)


# --- wrong input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"selection": "rave"}, "rave"),
        ({"transpositions": True}, "transpositions"),
        ({"backup": "power"}, "power"),
        ({"threads": 2}, "several threads"),
        ({"widening": 2.0}, "widening"),
    ],
)
@pytest.mark.parametrize("closed", [CLOSED, SOME], ids=str)
def test_settings_that_drawn_outcomes_do_not_go_with_are_refused(settings, told, closed):
    with pytest.raises(bw.GameError, match=f"{told}.* cannot be combined with drawn outcomes"):
        bw.MCTS(**closed, **settings).search(Drift(), simulations=10)


def test_outcomes_are_limited_where_there_are_some():
    from branchwise.games.tic_tac_toe import TicTacToe

    with pytest.raises(bw.GameError, match="tic_tac_toe has none"):
        bw.MCTS(**SOME).search(TicTacToe(), simulations=10)
    with pytest.raises(bw.SettingsError, match="cannot be combined with open_loop"):
        bw.MCTS(open_loop=True, **SOME)
    with pytest.raises(bw.SettingsError, match="without outcome_widening"):
        bw.MCTS(outcome_widening_power=0.3)
    for wrong in (0.0, -1.0, math.nan):
        with pytest.raises(bw.SettingsError, match="outcome_widening"):
            bw.MCTS(outcome_widening=wrong)
    with pytest.raises(bw.SettingsError, match="outcome_widening_power"):
        bw.MCTS(outcome_widening=1.0, outcome_widening_power=1.5)


def test_rules_that_draw_from_elsewhere_are_found_in_a_search():
    class OwnDice(SampledPig):
        def sample_outcome(self, random):
            return python_random.randrange(6)

    with pytest.raises(bw.GameError, match="the same random numbers") as caught:
        bw.MCTS(seed=1, compiled=False, outcome_widening=1.0).search(OwnDice(), simulations=500)
    assert "random" in caught.value.mend
