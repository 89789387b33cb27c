"""The networks that ship: small, made by a command that they tell, and stronger than playouts."""

from pathlib import Path

import pytest

import branchwise as bw
from branchwise import games
from branchwise.networks.network_file import load_network, read_notes

FILES = sorted((Path(games.__file__).parent / "nets").glob("*.bwnet"))
MOST_BYTES = 300_000


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_shipped_network_is_small_and_says_how_it_was_made(file):
    notes = read_notes(file)
    game = bw.load_game(notes["text"])
    assert file.stat().st_size <= MOST_BYTES
    assert (notes["minutes"], notes["rounds"], notes["seed"]) == (10.0, None, 1)
    assert notes["curve"][-1]["share"] == 1.0
    network = load_network(file.name, game)  # which is found beside the rules
    assert network is load_network(file, game)
    value, policy = network.evaluate(game())
    assert -1.0 < value < 1.0
    assert abs(sum(policy.values()) - 1.0) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_shipped_network_is_stronger_at_equal_time(file):
    text = read_notes(file)["text"]
    bots = [f'mcts(network="{file.name}",seconds=0.01)', "mcts(seconds=0.01)"]
    result = bw.Match(text, bots, games=100, seed=1, concurrency=2).run()
    assert result.elo().low > 0.0
