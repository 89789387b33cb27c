"""Clients that take what they can get: they read nothing, ask for too much, never finish, or do not wait."""

import base64
import json
import os
import socket
import struct
import subprocess
import sys
import threading

import pytest

from branchwise.web.app import connection, protocols
from branchwise.web.app.waiting_messages import Outbox, OverflowingError
from branchwise.web.protocol import rule_threads
from branchwise.web.protocol.messages import Thinking

WIDE = "mnk(rows=60,columns=60,in_a_row=60)"


class Raw:
    """A WebSocket client that reads only when told to."""

    def __init__(self, live):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(60)
        self.socket.connect(("127.0.0.1", live.port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        assert b"101" in self.socket.recv(12)

    def say(self, kind, **fields):
        content = json.dumps({"type": kind, **fields}).encode()
        count = len(content)
        size = bytes([0x80 | count]) if count < 126 else b"\xfe" + struct.pack("!H", count)
        self.socket.sendall(b"\x81" + size + bytes(4) + content)

    def leave(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def asks_and_reads_nothing(live):
    raw = Raw(live)
    raw.say("hello")
    raw.say("new_game", game="circuit_routing", seats=[0])  # its pictures are large
    raw.socket.settimeout(1)
    try:
        for number in range(800):
            raw.say("ask_board", line=[number % 4])
    except TimeoutError:
        pass  # the server listens no more
    live.until(lambda: len(live.sessions) == 1)
    return raw


def test_whoever_reads_nothing_and_leaves_leaves_no_session_in_use(limited):
    live = limited(sessions=1, messages_per_second=1e6, burst=100_000)
    raw = asks_and_reads_nothing(live)
    (session,) = live.sessions._sessions.values()
    assert session.tell is not None
    raw.leave()
    live.until(lambda: session.tell is None, timeout=15)
    assert live.page().ask("new_game", game="nim")["ply"] == 0


def test_whoever_reads_nothing_and_stays_is_sent_away(limited, monkeypatch):
    monkeypatch.setattr(protocols, "WRITE_SECONDS", 0.5)
    live = limited(sessions=1, messages_per_second=1e6, burst=100_000)
    raw = asks_and_reads_nothing(live)
    (session,) = live.sessions._sessions.values()
    live.until(lambda: session.tell is None, timeout=30)
    live.until(lambda: not live.running.connections, timeout=30)
    assert live.page().ask("new_game", game="nim")["ply"] == 0
    raw.leave()


def test_what_waits_for_a_page_is_bounded_by_its_bytes():
    box = Outbox(most_bytes=10_000)
    with pytest.raises(OverflowingError):
        for _ in range(1000):
            box.put(Thinking(who="bot", stage="x" * 500))
    assert box.waiting_bytes <= 10_000


def test_a_page_for_which_too_much_waits_is_sent_away(limited, monkeypatch):
    """A bot that plays by itself tells of its moves whether or not they are read."""
    monkeypatch.setattr(connection, "MOST_BYTES", 200_000)
    live = limited(sessions=1)
    raw = Raw(live)
    raw.say("hello")
    live.until(lambda: len(live.sessions) == 1)
    (session,) = live.sessions._sessions.values()
    live.until(lambda: session.tell is not None)
    for _ in range(40_000):
        if session.tell is None:
            break
        session._say(Thinking(who="bot", stage="x" * 2000))
    live.until(lambda: session.tell is None, timeout=30)
    raw.leave()


def post(live, path, body):
    return live.http.post(path, json=body)


def test_a_long_request_holds_up_nobody_else_and_has_a_budget(limited, monkeypatch):
    monkeypatch.setattr(rule_threads, "BUDGET_SECONDS", 1.0)
    live = limited()
    other = live.page()
    other.ask("new_game", game="nim", seats=[0, 1])
    answers = []

    def ask():
        answers.append(post(live, f"/api/games/{WIDE}/position", {"moves": list(range(2000))}))

    asking = threading.Thread(target=ask)
    asking.start()
    live.until(lambda: live.server.rule_threads.busy == 1)
    for ply in (0, 0, 0):
        assert other.ask("go_to", ply=ply)["ply"] == 0
    assert live.server.rule_threads.busy == 1, "the others are answered while it goes on"
    asking.join()
    assert answers[0].status_code == 422
    assert "more than 1 s" in answers[0].json()["error"]
    long = live.page()
    assert "more than 1 s" in long.refusal("new_game", game=WIDE, moves=list(range(2000)))["message"]
    monkeypatch.setattr(rule_threads, "BUDGET_SECONDS", 60.0)
    assert long.ask("new_game", game=WIDE, seats=[0, 1])["type"] == "position"
    monkeypatch.setattr(rule_threads, "BUDGET_SECONDS", 1.0)
    assert "more than 1 s" in long.refusal("ask_board", line=list(range(2000)))["message"]
    monkeypatch.setattr(rule_threads, "BUDGET_SECONDS", 60.0)
    assert long.ask("play", action=7, ply=0)["ply"] == 1


def test_not_too_many_positions_are_worked_out_at_once(limited, monkeypatch):
    monkeypatch.setattr(rule_threads, "BUDGET_SECONDS", 1.0)
    live = limited(waiting=1)
    status = []

    def ask():
        body = {"moves": list(range(2000))}
        status.append(post(live, f"/api/games/{WIDE}/position", body).status_code)

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert sorted(set(status)) == [422, 503]


ENDLESS = """
import numpy as np
import branchwise as bw


class Endless(bw.Game):
    num_players = 2
    num_actions = 3
    moves: np.int8 = 0

    def current_player(self):
        return self.moves % 2

    def legal_actions(self):
        for action in range(3):
            yield action

    def apply_action(self, action):
        self.moves += 1
        while action == 2 and self.moves == 1:
            self.moves = 1

    def is_terminal(self):
        return self.moves == 4

    def returns(self):
        return (0.0, 0.0)
"""


def test_rules_without_an_end_are_given_up_and_hold_up_nothing_else(tmp_path):
    (tmp_path / "endless.py").write_text(ENDLESS)
    (tmp_path / "talk.py").write_text(TALK.replace("FILE", str(tmp_path / "endless.py")))
    ended = subprocess.run(
        [sys.executable, str(tmp_path / "talk.py")], capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split() == ["refused", "1"]


TALK = """
import json, threading, time
from websockets.sync.client import connect
from branchwise.web.protocol import rule_threads
from branchwise.web.app.app import ServerSettings
from branchwise.web.app.serve import Running, listening_socket

rule_threads.PATIENCE_SECONDS = 1.0
running = Running(ServerSettings(games=["FILE"]), listening_socket("127.0.0.1", 0, others=False))
thread = threading.Thread(target=running.run)
thread.start()
while not running.has_started:
    time.sleep(0.01)

def ask(page, number, **said):
    page.send(json.dumps({**said, "id": number}))
    while (told := json.loads(page.recv(60))).get("id") != number:
        pass
    return told

with connect(running.url.replace("http", "ws") + "api/session") as page:
    ask(page, 1, type="hello")
    ask(page, 2, type="new_game", game="endless", seats=[0, 1])
    print(ask(page, 3, type="play", action=2, ply=0)["type"])
    print(ask(page, 4, type="play", action=1, ply=0)["ply"])
running.stop()
thread.join()
"""


def test_a_grid_looks_legal_actions_up_in_a_set():
    from branchwise.drawing.grid import grid_from_array

    class Counted(list):
        def __contains__(self, item):
            raise AssertionError("a list is searched through for each cell")

    import numpy as np

    grid = grid_from_array(np.zeros((3, 3), np.int8), ".XO", 9, Counted(range(9)))
    assert grid.cells[1][1].action == 4


def test_asking_about_variants_uses_none_of_them_up(limited):
    live = limited(variants=2)
    for rows in (4, 5, 7, 8):
        told = live.http.get(f"/api/games/connect_four(rows={rows})")
        assert told.status_code == 200
        assert told.json()["options"]["rows"] == rows
    page = live.page()
    assert page.ask("new_game", game="nim(max_take=2)")["type"] == "position"
    assert page.ask("new_game", game="nim(max_take=4)")["type"] == "position"
    assert "2 variants" in page.refusal("new_game", game="nim(max_take=5)")["message"]


@pytest.mark.parametrize(
    ("site", "mode", "path", "status"),
    [
        ("cross-site", "no-cors", "/api/games/nim(max_take=2)", 403),
        ("same-site", "no-cors", "/api/games", 403),
        ("cross-site", "navigate", "/api/games", 403),
        ("cross-site", "navigate", "/", 200),
        ("same-origin", "cors", "/api/games", 200),
        ("none", "navigate", "/api/games", 200),
    ],
)
def test_pages_of_other_sites_reach_nothing_but_the_page_itself(live, site, mode, path, status):
    headers = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": "document"}
    answer = live.http.get(path, headers=headers)
    assert answer.status_code == status, answer.text


def answers_to(page, numbers, patience=30):
    """Return what answers each of the messages."""
    found = {told["id"]: told for told in page.heard if told.get("id") in numbers}
    while set(found) != set(numbers):
        told = page.hear(patience)
        if told.get("id") in numbers:
            found[told["id"]] = told
    return found


def test_every_request_is_answered_though_another_takes_its_place(page):
    page.ask("new_game", game="connect_four", seats=[0, 1], opponent={"simulations": 50})
    hint = page.say("hint")
    again = page.say("hint")
    gone = page.say("play", action=3, ply=0)
    told = answers_to(page, [hint, again, gone])
    for number in (hint, again):
        assert told[number]["type"] == "refused"
        assert told[number]["superseded"] is True
        assert told[number]["about"] == "hint"
    assert told[gone]["type"] == "position"


def test_what_waits_for_its_turn_is_answered_when_it_is_given_up(limited):
    live = limited(searches=1)
    one, other = live.page(), live.page()
    one.ask("new_game", game="connect_four", seats=[1], opponent={"seconds": 50})
    one.until("analysis")
    other.ask("new_game", game="connect_four", seats=[0, 1], opponent={"simulations": 50})
    numbers = [
        other.say("analyse", on=True),
        other.say("bot_move"),
        other.say("hint"),
        other.say("analyse", on=False),
        other.say("bot_move"),
        other.say("go_to", ply=0),
        other.say("stop"),
    ]
    told = answers_to(other, numbers)
    assert {answer["type"] for answer in told.values()} <= {"thinking", "position", "refused"}


def test_steps_that_a_new_game_ends_are_answered(page):
    page.ask("new_game", game="tic_tac_toe", seats=[0, 1], opponent={"simulations": 50})
    page.ask("begin_steps", settings={"seed": 1})
    numbers = [page.say("make_steps", count=100) for _ in range(6)]
    page.ask("new_game", game="tic_tac_toe", seats=[0, 1], opponent={"simulations": 50})
    told = answers_to(page, numbers)
    assert any(answer.get("superseded") for answer in told.values())


def closes(raw, seconds=20):
    """Return what is answered until the server closes."""
    raw.settimeout(seconds)
    said = b""
    try:
        while part := raw.recv(65_536):
            said += part
    except ConnectionResetError:
        pass
    return said


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HTTP/1.1\r\nX-Second: ",
        b"POST /api/games/nim/position HTTP/1.1\r\nHost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        b"content-length: 5000\r\n\r\n{",
    ],
    ids=["nothing", "headers", "headers of a second one", "body"],
)
def test_a_request_that_never_ends_is_not_waited_for(limited, monkeypatch, begun):
    monkeypatch.setattr(protocols, "REQUEST_SECONDS", 0.5)
    live = limited()
    with socket.create_connection(("127.0.0.1", live.port)) as raw:
        raw.sendall(begun)
        said = closes(raw)
    if begun:
        assert b"408" in said.split(b"HTTP/1.1 ")[-1]
    live.until(lambda: not live.running.connections)


def test_a_request_that_drips_in_is_not_waited_for(limited, monkeypatch):
    monkeypatch.setattr(protocols, "REQUEST_SECONDS", 0.5)
    live = limited()
    with socket.create_connection(("127.0.0.1", live.port)) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises(OSError, match=r"reset|pipe|abort"):
            for _ in range(2000):
                raw.sendall(b"X: y\r\n")
                live.until(lambda: True)
                threading.Event().wait(0.01)
    live.until(lambda: not live.running.connections)


def test_a_page_may_be_silent_for_longer_than_a_request_may_take(limited, monkeypatch):
    monkeypatch.setattr(protocols, "REQUEST_SECONDS", 0.2)
    monkeypatch.setattr(protocols, "WRITE_SECONDS", 0.2)
    live = limited()
    page = live.page()
    page.quiet(0.6)
    assert page.ask("new_game", game="nim", seats=[0, 1])["ply"] == 0


def test_connections_are_not_held_without_end(limited, monkeypatch):
    monkeypatch.setattr(protocols, "MOST_CONNECTIONS", 8)
    live = limited()
    held = [socket.create_connection(("127.0.0.1", live.port)) for _ in range(30)]
    try:
        live.until(lambda: live.running.connections <= 8)
        assert b"503" in closes(held[-1])
    finally:
        for raw in held:
            raw.close()
    live.until(lambda: not live.running.connections)
    assert live.http.get("/api/games").status_code == 200
