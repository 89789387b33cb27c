"""A game with hidden information in the browser, played to its end."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.front_door import open_game
from support.waiting import address_of

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too


def turn(page: Page) -> Any:
    return page.get_by_test_id("turn")


def choose_simulations(page: Page, number: int) -> None:
    page.get_by_label("Strength by").select_option("simulations")
    field = page.get_by_label("Simulations per move")
    field.fill(str(number))
    field.press("Tab")
    expect(field).to_have_value(str(number))


def play_first_legal_move(page: Page) -> None:
    """Play the first button of the legal moves, and wait until it is the person's turn again, or the end."""
    legal = page.get_by_role("group", name="Legal moves").get_by_role("button")
    moves = page.get_by_role("list", name="Moves of the game").get_by_role("button")
    before = moves.count()
    legal.first.click()
    expect(moves.nth(before)).to_be_visible()
    expect(turn(page)).to_contain_text(re.compile("Your move|win|lose|drawn"))


def test_leduc_poker_hides_the_others_card_until_it_is_over(visitor: Any) -> None:
    said: list[str] = []
    page = visitor.context.new_page()
    page.on("websocket", lambda socket: socket.on("framereceived", lambda text: said.append(str(text))))
    page.goto(visitor.url + "/?game=leduc_poker")
    board = page.locator(".board")
    expect(turn(page)).to_have_text("Your move, player 0")
    choose_simulations(page, 50)
    expect(page.get_by_test_id("hidden")).to_contain_text("You see what player 0 may see")
    expect(board.get_by_role("button", name="player 1, face down")).to_be_visible()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    expect(page.get_by_role("button", name="start")).to_be_disabled()
    expect(page.get_by_label("I roll the dice")).to_have_count(0)
    expect(page.get_by_text("Position by moves, and link")).to_have_count(0)
    assert page.get_by_label("Who plays").locator("option").all_text_contents() == [
        "You play first",
        "You play second",
    ]
    page.locator("summary", has_text="Legal moves").click()
    for _ in range(20):
        assert "moves=" not in address_of(page)
        if "Your move" not in (turn(page).text_content() or ""):
            break
        expect(board.get_by_role("button", name="player 1, face down")).to_be_visible()
        play_first_legal_move(page)
    expect(turn(page)).to_contain_text(re.compile("win|lose|drawn"))
    expect(board).not_to_contain_text("?")
    expect(page.get_by_test_id("hidden")).to_contain_text("everything is shown")
    moves = page.get_by_role("list", name="Moves of the game").get_by_role("button")
    expect(moves.nth(2)).to_have_text(re.compile("^[JQK][ab]$"))
    hidden = moves.nth(2).inner_text()
    told = [json.loads(text) for text in said if '"type":"position"' in text and '"viewer":0' in text]
    until_the_end = [json.dumps({**one, "game": None}) for one in told]  # a game's style names all cards
    assert until_the_end
    assert not any(hidden in text for text in until_the_end)
    moves.nth(3).click()
    expect(turn(page)).to_have_text("Player 1 was to move here")
    expect(board).to_contain_text(hidden)
    assert address_of(page).endswith("?game=leduc_poker")


def test_a_hint_and_an_analysis_are_of_what_the_person_knows(visitor: Any) -> None:
    page = visitor.open("?game=kuhn_poker")
    expect(turn(page)).to_have_text("Your move, player 0")
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_test_id("hint")).to_contain_text(re.compile("Hint: (pass|bet), value .* for player 0"))
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.locator("tr[data-move]")).to_have_count(2)
    expect(page.get_by_text("deals anew what player 0 does not know")).to_be_visible()
    for name in ("Tree", "Steps"):
        page.get_by_role("tab", name=name).click()
        expect(page.get_by_test_id("no-tree")).to_contain_text("no positions to show")


def test_another_seat_begins_a_new_game(visitor: Any) -> None:
    page = visitor.open("?game=phantom_tic_tac_toe")
    choose_simulations(page, 20)
    expect(turn(page)).to_have_text("Your move, X")
    page.locator('[data-action="4"]').click()
    expect(page.get_by_role("list", name="Moves of the game")).to_contain_text("?")
    page.get_by_label("Who plays").select_option("1")
    expect(turn(page)).to_have_text("Your move, O")
    expect(page.get_by_role("list", name="Moves of the game").get_by_role("button")).to_have_text(
        ["start", "?"]
    )
    expect(page.get_by_test_id("hidden")).to_contain_text("You see what O may see")


def test_other_games_and_links_go_on_from_there(make_visitor: Callable[..., Any]) -> None:
    """Seats of several people, dice of one's own and moves in a link have no place in such a game."""
    page = make_visitor().open("?game=kuhn_poker&moves=0,2")
    expect(page.get_by_test_id("problem")).to_contain_text("which the moves of a position would tell")
    expect(turn(page)).to_have_text("Your move, player 0")
    open_game(page, "pig")
    page.get_by_label("Who plays").select_option("0,1")
    page.get_by_label("I roll the dice").check()
    open_game(page, "hearts")
    expect(page.get_by_test_id("hidden")).to_contain_text("You see what player 0 may see")
    open_game(page, "connect_four")
    expect(turn(page)).to_have_text("Your move, Red")
    expect(page.get_by_test_id("hidden")).to_have_count(0)
