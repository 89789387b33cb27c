"""Games as PettingZoo environments."""

import contextlib
import copy
import io
import pickle
import subprocess
import sys
import warnings
from itertools import pairwise

import numpy as np
import pytest

import branchwise as bw
from branchwise.game.kinds.continuous_actions import has_box
from branchwise.games import GAMES, load_game
from branchwise.rules.facts.facts import game_facts
from branchwise.rules.facts.game_type import pays

pytest.importorskip("pettingzoo")

from pettingzoo.utils.conversions import aec_to_parallel
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from branchwise.interop.pettingzoo import GameAecEnv, check_aec_copies
from support import all_at_once
from support.all_at_once import Dominated, Odd, PaidPennies
from support.paying import Auction
from support.rules import Race
from support.shipped import AT_ONCE, PARTLY_SEEN
from support.zoo import api_test, parallel_api_test, parallel_seed_test, seed_test

SHIPPED = sorted(set(GAMES.builtin) - {*PARTLY_SEEN})
DRAWN = [
    "connect_four",
    "mnk",
    "ultimate_tic_tac_toe",
    "twenty_forty_eight",
    "peg_solitaire",
    "dark_hex",
    "tron",
]

EXPECTED = (
    # PettingZoo's own boards show a dict with a mask, too; its test knows them by name and does not warn.
    "Observation space for each agent probably should be",
    "Observation is not a NumPy array",
    "Observation numpy array is all zeros.",  # an empty start
    "Action mask numpy array is all zeros",  # of agents whose game is over
    "Action mask is a single number",  # a game of one action
)


def passes(make, tests=(api_test, seed_test)):
    """Run PettingZoo's tests, and return the warnings that its own boards would not get."""
    of_api, of_seeds = tests
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        of_api(make(), num_cycles=40)
        of_seeds(make, num_cycles=40)
    return [str(one.message) for one in caught if not str(one.message).startswith(EXPECTED)]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_game_passes_pettingzoos_tests(name):
    assert passes(lambda: bw.to_pettingzoo(name)) == []


@pytest.mark.parametrize("game", [*AT_ONCE, all_at_once.Auction, Odd, PaidPennies, Dominated])
def test_games_with_moves_at_once_pass_pettingzoos_tests_of_parallel_environments(game):
    assert (
        passes(lambda: bw.to_pettingzoo(game, parallel=True), (parallel_api_test, parallel_seed_test)) == []
    )


@pytest.mark.parametrize("name", PARTLY_SEEN)
def test_partially_observed_problems_are_refused_in_a_sentence_about_the_library(name):
    with pytest.raises(bw.GameError, match=f"{name} is partially observed.* does not show to PettingZoo"):
        bw.to_pettingzoo(name)


@pytest.mark.parametrize("name", DRAWN)
def test_boards_pass_pettingzoos_tests_as_planes(name):
    assert passes(lambda: bw.to_pettingzoo(name, observation="board", render_mode="ansi")) == []


@pytest.mark.parametrize("game", [Race, Auction, "cant_stop(players=3)", "nim(heaps=(3,4),misere=true)"])
def test_other_games_pass_pettingzoos_tests(game):
    assert passes(lambda: bw.to_pettingzoo(game)) == []


@pytest.mark.parametrize("game", ["connect_four", "mnk", "peg_solitaire", Race, Auction])
def test_an_episode_is_in_step_with_the_game(game):
    rules = load_game(game) if isinstance(game, str) else game
    env, draw = bw.to_pettingzoo(game), np.random.default_rng(1)
    pays = game_facts(rules()).pays
    for episode in range(5):
        env.reset(seed=episode)
        state, total = rules(), np.zeros(rules.num_players)
        wanted = np.zeros(rules.num_players)
        while not state.is_terminal():
            player = state.current_player()
            assert env.agent_selection == f"player_{player}"
            seen, _, terminated, truncated, info = env.last()
            assert not terminated
            assert not truncated
            legal = state.legal_actions()
            assert np.flatnonzero(seen["action_mask"]).tolist() == sorted(legal)
            assert info["action_mask"].tolist() == seen["action_mask"].tolist()
            action = int(draw.choice(legal))
            given = state.apply_action(action)
            wanted += 0.0 if given is None else given
            env.step(np.int64(action))
            total += [env.rewards[agent] for agent in env.possible_agents]
            assert env.game_state == state
        assert all(env.terminations.values())
        assert total.tolist() == pytest.approx(wanted if pays else state.returns())


