"""Positions and searches by HTTP of games that hide something, and of games that begin with chance."""

import re

import pytest

import branchwise as bw
from branchwise.game.kinds.random_numbers import Random
from branchwise.games import load_game
from branchwise.rules.playthrough.position import position_after
from support.lookalikes import GAMES, twins


def asked(live, game, what, **body):
    answer = live.http.post(f"/api/games/{game}/{what}", json=body)
    assert answer.status_code == 200, answer.text
    return answer


def answered(live, game, what, **body):
    """Return the answer to the letter, but for the time that it took."""
    return re.sub(r'"seconds":[^,]*', "", asked(live, game, what, **body).text)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_games_that_look_the_same_have_the_same_answers(live, game):
    limits = {"simulations": 40, "settings": {"seed": 1}}
    for one, other in twins(game, 3, seed=2):
        given = [list(each.actions) for each in (one, other)]
        for what, more in (("position", {}), ("search", limits)):
            first, second = (answered(live, game.name, what, moves=moves, **more) for moves in given)
            assert first == second


def test_a_seat_that_waits_sees_its_own_and_has_no_moves(live):
    mine = asked(live, "kuhn_poker", "position", moves=["J", "K", "bet"]).json()
    theirs = asked(live, "kuhn_poker", "position", moves=["J", "K", "bet"], viewer=0).json()
    assert (mine["viewer"], mine["player"], theirs["viewer"], theirs["player"]) == (1, 1, 0, -3)
    assert [move["text"] for move in mine["legal"]] == ["pass", "bet"]
    assert theirs["legal"] == []
    assert re.search(r"player 1\s+K", mine["text"])
    assert "J" not in mine["text"]
    assert "K" not in theirs["text"]
    assert mine["state"] is None
    assert "you: bet" in theirs["seen"]
    wrong = live.http.post("/api/games/kuhn_poker/position", json={"viewer": 2})
    assert (wrong.status_code, "no player 2" in wrong.json()["error"]) == (400, True)


def test_all_is_shown_when_the_game_is_over(live):
    over = asked(live, "kuhn_poker", "position", moves=["J", "K", "bet", "bet"]).json()
    assert (over["player"], over["returns"], over["viewer"]) == (None, [-2.0, 2.0], None)
    assert re.search(r"player 0\s+J[^$]*player 1\s+K", over["text"])


def test_a_move_that_is_not_legal_tells_nothing_of_what_is_hidden(live):
    """The other's stone lies on a1: whether it does must not be seen in what the error lists."""
    error = live.http.post("/api/games/phantom_tic_tac_toe/position", json={"moves": ["b2", "b9"]})
    assert error.status_code == 400
    assert error.json()["error"] == "move 2 is not legal in phantom_tic_tac_toe"
    given = live.http.post("/api/games/kuhn_poker/search", json={"state": {}})
    assert "a state does not tell what its players know" in given.json()["error"]


def test_a_deal_is_drawn_by_the_seed_and_told_as_the_seat_saw_it(live):
    for seed in range(4):
        position = position_after(load_game("kuhn_poker")(), [], Random(seed))
        cards = [move.text for move in position.played.moves]
        told = asked(live, "kuhn_poker", "position", seed=seed).json()
        assert (told["drawn"], told["viewer"]) == ([cards[0], "?"], 0)
        told = asked(live, "kuhn_poker", "position", moves=["?", "bet"], seed=seed).json()
        assert (told["drawn"], told["viewer"]) == (["?", cards[1]], 1)
        limits = {"simulations": 30, "settings": {"seed": 1}}
        found = asked(live, "kuhn_poker", "search", moves=["?", "bet"], seed=seed, **limits).json()
        known = asked(live, "kuhn_poker", "search", moves=[*cards, "bet"], **limits).json()
        assert found["drawn"] == ["?", cards[1]]
        assert found["children"] == known["children"]


def test_a_search_of_a_game_that_begins_with_dice_draws_them_and_says_so(live):
    limits = {"simulations": 30, "settings": {"seed": 1}}
    found = asked(live, "backgammon", "search", seed=3, **limits).json()
    (roll,) = found["drawn"]
    known = asked(live, "backgammon", "search", moves=[roll], **limits).json()
    assert found["children"] == known["children"]
    assert known["drawn"] == []
    listed = asked(live, "backgammon", "position").json()
    assert (listed["player"], listed["drawn"]) == (bw.CHANCE, [])
    assert sum(outcome["probability"] for outcome in listed["legal"]) == pytest.approx(1)
