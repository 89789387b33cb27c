"""Our bots by GTP: every command, what is no command, and watching them think."""

import os
import time
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.bots.servers.gtp_server import GtpServer
from branchwise.engines.gtp.language import Answer
from branchwise.games.chess import Chess
from branchwise.games.connect_four import ConnectFour
from branchwise.games.go import Go
from branchwise.games.mnk import MNK
from branchwise.games.nim import Nim
from branchwise.games.othello import Othello
from branchwise.games.pig import Pig
from branchwise.games.tic_tac_toe import TicTacToe
from support.line_talk import LineTalk
from support.passing import Passing
from support.rules import Race

UNRULY = f"{Path(__file__).parents[1] / 'support/unruly.py'}:"
NINE = MNK.configured(rows=9, columns=9, in_a_row=5)


class Client(LineTalk):
    """Asks one question after another."""

    def ask(self, line):
        """Return the answer: whether it was carried out, and its text."""
        self.say(line)
        return self.answer()

    def answer(self):
        lines = self.hear(lambda line: not line)
        begun = Answer.begun_by(lines[0])
        return begun.done, "\n".join([begun.text, *lines[1:-1]]).strip()

    def tells(self, line):
        done, text = self.ask(line)
        assert done, text
        return text

    def refuses(self, line):
        done, text = self.ask(line)
        assert not done, text
        return text


@pytest.fixture
def client():
    clients = []

    def make(game=TicTacToe, bot="random", seed=1, **options):
        clients.append(Client(GtpServer, game, bot, seed, **options))
        return clients[-1]

    yield make
    for one in clients:
        if one.ended is None:
            assert one.close() is not None


def test_it_says_what_it_is_and_what_it_knows(client):
    one = client(bot="minimax(depth=2)", name="Branchwise 9.9")
    assert [one.tells(line) for line in ("protocol_version", "name", "version")] == [
        "2",
        "Branchwise",
        "9.9 minimax(depth=2)",
    ]
    known = one.tells("list_commands").split()
    assert {
        "boardsize",
        "clear_board",
        "komi",
        "play",
        "genmove",
        "undo",
        "time_settings",
        "time_left",
    } <= set(known)
    assert [one.tells(f"known_command {name}") for name in ("genmove", "fly", "")] == [
        "true",
        "false",
        "false",
    ]
    assert "final_score" not in known


def test_answers_carry_the_number_of_their_question(client):
    one = client()
    one.say("12 name", "13 fly", "name # with a comment", "", "# nothing", "\x07 \t 14 \x01name")
    heard = [one.hear(lambda line: not line)[0] for _ in range(4)]
    assert heard == ["=12 Branchwise", "?13 unknown command", "= Branchwise", "=14 Branchwise"]


def test_a_game_is_played_and_shown(client):
    one = client(bot="minimax(depth=9)")
    for line in ("play b a1", "play white B1", "play B a2", "play w b2"):
        one.tells(line)
    assert one.tells("reg_genmove b") == "A3"
    assert one.tells("genmove black") == "A3"
    assert one.tells("showboard") == str(TicTacToe.from_actions("a1 b1 a2 b2 a3")).strip()
    assert one.refuses("genmove w") == "the game is over"
    assert one.tells("undo") == ""
    assert one.tells("gg-undo 2") == ""
    assert one.tells("gogui-rules_side_to_move") == "black"
    assert one.refuses("gg-undo 3") == one.refuses("gg-undo 9") == "cannot undo"
    one.tells("clear_board")
    assert one.refuses("undo") == "cannot undo"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("play b a4", 'illegal move: "a4" is not a legal move here; legal moves are'),
        ("play b pass", 'illegal move: "pass" is not a legal move here'),
        ("play w a1", "illegal move: it is b's turn, who cannot pass"),
        ("play red a1", '"red" is no colour; write b or w'),
        ("play b", "play must be followed by a colour and a point"),
        ("genmove", "genmove must be followed by a colour"),
        ("genmove w", "illegal move: it is b's turn, who cannot pass"),
        ("boardsize", "boardsize must be followed by one or two whole numbers"),
        ("boardsize x", "boardsize must be followed by one or two whole numbers"),
        ("boardsize 9", "unacceptable size; the board of tic_tac_toe has one size"),
        ("komi", "komi must be followed by a number"),
        ("komi nan", "komi must be followed by a number"),
        ("time_settings 1 2", "time_settings must be followed by main time, overtime and its moves"),
        ("time_settings 1 2 x", '"x" is no number of moves'),
        ("time_settings soon 2 1", '"soon" is no time in seconds from 0'),
        ("time_left b 1", "time_left must be followed by a colour, seconds and moves"),
        ("kata-time_settings hourglass 1", '"hourglass 1" is no time control; none, absolute'),
        ("set_random_seed x", "set_random_seed must be followed by a whole number"),
        (
            "lz-analyze b avoid b a1",
            "avoid must be followed by a colour, points and a depth; avoid b D4,Q16 1",
        ),
        ("lz-analyze b avoid b a1 soon", "avoid must be followed by a colour"),
        ("lz-analyze b avoid b a1,z9 1", '"z9" is not a legal move here'),
        ("kata-analyze b avoid b a1 1", "random cannot be restricted to some of the moves; use mcts"),
        ("kata-analyze b allow b a1 1 avoid b a2 1", "allow stands alone"),
        ("kata-analyze b allow w a1 1 allow b a2 1", "allow stands alone"),
        ("lz-analyze b soon 3", '"soon 3" is not understood; interval N, maxmoves N'),
        ("lz-analyze interval x", '"x" is no number of hundredths of a second'),
        ("lz-analyze", "random does not report on its search, so there is nothing to show; --bot mcts does"),
        ("fly", "unknown command"),
    ],
)
def test_nonsense_is_refused_and_changes_nothing(client, line, told):
    one = client()
    assert one.refuses(line).startswith(told)
    assert one.tells("gogui-rules_legal_moves") == "A3 B3 C3 A2 B2 C2 A1 B1 C1"


