"""The board, the controls and the search view, by mouse and by keyboard, in a real browser."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from support.front_door import game_button
from support.page_players import people_play_both
from support.waiting import address_of, until

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too

TIC_TAC_TOE = "?game=tic_tac_toe"
WORDLESS_GAME = Path(__file__).parent / "count_up.py"


CONTENTS = "cells => cells.map(cell => cell.ariaLabel.split(', ').slice(0, 2).join(', '))"


def turn(page: Page) -> Any:
    return page.get_by_test_id("turn")


def cell(page: Page, action: int) -> Any:
    return page.locator(f'.host [data-action="{action}"]').last


def use_simulations(page: Page, count: int) -> None:
    page.get_by_label("Strength by").select_option("simulations")
    page.get_by_label("Simulations per move").fill(str(count))
    page.get_by_label("Simulations per move").press("Enter")
    expect(page.get_by_label("Simulations per move")).to_have_value(str(count))
    expect(page.locator('.host [data-action][aria-disabled="false"]').first).to_be_visible()  # it is answered


def played(page: Page) -> list[str]:
    return [text for text in page.locator("ol.list button").all_inner_texts() if text != "start"]


def is_over(page: Page) -> bool:
    return bool(re.search("wins|drawn", turn(page).inner_text()))


def brightness(page: Page) -> float:
    """Return how bright the page's background is, 0 to 255."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def moves_in_address(page: Page) -> list[str]:
    return parse_qs(urlsplit(address_of(page)).query).get("moves", [""])[0].split(",")


def figure(page: Page, name: str) -> str:
    found: str = page.locator(f'dl[data-testid="figures"] div:has(dt:text-is("{name}")) dd').inner_text()
    return found


def test_a_whole_game_by_clicks_against_the_bot(visitor: Any) -> None:
    page = visitor.open(TIC_TAC_TOE)
    use_simulations(page, 100)
    expect(turn(page)).to_contain_text("Your move")
    for made in (0, 2, 4, 6, 8):
        cell(page, int(page.locator(".host [data-action]").first.get_attribute("data-action"))).click()
        until(lambda made=made: len(played(page)) >= made + 2 or is_over(page))
        if not page.locator(".host [data-action]").count():
            break
    expect(turn(page)).to_contain_text(re.compile("wins|drawn"))
    expect(page.locator(".host [role=button][aria-disabled=false]")).to_have_count(0)
    expect(page.get_by_role("button", name="Bot moves")).to_be_disabled()


def test_overlay_table_and_figures_change_while_it_thinks(visitor: Any) -> None:
    page = visitor.open("?game=connect_four&moves=3,3")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator("[data-overlay]")).to_have_count(7)
    expect(page.locator("tbody tr")).to_have_count(7)
    circles = page.locator("[data-overlay] circle")
    looks = "all => all.map(circle => circle.getAttribute('r') + circle.style.fill)"
    before, drawn = figure(page, "simulations"), circles.evaluate_all(looks)
    until(lambda: figure(page, "simulations") != before and circles.evaluate_all(looks) != drawn)

    def visits() -> int:
        texts = page.locator("td.visits").all_inner_texts()
        return sum(int(text.split()[0].replace(",", "")) for text in texts)

    until(lambda: visits() > 100)  # the first snapshots may be of a search whose code is still to come

    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_test_id("thinking")).to_contain_text("paused")
    head = page.get_by_role("columnheader", name="Move")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    texts = page.locator("tbody tr .move").all_inner_texts()
    assert texts == sorted(texts)
    head.get_by_role("button").click()
    expect(page.locator("tbody tr .move")).to_have_text(texts[::-1])

    page.get_by_role("button", name="Options").click()
    page.get_by_label("The search, as circles on the board").uncheck()
    expect(page.locator("[data-overlay]")).to_have_count(0)


MARK_AND_LOWEST = """action => {
    const mark = document.querySelector(`[data-overlay="${action}"] circle`);
    const cells = [...document.querySelectorAll(`.host [data-action="${action}"]`)];
    const boxes = [mark, ...cells].map(element => element.getBoundingClientRect());
    const places = boxes.map(({x, y, width, height}) => ({x, y, width, height}));
    return [places[0], places.slice(1).reduce((low, other) => other.y > low.y ? other : low)];
}"""
"""Both read at once, because the board may move down while results come in."""


def test_circles_lie_where_pieces_fall(visitor: Any) -> None:
    page = visitor.open("?game=connect_four&moves=3,3,3")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator("[data-overlay]")).to_have_count(7)
    for action in (0, 3):
        mark, lowest = page.evaluate(MARK_AND_LOWEST, action)
        for at, length in (("x", "width"), ("y", "height")):
            assert mark[at] + mark[length] / 2 == pytest.approx(lowest[at] + lowest[length] / 2, abs=1.5)
            assert mark[length] < lowest[length]


