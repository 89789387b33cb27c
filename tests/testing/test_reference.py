"""The reference planner: how it plays, and whose values it keeps."""

import math

import numpy as np
import pytest

import branchwise as bw
from branchwise.core.numbers import random_streams as compiled
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing.reference import ORDER_STREAM, PLAYOUT_STREAM, ReferencePlanner, Streams
from branchwise.testing.solver import exact_value, solve_actions


class PassOrTake(bw.Game):
    """Player 0 passes or takes the prize; after a pass player 0 is asked once more, then player 1."""

    num_players = 2
    num_actions = 2
    max_game_length = 3

    asked: np.int8 = 0
    taker: np.int8 = -1

    def current_player(self):
        return 0 if self.asked < 2 else 1

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        if action == 1:
            self.taker = self.current_player()
        self.asked += 1

    def is_terminal(self):
        return self.taker >= 0 or self.asked == 3

    def returns(self):
        if self.taker < 0:
            return (0.0, 0.0)
        return (1.0, -1.0) if self.taker == 0 else (-1.0, 1.0)


class ThreeHeaps(bw.Game):
    """Three players in turn take one or two chips; the last taker gets 6, the next one 3, the third 0."""

    num_players = 3
    num_actions = 2
    min_return = 0.0
    max_return = 6.0
    max_game_length = 20

    chips: np.int8 = 7
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield from range(min(2, self.chips))

    def apply_action(self, action):
        self.chips -= action + 1
        self.mover = (self.mover + 1) % 3

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        last = (self.mover + 2) % 3
        if last == 0:
            return (6.0, 3.0, 0.0)
        return (0.0, 6.0, 3.0) if last == 1 else (3.0, 0.0, 6.0)


class Heap:
    """Nim with OpenSpiel's methods alone."""

    def __init__(self, chips, mover=0):
        self.chips, self.mover = chips, mover

    def current_player(self):
        return self.mover

    def legal_actions(self):
        return [take - 1 for take in (1, 2, 3) if take <= self.chips]

    def apply_action(self, action):
        self.chips -= action + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return [-1.0, 1.0] if self.mover == 0 else [1.0, -1.0]

    def clone(self):
        return Heap(self.chips, self.mover)


def shape(node):
    return [(n.action, n.visits, n.value, n.player, len(n.children)) for n in node.walk()]


@pytest.mark.parametrize("seed", [0, 1, -1, 12345, 2**70])
def test_random_numbers_are_those_of_the_compiled_search(seed):
    streams, counters = Streams(seed), compiled.new_streams(seed)
    assert [ORDER_STREAM, PLAYOUT_STREAM] == [compiled.ORDER_STREAM, compiled.PLAYOUT_STREAM]
    for stream in (ORDER_STREAM, PLAYOUT_STREAM):
        start = counters.copy()
        draws = compiled.next_draws(counters, stream, 100)
        assert [streams.below(bound, stream) for bound in range(1, 101)] == [
            draw * bound >> 32 for bound, draw in enumerate(draws, start=1)
        ]
        compiled.give_back_draws(counters, stream, 100)
        assert (counters == start).all()


@pytest.mark.parametrize("chips", [c for c in range(1, 14) if c % 4])
def test_nim_is_won_by_leaving_a_multiple_of_four(chips):
    root = ReferencePlanner(seed=chips).search(Nim(chips=chips), 2000)
    assert (chips - root.best_child().action - 1) % 4 == 0


@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize("chips", [3, 4, 5, 6, 7])
def test_value_is_of_the_player_who_chose_the_action(chips, mover):
    state = Nim(chips=chips, mover=mover)
    root = ReferencePlanner(seed=3).search(state, 6000)
    exact = solve_actions(state)
    assert root.player == mover
    assert exact[root.best_child().action] == exact_value(state)
    for child in root.children:
        if child.visits > 1000:
            assert math.copysign(1, child.mean) == exact[child.action]


