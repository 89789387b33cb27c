"""Cart pole, mountain car, acrobot and pendulum: the same dynamics as Gymnasium's, step by step."""

import math
import random
from dataclasses import dataclass

import numpy as np
import pytest

import branchwise as bw
import branchwise.testing
from branchwise.problems.acrobot import Acrobot
from branchwise.problems.cart_pole import CartPole
from branchwise.problems.mountain_car import MountainCar
from branchwise.problems.pendulum import Pendulum


@dataclass(frozen=True)
class Case:
    """A problem, Gymnasium's of the same kind, the fields of its state, and bounds for states to look at."""

    game: type
    name: str
    fields: tuple
    bounds: tuple
    options: tuple = ()

    def state(self, numbers):
        return self.game(**dict(zip(self.fields, map(float, numbers), strict=True)))

    def env(self):
        gym = pytest.importorskip("gymnasium")
        env = gym.make(self.name, **dict(self.options)).unwrapped
        env.reset(seed=1)
        return env


CART, CAR = ("x", "speed", "angle", "spin"), ("place", "speed")
ANGLES = ("angle_1", "angle_2", "spin_1", "spin_2")
CASES = [
    Case(CartPole, "CartPole-v1", CART, (2.4, 3.0, 0.2, 3.0)),
    Case(
        CartPole.configured(sutton_barto_reward=True),
        "CartPole-v1",
        CART,
        (2.4, 3.0, 0.2, 3.0),
        (("sutton_barto_reward", True),),
    ),
    Case(MountainCar, "MountainCar-v0", CAR, (0.55, 0.07)),
    Case(
        MountainCar.configured(goal_speed=0.03),
        "MountainCar-v0",
        CAR,
        (0.55, 0.07),
        (("goal_velocity", 0.03),),
    ),
    Case(Acrobot, "Acrobot-v1", ANGLES, (3.1, 3.1, 12.0, 28.0)),
]
EVERY_CASE = pytest.mark.parametrize("case", CASES, ids=lambda case: case.game.name)
GAMES = [Acrobot, CartPole, MountainCar]


@pytest.mark.parametrize("steps", [400, pytest.param(10_000, marks=pytest.mark.slow)])
@EVERY_CASE
def test_each_step_of_random_episodes_is_gymnasiums(case, steps):
    env, rng = case.env(), random.Random(steps)
    for _ in range(steps):
        state, action = case.state(env.state), rng.randrange(case.game.num_actions)
        _, reward, over, _, _ = env.step(action)
        assert state.apply_action(action) == reward
        assert state.is_terminal() == over
        numbers = [getattr(state, field) for field in case.fields]
        assert numbers == pytest.approx(list(map(float, env.state)), rel=0, abs=1e-9)
        if over:
            env.reset()


@pytest.mark.parametrize("steps", [400, pytest.param(10_000, marks=pytest.mark.slow)])
@EVERY_CASE
def test_each_step_from_states_all_over_is_gymnasiums(case, steps):
    env, rng = case.env(), random.Random(steps)
    ends = 0
    for _ in range(steps):
        numbers = [rng.uniform(-bound, bound) for bound in case.bounds]
        if case.state(numbers).is_terminal():
            continue
        env.reset()
        env.state = np.array(numbers)
        state, action = case.state(numbers), rng.randrange(case.game.num_actions)
        _, reward, over, _, _ = env.step(action)
        assert (state.apply_action(action), state.is_terminal()) == (reward, over)
        numbers = [getattr(state, field) for field in case.fields]
        assert numbers == pytest.approx(list(map(float, env.state)), rel=0, abs=1e-9)
        ends += over
    assert ends > 0


@pytest.mark.parametrize(
    ("game", "fields", "low", "high"),
    [
        (CartPole, CART, -0.05, 0.05),
        (MountainCar, ("place",), -0.6, -0.4),
        (Acrobot, ANGLES, -0.1, 0.1),
    ],
)
def test_starts_are_drawn_evenly(game, fields, low, high):
    world = bw.Random(1)
    starts = [game.new_initial_state(world) for _ in range(2000)]
    assert MountainCar.new_initial_state(world).speed == 0.0
    for field in fields:
        numbers = np.array([getattr(start, field) for start in starts])
        assert low <= numbers.min() < low + 0.01 * (high - low)
        assert high - 0.01 * (high - low) < numbers.max() < high
        assert np.histogram(numbers, 4, (low, high))[0] == pytest.approx(500, abs=90)


