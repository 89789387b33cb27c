"""Proofs of positions: against plain minimax in Python."""

import random

import pytest

import branchwise as bw
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.networks.proof_search import DEPTH, NOT_PROVEN, PROVEN, Proof, prove_position

keep_on_disk()


def exact(state, known):
    """Return the value for player 0."""
    key = state.to_record().tobytes()
    if key not in known:
        if state.is_terminal():
            known[key] = state.returns()[0]
        else:
            best = max if state.current_player() == 0 else min
            known[key] = best(values_of(state, known).values())
    return known[key]


def values_of(state, known):
    found = {}
    for action in list(state.legal_actions()):
        child = state.copy()
        child.apply_action(action)
        found[action] = exact(child, known)
    return found


def random_state(game, moves, source):
    state = game()
    for _ in range(moves):
        if not state.is_terminal():
            state.apply_action(source.choice(list(state.legal_actions())))
    return state


def prove(state, limit, proof=None):
    states = NativeRecords(compiled_type(type(state)), DEPTH + 2)
    states.records[0] = state.to_record()
    proof = proof or Proof.of(type(state).num_actions)
    status = call(prove_position, states, proof, limit)
    return status, proof.found[1], set(proof.kept[: int(proof.found[0])].tolist())


# Kalah has turns of several moves by one player.
@pytest.mark.parametrize(
    "name",
    [
        "tic_tac_toe",
        "breakthrough(rows=4,columns=3)",
        "hex(size=3)",
        "kalah(pits=2,seeds=2)",
        "connect_four(rows=4,columns=4)",
    ],
)
@pytest.mark.parametrize("keeps", [False, True], ids=["new table", "the same table"])
def test_value_and_keeping_moves_are_those_of_minimax(name, keeps):
    game = bw.load_game(name)
    source, known = random.Random(1), {}
    proof = Proof.of(game.num_actions) if keeps else None
    proven = 0
    for _ in range(60):
        state = random_state(game, source.randrange(1, 6), source)
        if state.is_terminal():
            continue
        status, value, kept = prove(state, 20_000, proof)
        if status == PROVEN:
            proven += 1
            values = values_of(state, known)
            assert value == exact(state, known)
            assert kept == {action for action, one in values.items() if one == value}
    assert proven > 20


def test_a_limit_ends_a_proof():
    assert prove(bw.load_game("connect_four")(), 500)[0] == NOT_PROVEN