def test_a_row_plays_its_line_out_and_keeps_it_when_pressed(visitor: Any) -> None:
    page = visitor.open("?game=tic_tac_toe&moves=4,0")
    page.get_by_role("button", name="Analyse").click()
    row = page.locator("tbody tr").nth(1)
    row.hover()
    board = page.get_by_test_id("line-board")
    expect(board.locator("svg")).to_be_visible()
    page.mouse.move(2, 2)
    expect(board.locator("svg")).to_have_count(0)
    row.locator(".move").click()
    page.mouse.move(2, 2)
    expect(board.locator("svg")).to_be_visible()
    assert len(played(page)) == 2, "looking at a line plays nothing"


def test_the_last_move_clicked_in_a_line_is_shown_though_another_is_answered_later(visitor: Any) -> None:
    firsts = visitor.hold_answers(lambda said: said["type"] == "ask_board" and len(said["line"]) == 1)
    page = visitor.open("?game=tic_tac_toe&moves=4,0")
    page.get_by_role("button", name="Analyse").click()
    page.locator("tbody tr").nth(1).locator(".move").click()
    moves = page.get_by_test_id("line-board").get_by_role("button")
    expect(moves.last).to_have_attribute("aria-current", "true")
    moves.nth(0).click()
    moves.nth(1).click()
    expect(moves.nth(1)).to_have_attribute("aria-current", "true")
    assert firsts
    for give in firsts:
        give()
    page.wait_for_timeout(200)
    expect(moves.nth(1)).to_have_attribute("aria-current", "true")


@pytest.mark.parametrize("by", ["board", "list"])
def test_a_second_click_before_the_first_is_answered_plays_nothing(visitor: Any, by: str) -> None:
    page = visitor.open(TIC_TAC_TOE)
    page.get_by_label("Who plays").select_option("0,1")
    expect(turn(page)).to_contain_text("X is to move")
    if by == "list":
        page.locator("summary", has_text="Legal moves").click()
    moves = page.get_by_role("group", name="Legal moves")
    if by == "list":
        moves.get_by_role("button").first.wait_for()
    places = {"board": [cell(page, 4), cell(page, 0)], "list": moves.get_by_role("button").all()[:2]}
    first, second = (place.element_handle() for place in places[by])
    twice = """async ([first, second]) => {
        const click = () => new MouseEvent("click", { bubbles: true });
        first.dispatchEvent(click());
        second.dispatchEvent(click());
        await null;
        const busy = one => one.ariaDisabled === "true" || one.closest("[aria-busy=true]") !== null;
        return [first, second].map(busy);
    }"""
    assert page.evaluate(twice, [first, second]) == [True, True]
    expect(turn(page)).to_contain_text("O is to move")
    until(lambda: len(played(page)) == 1)
    expect(page.get_by_test_id("problem")).to_have_count(0)
    expect(page.get_by_test_id("problem")).to_have_count(0)
    moves.get_by_role("button").first.click() if by == "list" else cell(page, 0).click()
    expect(turn(page)).to_contain_text("X is to move")


def test_undo_redo_hint_and_a_jump_in_the_list(visitor: Any) -> None:
    page = visitor.open(TIC_TAC_TOE)
    people_play_both(page)
    for action in (4, 0, 8):
        cell(page, action).click()
        expect(cell(page, action)).to_have_count(0)
    moves = played(page)
    page.get_by_role("button", name="Undo").click()
    expect(cell(page, 8)).to_be_visible()
    assert played(page) == moves, "moves taken back stay in the list"
    page.get_by_role("button", name="Redo").click()
    expect(cell(page, 8)).to_have_count(0)

    page.locator("ol.list button").nth(1).click()
    expect(cell(page, 0)).to_be_visible()
    expect(page.locator("ol.list [aria-current=step]")).to_have_text(moves[0])
    until(lambda: moves_in_address(page) == ["4"])

    page.get_by_role("button", name="Hint").click()
    hint = page.get_by_test_id("hint")
    expect(hint).to_contain_text("Hint")
    hinted = hint.locator("strong").inner_text()
    labels = page.locator(".host [data-action]").evaluate_all("a => a.map(e => e.ariaLabel)")
    assert f"{hinted}, empty, can be played" in labels
    expect(page.locator("g.hint")).to_have_count(1)