@pytest.mark.parametrize("game", [*AT_ONCE, all_at_once.Auction, Odd, PaidPennies, Dominated])
@pytest.mark.parametrize("parallel", [False, True])
def test_moves_at_once_are_in_step_with_the_game(game, parallel):
    """Where chance is to move after them, the environment draws what comes of it."""
    rules = load_game(game) if isinstance(game, str) else game
    env, draw = bw.to_pettingzoo(game, parallel=parallel), np.random.default_rng(1)
    env.reset(seed=1)
    agents, paid, wanted = env.possible_agents, np.zeros(rules.num_players), np.zeros(rules.num_players)
    while not env.game_state.is_terminal():
        state, joint = env.game_state.copy(), [bw.NO_ACTION] * rules.num_players
        for player in range(rules.num_players):
            if legal := state.legal_actions(player):
                joint[player] = int(draw.choice(legal))
        if parallel:
            given = {agent: max(action, 0) for agent, action in zip(agents, joint, strict=True)}
            seen, rewards, over, cut, infos = env.step(given)
            assert set(over.values()) == {env.game_state.is_terminal()}
            assert not any(cut.values())
            for agent in agents:
                assert infos[agent]["action_mask"].tolist() == seen[agent]["action_mask"].tolist()
            paid += list(rewards.values())
        else:
            for player, action in enumerate(joint):
                if action != bw.NO_ACTION:
                    assert (env.agent_selection, env.game_state) == (agents[player], state)
                    mask = env.last()[0]["action_mask"]
                    assert np.flatnonzero(mask).tolist() == sorted(state.legal_actions(player))
                    env.step(action)
                    paid += list(env.rewards.values())
        alone = state.current_player() != bw.SIMULTANEOUS
        given = state.apply_action(max(joint)) if alone else state.apply_actions(joint)
        wanted += 0.0 if given is None else given
        if state.is_terminal() or state.current_player() != bw.CHANCE:
            assert env.game_state == state
    if not pays(rules):
        assert paid.tolist() == pytest.approx(list(env.game_state.returns()))
    elif game is PaidPennies:
        assert paid.tolist() == pytest.approx(wanted.tolist())


def test_an_agent_does_not_see_what_another_has_chosen_for_the_same_move():
    seen = []
    for choice in (0, 1, 2):
        env = bw.to_pettingzoo("rock_paper_scissors")
        env.reset()
        env.step(choice)
        seen.append(env.last()[0])
    assert [one["observation"].tolist() for one in seen] == [seen[0]["observation"].tolist()] * 3
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    with pytest.raises(bw.ActionError, match="action 5 of player 1 is not legal"):
        env.step(5)
    env.step(2)
    assert env.terminations == {"player_0": True, "player_1": True}


def test_pettingzoos_conversions_take_games_with_moves_at_once():
    env = aec_to_parallel(bw.to_pettingzoo("goofspiel(num_cards=4)"))
    seen, _ = env.reset(seed=1)
    turns = 0
    while env.agents:
        actions = {agent: env.action_space(agent).sample(seen[agent]["action_mask"]) for agent in env.agents}
        seen, *_ = env.step(actions)
        turns += 1
    assert turns == 3  # the last cards are played by themselves


def test_an_action_that_is_missing_or_illegal_is_an_error_in_a_parallel_environment():
    env = bw.to_pettingzoo("goofspiel(num_cards=3)", parallel=True)
    env.reset(seed=1)
    with pytest.raises(bw.ActionError, match="player_1 has to choose an action"):
        env.step({"player_0": 0})
    with pytest.raises(bw.ActionError, match="action 7 of player 1 is not legal"):
        env.step({"player_0": 0, "player_1": 7})
    env.step({"player_0": 0, "player_1": 2})
    assert env.action_space("player_0").sample() in (1, 2)
    with pytest.raises(bw.GameError, match="players of connect_four move in turn"):
        bw.to_pettingzoo("connect_four", parallel=True)
    env.step({"player_0": 1, "player_1": 0})
    assert env.agents == []
    with pytest.raises(bw.ActionError, match="over"):
        env.step({})


