"""The interface by HTTP, the files of the page, and who may ask."""

import json
import threading
import time

import pytest

from branchwise import __version__
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.web.app.access import Guard


def test_games_are_listed_and_told_one_by_one(live):
    games = live.http.get("/api/games").json()
    assert "connect_four" in [game["name"] for game in games]
    variant = live.http.get("/api/games/connect_four(rows=5,columns=5)").json()
    assert variant["name"] == "connect_four(rows=5,columns=5)"
    missing = live.http.get("/api/games/conect_four")
    assert missing.status_code == 404
    assert 'did you mean "connect_four"?' in missing.json()["error"]


def test_a_position_by_moves_and_by_state(live):
    answer = live.http.post("/api/games/tic_tac_toe/position", json={"moves": ["a1", 4]}).json()
    state = TicTacToe.from_actions(["a1", 4])
    assert answer["player"] == 0
    assert answer["text"] == str(state)
    assert [move["action"] for move in answer["legal"]] == state.legal_actions()
    again = live.http.post("/api/games/tic_tac_toe/position", json={"state": answer["state"]}).json()
    assert again == answer
    over = live.http.post(
        "/api/games/tic_tac_toe/position", json={"moves": ["a1", "a2", "b1", "b2", "c1"]}
    ).json()
    assert over["returns"] == [1.0, -1.0]
    assert over["player"] is None
    assert over["legal"] == []


