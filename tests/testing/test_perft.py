"""Perft against published counts."""

import os
import signal
import threading

import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing.perft import divide, perft

# Sloane's OEIS and chessprogramming.org's perft pages; shared in the project's list of references.
TIC_TAC_TOE = (9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)
CONNECT_FOUR = (7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572, 268031646)
BOTH_FORMS = pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])


class Plain:
    """One heap of chips with OpenSpiel's methods alone: no equality by content, no `copy`."""

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
    """Nim whose moves all have the same name."""

    def action_to_string(self, action):
        return "take"


@BOTH_FORMS
@pytest.mark.parametrize(("depth", "count"), [*enumerate(TIC_TAC_TOE, start=1)])
def test_perft_tic_tac_toe_matches_published_count(depth, count, compiled):
    assert perft(TicTacToe(), depth, compiled=compiled) == count


@BOTH_FORMS
@pytest.mark.parametrize(("depth", "count"), [*enumerate(CONNECT_FOUR[:7], start=1)])
def test_perft_connect_four_matches_published_count(depth, count, compiled):
    assert perft(ConnectFour(), depth, compiled=compiled) == count


@pytest.mark.parametrize("depth", [8, 9])
def test_perft_connect_four_compiled_matches_published_count(depth):
    assert perft(ConnectFour(), depth) == CONNECT_FOUR[depth - 1]


@pytest.mark.slow
def test_perft_connect_four_depth_10_matches_published_count():
    assert perft(ConnectFour(), 10) == CONNECT_FOUR[9]


def test_published_counts_add_up_to_all_255168_tic_tac_toe_games():
    counts = dict(enumerate(TIC_TAC_TOE, start=1))
    live = {depth: counts[depth + 1] // (9 - depth) for depth in range(5, 9)}  # with 9 - depth moves each
    assert sum(counts[depth] - live.get(depth, 0) for depth in range(5, 10)) == 255_168


@BOTH_FORMS
def test_no_move_is_one_sequence_even_from_a_finished_game(compiled):
    over = Nim(chips=0)
    assert over.is_terminal()
    assert (perft(Nim(), 0, compiled=compiled), perft(over, 0, compiled=compiled)) == (1, 1)


@BOTH_FORMS
def test_a_finished_game_counts_for_nothing(compiled):
    over = ConnectFour.from_actions(list("dededed"))
    assert over.legal_actions()  # the rules still list columns; perft must not ask
    assert (perft(over, 1, compiled=compiled), perft(over, 3, compiled=compiled)) == (0, 0)
    assert divide(over, 2, compiled=compiled) == {}


@pytest.mark.bounds
@BOTH_FORMS
def test_divide_sums_to_perft_by_the_names_of_first_moves(compiled):
    counts = divide(ConnectFour(), 5, compiled=compiled)
    assert list(counts) == [f"{column}1" for column in "abcdefg"]
    assert sum(counts.values()) == perft(ConnectFour(), 5, compiled=compiled) == CONNECT_FOUR[4]


def test_every_depth_of_a_game_is_counted_beyond_its_end_too():
    counts = [[perft(Nim(chips=6), depth, compiled=form) for depth in range(9)] for form in (False, True)]
    assert counts[0] == counts[1] == [perft(Plain(6), depth) for depth in range(9)]
    assert counts[1][-3:] == [1, 0, 0]


def test_a_compiled_count_from_a_later_state_is_that_of_plain_python():
    state = ConnectFour.from_actions(list("ddddddcec"))
    assert perft(state, 6, compiled=True) == perft(state, 6, compiled=False)


def test_a_large_count_is_made_in_slices(monkeypatch):
    from branchwise.compile.queries import perft as counting
    from branchwise.compile.stopping import time_slices

    calls = []
    whole = counting.call
    monkeypatch.setattr(counting, "call", lambda *args: calls.append(args[-1]) or whole(*args))
    monkeypatch.setattr(time_slices, "_FIRST", 10)
    monkeypatch.setattr(time_slices, "_SECONDS", 0.0)  # so that slices do not grow
    assert perft(ConnectFour(), 5, compiled=True) == CONNECT_FOUR[4]
    assert len(calls) > 200
    assert max(calls) <= 10


def test_an_interrupt_ends_a_count_without_end():
    assert perft(ConnectFour(), 1, compiled=True) == 7  # compile now, not while counting
    interrupt = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        perft(ConnectFour(), 30, compiled=True)
    interrupt.join()


def test_a_state_whose_rules_do_not_compile_is_not_counted_compiled():
    with pytest.raises(bw.SettingsError, match="a Plain cannot be counted compiled"):
        perft(Plain(), 2, compiled=True)


class Faulty(Nim):
    """Nim whose rules fail where 14 chips are left, or let the game go on for too long."""

    def legal_actions(self):
        for action in range(self.max_take):
            yield action

    def apply_action(self, action):
        self.chips[15 - self.chips[0] if self.chips[0] < 16 else 0] -= action + 1
        if self.chips[0] == 19:
            self.chips[0] = 20
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips[0] == 1


@pytest.mark.parametrize(
    ("chips", "depth", "problem", "after"),
    [
        (16, 3, "the rules of faulty raised IndexError", "the actions 1 0 "),
        (20, 30, "the rules of faulty let a game go on for more than 21 moves", "the actions 0 0 0 "),
    ],
)
def test_a_fault_that_counting_meets_is_reported_with_its_moves(chips, depth, problem, after):
    with pytest.raises(bw.GameError) as caught:
        perft(Faulty(chips=chips), depth, compiled=True)
    assert caught.value.problem.startswith(problem)
    assert caught.value.after.startswith(after)
    assert "compiled=False" in caught.value.mend


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


def test_joint_moves_and_outcomes_of_chance_count_as_moves(capfd):
    game = bw.load_game("goofspiel(num_cards=3)")
    assert [perft(game(), depth) for depth in range(4)] == [1, 3, 3 * 9, 3 * 9 * 2]
    assert divide(bw.load_game("rock_paper_scissors")(), 1)["paper,rock"] == 1
    assert "compil" not in capfd.readouterr().err
    with pytest.raises(bw.SettingsError, match="joint moves are counted in plain Python"):
        perft(game(), 2, compiled=True)
