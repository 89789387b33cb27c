"""Engines in other languages play here: the commands they get, and the answers they give."""

import os
import signal
import threading
import time

import pytest

import branchwise as bw
from branchwise.bots.programs.engine import EngineBot
from branchwise.common.name_and_options import parse_spec
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from support.engine_talk import PERL_FOUR, faulty, is_gone, own_engine, process_ids, told
from support.rules import Race


@pytest.fixture
def four():
    """A bot that is an engine written in Perl, for Connect Four."""
    bots = []

    def make(**options):
        bots.append(EngineBot(command=PERL_FOUR, **{"seconds": 0.05} | options))
        return bots[-1]

    yield make
    for bot in bots:
        bot.close()


def play(bots, game=ConnectFour, opening=()):
    state, moves = game.from_actions(opening), []
    while not state.is_terminal():
        action = bots[state.current_player()].choose(state)
        assert action in state.legal_actions()
        moves.append(action)
        state.apply_action(action)
    return state, moves


def test_an_engine_in_perl_beats_random_play_from_both_seats(four):
    engine, score = four(), 0
    for game in range(10):
        other = bw.load_bot("random", seed=game)
        engine.new_game()
        bots = [engine, other] if game % 2 == 0 else [other, engine]
        score += play(bots)[0].returns()[game % 2]
    assert score >= 8
    assert engine.info.nodes == 7
    assert engine.info.line


@pytest.mark.parametrize(
    ("moves", "answer"),
    [("a1 g1 b1 g2 c1", "d1"), ("a1 g1 b1 g2 c1 g3", "d1"), ("d1 a1 d2 a2 d3 a3", "d4"), ("d1 a1 d2", "d3")],
)
def test_it_sees_the_position_that_it_is_asked_about(four, moves, answer):
    engine, state, actions = four(), ConnectFour(), []
    for move in moves.split():
        actions.append(state.action_from_string(move))
        state.apply_action(actions[-1])
    assert state.action_to_string(engine.choose(state, moves=actions)) == answer


def test_options_and_seed_reach_the_engine(four):
    start = ConnectFour()
    assert four().choose(start) == 3
    assert four(options={"edge": True}).choose(start) in (0, 6)
    middle_is_full, chosen = ConnectFour.from_actions([3] * 6), {}
    for seed in (5, 12, -2, 3):
        engine = four(seed=seed)
        chosen[seed] = engine.choose(middle_is_full, None, [3] * 6)
    assert chosen == {5: 2, 12: 2, -2: 2, 3: 4}


def test_it_is_reported_games_and_moves_as_the_protocol_has_it(tmp_path):
    log = tmp_path / "log"
    bot = faulty(
        "", log, options={"hash size": 8, "style": "wild", "book": False, "log file": "x y", "clear": 1}
    )
    other = bw.load_bot("random", seed=3)
    bot.new_game()
    _, moves = play([bot, other], Nim.configured(heaps=(6,)))
    bot.close()
    lines = told(log)
    assert lines[:8] == [
        "ugi",
        "setoption name hash size value 8",
        "setoption name style value wild",
        "setoption name book value false",
        "setoption name log file value x y",
        "setoption name clear",
        "isready",
        "uginewgame",
    ]
    assert lines[8:11] == ["isready", "position startpos", "go movetime 50"]
    assert lines[11:14] == ["isready", f"position startpos moves 1 {moves[1] + 1}", "go movetime 50"]
    assert lines[-1] == "quit"
    assert lines.count("uginewgame") == 1


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        ({"seconds": 0.25}, "go movetime 250"),
        ({"seconds": 1e-9}, "go movetime 1"),
        ({"seconds": None}, "go movetime 1000"),
        ({"seconds": None, "nodes": 5000}, "go nodes 5000"),
        ({"seconds": None, "depth": 3}, "go depth 3"),
        ({"seconds": 2, "nodes": 10, "depth": 3}, "go movetime 2000 nodes 10 depth 3"),
        (
            {"seconds": None, "clock": 60, "increment": 0.5},
            "go p1time 60000 p2time 60000 p1inc 500 p2inc 500",
        ),
    ],
)
def test_limits_are_sent_in_milliseconds(tmp_path, limits, line):
    bot = faulty("", tmp_path / "log", **limits)
    bot.choose(Nim())
    bot.close()
    assert line in told(tmp_path / "log")


