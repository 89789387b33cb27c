"""Programs that speak UCI play here, and our bots play in the windows of chess programs."""

import time

import pytest

import branchwise as bw
from branchwise.bots.programs.uci import UciBot
from branchwise.bots.servers.uci_server import UciServer, score_of
from branchwise.games.chess import Chess
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.pig import Pig
from branchwise.games.tic_tac_toe import TicTacToe
from support.engine_talk import first_cell, own_engine
from support.line_talk import LineTalk
from support.rules import Race


class Noted(TicTacToe):
    """Tic-tac-toe with a notation for positions: the cells row by row, then the player to move."""

    def to_fen(self):
        cells = "".join(cell.text for row in self.to_grid().cells for cell in row)
        return f"{cells} {'xo'[self.current_player()]}"

    @classmethod
    def from_fen(cls, text):
        cells, _ = text.split()
        marks = {mark: [k for k, cell in enumerate(cells) if cell == mark] for mark in "XO"}
        order = [cell for pair in zip(marks["X"], marks["O"], strict=False) for cell in pair]
        return cls.from_actions([*order, *marks["X"][len(marks["O"]) :]])


def choose(bot, state, *moves, limit=None):
    actions = []
    for move in moves:
        actions.append(state.action_from_string(move))
        state.apply_action(actions[-1])
    try:
        return state.action_to_string(bot.choose(state, limit, actions))
    finally:
        bot.close()


# --- programs as bots -----------------------------------------------------------------------------------


def test_a_game_is_sent_in_the_words_of_uci(tmp_path):
    log = tmp_path / "log"
    bot = first_cell("", log, options={"Skill Level": 3}, seconds=0.25)
    assert choose(bot, TicTacToe(), "a3", "b3") == "c3"
    assert log.read_text().splitlines() == [
        "uci",
        "setoption name UCI_Variant value tictactoe",
        "setoption name Skill Level value 3",
        "isready",
        "ucinewgame",
        "isready",
        "position startpos moves a3 b3",
        "go movetime 250",
        "quit",
    ]
    assert bot.info.score == "cp 12"


@pytest.mark.parametrize(
    ("options", "limit", "line"),
    [
        ({}, None, "go movetime 1000"),
        ({"nodes": 5000}, None, "go nodes 5000"),
        ({"depth": 3}, bw.Limit(seconds=0.5), "go movetime 500 depth 3"),
        ({"clock": 60, "increment": 0.5}, None, "go wtime 60000 btime 60000 winc 500 binc 500"),
        (
            {"clock": 60},
            bw.Limit(clocks=(5.0, 7.5), increments=(1.0, 1.0)),
            "go wtime 5000 btime 7500 winc 1000 binc 1000",
        ),
    ],
)
def test_limits_and_clocks_are_sent_in_milliseconds(tmp_path, options, limit, line):
    choose(first_cell("", tmp_path / "log", **options), TicTacToe(), limit=limit)
    assert line in (tmp_path / "log").read_text().splitlines()


def test_a_position_without_known_moves_is_sent_as_fen(tmp_path):
    state = Noted.from_actions("a3 b2 c1 a1 c3")
    bot = first_cell("", tmp_path / "log")
    bot.choose(state)
    bot.close()
    assert f"position fen {state.to_fen()}" in (tmp_path / "log").read_text().splitlines()
    with pytest.raises(bw.GameError, match="the moves that led to this tic_tac_toe position are unknown"):
        first_cell().choose(TicTacToe.from_actions("a3 b2 c1 a1 c3"))


@pytest.mark.parametrize(
    ("fault", "told", "illegal"),
    [
        ("plays what is illegal", 'answered "e2e4", which is not a legal move', True),
        ("has no move", 'answered "(none)", which is not a legal move', False),
        ("has a null move", 'answered "0000", which is not a legal move', False),
        (
            "dies in the game",
            'ended by itself, with exit status 2, after the command "go movetime 50"',
            False,
        ),
    ],
)
def test_a_fault_is_an_error_that_names_it(fault, told, illegal):
    with pytest.raises(bw.EngineError) as caught:
        choose(first_cell(fault, seconds=0.05), TicTacToe())
    assert told in caught.value.problem
    assert caught.value.illegal is illegal


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("hangs", 'did not answer "go movetime 50" within 0.55 s'),
        ("speaks another language", 'did not answer "uci" within 0.5 s, but wrote "xboardok"'),
    ],
)
def test_silence_and_another_language_end_with_the_patience(fault, told):
    with pytest.raises(bw.EngineError) as caught:
        choose(first_cell(fault, seconds=0.05, patience=0.5), TicTacToe())
    assert told in caught.value.problem
    assert "speaks UCI" in caught.value.mend


