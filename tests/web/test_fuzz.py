"""Thousands of messages that make no sense: the sender gets an error, and no other session is affected."""

import json

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from branchwise.web.app.connection import TOO_LARGE
from branchwise.web.protocol import messages as m

KINDS = [kind.__struct_config__.tag for kind in m.SaidByPage.__args__]
FIELDS = sorted({field for kind in m.SaidByPage.__args__ for field in kind.__struct_fields__})
ROUNDS = settings(
    max_examples=25,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.integers(-3, 12)
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(
        ["connect_four", "nim", "nim(heaps=(3,4))", "tic_tac_toe", "a1", "../x", "ucb1", "mast"]
    )
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from([*FIELDS, "level", "seconds", "path", "top", "c"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)
shaped = st.builds(
    lambda kind, fields, number: {"type": kind, **fields, "id": number},
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(FIELDS), values, max_size=4),
    st.integers(10**6, 2**53),  # beyond those of the messages whose answers are waited for
)
small = st.integers(0, 10)
sensible = st.one_of(
    st.builds(lambda a, p: {"type": "play", "action": a, "ply": p}, small, small),
    st.builds(lambda p: {"type": "go_to", "ply": p}, small),
    st.sampled_from([{"type": kind} for kind in ("undo", "redo", "bot_move", "stop", "hello")]),
    st.builds(lambda on: {"type": "analyse", "on": on}, st.booleans()),
    st.builds(lambda s: {"type": "set_players", "seats": s}, st.lists(st.integers(0, 3), max_size=3)),
    st.builds(lambda p: {"type": "ask_node", "path": p}, st.lists(small, max_size=3)),
    st.builds(lambda p: {"type": "ask_board", "line": p}, st.lists(small, max_size=3)),
    st.builds(
        lambda p: {"type": "watch_tree", "branches": [{"path": p, "top": 3}]}, st.lists(small, max_size=3)
    ),
    st.builds(
        lambda moves: {"type": "new_game", "game": "tic_tac_toe", "moves": moves}, st.lists(small, max_size=4)
    ),
    st.builds(
        lambda seats: {
            "type": "new_game",
            "game": "kuhn_poker",
            "seats": seats,
            "opponent": {"simulations": 5},
        },
        st.sampled_from([[0], [1], [0, 1], []]),
    ),
    st.builds(
        lambda seats: {
            "type": "new_game",
            "game": "goofspiel(num_cards=3,players=3)",
            "seats": seats,
            "opponent": {"simulations": 5},
        },
        st.sampled_from([[0], [1, 2], [0, 1, 2], []]),
    ),
    st.builds(
        lambda a, p, player: {"type": "play", "action": a, "ply": p, "player": player},
        small | st.sampled_from(["1", "0:1:2", "1,2,3", "-"]),
        small,
        st.integers(0, 4),
    ),
    st.just({"type": "begin_steps"}),
    st.just({"type": "make_steps", "count": 2}),
)
texts = st.one_of(
    shaped.map(json.dumps),
    sensible.map(json.dumps),
    values.map(json.dumps),
    st.text(max_size=60),
    st.sampled_from(['{"type":', "[]", "null", "{" * 500, "[" * 20_000, '{"type":"play"}', '"' * 3, ""]),
)


@pytest.fixture(scope="module")
def neighbour(live):
    """A session that goes on all the while."""
    page = live.page()
    page.ask("new_game", game="nim", seats=[0, 1], opponent={"simulations": 20})
    yield page
    page.close()


@pytest.fixture(scope="module")
def fuzzed(live):
    page = live.page()
    page.ask("new_game", game="tic_tac_toe", opponent={"simulations": 20})
    yield page
    page.close()


def answered(page):
    """Return all that is told until a message that is surely answered."""
    number = page.say("ask_board", line=[], ply=10**9)
    found = []
    while True:
        told = page.hear()
        found.append(told)
        if told["type"] == "refused" and told["id"] == number:
            return found


def check(told):
    kind = next(kind for kind in m.ToldByServer.__args__ if kind.__struct_config__.tag == told["type"])
    msgspec.convert(told, kind)  # of the types that are declared


# The pings of server and client, which run in this process, draw from `random` while strategies do.
@pytest.mark.filterwarnings("ignore:Do not use the .random. module")
@ROUNDS
@given(said=st.lists(texts, min_size=40, max_size=60))
def test_nonsense_is_answered_and_hurts_nobody(live, neighbour, fuzzed, said):
    before = neighbour.ask("go_to", ply=0)
    for text in said:
        fuzzed.send(text)
    for told in answered(fuzzed):
        check(told)
        if told["type"] == "refused":
            assert told["message"]
            assert "Traceback" not in told["message"]
    assert fuzzed.ask("new_game", game="tic_tac_toe", opponent={"simulations": 20})["ply"] == 0
    after = neighbour.ask("go_to", ply=0)
    assert {**after, "id": 0} == {**before, "id": 0}


def test_every_message_that_cannot_be_read_is_refused_with_its_id(page):
    for said, words in [
        ({"type": "play", "id": 7}, "action"),
        ({"type": "play", "action": [1], "ply": 0, "id": 7}, "int"),
        ({"type": "play", "action": -1, "ply": 0, "id": 7}, ">= 0"),
        ({"type": "fly", "id": 7}, "fly"),
        ({"type": "undo", "what": 1, "id": 7}, "what"),
        ({"id": 7}, "type"),
        ({"type": "watch_tree", "branches": [{"path": [0]}] * 401, "id": 7}, "401"),
    ]:
        page.send(json.dumps(said))
        told = page.until(lambda told: told.get("id") == 7)
        assert told["type"] == "refused"
        assert told["mend"].startswith("GET /api/schema")
        if words != "401":
            assert words in told["message"]


def test_bytes_are_read_like_text(page):
    page.send(b'{"type": "new_game", "game": "nim", "id": 3}')
    assert page.until("position")["id"] == 3
    page.send(b"\xff\xfe\x00")
    assert page.until("refused")["message"]


def test_a_message_that_is_too_large_closes_its_connection_alone(live, neighbour):
    page = live.page()
    page.ask("new_game", game="nim", seats=[0, 1])
    page.send(json.dumps({"type": "new_game", "game": "n" * 70_000}))
    assert page.closed()[0] == TOO_LARGE
    page.close()
    assert neighbour.ask("go_to", ply=0)["ply"] == 0
    back = live.page(page.welcome["session"])
    assert back.welcome["resumed"] is True
    assert back.until("position")["game"]["name"] == "nim"
    back.close()


def test_messages_just_within_the_limit_are_read(page):
    moves = [0] * 2000
    text = json.dumps({"type": "new_game", "game": "nim", "moves": moves, "id": 5})
    page.send(text + " " * (65_536 - len(text)))
    assert "move 22" in page.until("refused")["message"]