def test_points_leave_out_the_letter_i(client):
    one = client(NINE, "minimax(depth=1)")
    one.tells("play b j9")
    assert '"J9" is not a legal move here; legal moves are A9 B9' in one.refuses("play w J9")
    assert "J9" not in one.tells("gogui-rules_legal_moves").split()
    assert one.refuses("play w i8").startswith('illegal move: "i8" is not a legal move here')
    assert one.tells("gogui-rules_board").splitlines()[0] == ". . . . . . . . X"


def test_another_size_is_another_variant_of_the_game(client):
    one = client(NINE)
    one.tells("play b e5")
    assert one.tells("boardsize 7") == ""
    assert one.tells("gogui-rules_board_size") == "7"
    assert len(one.tells("gogui-rules_legal_moves").split()) == 49
    assert one.tells("rectangular_boardsize 6 5") == ""
    assert len(one.tells("gogui-rules_legal_moves").split()) == 30
    assert one.refuses("boardsize 26").startswith("unacceptable size: the board of mnk(rows=26,columns=26")
    assert one.refuses("boardsize 3").startswith("unacceptable size: mnk(in_a_row=5) does not fit")
    assert one.tells("gogui-rules_board_size") == "6"
    assert one.tells("genmove b")[0] in "ABCDEF"


def test_a_komi_keeps_the_moves_and_is_ignored_by_games_without_one(client):
    class Komi(TicTacToe):
        komi = 7.5

        def returns(self):
            return (-1.0, 1.0) if self.komi > 5 else (1.0, -1.0)

    one = client(Komi)
    one.tells("play b b2")
    one.tells("komi 0.5")
    assert one.server._game.name.endswith("(komi=0.5)")
    assert "B2" not in one.tells("gogui-rules_legal_moves").split()
    one.tells("komi 7.5")
    assert one.server._game is Komi
    other = client()
    other.tells("komi 6.5")
    assert other.server._game is TicTacToe


def test_a_colour_may_play_twice_where_the_other_can_pass(client):
    one = client(Passing, "minimax(depth=5)")
    one.tells("play b a1")
    assert one.tells("genmove b") in ("B1", "A2", "B2")
    assert one.tells("gogui-rules_side_to_move") == "white"
    one.tells("undo")
    assert one.tells("gogui-rules_side_to_move") == "white"
    assert one.tells("gogui-rules_legal_moves") == "pass"
    assert one.refuses("gg-undo 2") == "cannot undo"
    one.tells("gg-undo 1")
    assert one.tells("gogui-rules_side_to_move") == "black"


SMALL = Go.configured(size=5, komi=0.5)
IN_PYTHON = "mcts(simulations=40,compiled=False)"


def test_who_moves_out_of_turn_does_not_find_a_pass_of_the_other(client):
    """GNU Go 3.8 plays a point, too, where White begins with a komi of 0.5."""
    one = client(SMALL, IN_PYTHON)
    for colour in ("w", "w", "b", "b"):
        assert one.tells(f"genmove {colour}") != "pass"
        assert one.server._played.state.passes == 0
    one.tells("undo")
    assert one.tells("gogui-rules_side_to_move") == "white"
    one.tells("gg-undo 2")
    assert one.tells("gogui-rules_side_to_move") == "black"
    assert len(one.server._board.stones(one.server._played.state, 1)) == 1
    one.tells("undo")
    assert one.refuses("undo") == "cannot undo"


