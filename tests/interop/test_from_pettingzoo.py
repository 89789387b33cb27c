"""PettingZoo's environments as states that are searched."""

import pickle
import random
import warnings

import numpy as np
import pytest
from gymnasium import spaces

import branchwise as bw
from branchwise.games import load_game

pettingzoo = pytest.importorskip("pettingzoo")
pytest.importorskip("pygame")
pytest.importorskip("chess")
pytest.importorskip("shimmy")
pyspiel = pytest.importorskip("pyspiel")

from pettingzoo.utils.conversions import parallel_to_aec  # noqa: E402
from pettingzoo.utils.env import ParallelEnv  # noqa: E402
from shimmy import OpenSpielCompatibilityV0  # noqa: E402

from branchwise.interop.pettingzoo import AecSimulator, check_aec_copies  # noqa: E402
from support.aec import (  # noqa: E402
    Cards,
    Coins,
    Duel,
    Forgetful,
    OpenFile,
    Race,
    Sharing,
    Stale,
    Vectors,
)
from support.rows import slow  # noqa: E402


def classic(name, **options):
    return lambda: pettingzoo.make("aec", f"classic/{name}", **options)


def of_openspiel(name):
    return lambda: OpenSpielCompatibilityV0(env=pyspiel.load_game(name))


def at_start(make, seed=1):
    env = make()
    env.reset(seed=seed)
    return env


def tic_tac_toe(*actions):
    env = at_start(classic("tictactoe_v3"))
    for action in actions:
        env.step(action)
    return env


ENVIRONMENTS = {
    "tictactoe": (classic("tictactoe_v3"), False),
    "connect_four": (classic("connect_four_v3"), False),
    "go_5": (classic("go_v5", board_size=5), False),
    "go_9": (classic("go_v5", board_size=9), False),
    "chess": (classic("chess_v6"), False),
    "breakthrough": (of_openspiel("breakthrough"), False),
    "clobber": (of_openspiel("clobber"), False),
    "hex": (of_openspiel("hex"), False),
    "othello": (of_openspiel("othello"), False),
    "pig": (of_openspiel("pig"), True),
    "backgammon": (of_openspiel("backgammon"), True),
    "our connect_four": (lambda: bw.to_pettingzoo("connect_four"), False),
    "our yahtzee": (lambda: bw.to_pettingzoo("yahtzee"), True),
}
QUICK = ("tictactoe", "connect_four", "go_5", "pig", "clobber", "our connect_four")


@pytest.mark.parametrize("name", [name if name in QUICK else slow(name) for name in ENVIRONMENTS])
def test_environments_are_searched_and_their_copies_step_as_they_do(name):
    make, chance = ENVIRONMENTS[name]
    check_aec_copies(make(), steps=30)
    env = at_start(make)
    planner = bw.MCTS(seed=1)
    for _ in range(2):
        state = bw.from_pettingzoo(env, chance=chance, horizon=12)
        result = planner.search(state, simulations=10)
        assert sum(child.visits for child in result.children) == 10
        assert state.agent() == env.agent_selection
        env.step(state.env_action(result.best_action))


def test_a_win_in_one_is_proven_and_played():
    env = tic_tac_toe(0, 1, 3, 2)  # columns: player 0 has two in the first one, 6 completes it
    before = list(env.unwrapped.board.squares)
    state = bw.from_pettingzoo(env, utility="zero_sum")
    result = bw.MCTS(seed=1).search(state, simulations=300)
    assert result.best_action == 6
    assert result.children[0].proven == 1.0
    assert env.unwrapped.board.squares == before


def test_results_have_the_name_of_the_environment():
    result = bw.MCTS(seed=1).search(bw.from_pettingzoo(tic_tac_toe()), simulations=20)
    assert str(result).startswith("tictactoe_v3: player 0 to move")


@pytest.mark.slow
def test_environments_are_searched_in_processes_and_by_bots():
    state = bw.from_pettingzoo(tic_tac_toe(0, 1, 3, 2), utility="zero_sum")
    with bw.MCTS(seed=1, threads=2) as planner:
        assert planner.search(state, simulations=200).best_action == 6
    assert bw.load_bot("mcts(simulations=200)", seed=1).choose(state) == 6


def test_a_threat_is_answered():
    env = tic_tac_toe(0, 4, 1)
    result = bw.MCTS(seed=1).search(bw.from_pettingzoo(env, utility="zero_sum"), simulations=600)
    assert result.best_action == 2


