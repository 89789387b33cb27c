"""Games that begin at a start that is drawn, on the page and by HTTP."""

from pathlib import Path

import pytest

GAMES = Path(__file__).parents[1] / "rules/test_random_starts.py"


@pytest.fixture
def theirs(limited):
    return limited(f"{GAMES}:Pile", f"{GAMES}:Walk")


def chips(told):
    return int(told["text"].split("chips=")[1].split()[0])


def test_each_game_has_a_start_of_its_own_and_undo_goes_back_to_it(theirs):
    page = theirs.page()
    assert theirs.http.get("/api/games/pile").json()["simulates"] is True
    starts = [page.ask("new_game", game="pile", seats=[0, 1]) for _ in range(20)]
    assert len(set(map(chips, starts))) > 3
    start = starts[-1]
    told = page.ask("play", action=1, ply=0)
    assert chips(told) == chips(start) - 2
    assert page.ask("undo")["text"] == start["text"]
    told = page.ask("play", action=0, ply=0)
    assert chips(told) == chips(start) - 1
    assert page.ask("take_up", variation=0)["ply"] == 1
    assert page.ask("go_to", ply=0)["text"] == start["text"]
    assert told["link"] == "game=pile"


def test_bot_analysis_and_steps_begin_at_the_start_that_was_drawn(theirs):
    page = theirs.page()
    start = page.ask("new_game", game="pile", seats=[0], opponent={"simulations": 200})
    board = page.ask("ask_board", line=[1])
    assert chips(board) == chips(start) - 2
    page.say("analyse", on=True)
    found = page.until(lambda told: told["type"] == "analysis" and told["ended_by"] == "proven")
    assert found["value"] == (-1 if chips(start) % 4 == 0 else 1)
    page.ask("begin_steps", settings={"seed": 1})
    made = page.ask("make_steps", count=1)["simulations"][0]
    assert f"chips={chips(start)} " in made["selection"]["board"]
    page.ask("play", action=0, ply=0)
    told = page.until(lambda told: told["type"] == "position" and told["ply"] == 2)
    assert chips(told) < chips(start) - 1


def test_moves_from_no_certain_start_are_refused_in_one_sentence(theirs):
    page = theirs.page()
    refused = page.refusal("new_game", game="pile", moves=[1])
    assert "starts at random, so that moves from its start do not determine a position" in refused["message"]
    assert "\n" not in refused["message"]


def test_by_http_a_game_continues_from_states(theirs):
    start = theirs.http.post("/api/games/pile/position", json={}).json()
    body = {"state": start["state"], "moves": [1]}
    after = theirs.http.post("/api/games/pile/position", json=body).json()
    assert chips(after) == chips(start) - 2
    found = theirs.http.post("/api/games/pile/search", json={"state": after["state"], "simulations": 100_000})
    assert found.json()["value"] == (-1 if chips(after) % 4 == 0 else 1)
