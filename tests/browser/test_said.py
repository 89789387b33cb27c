"""What the page says is so, is said to everybody, and nothing is lost without a word."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from support.front_door import open_game

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too

WORDLESS_GAME = Path(__file__).parent / "count_up.py"


def cell(page: Page, action: int) -> Any:
    return page.locator(f'.host [data-action="{action}"]').last


def people_play(page: Page) -> None:
    page.get_by_label("Who plays").select_option("0,1")
    expect(page.get_by_test_id("turn")).to_contain_text("is to move")


def test_a_board_after_a_game_without_a_picture_has_names_roles_and_states(
    serve: Callable[..., Any], visitor: Any
) -> None:
    page = visitor.open(url=serve(str(WORDLESS_GAME)).url)
    expect(page.locator("pre.text")).to_be_visible()
    open_game(page, "tic_tac_toe")
    board = page.locator(".host svg")
    expect(board).to_have_attribute("role", "group")
    expect(board).to_have_attribute("aria-label", re.compile("Board of Tic-tac-toe"))
    expect(page.get_by_role("button", name="b2, empty, can be played", exact=True)).to_have_attribute(
        "aria-disabled", "false"
    )
    people_play(page)
    cell(page, 4).click()
    expect(page.locator("ol.list button")).to_have_count(2)
    open_game(page, "count_up")
    expect(page.locator("pre.text")).to_be_visible()
    open_game(page, "connect_four")
    expect(page.locator(".host [role=button]")).to_have_count(42)


def test_the_bots_move_is_announced(visitor: Any) -> None:
    page = visitor.open("?game=tic_tac_toe")
    page.get_by_label("Strength by").select_option("simulations")
    log = page.get_by_role("log", name="Moves of the bot")
    expect(log).to_have_text("")
    cell(page, 4).click()
    expect(log).to_have_text(re.compile(r"^Move 2: O plays [abc][123]\.$"))
    first = log.inner_text()
    expect(page.get_by_test_id("turn")).to_contain_text("Your move")
    page.locator(".host [role=button][aria-disabled=false]").first.click()
    expect(log).to_have_text(re.compile(r"^Move 4: O plays"))
    page.get_by_role("button", name="Undo").click()
    expect(log).not_to_have_text(first)


def test_every_value_says_whose_it_is(visitor: Any) -> None:
    page = visitor.open("?game=connect_four&moves=3,3,2")
    people_play(page)
    page.get_by_role("button", name="Analyse").click()
    figures = page.get_by_test_id("figures")
    expect(figures).to_contain_text("for Yellow")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_test_id("ended")).to_be_visible()  # the last findings are there
    bar = page.get_by_role("meter", name="Value for Yellow").locator(".figure")
    expect(bar).to_have_text(re.compile(r"^\S?\d\.\d\d for Yellow$"))
    expect(bar).to_have_text(figures.locator("dd").first.inner_text())
    title = page.get_by_role("columnheader", name="Value").get_by_role("button").get_attribute("title")
    assert title == "Mean return for Yellow"


def test_the_weight_of_exploration_is_the_same_number_everywhere(visitor: Any) -> None:
    page = visitor.open("?game=tic_tac_toe")
    page.get_by_role("tab", name="Steps").click()
    for name in ("10 more", "Select ▸"):
        page.get_by_role("button", name=name, exact=True).click()
    formula = page.get_by_text(re.compile("^score = value"))
    expect(formula).to_contain_text("0.7 · 2 · √(ln N / n)")
    assert page.get_by_label("c as a number").input_value() == "0.7"
    expect(page.get_by_text("0.7: c, for results from 0 to 1")).to_be_visible()


def test_moves_that_are_replaced_are_kept_and_gone_on_with(visitor: Any) -> None:
    page = visitor.open("?game=tic_tac_toe&moves=4,0,8,2")
    people_play(page)
    page.locator("ol.list button").nth(1).click()
    expect(page.locator("ol.list [aria-current=step]")).to_have_text("b2")
    cell(page, 1).click()
    expect(page.locator("ol.list button")).to_have_count(3)
    kept = page.get_by_role("list", name="Variations").get_by_role("button")
    expect(kept).to_have_accessible_name(re.compile("Variation from move 2: a3 c1 c3"))
    kept.click()
    expect(page.locator("ol.list button")).to_have_count(5)
    expect(page.locator("ol.list [aria-current=step]")).to_have_text("a3")
    expect(kept).to_have_accessible_name(re.compile("Variation from move 2: b3"))


def test_without_a_connection_nothing_seems_to_continue_and_clicks_are_answered(
    serve: Callable[..., Any], make_visitor: Callable[..., Any]
) -> None:
    server = serve()
    person = make_visitor()
    person.forgiven += ["WebSocket connection to", "ERR_CONNECTION_REFUSED"]
    page = person.open("?game=connect_four", url=server.url)
    people_play(page)
    page.get_by_role("button", name="Analyse").click()
    expect(page.get_by_test_id("thinking")).to_contain_text("analysing")
    port = urlsplit(server.url).port
    server.end()
    expect(page.get_by_test_id("lost")).to_be_visible()
    expect(page.get_by_test_id("thinking")).to_have_text("")
    expect(page.locator(".moving")).to_have_count(0)
    expect(page.locator(".host [role=button]").first).to_have_attribute("aria-disabled", "true")
    cell(page, 3).click(force=True)
    expect(page.get_by_test_id("problem")).to_contain_text("This was not done")
    serve(port=port)
    expect(page.get_by_test_id("lost")).to_have_count(0)
    expect(page.get_by_test_id("problem")).to_have_count(0)
