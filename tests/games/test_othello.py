"""Othello: published counts, OpenSpiel, values on 4x4, a plain board; texts, pictures and knowledge.

Published: perft to depth 9, by many engines, first by J. Aarnio. The second player wins on 4x4, 11 to 3 with
best play (Feinstein 1993).
"""

import random
from itertools import product

import pytest

import branchwise as bw
from branchwise.boards.layer import squares_of
from branchwise.compile.states.randomness import Randomness
from branchwise.core.numbers.random_streams import new_streams
from branchwise.games.bits import count_bits, each_bit
from branchwise.games.othello import Othello
from branchwise.testing import perft
from support.budgets import share_of_points

PUBLISHED = (4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288)
SMALL = Othello.configured(size=4)


# --- rules ------------------------------------------------------------------------------------------------


def test_perft_othello_in_plain_python_matches_published_counts():
    assert tuple(perft(Othello(), depth, compiled=False) for depth in range(1, 6)) == PUBLISHED[:5]


@pytest.mark.slow
def test_perft_othello_to_depth_9_matches_published_counts():
    assert tuple(perft(Othello(), depth) for depth in range(1, 10)) == PUBLISHED


@pytest.mark.parametrize("games", [20, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_games_of_othello_agree_with_openspiel(games):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("othello")
    rng = random.Random(games)
    for _ in range(games):
        state, other = Othello(), theirs.new_initial_state()
        while not state.is_terminal():
            assert not other.is_terminal()
            assert state.current_player() == other.current_player()
            assert state.legal_actions() == other.legal_actions()
            action = rng.choice(state.legal_actions())
            assert state.action_to_string(action) == other.action_to_string(action)
            state.apply_action(action)
            other.apply_action(action)
        assert other.is_terminal()
        assert list(state.returns()) == other.returns()


def turned_on_a_board(letters, size, cell, player):
    """Return the cells that a disc would turn over, by walking over a list of letters."""
    mine, theirs = ("X", "O") if player == 0 else ("O", "X")
    row, column = divmod(cell, size)
    turned = set()
    for down, right in product((-1, 0, 1), repeat=2):
        met, r, c = [], row + down, column + right
        while (down, right) != (0, 0) and 0 <= r < size and 0 <= c < size and letters[size * r + c] == theirs:
            met.append(size * r + c)
            r, c = r + down, c + right
        if 0 <= r < size and 0 <= c < size and letters[size * r + c] == mine:
            turned.update(met)
    return turned if letters[cell] == "-" else set()


@pytest.mark.parametrize("size", [4, 6, 8])
def test_moves_turn_over_what_a_walk_over_the_board_finds(size, positions):
    for state in positions(Othello.configured(size=size), games=3):
        letters = state.to_text()[:-2]
        for cell in range(size * size):
            expected = turned_on_a_board(letters, size, cell, state.mover)
            assert bool(state.moves >> cell & 1) == bool(expected)
            if expected:
                assert set(each_bit(state.turned_by(cell))) == expected


def test_a_player_who_can_turn_nothing_over_must_pass():
    state = Othello.from_text("OX" + "-" * 62 + "X")
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["pass"]
    state.play("pass")
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["c1"]
    state.play("c1")
    assert state.is_terminal()
    assert state.returns() == (-1.0, 1.0)


def test_the_game_ends_when_neither_can_move_and_most_discs_win():
    assert Othello.from_text("X" * 32 + "O" * 32 + "X").returns() == (0.0, 0.0)
    assert Othello.from_text("X" * 31 + "O" * 33 + "X").returns() == (-1.0, 1.0)
    assert Othello.from_text("X" * 33 + "O" * 31 + "O").returns() == (1.0, -1.0)


@pytest.mark.parametrize("size", [0, 2, 5, 7, 10])
def test_sizes_without_a_board_of_64_bits_or_a_middle_are_refused(size):
    with pytest.raises(bw.GameError, match=f"othello cannot have the size {size}") as caught:
        Othello.configured(size=size)
    assert caught.value.mend == "the size must be 4, 6 or 8"


def test_small_othello_is_proven_won_by_the_second_player_from_every_opening():
    for opening in SMALL().legal_actions():
        result = bw.MCTS(seed=1).search(SMALL.from_actions([opening]), simulations=100_000)
        assert (result.ended_by, result.value) == ("proven", 1.0)


def test_more_simulations_win_more_games_of_small_othello():
    assert share_of_points(SMALL, (100, 1), pairs=12, opening_moves=5) > 0.6


# --- texts and pictures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [4, 8])
def test_a_position_survives_its_text(size, positions):
    game = Othello.configured(size=size)
    for state in positions(game, games=3):
        assert game.from_text(state.to_text()) == state


def test_a_text_may_have_lines_and_other_letters():
    lines = "........ ........ ........ ...ox... ...xo... ........ ........ ........ x"
    assert Othello.from_text(lines.replace(" ", "\n")) == Othello()
    assert Othello.from_text(lines.replace("x", "*").replace(".", "-")) == Othello()
    assert Othello.from_text(lines.replace("x", "B").replace("o", "w")) == Othello()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "this text has 0 letters, not 65"),
        ("-" * 64, "this text has 64 letters, not 65"),
        ("-" * 64 + "-", '"-" cannot stand here'),
        ("-" * 10 + "Z" + "-" * 53 + "X", '"Z" cannot stand here'),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, problem):
    with pytest.raises(bw.GameError, match=problem) as caught:
        Othello.from_text(text)
    assert "row by row from a1" in caught.value.mend


