"""Motion planning: motions against the bicycle model, collisions against dense sampling, and best lines."""

import heapq
import math
import random
from itertools import pairwise

import numpy as np
import pytest

import branchwise as bw
from branchwise.compare.comparison import compare
from branchwise.drawing.animation import film
from branchwise.optimise.classical import a_star, check_heuristic
from branchwise.problems.car_motions import (
    ANGLES,
    CELL,
    FRONT,
    HALF_WIDTH,
    HEADINGS,
    LEFT,
    MARGIN,
    REAR,
    RIGHT,
    STRAIGHT,
    TURNS,
    blocked,
    corners,
    covers,
    displacement,
    free_motions,
    motion_length,
    parts,
    pose_at,
    poses,
)
from branchwise.problems.motion_planning import BACK_SPEED, NAMES, SHIFT, SPEED, MotionPlanning

PARKING = MotionPlanning.configured(layout="parking")
MOTIONS = [(heading, steering) for heading in range(HEADINGS) for steering in (STRAIGHT, LEFT, RIGHT)]
TIGHTEST = 4.2
"""Metres; no arc of the car is tighter."""


# --- motions --------------------------------------------------------------------------------------------


def driven(heading, steering, steps):
    """Return the pose after a motion, by integrating the bicycle model with the midpoint rule."""
    before, turned, radius, after = parts(heading, steering)
    x, y, angle = 0.0, 0.0, float(ANGLES[heading])
    for length, curvature in (
        (before, 0.0),
        (abs(turned) * radius if turned else 0.0, math.copysign(1 / radius, turned)),
        (after, 0.0),
    ):
        step = length / steps
        for _ in range(steps):
            middle = angle + curvature * step / 2
            x, y, angle = x + step * math.cos(middle), y + step * math.sin(middle), angle + curvature * step
    return x, y, angle


@pytest.mark.parametrize(("heading", "steering"), MOTIONS)
def test_a_motion_of_the_bicycle_model_ends_on_the_pose_that_it_leads_to(heading, steering):
    x, y, angle = driven(heading, steering, 2000)
    right, up = displacement(heading, steering)
    assert (x, y) == pytest.approx((CELL * right, CELL * up), abs=1e-7)
    wanted = ANGLES[(heading + TURNS[steering]) % HEADINGS]
    assert math.remainder(angle - wanted, math.tau) == pytest.approx(0, abs=1e-12)
    end = pose_at(heading, steering, motion_length(heading, steering))
    assert end[:2] == pytest.approx((CELL * right, CELL * up), abs=1e-12)


@pytest.mark.parametrize(("heading", "steering"), MOTIONS)
def test_the_turning_part_lies_on_a_circle_that_the_car_can_drive(heading, steering):
    before, turned, radius, after = parts(heading, steering)
    if steering == STRAIGHT:
        assert (turned, after) == (0.0, 0.0)
        return
    assert radius > TIGHTEST
    assert math.copysign(1, turned) == TURNS[steering]
    side = math.copysign(radius, turned)
    start = before * math.cos(ANGLES[heading]), before * math.sin(ANGLES[heading])
    centre = start[0] - side * math.sin(ANGLES[heading]), start[1] + side * math.cos(ANGLES[heading])
    for share in np.linspace(0.0, 1.0, 7):
        x, y, angle = pose_at(heading, steering, before + share * abs(turned) * radius)
        assert math.dist((x, y), centre) == pytest.approx(radius, abs=1e-12)
        assert angle - ANGLES[heading] == pytest.approx(share * turned, abs=1e-12)
    chord = math.dist(start, pose_at(heading, steering, before + abs(turned) * radius)[:2])
    assert chord == pytest.approx(2 * radius * math.sin(abs(turned) / 2))


def test_headings_go_round_in_quarters():
    for heading in range(HEADINGS):
        for steering in range(3):
            right, up = displacement(heading, steering)
            assert displacement((heading + 4) % HEADINGS, steering).tolist() == [-up, right]
    assert math.remainder(ANGLES[1] - math.atan(0.5), math.tau) == pytest.approx(0)
    turns = [math.remainder(ANGLES[(h + 1) % HEADINGS] - ANGLES[h], math.tau) for h in range(HEADINGS)]
    assert all(turn > 0.3 for turn in turns)
    assert sum(turns) == pytest.approx(math.tau)


