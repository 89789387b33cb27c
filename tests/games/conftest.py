"""Random play for the tests of games."""

import random

import pytest

import branchwise as bw
from branchwise.game.kinds.game_kinds import is_simulator
from branchwise.rules.facts.facts import random_action

MOST_MOVES = 200
"""Moves of a random game of a problem that has no end."""


def _positions(game, games, seed=0):
    for number in range(games):
        rng = random.Random(f"{game.name} {seed} {number}")
        state, moves = game(), 0
        draws = (bw.Random(seed),) if is_simulator(game) else ()
        while not state.is_terminal() and not (game.horizon and moves == MOST_MOVES):
            yield state
            moves += 1
            state.apply_action(random_action(state, rng), *draws)
        yield state


@pytest.fixture
def positions():
    """positions(game, games) yields each state of random games, the last of each finished."""
    return _positions
