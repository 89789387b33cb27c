"""Pairings and brackets: exact values, and properties for any results and any order of games."""

import math
import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchwise.arena.records.record import GameRecord
from branchwise.arena.schedule.knockout import Bracket, KnockoutGames
from branchwise.arena.schedule.match_games import derived_seed
from branchwise.arena.schedule.pairings import PairingSchedule, pairings

RETURNS = {2: (1.0, -1.0), 1: (0.0, 0.0), 0: (-1.0, 1.0)}


class Numbered:
    """Openings that contain their number."""

    def __getitem__(self, number):
        return (number,)


# --- pairings that are settled beforehand -----------------------------------------------------------


@given(bots=st.integers(2, 7), players=st.integers(2, 4), each=st.integers(1, 4))
def test_in_a_round_robin_all_bots_have_the_same_games(bots, players, each):
    if bots < players:
        return
    groups = pairings("round-robin", bots, players)
    assert len(groups) == math.comb(bots, players)
    plans = list(PairingSchedule(groups, each * players, 1, Numbered()))
    assert [plan.number for plan in plans] == list(range(len(plans)))
    seats = Counter((bot, seat) for plan in plans for seat, bot in enumerate(plan.seating))
    assert set(seats.values()) == {math.comb(bots - 1, players - 1) * each}
    met = Counter(frozenset(pair) for plan in plans for pair in combinations(plan.seating, 2))
    assert len(met) == math.comb(bots, 2)
    assert len(set(met.values())) == 1
    openings = Counter((frozenset(plan.seating), plan.opening) for plan in plans)
    assert set(openings) == {(frozenset(g), (number,)) for g in groups for number in range(each)}
    assert set(openings.values()) == {players}
    rounds = {}
    for plan in plans:
        rounds.setdefault(plan.round, []).append(plan)
    for games in rounds.values():
        assert len(games) == players
        assert len({(frozenset(plan.seating), plan.opening) for plan in games}) == 1
    assert len({seed for plan in plans for seed in plan.seeds}) == len(plans) * players


def test_in_a_gauntlet_the_first_is_in_every_game():
    groups = pairings("gauntlet", 5, 3)
    assert groups == [(0, *others) for others in combinations(range(1, 5), 2)]
    assert all(0 in plan.seating for plan in PairingSchedule(groups, 6, 1, Numbered()))