@pytest.mark.parametrize("name", ["kuhn_poker", "phantom_tic_tac_toe"])
def test_a_search_is_not_shown_what_agents_do_not_see(name):
    env = bw.to_pettingzoo(name)
    env.reset(seed=1)
    with pytest.raises(bw.GameError, match="has hidden information, which a search of its copies would see"):
        bw.from_pettingzoo(env)
    together = bw.to_pettingzoo("goofspiel")
    together.reset(seed=1)
    with pytest.raises(bw.GameError, match="goofspiel_v0 has players moving at once"):
        bw.from_pettingzoo(together)


def test_only_the_agent_to_act_has_legal_actions():
    env = bw.to_pettingzoo("tic_tac_toe")
    env.reset()
    env.step(4)
    assert env.observe("player_1")["action_mask"].tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]
    assert not env.observe("player_0")["action_mask"].any()
    assert not env.infos["player_0"]["action_mask"].any()


def test_agents_act_in_the_order_of_the_game_and_not_of_their_names():
    env = bw.to_pettingzoo("pig")
    env.reset(seed=4)
    acting = []
    for _ in range(12):
        acting.append(env.agent_selection)
        assert env.game_state.current_player() == int(env.agent_selection[-1])
        env.step(0 if 0 in env.game_state.legal_actions() else 1)
    assert {"player_0"} < set(acting)
    assert any(one == two for one, two in pairwise(acting))


def test_a_seed_gives_the_same_chance_and_another_seed_gives_another():
    def rolls(seed):
        env = bw.to_pettingzoo("backgammon")
        env.reset(seed=seed)
        found = []
        for _ in range(10):
            found.append((env.agent_selection, int(env.game_state.high), int(env.game_state.low)))
            env.step(env.game_state.legal_actions()[0])
        return found

    assert rolls(1) == rolls(1)
    assert rolls(1) != rolls(2)


def test_a_reset_without_a_seed_goes_on_with_the_random_numbers():
    env = bw.to_pettingzoo("backgammon")
    starts = set()
    for seed in (1, None, None, None, None):
        env.reset(seed=seed)
        starts.add((env.agent_selection, int(env.game_state.high), int(env.game_state.low)))
    assert len(starts) > 1


def test_an_illegal_action_is_an_error_and_changes_nothing():
    env = bw.to_pettingzoo("tic_tac_toe")
    env.reset()
    env.step(4)
    before = env.game_state.copy()
    for action in (4, 9, -1, None, 1.5):
        with pytest.raises(bw.ActionError):
            env.step(action)
    assert env.game_state == before
    assert env.agent_selection == "player_1"
    env.step(0)
    assert env.agent_selection == "player_0"


