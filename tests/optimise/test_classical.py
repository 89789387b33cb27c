"""Breadth-first, depth-first and A*, against exact lengths of the 8-puzzle and other exact values."""

import random
from functools import cache

import numpy as np
import pytest

import branchwise as bw
from branchwise.optimise.classical import a_star, breadth_first, check_heuristic, depth_first
from branchwise.problems.sliding_puzzle import SlidingPuzzle
from branchwise.testing import expectimax, value_iteration
from support.paying import Corridor
from support.simulators import Drift

STATES_BY_LENGTH = [
    *(1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993),
    *(17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2),
]
"""Number of 8-puzzles by the length of their shortest solutions, 0 to 31: sequence A089473 of the OEIS."""


class Steps(bw.Game):
    """Six steps up or down a staircase of twelve; each stair pays or costs what is written on it."""

    num_players = 1
    num_actions = 2
    paid = (0.0, -1.0, 3.0, -2.0, 0.5, -4.0, 0.0, -1.0, -1.0, 6.0, -3.0, 2.0)

    place: np.int8 = 5
    steps: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        if self.place > 0:
            yield 0
        if self.place < 11:
            yield 1

    def apply_action(self, action):
        self.place += 2 * action - 1
        self.steps += 1
        return self.paid[self.place]

    def is_terminal(self):
        return self.steps == 6


class Costly(bw.Game):
    """A long way to the goal is cheap, and a short one is dear."""

    num_players = 1
    num_actions = 2
    max_game_length = 20

    place: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.place += 1 if action == 0 else 3
        return -1.0 if action == 0 else -5.0

    def is_terminal(self):
        return self.place >= 6


class Bold(SlidingPuzzle):
    """Its heuristic overestimates."""

    def heuristic(self):
        return 2 * super().heuristic()


class Negative(SlidingPuzzle):
    def heuristic(self):
        return -1


class Plain(SlidingPuzzle):
    """The puzzle without a heuristic."""

    heuristic = None


class Nim(bw.Game):
    """One player takes 1 or 2 of 5 chips, and wins who takes the last with a 2."""

    num_players = 1
    num_actions = 2

    chips: np.int8 = 5
    won: bool = False

    def current_player(self):
        return 0

    def legal_actions(self):
        for action in range(min(2, self.chips)):
            yield action

    def apply_action(self, action):
        self.chips -= action + 1
        self.won = action == 1

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (1.0,) if self.won else (-1.0,)


