"""Lines of the protocol: what is written reads back, and nothing that is read breaks the reader."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import branchwise as bw
from branchwise.bots.servers.engine_server import result_word
from branchwise.engines.ugi.language import Go, Info, Position
from branchwise.engines.ugi.moves import move_word, state_word
from branchwise.engines.ugi.options import Option, read_setting
from support.rules import Race

words = st.text(st.characters(codec="ascii", exclude_categories=("Z", "C")), min_size=1, max_size=6)
moves = st.lists(words.filter(lambda word: word != "moves"), max_size=5).map(tuple)
milliseconds = st.integers(1, 10**9).map(lambda number: number / 1000)
clocks = st.lists(milliseconds, max_size=4).map(tuple)
PARTS = ("name", "type", "default", "min", "max", "var", "value")
plain = words.filter(lambda word: word not in PARTS and word != "<empty>")
names = st.lists(plain, min_size=1, max_size=3).map(" ".join)


@given(moves, st.none() | words.filter(lambda word: word != "moves"))
def test_positions_read_back(moves, state):
    position = Position(moves, state)
    assert Position.read(position.line().split()[1:]) == position


@given(
    st.none() | milliseconds,
    st.none() | st.integers(1, 2**53),
    st.none() | st.integers(1, 99),
    clocks,
    clocks,
    st.booleans(),
)
def test_limits_read_back(seconds, nodes, depth, clocks, increments, infinite):
    go = Go(seconds, nodes, depth, clocks, increments, infinite)
    assert Go.read(go.line().split()[1:]) == go


@given(
    st.none() | st.integers(0, 999),
    st.none() | st.integers(0, 10**12),
    st.none() | milliseconds,
    st.none() | st.integers(-999, 999).map("cp {}".format),
    st.lists(words.filter(lambda word: word not in ("pv", "string")), max_size=4).map(tuple),
)
def test_what_is_said_of_a_search_reads_back(depth, nodes, seconds, score, line):
    info = Info(depth, nodes, seconds, score, line)
    assert Info.read(info.words().split()[1:]) == info


@given(names, plain | st.just(""), st.lists(names, max_size=3).map(tuple))
def test_options_read_back(name, default, choices):
    for option in (Option(name, "combo", default, None, None, choices), Option(name, "spin", "3", -5, 9)):
        assert Option.read(option.line().split()[1:]) == option
    assert read_setting(f"name {name} value {default or '<empty>'}".split()) == (name, default)


@given(
    st.lists(st.sampled_from(["moves", "fen", "startpos", "p1time", "movetime", *PARTS]) | words, max_size=8)
)
@example(["p99999time", "1"])
@example(["movetime", "1" * 400])
@example(["movetime"])
@example(["p1time", "\u0663"])
def test_nothing_that_is_read_breaks_the_reader(said):
    for read in (Position.read, Go.read, Option.read, read_setting):
        with suppress(bw.SettingsError):
            read(said)
    Info.read(said)


@pytest.mark.parametrize(
    ("said", "go"),
    [
        ("", Go()),
        ("movetime 0", Go(seconds=0.001)),
        ("ponder searchmoves d1 depth 3", Go(depth=3, ponders=True, among=("d1",))),
        (
            "wtime 5000 btime 60000 winc 10 binc 20 movestogo 9",
            Go(clocks=(5.0, 60.0), increments=(0.01, 0.02)),
        ),
        ("p2time 100", Go(clocks=(0.0, 0.1))),
        ("p1time -30 p2time 5", Go(clocks=(-0.03, 0.005))),
    ],
)
def test_limits_of_others_are_understood(said, go):
    assert Go.read(said.split()) == go


def test_the_example_of_the_specification_is_understood():
    offer = "name hash type spin default 128 min 1 max 2048"
    assert Option.read(offer.split()).text_of(512) == "512"
    said = "depth 4 seldepth 4 score cp 200 time 0 nodes 473 tthits 38 hashfull 0 pv f1 b1 g2 a2"
    assert Info.read(said.split()) == Info(4, 473, 0.0, "cp 200", ("f1", "b1", "g2", "a2"))


class Spoken:
    """A state whose moves are written in words that a line cannot hold."""

    def __init__(self, texts):
        self.texts = texts

    def is_terminal(self):
        return False

    def current_player(self):
        return 0

    def legal_actions(self):
        return list(range(len(self.texts)))

    def action_to_string(self, action):
        return self.texts[action]


def test_a_move_that_is_no_single_word_goes_by_its_number():
    state = Spoken(["a b", "", "moves", "none", "a\nquit", "fine"])
    assert [move_word(state, action) for action in range(6)] == ["0", "1", "2", "3", "4", "fine"]


def test_a_state_is_one_word_that_reads_back():
    state = bw.load_game("connect_four").from_actions(["d1", "d2"])
    word = state_word(state)
    assert word.split() == [word]
    assert type(state).from_json(word) == state


def test_results_are_reported_for_any_number_of_players():
    state = Race()
    assert result_word(state) == "none"
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[-1])
    returns = list(state.returns())
    assert result_word(state) == f"p{returns.index(max(returns)) + 1}win"
