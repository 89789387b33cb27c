"""Wins that can be forced within five plies are proven, in every game."""

import importlib
from itertools import islice
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from support.rows import slow
from support.shipped import AT_ONCE, FOR_ONE, HIDDEN, PARTLY_SEEN, WIDE, WITH_CHANCE, small

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

IN_TURNS_OF_THREE = ("amazons",)
"""Games in which a player makes three moves in a row: wins take one to three plies, or seven and more."""

LIKE_OTHERS = ("havannah", "othello", "sudo_tic_tac_toe", "ultimate_tic_tac_toe", "y")
"""Games like others of these, whose search is compiled for this alone."""


@pytest.fixture(scope="module")
def forced():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("forced_wins")


@pytest.mark.parametrize(
    "game",
    [
        slow(name) if name in {*WIDE, *LIKE_OTHERS} else name
        for name in sorted(
            set(bw.game_names())
            - {*FOR_ONE, *HIDDEN, *AT_ONCE, *PARTLY_SEEN, *WITH_CHANCE, *IN_TURNS_OF_THREE}
        )
    ],
)
def test_a_forced_win_is_proven_within_100_000_simulations_and_played_from_then_on(game, forced):
    for number, state in enumerate(islice(forced.won_positions(bw.load_game(small(game)), seed=1), 3)):
        took = forced.simulations_to_prove(state, number)
        assert took is not None
        for simulations in (took, took + 1, 2 * took):
            result = bw.MCTS(seed=number).search(state, simulations=simulations)
            assert result.children[0].proven == state.max_return


def test_a_win_in_three_plies_is_reported_from_none_in_two(forced):
    three = ConnectFour.from_actions(["c1", "c2", "d1", "d2"])  # b1 or e1 makes two threats
    assert not forced.forces_a_win(three, 2)
    assert forced.forces_a_win(three, 3)
    assert not forced.forces_a_win(ConnectFour(), 5)