def test_a_search_finds_the_win(live):
    body = {"moves": ["a1", "b2", "a2", "c3"], "simulations": 500, "settings": {"seed": 1}}
    answer = live.http.post("/api/games/tic_tac_toe/search", json=body).json()
    assert answer["best_move"] == "a3"
    assert answer["value"] == 1.0
    assert answer["seed"] == 1
    assert answer["children"][0]["proven"] == 1.0
    again = live.http.post("/api/games/tic_tac_toe/search", json=body).json()
    assert {**again, "seconds": 0} == {**answer, "seconds": 0}
    timed = live.http.post("/api/games/connect_four/search", json={"seconds": 0.2}).json()
    assert timed["ended_by"] == "seconds"
    assert timed["seconds"] >= 0.2


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("{", 400, "cannot be read"),
        ("[]", 400, "cannot be read"),
        ('{"moves": [1.5]}', 400, "cannot be read"),
        ('{"what": 1}', 400, "unknown field"),
        ('{"moves": ["zz"]}', 400, "move 1"),
        ('{"moves": [0, 0]}', 400, "move 2"),
        ('{"simulations": 0}', 400, "cannot be read"),
        ('{"simulations": 1e400}', 400, "cannot be read"),
        ('{"seconds": 599}', 400, "more than this server"),
        ('{"settings": {"selection": "magic"}}', 404, "selection rule"),
        ('{"moves": [0], "state": {}}', 400, "twice"),
        ('{"state": {}}', 422, "has not signed this state"),
        ('{"state": {"game": "tic_tac_toe", "fields": {}, "signature": "0"}}', 422, "has not signed"),
        ('{"moves": [0, 3, 1, 4, 2]}', 422, "over"),
        ("[" * 60_000, 400, "cannot be read"),
        ('{"moves": ["' + "x" * 70_000 + '"]}', 413, "larger than"),
    ],
)
def test_bad_bodies_are_told_what_is_wrong(live, body, status, words):
    answer = live.http.post(
        "/api/games/tic_tac_toe/search", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == status, answer.text
    assert words in answer.json()["error"]


def test_a_state_that_was_changed_is_refused(live):
    state = live.http.post("/api/games/nim/position", json={}).json()["state"]
    for change in ({"chips": [22]}, {"mover": 5}, {"chips": [-1]}):
        forged = {**state, "fields": {**state["fields"], **change}}
        answer = live.http.post("/api/games/nim/search", json={"state": forged})
        assert answer.status_code == 422
        assert "has not signed this state" in answer.json()["error"]
    other = live.http.post("/api/games/tic_tac_toe/search", json={"state": state})
    assert other.status_code == 422


def test_with_trust_any_state_of_the_game_is_taken(limited):
    live = limited(trusts_states=True)
    state = json.loads(TicTacToe.from_actions([0]).to_json())
    assert live.http.post("/api/games/tic_tac_toe/position", json={"state": state}).json()["player"] == 1
    state["fields"].pop(next(iter(state["fields"])))
    assert live.http.post("/api/games/tic_tac_toe/position", json={"state": state}).status_code == 422


def test_a_search_ends_when_nobody_waits_for_it(limited):
    live = limited()

    def ask():
        with pytest.raises(Exception, match="timed out"):
            live.http.post("/api/games/connect_four/search", json={"seconds": 30}, timeout=1.0)

    asking = threading.Thread(target=ask)
    asking.start()
    live.until(lambda: live.searching() == 1)
    asking.join()
    live.until(lambda: live.searching() == 0, timeout=5)
    live.until(lambda: live.server.slots.is_free and live.server.memory.held_mb == 0, timeout=5)


def test_not_too_many_searches_wait(limited):
    live = limited(searches=1, waiting=2)
    status = []

    def ask():
        body = {"seconds": 0.5}
        status.append(live.http.post("/api/games/connect_four/search", json=body).status_code)

    asking = [threading.Thread(target=ask) for _ in range(5)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert sorted(status) == [200, 200, 503, 503, 503]


def test_schema_describes_every_message(live):
    schema = live.http.get("/api/schema").json()
    parts = schema["$defs"]
    assert {"Hello", "MakeSteps", "Welcome", "Refused", "SearchRequest", "PositionAnswer"} <= parts.keys()
    assert parts["Play"]["properties"]["type"]["enum"] == ["play"]
    text = json.dumps(schema)
    for name in parts:
        assert f'"#/$defs/{name}"' in text or name[0].isupper()


def test_page_is_served_and_nothing_else(live):
    page = live.http.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    script = live.http.get("/explorer.js")
    assert script.status_code == 200
    assert live.http.get("/", headers={"if-none-match": page.headers["etag"]}).status_code == 304


@pytest.mark.parametrize(
    "path",
    [
        "/../messages.py",
        "/..%2fmessages.py",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/static/../../app.py",
        "//etc/passwd",
        "/etc/passwd",
        "/explorer.js/../../app.py",
        "/explorer.js%00.py",
        "/index.html.py",
        "/.git/config",
        "/api",
        "/api/games/../../etc/passwd",
        "/api/games/%2e%2e%2f%2e%2e%2fsetup.py",
        "/api/games/os:system",
        "/api/games//etc/passwd.py",
    ],
)
def test_no_path_reaches_the_machine(live, path):
    import socket

    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := raw.recv(65_536):
            answer += part
    status = int(answer.split()[1])
    assert status in (400, 404), answer[:200]
    assert b"root:" not in answer
    assert b"import" not in answer


@pytest.mark.parametrize(
    ("host", "origin", "allowed"),
    [
        ("127.0.0.1:8642", None, True),
        ("127.0.0.1:8642", "http://127.0.0.1:8642", True),
        ("localhost:8642", "http://localhost:8642", True),
        ("[::1]:8642", "http://[::1]:8642", True),
        ("192.168.1.5:80", "http://192.168.1.5:80", True),
        ("LOCALHOST:8642", "http://localhost:8642", True),
        ("play.example", "https://play.example", True),
        ("127.0.0.1:8642", "http://localhost:3000", True),
        ("127.0.0.1:8642", "http://localhost:8642", False),
        ("127.0.0.1:8642", "http://127.0.0.1:9999", False),
        ("127.0.0.1:8642", "null", False),
        ("127.0.0.1:8642", "file://", False),
        ("127.0.0.1:8642", "http://[", False),
        ("rebound.evil:8642", "http://rebound.evil:8642", False),
        ("127.0.0.1.evil.example", None, False),
        ("", None, False),
        ("[", None, False),
    ],
)
def test_guard_knows_who_may_speak(host, origin, allowed):
    guard = Guard(hosts=["play.example"], origins=["http://localhost:3000"])
    headers = {"host": host} | ({} if origin is None else {"origin": origin})
    assert (guard.refusal(headers) is None) == allowed


def test_strangers_are_turned_away(live):
    from websockets.exceptions import InvalidStatus

    stranger = {"origin": "http://evil.example"}
    answer = live.http.post("/api/games/nim/position", json={}, headers=stranger)
    assert answer.status_code == 403
    assert "evil.example" in answer.json()["error"]
    assert live.http.get("/", headers={"host": "rebound.example"}).status_code == 403
    with pytest.raises(InvalidStatus):
        live.page(hello=False, origin="http://evil.example")
    live.page(origin=live.running.url.rstrip("/")).close()
    plain = live.http.post("/api/games/nim/position", content="{}", headers={"content-type": "text/plain"})
    assert plain.status_code == 400


def test_pages_of_other_origins_may_be_let_in(limited):
    friend = "http://localhost:3000"
    live = limited(origins=[friend])
    answer = live.http.post("/api/games/nim/position", json={}, headers={"origin": friend})
    assert answer.headers["access-control-allow-origin"] == friend
    asked = live.http.options(
        "/api/games/nim/position",
        headers={
            "origin": friend,
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type",
        },
    )
    assert asked.status_code == 200
    live.page(origin=friend)


def test_the_server_ends_with_searches_going_on(limited):
    live = limited()
    page = live.page()
    page.ask("new_game", game="connect_four", seats=[1], opponent={"seconds": 500})
    page.until("analysis")
    started = time.monotonic()
    live.running.stop()
    live.thread.join(20)
    assert not live.thread.is_alive()
    assert time.monotonic() - started < 5
    assert live.searching() == 0


def test_version_is_reported(live):
    assert live.page().welcome["version"] == __version__