def test_a_program_beyond_its_time_is_told_to_stop(tmp_path):
    log = tmp_path / "log"
    assert choose(first_cell("thinks until it is told to stop", log, seconds=0.05), TicTacToe()) == "a3"
    assert "stop" in log.read_text().splitlines()


@pytest.mark.parametrize("game", [ConnectFour, Nim])
def test_a_chess_program_is_not_asked_for_another_game(game):
    bot = UciBot(command="stockfish")
    for refuse in (lambda: bot.check_game(game), lambda: bot.choose(game())):
        with pytest.raises(bw.GameError) as caught:
            refuse()
        assert caught.value.problem == f"a program that speaks UCI plays chess, not {game.name}"
        assert f"options={{'UCI_Variant':'{game.name}'}}" in caught.value.mend
    with pytest.raises(bw.GameError, match="plays chess, not tic_tac_toe"):
        bw.Match("tic_tac_toe", ["uci(command=sh)", "random"], games=2)


@pytest.mark.parametrize("game", [Pig, Race])
def test_games_that_uci_does_not_suit_are_refused(game):
    with pytest.raises(bw.GameError, match="GTP and UCI are for two players without chance"):
        first_cell().check_game(game)


def test_a_variant_that_the_program_does_not_know_is_refused():
    with pytest.raises(bw.SettingsError, match="UCI_Variant = 'connect4' is unknown to the engine"):
        choose(first_cell(options={"UCI_Variant": "connect4"}), TicTacToe())


def test_text_forms_read_back():
    text = repr(UciBot(command="stockfish", depth=5, options={"Skill Level": 3, "UCI_LimitStrength": True}))
    assert text == "uci(command='stockfish',depth=5,options={'Skill Level':3,'UCI_LimitStrength':True})"
    assert repr(bw.load_bot(text)) == text


def test_our_own_program_plays_what_the_bot_plays():
    spec, played = "mcts(simulations=50)", []
    command = own_engine("tic_tac_toe", spec, 7, "uci")
    ours = UciBot(command=command, options={"UCI_Variant": "tic_tac_toe"}, seconds=20)
    for bot in (bw.load_bot(spec, seed=7), ours):
        state, actions = TicTacToe(), []
        while not state.is_terminal():
            mine = state.current_player() == 0
            actions.append(bot.choose(state, None, actions) if mine else state.legal_actions()[0])
            state.apply_action(actions[-1])
        bot.close()
        played.append(actions)
    assert played[0] == played[1]


# --- bots as programs -----------------------------------------------------------------------------------


@pytest.fixture
def talk():
    talks = []

    def make(game=TicTacToe, bot="random", seed=1):
        talks.append(LineTalk(UciServer, game, bot, seed))
        return talks[-1]

    yield make
    for one in talks:
        assert one.close() is not None


def ask(one, *lines, last):
    one.say(*lines)
    return one.hear(last)


def test_it_says_what_it_is_and_what_can_be_set(talk):
    assert ask(talk(bot="minimax(depth=2)"), "uci", last="uciok") == [
        "id name Branchwise minimax(depth=2)",
        "id author The Branchwise authors",
        "option name bot type string default minimax(depth=2)",
        "option name seed type string default 1",
        "option name MultiPV type spin default 1 min 1 max 20",
        "option name UCI_Variant type combo default tic_tac_toe var tic_tac_toe",
        "uciok",
    ]


def test_it_plays_by_a_chess_clock(talk):
    one = talk(bot="mcts")
    ask(one, "isready", last="readyok")
    heard = ask(
        one, "ucinewgame", "position startpos moves a1 b1", "go wtime 2000 btime 1 winc 0 binc 0", last="best"
    )
    assert heard[-1].split()[1] in {"a2", "b2", "c2", "a3", "b3", "c3", "c1"}
    assert any(line.startswith("info depth ") for line in heard)


