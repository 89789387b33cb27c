"""Programs that speak GTP play here: the commands they get, the answers they give, and how they fail."""

import os
import signal
import threading

import pytest

import branchwise as bw
from branchwise.bots.programs.gtp import GtpBot
from branchwise.games.connect_four import ConnectFour
from branchwise.games.mnk import MNK
from branchwise.games.pig import Pig
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.games.twenty_forty_eight import TwentyFortyEight
from support.engine_talk import first_point, own_engine
from support.passing import Passing
from support.rules import Race

PREPARED = ["list_commands", "name", "version"]


def commands(log):
    """Return the commands that a program received, without their numbers."""
    return [line.partition(" ")[2] for line in log.read_text().splitlines()]


def choose(bot, state, *moves, limit=None):
    actions = []
    for move in moves:
        actions.append(state.action_from_string(move))
        state.apply_action(actions[-1])
    try:
        return state.action_to_string(bot.choose(state, limit, actions))
    finally:
        bot.close()


def test_a_game_is_sent_move_by_move(tmp_path):
    log = tmp_path / "log"
    bot = first_point("", log, options={"level": 5})
    bot.new_game()
    state, actions = TicTacToe(), []
    for move in (None, "b2", None, "c3", None):
        actions.append(bot.choose(state, None, actions) if move is None else state.action_from_string(move))
        state.apply_action(actions[-1])
    bot.close()
    assert state.is_terminal()
    assert state.returns() == (1.0, -1.0)
    assert commands(log) == [
        *PREPARED,
        "level 5",
        "boardsize 3",
        "clear_board",
        "genmove b",
        "play w B2",
        "genmove b",
        "play w C3",
        "genmove b",
        "",
    ]
    assert log.read_text().splitlines()[-1] == "quit"


def test_the_second_player_is_white_and_openings_are_played_first(tmp_path):
    log = tmp_path / "log"
    assert choose(first_point("", log), TicTacToe(), "a1", "b2", "b1") == "c1"
    assert commands(log)[3:9] == [
        "boardsize 3",
        "clear_board",
        "play b A1",
        "play w B2",
        "play b B1",
        "genmove w",
    ]


def test_moves_taken_back_clear_the_board(tmp_path):
    log = tmp_path / "log"
    bot = first_point("", log)
    bot.choose(TicTacToe.from_actions("a1 b2"), None, [6, 4])
    bot.choose(TicTacToe.from_actions("c3"), None, [2])
    bot.close()
    assert commands(log)[5:-1] == [
        "play b A1",
        "play w B2",
        "genmove b",
        "clear_board",
        "play b C3",
        "genmove w",
    ]


def test_a_new_game_begins_with_an_empty_board(tmp_path):
    log = tmp_path / "log"
    bot = first_point("", log)
    for _ in range(2):
        bot.new_game()
        bot.choose(TicTacToe(), None, [])
    bot.close()
    assert commands(log)[3:-1] == ["boardsize 3", "clear_board", "genmove b"] * 2


def test_the_ninth_column_is_j(tmp_path):
    log = tmp_path / "log"
    nine = MNK.configured(rows=9, columns=9, in_a_row=5)
    assert choose(first_point("", log), nine(), *["a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1"]) == "i1"
    assert choose(first_point("", log), nine(), "i1") == "a1"
    assert "play b J1" in commands(log)
    assert choose(first_point("", log, skips_i=False), nine(), "i1") == "a1"
    assert "play b I1" in commands(log)


def test_a_point_stands_for_the_cell_where_a_piece_lands(tmp_path):
    state = ConnectFour()
    assert choose(first_point("knows rectangles", tmp_path / "log"), state, "a1", "b1") == "c1"
    assert commands(tmp_path / "log")[3:7] == [
        "rectangular_boardsize 7 6",
        "clear_board",
        "play b A1",
        "play w B1",
    ]


def test_a_forced_pass_is_sent_and_left_out_where_the_program_refuses_it(tmp_path):
    log = tmp_path / "log"
    assert choose(first_point("", log), Passing(), "a1", "pass") == "b1"
    assert commands(log)[5:8] == ["play b A1", "play w pass", "genmove b"]
    log.unlink()
    assert choose(first_point("passes by itself", log), Passing(), "a1", "pass", "b1") == "a2"
    assert commands(log)[5:9] == ["play b A1", "play w pass", "play b B1", "genmove w"]


def test_a_forced_pass_is_not_asked_for(tmp_path):
    assert choose(first_point("", tmp_path / "log"), Passing(), "a1") == "pass"
    assert "genmove w" not in commands(tmp_path / "log")


