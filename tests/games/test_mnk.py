"""Lines of mnk as sets of bits, against a plain look at the board; boards with lines of several words."""

import random

import numpy as np
import pytest

from branchwise.game.kinds.random_numbers import Draws
from branchwise.games.mnk import MNK, WORD
from branchwise.rules.facts.facts import apply_legal
from branchwise.testing import perft

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def has_line(board, mark, in_a_row):
    """Whether a mark is on `in_a_row` cells next to each other, by a look at every cell and direction."""
    rows, columns = board.shape
    for row in range(rows):
        for column in range(columns):
            for down, right in DIRECTIONS:
                cells = [(row + i * down, column + i * right) for i in range(in_a_row)]
                inside = all(0 <= r < rows and 0 <= c < columns for r, c in cells)
                if inside and all(board[cell] == mark for cell in cells):
                    return True
    return False


@pytest.mark.parametrize(
    "options",
    [
        {"rows": 3, "columns": 3, "in_a_row": 3},
        {"rows": 5, "columns": 5, "in_a_row": 4},
        {"rows": 7, "columns": 4, "in_a_row": 2},
        {"rows": 6, "columns": 7, "in_a_row": 4, "gravity": True},
        {"rows": 9, "columns": 3, "in_a_row": 3, "gravity": True},
        {"rows": 1, "columns": 33, "in_a_row": 5},
        {"rows": 70, "columns": 2, "in_a_row": 6},
        {"rows": 34, "columns": 3, "in_a_row": 5, "gravity": True},
        {"rows": 12, "columns": 13, "in_a_row": 1},
    ],
    ids=str,
)
def test_a_game_is_won_as_soon_as_a_plain_look_at_the_board_finds_a_line(options):
    game, rng = MNK.configured(**options), random.Random(5)
    won = 0
    for _ in range(600 // game.cells + 5):
        state = game()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            mover = (state.played - 1) % 2
            assert state.won == has_line(np.asarray(state.board), mover + 1, game.in_a_row)
            if state.won:
                assert state.returns()[mover] == 1.0
        won += state.won
    assert won


@pytest.mark.parametrize("in_a_row", [3, 32, 33, 40, 65, 99])
@pytest.mark.parametrize(("down", "right"), DIRECTIONS)
def test_a_line_across_words_wins_with_its_last_mark_wherever_it_begins(in_a_row, down, right):
    game, rng = MNK.configured(rows=99, columns=99, in_a_row=in_a_row), random.Random(in_a_row)
    assert game.words == 4
    spare = 99 - in_a_row
    for start in {0, spare, min(spare, WORD - 1), min(spare, 2 * WORD - in_a_row // 2)}:
        across = rng.randint(0, spare) if down and right else rng.randrange(99)
        row, column = (start if down else across), (start if right else across)
        if right == -1:
            column = 98 - across
        elif down and right:
            column = across
        line = [(row + i * down, column + i * right) for i in range(in_a_row)]
        others = iter([(r, c) for r in range(0, 99, 2) for c in range(0, 99, 2) if (r, c) not in line])
        rng.shuffle(line)
        state = game()
        for cell in line[:-1]:
            apply_legal(state, 99 * cell[0] + cell[1])
            r, c = next(others)
            apply_legal(state, 99 * r + c)
            assert not state.won
        apply_legal(state, 99 * line[-1][0] + line[-1][1])
        assert state.won


@pytest.mark.parametrize("gap", [0, 1, WORD - 1, WORD, WORD + 1, 2 * WORD - 1, 2 * WORD, 69])
def test_a_row_with_a_gap_is_no_line(gap):
    game = MNK.configured(rows=3, columns=70, in_a_row=70)
    state = game()
    for column in range(70):
        if column != gap:
            state.apply_action(column)
            assert not state.won
            state.apply_action(140 + column)
    state.apply_action(70)
    assert not state.won
    state.apply_action(140 + gap)
    assert state.returns() == (-1.0, 1.0), "the second player's row is complete"


def test_compiled_rules_find_the_lines_across_words_that_plain_python_finds():
    game = MNK.configured(rows=2, columns=70, in_a_row=35)
    for first in (0, 1, 20, 30, 34, 35):
        state = game()
        for i in range(35):
            if i != 17:
                state.apply_action(first + i)
                state.apply_action(70 + 2 * i)
        assert not state.won
        winning = [a for a in state.legal_actions() if _after(state, a).won]
        assert winning == [first + 17]
        legal = len(state.legal_actions())
        assert perft(state, 2) == perft(state, 2, compiled=False) == (legal - 1) ** 2


def test_equal_boards_are_equal_states_whatever_the_order_of_the_moves():
    one, other = MNK.from_actions("a1 b1 c3 d4"), MNK.from_actions("c3 d4 a1 b1")
    assert one == other
    assert hash(one) == hash(other)
    assert one != MNK.from_actions("a1 b1 c3 d5")
    assert MNK.from_json(one.to_json()) == one


@pytest.mark.parametrize("gravity", [False, True])
def test_a_drawn_move_is_any_legal_one_even_the_only_one(gravity):
    game = MNK.configured(rows=2, columns=4, in_a_row=4, gravity=gravity)
    state = game.from_actions("a1 b1 c1 d1 b2")
    while not state.is_terminal():
        drawn = {state.sample_action(Draws(seed)) for seed in range(100)}
        assert drawn == set(state.legal_actions())
        state.apply_action(state.legal_actions()[0])
    assert state.played == 8


def _after(state, action):
    twin = state.copy()
    twin.apply_action(action)
    return twin
