"""Names in a user's class: any is free, whatever kernels call their methods, except those with a meaning."""

import random
import string

import pytest

import branchwise as bw
from branchwise.games import game_names
from support.named_games import KINDS, internal_names, written
from support.rows import slow
from support.trees import same_arrays

SETTINGS = {"seed": 1, "transpositions": True, "proofs": False}


def check_like_neutral(folder, named):
    """Check that a game builds the tree that it builds, in plain Python, with neutral names."""
    neutral = {f"own_{place}": kind for place, kind in enumerate(named.values())}
    plain = written(folder / "plain.py", neutral)
    expected = bw.MCTS(compiled=False, **SETTINGS).search(plain(), simulations=150)
    game = written(folder / "own.py", named)
    compiled = bw.MCTS(compiled=True, **SETTINGS).search(game(), simulations=150)
    interpreted = bw.MCTS(compiled=False, **SETTINGS).search(game(), simulations=150)
    assert expected.simulations == 150
    assert same_arrays(compiled, expected)
    assert same_arrays(interpreted, expected)


def test_internal_names_are_known():
    names = internal_names()
    assert {"key", "at", "fill_legal_actions", "draw_action", "fits", "deal_anew", "has_chance"} <= set(names)
    assert not {"evaluate", "copy", "num_players", "prior"} & set(names)


def test_shipped_games_have_no_other_internal_names():
    assert internal_names(game_names()) == internal_names()


@pytest.mark.parametrize("turn", [0, slow(1), slow(2), slow(3)])
def test_internal_names_may_be_a_users(turn, tmp_path):
    """Each is a field, a constant, a property and a helper in one of the rows."""
    kinds = {name: KINDS[(place + turn) % 4] for place, name in enumerate(internal_names())}
    check_like_neutral(tmp_path, kinds)


@pytest.mark.parametrize("seed", [0, *(slow(seed) for seed in range(1, 50))])
def test_no_name_matters(seed, tmp_path):
    source = random.Random(seed)
    names = source.sample(internal_names(), 6)
    names += ["".join(source.choices(string.ascii_lowercase, k=source.randint(1, 7))) + "_" for _ in range(4)]
    check_like_neutral(tmp_path, {name: source.choice(KINDS) for name in names})
