"""The first simulations of every shipped game, while nothing is compiled."""

import random

import pytest

import branchwise as bw
from branchwise.games import GAMES
from branchwise.rules.facts.facts import random_action
from branchwise.search.drivers import interpreted
from support.shipped import HIDDEN, PARTLY_SEEN, PUZZLES


@pytest.mark.parametrize("name", sorted(GAMES.builtin))
def test_first_simulations_need_no_machine_code(name, monkeypatch):
    monkeypatch.setattr(interpreted, "_are_loaded", lambda *_: False)
    monkeypatch.setattr(interpreted, "_are_on_disk", lambda *_: False)
    interpreted._simulations.clear()
    game, rng = bw.load_game(name), random.Random(1)
    played = bw.Playthrough(game.new_initial_state(bw.Random(1)), random=bw.Random(2))
    while played.is_chance:
        played.play(random_action(played.state, rng))
    start = played.state
    if name in PARTLY_SEEN:
        start = bw.Belief(game, 20, seed=1)
    elif name in HIDDEN:
        start = played.information_state(played.player)
    found = bw.MCTS(seed=1, compiled=False).search(start, simulations=5 if name in PUZZLES else 10)
    assert found.simulations > 0
    assert found.tree.root.visits == found.simulations
