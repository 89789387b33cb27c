"""Sessions: lost and found again, taken over, side by side."""

import time

from branchwise.web.app.connection import TAKEN_OVER


def new_game(page, game="tic_tac_toe", **fields):
    fields.setdefault("opponent", {"simulations": 50})
    return page.ask("new_game", game=game, **fields)


def test_a_lost_connection_ends_its_search_and_the_session_continues_when_it_is_back(live):
    page = live.page()
    new_game(page, "connect_four", moves=["d"], seats=[0, 1])
    page.ask("analyse", on=True)
    page.until("analysis")
    page.close()
    live.until(lambda: live.searching() == 0, timeout=5)
    back = live.page(page.welcome["session"])
    assert back.welcome["resumed"] is True
    assert back.welcome["session"] == page.welcome["session"]
    assert [move["text"] for move in back.until("position")["moves"]] == ["d1"]
    assert (
        back.until(lambda told: told["type"] == "thinking" and told["stage"] == "searching")["who"]
        == "analysis"
    )
    before = max(told["simulations"] for told in page.heard if told["type"] == "analysis")
    assert back.until(lambda told: told["type"] == "analysis" and told["simulations"] > before)
    back.close()


def test_a_bot_that_was_thinking_thinks_again(live):
    page = live.page()
    new_game(page, "connect_four", seats=[1], opponent={"seconds": 50})
    page.until("analysis")
    page.close()
    live.until(lambda: live.searching() == 0, timeout=5)
    back = live.page(page.welcome["session"])
    assert back.until("position")["ply"] == 0
    assert back.until("analysis")["who"] == "bot"
    assert (
        back.until(lambda told: told["type"] == "thinking" and told["stage"] == "searching")["who"] == "bot"
    )
    back.ask("stop")
    assert back.until("position")["ply"] == 1
    back.close()


def test_a_bot_that_is_stopped_before_it_has_begun_still_moves(limited):
    live = limited(searches=4)
    page = live.page()
    new_game(page, "connect_four", seats=[1], opponent={"seconds": 50})
    page.ask("stop")
    assert page.until("position")["ply"] == 1


def test_a_second_connection_takes_the_session_over(live):
    first = live.page()
    new_game(first, moves=[0], seats=[0, 1])
    second = live.page(first.welcome["session"])
    assert second.until("position")["ply"] == 1
    assert first.closed() == (TAKEN_OVER, "taken over by another window")
    assert first.heard[-1]["message"] == "this game continues in another window"
    assert second.ask("play", action=1, ply=1)["ply"] == 2
    second.close()


def test_an_unknown_token_begins_a_new_session(live):
    for token in ("", "nonsense", "x" * 100):
        page = live.page(token)
        assert page.welcome["resumed"] is False
        assert page.welcome["session"] != token
        page.close()


def test_a_session_without_a_game_is_not_resumed(live):
    page = live.page()
    page.close()
    back = live.page(page.welcome["session"])
    assert back.welcome["resumed"] is False
    back.close()


def test_two_sessions_do_not_know_of_each_other(live):
    one, other = live.page(), live.page()
    new_game(one, moves=[0], seats=[0, 1])
    new_game(other, "nim", seats=[0, 1])
    assert one.ask("play", action=1, ply=1)["game"]["name"] == "tic_tac_toe"
    assert other.ask("play", action=1, ply=0)["game"]["name"] == "nim"
    for page, name in ((one, "tic_tac_toe"), (other, "nim")):
        page.quiet(0.1)
        assert {told["game"]["name"] for told in page.heard if told["type"] == "position"} == {name}
    one.close()
    other.close()


def test_hello_comes_first_and_once(live):
    page = live.page(hello=False)
    refused = page.refusal("new_game", game="nim")
    assert "before hello" in refused["message"]
    assert page.ask("hello")["type"] == "welcome"
    assert "already" in page.refusal("hello")["message"]
    page.close()


def test_sessions_are_kept_for_a_while(limited):
    live = limited(session_seconds=0.2, sessions=2)
    page = live.page()
    new_game(page, moves=[0], seats=[0, 1])
    token = page.welcome["session"]
    page.close()
    live.until(lambda: live.sessions._sessions[token].tell is None)
    time.sleep(0.3)
    assert live.page(token).welcome["resumed"] is False


def test_a_session_that_was_left_makes_room_and_one_in_use_does_not(limited):
    live = limited(sessions=2)
    left = live.page()
    new_game(left, moves=[0], seats=[0, 1])
    left.close()
    live.until(lambda: live.sessions._sessions[left.welcome["session"]].tell is None)
    live.page()
    live.page()
    assert len(live.sessions) == 2
    full = live.page(hello=False)
    assert "2 sessions" in full.refusal("hello")["message"]
    assert full.closed()[0] == 4003
    full.close()