def test_a_tournament_that_stops_early_has_all_bots_equally_far():
    plans = PairingSchedule(pairings("round-robin", 5, 2), 20, 1, Numbered())
    for part in (20, 40, 100):
        games = Counter(bot for plan in list(plans)[:part] for bot in plan.seating)
        assert set(games.values()) == {part * 2 // 5}


# --- brackets ---------------------------------------------------------------------------------------


def halves_of(better, seed):
    """A rule for the half points of a group's first bot; better : the share of games that it wins."""

    def halves(number, group):
        drawn = random.Random(derived_seed(seed, number))
        return 2 if drawn.random() < better else drawn.choice([0, 1])

    return halves


def record_of(knockout, plan, halves):
    group = knockout.bracket.duel_of(plan.number).bots
    made = halves(plan.number, group)
    return GameRecord(plan, RETURNS[made if plan.seating[0] == group[0] else 2 - made], "end")


def played(bots, games, further, halves, *, order=0, records=(), stop=None):
    """Play a knockout, choosing the next game by `order`; records : games played before, by number."""
    knockout = KnockoutGames(Bracket(bots, games, further), 1, Numbered())
    for record in sorted(records, key=lambda record: record.number):
        knockout.take(record)
    source, playing, ended = random.Random(order), [], [*records]
    while stop is None or len(ended) < stop:
        while len(playing) < 3 and (plan := knockout.next_plan()) is not None:
            playing.append(plan)
        if not playing:
            break
        record = record_of(knockout, playing.pop(source.randrange(len(playing))), halves)
        knockout.take(record)
        ended.append(record)
    return knockout.bracket, ended


brackets = {
    "bots": st.integers(2, 17),
    "games": st.sampled_from([2, 4]),
    "further": st.integers(0, 2),
    "better": st.sampled_from([0.0, 0.2, 0.5]),
    "seed": st.integers(0, 10**6),
}


@settings(max_examples=60)
@given(**brackets, order=st.integers(0, 10**6), part=st.floats(0, 1))
def test_a_knockout_goes_the_same_way_in_any_order_and_after_any_interruption(
    bots, games, further, better, seed, order, part
):
    halves = halves_of(better, seed)
    bracket, records = played(bots, games, further, halves)
    assert bracket.champion is not None
    assert bracket.games == len(records) == len({record.number for record in records})
    assert bracket.next_game() is None

    places = Counter(bracket.places())
    assert (places[1], places[2]) == (1, 1)
    assert sum(places.values()) == bots
    byes = [duel.bots[0] for duel in bracket.rounds[0] if duel.decided_by == "bye"]
    assert sorted(byes) == list(range(len(byes)))
    assert len(byes) == 2 * len(bracket.rounds[0]) - bots
    decided = [duel for duels in bracket.rounds for duel in duels if duel.decided_by != "bye"]
    assert len(decided) == bots - 1
    for duel in decided:
        first, second = duel.result
        if duel.decided_by == "seed":
            assert (first, duel.winner, len(duel.points)) == (second, duel.bots[0], games + 2 * further)
        else:
            assert duel.winner == duel.bots[0 if first > second else 1]
            assert (duel.decided_by == "further pairs") == (len(duel.points) > games)
        assert duel.bots[0] < duel.bots[1]

    _, some = played(bots, games, further, halves, order=order, stop=int(part * len(records)))
    resumed, others = played(bots, games, further, halves, order=order + 1, records=some)
    assert resumed.champion == bracket.champion
    by_number = lambda found: sorted(found, key=lambda record: record.number)
    assert by_number(others) == by_number(records)


@given(bots=st.integers(2, 33))
def test_where_the_better_seed_always_wins_all_come_as_far_as_their_seeds(bots):
    bracket, _ = played(bots, 2, 0, lambda number, group: 2)
    places = bracket.places()
    assert places == sorted(places)
    assert places[:2] == [1, 2]


def test_a_bracket_of_six():
    """Seeds 0 and 1 have byes, and meet in the final at the earliest."""
    bracket = Bracket(6, games=2, further=1)
    first, second, final = bracket.rounds
    assert [duel.bots for duel in first] == [(0, None), (3, 4), (1, None), (2, 5)]
    assert [duel.bots for duel in second] == [(0, None), (1, None)]
    assert [duel.bots for duel in final] == [(None, None)]
    assert bracket.games == 10
    assert [bracket.next_game() for _ in range(5)] == [4, 5, 12, 13, None]


def test_a_tie_takes_further_pairs_until_one_decides():
    wanted = iter([2, 0, 1, 1, 0, 2, 2, 1])
    bracket, records = played(2, 2, 5, lambda number, group: next(wanted))
    (duel,) = bracket.rounds[0]
    assert (duel.winner, duel.decided_by, duel.result) == (0, "further pairs", (4.5, 3.5))
    assert [record.plan.opening for record in records] == [(n,) for n in (0, 0, 1, 1, 2, 2, 3, 3)]
    assert [record.plan.round for record in records] == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("further", [0, 3])
def test_a_tie_that_further_pairs_leave_goes_to_the_better_seed(further):
    bracket, records = played(4, 2, further, lambda number, group: 1)
    assert bracket.champion == 0
    assert bracket.places() == [1, 2, 3, 3]
    assert {duel.decided_by for duels in bracket.rounds for duel in duels} == {"seed"}
    assert len(records) == bracket.games == 3 * (2 + 2 * further)