def test_a_game_is_played_with_the_keyboard_alone(visitor: Any) -> None:
    page = visitor.open("?game=tic_tac_toe&moves=0,1,2")
    expect(turn(page)).to_contain_text("Your move, O")
    page.get_by_label("Who plays").focus()
    page.keyboard.type("People")
    expect(turn(page)).to_contain_text("O is to move")

    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.host') !== null"):
            break
    focused = "document.activeElement.dataset.action"
    assert page.evaluate("document.activeElement.getAttribute('role')") == "button"
    start = page.evaluate(focused)
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) != start
    page.keyboard.press("Enter")
    expect(page.locator("ol.list button")).to_have_count(5)
    assert page.evaluate("document.activeElement.closest('.host') !== null"), "the focus stays on the board"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.locator("ol.list button")).to_have_count(6)
    page.keyboard.press("u")
    expect(page.locator("ol.list [aria-current=step]")).to_have_text(played(page)[3])
    page.keyboard.press("r")
    expect(page.locator("ol.list [aria-current=step]")).to_have_text(played(page)[4])

    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("tab", name="Search").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Tree")).to_be_focused()
    expect(page.get_by_role("tab", name="Tree")).to_have_attribute("aria-selected", "true")


def test_a_link_restores_its_position(visitor: Any) -> None:
    page = visitor.open(TIC_TAC_TOE)
    people_play_both(page)
    for count, action in enumerate((4, 0, 8), 1):
        cell(page, action).click()
        expect(page.locator("ol.list button")).to_have_count(count + 1)
        expect(page.locator(".host [role=group][aria-busy=true], .host[aria-busy=true]")).to_have_count(0)
    until(lambda: moves_in_address(page) == ["4", "0", "8"])
    query = "?" + urlsplit(address_of(page)).query
    shown = page.locator(".host [role=button]").evaluate_all(CONTENTS)
    assert sum(", empty" not in content for content in shown) == 3
    other = visitor.open(query)
    expect(other.locator(".host [role=button]")).to_have_count(9)
    until(lambda: other.locator(".host [role=button]").evaluate_all(CONTENTS) == shown)
    until(lambda: played(other) == played(page))


@pytest.mark.parametrize(
    ("query", "said", "game"),
    [
        ("?game=tic_tac_toe&moves=4,4", "move 2", "tic_tac_toe"),
        ("?game=tic_tac_toe&moves=zz", "zz", "tic_tac_toe"),
        ("?game=tic_tac_to", "tic_tac_to", None),
    ],
)
def test_a_bad_position_in_a_link_is_reported_and_the_start_shown(
    visitor: Any, query: str, said: str, game: str | None
) -> None:
    page = visitor.open(query)
    expect(page.get_by_test_id("problem")).to_contain_text(said)
    if game is not None:
        expect(game_button(page)).to_have_attribute("data-game", game)
    assert played(page) == []
    page.get_by_role("button", name="Dismiss the message").click()
    expect(page.get_by_test_id("problem")).to_have_count(0)


def test_moves_as_text_set_a_position_up_or_say_what_is_wrong(visitor: Any) -> None:
    page = visitor.open(TIC_TAC_TOE)
    page.get_by_label("Who plays").select_option("0,1")
    page.get_by_text("Position by moves").click()
    page.get_by_role("textbox", name="Moves").fill("b2 a1 b2")
    page.get_by_role("button", name="Set up").click()
    expect(page.locator("#setup-error")).to_contain_text("move 3")
    assert played(page) == []
    page.get_by_role("textbox", name="Moves").fill("b2, a1")
    page.get_by_role("button", name="Set up").click()
    expect(page.locator("ol.list button")).to_have_count(3)
    expect(page.locator("#setup-error")).to_have_text("")


def test_a_reload_in_the_middle_of_a_search_continues_with_it(visitor: Any) -> None:
    page = visitor.open("?game=connect_four&moves=3,3,2")
    page.get_by_label("Who plays").select_option("0,1")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator("[data-overlay]")).to_have_count(7)
    page.reload()
    expect(page.locator("[data-overlay]")).to_have_count(7)
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert len(played(page)) == 3
    assert page.get_by_label("Who plays").input_value() == "0,1"


def test_a_lost_server_is_reported_and_found_again(
    serve: Callable[..., Any], make_visitor: Callable[..., Any]
) -> None:
    first = serve()
    person = make_visitor()
    person.forgiven += ["WebSocket connection to", "ERR_CONNECTION_REFUSED"]
    page = person.open("?game=tic_tac_toe&moves=4,0", url=first.url)
    port = urlsplit(first.url).port
    first.end()
    expect(page.get_by_test_id("lost")).to_contain_text("lost")
    expect(page.get_by_test_id("connection")).to_contain_text("connection lost")
    serve(port=port)
    expect(page.get_by_test_id("lost")).to_have_count(0)
    expect(page.get_by_test_id("connection")).to_contain_text("connected")
    cell(page, 8).click()
    expect(page.locator("ol.list button").nth(3)).to_be_visible()
    until(lambda: moves_in_address(page)[:3] == ["4", "0", "8"])


