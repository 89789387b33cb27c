"""Problems that are "as in Gymnasium" are what `gymnasium.make` makes, or the tables say in what they differ.

Tests of the problems compare the rules, step by step or by tables of transitions.
"""

import inspect
import warnings
from pathlib import Path

import pytest

from branchwise.games import GAMES, load_game
from branchwise.rules.facts.options import game_options

gym = pytest.importorskip("gymnasium")

from gymnasium.envs.registration import load_env_creator  # noqa: E402

from branchwise.interop.gymnasium import make_env  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
NO_COUNTERPART = {"MountainCarContinuous-v0"}
OTHER_WORDS = {"goal_speed": "goal_velocity"}


def cells(page, name):
    """Return the rows of a table between two comments of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = text.partition(f"<!-- {name}: begin -->")[2].partition(f"<!-- {name}: end -->")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if "| `" in line]


TABLE = {row[0].strip("`"): (row[1].strip("`"), row[2]) for row in cells("docs/gymnasium.md", "gymnasium")}
"""Our text and the remark, by the id of an environment."""
OTHER_LENGTH = ("CliffWalking-v1", "CliffWalkingSlippery-v1", "FrozenLake-v1", "FrozenLake8x8-v1")


def steps_of(env, choose):
    """Return the steps until an episode is cut short, up to 1,200; what `choose` gives never ends it."""
    seen, _ = env.reset(seed=1)
    for step in range(1, 1201):
        seen, _, over, truncated, _ = env.step(choose(env, seen))
        assert not over
        if truncated:
            return step
    return None


def word(name):
    """Return the id of an environment without its version."""
    return name.partition("-")[0]


def balance(env, seen):
    """Return the action that holds up the pole."""
    place, speed, angle, spin = (
        (float(seen[name][0]) for name in ("x", "speed", "angle", "spin")) if isinstance(seen, dict) else seen
    )
    return int(angle + 0.5 * spin + 0.05 * place + 0.1 * speed > 0)


NEVER_ENDING = {
    "Acrobot": lambda env, seen: 1,
    "CartPole": balance,
    "CliffWalking": lambda env, seen: 0,
    "CliffWalkingSlippery": lambda env, seen: 0,
    "FrozenLake": lambda env, seen: 3,
    "FrozenLake8x8": lambda env, seen: 3,
    "MountainCar": lambda env, seen: 1,
    "Pendulum": lambda env, seen: env.action_space.low,
    "Taxi": lambda env, seen: 0,
}


def test_every_environment_of_these_kinds_is_in_the_table():
    kinds = ("gymnasium.envs.toy_text.", "gymnasium.envs.classic_control.")
    known = {name for name, spec in gym.registry.items() if str(spec.entry_point).startswith(kinds)}
    assert {word(name) for name in TABLE} == {word(name) for name in known - NO_COUNTERPART}
    bases = {load_game(text)._base or load_game(text) for text, _ in TABLE.values()}
    said = {row[0].split("`")[1]: row[0] for row in cells("docs/games.md", "games") if "Gymnasium" in row[0]}
    assert {game.name for game in bases} == set(said)
    remarked = {load_game(text.partition("(")[0]).name for text, remark in TABLE.values() if remark}
    assert remarked == {name for name, text in said.items() if "limit" in text or "over after 1,000" in text}


@pytest.mark.parametrize("name", TABLE)
def test_options_are_those_that_make_has_by_default(name):
    if name not in gym.registry:
        pytest.skip("this version of Gymnasium has another version of it")
    spec, game = gym.spec(name), load_game(TABLE[name][0])
    theirs = {
        key: parameter.default
        for key, parameter in inspect.signature(load_env_creator(spec.entry_point)).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    } | spec.kwargs
    ours = {OTHER_WORDS.get(key, key): value for key, value in game_options(game).items()}
    assert ours == {key: theirs[key] for key in ours}


@pytest.mark.parametrize("name", [name for name in TABLE if name != "Blackjack-v1"])
def test_episodes_are_as_long_as_those_that_make_makes(name):
    if name not in gym.registry:
        pytest.skip("this version of Gymnasium has another version of it")
    text, remark = TABLE[name]
    choose = NEVER_ENDING[word(name)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*out of date", DeprecationWarning)  # CartPole-v0
        env = gym.make(name)
    theirs, ours = steps_of(env, choose), steps_of(make_env(text), choose)
    assert theirs == gym.spec(name).max_episode_steps
    assert (theirs == ours) == (not remark) == (name not in OTHER_LENGTH)


def test_the_lake_with_a_limit_is_as_long_as_that_of_gymnasium():
    env = make_env("frozen_lake(horizon=100,max_game_length=200)")
    assert steps_of(env, NEVER_ENDING["FrozenLake"]) == 100


def test_stored_names_of_blackjack_keep_their_meaning():
    hand = "6 A 10 stick 5 10"  # a natural against three cards of 21
    paid = {
        "": 1.0,
        "(sab=true)": 1.0,
        "(sab=false)": 0.0,
        "(natural=true)": 0.0,
        "(natural=true,sab=false)": 0.0,
    }
    for options, value in paid.items():
        assert load_game(f"blackjack{options}").from_actions(hand).returns() == (value,)
    assert "blackjack" in GAMES.builtin
