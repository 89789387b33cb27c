"""The exact solver against published values, and against plain minimax."""

import functools
import operator
import random

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing.solver import Solver, UnsolvableError, exact_value, solve_actions


class Treasures(bw.Game):
    """Two players take coins from either end of a row; whoever takes an odd coin moves again.

    Returns are the difference of what was collected, so both the turn and the size matter.
    """

    num_players = 2
    num_actions = 2
    min_return = -100.0
    max_return = 100.0
    max_game_length = 8

    coins: bw.Array[np.int8, 8] = 0
    left: np.int8 = 0
    right: np.int8 = 8
    mover: np.int8 = 0
    lead: np.int16 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield 0
        if self.right - self.left > 1:
            yield 1

    def apply_action(self, action):
        if action == 0:
            coin = self.coins[self.left]
            self.left += 1
        else:
            self.right -= 1
            coin = self.coins[self.right]
        self.lead += coin if self.mover == 0 else -coin
        if coin % 2 == 0:
            self.mover = 1 - self.mover

    def is_terminal(self):
        return self.left == self.right

    def returns(self):
        return (self.lead, -self.lead)


class PassingNim(bw.Game):
    """Nim of one heap in which each player may pass once: whoever takes the last chip wins."""

    num_players = 2
    num_actions = 4
    max_game_length = 40

    chips: np.int8 = 8
    mover: np.int8 = 0
    passes: bw.Array[np.int8, 2] = 1

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield from range(min(3, self.chips))
        if self.passes[self.mover]:
            yield 3

    def apply_action(self, action):
        if action == 3:
            self.passes[self.mover] = 0
        else:
            self.chips -= action + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)


class DoubleMoveNim(bw.Game):
    """Nim with moves in the order 0 1 1 0 0 1 1 ...: the mover repeats; the last chip wins."""

    num_players = 2
    num_actions = 2
    max_game_length = 20

    chips: np.int8 = 9
    turn: np.int8 = 0

    def current_player(self):
        return (self.turn + 1) // 2 % 2

    def legal_actions(self):
        yield from range(min(2, self.chips))

    def apply_action(self, action):
        self.chips -= action + 1
        if self.chips > 0:
            self.turn += 1

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (1.0, -1.0) if self.current_player() == 0 else (-1.0, 1.0)


class ThreePlayers(Nim):
    num_players = 3


class BothWin(Nim):
    def returns(self):
        return (1.0, 1.0)


class BeyondBounds(Nim):
    utility = "general_sum"
    max_return = 0.5


class Endless(bw.Game):
    num_players = 2
    num_actions = 1
    turn: np.int64 = 0

    def current_player(self):
        return self.turn % 2

    def legal_actions(self):
        yield 0

    def apply_action(self, action):
        self.turn += 1

    def is_terminal(self):
        return False

    def returns(self):
        return (0.0, 0.0)


class ChanceFirst(Nim):
    def current_player(self):
        return bw.CHANCE


def minimax(state):
    """Return both players' returns under perfect play, by exhaustive search."""
    if state.is_terminal():
        return tuple(state.returns())
    outcomes = []
    for action in state.legal_actions():
        after = state.copy()
        after.apply_action(action)
        outcomes.append(minimax(after))
    return max(outcomes, key=operator.itemgetter(state.current_player()))


def assert_solved_as_by_minimax(state):
    player = state.current_player()
    values = {}
    for action in state.legal_actions():
        after = state.copy()
        after.apply_action(action)
        values[action] = minimax(after)[player]
    assert solve_actions(state) == values
    assert exact_value(state) == max(values.values())


def test_tic_tac_toe_is_a_draw_whatever_the_first_move():
    assert exact_value(TicTacToe()) == 0
    assert solve_actions(TicTacToe()) == dict.fromkeys(range(9), 0)


def test_every_answer_to_an_edge_opening_of_tic_tac_toe_is_valued_as_by_minimax():
    assert_solved_as_by_minimax(TicTacToe.from_actions([1]))


@pytest.mark.parametrize("chips", range(1, 22))
def test_one_heap_is_lost_exactly_at_multiples_of_four(chips):
    assert exact_value(Nim(chips=chips)) == (-1 if chips % 4 == 0 else 1)