def test_positions_are_read_from_fen(talk):
    heard = ask(talk(Noted, "minimax(depth=9)"), "position fen XX.OO.... x moves", "go", last="bestmove")
    assert heard[-1] == "bestmove c3"
    heard = ask(talk(Noted, "minimax(depth=9)"), "position fen XX.OO.... x moves a1", "go", last="bestmove")
    assert heard[-1] == "bestmove c2"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "position fen XX.OO.... x",
            "tic_tac_toe has no FEN / mend: send the moves: position startpos moves ...",
        ),
        ("position startpos moves a1 a1", 'move 2: "a1" is not a legal move here'),
        ("setoption name MultiPV value 0", "MultiPV = 0 is outside its range"),
        ("setoption name MultiPV value x", "MultiPV = x is not a whole number"),
        ("setoption name UCI_Variant value chess", "this program plays tic_tac_toe, not chess"),
        ("setoption name Hash value 16", 'there is no option "hash"'),
        (
            "setoption name bot value uci(command=sh)",
            "the bot cannot be set to uci(command=sh), which runs a program",
        ),
        (
            "setoption name bot value gtp(command=sh)",
            "the bot cannot be set to gtp(command=sh), which runs a program",
        ),
    ],
)
def test_what_cannot_be_done_is_reported(talk, line, told):
    assert told in ask(talk(), line, last="info string error: ")[-1]


def test_no_move_is_made_up_for_a_position_that_was_not_understood(talk):
    one = talk()
    assert ask(one, "position fen ?", "go", last="bestmove")[-1] == "bestmove 0000"
    assert ask(one, "position startpos", "go", last="bestmove")[-1] != "bestmove 0000"
    assert ask(one, "query gameover", "isready", last="readyok") == ["readyok"]


IN_PYTHON = "mcts(simulations=40,compiled=False)"


@pytest.mark.parametrize(
    "go",
    [
        "go searchmoves a1 c1",
        "go searchmoves a1 c1 movetime 500",
        "go nodes 30 searchmoves c1 a1",
        "go infinite searchmoves a1 c1",
    ],
)
def test_only_the_moves_that_are_named_are_searched(talk, go):
    one = talk(bot="mcts(simulations=300)")
    one.say("setoption name MultiPV value 9", "position startpos")
    if "infinite" in go:
        one.say(go, "isready")
        one.hear("readyok")
        one.say("stop")
        heard = one.hear("bestmove")
    else:
        heard = ask(one, go, last="bestmove")
    assert heard[-1].split()[1] in {"a1", "c1"}
    firsts = {line.split(" pv ")[1].split()[0] for line in heard if " pv " in line}
    assert firsts == {"a1", "c1"}
    free = ask(one, "go searchmoves", last="bestmove")
    assert len({line.split(" pv ")[1].split()[0] for line in free if " pv " in line}) == 9


@pytest.mark.parametrize(
    ("bot", "go", "told"),
    [
        (
            "minimax(depth=2)",
            "go searchmoves a1",
            "minimax cannot be restricted to some of the moves / mend: use mcts",
        ),
        ("random", "go searchmoves a1 depth 1", "random cannot be restricted"),
        ("mcts(simulations=9)", "go searchmoves a1 z9", '"z9" is not a legal move here'),
    ],
)
def test_a_restriction_that_cannot_be_kept_is_refused(talk, bot, go, told):
    one = talk(bot=bot)
    heard = ask(one, "position startpos", go, last="bestmove")
    assert told in heard[0]
    assert heard[-1] == "bestmove 0000"


def test_a_drawn_chess_position_is_searched_all_the_same_and_the_draw_is_said(talk):
    """Stockfish 15.1 does the same: it plays a move, and calls one that is no capture a draw by 50 moves."""
    one = talk(Chess, IN_PYTHON)
    there_and_back = "g1f3 g8f6 f3g1 f6g8"
    heard = ask(one, f"position startpos moves {there_and_back} {there_and_back}", "go", last="bestmove")
    assert heard[0] == "info string draw: third repetition; the position is searched all the same"
    assert heard[-1] != "bestmove 0000"
    heard = ask(one, "position fen 7k/8/8/8/8/p7/R7/K7 w - - 100 80", "go nodes 60", last="bestmove")
    assert heard[0] == "info string draw: 50 moves; the position is searched all the same"
    assert heard[-1] != "bestmove 0000"
    heard = ask(one, "position fen 7k/8/8/8/8/8/R7/K7 w - - 100 80", "go nodes 60", last="bestmove")
    assert " score cp 0 " in heard[-2]


def test_a_finished_game_is_not_searched(talk):
    one = talk(Chess)
    heard = ask(one, "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go", last="bestmove")
    assert heard == ["info string error: the game is over: stalemate", "bestmove 0000"]
    heard = ask(talk(), "position startpos moves a1 b1 a2 b2 a3", "go", last="bestmove")
    assert heard == ["info string error: the game is over: there is nothing to choose", "bestmove 0000"]