def test_passes_of_one_colour_alone_do_not_end_the_game(client):
    one = client(SMALL)
    for line in ("play b pass", "play b pass", "play b C3", "play w pass"):
        one.tells(line)
    assert one.tells("gogui-rules_final_result") == "the game is not over"
    one.tells("play b pass")
    assert one.tells("gogui-rules_final_result") == "Black wins"


def test_after_two_passes_a_program_may_go_on(client):
    """GNU Go 3.8 does so, and KGS lets players who disagree about dead stones go on."""
    one = client(SMALL, IN_PYTHON)
    for line in ("play b C3", "play w B2", "play b pass", "play w pass"):
        one.tells(line)
    assert one.tells("final_status_list dead") == one.tells("final_status_list seki") == ""
    assert one.tells("final_status_list alive").split() == ["C3", "B2"]
    assert one.refuses("final_status_list happy") == "invalid status; alive, dead or seki"
    assert one.tells("kgs-genmove_cleanup b") in one.server._board.points(SMALL())
    one.tells("play b A1")
    one.tells("gg-undo 4")
    assert one.tells("gogui-rules_side_to_move") == "black"


def test_a_position_is_set_up_by_moves_of_one_colour_under_any_komi(client):
    one = client(Go)
    for point in ("D4", "E5", "F6"):
        one.tells(f"play w {point}")
    one.tells("play b C3")
    one.tells("komi 5.5")
    one.tells("play b C4")
    state = one.server._played.state
    assert state.komi == 5.5
    assert [one.server._board.stones(state, player) for player in (0, 1)] == [
        ["C4", "C3"],
        ["F6", "E5", "D4"],
    ]
    assert one.server._bot is not None
    assert one.tells("reg_genmove w") in one.server._board.points(state)


def test_handicap_stones_are_black_and_white_begins(client):
    one = client(Go)
    assert one.tells("fixed_handicap 4") == "C7 G7 C3 G3"
    assert one.tells("gogui-rules_side_to_move") == "white"
    assert one.refuses("fixed_handicap 2") == one.refuses("set_free_handicap D4 E5") == "board not empty"
    one.tells("play w E5")
    one.tells("komi 0.5")
    assert one.tells("final_status_list alive").split() == ["C7", "G7", "C3", "G3", "E5"]
    one.tells("undo")
    assert one.refuses("undo") == "cannot undo"
    one.tells("clear_board")
    one.tells("set_free_handicap A1 b2 J9")
    assert one.tells("final_status_list alive").split() == ["J9", "B2", "A1"]
    one.tells("boardsize 8")
    assert one.tells("place_free_handicap 7") == "C6 F6 C3 F3"  # fewer than requested, as GTP allows


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("fixed_handicap 10", "invalid number of stones; 2 to 9 on this board"),
        ("fixed_handicap 1", "invalid number of stones; give a whole number, at least 2"),
        ("fixed_handicap", "invalid number of stones"),
        ("place_free_handicap two", "invalid number of stones"),
        ("set_free_handicap D4", "set_free_handicap must be followed by at least 2 points"),
        ("set_free_handicap D4 D4", "repeated vertex"),
        ("set_free_handicap D4 pass", "a handicap stone cannot pass"),
        ("set_free_handicap D4 Z4", '"Z4" is not a legal move here'),
    ],
)
def test_handicaps_that_cannot_be_are_refused_and_leave_the_board_empty(client, line, told):
    one = client(Go)
    assert one.refuses(line).startswith(told)
    assert one.tells("final_status_list alive") == ""


@pytest.mark.parametrize(
    "line",
    [
        "fixed_handicap 2",
        "place_free_handicap 2",
        "set_free_handicap a1 b1",
        "kgs-genmove_cleanup b",
        "final_status_list dead",
    ],
)
@pytest.mark.parametrize("game", [TicTacToe, Othello, Chess], ids=lambda game: game.name)
def test_other_games_have_no_handicap_stones_and_no_dead_ones(client, game, line):
    assert client(game).refuses(line) == "unknown command"


