"""Gymnasium both ways: environments as states that are searched, and problems as environments."""

import pickle
import random
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

import branchwise as bw
from branchwise.games import GAMES, load_game
from branchwise.problems.pendulum import Pendulum
from branchwise.rules.facts.facts import game_facts

gym = pytest.importorskip("gymnasium")

from gymnasium.utils import EzPickle  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

from branchwise.interop.gymnasium import EnvState, check_env_copies, make_env  # noqa: E402
from support.paying import Corridor  # noqa: E402
from support.shipped import PARTLY_SEEN  # noqa: E402
from support.simulators import Machines  # noqa: E402

FOR_ONE = [
    name
    for name, game in ((name, load_game(name)) for name in sorted(GAMES.builtin))
    if game.num_players == 1 and name not in PARTLY_SEEN
]


class Guess(gym.Env):
    """Guess which side a coin will show, ten times; where the coin comes from differs."""

    observation_space = gym.spaces.Discrete(100)
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self.count = 0
        self.own = np.random.default_rng(3)
        self.old = np.random.RandomState(3)
        self.plain = random.Random(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return 0, {}

    def coin(self):
        return int(self.np_random.integers(2))

    def step(self, action):
        self.count += 1
        return self.count, float(action == self.coin()), self.count >= 10, False, {}


class OwnGenerator(Guess):
    def coin(self):
        return int(self.own.integers(2))


class OldGenerator(Guess):
    def coin(self):
        return int(self.old.randint(2))


class PlainGenerator(Guess):
    def coin(self):
        return self.plain.randrange(2)


class GlobalGenerator(Guess):
    def coin(self):
        return random.randrange(2)


class Sampling(Guess):
    """Draws from its own action space."""

    def __init__(self):
        super().__init__()
        self.action_space = gym.spaces.Discrete(2, seed=1)

    def coin(self):
        return int(self.action_space.sample())


class Forgetful(Guess):
    """A copy begins again."""

    def __getstate__(self):
        return {**vars(self), "count": 0}


class Sharing(Guess):
    """A copy counts in the same list."""

    total = [0]

    def step(self, action):
        self.total[0] += 1
        return self.total[0] % 100, 0.0, False, False, {}


class Loose(Guess, EzPickle):
    """Its pickles hold nothing but arguments."""

    def __init__(self):
        Guess.__init__(self)
        EzPickle.__init__(self)


class OpenFile(Guess):
    def __init__(self):
        super().__init__()
        self.log = open(__file__)  # noqa: SIM115

    def close(self):
        self.log.close()


class FromFive(gym.Env):
    """Actions are 5, 6 and 7, and the best is 6."""

    observation_space = gym.spaces.Discrete(2)
    action_space = gym.spaces.Discrete(3, start=5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {"action_mask": np.array([1, 1, 0], np.int8)}

    def step(self, action):
        return 1, {5: 0.0, 6: 1.0, 7: 9.0}[action], True, False, {}


def started(env, seed=1):
    _, info = env.reset(seed=seed)
    return env, info


# --- environments as states -------------------------------------------------------------------------------


def test_a_short_plan_in_frozen_lake_is_right_and_the_environment_is_not_touched():
    env, info = started(gym.make("FrozenLake-v1", desc=["SFF", "FHF", "FFG"], is_slippery=False))
    before = env.unwrapped.np_random.bit_generator.state
    walked = []
    over = False
    while not over:
        state = EnvState(env, info, discount=0.9)
        place = env.unwrapped.s
        action = bw.MCTS(seed=1).search(state, simulations=400).best_action
        assert env.unwrapped.s == place
        assert env.unwrapped.np_random.bit_generator.state == before
        _, reward, terminated, truncated, info = env.step(action)
        before = env.unwrapped.np_random.bit_generator.state
        over = terminated or truncated
        walked.append(action)
    assert (reward, len(walked)) == (1.0, 4)


def test_values_of_blackjack_are_those_of_our_own_rules_against_the_same_hand():
    env, _ = started(gym.make("Blackjack-v1"))
    env.unwrapped.player, env.unwrapped.dealer = [10, 6], [10, 10]
    result = bw.MCTS(seed=1).search(EnvState(env), simulations=4000)
    values = {child.action: child.value for child in result.children}
    assert values[0] == -1.0  # 16 against 20
    assert values[1] > -0.9
    # Drawing wins with a 5, and ties with a 4; with an ace to a 3 one may draw on.
    assert -0.85 < values[1] < -0.6


@pytest.mark.parametrize("kind", [Guess, OwnGenerator, OldGenerator, PlainGenerator, Sampling])
def test_a_plan_does_not_know_what_the_dice_will_bring(kind):
    env, info = started(kind())
    right = 0
    for _ in range(40):
        result = bw.MCTS(seed=1).search(EnvState(env, info, horizon=1), simulations=30)
        _, reward, over, _, info = env.step(result.best_action)
        right += reward
        if over:
            env.reset()
    assert 10 < right < 30


def test_the_same_seed_gives_the_same_plan_and_another_one_draws_others():
    env, info = started(Guess())

    def values(seed):
        result = bw.MCTS(seed=seed).search(EnvState(env, info), simulations=100)
        return [(child.action, child.visits, child.value) for child in result.children]

    assert values(1) == values(1) != values(2)


def test_a_state_is_what_the_environment_was_when_it_was_made():
    env, info = started(gym.make("CartPole-v1"))
    state = EnvState(env, info)
    for _ in range(5):
        env.step(1)
    twin, other = state.clone(), state.clone()
    for one in (twin, other):
        for action in (0, 0, 1):
            one.apply_action(action, bw.Random(1))
    assert np.array_equal(twin._env.unwrapped.state, other._env.unwrapped.state)
    again = started(gym.make("CartPole-v1"))[0]
    for action in (0, 0, 1):
        again.step(action)
    assert np.array_equal(twin._env.unwrapped.state, again.unwrapped.state)


def test_a_copy_of_a_copy_continues_from_where_that_was():
    env, info = started(gym.make("MountainCar-v0"))
    state = EnvState(env, info)
    state.apply_action(2, bw.Random(1))
    twin = state.clone()
    for one in (state, twin):
        one.apply_action(2, bw.Random(1))
    assert np.array_equal(state._env.unwrapped.state, twin._env.unwrapped.state)
    assert state._env is not twin._env


def test_a_time_limit_ends_the_game():
    env, info = started(gym.make("MountainCar-v0", max_episode_steps=3))
    env.step(0)
    state = EnvState(env, info)
    assert (state.max_game_length, game_facts(state).simulates) == (3, True)
    state.apply_action(0, bw.Random(1))
    assert not state.is_terminal()
    state.apply_action(0, bw.Random(1))
    assert state.is_terminal()
    with pytest.raises(bw.ActionError, match="over"):
        state.apply_action(0, bw.Random(1))
    assert bw.MCTS(seed=1).search(EnvState(env, info), simulations=50).value == -2.0


def test_actions_may_begin_at_another_number_and_masks_are_kept_to():
    env, info = started(FromFive())
    state = EnvState(env, info)
    assert state.legal_actions() == [0, 1]
    result = bw.MCTS(seed=1).search(state, simulations=50)
    assert (result.best_action, state.env_action(result.best_action), result.value) == (1, 6, 1.0)
    assert result.action_text(1) == "6"
    with pytest.raises(bw.ActionError):
        state.apply_action(2, bw.Random(1))


def test_the_mask_of_taxi_is_kept_to_on_the_way_and_its_table_can_be_shared():
    env, info = started(gym.make("Taxi-v4" if "Taxi-v4" in gym.registry else "Taxi-v3"))
    check_env_copies(env, steps=20, shared=("P",))
    _, info = env.reset(seed=1)
    state = EnvState(env, info, shared=("P",))
    assert state.legal_actions() == np.flatnonzero(info["action_mask"]).tolist() != list(range(6))
    twin = state.clone()
    twin.apply_action(twin.legal_actions()[0], bw.Random(1))
    assert twin._env.unwrapped.P is env.unwrapped.P
    with pytest.raises(bw.GameError, match='no attribute "Q"'):
        EnvState(env, info, shared=("Q",))


def test_bots_and_processes_take_such_states():
    env, info = started(gym.make("CartPole-v1"))
    state = EnvState(env, info, horizon=20)
    assert bw.load_bot("mcts(simulations=50)", seed=1).choose(state) in (0, 1)
    assert bw.load_bot("flat(simulations=50)", seed=1).choose(state) in (0, 1)
    again = pickle.loads(pickle.dumps(state))
    planner = bw.MCTS(seed=1)
    expected = planner.search(state, simulations=50)
    assert bw.MCTS(seed=1).search(again, simulations=50).value == expected.value


@pytest.mark.parametrize(
    "name",
    ["CartPole-v1", "MountainCar-v0", "Acrobot-v1", "FrozenLake-v1", "CliffWalking-v1", "Blackjack-v1"],
)
def test_environments_of_gymnasium_are_copied_right(name):
    check_env_copies(gym.make(name), steps=60)


@pytest.mark.parametrize("kind", [Guess, OwnGenerator, OldGenerator, PlainGenerator, Sampling, Loose])
def test_environments_with_any_generator_of_their_own_are_copied_right(kind):
    check_env_copies(kind(), steps=30)


@pytest.mark.parametrize(
    ("kind", "part"),
    [(GlobalGenerator, "the reward"), (Forgetful, "the observation"), (Sharing, "the observation")],
)
def test_copies_that_step_differently_are_found(kind, part):
    with pytest.raises(bw.GameError, match=f"copies of .* step differently: after step .* {part}"):
        check_env_copies(kind(), steps=60)


def test_an_attribute_that_changes_is_not_shared():
    env = Guess()
    env.seen = []
    env.step = lambda action: (env.seen.append(action) or 0, 0.0, False, False, {})
    with pytest.raises(bw.GameError, match="changes its attribute seen"):
        check_env_copies(env, steps=5, shared=("seen",))


def test_what_cannot_be_copied_is_named():
    env, info = started(OpenFile())
    with pytest.raises(bw.GameError, match="cannot be copied: its attribute log"):
        EnvState(env, info)
    env.close()


def test_pictures_of_an_episode_do_not_show_its_plans():
    env, info = started(gym.make("FrozenLake-v1", render_mode="ansi_list"))
    state = EnvState(env, info)
    bw.MCTS(seed=1).search(state, simulations=20)
    assert len(env.render()) == 1
    assert env.unwrapped.render_mode == "ansi"


def test_nothing_but_the_bridge_imports_gymnasium_and_says_what_to_install():
    code = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "import branchwise as bw; bw.MCTS, bw.load_game('frozen_lake')\n"
        "try:\n    import branchwise.interop.gymnasium\n"
        "except bw.BranchwiseError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "needs the package gymnasium" in done.stdout
    assert 'mend: pip install "branchwise[interop]"' in done.stdout


# --- problems as environments -----------------------------------------------------------------------------


def test_29_problems_are_environments():
    assert len(FOR_ONE) == 29


@pytest.mark.parametrize("name", FOR_ONE)
def test_every_problem_that_ships_passes_the_check_of_gymnasium(name):
    env = make_env(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # What it recommends of boxes it finds missing in its own Pendulum, too.
        warnings.filterwarnings("ignore", ".*For Box action spaces, we recommend")
        check_env(env)
    assert env.observation_space.contains(env.observation_space.sample())


@pytest.mark.parametrize("game", [Corridor, Machines, "blackjack", "racetrack(slip=0.2)"])
def test_an_episode_pays_what_the_problem_pays(game):
    env = make_env(game)
    observation, info = env.reset(seed=5)
    env.action_space.seed(5)  # unseeded, some episodes never reach the goal before they are cut short
    total, over = 0.0, False
    while not over:
        state = env.state.copy()
        assert observation in env.observation_space
        assert np.flatnonzero(info["action_mask"]).tolist() == state.legal_actions()
        observation, reward, over, truncated, info = env.step(env.action_space.sample())
        assert not truncated
        total += reward
    if not game_facts(env.state).pays:
        assert total == env.state.returns()[0]
    if game is Corridor:
        assert total == (10 if env.state.place == 5 else -1) - (env.state.steps - 1)
    with pytest.raises(bw.ActionError, match="over"):
        env.step(0)


def test_seeds_lead_to_the_same_episodes_and_chance_to_others():
    def episode(seed):
        env = make_env("taxi(is_rainy=True)")
        seen = [env.reset(seed=seed)[0]]
        seen += [env.step(action)[0] for action in (0, 1, 2, 3, 0, 1, 2, 3)]
        return [[int(value[0]) for value in one.values()] for one in seen]

    assert episode(1) == episode(1)
    assert len({str(episode(seed)) for seed in range(8)}) > 4


def test_chance_before_the_first_step_and_after_each_is_over_when_the_player_moves():
    env = make_env("twenty_forty_eight")
    env.reset(seed=1)
    assert np.count_nonzero(env.state.board) == 2
    env.step(env.action_space.sample())
    assert np.count_nonzero(env.state.board) in (2, 3)
    assert env.state.current_player() == 0


def test_an_illegal_action_is_an_error_or_does_nothing():
    env = make_env("sailing", illegal="error")
    _, info = env.reset(seed=1)
    assert info["action_mask"].tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
    with pytest.raises(bw.ActionError, match=r"legal actions are 0 \(n\) 1 \(ne\) 2 \(e\)"):
        env.step(4)
    patient = make_env("sailing")
    before, _ = patient.reset(seed=1)
    after, reward, *_ = patient.step(4)
    assert (before, reward) == (after, 0.0)
    with pytest.raises(bw.ActionError):
        patient.step(8)


def test_an_episode_without_an_end_is_truncated():
    env = make_env("cliff_walking")
    env.reset(seed=1)
    ends = [env.step(0)[2:4] for _ in range(1000)]
    assert ends == [(False, False)] * 999 + [(False, True)]


def test_a_problem_as_an_environment_is_planned_for_and_its_chance_stays_unknown():
    env = make_env(Corridor)
    check_env_copies(env, steps=30)
    env.reset(seed=1)
    state = EnvState(env, discount=Corridor.discount)
    value = bw.MCTS(seed=1).search(state, simulations=300).value
    assert value == pytest.approx(-1 - 0.9 + 0.81 * 10, abs=0.7)
    guess = make_env(Machines)
    check_env_copies(guess, steps=20)
    guess.reset(seed=1)
    values = [child.value for child in bw.MCTS(seed=1).search(EnvState(guess), simulations=600).children]
    assert max(values) < 2.5  # who knows the dice has 3 and more


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda: make_env("tic_tac_toe"), "has 2 players"),
        (lambda: make_env("frozen_lak"), "did you mean"),
        (lambda: make_env(3), "3 is no game"),
        (lambda: make_env("taxi", illegal="ignore"), "no effect of illegal actions"),
        (lambda: make_env("taxi", render_mode="human"), "no render_mode"),
        (lambda: make_env("taxi").reset(options={"row": 1}), "no options for reset, such as 'row'"),
    ],
)
def test_bad_input_is_one_clear_error(given, said):
    with pytest.raises(bw.BranchwiseError, match=said):
        given()