@pytest.mark.parametrize(
    ("own", "limit", "line"),
    [
        ({"seconds": 5}, bw.Limit(seconds=0.25, nodes=90), "go movetime 250 nodes 90"),
        ({"seconds": 0.25}, bw.Limit(seconds=5, depth=2), "go movetime 250 depth 2"),
        ({"seconds": None}, bw.Limit(nodes=90), "go nodes 90"),
        ({"seconds": None}, bw.Limit(), "go movetime 1000"),
    ],
)
def test_a_limit_tightens_the_bots_own(tmp_path, own, limit, line):
    bot = faulty("", tmp_path / "log", **own)
    bot.choose(Nim(), limit)
    bot.close()
    assert line in told(tmp_path / "log")


def test_clocks_run_down_and_those_of_the_arena_come_first(tmp_path):
    bot = faulty("", tmp_path / "log", seconds=None, clock=60)
    state = Nim()
    state.apply_action(bot.choose(state))
    state.apply_action(bot.choose(state))
    bot.choose(state, bw.Limit(clocks=(5.0, 7.5), increments=(1.0, 1.0)))
    bot.close()
    first, second, third = [line for line in told(tmp_path / "log") if line.startswith("go")]
    assert first == "go p1time 60000 p2time 60000 p1inc 0 p2inc 0"
    assert 0 < int(second.split()[2]) <= 60000
    assert third == "go p1time 5000 p2time 7500 p1inc 1000 p2inc 1000"


def test_every_player_has_a_clock_in_the_line(tmp_path):
    bot = faulty("", tmp_path / "log", seconds=None, clock=9)
    bot.choose(Race())
    bot.close()
    assert "go p1time 9000 p2time 9000 p3time 9000 p1inc 0 p2inc 0 p3inc 0" in told(tmp_path / "log")


def test_moves_taken_back_are_another_game(tmp_path):
    bot = faulty("", tmp_path / "log")
    bot.choose(Nim.from_actions(["1", "1"]))
    bot.choose(Nim.from_actions(["1"]), moves=[1])
    bot.close()
    lines = told(tmp_path / "log")
    assert [line for line in lines if line.startswith(("position", "uginewgame"))] == [
        "uginewgame",
        "position startpos moves 1 1",
        "uginewgame",
        "position startpos moves 1",
    ]


def test_moves_that_are_told_wrongly_are_not_believed(tmp_path):
    bot = faulty("", tmp_path / "log")
    for wrong in ([0, 0], [2, 2, 2], [7], [0, -1]):
        bot.choose(Nim.from_actions(["1", "1"]), moves=wrong)
    bot.close()
    positions = {line for line in told(tmp_path / "log") if line.startswith("position")}
    assert positions == {"position startpos moves 1 1"}


def test_a_position_without_known_moves_is_refused_for_engines_that_read_no_states():
    bot = faulty("")
    with pytest.raises(bw.GameError, match="the moves that led to this nim position are unknown"):
        bot.choose(Nim(chips=[5]))
    assert bot.choose(Nim()) == 0
    bot.close()


def test_stop_ends_the_thinking():
    bot = faulty("thinks until it is told to stop", seconds=60)
    for _ in range(2):
        threading.Timer(0.3, bot.stop).start()
        started = time.monotonic()
        assert bot.choose(Nim()) == 0
        assert time.monotonic() - started < 20
    bot.close()


def test_an_engine_beyond_its_time_is_told_to_stop():
    bot = faulty("thinks until it is told to stop", seconds=0.05)
    assert bot.choose(Nim()) == 0
    bot.close()


