"""Lines of rules that are slow to compile are reported with an alternative; ordinary rules are not."""

import numpy as np
import pytest
from numba.core import event

import branchwise as bw
from branchwise.compile.language.slow_constructs import costly_lines
from branchwise.compile.queries.checked_games import CompiledState
from branchwise.compile.states.prepared_rules import compiled_type
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


class Sliced(bw.Game):
    """Assigns an array to a slice, from the sixth move on one that does not fit."""

    num_players = 1
    num_actions = 2

    row: bw.Array[np.int8, 4] = 0
    moves: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.moves += 1
        self.row[:] = np.ones(4 + self.moves // 6, np.int8)

    def is_terminal(self):
        return self.moves == 8

    def returns(self):
        return (1.0,)


class Compiled(event.Listener):
    """Notes the modules of what is compiled."""

    def __init__(self):
        self.modules = set()

    def on_start(self, event):
        self.modules.add(event.data["dispatcher"].py_func.__module__)

    def on_end(self, event):
        pass


def test_an_array_that_is_assigned_to_a_slice_compiles_no_text_about_shapes():
    compiled = Compiled()
    with event.install_listener("numba:compile", compiled):
        state = CompiledState(Sliced)
        for _ in range(5):
            state.apply(0)
        with pytest.raises(ValueError, match="assigned to a slice of another shape"):
            state.apply(0)
    assert "numba.cpython.unicode" not in compiled.modules


def test_what_is_assigned_to_a_slice_of_another_shape_is_told_with_the_shapes():
    with pytest.raises(bw.GameError, match=r"shape \(5,\) into shape \(4,\)") as caught:
        bw.MCTS(seed=1).search(Sliced(), simulations=5000)
    assert "self.row[:] = np.ones" in str(caught.value)