def test_goguis_rules_show_a_board_that_is_not_square_in_the_corner_of_a_square_one(client):
    one = client(ConnectFour)
    one.tells("boardsize 7")
    one.tells("play b d1")
    one.tells("play w d2")
    assert one.tells("gogui-rules_game_id") == "connect_four"
    assert one.tells("gogui-rules_board_size") == "7"
    assert one.tells("gogui-rules_board").splitlines() == [
        *[". . . . . . ."] * 5,
        ". . . O . . .",
        ". . . X . . .",
    ]
    assert one.tells("gogui-rules_legal_moves") == "A1 B1 C1 D3 E1 F1 G1"
    assert one.tells("gogui-rules_final_result") == "the game is not over"
    for line in ("play b c1", "play w d3", "play b b1", "play w d4", "play b a1"):
        one.tells(line)
    assert one.tells("gogui-rules_final_result") == "Black wins"
    assert one.tells("gogui-rules_legal_moves") == ""
    assert "plist/Legal Moves/gogui-rules_legal_moves" in one.tells("gogui-analyze_commands")


def test_a_game_whose_moves_are_no_points_has_no_rules_for_gogui(client):
    one = client(Nim, "minimax(depth=30)")
    assert "gogui-rules" not in one.tells("list_commands")
    assert one.tells("gogui-analyze_commands") == "string/Board/showboard"
    assert one.tells("genmove b") == "1"


@pytest.mark.parametrize("game", [Pig, Race])
def test_games_that_gtp_does_not_suit_are_refused(game):
    with pytest.raises(bw.GameError, match="GTP and UCI are for two players without chance"):
        GtpServer(game, "random", 1, read=None, write=None)


def test_a_score_is_told_if_the_game_has_one(client):
    class Scored(TicTacToe):
        lead = 3.5

        def score(self):
            return self.lead

    assert client(Scored).tells("final_score") == "B+3.5"
    assert client(Scored.configured(lead=-2.0)).tells("final_score") == "W+2"
    assert client(Scored.configured(lead=0.0)).tells("final_score") == "0"


def test_go_and_othello_tell_their_score(client):
    one = client(Go)
    for line, score in (("play b e5", "B+73.5"), ("play w c3", "W+7.5")):
        one.tells(line)
        assert one.tells("final_score") == score
    other = client(Othello)
    assert other.tells("final_score") == "0"
    other.tells("play b d3")
    assert other.tells("final_score") == "B+3"


def test_the_time_of_the_other_program_limits_the_search(client):
    one = client(ConnectFour, "mcts")
    one.tells("genmove b")
    one.tells("clear_board")
    for settings in ("time_settings 0 1 1", "kata-time_settings byoyomi 0 0.2 1", "time_settings 4 0 0"):
        one.tells(settings)
        began = time.monotonic()
        one.tells("reg_genmove b")
        assert time.monotonic() - began < 1.5
    assert one.server._bot.result.ended_by in ("seconds", "stopped")


def test_a_seed_is_set(client):
    one, moves = client(ConnectFour), {}
    for seed in (3, 4, 5, 3):
        one.tells(f"set_random_seed {seed}")
        played = [one.tells("reg_genmove b") for _ in range(8)]
        assert moves.setdefault(seed, played) == played
    assert moves[3] != moves[4] != moves[5]


@pytest.mark.parametrize("kind", ["lz", "kata"])
def test_it_reports_on_its_search_until_the_next_line(client, kind):
    one = client(ConnectFour, "mcts")
    one.say(f"7 {kind}-analyze 5 maxmoves 3 ownership true")
    assert one.hear("=7") == ["=7"]
    first, second = (one.hear("info move ")[-1] for _ in range(2))
    assert first.count("info move") == second.count("info move") == 3
    words = second.split()
    facts = dict(zip(words[1:13:2], words[2:13:2], strict=False))
    assert {"move", "visits", "winrate", "lcb"} <= set(facts)
    top = 10_000 if kind == "lz" else 1
    assert 0 <= float(facts["lcb"]) <= float(facts["winrate"]) <= top
    assert words[words.index("pv") + 1] == facts["move"]
    one.say("name")
    heard = one.hear("= Branchwise")
    assert heard[-2] == ""
    assert all(line.startswith("info ") for line in heard[:-2])
    assert one.hear(lambda line: not line)
    assert one.tells("gogui-rules_legal_moves") == "A1 B1 C1 D1 E1 F1 G1"


def told_by(one, line):
    """Return the moves in the first reports on an analysis."""
    one.say(line)
    one.hear(lambda text: text.startswith("="))
    told = one.hear("info ")[-1].split("info move ")[1:]
    one.say("")
    one.hear(lambda text: not text)
    return {part.split()[0]: part.split(" pv ")[1].split() for part in told}


