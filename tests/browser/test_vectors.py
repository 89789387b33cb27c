"""Continuous actions on the page: sliders and fields between the bounds, and a search over vectors."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from support.page_numbers import MINUS
from support.waiting import address_of, until

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too

BOXES = Path(__file__).parents[1] / "support/boxes.py"


@pytest.fixture(scope="module")
def address(serve: Callable[..., Any]) -> str:
    found: str = serve(*(f"{BOXES}:{name}" for name in ("Peak", "TwoSteps", "Gears"))).url
    return found


@pytest.fixture
def open_game(make_visitor: Callable[..., Any], address: str) -> Callable[[str], Page]:
    def open_one(query: str) -> Page:
        page: Page = make_visitor(viewport={"width": 1440, "height": 900}).open(f"?game={query}", url=address)
        return page

    return open_one


def field(page: Page, number: int = 0) -> Locator:
    return page.get_by_role("form", name="Your action").get_by_role("spinbutton").nth(number)


def slider(page: Page, number: int = 0) -> Locator:
    return page.get_by_role("form", name="Your action").get_by_role("slider").nth(number)


def play(page: Page) -> None:
    page.get_by_role("form", name="Your action").get_by_role("button", name="Play").click()


def moves(page: Page) -> Locator:
    return page.get_by_role("list", name="Moves of the game").locator("button.mono")


def analyse(page: Page) -> None:
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.locator("tr[data-move]").nth(5)).to_be_visible()


def test_an_action_is_typed_or_set_by_sliders(open_game: Callable[[str], Page]) -> None:
    page = open_game("peak")
    expect(field(page)).to_have_value("0")
    expect(field(page, 1)).to_have_value("0.5")
    slider(page).press("End")
    expect(field(page)).to_have_value("1")
    slider(page).press("Home")
    expect(field(page)).to_have_value("-1")
    field(page, 1).fill("1.7000000000000002")
    field(page, 1).press("Enter")
    expect(page.get_by_test_id("turn")).to_contain_text(f"The game is over: {MINUS}1.69")
    expect(moves(page)).to_have_text(["-1,1.7"])
    until(lambda: urlsplit(address_of(page)).query == "game=peak&vectors=-1.0,1.7000000000000002")
    expect(page.get_by_role("form", name="Your action")).to_have_count(0)


def test_a_number_beyond_its_bounds_is_not_played(open_game: Callable[[str], Page]) -> None:
    page = open_game("peak")
    field(page).fill("1.5")
    play(page)
    assert "or equal to 1" in field(page).evaluate("input => input.validationMessage")
    field(page).fill("")
    play(page)
    assert field(page).evaluate("input => input.validity.valueMissing")
    expect(moves(page)).to_have_count(0)
    field(page).fill("1")
    play(page)
    expect(moves(page)).to_have_text(["1,0.5"])


def test_the_bounds_are_those_of_the_position(open_game: Callable[[str], Page]) -> None:
    page = open_game("two_steps&vectors=0.4")
    expect(moves(page)).to_have_text(["0.4"])
    expect(field(page)).to_have_attribute("max", "0.3")
    expect(field(page)).to_have_value("0.15")
    slider(page).press("End")
    page.get_by_role("button", name="Undo").click()
    expect(field(page)).to_have_attribute("max", "0.5")
    expect(field(page)).to_have_value("0.3")
    field(page).fill("0.5")
    play(page)
    expect(field(page)).to_have_attribute("max", "0.25")
    expect(field(page)).to_have_value("0.25")


def test_a_whole_number_is_a_choice_beside_the_others(open_game: Callable[[str], Page]) -> None:
    page = open_game("gears")
    expect(field(page)).to_have_value("2")
    slider(page).press("ArrowLeft")
    expect(field(page)).to_have_value("1")
    field(page).fill("1.5")
    play(page)
    assert field(page).evaluate("input => input.validity.stepMismatch")
    field(page).fill("2")
    field(page, 1).fill("0.6")
    play(page)
    expect(moves(page)).to_have_text(["2,0.6"])
    expect(page.get_by_test_id("turn")).to_contain_text("The game is over: +1")


def test_moves_are_set_up_as_text(open_game: Callable[[str], Page]) -> None:
    page = open_game("two_steps")
    page.get_by_text("Position by moves, and link").click()
    page.get_by_role("textbox", name="Moves").fill("0.5 0.125")
    page.get_by_role("button", name="Set up").click()
    expect(moves(page).first).to_have_text("0.5")
    expect(page.get_by_test_id("turn")).to_contain_text(f"The game is over: {MINUS}0.125")


def test_the_search_shows_what_it_has_tried(open_game: Callable[[str], Page]) -> None:
    page = open_game("peak")
    analyse(page)
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_test_id("ended")).to_be_visible()  # the last findings are there
    rows = page.locator("tr[data-move]")
    strips = page.get_by_test_id("tried")
    for strip in strips.all():
        assert 5 < strip.locator(".dot").count() <= 200
    page.get_by_role("button", name="Take the search's best").click()
    best = rows.first.get_attribute("data-move") or ""
    shown = [f"{float(field(page, number).input_value()):.4g}" for number in (0, 1)]
    assert ",".join(shown) == best
    play(page)
    expect(moves(page)).to_have_text([best])


def test_a_hint_is_entered(open_game: Callable[[str], Page]) -> None:
    page = open_game("peak")
    page.get_by_role("button", name="Hint").click()
    hint = page.get_by_test_id("hint")
    expect(hint).to_contain_text(re.compile(r"Hint: -?\d+(\.\d+)?,-?\d+(\.\d+)?, value"))
    shown = [f"{float(field(page, number).input_value()):.4g}" for number in (0, 1)]
    expect(hint).to_contain_text(",".join(shown))


def test_the_tree_and_its_boards_are_shown_along_vectors(open_game: Callable[[str], Page]) -> None:
    page = open_game("two_steps")
    analyse(page)
    board = page.get_by_test_id("line-board").locator("pre")

    def is_a_line_of_two() -> bool:
        """Rows change places while the search goes on: the pointer may meet a move with a short line."""
        page.locator("tr[data-move]").first.hover()
        return "steps=2" in board.inner_text()

    until(is_a_line_of_two)
    page.get_by_role("tab", name="Tree").click()
    below = page.locator('[role="treeitem"][aria-level="3"]')
    panel = page.get_by_role("region", name=re.compile(r"Node: 0\.\d+"))

    def is_chosen() -> bool:
        """Items change places while the search goes on, so a click may meet none, or one that is no more."""
        page.locator('[role="treeitem"][aria-level="2"]').first.click()
        try:
            expect(panel.locator("pre")).to_contain_text("steps=1", timeout=5000)
        except AssertionError:
            return False
        return True

    until(is_chosen)
    expect(below.first).to_be_visible()
    long = r"items => items.some(item => /^0\.\d+\/0\.\d{10,}$/.test(item.dataset.path))"
    until(lambda: below.evaluate_all(long))  # all digits, of most actions many; the first may be a bound


def test_steps_show_new_actions_one_at_a_time(open_game: Callable[[str], Page]) -> None:
    page = open_game("pendulum")
    page.get_by_role("tab", name="Steps").click()
    caption = page.locator(".caption")
    page.get_by_role("button", name="Select ▸").click()
    expect(caption).to_contain_text("So far the tree has only its root")
    for _ in range(3):
        page.get_by_role("button", name="One simulation").click()
    texts = set()
    for _ in range(12):
        page.get_by_role("button", name="Select ▸").click()
        expect(caption).not_to_contain_text("one more visit")
        texts.add(caption.inner_text())
        page.get_by_role("button", name="One simulation").click()
        expect(caption).to_contain_text("one more visit")
    assert any("the root gets another child" in text for text in texts)
    assert any("takes the highest score" in text or "is where a move is played" in text for text in texts)
    assert not any("has only its root" in text for text in texts)


def test_the_bot_plays_and_values_follow(open_game: Callable[[str], Page]) -> None:
    page = open_game("pendulum")
    expect(page.get_by_test_id("turn")).to_contain_text("Your move")
    slider(page).press("End")
    play(page)
    expect(moves(page)).to_have_text([re.compile(f"^2{MINUS}")])
    page.get_by_role("button", name="Bot moves").click()
    expect(moves(page)).to_have_count(2)
    expect(page.get_by_role("group", name="Legal moves")).to_have_count(0)
