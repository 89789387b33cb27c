"""Late acceptance: lines that are changed, played as far as they are legal, and kept if good enough."""

import numpy as np
import pytest

import branchwise as bw
from support.puzzles import Fork, Lottery, Ring, Stairs, Sum, score_of, small_arrays

COSTS = np.random.default_rng(3).integers(1, 100, (12, 12))


class Errand(bw.Game):
    """Fetch eleven things, at most four at a time; place 0 is home."""

    num_players = 1
    num_actions = 12
    max_game_length = 24

    fetched: bw.Array[np.bool_, 12] = False
    here: np.int8 = 0
    held: np.int8 = 0
    left: np.int8 = 11

    def current_player(self):
        return 0

    def legal_actions(self):
        if self.here != 0:
            yield 0
        for place in range(1, 12):
            if not self.fetched[place] and self.held < 4:
                yield place

    def apply_action(self, action):
        cost = COSTS[self.here, action]
        self.here = action
        if action == 0:
            self.held = 0
        else:
            self.fetched[action] = True
            self.held += 1
            self.left -= 1
        return -float(cost)

    def is_terminal(self):
        return self.left == 0 and self.here == 0


def cheapest():
    """Return the least cost of all lines of `Errand`, by dynamic programming over sets of things."""
    trips = np.full(1 << 12, np.inf)  # from home and back, by the things that are fetched
    ways = {(1 << place, place): float(COSTS[0, place]) for place in range(1, 12)}
    for _ in range(4):
        longer = {}
        for (things, last), cost in ways.items():
            trips[things] = min(trips[things], cost + COSTS[last, 0])
            for place in range(1, 12):
                if not things >> place & 1:
                    key = things | 1 << place, place
                    longer[key] = min(longer.get(key, np.inf), cost + COSTS[last, place])
        ways = longer
    trip_list = [things for things in range(1 << 12) if trips[things] < np.inf]
    best = {0: 0.0}
    everything = (1 << 12) - 2
    for things in range(2, everything + 1, 2):
        lowest = things & -things
        best[things] = min(
            best[things ^ trip] + trips[trip] for trip in trip_list if trip & lowest and trip & ~things == 0
        )
    return best[everything]


def told(result):
    return result.best_line, result.moves, result.runs, [found[1:] for found in result.history]


@pytest.mark.bounds
@pytest.mark.parametrize("game", [Errand, Stairs, Sum, Fork, Ring, Lottery])
def test_compiled_and_plain_rules_give_the_same_lines(game, monkeypatch):
    small_arrays(monkeypatch, 2)
    found = [
        bw.LateAcceptance(history=3, seed=7, compiled=compiled).search(game(), playouts=400)
        for compiled in (None, False)
    ]
    assert told(found[0]) == told(found[1])
    assert found[0].best_score == pytest.approx(score_of(game(), found[0].best_line))
    assert found[0].moves >= len(found[0].best_line)


def test_all_errands_are_done_at_the_least_cost():
    for seed in range(3):
        result = bw.LateAcceptance(seed=seed).search(Errand(), playouts=60_000)
        assert -result.best_score == cheapest()
        assert result.runs > 1


def test_a_longer_history_finds_better_lines():
    """A run that looks back far takes long, and ends at shorter trips: the means of twelve runs each."""
    trip = bw.load_game("tsp(cities=30)")
    means = []
    for history in (1, 100):
        planners = (bw.LateAcceptance(history=history, seed=seed) for seed in range(12))
        means.append(np.mean([planner.search(trip(), runs=1).best_score for planner in planners]))
    assert means[1] > 0.97 * means[0] > means[0]


def test_a_line_that_is_there_already_is_the_first_that_is_changed():
    trip = bw.load_game("tsp(cities=60)")
    good = bw.NRPA(level=2, iterations=30, improve=True, seed=1).search(trip(), runs=1)
    short = bw.LateAcceptance(seed=1).search(trip(), playouts=2000)
    begun = bw.LateAcceptance(seed=1).search(trip(), playouts=2000, start=good.best_line)
    assert begun.best_score >= good.best_score > short.best_score


def test_threads_have_searches_of_their_own():
    one, two = (bw.LateAcceptance(seed=4, threads=3).search(Errand(), playouts=3000) for _ in range(2))
    assert (one.best_score, one.best_line, one.playouts) == (two.best_score, two.best_line, 3000)
    alone = bw.LateAcceptance(seed=4).search(Errand(), playouts=1000)
    assert one.best_score >= alone.best_score


def test_a_portfolio_has_it_where_no_class_improves_lines():
    result = bw.Portfolio(seed=1).search(Errand(), playouts=5000)
    assert "late_acceptance(history=10)" in result.arms
    assert -result.best_score == cheapest()
    assert not any("late" in arm for arm in bw.Portfolio(seed=1).search(Improved(), playouts=50).arms)


class Improved(Errand):
    def improve(self, line):
        return line