def test_texts_are_rendered_and_stepping_before_a_reset_is_refused():
    env = make_env("frozen_lake", render_mode="ansi")
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    env.reset(seed=1)
    assert env.render() == str(env.state)


def test_pixels_are_those_of_the_picture():
    env = make_env("frozen_lake(is_slippery=False)", render_mode="rgb_array")
    with pytest.raises(gym.error.ResetNeeded):
        env.render()
    env.reset(seed=1)
    frame = env.render()
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', env.state.to_svg()).groups()
    assert frame.shape == (round(float(height)), round(float(width)), 3)
    assert frame.dtype == np.uint8
    assert tuple(frame[0, -1]) == (255, 255, 255)
    assert tuple(frame[22, 34]) == (0xD9, 0x48, 0x0F)  # the player, at the start
    below = frame[172:]
    assert (below.max(axis=2) < 200).any()  # the texts
    env.step(1)
    assert not np.array_equal(env.render(), frame)
    assert make_env("frozen_lake").render() is None


@pytest.mark.parametrize("game", ["pendulum", "tsp(cities=8)", "driving"])
def test_frames_of_an_episode_have_one_size(game):
    env = make_env(game, render_mode="rgb_array")
    env.reset(seed=1)
    env.action_space.seed(1)
    shapes = {env.render().shape}
    over = False
    for _ in range(4):
        if not over:
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            over = terminated or truncated
            shapes.add(env.render().shape)
    assert len(shapes) == 1


