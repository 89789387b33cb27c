"""Perft against published counts."""

import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing.perft import divide, perft

# Sloane's OEIS and chessprogramming.org's perft pages; shared in the project's list of references.
TIC_TAC_TOE = (9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)
CONNECT_FOUR = (7, 49, 343, 2401, 16807, 117649, 823536)


class Plain:
    """One heap of chips with OpenSpiel's methods alone: neither equality by content nor `copy`."""

    def __init__(self, chips=4):
        self.chips = chips
        self.mover = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        return list(range(1, min(self.chips, 3) + 1))

    def apply_action(self, action):
        self.chips -= action
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return [1.0, -1.0] if self.mover else [-1.0, 1.0]

    def clone(self):
        twin = Plain(self.chips)
        twin.mover = self.mover
        return twin


class SameNames(Nim):
    """Nim whose moves are all written alike."""

    def action_to_string(self, action):
        return "take"


@pytest.mark.parametrize(("depth", "count"), [*enumerate(TIC_TAC_TOE, start=1)])
def test_perft_tic_tac_toe_matches_published_count(depth, count):
    assert perft(TicTacToe(), depth) == count


@pytest.mark.parametrize(("depth", "count"), [*enumerate(CONNECT_FOUR, start=1)])
def test_perft_connect_four_matches_published_count(depth, count):
    assert perft(ConnectFour(), depth) == count


def test_published_counts_add_up_to_all_255168_tic_tac_toe_games():
    counts = dict(enumerate(TIC_TAC_TOE, start=1))
    live = {depth: counts[depth + 1] // (9 - depth) for depth in range(5, 9)}  # with 9 - depth moves each
    assert sum(counts[depth] - live.get(depth, 0) for depth in range(5, 10)) == 255_168


def test_no_move_is_one_sequence_even_from_a_finished_game():
    over = Nim(chips=0)
    assert over.is_terminal()
    assert (perft(Nim(), 0), perft(over, 0)) == (1, 1)


def test_a_finished_game_counts_for_nothing():
    over = ConnectFour.from_actions(list("dededed"))
    assert over.legal_actions()  # the rules still list columns; perft must not ask
    assert (perft(over, 1), perft(over, 3)) == (0, 0)
    assert divide(over, 2) == {}


def test_divide_sums_to_perft_by_the_names_of_first_moves():
    counts = divide(ConnectFour(), 5)
    assert list(counts) == [f"{column}1" for column in "abcdefg"]
    assert sum(counts.values()) == perft(ConnectFour(), 5)


def test_divide_keeps_moves_of_the_same_name_apart():
    assert divide(SameNames(chips=5), 2) == {"take": 3, "take (1)": 3, "take (2)": 2}


def test_any_state_with_openspiels_methods_is_counted():
    state = Plain()
    assert [perft(state, depth) for depth in range(6)] == [1, 3, 6, 4, 1, 0]
    assert divide(state, 2) == {"1": 3, "2": 2, "3": 1}
    assert state.chips == 4


def test_openspiels_own_states_give_the_published_counts():
    pyspiel = pytest.importorskip("pyspiel")
    assert perft(pyspiel.load_game("tic_tac_toe").new_initial_state(), 5) == TIC_TAC_TOE[4]
    assert perft(pyspiel.load_game("connect_four").new_initial_state(), 4) == CONNECT_FOUR[3]


def test_the_state_is_left_as_it_was():
    state = TicTacToe()
    before = state.copy()
    perft(state, 3)
    divide(state, 3)
    assert state == before


@pytest.mark.parametrize(("count", "depth"), [(perft, -1), (divide, 0)])
def test_a_depth_that_makes_no_sense_is_refused(count, depth):
    with pytest.raises(bw.SettingsError, match=f"depth {depth}"):
        count(Nim(), depth)


@pytest.mark.parametrize("count", [perft, divide])
def test_a_class_is_no_state_to_count_from(count):
    with pytest.raises(bw.GameError, match=r"Nim is a class, not a state\n.* give a state: Nim\(\)"):
        count(Nim, 2)
    with pytest.raises(bw.GameError, match=r"a list .* has no method current_player"):
        count([], 2)


def test_another_rule_gives_another_count():
    counts = [perft(ConnectFour.configured(in_a_row=3)(), depth) for depth in (5, 6)]
    assert counts[0] == CONNECT_FOUR[4]  # the first line of three is complete with move 5
    assert counts[1] < CONNECT_FOUR[5]