@pytest.mark.parametrize(
    ("options", "limit", "fault", "sent"),
    [
        ({}, None, "", []),
        ({"seconds": 2.5}, None, "", ["time_settings 0 2 1", "time_left b 2 1"]),
        ({}, bw.Limit(seconds=3.0), "", ["time_settings 0 3 1", "time_left b 3 1"]),
        ({"seconds": 2}, bw.Limit(seconds=3.0), "", ["time_settings 0 2 1", "time_left b 2 1"]),
        (
            {"seconds": 0.25},
            None,
            "counts fractions",
            ["kata-time_settings byoyomi 0 0.25 1", "time_left b 0.25 1"],
        ),
        ({"clock": 60}, None, "", ["time_settings 60 0 0", "time_left b 60 0"]),
        ({"clock": 60, "increment": 1.5}, None, "", ["time_settings 60 0 0", "time_left b 60 0"]),
        (
            {"clock": 60, "increment": 1.5},
            None,
            "counts fractions",
            ["kata-time_settings fischer 60 1.5", "time_left b 60 0"],
        ),
        (
            {"clock": 60},
            bw.Limit(clocks=(9.75, 5.0), increments=(1.0, 1.0)),
            "",
            ["time_settings 9 0 0", "time_left b 9 0"],
        ),
        ({"seconds": 2, "times": False}, None, "", []),
        ({"seconds": 0.1, "times": False}, None, "", []),
        ({"seconds": 2}, None, "has no clock", []),
    ],
)
def test_times_are_sent_as_the_program_knows_them(tmp_path, options, limit, fault, sent):
    log = tmp_path / "log"
    choose(first_point(fault, log, **options), TicTacToe(), limit=limit)
    assert commands(log)[5:-2] == sent


def test_times_are_set_once_and_the_time_left_before_each_move(tmp_path):
    log = tmp_path / "log"
    bot = first_point("", log, seconds=2)
    for moves in ([], [6, 4]):
        bot.choose(TicTacToe.from_actions(moves), None, moves)
    bot.close()
    times = [line for line in commands(log) if line.startswith("time")]
    assert times == ["time_settings 0 2 1", "time_left b 2 1", "time_left b 2 1"]


def test_a_fraction_of_a_second_is_refused_where_it_cannot_be_sent():
    with pytest.raises(
        bw.SettingsError, match=r"GTP counts whole seconds, so .* cannot be given 0\.25 s"
    ) as caught:
        choose(first_point("", seconds=0.25), TicTacToe())
    assert "times=False" in caught.value.mend


def test_a_seed_is_sent_to_a_program_that_takes_one(tmp_path):
    log = tmp_path / "log"
    choose(first_point("", log, seed=2**40 + 7), TicTacToe())
    assert commands(log)[3] == "set_random_seed 7"


def test_the_game_is_chosen_in_a_program_that_plays_several(tmp_path):
    log = tmp_path / "log"
    choose(first_point("plays several games", log), TicTacToe())
    assert commands(log)[3:6] == ["list_games", "set_game Tic-Tac-Toe", "boardsize 3"]


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("plays Go", "plays go, not tic_tac_toe"),
        ("plays another game", "plays Nine Men's Morris, not tic_tac_toe"),
        ("plays several games", "plays Othello and Tic-Tac-Toe, not connect_four"),
    ],
)
def test_a_program_for_another_game_is_refused(fault, told):
    state = ConnectFour() if "connect_four" in told else TicTacToe()
    with pytest.raises(bw.EngineError) as caught:
        choose(first_point(fault), state)
    assert told in caught.value.problem
    assert not caught.value.illegal


@pytest.mark.parametrize(("fault", "name"), [("plays Go", "Go"), ("plays another game", "nine_mens_morris")])
def test_a_program_can_know_the_game_by_another_name(fault, name):
    assert choose(first_point(fault, game=name), TicTacToe()) == "a1"


@pytest.mark.parametrize(
    ("fault", "told", "illegal"),
    [
        ("plays what is illegal", 'answered "Z25", which is not a legal move', True),
        ("plays nothing", 'answered genmove with "", which is no move', True),
        ("plays two moves", 'answered genmove with "A1 B1", which is no move', True),
        ("refuses to play", 'refused "genmove b": it is not my turn', False),
        ("refuses moves", 'refused "play b B2": illegal move', False),
        ("has one size", 'refused "boardsize 3": unacceptable size', False),
        ("dies at the start", "ended by itself, with exit status 1", False),
        ("dies in the game", 'ended by itself, with exit status 1, after the command "genmove b"', False),
        ("is killed", "was ended by signal 11", False),
        ("closes its output", "closed its output", False),
        ("answers without an end", "with more than 10,000 lines", False),
    ],
)
def test_a_fault_is_an_error_that_names_it(fault, told, illegal):
    with pytest.raises(bw.EngineError) as caught:
        choose(first_point(fault), TicTacToe(), "b2", "a1")
    assert told in caught.value.problem
    assert caught.value.illegal is illegal


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("hangs", 'did not answer "genmove b" within 0.5 s'),
        ("talks without an end", 'did not answer "genmove b" within 0.5 s, but wrote "thinking"'),
        (
            "speaks UGI",
            'did not answer "list_commands" within 0.5 s, but wrote "unknown command: 1 list_commands"',
        ),
    ],
)
def test_silence_and_noise_end_with_the_patience(fault, told):
    bot = first_point(fault, patience=20.0 if fault != "speaks UGI" else 0.5)
    if fault != "speaks UGI":
        bot.new_game()
        bot._patience = bot._engine._patience = 0.5
    with pytest.raises(bw.EngineError) as caught:
        choose(bot, TicTacToe())
    assert told in caught.value.problem
    assert "speaks GTP" in caught.value.mend


