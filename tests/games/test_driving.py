"""Driving: the models of the other drivers, crashes, scenarios, and the driver that follows rules."""

import math

import numpy as np
import pytest

import branchwise as bw
from branchwise.problems.driving import (
    ACCELERATION,
    BRAKE,
    CRASH,
    DECELERATION,
    FORTH,
    HARDEST,
    HOLD,
    LEAST_GAP,
    LEFT,
    LENGTH,
    RAMP,
    RIGHT,
    RING,
    SCENARIOS,
    TIME_GAP,
    UNSAFE,
    Driving,
    following,
)

CALM = Driving.configured(noise=0.0, lane_changes=False)
MERGING = Driving.configured(scenario="merging", noise=0.0)
KEEPING = Driving.configured(scenario="lane_keeping", noise=0.0)
FAR = 150.0


def scene(game=CALM, *others, own=(0.0, 1, 25.0), **fields):
    """Return a state; each car is (metres ahead, lane, speed); all that are not given follow far behind."""
    cars = [own, *others]
    waiting = [(-FAR - 3 * place, game.lanes - 1, 20.0) for place in range(game.cars - len(cars))]
    x, lane, speed = map(list, zip(*cars, *waiting, strict=True))
    return game(x=x, y=list(map(float, lane)), lane=lane, speed=speed, desired=[30.0, *speed[1:]], **fields)


@pytest.mark.parametrize("speed", [5.0, 15.0, 25.0])
def test_nobody_accelerates_at_the_models_equilibrium(speed):
    gap = (LEAST_GAP + speed * TIME_GAP) / math.sqrt(1 - (speed / 30) ** 4)
    assert following(speed, 30.0, gap, 0.0) == pytest.approx(0, abs=1e-12)
    assert following(speed, 30.0, 0.9 * gap, 0.0) < 0 < following(speed, 30.0, 1.1 * gap, 0.0)


def test_a_driver_accelerates_from_rest_brakes_for_a_wall_and_slows_down_in_comfort():
    assert following(0.0, 30.0, 1e6, 0.0) == pytest.approx(ACCELERATION)
    assert following(30.0, 30.0, 1e6, 0.0) == pytest.approx(0, abs=1e-6)
    assert following(40.0, 20.0, 1e9, 0.0) == pytest.approx(-DECELERATION)
    assert following(30.0, 30.0, 20.0, 30.0) == -HARDEST == following(10.0, 30.0, -3.0, 0.0)


def test_a_car_that_follows_another_one_ends_up_at_the_models_distance():
    state = scene(KEEPING, (40.0, 0, 20.0), own=(0.0, 0, 20.0))
    state.x[2], state.speed[2], state.desired[:] = -60.0, 24.0, (30.0, 20.0, 28.0)
    world = bw.Random(1)
    for _ in range(60):
        state.desired[1:] = (20.0, 28.0)  # nobody changes their mind
        state.wind = state.y[0] = 0.0
        state.apply_action(HOLD, world)
    gap = (LEAST_GAP + 20 * TIME_GAP) / math.sqrt(1 - (20 / 28) ** 4)
    assert -state.x[2] - LENGTH == pytest.approx(gap, rel=0.01)
    assert state.speed == pytest.approx([20.0, 20.0, 20.0], abs=0.1)


def test_each_control_does_what_it_says():
    for action, speed in enumerate((26.5, 25.0, 23.0, 19.0, 25.0, 25.0)):
        state = scene()
        reward = state.apply_action(action, bw.Random(1))
        assert state.speed[0] == speed
        assert state.travelled == pytest.approx((25.0 + speed) / 2)
        assert state.lane[0] == {LEFT: 2, RIGHT: 0}.get(action, 1)
        cost = 0.2 if action >= 3 else 0.0
        assert reward == pytest.approx(1 - (30 - speed) / 30 - cost)
    for _ in range(4):
        state.apply_action(HOLD, bw.Random(1))
    assert state.y[0] == pytest.approx(0)