@pytest.mark.parametrize("game", GAMES)
def test_compiled_rules_lead_to_the_same_tree_as_plain_ones(game):
    start = game.new_initial_state(bw.Random(3))
    trees = [
        [
            (child.action, child.visits, pytest.approx(child.value, abs=1e-6))
            for child in bw.MCTS(seed=1, compiled=compiled).search(start, simulations=60).children
        ]
        for compiled in (True, False)
    ]
    assert trees[0] == trees[1]


@pytest.mark.parametrize("game", GAMES)
def test_they_are_drawn_in_every_place(game):
    world, state = bw.Random(1), game.new_initial_state(bw.Random(1))
    looks = set()
    while not state.is_terminal() and len(looks) < 40:
        picture = state.to_svg()
        assert picture.count("data-action") == game.num_actions
        looks.add(picture)
        assert state.told() in str(state)
        assert "@" in str(state) or "#" in str(state)
        state.apply_action(state.playout_action(world) if game is not CartPole else world.below(2))
    assert len(looks) > 10
    for place in (-1.2, -0.3, 0.6):
        assert str(MountainCar(place=place, speed=0.0)).count("@") == 1
    for angle in (-3.0, 0.0, 1.5):
        assert str(Acrobot(angle_1=angle, angle_2=angle / 2)).count("@") == 1
    assert str(CartPole(x=2.6, angle=0.3)).count("#") == 1


def test_a_search_balances_the_pole():
    state, total = CartPole.new_initial_state(bw.Random(1)), 0.0
    planner = bw.MCTS(seed=1)
    for _ in range(60):
        total += state.apply_action(planner.search(state, simulations=100).best_action)
        assert not state.is_terminal()
    assert total == 60.0


# --- the pendulum, whose action is a torque -----------------------------------------------------------------


@pytest.mark.parametrize("steps", [400, pytest.param(10_000, marks=pytest.mark.slow)])
def test_each_step_of_the_pendulum_is_gymnasiums(steps):
    gym = pytest.importorskip("gymnasium")
    env, rng = gym.make("Pendulum-v1").unwrapped, random.Random(steps)
    env.reset(seed=1)
    for step in range(steps):
        if step % 200 == 100:
            env.state = np.array([rng.uniform(-20.0, 20.0), rng.uniform(-8.0, 8.0)])
        state = Pendulum(angle=float(env.state[0]), spin=float(env.state[1]))
        torque = rng.choice([-2.0, 2.0, rng.uniform(-2.0, 2.0)])
        _, reward, over, _, _ = env.step(np.array([torque]))
        assert state.apply_action((torque,)) == pytest.approx(reward, rel=0, abs=1e-9)
        assert (state.angle, state.spin) == pytest.approx(tuple(env.state), rel=0, abs=1e-9)
        assert not over


def test_10_000_steps_of_the_pendulum_in_a_row_stay_with_gymnasiums():
    gym = pytest.importorskip("gymnasium")
    env, rng = gym.make("Pendulum-v1").unwrapped, random.Random(1)
    env.reset(seed=1)
    state = Pendulum(angle=float(env.state[0]), spin=float(env.state[1]))
    for _ in range(10_000):
        torque = rng.uniform(-2.0, 2.0)
        env.step(np.array([torque]))
        state.apply_action((torque,))
    assert (state.angle, state.spin) == pytest.approx(tuple(env.state), rel=0, abs=1e-9)


def test_the_pendulum_keeps_its_contract_and_swings_up():
    bw.testing.check_game(Pendulum, games=3)
    state = Pendulum(angle=math.pi, spin=0.0)
    planner = bw.MCTS(seed=1)
    for _ in range(80):
        state.apply_action(planner.search(state, simulations=300).best_action)
    assert math.cos(state.angle) > 0.9
    assert "upright" in str(state)
    assert state.to_svg().startswith("<svg")