def test_after_a_fault_the_program_is_started_again():
    bot = first_point("plays what is illegal")
    for _ in range(2):
        with pytest.raises(bw.EngineError):
            bot.choose(TicTacToe(), None, [])
    bot.close()


@pytest.mark.parametrize("fault", ["answers the last question again", "numbers nothing"])
def test_answers_are_matched_to_their_questions(fault):
    assert choose(first_point(fault), TicTacToe()) == "a1"


def test_a_program_that_resigns_says_so():
    bot = first_point("resigns")
    with pytest.raises(bw.ResignedError, match="resigns"):
        bot.choose(TicTacToe(), None, [])
    with pytest.raises(bw.ResignedError):
        bot.choose(TicTacToe(), None, [])
    bot.close()


def test_stop_interrupts_a_program_that_can_be(tmp_path):
    log = tmp_path / "log"
    bot = first_point("thinks until it is interrupted", log)
    threading.Timer(1.0, bot.stop).start()
    assert choose(bot, TicTacToe()) == "a1"
    assert "# interrupt" in log.read_text().splitlines()


def test_a_program_beyond_its_time_is_interrupted(tmp_path):
    bot = first_point("thinks until it is interrupted", tmp_path / "log", seconds=1)
    assert choose(bot, TicTacToe()) == "a1"


def test_after_an_interrupt_the_board_is_sent_again(tmp_path):
    log = tmp_path / "log"
    bot = first_point("thinks until it is interrupted", log)
    bot.new_game()
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        bot.choose(TicTacToe(), None, [])
    threading.Timer(1.0, bot.stop).start()
    assert choose(bot, TicTacToe(), "c3") == "a1"
    sent = [line for line in commands(log) if line.startswith(("clear", "play", "genmove"))]
    assert sent == ["clear_board", "genmove b", "clear_board", "play b C3", "genmove w"]


def test_unknown_moves_are_refused():
    with pytest.raises(bw.GameError, match="the moves that led to this tic_tac_toe position are unknown"):
        first_point().choose(TicTacToe.from_actions("a1 b2 c3 a2 a3"))


@pytest.mark.parametrize(
    ("game", "told"),
    [
        (Pig, "pig has chance in it"),
        (Race, "race has 3 players"),
        (TwentyFortyEight, "twenty_forty_eight has one player"),
        (MNK.configured(rows=30, columns=3, in_a_row=3), "more than the 25 columns or rows of GTP"),
    ],
)
def test_games_that_gtp_does_not_suit_are_refused_before_any_game(game, told):
    with pytest.raises(bw.GameError) as caught:
        first_point().check_game(game)
    assert told in caught.value.problem


def test_our_own_programs_play_what_the_bot_plays():
    spec, other, moves = "mcts(simulations=50)", "flat(simulations=20)", []
    for bot in (bw.load_bot(spec, seed=7), GtpBot(command=own_engine("tic_tac_toe", spec, 7, "gtp"))):
        bots, state, actions = [bot, bw.load_bot(other, seed=1)], TicTacToe(), []
        while not state.is_terminal():
            actions.append(bots[state.current_player()].choose(state, None, actions))
            state.apply_action(actions[-1])
        bot.close()
        moves.append(actions)
    assert moves[0] == moves[1]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("gtp", "names no program"),
        ("gtp(command=x,times=3)", "times = 3 is neither True nor False"),
        ("gtp(command=x,skips_i='no')", "skips_i = 'no' is neither True nor False"),
        ("gtp(command=x,game=5)", "game = 5 is not a text"),
        ("gtp(command=x,seconds=1,clock=60)", "either a clock or seconds"),
        ("gtp(command=x,nodes=5)", 'no option of gtp "nodes"'),
        ("gtp(command=x,options=5)", "options = 5 are not names with values"),
    ],
)
def test_a_bad_text_form_is_refused_with_a_reason(spec, told):
    with pytest.raises(bw.BranchwiseError) as caught:
        bw.load_bot(spec)
    assert told in str(caught.value)


def test_text_forms_read_back():
    for options in (
        {"command": "gnugo --mode gtp", "options": {"level": 3}},
        {"command": "x", "seconds": 2.0, "times": False, "skips_i": False, "game": "hex"},
        {
            "command": own_engine("tic_tac_toe", "mcts(simulations=100)", 1, "gtp"),
            "clock": 9.0,
            "increment": 1.0,
        },
    ):
        text = repr(GtpBot(**options))
        assert repr(bw.load_bot(text)) == text


def test_a_command_that_the_program_does_not_know_is_refused():
    with pytest.raises(bw.UnknownNameError, match='no command of the engine "levle"; did you mean "level"'):
        choose(first_point(options={"levle": 3}), TicTacToe())