@pytest.mark.parametrize(
    ("other", "actions"),
    [
        ((12.0, 1, 10.0), [HOLD]),
        ((3.0, 2, 25.0), [LEFT, HOLD]),
        ((7.0, 1, 1.0), [FORTH]),
        ((-12.0, 2, 38.0), [LEFT, 3]),
    ],
    ids=["from behind", "beside", "through", "cut off"],
)
def test_a_collision_ends_the_episode_and_costs(other, actions):
    state, rewards = scene(CALM, other), []
    for action in actions:
        assert not state.is_terminal()
        rewards.append(state.apply_action(action, bw.Random(1)))
    assert state.is_terminal()
    assert rewards[-1] == -CRASH
    assert "crashed" in str(state)


def test_cars_on_other_lanes_may_be_passed_and_come_back_round_the_ring():
    state = scene(CALM, (10.0, 2, 16.0), own=(0.0, 0, 30.0))
    places = []
    for _ in range(30):
        state.apply_action(HOLD, bw.Random(1))
        places.append(state.x[1])
        assert abs(state.x).max() <= RING / 2
    assert not state.is_terminal()
    assert min(places) < -100
    assert places[-1] > 0


def test_the_driver_by_rules_steers_by_the_wind_to_come_and_brakes_unless_the_edge_is_near():
    free, close = (), ((12.0, 0, 10.0),)

    def answer(aside, wind, others):
        state = scene(KEEPING, *others, own=(0.0, 0, 20.0), wind=wind)
        state.y[0] = aside
        return state.playout_action(None)

    assert answer(0.07, 0.0, free) == answer(-0.07, 0.0, free) == FORTH
    assert answer(0.09, 0.0, free) == RIGHT
    assert answer(-0.09, 0.0, free) == LEFT
    assert answer(0.0, 0.03, free) == RIGHT
    assert answer(0.1, -0.02, free) == FORTH
    assert answer(0.1, 0.0, close) == BRAKE
    assert answer(0.1, 0.03, close) == RIGHT


def test_leaving_the_road_is_not_legal_where_lanes_are_changed():
    assert scene(own=(0.0, 0, 20.0)).legal_actions() == [0, 1, 2, 3, LEFT]
    assert scene(own=(0.0, 2, 20.0)).legal_actions() == [0, 1, 2, 3, RIGHT]
    assert scene(MERGING, own=(0.0, 0, 20.0)).legal_actions() == [0, 1, 2, 3, LEFT]
    assert scene(MERGING, own=(0.0, 1, 20.0)).legal_actions() == [0, 1, 2, 3, LEFT]


def test_a_change_of_lanes_needs_room_and_a_gain():
    slow = (30.0, 1, 16.0)
    assert scene(CALM, slow).better_lane(0) in (0, 2)
    assert scene(CALM).better_lane(0) == 1
    assert scene(CALM, slow, (-8.0, 0, 30.0), (3.0, 2, 25.0)).better_lane(0) == 1
    assert scene(CALM, slow, (-8.0, 0, 30.0)).gain(0, 0) == UNSAFE
    assert scene(CALM, slow, (20.0, 0, 10.0)).better_lane(0) == 2
    # the one who drives behind would have to brake, but not hard: politeness counts
    alone, pushing = scene(CALM, slow), scene(CALM, slow, (-60.0, 0, 27.0))
    assert alone.gain(0, 0) > pushing.gain(0, 0) > UNSAFE


def test_a_car_between_two_lanes_is_in_the_way_on_both():
    state = scene(CALM, (30.0, 2, 16.0), own=(0.0, 1, 25.0))
    assert state.car_ahead(0) == -1
    state.lane[1] = 1
    assert state.car_ahead(0) == 1
    state.lane[1], state.y[1] = 2, 1.5
    assert state.car_ahead(0) == 1


def test_a_ramp_ends_with_a_crash_for_who_has_not_merged():
    state = scene(MERGING, own=(0.0, 0, 25.0), travelled=RAMP - 30)
    assert state.apply_action(HOLD, bw.Random(1)) > 0
    assert state.apply_action(HOLD, bw.Random(1)) == -CRASH
    merged = scene(MERGING, own=(0.0, 1, 25.0), travelled=RAMP - 30)
    for _ in range(3):
        merged.apply_action(HOLD, bw.Random(1))
    assert not merged.is_terminal()