def test_the_tree_is_that_of_the_same_game_written_here():
    env = at_start(lambda: bw.to_pettingzoo("tic_tac_toe"))
    told = {"utility": "zero_sum", "min_return": -1.0, "max_return": 1.0}
    theirs = bw.MCTS(seed=1, playout="uniform").search(bw.from_pettingzoo(env, **told), simulations=400)
    ours = bw.MCTS(seed=1, playout="uniform").search(load_game("tic_tac_toe")(), simulations=400)
    assert [(one.action, one.visits, one.value) for one in theirs.children] == [
        (one.action, one.visits, one.value) for one in ours.children
    ]


def test_a_search_beats_random_moves_in_somebody_elses_environment():
    won = 0
    draw = random.Random(1)
    for game in range(4):
        env = at_start(classic("connect_four_v3"))
        ours = f"player_{game % 2}"
        planner, total = bw.MCTS(seed=game), 0.0
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            total += reward if agent == ours else 0.0
            if terminated or truncated:
                env.step(None)
            elif agent == ours:
                env.step(planner.search(bw.from_pettingzoo(env), simulations=60).best_action)
            else:
                env.step(int(draw.choice(np.flatnonzero(seen["action_mask"]).tolist())))
        won += total > 0
    assert won == 4


# --- the rules of an environment ------------------------------------------------------------------------


def played(state, *actions):
    """Apply actions to a copy, and return it with the sums of its rewards."""
    state, total = state.clone(), np.zeros(state.num_players)
    for action in actions:
        state.apply_action(action)
        total += state.rewards()
    return state, total.tolist()


def test_rewards_are_those_of_all_agents_after_each_step():
    state, total = played(bw.from_pettingzoo(at_start(Race)), 1, 1, 1, 1)
    assert total == [-0.5, -0.5]
    state, total = played(state, 1)
    assert state.is_terminal()
    assert total == [1.0, -0.25]
    assert state.legal_actions() == []


def test_actions_of_a_space_that_begins_elsewhere_are_counted_from_0():
    env = at_start(Race)
    state = bw.from_pettingzoo(env)
    assert (state.num_actions, state.legal_actions(), state.env_action(1)) == (2, [0, 1], 6)
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["5", "6"]


def test_agents_that_are_out_are_passed_over_and_keep_their_rewards():
    state = bw.from_pettingzoo(at_start(Duel))
    assert (state.num_players, state.legal_actions()) == (3, [0])
    state, total = played(state, 0, 0, 0)
    assert total == [1.0, 1.0, 1.0]
    assert state.legal_actions() == [0, 1]
    state, total = played(state, 1)  # player_0 removes player_1
    assert total == [0.0, -5.0, 0.0]
    assert (state.current_player(), state.agent()) == (2, "player_2")
    state, total = played(state, 1)  # player_2 removes player_0, and is the last
    assert total == [-5.0, 0.0, 10.0]
    assert state.is_terminal()


def test_returns_are_general_sums_that_every_agent_maximises():
    """To remove another is worth 10 to the last agent left, and nothing to the first."""
    env = at_start(Duel)
    for _ in range(3):
        env.step(0)
    env.step(1)  # two are left; player_2 can win at once
    while env.terminations[env.agent_selection]:
        env.step(None)
    assert env.agent_selection == "player_2"
    result = bw.MCTS(seed=1).search(bw.from_pettingzoo(env), simulations=200)
    assert result.best_action == 1
    assert result.children[0].value == 10.0


def test_a_truncated_episode_is_over():
    state, _ = played(bw.from_pettingzoo(at_start(Duel)), *[0] * 11)
    assert not state.is_terminal()
    state, _ = played(state, 0)
    assert state.is_terminal()


def test_a_horizon_and_a_discount_count():
    state = bw.from_pettingzoo(at_start(Race), discount=0.5, horizon=3)
    assert (state.discount, state.horizon) == (0.5, 3)
    result = bw.MCTS(seed=1).search(state, simulations=200)
    assert all(abs(child.value) <= 0.25 for child in result.children)


def test_states_are_sent_to_other_processes():
    state, _ = played(bw.from_pettingzoo(at_start(Race)), 1, 0)
    twin = pickle.loads(pickle.dumps(state))
    assert twin.current_player() == state.current_player()
    assert played(twin, 1, 1, 1, 1)[1] == played(state, 1, 1, 1, 1)[1]


def test_an_illegal_action_is_an_error():
    state = bw.from_pettingzoo(at_start(Duel))
    with pytest.raises(bw.ActionError, match="action 1 is not legal in duel_v0"):
        state.clone().apply_action(1)
    over, _ = played(bw.from_pettingzoo(at_start(Race)), 1, 1, 1, 1, 1)
    with pytest.raises(bw.ActionError, match="the game is over"):
        over.apply_action(0)