def test_pettingzoos_wrapper_ends_a_game_by_an_illegal_action():
    env = TerminateIllegalWrapper(bw.to_pettingzoo("tic_tac_toe"), illegal_reward=-1)
    env.reset()
    env.step(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env.step(4)
    assert all(env.terminations.values())
    assert env.rewards == {"player_0": 0, "player_1": -1}


def test_an_agent_whose_game_is_over_takes_no_action():
    env = bw.to_pettingzoo("tic_tac_toe")
    env.reset()
    for action in (0, 3, 1, 4, 2):
        env.step(action)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    with pytest.raises(ValueError, match="when an agent is dead"):
        env.step(5)
    env.step(None)
    env.step(None)
    assert env.agents == []


class Endless(bw.Game):
    """Nothing ends; an action pays its number, to the player who takes it."""

    num_players = 2
    num_actions = 3
    max_game_length = 5
    utility = "general_sum"

    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield 0
        yield 2

    def apply_action(self, action):
        paid = (float(action), 0.0) if self.mover == 0 else (0.0, float(action))
        self.mover = 1 - self.mover
        return paid

    def is_terminal(self):
        return False


def test_an_episode_without_an_end_is_truncated_after_the_most_moves():
    env = bw.to_pettingzoo(Endless)
    env.reset()
    for step in range(5):
        assert not any(env.truncations.values()), step
        env.step(2)
    assert env.truncations == {"player_0": True, "player_1": True}
    assert env.terminations == {"player_0": False, "player_1": False}
    assert env.last()[1] == 2.0
    assert not env.observe("player_0")["action_mask"].any()


def test_rewards_add_up_until_an_agent_acts_again():
    env = bw.to_pettingzoo(Auction)
    env.reset()
    owed = dict.fromkeys(env.possible_agents, 0.0)
    while not all(env.terminations.values()):
        agent = env.agent_selection
        assert env.last()[1] == pytest.approx(owed[agent])
        owed[agent] = 0.0
        env.step(env.game_state.legal_actions()[0])
        for one, reward in env.rewards.items():
            owed[one] += reward
    assert any(owed.values())


@pytest.mark.parametrize("name", ["connect_four", "backgammon", "mountain_car", "twenty_forty_eight"])
def test_copies_of_an_episode_step_as_it_does(name):
    check_aec_copies(bw.to_pettingzoo(name), steps=40)
    env = bw.to_pettingzoo(name)
    env.reset(seed=3)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    draw = np.random.default_rng(1)
    for _ in range(20):
        if not env.agents or any(env.terminations.values()):
            break
        action = int(draw.choice(env.game_state.legal_actions()))
        for one in (env, *twins):
            one.step(action)
        for twin in twins:
            assert twin.game_state == env.game_state
            assert twin.rewards == env.rewards


def test_continuous_actions_have_a_box_and_no_mask():
    env = bw.to_pettingzoo("pendulum")
    assert has_box(env.game)
    assert env.action_space("player_0").shape == (1,)
    env.reset(seed=1)
    assert env.observe("player_0").shape == (2,)
    assert env.infos == {"player_0": {}}
    env.step(np.array([0.5]))
    assert env.rewards["player_0"] < 0.0


def test_what_is_wrong_with_the_arguments_is_said():
    with pytest.raises(bw.UnknownNameError, match='no observation "feilds"; did you mean "fields"'):
        bw.to_pettingzoo("nim", observation="feilds")
    with pytest.raises(bw.UnknownNameError, match='no render_mode "human"'):
        bw.to_pettingzoo("nim", render_mode="human")
    with pytest.raises(bw.UnknownNameError, match='no game "nimm"'):
        bw.to_pettingzoo("nimm")
    with pytest.raises(bw.GameError, match="quoridor draws no rectangular board"):
        bw.to_pettingzoo("quoridor", observation="board")
    with pytest.raises(bw.GameError, match="is no game"):
        bw.to_pettingzoo(7)


def test_nothing_can_be_done_before_a_reset():
    env = bw.to_pettingzoo("nim")
    with pytest.raises(bw.BranchwiseError, match="no episode of nim has begun"):
        env.observe("player_0")


def test_text_is_drawn_where_it_is_asked_for():
    env = bw.to_pettingzoo("tic_tac_toe", render_mode="ansi")
    env.reset()
    assert env.render() == str(env.game_state)
    silent = GameAecEnv("tic_tac_toe")
    silent.reset()
    assert silent.render() is None
    assert str(silent) == "tic_tac_toe_v0"


@pytest.mark.parametrize(
    ("call", "module", "package"),
    [
        ("to_pettingzoo('nim')", "pettingzoo", "pettingzoo"),
        ("from_pettingzoo(None)", "pettingzoo", "pettingzoo"),
        ("to_openspiel('nim')", "pyspiel", "open_spiel"),
        ("from_openspiel('nim')", "pyspiel", "open_spiel"),
    ],
)
def test_a_package_that_is_missing_is_named_with_the_way_to_install_it(call, module, package):
    program = f"import sys; sys.modules[{module!r}] = None; import branchwise as bw; bw.{call}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert f"branchwise.{call.partition('(')[0]} needs the package {package}" in done.stderr
    assert 'mend: pip install "branchwise[interop]"' in done.stderr


def test_importing_the_package_imports_none_of_the_libraries():
    program = (
        "import sys, branchwise as bw\n"
        "bw.from_openspiel, bw.to_openspiel, bw.from_pettingzoo, bw.to_pettingzoo\n"
        "assert not {'pyspiel', 'pettingzoo', 'gymnasium', 'open_spiel'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