def test_without_room_the_driver_by_rules_stops_before_the_ramp_ends():
    beside = [(12.0 * place, 1, 0.0) for place in range(-4, 4)]
    state = scene(MERGING, *beside, own=(0.0, 0, 15.0), travelled=RAMP - 130)
    state.desired[1:] = 16.0
    for _ in range(30):
        state.speed[1:] = 0.0
        state.x[1:9] = [12.0 * place for place in range(-4, 4)]
        action = state.playout_action(None)
        assert action != LEFT
        state.apply_action(action, bw.Random(1))
    assert not state.is_terminal()
    assert RAMP - 20 < state.travelled < RAMP


def test_wind_blows_off_a_car_that_does_not_steer():
    state, steered = (scene(KEEPING, own=(0.0, 0, 20.0), wind=0.06) for _ in range(2))
    assert state.apply_action(HOLD, bw.Random(1)) == pytest.approx(20 / 30 - abs(state.y[0]))
    assert state.y[0] > 0.05
    for _ in range(6):
        if not state.is_terminal():
            last = state.apply_action(HOLD, bw.Random(1))
        steered.apply_action(steered.playout_action(None), bw.Random(1))
    assert last == -CRASH
    assert abs(steered.y[0]) < 0.2


@pytest.mark.parametrize("name", SCENARIOS)
def test_rules_drive_safely_and_random_actions_do_not(name):
    game, crashes = Driving.configured(scenario=name), [0, 0]
    for number in range(8):
        for by_rules in (False, True):
            world, choices = bw.Random(number), bw.Random(100 + number)
            state = game.new_initial_state(world)
            assert state.speed[0] < 23 < game.max_game_length
            for _ in range(game.max_game_length):
                legal = state.legal_actions()
                action = state.playout_action(choices) if by_rules else legal[choices.below(len(legal))]
                state.apply_action(action, world)
                if state.is_terminal():
                    crashes[by_rules] += 1
                    break
    assert crashes[True] == 0
    assert crashes[False] > 1


def test_scenes_differ_and_nobody_starts_on_top_of_another():
    world = bw.Random(1)
    for game in (CALM, MERGING, KEEPING):
        starts = [game.new_initial_state(world) for _ in range(50)]
        assert len({state.to_json() for state in starts}) == 50
        for state in starts:
            places = np.sort((state.lane * 10 * RING) + state.x % RING)
            assert np.diff(places).min() > 20
            assert state.lane[1:].min() >= state.lowest_lane()


def test_a_short_search_passes_a_slow_car():
    planner, state = bw.MCTS(max_depth=1, c=0.1, seed=1), scene(Driving, (45.0, 1, 16.0))
    world, lanes = bw.Random(1), set()
    for _ in range(10):
        state.apply_action(planner.search(state, simulations=300).best_action, world)
        lanes.add(int(state.lane[0]))
    assert not state.is_terminal()
    assert lanes != {1}
    assert state.speed[0] > 24


def test_compiled_rules_lead_to_the_same_tree_as_plain_ones():
    start = Driving.new_initial_state(bw.Random(3))
    trees = [
        [
            (child.action, child.visits, pytest.approx(child.value, abs=1e-6))
            for child in bw.MCTS(seed=1, compiled=compiled).search(start, simulations=40).children
        ]
        for compiled in (True, False)
    ]
    assert trees[0] == trees[1]


@pytest.mark.parametrize("options", ["scenario=parking", "noise=-0.1", "noise=4.0", "lanes=2"])
def test_impossible_options_are_refused(options):
    with pytest.raises(bw.BranchwiseError):
        bw.load_game(f"driving({options})")


def test_pictures_show_cars_brakes_and_the_end_of_the_ramp():
    state = scene(MERGING, (30.0, 1, 16.0), (-170.0, 2, 20.0), own=(0.0, 0, 25.0), travelled=RAMP - 50)
    picture = state.to_svg()
    assert "#343a40" in picture
    assert "#fa5252" not in picture
    state.apply_action(3, bw.Random(1))
    assert "#fa5252" in state.to_svg()
    text = str(state).splitlines()
    assert (text[2].count("@"), text[1].count(">")) == (1, 1)
    assert "#" in text[2]