@pytest.mark.parametrize("mover", [0, 1])
def test_value_is_of_the_player_who_moved_after_one_two_and_three_moves(mover):
    root = ReferencePlanner(seed=3).search(Nim(chips=6, mover=mover), 6000)
    for node in root.walk():
        for child in node.children:
            if child.visits > 200 and not child.children:  # the game ends here, won by the player who moved
                assert child.mean == 1


def test_value_is_the_movers_even_after_a_pass():
    root = ReferencePlanner(seed=0).search(PassOrTake(), 300)
    taking = next(child for child in root.children if child.action == 1)
    passing = next(child for child in root.children if child.action == 0)
    assert taking.mean == 1
    assert passing.player == 0  # the extra turn
    taking_later = next(child for child in passing.children if child.action == 1)
    assert taking_later.mean == 1
    passing_again = next(child for child in passing.children if child.action == 0)
    assert passing_again.player == 1
    assert passing_again.mean < 0  # still player 0's, who gives the prize away
    assert next(child for child in passing_again.children if child.action == 1).mean == 1  # player 1's


@pytest.mark.parametrize("mover", [0, 1, 2])
@pytest.mark.parametrize(("chips", "best", "value"), [(2, 1, 6), (4, 0, 3), (5, 0, 6), (6, 1, 6)])
def test_three_players_each_look_after_themselves(chips, best, value, mover):
    # By backward induction the mover gets 6 from 1 or 2 chips, 0 from 3, 3 from 4, 6 from 5 and 6.
    root = ReferencePlanner(seed=5).search(ThreeHeaps(chips=chips, mover=mover), 2000)
    assert root.player == mover
    assert root.best_child().action == best
    assert root.best_child().mean == pytest.approx(value, abs=0.5)
    assert {node.player for child in root.children for node in child.children} <= {(mover + 2) % 3, -1}


def test_simulations_are_counted_at_every_node():
    root = ReferencePlanner(seed=2).search(ConnectFour(), 500)
    assert root.visits == 500
    assert sum(child.visits for child in root.children) == 500
    for node in root.walk():
        if node.children and node is not root:
            assert sum(child.visits for child in node.children) == node.visits - 1


def test_a_node_has_children_once_it_was_visited_twice():
    root = ReferencePlanner(seed=2).search(TicTacToe(), 400)
    for node in root.walk():
        if node is not root:
            assert node.visits > 1 or not node.children


def test_same_seed_same_tree_and_another_seed_another_tree():
    planner = ReferencePlanner(seed=9)
    first = shape(planner.search(ConnectFour(), 300))
    assert shape(planner.search(ConnectFour(), 300)) == first
    assert shape(ReferencePlanner(seed=10).search(ConnectFour(), 300)) != first


def test_any_state_with_openspiels_methods_gives_the_same_tree():
    planner = ReferencePlanner(seed=4)
    state = Heap(9)
    assert shape(planner.search(state, 400)) == shape(planner.search(Nim(chips=9), 400))
    assert state.chips == 9


def test_openspiels_own_states_are_searched():
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("connect_four").new_initial_state()
    planner = ReferencePlanner(seed=4)
    assert shape(planner.search(theirs, 200)) == shape(planner.search(ConnectFour(), 200))


def test_the_best_reply_in_tic_tac_toe_is_found():
    # X in a corner: only the centre holds the draw.
    root = ReferencePlanner(seed=1).search(TicTacToe.from_actions([0]), 5000)
    assert root.best_child().action == 4


@pytest.mark.parametrize("simulations", [0, -1, 2.5])
def test_a_budget_that_makes_no_sense_is_refused(simulations):
    with pytest.raises(bw.SettingsError, match="simulations"):
        ReferencePlanner().search(Nim(), simulations)


def test_a_finished_game_is_refused():
    with pytest.raises(bw.GameError, match="game is over"):
        ReferencePlanner().search(Nim(chips=0), 10)
