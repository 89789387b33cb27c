"""The checker of symmetries: one clear error for each fault, with the position and the action."""

import time

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import GameError
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.rules.checking.checker import check_game
from branchwise.rules.checking.symmetry_contract import check_symmetries


class Strip(bw.Game):
    """Mark cells of a row; a mark beside the last one, of the other player, ends the game and wins."""

    num_players = 2
    num_actions = 5
    max_game_length = 5
    symmetries = 2

    board: bw.Array[np.int8, 5] = 0
    last: np.int8 = -1
    played: np.int8 = 0
    won: bool = False

    def current_player(self):
        return self.played % 2

    def legal_actions(self):
        for cell in range(5):
            if self.board[cell] == 0:
                yield cell

    def apply_action(self, action):
        self.won = self.last >= 0 and abs(self.last - action) == 1 and self.played > 1
        self.board[action] = self.played % 2 + 1
        self.last = action
        self.played += 1

    def is_terminal(self):
        return self.won or self.played == 5

    def returns(self):
        if not self.won:
            return (0.0, 0.0)
        return (-1.0, 1.0) if self.played % 2 == 0 else (1.0, -1.0)

    def symmetry(self, k):
        if k:
            before = self.board.copy()
            for cell in range(5):
                self.board[4 - cell] = before[cell]
            if self.last >= 0:
                self.last = 4 - self.last

    def symmetry_action(self, k, action):
        return 4 - action if k else action


def checked(game, compiled=False):
    return check_symmetries(game, None, 0, time.perf_counter() + 2.0, compiled=compiled)


def fault_of(game, compiled=False):
    with pytest.raises(GameError) as raised:
        checked(game, compiled)
    return raised.value


def test_symmetries_without_fault_are_counted_in_the_report():
    report = check_game(Strip, games=300, seconds=4.0)
    assert report.symmetries == 2
    assert report.turned > 50
    assert f"  symmetries: 2, in {report.turned:,} positions" in str(report)
    assert check_game(Strip, games=30, compiled=False).turned > 0


def test_an_action_that_is_not_legal_after_the_symmetry():
    class Faulty(Strip):
        def symmetry_action(self, k, action):
            return action

    error = fault_of(Faulty)
    assert "Faulty.symmetry_action makes" in error.problem
    assert "not legal after symmetry(1)" in error.problem
    assert "let symmetry turn every field" in error.mend
    assert error.after is not None
    assert error.replay is not None


def test_two_actions_that_become_one():
    class Faulty(Strip):
        def symmetry_action(self, k, action):
            return 2 if k else action

    assert "makes 2 of both 0 and 1 for symmetry 1" in fault_of(Faulty).problem


def test_symmetry_zero_is_the_identity():
    class Faulty(Strip):
        def symmetry_action(self, k, action):
            return 4 - action

        def symmetry(self, k):
            self.board[:] = self.board[::-1].copy()
            if self.last >= 0:
                self.last = 4 - self.last

    error = fault_of(Faulty)
    assert "makes 4 of 0 for symmetry 0, which has to be the identity" in error.problem
    assert error.after == "the start"


def test_symmetries_that_exchange_players_are_left_out():
    class Faulty(Strip):
        def symmetry(self, k):
            super().symmetry(k)
            self.played += k

    error = fault_of(Faulty)
    assert "changes whose turn it is: 0 becomes 1 by symmetry(1)" in error.problem
    assert "leave out symmetries that exchange players" in error.mend


def test_a_field_that_a_symmetry_forgets_is_found_by_the_moves_after_it():
    class Faulty(Strip):
        def symmetry(self, k):
            last = self.last
            super().symmetry(k)
            self.last = last

    error = fault_of(Faulty)
    assert "symmetry(1) before the last" in error.problem


def test_other_ends_and_returns_after_a_symmetry():
    class Ends(Strip):
        def symmetry(self, k):
            super().symmetry(k)
            self.won = self.won and not k

    class Wins(Strip):
        def returns(self):
            paid = 1.0 if self.last < 2 else -1.0
            return (paid, -paid)

    assert "is_terminal differs after symmetry(1)" in fault_of(Ends).problem
    assert "changes who wins: the returns" in fault_of(Wins).problem


def test_symmetries_are_a_group():
    class Turned(TicTacToe):
        ways = TicTacToe.ways[[0, 1, 2]]
        symmetries = 3

    assert not any(tuple(Turned.ways[1][Turned.ways[2]]) == tuple(way) for way in Turned.ways)
    error = fault_of(Turned)
    assert "as none of the 3 symmetries of Turned does" in error.problem
    assert "a group" in error.mend


def test_a_symmetry_that_changes_the_state_that_is_asked():
    class Faulty(Strip):
        def symmetry_action(self, k, action):
            self.last = -1
            return 4 - action if k else action

    assert "Faulty.symmetry_action changes the state for symmetry 0" in fault_of(Faulty).problem


def test_what_a_symmetry_raises_is_told_with_its_line():
    class Faulty(Strip):
        def symmetry(self, k):
            self.board[5 + k] = 1

    assert "Faulty.symmetry raised IndexError" in fault_of(Faulty).problem


def test_compiled_symmetries_that_differ_are_a_fault():
    class Faulty(Strip):
        def symmetry_action(self, k, action):
            large = action + 2**62  # four times as much does not fit into 64 bits
            return (4 - action if k else action) + (large << 2 >> 2) - large

    assert checked(Faulty) > 0
    assert "in plain Python, but compiled" in fault_of(Faulty, compiled=True).problem


def test_chances_of_outcomes_are_turned_too():
    class Coin(Strip):
        num_outcomes = 5

        def current_player(self):
            return bw.CHANCE if self.played == 0 else self.played % 2

        def chance_outcomes(self):
            yield 0, 0.25
            yield 4, 0.75

    assert "which has another chance after symmetry(1)" in fault_of(Coin).problem


@pytest.mark.parametrize("count", [0, True, 2.0, "all"])
def test_a_number_of_symmetries_that_is_none(count):
    class Faulty(Strip):
        symmetries = count

    with pytest.raises(GameError, match=r"Faulty.symmetries is .*\n.*identity included"):
        Faulty()


@pytest.mark.parametrize("rule", ["symmetry", "symmetry_action"])
def test_a_missing_method_is_told(rule):
    class Faulty(Strip):
        pass

    setattr(Faulty, rule, None)
    with pytest.raises(GameError, match=f"has symmetries, but no method {rule}\n.*add def {rule}"):
        Faulty()


def test_games_without_turns_or_with_hidden_fields_have_none():
    class Hidden(Strip):
        hand: bw.Secret[np.int8, 2] = 0

    class Drawn(Strip):
        def apply_action(self, action, random):
            self.played += 1

    with pytest.raises(GameError, match="Hidden has symmetries, but its players do not see everything"):
        Hidden()
    with pytest.raises(GameError, match="Drawn has symmetries, but its rules draw what happens"):
        Drawn()


def test_symmetries_are_no_option():
    assert "symmetries" not in Strip.constants()
    with pytest.raises(bw.BranchwiseError):
        Strip.configured(symmetries=1)