def test_after_an_interrupt_the_next_choice_is_a_new_one():
    bot = faulty("thinks until it is told to stop", seconds=60)
    bot.new_game()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        bot.choose(Nim())
    threading.Timer(0.3, bot.stop).start()
    assert bot.choose(Nim()) == 0
    bot.close()


def test_it_starts_with_the_first_use_and_ends_with_close(tmp_path):
    log = tmp_path / "log"
    bot = faulty("", log)
    assert not log.exists()
    bot.close()
    bot.new_game()
    (engine,) = process_ids(log)
    bot.close()
    assert is_gone(engine)
    assert bot.choose(Nim()) == 0
    assert process_ids(log) != [engine]
    bot.close()


def test_the_end_of_the_bot_is_the_end_of_the_engine(tmp_path):
    log = tmp_path / "log"
    bot = faulty("", log)
    bot.new_game()
    (engine,) = process_ids(log)
    del bot
    assert is_gone(engine)


def test_our_own_engine_plays_what_the_bot_plays():
    spec, seed, other = "mcts(simulations=100)", 7, "flat(simulations=20)"
    direct = play([bw.load_bot(spec, seed=seed), bw.load_bot(other, seed=1)])[1]
    engine = EngineBot(command=own_engine("connect_four", spec, seed), seconds=20)
    assert play([engine, bw.load_bot(other, seed=1)])[1] == direct
    unseeded = EngineBot(command=own_engine("connect_four", spec), seconds=20, seed=seed)
    assert play([unseeded, bw.load_bot(other, seed=1)])[1] == direct
    # A position that was never on the way to it is sent as JSON.
    state = ConnectFour.from_actions([0, 1, 2, 3, 4, 5, 6, 0, 1])
    assert engine.choose(state) in state.legal_actions()
    assert engine.info.nodes == 100
    engine.close()
    unseeded.close()


def test_text_forms_with_quotes_commas_and_equals_signs_read_back():
    for options in (
        {"command": "python my_engine.py", "seconds": 0.1},
        {"command": "./mine --book 'a b' x=1,y=2 (z)", "nodes": 5, "options": {"hash size": 64, "b": True}},
        {"command": """x "it's" """, "clock": 3.0, "increment": 1.0},
        {"command": own_engine("nim(heaps=(3,4,5))", "mcts(simulations=100,playout='mast(epsilon=0.2)')")},
    ):
        text = repr(EngineBot(**options))
        assert repr(bw.load_bot(text)) == text
        assert bw.load_bot(text).options()["command"] == options["command"]
        _, inner = parse_spec(f"ladder(against={text},games=2)")
        assert repr(bw.load_bot(inner["against"])) == text


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("engine", "names no program"),
        ("engine(command='')", "names no program"),
        ("engine(command=5)", "command = 5 is not a text"),
        ("engine(command='a \"b')", "cannot read the command"),
        ("engine(command=x,second=1)", 'did you mean "seconds"'),
        ("engine(command=x,seconds=0)", "seconds = 0 is outside its range"),
        ("engine(command=x,seconds=1,clock=60)", "either a clock or seconds"),
        ("engine(command=x,increment=1)", "increment is given without clock"),
        ("engine(command=x,nodes=0)", "nodes = 0 is outside its range"),
        ("engine(command=x,depth=1.5)", "depth = 1.5 is not a whole number"),
        ("engine(command=x,options=5)", "options = 5 are not names with values"),
        ("engine(command=x,options={1:2})", "are not names with values"),
        ("engine(command=x,patience=0)", "patience = 0 is outside its range"),
        ("engine(command=x,folder=3)", "folder = 3 is not a text"),
    ],
)
def test_a_bad_text_form_is_refused_with_a_reason(spec, text):
    with pytest.raises(bw.BranchwiseError) as caught:
        bw.load_bot(spec)
    assert text in str(caught.value)
