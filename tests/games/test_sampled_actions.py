"""Rules that draw the moves of random games draw them as from the list of legal actions."""

from random import Random

import pytest

import branchwise as bw
from branchwise.game.kinds.random_numbers import Draws

NAMES = [
    "amazons",
    "amazons(size=5)",
    "amazons(size=15)",
    "atari_go(size=5)",
    "clobber",
    "clobber(rows=1,columns=8)",
    "clobber(rows=8,columns=10)",
    "dots_and_boxes",
    "dots_and_boxes(rows=5,columns=5)",
    "dots_and_boxes(rows=7,columns=9)",
    "go",
    "go(size=13)",
    "go(size=5,superko=True)",
    "nogo",
    "sudo_tic_tac_toe",
    "ultimate_tic_tac_toe",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_sampled_action_is_the_one_of_the_list_with_the_number_drawn(name):
    for number in range(3):
        source, state = Random(number), bw.load_game(name)()
        while not state.is_terminal():
            legal = state.legal_actions()
            counter = source.getrandbits(64)
            action = state.sample_action(Draws(counter))
            assert action == legal[Draws(counter).below(len(legal))], state
            state.apply_action(int(action))
