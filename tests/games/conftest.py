"""Random play for the tests of games."""

import random

import pytest


def _positions(game, games, seed=0):
    for number in range(games):
        rng = random.Random(f"{game.name} {seed} {number}")
        state = game()
        while not state.is_terminal():
            yield state
            state.apply_action(rng.choice(state.legal_actions()))
        yield state


@pytest.fixture
def positions():
    """positions(game, games) yields each state of random games, the last of each finished."""
    return _positions