# --- chance ---------------------------------------------------------------------------------------------


def test_chance_is_drawn_by_the_search_and_not_foreseen():
    """A toss pays 0.5 on average, so it is better than 0.4, whatever the environment is about to draw."""
    for seed in range(4):
        env = at_start(Coins, seed)
        state = bw.from_pettingzoo(env, chance=True)
        assert isinstance(state, AecSimulator)
        result = bw.MCTS(seed=1).search(state, simulations=2000)
        assert result.best_action == 1
    before = env.random.bit_generator.state
    env.step(0)
    assert env.random.bit_generator.state == before


def test_a_draw_that_was_not_announced_is_an_error():
    state = bw.from_pettingzoo(at_start(Coins))
    with pytest.raises(bw.GameError, match="a step of coins_v0 draws random numbers"):
        bw.MCTS(seed=1).search(state, simulations=50)


# --- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (Forgetful, "copies of forgetful_v0 step differently: after step 2 of an episode the observation of"),
        (Sharing, "copies of sharing_v0 step differently: after step 1 of an episode the observation of"),
        (Stale, "stale_v0 rewards player_1 with 0 by env.last.. after step 1"),
        (Cards, "cards_v0 has hidden information, which a search of its copies would see: player_"),
    ],
)
def test_the_check_finds_what_is_wrong_with_an_environment(environment, words):
    with pytest.raises(bw.GameError, match=words):
        check_aec_copies(environment())


@pytest.mark.parametrize("environment", [Race, Duel, Coins])
def test_the_check_finds_nothing_wrong_with_an_environment_that_is_right(environment):
    check_aec_copies(environment())


def test_an_environment_that_cannot_be_copied_is_refused_with_the_attribute_at_fault():
    env = at_start(OpenFile)
    with pytest.raises(bw.GameError, match="cannot be copied: its attribute log cannot be copied"):
        bw.from_pettingzoo(env)
    env.log.close()


class Together(ParallelEnv):
    metadata = {"name": "together_v0"}
    possible_agents = ["player_0", "player_1"]
    render_mode = None

    def observation_space(self, agent):
        return spaces.Discrete(2)

    def action_space(self, agent):
        return spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        self.agents = list(self.possible_agents)
        return dict.fromkeys(self.agents, 0), {agent: {} for agent in self.agents}


def test_simultaneous_moves_are_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = parallel_to_aec(Together())
    env.reset()
    with pytest.raises(bw.GameError, match="together_v0 has players moving at once"):
        bw.from_pettingzoo(env)
    said = at_start(Race)
    said.metadata = {**said.metadata, "is_parallelizable": True}
    with pytest.raises(bw.GameError, match="race_v0 has players moving at once"):
        bw.from_pettingzoo(said)


@pytest.mark.parametrize(
    "name", ["leduc_holdem_v4", "texas_holdem_v4", "texas_holdem_no_limit_v6", "hanabi_v5"]
)
def test_pettingzoos_games_with_hidden_information_are_refused(name):
    env = at_start(Race)
    env.metadata = {**env.metadata, "name": name}
    with pytest.raises(
        bw.GameError, match=f"{name} has hidden information, which a search of its copies would see"
    ):
        bw.from_pettingzoo(env)


def test_openspiels_games_with_hidden_information_are_refused_in_an_environment_too():
    with pytest.raises(bw.GameError, match=r"kuhn_poker in .* has hidden information"):
        bw.from_pettingzoo(at_start(of_openspiel("kuhn_poker")), chance=True)


def test_actions_that_are_no_numbers_are_refused():
    with pytest.raises(bw.GameError, match="player_0 of vectors_v0 has the actions Box"):
        bw.from_pettingzoo(at_start(Vectors))


def test_an_environment_without_an_episode_is_refused():
    with pytest.raises(bw.GameError, match=r"mend: call env\.reset") as error:
        bw.from_pettingzoo(classic("tictactoe_v3")())
    assert "has no episode" in error.value.problem


def test_a_finished_game_is_refused():
    env = at_start(Race)
    for _ in range(5):
        env.step(6)
    state = bw.from_pettingzoo(env)
    assert state.is_terminal()
    with pytest.raises(bw.GameError, match="game is over"):
        bw.MCTS(seed=1).search(state, simulations=10)


def test_an_agent_that_is_out_is_not_searched_for():
    env = at_start(Duel)
    for _ in range(3):
        env.step(0)
    env.step(1)
    assert env.agent_selection == "player_1"
    with pytest.raises(bw.GameError, match="the game of player_1 in duel_v0 is over"):
        bw.from_pettingzoo(env)