def test_two_tabs_have_games_of_their_own(visitor: Any) -> None:
    one, other = visitor.open("?game=tic_tac_toe&moves=4"), visitor.open("?game=nim")
    for page in (one, other):
        page.get_by_label("Who plays").select_option("0,1")
        page.get_by_role("button", name="Analyse").click()
    expect(one.locator("tbody tr")).to_have_count(8)
    expect(other.locator("tbody tr")).to_have_count(3)
    cell(one, 0).click()
    expect(one.locator("ol.list button")).to_have_count(3)
    expect(one.locator("tbody tr")).to_have_count(7)
    assert played(other) == []


def test_a_users_own_game_without_a_picture_is_played_by_buttons(
    serve: Callable[..., Any], visitor: Any
) -> None:
    page = visitor.open(url=serve(str(WORDLESS_GAME)).url)
    expect(game_button(page)).to_have_attribute("data-game", "count_up")
    expect(page.locator("pre.text")).to_contain_text("total=0")
    people_play_both(page)
    moves = page.get_by_role("group", name="Legal moves")
    for total in (2, 4, 6, 8):
        moves.get_by_role("button", name="plus2").click()
        expect(page.locator("pre.text")).to_contain_text(f"total={total}")
    page.get_by_role("button", name="Analyse").click()
    row = page.locator('tbody tr[data-move="plus2"]')
    expect(row).to_contain_text("win in 1")
    expect(page.get_by_test_id("ended")).to_contain_text("proven")
    moves.get_by_role("button", name="plus2").click()
    expect(turn(page)).to_contain_text("Player 0 wins")


def test_a_variant_is_begun_from_its_dialog(visitor: Any) -> None:
    page = visitor.open("?game=connect_four")
    page.get_by_role("button", name="Variant…").click()
    page.get_by_label("rows", exact=True).fill("4")
    page.get_by_label("columns", exact=True).fill("5")
    page.get_by_role("button", name="Start the game").click()
    expect(page.locator(".host [data-action]")).to_have_count(20)
    until(lambda: "rows=4" in parse_qs(urlsplit(address_of(page)).query)["game"][0])


def analyse_for_a_moment(page):
    page.get_by_role("button", name="Analyse").click()
    page.locator("tbody tr").first.wait_for()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_test_id("thinking")).to_contain_text("paused")


def test_the_graph_goes_to_the_ply_that_is_pressed(visitor: Any) -> None:
    page = visitor.open("?game=tic_tac_toe&moves=4,0,8,2,1")
    page.get_by_label("Who plays").select_option("0,1")
    expect(page.locator(".graph")).to_have_count(0)  # nothing is known yet
    analyse_for_a_moment(page)
    second = page.locator(".graph text").get_by_text("2", exact=True).bounding_box()
    page.mouse.click(second["x"] + second["width"] / 2, second["y"] - 50)
    expect(page.locator("ol.list [aria-current=step]")).to_have_text(played(page)[1])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_nothing_is_wider_than_the_page(make_visitor: Callable[..., Any], scheme: str, width: int) -> None:
    person = make_visitor(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = person.open("?game=ultimate_tic_tac_toe&moves=0,1")
    analyse_for_a_moment(page)
    expect(page.locator(".graph svg")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert (brightness(page) < 80) == dark
    page.get_by_role("button", name="Theme: system").click()
    until(lambda: brightness(page) > 200)


def test_a_copy_of_a_tab_continues_with_its_session_and_the_first_begins_another(visitor):
    first = visitor.open(TIC_TAC_TOE)
    cell(first, 4).click()
    key = "branchwise-session"
    token = first.evaluate(f"sessionStorage.getItem('{key}')")
    copy = visitor.context.new_page()
    copy.add_init_script(f"sessionStorage.getItem('{key}') ?? sessionStorage.setItem('{key}', '{token}')")
    copy.goto(first.url)
    copy.locator(".board").wait_for()
    until = time.monotonic() + 20
    while first.evaluate(f"sessionStorage.getItem('{key}')") in (None, token):
        assert time.monotonic() < until
        first.wait_for_timeout(100)
    first.locator(".board").wait_for()
    first.wait_for_timeout(1500)
    assert copy.evaluate(f"sessionStorage.getItem('{key}')") == token
    assert first.evaluate(f"sessionStorage.getItem('{key}')") != token