def test_rows_are_numbered_from_the_top():
    state = Othello.from_actions("f5")
    assert str(state).splitlines()[4] == "5  . . . X X X . ."
    assert str(state).splitlines()[-1] == "X has 4 discs, O 1"


def test_no_cell_stands_for_the_pass_when_there_is_no_other_move():
    state = Othello.from_text("OX" + "-" * 62 + "X")
    assert {cell.action for row in state.to_grid().cells for cell in row} == {None}
    assert squares_of(state, 64) == ()
    assert str(state).endswith("; X must pass")


# --- knowledge --------------------------------------------------------------------------------------------


def sensible(state):
    """Return the moves that a playout may make, from the definition."""
    last = state.size - 1
    corners = {(row, column) for row in (0, last) for column in (0, last)}
    letters = state.to_text()

    def gives_corner(action):
        row, column = divmod(action, state.size)
        return any(
            max(abs(row - r), abs(column - c)) == 1 and letters[r * state.size + c] == "-" for r, c in corners
        )

    legal = state.legal_actions()
    taking = [action for action in legal if divmod(action, state.size) in corners]
    return taking or [action for action in legal if not gives_corner(action)] or legal


@pytest.mark.parametrize("size", [4, 6, 8])
def test_playouts_take_corners_and_do_not_give_them_away(size, positions):
    random_numbers = Randomness(new_streams(1))
    kept = True
    for state in positions(Othello.configured(size=size), games=2):
        if not state.is_terminal():
            expected = sensible(state)
            found = {state.playout_action(random_numbers) for _ in range(15 * len(expected))}
            assert found <= set(expected)
            kept &= len(found) > len(expected) // 2
    assert kept


def mirrored(state):
    """Return the position with the columns in reverse order."""
    text, size = state.to_text(), state.size
    rows = [text[i : i + size][::-1] for i in range(0, size * size, size)]
    return type(state).from_text("".join(rows) + text[-1])


def test_estimates_are_the_same_in_a_mirror_and_opposite_for_the_other_player(positions):
    for state in positions(Othello, games=3):
        if not state.is_terminal():
            value = state.evaluate()
            assert value[0] == -value[1]
            assert mirrored(state).evaluate() == pytest.approx(value)
            swapped = Othello.from_text(state.to_text().translate(str.maketrans("XO", "OX")))
            assert swapped.evaluate() == pytest.approx(value[::-1])


def test_a_corner_is_worth_more_than_the_cells_beside_it():
    with_corner = Othello.from_text("X" + "-" * 26 + "OX------XO" + "-" * 27 + "O")
    beside = Othello.from_text("-X" + "-" * 25 + "OX------XO" + "-" * 27 + "O")
    assert with_corner.evaluate()[0] > 0.2 > 0.0 > beside.evaluate()[0]
    assert count_bits(with_corner.mine | with_corner.theirs) == 5


def test_priors_prefer_corners_and_avoid_the_cells_beside_them():
    state = Othello.from_text("-OX-----" + "--------" * 7 + "X")
    assert state.prior(state.action_from_string("a1")) == 4.0
    assert state.prior(8) == state.prior(9) == 0.25
    assert state.prior(20) == state.prior(64) == 1.0
