"""UGI for problems that pay on the way, for games of chance, and for simulators."""

import io
import re
import shlex
import sys
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.bots import load_bot
from branchwise.bots.servers.engine_server import EngineServer
from branchwise.engines.ugi.moves import state_word
from branchwise.games.pig import Pig
from support.paying import Auction, Corridor, Gifts
from support.simulators import Drift, SampledPig

SIMULATORS = Path(__file__).parents[1] / "support/simulators.py"


def answers(game, *lines, bot="mcts(simulations=50)"):
    """Return what an engine answers to lines; it has ended then."""
    text = "".join(f"{line}\n" for line in lines).encode()
    written = io.BytesIO()
    server = EngineServer(game, bot, 1, read=io.BytesIO(text), write=written)
    assert server.run()
    return written.getvalue().decode().splitlines()


@pytest.mark.parametrize(
    ("game", "moves", "rewards"),
    [
        (Corridor, "", "0"),
        (Corridor, "1 1", "-1.9"),
        (Auction, "0 1", "1.75 -1.75"),
        (Gifts, "1", "0.45 2 0"),
        (Pig, "roll 3", "none"),
    ],
)
def test_the_rewards_so_far_are_a_query(game, moves, rewards):
    told = answers(game, f"position startpos moves {moves}", "query rewards")
    assert told == [f"response {rewards}"]


@pytest.mark.parametrize(
    ("game", "moves", "result"),
    [
        (Corridor, "1 1", "none"),
        (Corridor, "1 1 1", "p1win"),
        (Corridor, "0 0", "draw"),
        (Auction, "5 0 4 1 2 3", "p1win"),
    ],
)
def test_the_result_goes_by_the_rewards(game, moves, result):
    told = answers(game, f"position startpos moves {moves}", "query result")
    assert told == [f"response {result}"]


def test_outcomes_are_moves_of_a_position():
    told = answers(
        Pig, "position startpos moves roll 5", "query p1turn", "position startpos moves roll", "go"
    )
    assert told[0] == "response true"
    assert told[1].startswith("info string chance: ")
    assert told[-1] in ("bestmove roll", "bestmove hold")


def played(game, *positions):
    """Return the lines with findings, and the moves chosen, one for each position."""
    searching = "mcts(simulations=300,compiled=false)"
    command = f"{shlex.quote(sys.executable)} -m branchwise ugi {game} --bot '{searching}' --seed 1"
    bot = load_bot(f"engine(command={command!r},nodes=300)", seed=1)
    try:
        return [(bot.choose(position), bot.info) for position in positions]
    finally:
        bot.close()


def test_a_problem_is_planned_by_an_engine():
    cliff = bw.load_game("cliff_walking")
    (action, info), *_ = played("cliff_walking", cliff())
    assert action in cliff().legal_actions()
    assert re.fullmatch(r"cp -\d+", info.score)
    assert abs(int(info.score.split()[1])) > 1000  # hundredths of what is still to come: below -10


def test_a_simulator_is_planned_by_an_engine_that_is_sent_its_states():
    state, random = Drift(), bw.Random(1)
    for action in (2, 2):
        state.apply_action(action, random)
    for action, info in played(f"{SIMULATORS}:Drift", Drift(), state):
        assert action in (0, 1, 2)
        assert len(info.line) == 1


def test_a_game_whose_chance_is_drawn_is_played_by_an_engine():
    state = SampledPig()
    state.apply_action(0)
    state.apply_action(4)
    (action, _), *_ = played(f"{SIMULATORS}:SampledPig", state)
    assert action in (0, 1)


def test_moves_of_a_simulator_are_refused_in_one_sentence():
    told = answers(Drift, "position startpos moves 1 2", "go")
    assert "drawn by its rules, so that moves alone do not give a position again" in told[0]
    assert "position fen STATE" in told[0]
    assert told[-1] == "bestmove none"
    state = Drift(place=4.5, steps=3)
    assert answers(Drift, f"position fen {state_word(state)}", "query gameover") == ["response true"]