def test_between_two_poses_that_are_looked_at_the_car_moves_less_than_its_margin():
    for heading, steering in MOTIONS:
        for one, other in pairwise(poses(heading, steering)):
            moved = [math.dist(a, b) for a, b in zip(corners(*one), corners(*other), strict=True)]
            assert max(moved) / 2 < MARGIN


# --- collisions -----------------------------------------------------------------------------------------


def outline(points, apart=0.02):
    """Return points all along the sides of a polygon."""
    sides = zip(points, [*points[1:], points[0]], strict=True)
    return np.concatenate([np.linspace(a, b, max(2, math.ceil(math.dist(a, b) / apart))) for a, b in sides])


def touches(x, y, angle, size, discs, boxes, grown=0.0):
    """Whether the car, or a larger one, touches something, by points along all outlines."""
    around = outline(corners(x, y, angle, grown))
    if (around < 0).any() or (around > size).any():
        return True
    c, s = math.cos(angle), math.sin(angle)

    def inside(points):
        right, up = points[:, 0] - x, points[:, 1] - y
        along, across = right * c + up * s, up * c - right * s
        return ((-REAR - grown < along) & (along < FRONT + grown) & (abs(across) < HALF_WIDTH + grown)).any()

    for at_x, at_y, radius in discs:
        away = np.hypot(around[:, 0] - at_x, around[:, 1] - at_y)
        if away.min() < radius or inside(np.array([[at_x, at_y]])):
            return True
    for left, low, right, top in boxes:
        sides = outline([(left, low), (right, low), (right, top), (left, top)])
        within = (around > (left, low)) & (around < (right, top))
        if within.all(axis=1).any() or inside(sides):
            return True
    return False


def test_free_motions_never_touch_anything_and_others_come_too_near():
    """Both against points 1 cm apart along the way and 2 cm apart along all outlines."""
    source = random.Random(1)
    size = 12.0, 10.0
    discs, boxes = [(3.0, 8.0, 1.2), (8.5, 2.5, 0.6)], [(6.0, 6.0, 7.5, 9.5), (1.0, 0.5, 3.5, 1.5)]
    free = free_motions(25, 21, discs, boxes)
    seen = {True: 0, False: 0}
    while min(seen.values()) < 100:
        place = source.randrange(2, 23), source.randrange(2, 19)
        heading, steering = source.choice(MOTIONS)
        is_free = bool(free[(*place, heading, steering)])
        if seen[is_free] == 100:
            continue
        seen[is_free] += 1
        grown = 0.0 if is_free else MARGIN + 0.02
        path = [
            pose_at(heading, steering, way) for way in np.arange(0.0, motion_length(heading, steering), 0.01)
        ]
        x, y = CELL * place[0], CELL * place[1]
        hits = (touches(x + right, y + up, angle, size, discs, boxes, grown) for right, up, angle in path)
        assert any(hits) != is_free


def test_a_car_beside_a_box_is_blocked_exactly_where_it_touches():
    size = 20.0, 20.0
    for heading, gap, aside in ((0, FRONT, 0.0), (8, REAR, 0.0), (4, HALF_WIDTH, 0.0), (0, FRONT, 0.85)):
        box = (10.0 + gap, 9.0 + aside, 13.0 + gap, 12.0 + aside)
        for off, wanted in ((-1e-6, True), (1e-6, False)):
            assert blocked(10.0 - off, 9.5, ANGLES[heading], size, (), [box], 0.0) == wanted
    # corner to corner at 45 degrees
    tip = 10.0 + (FRONT + HALF_WIDTH) / math.sqrt(2), 10.0 + (FRONT - HALF_WIDTH) / math.sqrt(2)
    for off, wanted in ((1e-6, True), (-1e-6, False)):
        box = (tip[0] - off, 5.0, 18.0, 15.0)
        assert blocked(10.0, 10.0, ANGLES[2], size, (), [box], 0.0) == wanted


