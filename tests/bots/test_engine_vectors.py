"""Continuous actions in the lines of UGI: one word each, read back to the last bit."""

import io
from pathlib import Path

import numpy as np
import pytest

import branchwise as bw
from branchwise.bots.base.moves_between_states import Follower
from branchwise.bots.programs.engine import EngineBot
from branchwise.bots.servers.engine_server import EngineServer
from branchwise.engines.ugi.moves import move_word, move_words
from support.boxes import Gusts, Turns
from support.engine_talk import own_engine

BOXES = Path(__file__).parents[1] / "support/boxes.py"
BOT = "mcts(simulations=60,seed=1)"


class Named(Turns):
    """Has texts that cannot be read back: a word of UGI, two words, and another form of the numbers."""

    def action_to_string(self, action):
        if action[0] == 0.0:
            return "none"
        return f"by {float(action[0])}" if action[1] else f"{float(action[0])};0"


def answers(game, *lines):
    said = io.BytesIO()
    EngineServer(game, BOT, None, read=io.BytesIO("\n".join(lines).encode() + b"\n"), write=said).run()
    return said.getvalue().decode().splitlines()


def test_a_vector_is_one_word_in_both_directions():
    state = Turns.from_actions([(0.5, 0.25), (-0.1, 0.0)])
    best = bw.load_bot(BOT).choose(state)  # its code is then ready for the engine
    *found, last = answers(Turns, "position startpos moves 0.5,0.25 -0.1,0.0", "go nodes 60")
    assert last == f"bestmove {best[0]!s},{best[1]!s}"
    line = found[-1].split(" pv ")[1].split()
    assert line[0] == last.split()[1]
    assert len(line) > 1
    assert Turns.from_actions([(0.5, 0.25), (-0.1, 0.0), *line])


def test_a_vector_outside_its_box_is_one_clear_error():
    (line,) = answers(Turns, "position startpos moves 0.5,0.75")
    assert line == (
        "info string error: move 1: number 2 of the action 0.75 is outside its box"
        " / mend: an action is 2 numbers: -1 to 1, 0 to 0.5"
    )


@pytest.mark.parametrize(
    ("action", "word"), [((0.0, 0.5), "0.0,0.5"), ((0.25, 0.5), "0.25,0.5"), ((0.25, 0.0), "0.25,0.0")]
)
def test_texts_that_ugi_cannot_carry_give_way_to_the_numbers(action, word):
    assert move_word(Named(), np.array(action)) == word
    assert move_words(Named(), [np.array(action)]) == (word,)


def test_an_engine_plays_the_vectors_that_the_bot_would_play():
    moves, state = [], Turns()
    engine = EngineBot(command=own_engine(f"{BOXES}:Turns", BOT), nodes=60)
    alone = bw.load_bot(BOT)
    try:
        while not state.is_terminal():
            action = engine.choose(state, None, moves)
            assert action.tolist() == alone.choose(state, None, moves).tolist()
            state.apply_action(action)
            moves.append(tuple(action.tolist()))
    finally:
        engine.close()


def test_without_moves_and_in_simulators_an_engine_gets_the_state():
    state = Gusts(place=0.25, steps=1)
    engine = EngineBot(command=own_engine(f"{BOXES}:Gusts", BOT), nodes=60)
    try:
        assert abs(engine.choose(state)[0] - 0.25) <= 1.0
    finally:
        engine.close()


def test_a_follower_knows_vectors_only_if_it_is_told():
    state = Turns()
    follower = Follower()
    assert follower.moves_to(state) == []
    state.apply_action((0.5, 0.25))
    assert follower.moves_to(state, [(0.5, 0.25)]) == [(0.5, 0.25)]
    state.apply_action((0.125, 0.0))
    assert follower.moves_to(state, [(0.5, 0.25), (0.125, 0.0)]) == [(0.5, 0.25), (0.125, 0.0)]
    state.apply_action((0.25, 0.0))
    assert follower.moves_to(state) is None
