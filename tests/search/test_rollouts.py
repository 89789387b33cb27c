"""Rollout policies: what problems with chance and a rule of their own are planned by."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.bots import load_bot
from branchwise.common.errors import GameError, SettingsError
from branchwise.game.kinds.random_numbers import Random
from branchwise.games import load_game
from branchwise.rules.facts.dice import drawn_outcome
from support.stocks import Drifting, RuledStocks, Stocks, Twins


def children(state, simulations=600, **settings):
    result = bw.MCTS(**{"seed": 1, **settings}).search(state, simulations=simulations)
    return {child.action: (child.visits, child.value) for child in result.children}


def best(state, seed, simulations=600, **settings):
    return bw.MCTS(seed=seed, **settings).search(state, simulations=simulations).best_action


def play(game, bot, seed):
    """Return the sum of the rewards of an episode whose chance is drawn by the seed."""
    state, world, total = game(), Random(seed), 0.0
    while not state.is_terminal():
        if state.current_player() == bw.CHANCE:
            total += state.apply_action(drawn_outcome(state, world)) or 0.0
        else:
            total += state.apply_action(bot.choose(state)) or 0.0
    return total


def test_actions_that_lead_to_the_same_have_the_same_returns():
    """Only the simulation in which the root gets its children is not shared."""
    for seed in range(6):
        found = children(Twins(), 3000, seed=seed)
        (more, high), (fewer, low) = sorted((found[0], found[1]), reverse=True)
        assert more - fewer <= 1
        rest = more * high - fewer * low  # the returns of at most one episode of ten throws
        assert -1e-6 < rest < 50.001


@pytest.mark.parametrize("game", [Twins, RuledStocks, Drifting])
def test_plain_and_compiled_rules_find_the_same(game):
    state = game()
    assert children(state, 300) == children(state, 300, compiled=False)
    assert children(state, 300) != children(state, 300, seed=2)


@pytest.mark.parametrize("game", [RuledStocks, Drifting])
def test_it_is_the_default_where_a_problem_has_chance_and_a_rule(game):
    assert children(game()) == children(game(), rollout=True) != children(game(), rollout=False)
    assert children(game(), memory_mb=64) == children(game())


def test_it_is_not_where_a_setting_is_given_or_the_rule_is_missing():
    assert children(RuledStocks(), playout="game") != children(RuledStocks())
    assert children(Stocks()) == children(Stocks(), rollout=False)
    micro = load_game("mountain_car")()  # has a rule, but no chance
    assert children(micro, 100) == children(micro, 100, rollout=False)


def test_without_a_better_action_the_rules_is_chosen():
    class Even(Twins):
        def playout_action(self, random):
            return 1

    assert {best(Even(), seed) for seed in range(12)} == {1}


def test_a_better_action_than_the_rules_is_chosen():
    class Poor(Twins):
        def playout_action(self, random):
            return 2

    assert all(best(Poor(), seed) in (0, 1) for seed in range(12))


def test_an_action_that_is_left_out_is_not_chosen_even_by_the_rule():
    class Even(Twins):
        def playout_action(self, random):
            return 1

    result = bw.MCTS(seed=1).search(Even(), simulations=200, among=(0, 2))
    assert result.best_action == 0
    assert {child.action for child in result.children} == {0, 2}


def test_it_ends_by_time_and_by_nodes_and_goes_on():
    planner = bw.MCTS(seed=1)
    assert planner.search(RuledStocks(), seconds=0.05).ended_by == "seconds"
    first = planner.search(RuledStocks(), simulations=200)
    assert planner.carry_on()
    second = planner.search(RuledStocks(), simulations=200)
    visits = {child.action: child.visits for child in first.children}
    assert sum(child.visits for child in second.children) == pytest.approx(400, abs=2)
    assert all(child.visits >= visits[child.action] for child in second.children)
    assert bw.MCTS(seed=1).search(RuledStocks(), max_nodes=50).simulations > 0


def test_it_is_not_worse_than_the_rule_and_better_than_a_tree():
    seeds = range(40)
    returns = {
        name: np.array([play(RuledStocks, load_bot(name, seed), seed) for seed in seeds])
        for name in ("rule", "mcts(simulations=400)", "mcts(simulations=400,rollout=false)")
    }
    rule, plan, tree = returns.values()
    for other in (rule, tree):
        gain = plan - other
        assert gain.mean() > 1.96 * gain.std(ddof=1) / len(gain) ** 0.5


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"playout": "uniform"}, "playout=uniform cannot be combined with rollout"),
        ({"c": 1.0}, "c=1.0 cannot"),
        ({"halving": True}, "halving=True cannot"),
        ({"threads": 2}, "threads=2 cannot"),
        ({"max_depth": 2}, "max_depth=2 cannot"),
        ({"open_loop": False}, "open_loop=False cannot"),
    ],
)
def test_settings_of_a_tree_are_refused_beside_it(settings, told):
    with pytest.raises(SettingsError, match=told):
        bw.MCTS(rollout=True, **settings)


def test_it_is_refused_where_it_cannot_be():
    with pytest.raises(GameError, match="one player, and nim is none"):
        bw.MCTS(rollout=True).search(load_game("nim")(), simulations=10)
    with pytest.raises(GameError, match="playout_action"):
        bw.MCTS(rollout=True).search(Stocks(), simulations=10)
    with pytest.raises(GameError, match="numbered actions"):
        bw.MCTS(rollout=True).check_game(load_game("pendulum"))
    with pytest.raises(SettingsError, match="at_least cannot be combined with rollout"):
        bw.MCTS(rollout=True).search(RuledStocks(), simulations=10, at_least={(1,): 5})
    with pytest.raises(SettingsError, match="with rollout simulations cannot be shown"):
        bw.MCTS(rollout=True).walkthrough(RuledStocks(), simulations=5)


def test_what_shows_a_tree_searches_one():
    planner = bw.MCTS(seed=1)
    assert planner.search(RuledStocks(), simulations=60, at_least={(8,): 30}).simulations == 60
    assert planner.walkthrough(RuledStocks(), simulations=5) is not None


# --- problems that pay: cut off, and too long ------------------------------------------------------------


@pytest.mark.parametrize("compiled", [True, False])
def test_a_problem_that_pays_is_cut_off_without_evaluate(compiled):
    """What is still to come counts as 0: only the costs of the first day are left."""
    found = children(Stocks(), 400, compiled=compiled, cutoff=1, max_depth=1)
    assert all(value > -30.0 for _, value in found.values())
    whole = children(Stocks(), 400, compiled=compiled, max_depth=1)
    assert max(value for _, value in whole.values()) < min(value for _, value in found.values())
    assert found[0][1] > found[8][1]


def test_bounds_do_not_change_what_a_cut_is_worth():
    class Bounded(Stocks):
        min_return = -2000.0
        max_return = 0.0

    settings = {"cutoff": 2, "max_depth": 1, "scale": "seen"}
    both = [children(Bounded(), 300, compiled=compiled, **settings) for compiled in (True, False)]
    plain = children(Stocks(), 300, **settings)
    for found in both:
        assert {action: found[action][0] for action in found} == {a: plain[a][0] for a in plain}
        assert [found[action][1] for action in plain] == pytest.approx([plain[a][1] for a in plain])


@pytest.mark.parametrize("compiled", [True, False])
def test_the_error_for_long_games_tells_that_chance_counts(compiled):
    class Short(Stocks):
        max_game_length = 12

    with pytest.raises(GameError, match="outcomes of chance"):
        bw.MCTS(seed=1, compiled=compiled).search(Short(), simulations=50)