@pytest.mark.parametrize("heaps", [(1, 2, 3), (3, 4, 5), (1, 1), (2, 4, 6), (2, 3), (1, 3, 5, 7)])
def test_several_heaps_are_lost_exactly_when_their_exclusive_or_is_zero(heaps):
    game = Nim.configured(heaps=heaps, max_take=0)
    assert exact_value(game()) == (-1 if functools.reduce(operator.xor, heaps) == 0 else 1)


@pytest.mark.parametrize("heaps", [(1, 2, 3), (1, 1), (1, 1, 1), (2, 2), (1, 2)])
def test_misere_nim_differs_only_for_heaps_of_one(heaps):
    game = Nim.configured(heaps=heaps, max_take=0, misere=True)
    lost = functools.reduce(operator.xor, heaps) == 0
    if max(heaps) == 1:
        lost = not lost
    assert exact_value(game()) == (-1 if lost else 1)


def test_connect_four_on_a_4x4_board_is_a_draw():
    # Found by plain minimax over all its 161,029 positions, which is too slow to repeat here.
    assert exact_value(ConnectFour.configured(rows=4, columns=4)()) == 0


def test_small_connect_four_positions_are_valued_as_by_minimax():
    game = ConnectFour.configured(rows=3, columns=4, in_a_row=3)
    choice = random.Random(1)
    for _ in range(20):
        state = game()
        for _ in range(5):
            if not state.is_terminal():
                state.apply_action(choice.choice(state.legal_actions()))
        if not state.is_terminal():
            assert_solved_as_by_minimax(state)


@pytest.mark.parametrize("seed", range(30))
def test_value_is_the_movers_after_extra_turns(seed):
    coins = np.random.default_rng(seed).integers(1, 12, 8)
    assert_solved_as_by_minimax(Treasures(coins=coins, mover=seed % 2))


@pytest.mark.parametrize("chips", range(1, 9))
@pytest.mark.parametrize("mover", [0, 1])
def test_value_is_the_movers_after_a_pass(chips, mover):
    assert_solved_as_by_minimax(PassingNim(chips=chips, mover=mover))


@pytest.mark.parametrize("chips", range(1, 10))
@pytest.mark.parametrize("turn", range(4))
def test_value_is_the_movers_in_an_uneven_order_of_turns(chips, turn):
    assert_solved_as_by_minimax(DoubleMoveNim(chips=chips, turn=turn))


def test_openspiels_states_are_solved_too():
    pyspiel = pytest.importorskip("pyspiel")
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for action in (4, 1):  # the answer on an edge loses
        state.apply_action(action)
    assert exact_value(state) == 1
    state.apply_action(0)
    assert solve_actions(state) == dict.fromkeys((2, 3, 5, 6, 7, 8), -1)


def test_the_state_is_left_as_it_was_and_may_be_played_on():
    solver = Solver()
    state = Nim(chips=5)
    assert solver.solve(state) == 1
    assert state == Nim(chips=5)
    state.apply_action(0)
    assert solver.solve(state) == -1
    state.apply_action(0)
    assert [solver.solve(state), solver.solve(Nim(chips=5)), solver.solve(Nim(chips=4))] == [1, 1, -1]


def test_a_solver_remembers_what_it_has_seen():
    solver = Solver()
    solver.solve(TicTacToe())
    searched = solver.positions
    solver.solve(TicTacToe())
    assert solver.positions == searched
    assert 0 < solver.remembered <= searched


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (ThreePlayers(), "is for 3"),
        (BothWin(chips=3), "not those of a zero-sum game"),
        (BeyondBounds(chips=3), "outside the bounds"),
        (Nim(chips=0), "is over"),
        (Endless(), "no end"),
        (ChanceFirst(), "chance is to move"),
    ],
)
@pytest.mark.parametrize("ask", [exact_value, solve_actions])
def test_what_cannot_be_solved_is_refused_with_the_reason(state, told, ask):
    with pytest.raises(UnsolvableError, match=told):
        ask(state)


def test_an_object_without_the_methods_is_refused():
    with pytest.raises(bw.GameError, match="no method current_player"):
        exact_value(object())