def test_a_disc_is_touched_at_a_side_and_at_a_corner_exactly():
    size = 20.0, 20.0
    diagonal = 0.5 / math.sqrt(2)
    for at in ((10.0 + FRONT + 0.5, 10.3), (9.7, 10.0 + HALF_WIDTH + 0.5), (10.0 - REAR - 0.5, 9.6)):
        for radius, wanted in ((0.5 + 1e-6, True), (0.5 - 1e-6, False)):
            assert blocked(10.0, 10.0, 0.0, size, [(*at, radius)], (), 0.0) == wanted
    corner = (10.0 + FRONT + diagonal, 10.0 + HALF_WIDTH + diagonal)
    for radius, wanted in ((0.5 + 1e-6, True), (0.5 - 1e-6, False)):
        assert blocked(10.0, 10.0, 0.0, size, [(*corner, radius)], (), 0.0) == wanted


def test_the_car_stays_on_the_ground():
    size = 10.0, 8.0
    for x, y, angle in ((REAR, 4.0, 0.0), (10.0 - FRONT, 4.0, 0.0), (5.0, HALF_WIDTH, math.pi)):
        for grown, wanted in ((-1e-6, False), (1e-6, True)):
            assert blocked(x, y, angle, size, (), (), grown) == wanted


# --- the problem ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [PARKING, MotionPlanning], ids=str)
def test_going_back_the_way_one_came_is_always_possible_and_leads_to_the_same_pose(game, positions):
    for state in positions(game, 2):
        for action in [] if state.is_terminal() else state.legal_actions():
            after = state.copy()
            paid = after.apply_action(action)
            back = (action + 3) % 6
            if after.is_terminal():
                continue
            assert back in after.legal_actions()
            again = after.copy()
            paid_back = again.apply_action(back)
            assert (again.x, again.y, again.heading) == (state.x, state.y, state.heading)
            seconds = -paid - (SHIFT if state.gear * after.gear < 0 else 0.0)
            ratio = SPEED / BACK_SPEED if action < 3 else BACK_SPEED / SPEED
            assert -paid_back == pytest.approx(seconds * ratio + SHIFT)


def test_each_action_costs_its_length_by_the_speed_and_a_change_of_gear_a_second():
    empty = MotionPlanning.configured(obstacles=0)
    state = empty(x=20, y=16, heading=0)
    assert state.apply_action(0) == -0.5
    assert state.apply_action(1) == pytest.approx(-motion_length(0, LEFT) / 2)
    assert (state.x, state.y, state.heading, state.gear) == (26, 17, 1, 1)
    assert state.apply_action(3) == pytest.approx(-math.hypot(1.0, 0.5) - 1.0)
    assert state.apply_action(5) == pytest.approx(-motion_length(2, RIGHT))
    assert (state.x, state.y, state.heading, state.gear) == (21, 14, 2, -1)
    assert empty(x=20, y=16, heading=0).apply_action(3) == -1.0


def test_arriving_needs_the_place_and_the_heading():
    for game in (PARKING, MotionPlanning):
        x, y = round(game.goal_x / CELL), round(game.goal_y / CELL)
        for off in range(3):
            for turned in range(HEADINGS):
                state = game(x=x + off, y=y, heading=(game.goal_heading + turned) % HEADINGS)
                is_near = off * CELL <= game.near
                is_right = min(turned, HEADINGS - turned) <= game.slack
                assert state.is_terminal() == (is_near and is_right)
                assert not is_near or state.heuristic() == 0.0


def shortest(game):
    """Return the fewest seconds to the goal by Dijkstra's search over poses and gears."""
    start = game()
    found = {(start.x, start.y, start.heading, start.gear): 0.0}
    waiting = [(0.0, *next(iter(found)))]
    while waiting:
        seconds, *fields = heapq.heappop(waiting)
        state = game(**dict(zip(("x", "y", "heading", "gear"), fields, strict=True)))
        if state.is_terminal():
            return seconds
        if seconds > found[tuple(fields)]:
            continue
        for action in state.legal_actions():
            after = state.copy()
            total = seconds - after.apply_action(action)
            key = (after.x, after.y, after.heading, after.gear)
            if total < found.get(key, math.inf):
                found[key] = total
                heapq.heappush(waiting, (total, *key))
    return math.inf


