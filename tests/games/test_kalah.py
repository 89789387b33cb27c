"""Kalah: OpenSpiel's mancala in step, solved boards, captures, and the end of the game."""

import random
import re

import pytest

import branchwise as bw
from branchwise.games.kalah import Kalah
from branchwise.testing import Solver, solve_actions
from support.budgets import share_of_points
from support.rows import slow

SOLVED = {
    (1, 1): 0,
    (1, 2): -1,
    (1, 3): 1,
    (1, 4): -1,
    (2, 1): 1,
    (2, 2): -1,
    (2, 3): -1,
    (2, 4): -1,
    (3, 1): 0,
    (3, 2): 1,
    (3, 3): 1,
    (4, 1): 1,
    (4, 2): 1,
}
"""(pits, seeds): the value for the first player; Irving, Donkers, Uiterwijk, "Solving Kalah", 2000."""


@pytest.mark.parametrize("games", [20, slow(1000)])
def test_random_games_agree_with_openspiel(games):
    """OpenSpiel numbers the places in the order of sowing, with the second player's store as 0."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("mancala")
    rng = random.Random(games)
    for _ in range(games):
        state, other = Kalah(), theirs.new_initial_state()
        while not other.is_terminal():
            assert not state.is_terminal()
            assert state.current_player() == other.current_player()
            first = (1, 8)[state.current_player()]
            assert [first + action for action in state.legal_actions()] == other.legal_actions()
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            other.apply_action(first + action)
        assert state.is_terminal()
        assert list(state.returns()) == other.returns()


@pytest.mark.parametrize("size", SOLVED, ids=str)
def test_small_boards_have_their_published_values(size):
    game = Kalah.configured(pits=size[0], seeds=size[1])
    assert Solver().solve(game()) == SOLVED[size]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(2, 2), (3, 2), (3, 3), (4, 1)], ids=str)
def test_a_search_proves_published_values_and_those_after_each_first_move(size):
    game = Kalah.configured(pits=size[0], seeds=size[1])
    result = bw.MCTS(seed=1, transpositions=True).search(game(), simulations=500_000)
    assert (result.ended_by, result.value) == ("proven", SOLVED[size])
    for action, value in solve_actions(game()).items():
        state = game()
        state.apply_action(action)
        result = bw.MCTS(seed=1, transpositions=True).search(state, simulations=500_000)
        assert result.ended_by == "proven"
        assert result.value == (value if state.current_player() == 0 else -value)


def test_a_last_seed_in_the_store_gives_another_turn():
    state = Kalah.from_actions("C")
    assert state.current_player() == 0
    assert state.board.tolist() == [4, 4, 0, 5, 5, 5, 1, 4, 4, 4, 4, 4, 4, 0]
    assert Kalah.from_actions("A c").current_player() == 1


def test_seeds_pass_over_the_store_of_the_opponent():
    state = Kalah(board=[0, 0, 0, 0, 0, 10, 0, 1, 1, 1, 1, 1, 1, 0])
    state.play("F")  # the tenth seed falls into C and captures the two opposite
    assert state.board.tolist() == [1, 1, 0, 0, 0, 0, 4, 2, 2, 2, 0, 2, 2, 0]
    state = Kalah(board=[1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 9, 0], mover=1)
    state.play("f")
    assert state.board.tolist() == [2, 2, 2, 2, 0, 2, 0, 1, 0, 0, 0, 0, 0, 4]


def test_a_last_seed_in_an_empty_pit_captures_the_opposite_pit():
    state = Kalah(board=[1, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 7, 1, 1])
    state.play("A")
    assert state.board.tolist() == [0, 0, 3, 0, 0, 0, 10, 0, 0, 0, 0, 0, 1, 1]
    assert state.current_player() == 1
    state = Kalah(board=[1, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 1])
    state.play("A")  # nothing is opposite
    assert state.board.tolist() == [0, 1, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize(("margin", "returns"), [(False, (-1.0, 1.0)), (True, (-2.0, 2.0))])
def test_at_the_end_seeds_in_pits_belong_to_their_player(margin, returns):
    game = Kalah.configured(pits=2, seeds=3, margin=margin)
    state = game(board=[0, 1, 4, 3, 2, 2])
    state.play("B")
    assert state.is_terminal()
    assert state.returns() == returns
    assert "to move" not in str(state)


@pytest.mark.parametrize("options", ["pits=0", "pits=27", "seeds=0", "pits=26,seeds=20"])
def test_a_board_that_cannot_be_is_refused(options):
    with pytest.raises(bw.GameError, match=re.escape("kalah cannot have")):
        bw.load_game(f"kalah({options})")


def test_moves_are_letters_in_either_case():
    assert Kalah.from_actions("c a") == Kalah.from_actions("C A")
    assert Kalah.from_actions("A").action_to_string(0) == "a"
    with pytest.raises(bw.ActionError, match='"g" is not a legal move here'):
        Kalah().play("g")
    with pytest.raises(bw.ActionError, match='"c" is not a legal move here'):
        Kalah.from_actions("C").play("c")


@pytest.mark.slow
def test_strength_rises_with_the_budget():
    assert share_of_points(Kalah, (300, 10), pairs=6, opening_moves=5) >= 0.7
