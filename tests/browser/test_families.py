"""Games of each family of boards, played square by square with the mouse and with keys, in a real browser."""

import random
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from support.page_players import people_play_both
from support.waiting import until

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)

LABELS = "cells => cells.map(cell => [cell.dataset.square, cell.ariaLabel])"
START = re.compile("can move|can be played|falls to")
OFFERED = re.compile("can move|can be picked next")
MOVES = 8
MOST_MOVES = 400
OVER = re.compile("wins|win$|lose|drawn|is over|has more|share the win")


def squares(page: Page, said: re.Pattern[str]) -> list[str]:
    """Return the squares with labels, once all labels are of the position that is shown."""
    expect(page.locator("svg[aria-busy]")).to_have_count(0)
    return [
        square for square, label in page.locator("[data-square]").evaluate_all(LABELS) if said.search(label)
    ]


def moves_made(page: Page) -> int:
    return page.locator("ol.list button").count()


def turn(page: Page) -> Locator:
    return page.get_by_test_id("turn")


def over(page: Page) -> bool:
    return bool(OVER.search(turn(page).inner_text()))


def press(page: Page, square: str, by_keys: bool) -> None:
    cell = page.locator(f'[data-square="{square}"]')
    if by_keys:
        cell.focus()
        page.keyboard.press("Enter")
    else:
        cell.click(force=True)


def make_a_move(page: Page, draw: random.Random, by_keys: bool) -> None:
    """Make a move by its squares, as their labels offer them, or by a button beside the board."""
    beside = page.locator(".beside button:enabled")
    offered: list[Any] = []

    def is_due() -> bool:
        offered[:] = squares(page, START), beside.count()
        return any(offered) or over(page)

    until(is_due)  # a bot or the dice may move first
    if over(page):
        return
    starts, buttons = offered
    before = moves_made(page)
    if not starts:
        button = beside.nth(draw.randrange(buttons))
        if by_keys:
            button.press("Enter")
        else:
            button.click()
    else:
        press(page, draw.choice(starts), by_keys)
    for _ in range(1000):
        page.wait_for_timeout(30)
        if moves_made(page) > before or over(page):
            return
        choices = page.locator(".choices button")
        if choices.count():
            choices.nth(draw.randrange(choices.count())).click()
        elif following := squares(page, re.compile("can be picked next")):
            press(page, draw.choice(following), by_keys)
    raise AssertionError(f"no move was made from {page.url}")


@pytest.mark.parametrize("by_keys", [False, True], ids=["mouse", "keys"])
@pytest.mark.parametrize("game", ["connect_four", "chess", "checkers", "tic_tac_toe", "amazons"])
def test_a_game_is_played_square_by_square(visitor: Any, game: str, by_keys: bool) -> None:
    page = visitor.open(f"?game={game}")
    page.get_by_label("Who plays").select_option("0,1")
    expect(page.locator('[data-square][aria-disabled="false"]').first).to_be_visible()
    draw = random.Random(game)
    for _ in range(MOVES):
        if squares(page, START) or page.locator(".beside button:enabled").count():
            make_a_move(page, draw, by_keys)


@pytest.mark.parametrize("by_keys", [False, True], ids=["mouse", "keys"])
@pytest.mark.parametrize(
    "game",
    [
        "connect_four(rows=4,columns=4,in_a_row=3)",
        "atari_go(size=5)",
        "clobber(rows=3,columns=4)",
        "hex(size=3)",
        "tic_tac_toe",
        "kuhn_poker",
        "backgammon",
        "same_game(rows=4,columns=4,colours=2)",
        "dots_and_boxes",
    ],
)
def test_a_whole_game_of_each_family(visitor: Any, game: str, by_keys: bool) -> None:
    """Chess has a test of its own, since its random games are long."""
    page = visitor.open(f"?game={game}")
    if page.get_by_label("Who plays").locator('option[value="0,1"]').count():
        page.get_by_label("Who plays").select_option("0,1")
    draw = random.Random(game)
    for _ in range(MOST_MOVES):
        if over(page):
            break
        make_a_move(page, draw, by_keys)
    expect(turn(page)).to_contain_text(OVER)


@pytest.mark.parametrize("by_keys", [False, True], ids=["mouse", "keys"])
def test_a_whole_game_of_chess(visitor: Any, by_keys: bool) -> None:
    page = visitor.open("?game=chess")
    people_play_both(page)
    for number, path in enumerate([(53, 45), (12, 28), (54, 38), (3, 39)]):
        for square in path:
            expect(page.locator(f'[data-square="{square}"]')).to_have_attribute("aria-label", OFFERED)
            press(page, str(square), by_keys)
        expect(page.locator("ol.list button")).to_have_count(number + 2)
    expect(turn(page)).to_contain_text("Black wins")


def test_a_piece_is_dragged_to_its_square(visitor: Any) -> None:
    page = visitor.open("?game=chess")
    people_play_both(page)
    pawn, target = page.locator('[data-square="52"]'), page.locator('[data-square="36"]')
    expect(pawn).to_have_attribute("aria-label", "e2, white pawn, can move")
    start, end = pawn.bounding_box(), target.bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=5)
    expect(target).to_have_attribute("aria-label", "e4, empty, can be picked next")
    page.mouse.up()
    expect(target).to_have_attribute("aria-label", "e4, white pawn, last move")


def test_a_pawn_becomes_what_is_chosen_at_its_square_and_escape_takes_the_choice_back(visitor: Any) -> None:
    page = visitor.open("?game=chess&moves=a2a4,b7b5,a4b5,a7a6,b5a6,b8c6,a6a7,c6b8")
    people_play_both(page)
    page.locator('[data-square="8"]').click()
    page.locator('[data-square="1"]').click()
    expect(page.locator(".choices button")).to_have_count(4)
    page.keyboard.press("Escape")
    expect(page.locator(".choices")).to_have_count(0)
    expect(page.locator('[data-square="1"]')).to_be_focused()
    page.locator('[data-square="8"]').click()
    page.locator('[data-square="1"]').click()
    page.locator(".choices button").last.click()
    expect(page.locator('[data-square="1"]')).to_have_attribute(
        "aria-label", re.compile("b8, white .*, last move")
    )


def test_a_promotion_is_chosen_by_its_picture_and_the_board_is_turned_for_black(visitor: Any) -> None:
    page = visitor.open("?game=chess&moves=a2a4,b7b5,a4b5,a7a6,b5a6,c8b7,a6b7,d7d6")
    people_play_both(page)
    page.locator('[data-square="9"]').click()
    page.locator('[data-square="0"]').click()
    expect(page.locator(".choices svg")).to_have_count(4)
    page.get_by_role("button", name="b7a8q").first.click()
    expect(page.locator("ol.list button").last).to_contain_text("b7a8q")
    corner = page.locator('[data-square="0"]')
    assert corner.bounding_box()["y"] < page.locator('[data-square="63"]').bounding_box()["y"]
    page.get_by_label("Who plays").select_option("1")
    expect(page.locator(".label").first).to_have_text("h")
    assert corner.bounding_box()["y"] > page.locator('[data-square="63"]').bounding_box()["y"]
