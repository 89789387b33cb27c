"""Games in which all move at once in the browser: choosing by clicks, alone against a bot and in pairs."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too


def turn(page: Page) -> Any:
    return page.get_by_test_id("turn")


def choices(page: Page) -> Any:
    return page.get_by_role("group", name="Legal moves").get_by_role("button")


def moves(page: Page) -> Any:
    return page.get_by_role("list", name="Moves of the game").get_by_role("button")


def test_a_round_of_rock_paper_scissors_against_the_bot(visitor: Any) -> None:
    page = visitor.open("?game=rock_paper_scissors")
    expect(turn(page)).to_have_text("Your choice, player 0")
    expect(page.get_by_test_id("at-once")).to_contain_text("does not see your choice")
    page.get_by_label("Strength by").select_option("simulations")
    page.get_by_label("Simulations per move").fill("50")
    page.get_by_label("Simulations per move").press("Tab")
    expect(choices(page)).to_have_text(["rock", "paper", "scissors"])
    choices(page).nth(1).click()
    expect(moves(page)).to_have_count(2)
    expect(moves(page).nth(1)).to_have_text(re.compile("paper : (rock|paper|scissors)"))
    expect(turn(page)).to_have_text(re.compile("wins: you|drawn"))
    expect(page.locator("[data-choice]")).to_have_count(6)
    expect(page.get_by_test_id("matrix").locator("td.number")).to_have_count(9)
    expect(page).to_have_url(re.compile("moves=1:[012]$"))
    page.reload()
    expect(moves(page)).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(turn(page)).to_have_text("Your choice, player 0")
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_test_id("hint")).to_contain_text(
        re.compile("Hint: (rock|paper|scissors), value .* for player 0; drawn from the mean strategy")
    )
    for name in ("Tree", "Steps"):
        page.get_by_role("tab", name=name).click()
        expect(page.get_by_test_id("no-tree")).to_contain_text("cannot be shown yet")


def test_two_people_choose_one_after_the_other_and_neither_choice_is_shown_before(visitor: Any) -> None:
    said: list[str] = []
    page = visitor.context.new_page()
    page.on("websocket", lambda socket: socket.on("framereceived", lambda text: said.append(str(text))))
    page.goto(visitor.url + "/?game=goofspiel(num_cards=4,points_order=%27descending%27)")
    expect(turn(page)).to_have_text("Your choice, player 0")
    page.get_by_label("Who plays").select_option("0,1")
    expect(turn(page)).to_have_text("Player 0 is to choose")
    before = len(said)
    choices(page).nth(2).click()
    expect(turn(page)).to_have_text("Player 1 is to choose")
    assert any('"waiting":[1]' in text for text in said[before:])
    assert not any('"2:' in text or '"3,' in text for text in said[before:])
    page.get_by_role("button", name="Undo").click()
    expect(turn(page)).to_have_text("Player 0 is to choose")
    choices(page).nth(3).click()
    expect(turn(page)).to_have_text("Player 1 is to choose")
    choices(page).nth(0).click()
    expect(moves(page)).to_have_text(["start", "4 : 1"])
    expect(page.locator(".board")).to_contain_text("4 pts")
    page.locator("summary", has_text="Position by moves").click()
    page.get_by_role("textbox", name="Moves").fill("4,4 3,1")
    page.get_by_role("button", name="Set up").click()
    expect(moves(page)).to_have_text(["start", "4 : 4", "3 : 1"])
    expect(turn(page)).to_have_text("Player 0 is to choose")


def test_tron_has_its_directions_below_the_board(visitor: Any) -> None:
    page = visitor.open("?game=tron(rows=3,columns=5)")
    expect(turn(page)).to_have_text("Your choice, player 0")
    page.get_by_label("Who plays").select_option("0,1")
    for player, direction in (("Player 0", "right"), ("Player 1", "left")):
        expect(turn(page)).to_have_text(f"{player} is to choose")
        page.get_by_role("button", name=direction, exact=True).click()
    expect(turn(page)).to_have_text("The game is drawn")
    expect(moves(page)).to_have_text(["start", "right : left"])
