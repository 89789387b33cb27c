"""Lines of rules that are slow to compile are reported with an alternative; ordinary rules are not."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.costly import costly_lines
from branchwise.compile.rules import compiled_type
from branchwise.games import GAMES, load_game


def with_where(board):
    first = board[0]
    return np.where(board == first, 1, 0)


def with_unique(board):
    return np.unique(
        board,
    ).size


def with_sorted(board):
    return [x for x in sorted(board) if x]


def with_dict(board):
    counts = {}
    for piece in board:
        counts[piece] = 1
    return len(counts)


def with_dict_of_constants(board):
    return {1: 2, 3: 4}[board[0]]


def with_dict_comprehension(board):
    return len(dict.fromkeys(board, 1))


def with_nothing(board):
    """Has its own function called `sorted`, and a method `where` of something else."""
    where = board.sum() + np.sum(board) + np.zeros(3).max() + min(board[0], board[1])
    return where + np.abs(board).any() + len([2 * x for x in board])


@pytest.mark.parametrize(
    ("function", "construct", "line"),
    [
        (with_where, "np.where", 2),
        (with_unique, "np.unique", 1),
        (with_sorted, "sorted", 1),
        (with_dict, "a dict", 1),
        (with_dict_of_constants, "a dict", 1),
        (with_dict_comprehension, "a dict", 1),
    ],
)
def test_costly_line_is_named_with_what_to_write_instead(function, construct, line):
    (costly,) = costly_lines([function])
    assert (costly.construct, costly.line) == (construct, function.__code__.co_firstlineno + line)
    where = f"test_costly.py, line {costly.line}: "
    assert str(costly).startswith(f"{construct} is slow to compile and to run ({where}")
    assert str(costly).endswith(costly.instead)
    assert "loop" in costly.instead or "array" in costly.instead


def test_same_construct_is_named_once():
    assert len(costly_lines([with_dict, with_dict_of_constants, with_where, with_where])) == 2


def test_function_of_ones_own_by_the_same_name_is_not_taken_for_it():
    names = {"sorted": lambda x: x, "np": type("np", (), {"where": max}), "board": np.zeros(3)}
    exec("def rule(board):\n    return sorted(np.where(board))", names)
    assert costly_lines([names["rule"], with_nothing]) == []


def test_shipped_games_are_free_of_them():
    for name in GAMES.names():
        assert costly_lines(compiled_type(load_game(name)).rules.reads.functions) == []


def test_helpers_are_looked_at_and_methods_that_no_rule_reaches_are_not():
    class Piles(bw.Game):
        num_players = 1
        num_actions = 2
        left: np.int8 = 2

        def current_player(self):
            return 0

        def legal_actions(self):
            yield 0

        def apply_action(self, action):
            self.left -= 1

        def is_terminal(self):
            return self.left == 0

        def returns(self):
            return (with_dict(np.zeros(2)),)

        def to_grid(self):
            return sorted({})

    found = costly_lines(compiled_type(Piles).rules.reads.functions)
    assert [costly.construct for costly in found] == ["a dict"]