def test_a_star_finds_the_fewest_seconds_and_its_heuristic_never_overestimates():
    for game in (PARKING, MotionPlanning.configured(scene=5)):
        assert check_heuristic(game()) > 1000
        result = a_star(game())
        assert result.is_optimal
        assert -result.best_score == pytest.approx(shortest(game))
    assert [NAMES[action] for action in a_star(PARKING()).best_line[-3:]] == ["back-right", "back", "back"]


def test_a_heuristic_that_counts_the_metres_is_found_to_overestimate():
    class Hasty(MotionPlanning):
        layout = "parking"

        def heuristic(self):
            return 3 * super().heuristic()

    with pytest.raises(bw.GameError, match="heuristic gave"):
        check_heuristic(Hasty())


def test_every_scene_has_a_way_and_scenes_differ():
    games = [MotionPlanning.configured(scene=number, obstacles=8) for number in range(1, 7)]
    assert len({game.discs[0] for game in games}) == 6
    for game in games:
        assert len(game.discs) == 8
        assert a_star(game()).is_optimal
        for x, y, radius in game.discs:
            assert radius - 1e-9 <= x <= game.width - radius + 1e-9
            assert radius - 1e-9 <= y <= game.height - radius + 1e-9
    assert MotionPlanning.configured(scene=2, obstacles=8).discs == games[1].discs


@pytest.mark.slow
def test_methods_compare_on_a_parking_car():
    result = compare(PARKING(), ["astar", "nrpa(level=2)", "mcts"], steps=20_000, seeds=1, seed=1)
    best = {one.method: one.best for one in result.methods}
    assert best["astar"] == pytest.approx(-18.285669, abs=1e-6)
    assert all(score <= best["astar"] + 1e-9 for score in best.values())
    assert best["nrpa(level=2)"] > -45.0


def test_compiled_rules_lead_to_the_same_tree_as_plain_ones():
    trees = [
        [
            (child.action, child.visits, pytest.approx(child.value, abs=1e-9))
            for child in bw.MCTS(seed=1, compiled=compiled).search(PARKING(), simulations=60).children
        ]
        for compiled in (True, False)
    ]
    assert trees[0] == trees[1]


def test_playouts_prefer_what_comes_closer_to_the_goal():
    state, source = PARKING(), bw.Random(1)
    chosen = [state.playout_action(source) for _ in range(300)]
    assert set(chosen) <= set(state.legal_actions())
    nearest = max(state.legal_actions(), key=state.prior)
    assert chosen.count(nearest) > 100 > chosen.count(min(state.legal_actions(), key=state.prior))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("layout='street'", "no layout of motion_planning"),
        ("obstacles=-1", "is not from 0 to 20"),
        ("obstacles=21", "is not from 0 to 20"),
        ("layout='parking',scene=2", "has no scene"),
        ("layout='parking',obstacles=2", "has no obstacles"),
    ],
)
def test_impossible_options_are_refused(options, problem):
    with pytest.raises(bw.BranchwiseError, match=problem):
        bw.load_game(f"motion_planning({options})")


def test_pictures_show_obstacles_the_goal_and_the_ways_of_all_actions():
    state = PARKING()
    picture = state.to_svg()
    assert picture.count("<polyline") == 2 + len(state.legal_actions())
    assert picture.count("<polygon") == 2 + len(PARKING.boxes)
    yard = MotionPlanning()
    assert yard.to_svg().count("<circle") == 12
    for action in yard.legal_actions():
        after = yard.copy()
        after.apply_action(action)
        ends = yard.way(action)[0 if action >= 3 else -1]
        assert ends == pytest.approx((CELL * after.x, CELL * after.y))
    text = str(state).splitlines()
    assert text[3] == " 7  . o @ o o . . . . . . . . . . . . . . ."
    assert text[8] == " 2  . . # # . # . # # . G # # . # . # # . ."
    assert text[-1] == "at 2 m, 6.5 m, heading 0°, standing"
    assert covers(0.0, 0.0, 1.0)
    assert not covers(FRONT + 0.1, 0.0, 0.0)


def test_a_line_is_shown_as_a_film():
    line = a_star(PARKING()).best_line
    states = [PARKING.from_actions(line[:count]) for count in range(len(line) + 1)]
    assert states[-1].told() == "at 10 m, 1.5 m, heading 90°, going backward, arrived"
    moving = film([state.to_svg() for state in states], line)
    assert moving.count("animation-delay") == len(states)