@cache
def lengths():
    """Return the length of the shortest solution of each 8-puzzle, counted backwards from the end."""
    end = (1, 2, 3, 4, 5, 6, 7, 8, 0)
    found, last = {end: 0}, [end]
    neighbours = [
        [p for p in (g - 3, g + 3, g - 1, g + 1) if 0 <= p < 9 and (p // 3 == g // 3 or p % 3 == g % 3)]
        for g in range(9)
    ]
    while last:
        following = []
        for board in last:
            gap = board.index(0)
            for place in neighbours[gap]:
                after = list(board)
                after[gap], after[place] = board[place], 0
                key = tuple(after)
                if key not in found:
                    found[key] = found[board] + 1
                    following.append(key)
        last = following
    return found


def played(state, line):
    """Return the sum of the rewards of a line to an end."""
    state, total = state.copy(), 0.0
    for action in line:
        total += state.apply_action(action) or 0.0
    assert state.is_terminal()
    return total


# --- the sliding puzzle -----------------------------------------------------------------------------------


def test_there_are_as_many_8_puzzles_of_each_length_as_published():
    assert np.bincount(list(lengths().values())).tolist() == STATES_BY_LENGTH
    assert sum(STATES_BY_LENGTH) == 181_440


@pytest.mark.parametrize("puzzles", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_a_star_finds_shortest_solutions(puzzles):
    boards = sorted(lengths())
    for board in random.Random(puzzles).sample(boards, puzzles):
        state = SlidingPuzzle.from_board(board)
        assert state.heuristic() <= lengths()[board]
        result = a_star(state)
        assert (result.ended_by, result.is_optimal) == ("solved", True)
        assert -result.best_score == len(result.best_line) == lengths()[board]
        assert played(state, result.best_line) == result.best_score


def test_the_hardest_8_puzzles_take_31_moves():
    hardest = [board for board, length in lengths().items() if length == 31]
    assert [a_star(SlidingPuzzle.from_board(board)).best_score for board in hardest] == [-31.0, -31.0]


def test_all_searches_find_the_shortest_line_and_a_star_expands_least():
    board = next(board for board, length in lengths().items() if length == 12)
    state = SlidingPuzzle.from_board(board)
    results = [a_star(state), a_star(Plain(board=state.board, gap=state.gap)), breadth_first(state)]
    assert [len(result.best_line) for result in results] == [12, 12, 12]
    assert all(result.is_optimal for result in results)
    assert results[0].expanded < results[1].expanded / 5
    assert depth_first(state, max_depth=12).best_score == -12.0


@pytest.mark.slow
def test_the_rules_reach_all_8_puzzles_and_solve_each():
    start = SlidingPuzzle.from_board([1, 2, 3, 4, 5, 6, 7, 0, 8])
    assert check_heuristic(start, max_states=200_000) == 181_440


def test_starts_can_be_solved_and_are_evenly_spread():
    world = bw.Random(1)
    starts = [tuple(SlidingPuzzle.new_initial_state(world).board.ravel().tolist()) for _ in range(2000)]
    assert all(board in lengths() for board in starts)
    found = np.array([lengths()[board] for board in starts])
    assert found.mean() == pytest.approx(np.average(range(32), weights=STATES_BY_LENGTH), abs=0.3)
    for rows, columns in ((2, 2), (2, 3), (4, 4)):
        game = SlidingPuzzle.configured(rows=rows, columns=columns)
        state = game.new_initial_state(world)
        assert game.from_board(state.board.ravel()) == state
        if rows < 3:
            assert a_star(state).is_optimal


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ([2, 1, 3, 4, 5, 6, 7, 8, 0], "cannot be solved"),
        ([1, 2, 3], "is no board"),
        ([1, 1, 3, 4, 5, 6, 7, 8, 0], "is no board"),
    ],
)
def test_impossible_boards_are_refused(board, said):
    with pytest.raises(bw.ActionError, match=said):
        SlidingPuzzle.from_board(board)
    with pytest.raises(bw.GameError, match="not from 2 to 10"):
        SlidingPuzzle.configured(rows=1)


# --- other problems ---------------------------------------------------------------------------------------


def test_the_cliff_is_walked_around_and_the_lake_crossed():
    cliff = bw.load_game("cliff_walking")()
    results = [a_star(cliff), breadth_first(cliff)]
    assert [(result.best_score, len(result.best_line)) for result in results] == [(-13.0, 13)] * 2
    assert not results[1].is_optimal  # a fall costs more, so that it cannot know
    lake = bw.load_game("frozen_lake(is_slippery=False)")()
    found = breadth_first(lake)
    assert (found.best_score, len(found.best_line), found.is_optimal) == (1.0, 6, False)
    assert depth_first(lake).best_score == 1.0


def test_the_cheapest_line_may_be_longer_than_the_shortest():
    assert breadth_first(Costly()).best_score == -10.0
    assert a_star(Costly()).best_score == depth_first(Costly()).best_score == -6.0
    assert value_iteration(Costly()).value(Costly()) == pytest.approx(-6.0)


def test_depth_first_search_to_the_end_is_exact():
    for place in range(12):
        result = depth_first(Steps(place=place))
        assert (result.ended_by, result.is_optimal) == ("complete", True)
        assert result.best_score == pytest.approx(expectimax(Steps(place=place)))
        assert played(Steps(place=place), result.best_line) == result.best_score
        scores = [score for _, _, score, _ in result.history]
        assert scores == sorted(set(scores))
        assert scores[-1] == result.best_score


def test_returns_at_the_end_count_too():
    result = depth_first(Nim())
    assert (result.best_score, result.is_optimal) == (1.0, True)
    assert breadth_first(Nim()).best_score == 1.0


def test_a_heuristic_that_overestimates_is_found():
    near = SlidingPuzzle.from_board([1, 2, 3, 4, 5, 6, 0, 7, 8])
    assert check_heuristic(near, max_states=2000) > 100
    with pytest.raises(bw.GameError, match=r"heuristic gave \d+, but the remaining cost is at most \d+"):
        check_heuristic(Bold(board=near.board, gap=near.gap), max_states=2000)
    with pytest.raises(bw.GameError, match="heuristic gave -1"):
        a_star(Negative(board=near.board, gap=near.gap))


# --- limits and bad input ---------------------------------------------------------------------------------


def test_limits_end_a_search_without_a_line():
    hard = SlidingPuzzle.from_board([8, 6, 7, 2, 5, 4, 3, 0, 1])
    for search in (a_star, breadth_first, depth_first):
        result = search(hard, max_states=50)
        assert (result.ended_by, result.best_score, result.best_line) == ("states", None, ())
        assert (result.states, result.is_optimal) == (51, False)
        assert search(hard, seconds=0.01).ended_by == "seconds"
        assert "no line found" in str(result)


@pytest.mark.parametrize(
    ("search", "state", "said"),
    [
        (a_star, Steps(), "rewards of 0 or less"),
        (a_star, Nim(), "pays at its end alone"),
        (breadth_first, Corridor(), "has a discount"),
        (depth_first, Drift(), "chance moves in drift"),
        (a_star, bw.load_game("sailing")(), "chance moves in sailing"),
        (breadth_first, bw.load_game("taxi")(), "chance is to move"),
        (breadth_first, bw.load_game("nim")(), "for 2 players"),
        (depth_first, Nim(chips=0), "over"),
    ],
)
def test_problems_of_another_kind_are_refused(search, state, said):
    with pytest.raises(bw.GameError, match=said):
        search(state)


def test_a_budget_has_to_be_one():
    with pytest.raises(bw.SettingsError):
        a_star(SlidingPuzzle(), seconds=0.0)
    with pytest.raises(bw.SettingsError):
        breadth_first(SlidingPuzzle(), max_states=0)
