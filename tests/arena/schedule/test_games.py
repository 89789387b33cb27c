"""Schedules, points and faults' returns: exact values and properties."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.arena.records.record import GamePlan, GameRecord, points, returns_after_fault
from branchwise.arena.schedule.match_games import Schedule, derived_seed, seating


class Numbered:
    """Openings that contain the number of their round."""

    def __getitem__(self, round_number):
        return (round_number,)


def test_two_bots_play_each_opening_from_both_sides():
    plans = list(Schedule(2, 6, 7, Numbered()))
    assert [plan.opening for plan in plans] == [(0,), (0,), (1,), (1,), (2,), (2,)]
    assert [plan.seating for plan in plans] == [(0, 1), (1, 0)] * 3
    assert [plan.number for plan in plans] == list(range(6))


@given(players=st.integers(1, 6), round_number=st.integers(0, 10**6))
def test_each_bot_plays_each_seat_once_a_round(players, round_number):
    seats = [seating(players, round_number, place) for place in range(players)]
    for seat in range(players):
        assert sorted(seated[seat] for seated in seats) == list(range(players))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_all_orders_around_the_table_come_up_equally_often(players):
    rounds = 1
    for factor in range(2, players):
        rounds *= factor
    seen = Counter(seating(players, number, place) for number in range(rounds) for place in range(players))
    assert seen == Counter(permutations(range(players)))


def test_a_plan_follows_from_seed_and_number_alone():
    long, short = Schedule(2, 1000, 7, Numbered()), Schedule(2, 10, 7, Numbered())
    assert list(short) == [long[number] for number in range(10)]
    assert long[5].seeds != Schedule(2, 10, 8, Numbered())[5].seeds


def test_every_bot_of_every_game_has_a_seed_of_its_own():
    seeds = [seed for plan in Schedule(3, 999, 1, Numbered()) for seed in plan.seeds]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_seeds_are_the_same_on_every_machine():
    assert derived_seed(1, 0, 0) == 9140593674255849855
    assert derived_seed(1, "opening", 0) != derived_seed(1, 0, 0)


def test_a_game_outside_the_schedule_is_none():
    schedule = Schedule(2, 5, 1, Numbered())
    assert len(schedule) == 5
    for number in (-1, 5):
        with pytest.raises(IndexError):
            schedule[number]


@pytest.mark.parametrize(
    ("returns", "expected"),
    [
        ((1, -1), (1, 0)),
        ((0, 0), (0.5, 0.5)),
        ((-0.2, 0.2), (0, 1)),
        ((5.0,), (1.0,)),
        ((3, 2, 1), (1, 0.5, 0)),
        ((1, 1, -1), (0.75, 0.75, 0)),
        ((0, 0, 0, 0), (0.5,) * 4),
    ],
)
def test_points_are_the_share_of_others_that_have_less(returns, expected):
    assert points(returns) == expected


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=7))
def test_points_of_a_game_add_up_to_half_its_players(returns):
    assert sum(points(returns)) == pytest.approx(len(returns) / 2)


@given(players=st.integers(2, 6), low=st.integers(-5, 0), high=st.integers(1, 5), data=st.data())
def test_a_fault_costs_the_worst_return_and_leaves_the_rest_of_the_sum(players, low, high, data):
    player = data.draw(st.integers(0, players - 1))
    returns = returns_after_fault(player, players, low, high)
    assert returns[player] == low
    assert sum(returns) == pytest.approx(high + (players - 1) * low)
    assert len({number for seat, number in enumerate(returns) if seat != player}) == 1


def test_points_are_counted_for_the_bot_not_for_the_seat():
    plan = GamePlan(0, 0, (), (2, 0, 1), (1, 2, 3))
    record = GameRecord(plan, (1.0, 0.0, -1.0), "end", fault=2)
    assert record.points() == (0.5, 0.0, 1.0)
    assert record.bot_at_fault == 1