def test_moves_are_avoided_or_allowed_as_leela_zero_and_katago_do(client):
    one = client(bot="mcts(simulations=3000,proofs=False)")
    one.tells("play b B2")
    assert set(told_by(one, "kata-analyze w 1 allow w A1,c3 1")) == {"A1", "C3"}
    assert set(told_by(one, "lz-analyze w 1 avoid w A1,C3 1 avoid w a3 1")) == {"B3", "A2", "C2", "B1", "C1"}
    lines = told_by(one, "kata-analyze w 1 avoid b A1,A2,A3 9 avoid w B2 1").values()
    assert not any(move in ("A1", "A2", "A3") for line in lines for move in line[1::2])
    assert len(told_by(one, "kata-analyze w 1")) == 8
    one.say("lz-genmove_analyze w 1 allow w A1 1")
    assert one.hear(lambda text: not text)[-2] == "play A1"
    assert one.refuses("kata-analyze b allow b B2 1") == "no legal move is left to search; leave at least one"


def test_analysing_is_ended_by_an_empty_line_and_by_the_end_of_the_input(client):
    one = client(ConnectFour, "mcts")
    for _ in range(2):
        one.say("lz-analyze 5")
        one.hear("info")
        one.say("")
        one.hear(lambda line: not line)
    one.say("lz-analyze 5")
    one.hear("info")
    assert one.close() is True


def test_a_finished_search_is_shown_until_the_next_line(client):
    one = client(TicTacToe, "mcts(simulations=300)")
    one.say("kata-analyze w 10000")
    assert one.hear(lambda line: not line)[0].startswith("? illegal move: it is b's turn")
    one.say("kata-analyze b 10000")
    assert one.hear("info")[-1].startswith("info move ")
    one.silence()
    one.say("name")
    assert one.hear(lambda line: not line) == [""]
    assert one.answer() == (True, "Branchwise")


@pytest.mark.parametrize("kind", ["lz", "kata"])
def test_a_move_is_chosen_in_the_open(client, kind):
    one = client(TicTacToe, "mcts(simulations=2000)")
    one.say(f"5 {kind}-genmove_analyze b 5")
    heard = one.hear("play ")
    assert heard[0] == "=5"
    assert one.hear(lambda line: not line) == [""]
    assert heard[-1].split()[1] not in one.tells("gogui-rules_legal_moves").split()


def test_commands_that_follow_a_move_wait_for_it(client):
    one = client(ConnectFour, "mcts(seconds=0.3)")
    one.say("1 genmove b", "2 genmove w", "3 gogui-rules_side_to_move", "4 undo")
    heard = [one.hear(lambda line: not line)[0] for _ in range(4)]
    assert [line.split()[0] for line in heard] == ["=1", "=2", "=3", "=4"]
    assert heard[2] == "=3 black"


def test_the_end_of_the_input_waits_for_a_move(client):
    one = client(ConnectFour, "mcts(seconds=0.3)")
    one.say("genmove b")
    assert one.close() is True
    assert one.answer()[1][0] in "ABCDEFG"


def test_gogui_interrupts_a_move(client):
    one = client(ConnectFour, "mcts(seconds=60)")
    one.tells("gogui-interrupt")
    one.say("genmove b")
    time.sleep(0.5)
    one.say("# interrupt")
    assert one.answer()[0]


@pytest.mark.parametrize(
    ("bot", "told"),
    [("Thrower(good=0)", "ValueError: out of ideas"), ("Answers(answer=99,good=0)", "the bot chose 99")],
)
def test_what_goes_wrong_in_the_bot_is_reported(client, bot, told):
    one = client(bot=UNRULY + bot)
    assert told in one.refuses("genmove b")
    assert one.tells("gogui-rules_side_to_move") == "black"


def test_a_bot_that_resigns_resigns(client, tmp_path):
    (tmp_path / "quitter.py").write_text(
        "import branchwise as bw\nclass Quitter(bw.Bot):\n    name = 'quitter'\n"
        "    def choose(self, state):\n        raise bw.ResignedError('no hope')\n"
    )
    one = client(bot=str(tmp_path / "quitter.py"))
    assert one.tells("genmove b") == "resign"
    assert one.tells("gogui-rules_side_to_move") == "black"


def test_bytes_that_are_no_text_and_endless_lines_are_survived(client):
    one = client()
    os.write(one._write, b"\xff\xfe\x00 nonsense\n" + b"a" * (2**20 + 5) + b"\n")
    assert one.answer() == (False, "unknown command")
    assert one.tells("name") == "Branchwise"
