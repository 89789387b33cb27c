"""Every built-in game compiles under every setting that changes how a search is composed."""

import random

import pytest

import branchwise as bw
from branchwise.common.players import CHANCE
from branchwise.games import GAMES
from support.rows import slow
from support.shipped import small

TOGETHER = [
    {"transpositions": True, "selection": "puct", "backup": "power", "cutoff": 5},
    {"selection": "rave", "playout": "decisive+nst", "playouts": 2, "open_loop": True},
    {
        "selection": "progressive_history",
        "playout": "last_good_reply",
        "first_play": "parent",
        "paranoid": True,
    },
    {"selection": "progressive_bias", "playout": "game", "widening": 1.5, "paranoid": True},
]
"""Settings that are compiled together; what a game does not take is left out."""

QUICK = {("pig", 1)}


def first_decision(game):
    """Return a state of the game in which a player decides."""
    state = game.new_initial_state(bw.Random(1))
    source = random.Random(1)
    while state.current_player() == CHANCE:
        drawn = state.legal_actions() or [state.sample_outcome(bw.Random(1))]
        state.apply_action(source.choice(drawn))
    return state


def searched(state, settings):
    """Search with these settings, without those that the game refuses."""
    try:
        planner = bw.MCTS(seed=1, compiled=True, perfect_information=True, **settings)
        return planner.search(state, simulations=30)
    except bw.BranchwiseError as error:
        refused = [name for name, value in settings.items() if name in str(error) or str(value) in str(error)]
        if "compile" in str(error) or not refused:
            raise
    return searched(state, {name: value for name, value in settings.items() if name != refused[0]})


@pytest.mark.parametrize(
    ("name", "number"),
    [
        (name, number) if (name, number) in QUICK else slow(name, number)
        for name in sorted(GAMES.builtin)
        for number in range(len(TOGETHER))
    ],
)
def test_a_game_compiles_under_all_settings(name, number):
    assert searched(first_decision(bw.load_game(small(name))), TOGETHER[number]).simulations > 0
