"""Search where players move at once: the tree, its methods, its results."""

import pickle

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.goofspiel import Goofspiel
from branchwise.games.oshi_zumo import OshiZumo
from branchwise.games.rock_paper_scissors import RockPaperScissors
from branchwise.games.tron import Tron
from branchwise.testing import JointReferencePlanner
from support.all_at_once import Auction, Dominated, Odd, PaidPennies
from support.joint_trees import assert_same, nodes_of, reference_nodes
from support.rows import slow

BIASED = RockPaperScissors.configured(biased=True)
SMALL = Goofspiel.configured(num_cards=4, points_order="descending")
METHODS = ("decoupled_uct", "exp3", "regret_matching")
GAMMA = {"decoupled_uct": 0.0, "exp3": 0.1, "regret_matching": 0.2}


GAMES = [
    (BIASED, [], "seen", 400),
    (Goofspiel.configured(num_cards=4), [2], "bounds", 400),
    (Auction, [1, 2], "seen", 600),
    (Odd, [], "seen", 300),
]
QUICK = {"decoupled_uct": (BIASED, Auction), "exp3": (BIASED, Odd), "regret_matching": (BIASED, GAMES[1][0])}
"""The quick tests compile every method and every game, and not each with each."""


@pytest.mark.parametrize(
    ("method", "game", "moves", "scale", "simulations"),
    [
        (method, *row) if row[0] in QUICK[method] else slow(method, *row)
        for method in METHODS
        for row in GAMES
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_the_tree_is_that_of_the_readable_search_node_for_node(method, game, moves, scale, simulations):
    state = game.from_actions(moves)
    planner = JointReferencePlanner(method, gamma=GAMMA[method], c=0.7, scale=scale, seed=4)
    theirs = reference_nodes(planner.search(state, simulations))
    for seed_of in ({}, {"compiled": False}):
        result = bw.MCTS(joint=method, seed=4, **seed_of).search(state, simulations=simulations)
        assert_same(nodes_of(result), theirs)


class Foreign:
    """A state of another class that follows the rules of `Goofspiel`."""

    num_players, num_outcomes, num_actions, min_return, max_return = 2, 4, 4, -1.0, 1.0
    max_game_length = Goofspiel.max_game_length

    def __init__(self, state):
        self.state = state

    def clone(self):
        return Foreign(self.state.copy())

    def apply_actions(self, actions):
        self.state.apply_actions(actions)

    def current_player(self):
        return self.state.current_player()

    def legal_actions(self, player=None):
        return self.state.legal_actions(player)

    def apply_action(self, action):
        self.state.apply_action(action)

    def is_terminal(self):
        return self.state.is_terminal()

    def returns(self):
        return self.state.returns()

    def chance_outcomes(self):
        return list(self.state.chance_outcomes())


def test_a_foreign_state_has_the_tree_of_the_class():
    """With points in random order: moves at once alternate with chance."""
    state = Goofspiel.configured(num_cards=4).from_actions([2])
    ours = bw.MCTS(seed=4, compiled=False).search(state, simulations=400)
    theirs = bw.MCTS(seed=4).search(Foreign(state), simulations=400)
    assert theirs.marginals == ours.marginals
    assert theirs.best_action == ours.best_action
    assert theirs.action_text((0, 1)) == "0,1"


def test_a_foreign_state_says_how_many_actions_there_are():
    class Unsaid(Foreign):
        @property
        def num_actions(self):
            return None

    with pytest.raises(bw.GameError, match=r"supports at most .* distinct actions; Unsaid has more"):
        bw.MCTS(seed=1).search(Unsaid(Goofspiel.from_actions([2])), simulations=10)


# --- published values -------------------------------------------------------------------------------------


def furthest(policy, shares):
    return max(abs(policy[action] - share) for action, share in enumerate(shares))


def test_regret_matching_finds_the_mixed_strategy_of_biased_rock_paper_scissors():
    """Within .03 of (1/16, 10/16, 5/16) at 10,000 simulations, whatever the seed."""
    for seed in range(20):
        result = bw.MCTS(joint="regret_matching", seed=seed).search(BIASED(), simulations=10_000)
        for policy in result.policies:
            assert furthest(policy, (1 / 16, 10 / 16, 5 / 16)) < 0.03


def exploitability(result):
    """Return how much best responses to the mean strategies gain together, with payoffs from -1 to 1."""
    table = BIASED.max_return
    payoffs = [[BIASED.from_actions([(a, b)]).returns()[0] / table for b in range(3)] for a in range(3)]
    mine, others = (list(policy.values()) for policy in result.policies)
    best = max(sum(payoffs[a][b] * others[b] for b in range(3)) for a in range(3))
    worst = min(sum(payoffs[a][b] * mine[a] for a in range(3)) for b in range(3))
    return (best - worst) / 2


def test_decoupled_uct_does_not_converge_in_biased_rock_paper_scissors():
    """As published: its choices are deterministic, and chase each other in circles."""
    for seed in range(4):
        result = bw.MCTS(seed=seed).search(BIASED(), simulations=1_000_000)
        assert exploitability(result) > 0.16
    result = bw.MCTS(joint="regret_matching", seed=1).search(BIASED(), simulations=100_000)
    assert exploitability(result) < 0.002


def test_exp3_comes_near_the_mixed_strategy_with_many_simulations():
    result = bw.MCTS(joint="exp3(gamma=0.05)", seed=1).search(BIASED(), simulations=1_000_000)
    assert exploitability(result) < 0.05


@pytest.mark.parametrize("method", METHODS)
def test_goofspiel_with_four_cards_begins_with_the_four(method):
    result = bw.MCTS(joint=method, seed=1).search(SMALL(), simulations=100_000)
    for policy in result.policies:
        assert policy[3] > 0.98
    assert result.values == pytest.approx((0, 0), abs=0.02)
    assert result.best_action == (3, 3)


def test_goofspiel_after_one_and_four_is_worth_three_nineteenths():
    state = SMALL.from_actions([("1", "4")])
    result = bw.MCTS(joint="regret_matching", seed=1).search(state, simulations=300_000)
    assert result.values == pytest.approx((-3 / 19, 3 / 19), abs=0.02)
    assert bw.solve_matrix_game(result.matrix()).value == pytest.approx(-3 / 19, abs=0.03)
    assert bw.solve_matrix_game(-result.matrix(1)).value == pytest.approx(-3 / 19, abs=0.03)


def test_discounted_rewards_of_joint_moves_count_once_a_move():
    """Defecting dominates: 1 each, later ones times 1/2, and chance makes the later stakes 1.5 on average."""
    result = bw.MCTS(joint="regret_matching", seed=2).search(Dominated(), simulations=100_000)
    for policy in result.policies:
        assert policy[1] > 0.95
    assert result.policies[0].keys() == {0, 1}
    worth = 1 + 0.5 * 1.5 + 0.25 * 1.5
    cell = result.matrix()
    assert cell[1, 1] == pytest.approx(worth, abs=0.25)
    assert cell[1, 1] - cell[0, 1] == pytest.approx(1, abs=0.25)
    assert cell[1, 0] - cell[1, 1] == pytest.approx(3, abs=0.25)


def test_rewards_are_the_same_compiled_and_in_plain_python():
    for game, method in (*((Dominated, method) for method in METHODS), (PaidPennies, METHODS[-1])):
        compiled, plain = (
            bw.MCTS(joint=method, seed=3, **how).search(game(), simulations=200)
            for how in ({}, {"compiled": False})
        )
        assert nodes_of(compiled) == nodes_of(plain)
        assert compiled.policies == plain.policies
        assert compiled.values == plain.values


def test_pennies_are_worth_nothing_and_each_pair_its_reward():
    result = bw.MCTS(joint="regret_matching", seed=1).search(PaidPennies(), simulations=20_000)
    assert result.values == pytest.approx((0, 0), abs=0.05)
    assert result.matrix()[0, 0] - result.matrix()[0, 1] == pytest.approx(2, abs=0.1)
    assert bw.solve_matrix_game(result.matrix()).value == pytest.approx(0, abs=0.05)


# --- results ----------------------------------------------------------------------------------------------


def test_a_player_without_a_choice_has_no_policy_and_no_action():
    state = Auction(purses=[4, 0], least=1, worth=2)
    result = bw.MCTS(seed=1).search(state, simulations=500)
    assert result.policies[1] == {}
    assert result.marginals[1] == ()
    assert result.best_action[1] == bw.NO_ACTION
    assert set(result.policies[0]) == {1, 2, 3, 4}
    assert set(result.policy()) == {(bid, bw.NO_ACTION) for bid in (1, 2, 3, 4)}
    with pytest.raises(bw.SettingsError, match="both have a choice"):
        result.matrix()
    assert "player" in str(result)


def test_the_policy_is_the_product_of_the_players():
    result = bw.MCTS(joint="regret_matching", seed=1).search(BIASED(), simulations=2000)
    policy = result.policy()
    assert sum(policy.values()) == pytest.approx(1)
    first, second = result.policies
    assert policy[1, 2] == pytest.approx(first[1] * second[2])
    assert result.policy(temperature=0)[1, 1] == 1.0
    assert result.player == bw.SIMULTANEOUS
    assert result.children == ()


def test_a_result_is_a_value():
    planner = bw.MCTS(joint="regret_matching", seed=1)
    result = planner.search(SMALL(), simulations=500)
    matrix, values = result.matrix(), result.values
    twin = pickle.loads(pickle.dumps(result))
    planner.search(SMALL(), simulations=5000)
    np.testing.assert_array_equal(twin.matrix(), matrix)
    np.testing.assert_array_equal(result.matrix(), matrix)
    assert twin.values == result.values == values
    assert twin.policies == result.policies
    assert result.to_dict()["best_action"] == list(result.best_action)


def test_a_matrix_has_payoffs_of_pairs_that_were_played_and_nan_elsewhere():
    result = bw.MCTS(seed=1).search(BIASED(), simulations=3)
    matrix = result.matrix()
    assert np.isfinite(matrix).sum() == 3
    full = bw.MCTS(joint="regret_matching", seed=1).search(BIASED(), simulations=1000)
    np.testing.assert_allclose(full.matrix(), [[0, -25, 50], [25, 0, -5], [-50, 5, 0]], atol=1e-9)
    np.testing.assert_allclose(full.matrix(1), -full.matrix(), atol=1e-9)
    with pytest.raises(bw.SettingsError, match="no finite numbers"):
        bw.solve_matrix_game(matrix)


def test_payoffs_of_both_players_are_solved_if_one_gains_what_the_other_loses():
    full = bw.MCTS(joint="regret_matching", seed=1).search(BIASED(), simulations=1000)
    solved = bw.solve_matrix_game(full.matrix(), full.matrix(1))
    assert solved == bw.solve_matrix_game(full.matrix())
    assert bw.solve_matrix_game([[1, 2]], [[2, 1]]).value == 1.0
    with pytest.raises(bw.SettingsError, match="add up to 0 in one cell and to 3 in another"):
        bw.solve_matrix_game([[1, 0], [0, 1]], [[2, 0], [0, 2]])
    with pytest.raises(bw.SettingsError, match="have the shape"):
        bw.solve_matrix_game([[1, 2]], [[2], [1]])


def test_a_search_goes_on_without_growing_when_its_memory_is_full():
    planner = bw.MCTS(joint="regret_matching", seed=1, memory_mb=0.02)
    result = planner.search(Goofspiel.from_actions([3]), simulations=3000)
    assert result.simulations == 3000
    assert result.memory_full
    assert sum(child.visits for child in result.marginals[0]) <= 3000


def test_the_same_seed_gives_the_same_search():
    results = [
        bw.MCTS(joint="exp3", seed=5).search(Goofspiel.from_actions([3]), simulations=500) for _ in range(2)
    ]
    assert results[0].policies == results[1].policies
    assert results[0].values == results[1].values


def test_a_tree_is_not_kept_after_a_joint_move():
    planner = bw.MCTS(seed=1)
    planner.search(SMALL(), simulations=100)
    with pytest.raises(bw.ActionError, match="not legal"):
        planner.advance((0, 9))
    planner.search(SMALL(), simulations=100)
    assert planner.advance((3, 3)) is False
    state = SMALL()
    state.apply_actions((3, 3))
    assert planner.search(state, simulations=50).simulations == 50


def test_max_depth_limits_the_moves_in_the_tree():
    result = bw.MCTS(seed=1, max_depth=1).search(SMALL(), simulations=400)
    found, _ = nodes_of(result)
    assert {len(history) for history in found} == {0, 1}
    assert not any(edges for history, (_, edges) in found.items() if history)


# --- what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"selection": "rave"}, 'selection="rave"'),
        ({"selection": "puct"}, 'selection="puct"'),
        ({"playout": "mast"}, 'playout="mast"'),
        ({"playout": "decisive"}, 'playout="decisive"'),
        ({"transpositions": True}, "transpositions"),
        ({"open_loop": True}, "open_loop"),
        ({"widening": 2.0}, "widening"),
        ({"outcome_widening": 2.0}, "outcome_widening"),
        ({"first_play": 0.5}, "first_play"),
        ({"backup": "max"}, 'backup="max"'),
        ({"paranoid": True}, "paranoid"),
        ({"spread": True}, "spread"),
        ({"risk": 0.1}, "risk"),
        ({"halving": True}, "halving"),
        ({"early_stop": True}, "early_stop"),
        ({"choice": "value"}, 'choice="value"'),
        ({"threads": 2}, "threads"),
        ({"evaluator": lambda states: [[0.0, 0.0]] * len(states)}, "evaluator"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_settings_that_make_no_sense_for_joint_moves_are_refused_in_one_sentence(settings, named):
    with pytest.raises(bw.GameError) as caught:
        bw.MCTS(**settings).search(SMALL(), simulations=10)
    assert named in caught.value.problem
    assert "move at once" in caught.value.problem


def test_unknown_methods_and_options_are_named():
    with pytest.raises(bw.UnknownNameError, match="regret_matching"):
        bw.MCTS(joint="regret_matchin")
    with pytest.raises(bw.UnknownNameError, match="gamma"):
        bw.MCTS(joint="exp3(gama=0.1)")
    with pytest.raises(bw.UnknownNameError):
        bw.MCTS(joint="decoupled_uct(gamma=0.1)")
    with pytest.raises(bw.SettingsError, match="gamma"):
        bw.MCTS(joint="exp3(gamma=0)")


def test_simulations_of_joint_moves_are_not_shown_one_by_one():
    with pytest.raises(bw.SettingsError, match="one by one"):
        bw.MCTS().steps(SMALL(), simulations=2)


@pytest.mark.parametrize("game", [Tron, OshiZumo.configured(coins=6)], ids=lambda game: game.name)
def test_more_games_are_searched(game):
    result = bw.MCTS(joint="regret_matching", seed=1).search(game(), simulations=2000)
    for player, policy in enumerate(result.policies):
        assert list(policy) == game().legal_actions(player)
        assert sum(policy.values()) == pytest.approx(1)
