"""The list of games, the room that the board has, and parts that fold."""

import re

import pytest
from playwright.sync_api import expect

from support.front_door import game_button, open_game

pytestmark = pytest.mark.browser


def test_the_page_opens_connect_four_and_later_the_last_game(visitor):
    page = visitor.open()
    expect(game_button(page)).to_have_attribute("data-game", "connect_four")
    open_game(page, "nim")
    expect(game_button(page)).to_have_attribute("data-game", "nim")
    again = visitor.open()
    expect(game_button(again)).to_have_attribute("data-game", "nim")


def test_games_are_found_by_words_and_kinds(visitor):
    page = visitor.open()
    game_button(page).click()
    cards = page.get_by_role("dialog").get_by_role("list", name="Games").get_by_role("listitem")
    expect(cards).to_have_count(72)
    page.get_by_role("button", name="dice", exact=True).click()
    expect(cards).to_have_count(5)
    page.get_by_role("searchbox").fill("race")
    expect(cards).to_have_count(1)
    expect(cards.first).to_contain_text("Race 15 checkers home")
    assert cards.first.locator("img").evaluate("img => img.decode().then(() => img.naturalWidth > 0)")
    page.get_by_role("searchbox").fill("tiger")
    expect(page.get_by_text("No game that can be played here fits")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    page.get_by_text("Not on this page").click()
    expect(page.get_by_role("dialog")).to_contain_text("It is partially observed")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_class_to_copy_is_a_game(visitor, tmp_path):
    from branchwise.games import load_game
    from branchwise.testing import check_game

    page = visitor.open()
    game_button(page).click()
    page.get_by_text("Add your own game").click()
    file = tmp_path / "my_game.py"
    file.write_text(page.locator("pre.class").inner_text())
    check_game(load_game(str(file)), games=20)


def test_the_rules_are_told_in_words(visitor):
    page = visitor.open("?game=hex")
    page.get_by_text("Rules", exact=True).click()
    expect(page.get_by_test_id("rules")).to_contain_text("There are no draws")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (2560, 1440), (390, 844)])
def test_the_board_has_room(make_visitor, width, height):
    page = make_visitor(viewport={"width": width, "height": height}).open("?game=tic_tac_toe")
    board = page.locator(".host").bounding_box()
    least = 0.9 * width if width < 600 else 0.55 * height
    assert board["width"] >= least
    assert board["height"] >= 0.9 * least
    assert board["y"] + board["height"] <= height


def test_a_phone_shows_the_board_and_the_first_five_moves(make_visitor):
    page = make_visitor(viewport={"width": 390, "height": 844}).open("?game=connect_four")
    page.get_by_role("button", name="Analyse").click()
    row = page.locator("tbody tr").nth(4)
    row.wait_for()
    box = row.bounding_box()
    assert box["y"] + box["height"] <= 844
    assert page.locator(".host").bounding_box()["y"] >= 0


TOO_SMALL = """() => [...document.querySelectorAll("button, select, input, summary")]
    .filter(element => element.checkVisibility() && !element.closest("dialog:not([open])"))
    .map(element => [element, (element.closest("label") ?? element).getBoundingClientRect()])
    .filter(([, box]) => box.height < 24 || box.width < 24)
    .map(([element, box]) => `${element.outerHTML.slice(0, 80)} ${box.width}x${box.height}`)"""


@pytest.mark.parametrize("width", [390, 1440])
def test_targets_are_24_pixels_large(make_visitor, width):
    page = make_visitor(viewport={"width": width, "height": 844}).open("?game=connect_four&moves=3,3")
    page.get_by_role("button", name="Options").click()
    assert page.evaluate(TOO_SMALL) == []
    page.get_by_role("button", name="Analyse").click()
    page.locator("tbody tr").first.wait_for()
    assert page.evaluate(TOO_SMALL) == []


def test_what_is_folded_stays_folded(visitor):
    page = visitor.open("?game=nim")
    page.get_by_role("button", name="Hide").click()
    page.locator("summary", has_text="Moves").first.click()
    expect(page.get_by_role("list", name="Moves of the game")).to_have_count(0)
    wide = page.locator(".play").bounding_box()["width"]
    page.reload()
    show = page.get_by_role("button", name="Show the search")
    expect(show).to_be_visible()
    expect(page.get_by_role("list", name="Moves of the game")).to_have_count(0)
    show.click()
    expect(page.get_by_role("tab", name=re.compile("Search"))).to_be_visible()
    assert page.locator(".play").bounding_box()["width"] < wide