def test_windows_set_memory_and_threads_of_the_bot_by_their_names(talk):
    one = talk(bot="mcts(simulations=200,memory_mb=64)")
    offered = ask(one, "uci", last="uciok")
    assert "option name Hash type spin default 64 min 1 max 4194304" in offered
    assert "option name Threads type spin default 1 min 1 max 256" in offered
    assert "option name Ponder type check default false" in offered
    one.say("setoption name Hash value 2", "setoption name Threads value 2", "position startpos")
    heard = ask(one, "go", last="bestmove")
    assert heard[-1] != "bestmove 0000"
    settings = one.server._bot._planner.settings
    assert (settings.memory_mb, settings.threads) == (2, 2)
    one.say("setoption name bot value mcts(simulations=50,threads=1)", "isready")
    one.hear("readyok")
    settings = one.server._bot._planner.settings
    assert (settings.memory_mb, settings.threads) == (2, 1)
    for line, told in (
        ("setoption name Hash value 0", "Hash = 0 is outside its range"),
        ("setoption name Threads value many", "Threads = many is not a whole number"),
        ("setoption name Ponder value perhaps", "Ponder = perhaps is neither true nor false"),
    ):
        assert told in ask(one, line, last="info string error: ")[-1]


def test_it_ponders_until_the_expected_move_is_played(talk):
    one = talk(bot="mcts(simulations=100)")
    one.say("setoption name Ponder value true", "position startpos moves a1 b2")
    heard = ask(one, "go", last="bestmove")
    best, reply = heard[-1].split()[1::2]
    assert heard[-1].split()[2] == "ponder"
    one.say(f"position startpos moves a1 b2 {best} {reply}", "go ponder wtime 60000 btime 60000")
    one.say("isready")
    one.hear("readyok")
    one.say("ponderhit")
    assert one.hear("bestmove")[-1].split()[1] not in {"a1", "b2", best, reply, "0000"}


def test_pondering_ends_without_a_hit_too_and_a_hit_lets_the_time_count(talk):
    one = talk(bot="mcts")
    one.say("position startpos moves a1 b2", "go ponder wtime 9000 btime 9000", "isready")
    one.hear("readyok")
    time.sleep(0.3)
    one.say("isready")
    assert not any(line.startswith("bestmove") for line in one.hear("readyok"))
    one.say("stop")
    assert one.hear("bestmove")[-1] != "bestmove 0000"
    one.say("position startpos moves a1 b2", "go ponder wtime 400 btime 400", "isready")
    one.hear("readyok")
    one.say("ponderhit")
    one.hear("bestmove", seconds=20)
    one.say("ponderhit", "isready")  # nobody ponders
    assert one.hear("readyok")[-1] == "readyok"


def test_several_lines_are_shown_best_first(talk):
    one = talk(bot="mcts(simulations=400)")
    one.say("setoption name MultiPV value 3", "position startpos moves a1 b1")
    heard = [line.split() for line in ask(one, "go", last="bestmove")]
    last = heard[-4:-1]
    assert [words[words.index("multipv") + 1] for words in last] == ["1", "2", "3"]
    assert last[0][last[0].index("pv") + 1] == heard[-1][1]
    assert len({words[words.index("pv") + 1] for words in last}) == 3


@pytest.mark.parametrize(
    ("moves", "score"),
    [
        ("a1 b1 a2 b2", "mate 1"),
        ("a1 b1 c3 c1 a3 a2", "mate 1"),
        ("a1 c1 a3 b1 b3 c3", "mate 1"),
        ("a1 b1", "mate 3"),
    ],
)
def test_a_proven_win_is_a_mate(moves, score):
    result = bw.MCTS(seed=1).search(TicTacToe.from_actions(moves), simulations=20_000)
    assert score_of(result, result.children[0]) == score


def test_a_proven_loss_is_a_mate_against_the_player_to_move():
    result = bw.MCTS(seed=1).search(TicTacToe.from_actions("a1 c1 c3 b2 a3"), simulations=20_000)
    assert score_of(result, result.children[0]) == "mate -1"


def test_values_are_centipawns():
    result = bw.MCTS(seed=1).search(ConnectFour(), simulations=500)
    child = result.children[0]
    for value, score in ((0.0, "cp 0"), (0.5, "cp 89"), (-0.5, "cp -89"), (1.0, "cp 12780")):
        stated = type(child)(
            **{
                **{f: getattr(child, f) for f in ("action", "visits", "line")},
                "value": value,
                "lower_bound": None,
            }
        )
        assert score_of(result, stated) == score
