"""Lines, points and clocks of GTP: what is written reads back, and exact times."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwise as bw
from branchwise.bots.servers.gtp_analysis import Request, kata_line, lz_line
from branchwise.engines.gtp.board import Board, moves_are_points
from branchwise.engines.gtp.client import plain_name
from branchwise.engines.gtp.clock import GtpClock
from branchwise.engines.gtp.handicap import handicap_points, most_stones
from branchwise.engines.gtp.language import Answer, Command, read_colour
from branchwise.games.connect_four import ConnectFour
from branchwise.games.mnk import MNK
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.games.ultimate_tic_tac_toe import UltimateTicTacToe
from support.passing import Passing

words = st.text(
    st.characters(codec="ascii", categories=("L", "P"), exclude_characters="#"), min_size=1, max_size=8
)


@given(st.none() | st.integers(0, 10**17), words, st.lists(words, max_size=4))
def test_commands_read_back(number, name, arguments):
    line = " ".join([*([] if number is None else [str(number)]), name, *arguments])
    assert Command.read(f"{line}  # a comment") == Command(number, name, tuple(arguments))


@given(st.booleans(), st.none() | st.integers(0, 10**17), words)
def test_answers_read_back(done, number, text):
    answer = Answer(done, number, text)
    assert answer.line().endswith("\n\n")
    assert Answer.begun_by(answer.line().splitlines()[0]) == answer


def test_an_answer_has_no_empty_line_but_its_last():
    assert Answer(True, 3, "\na\n\n  b\n").line() == "=3\na\n  b\n\n"
    assert Answer(True, None, "").line() == "=\n\n"


@given(st.text(max_size=60))
def test_no_line_breaks_the_reader(line):
    Command.read(line)
    Answer.begun_by(line)


@pytest.mark.parametrize("word", ["red", "", "x", "bw"])
def test_what_is_no_colour_is_refused(word):
    with pytest.raises(bw.SettingsError, match=f'"{word}" is no colour'):
        read_colour(word)


@pytest.mark.parametrize(
    "game",
    [
        TicTacToe,
        ConnectFour,
        UltimateTicTacToe,
        Passing,
        Nim,
        MNK.configured(rows=2, columns=25, in_a_row=3),
        MNK.configured(rows=9, columns=9, in_a_row=3, gravity=True),
    ],
)
def test_every_move_of_a_random_game_reads_back_as_a_point(game):
    board, source = Board(game), random.Random(5)
    for _ in range(3):
        state = game()
        while not state.is_terminal():
            points = board.points(state)
            assert points == [board.point(state, action) for action in state.legal_actions()]
            assert len(set(points)) == len(points)
            assert [board.action(state, point.lower()) for point in points] == state.legal_actions()
            assert not any(point[0] == "I" for point in points)
            state.apply_action(source.choice(state.legal_actions()))


def test_the_board_shows_each_stone_at_its_point():
    for game in (TicTacToe, ConnectFour, MNK.configured(rows=5, columns=10, in_a_row=4)):
        board, source, state = Board(game), random.Random(1), game()
        stones = ([], [])
        for _ in range(5):
            action = source.choice(state.legal_actions())
            stones[state.current_player()].append(board.point(state, action))
            state.apply_action(action)
        assert [sorted(board.stones(state, player)) for player in range(2)] == [sorted(one) for one in stones]
        rows = [line.split() for line in board.text(state).splitlines()]
        assert len(rows) == board.size
        for mark, points in zip("XO", stones, strict=True):
            assert all(rows[-int(point[1:])]["ABCDEFGHJK".index(point[0])] == mark for point in points)


def test_goguis_rules_are_for_moves_that_are_points():
    found = {game: moves_are_points(game) for game in (TicTacToe, ConnectFour, Passing, Nim)}
    assert found == {TicTacToe: True, ConnectFour: True, Passing: True, Nim: False}


@pytest.mark.parametrize(
    ("main", "period", "moves", "left", "seconds"),
    [
        ("0", "0", "0", None, None),
        ("0", "1", "0", None, None),
        ("30", "1", "0", None, None),
        ("0", "5", "1", None, 4.95),
        ("0", "30", "10", None, 2.95),
        ("0", "30", "10", ("10", "2"), 4.95),
        ("0", "0.06", "1", None, 0.03),
        ("60", "0", "0", None, 2.9975),
        ("60", "0", "0", ("20", "0"), 0.9975),
        ("60", "0", "0", ("0", "0"), 0.0005),
        ("60", "10", "1", None, 9.95),
        ("60", "10", "1", ("4", "0"), 4.0),
        ("60", "10", "1", ("8", "1"), 7.95),
    ],
)
def test_time_is_divided_as_the_settings_say(main, period, moves, left, seconds):
    clock = GtpClock()
    clock.set(main, period, moves)
    if left is not None:
        clock.tell(1, *left)
    assert clock.seconds(1) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("kind", "values", "seconds"),
    [
        ("none", [], None),
        ("absolute", ["60"], 2.9975),
        ("byoyomi", ["0", "2.5", "5"], 2.45),
        ("canadian", ["0", "30", "10"], 2.95),
        ("fischer", ["60", "2"], 4.9975),
    ],
)
def test_katagos_time_controls_are_understood(kind, values, seconds):
    clock = GtpClock()
    clock.set_kind(kind, values)
    assert clock.seconds(0) == (None if seconds is None else pytest.approx(seconds))


def test_the_clock_runs_if_nobody_tells_the_time():
    clock = GtpClock()
    clock.set("10", "6", "2")
    clock.spend(0, 4.0)
    assert clock.seconds(0) == pytest.approx(2.95)
    clock.spend(0, 7.0)  # into overtime
    assert clock.seconds(0) == pytest.approx(2.95)
    clock.spend(0, 1.0)
    assert clock.seconds(0) == pytest.approx(4.95)
    clock.spend(0, 1.0)  # a new period
    assert clock.seconds(0) == pytest.approx(2.95)
    assert clock._left[1] == (10.0, 0)
    clock.restart()
    assert clock._left == [(10.0, 0)] * 2


@given(st.lists(st.floats(0, 100) | st.integers(0, 9), min_size=3, max_size=3))
def test_no_time_is_negative_or_without_end(values):
    clock = GtpClock()
    clock.set(str(values[0]), str(values[1]), str(int(values[2])))
    seconds = clock.seconds(0)
    assert seconds is None or 0 < seconds <= max(*values, 1e-3)  # a move takes at least a moment


@pytest.mark.parametrize(
    ("words", "request_"),
    [
        ("", Request()),
        ("w", Request(player=1)),
        ("100", Request(interval=1.0)),
        ("B 20 maxmoves 5 minmoves 2 ownership true", Request(0, 0.2, 5)),
        ("white interval 0", Request(player=1, interval=0.05)),
    ],
)
def test_requests_of_windows_are_understood(words, request_):
    assert Request.read(words.split()) == request_


def test_findings_are_written_as_leela_zero_and_katago_do():
    state = TicTacToe.from_actions("a1 b1")
    result = bw.MCTS(seed=1, proofs=False).search(state, simulations=300)
    board, best = Board(TicTacToe), result.children[0]
    share, low = (best.value + 1) / 2, max((best.lower_bound + 1) / 2, 0.0)
    lz, kata = lz_line(result, board), kata_line(result, board, 1)
    point = board.point(state, best.action)
    values = f"winrate {round(10_000 * share)} lcb {round(10_000 * low)}"
    assert lz.startswith(f"info move {point} visits {best.visits} {values} order 0 pv {point} ")
    assert lz.count("info move") == sum(child.visits > 0 for child in result.children)
    assert kata.startswith(
        f"info move {point} visits {best.visits} utility {2 * share - 1:.6g} winrate {share:.6g}"
    )
    assert f" order 0 pv {point} " in kata
    assert kata.count("info move") == 1
    assert "prior" not in lz


@pytest.mark.parametrize(
    ("name", "plain"), [("Nine Men's Morris", "ninemensmorris"), ("tic_tac_toe", "tictactoe"), ("Go", "go")]
)
def test_games_are_compared_by_their_letters(name, plain):
    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("size", "stones", "points"),
    [
        (9, 2, "G7 C3"),
        (9, 3, "C7 G7 C3"),
        (9, 5, "C7 G7 E5 C3 G3"),
        (9, 6, "C7 G7 C5 G5 C3 G3"),
        (9, 7, "C7 G7 C5 E5 G5 C3 G3"),
        (9, 8, "C7 E7 G7 C5 G5 C3 E3 G3"),
        (7, 4, "C5 E5 C3 E3"),
        (8, 4, "C6 F6 C3 F3"),
        (10, 4, "C8 H8 C3 H3"),
        (12, 4, "D9 J9 D4 J4"),
        (13, 9, "D10 G10 K10 D7 G7 K7 D4 G4 K4"),
        (19, 9, "D16 K16 Q16 D10 K10 Q10 D4 K4 Q4"),
    ],
)
def test_handicap_stones_are_where_gnu_go_has_them(size, stones, points):
    """The answers of GNU Go 3.8 to fixed_handicap."""
    assert handicap_points(size, stones) == points.split()


def test_small_boards_and_even_ones_have_fewer_handicap_stones():
    """GNU Go 3.8 refuses one more."""
    assert [most_stones(size) for size in (5, 6, 7, 8, 12)] == [0, 0, 4, 4, 4]
    with pytest.raises(bw.SettingsError, match="2 to 4 on this board"):
        handicap_points(8, 5)
    with pytest.raises(bw.SettingsError, match="this board has no points for them"):
        handicap_points(6, 2)