@pytest.mark.filterwarnings("ignore:.*For Box action spaces, we recommend")
def test_an_environment_with_pixels_passes_gymnasiums_check():
    check_env(make_env("cliff_walking", render_mode="rgb_array"), skip_render_check=True)


def test_without_a_picture_or_the_library_pixels_are_one_clear_error(monkeypatch):
    with pytest.raises(bw.GameError, match="states of corridor have no picture"):
        make_env(Corridor, render_mode="rgb_array")
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(bw.SettingsError, match="to render as rgb_array, a library is missing") as caught:
        make_env("frozen_lake", render_mode="rgb_array")
    assert caught.value.mend == 'pip install "branchwise[render]"'


# --- continuous actions ------------------------------------------------------------------------------------


def test_the_pendulum_is_planned_for_by_its_environment():
    env, info = started(gym.make("Pendulum-v1"))
    check_env_copies(env, steps=20)
    env.reset(seed=1)
    state = EnvState(env, info, horizon=3)
    result = bw.MCTS(seed=1).search(state, simulations=60)
    assert result.best_action.shape == (1,)
    assert -2.0 <= result.best_action[0] <= 2.0
    same = bw.MCTS(seed=1).search(state, simulations=60)
    assert same.children == result.children
    _, reward, *_ = env.step(state.env_action(result.best_action))
    stepped = state.clone()
    stepped.apply_action(result.best_action, bw.Random(1))
    assert stepped.rewards()[0] == pytest.approx(float(reward), abs=1e-6)
    with pytest.raises(bw.ActionError, match="outside its box"):
        state.clone().apply_action((3.0,), bw.Random(1))


@pytest.mark.filterwarnings("ignore:.*For Box action spaces, we recommend")
def test_a_problem_with_continuous_actions_is_an_environment_that_passes_gymnasiums_check():
    env = make_env(Pendulum)
    check_env(env, skip_render_check=True)
    observation, info = env.reset(seed=3)
    assert env.action_space == gym.spaces.Box(np.array([-2.0]), np.array([2.0]), dtype=np.float64)
    assert info == {}
    theirs = gym.make("Pendulum-v1").unwrapped
    theirs.reset(seed=1)
    theirs.state = np.array([observation["angle"][0], observation["spin"][0]])
    action = np.array([1.25])
    assert env.step(action)[1] == pytest.approx(theirs.step(action)[1], abs=1e-9)
    with pytest.raises(bw.ActionError, match="outside its box"):
        env.step(np.array([2.5]))


def test_actions_without_bounds_are_refused():
    env = gym.wrappers.TransformAction(
        gym.make("Pendulum-v1"), lambda a: a, gym.spaces.Box(-np.inf, np.inf, (1,))
    )
    with pytest.raises(bw.GameError, match="between finite bounds"):
        EnvState(env)
