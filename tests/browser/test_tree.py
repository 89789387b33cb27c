"""The tree of a search as it grows, in a real browser."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from support.page_numbers import number
from support.page_players import people_play_both
from support.waiting import until

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too

ROOT = '[role="treeitem"][data-path=""]'


@pytest.fixture
def page(make_visitor: Callable[..., Any]) -> Page:
    """The tree of tic-tac-toe after two moves, which a search thinks about; all branches are closed."""
    page: Page = make_visitor(viewport={"width": 1440, "height": 900}).open("?game=tic_tac_toe&moves=b2,a1")
    page.get_by_role("tab", name="Tree").click()
    page.get_by_role("button", name="Analyse this position").click()
    expect(at_level(page, 3).first).to_be_visible(timeout=120_000)
    expect(page.get_by_test_id("thinking")).to_be_empty()  # all is proven: the best moves stay the best
    page.get_by_role("button", name="Close all branches").click()
    return page


def at_level(page: Page, level: int) -> Locator:
    return page.locator(f'[role="treeitem"][aria-level="{level}"]')


def test_branches_open_on_demand_and_close_again(page: Page) -> None:
    expect(at_level(page, 2)).to_have_count(5)  # the best four of seven, and what stands for the rest
    expect(at_level(page, 3)).to_have_count(0)
    page.get_by_role("treeitem", name="3 more moves").click()
    expect(at_level(page, 2)).to_have_count(7)

    best = at_level(page, 2).first
    best.click()
    expect(best).to_have_attribute("aria-expanded", "true")
    expect(at_level(page, 3)).to_have_count(5)
    page.get_by_role("treeitem", name="2 more moves").click()
    expect(at_level(page, 3)).to_have_count(6)

    page.locator('[role="treeitem"][aria-expanded="true"][aria-level="2"]').click()
    expect(at_level(page, 3)).to_have_count(0)


def test_the_tree_is_walked_by_keys(page: Page) -> None:
    page.locator(ROOT).focus()
    page.keyboard.press("ArrowDown")
    focus = page.locator('[role="treeitem"]:focus')
    expect(focus).to_have_attribute("aria-level", "2")
    expect(focus).to_have_attribute("aria-posinset", "1")
    path = focus.get_attribute("data-path")
    page.keyboard.press("Enter")
    expect(page.locator(f'[data-path="{path}"]')).to_have_attribute("aria-expanded", "true")
    expect(at_level(page, 3)).to_have_count(5)
    page.keyboard.press("ArrowRight")
    expect(page.locator('[role="treeitem"]:focus')).to_have_attribute("aria-level", "3")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(at_level(page, 3)).to_have_count(0)
    expect(page.locator(f'[data-path="{path}"]')).to_be_focused()


def test_a_node_shows_its_board_and_every_term_of_its_children(page: Page) -> None:
    page.locator(ROOT).focus()
    page.keyboard.press("ArrowDown")
    panel = page.get_by_role("region", name=re.compile("^Node: [abc][123]"))
    expect(panel.get_by_role("img", name=re.compile("^Board after"))).to_be_visible()
    rows = panel.locator("tbody tr")
    expect(rows).to_have_count(6)
    for row in rows.all():
        cells = [text.strip() for text in row.locator("td").all_inner_texts()]
        if cells[3]:
            value, exploration, score = (number(cell) for cell in cells[1:4])
            assert score == pytest.approx(value + exploration, abs=2e-3)

    panel.get_by_role("button", name="move", exact=True).click()
    names = rows.locator("th")
    until(lambda: names.all_inner_texts() == sorted(names.all_inner_texts()))


def test_the_line_of_a_node_is_visited_more_at_a_press(make_visitor: Callable[..., Any]) -> None:
    page: Page = make_visitor(viewport={"width": 1440, "height": 900}).open("?game=connect_four")
    page.get_by_role("tab", name="Tree").click()
    page.get_by_role("button", name="Analyse this position").click()
    expect(at_level(page, 2).first).to_be_visible(timeout=120_000)
    page.get_by_role("treeitem", name="3 more moves").click()
    expect(at_level(page, 2)).to_have_count(7)
    path = at_level(page, 2).last.get_attribute("data-path")
    page.locator(f'[data-path="{path}"]').click()
    panel = page.get_by_role("region", name=re.compile("^Node: [a-g]1"))
    shown = panel.locator("dl div", has_text="visits").first.locator("dd")
    expect(shown).to_have_text(re.compile(r"\d"))
    before = number(shown.inner_text())
    panel.get_by_role("button", name="Visit this line more").click()
    page.wait_for_function(
        "([dd, least]) => Number(dd.textContent.replace(/\\D/g, '')) >= least",
        arg=[shown.element_handle(), max(1000, 2 * before)],
    )
    expect(page.locator(f'[data-path="{path}"]')).to_be_visible()
    expect(page.get_by_test_id("thinking")).not_to_be_empty()  # it goes on


def test_what_is_shown_continues_with_the_search_and_with_the_game(page: Page) -> None:
    best = at_level(page, 2).first
    move = best.get_attribute("data-path")
    best.click()
    second = page.locator('[role="treeitem"][aria-level="3"][data-path*="/"]').first
    expect(second).to_be_visible()
    reply = str(second.get_attribute("data-path")).split("/")[1]
    second.click()
    expect(at_level(page, 4).first).to_be_visible()

    page.get_by_role("tab", name="Steps").click()
    page.get_by_role("tab", name="Tree").click()
    expect(at_level(page, 4).first).to_be_visible()

    people_play_both(page)
    page.locator(f'.play [data-action="{move}"]').first.click()
    opened = page.locator(f'[data-path="{reply}"]')
    expect(opened).to_have_attribute("aria-level", "2")
    expect(opened).to_have_attribute("aria-expanded", "true")


def settled_width(page: Page) -> float:
    """Return the width of the root when nothing moves any more."""
    width = 0.0
    for _ in range(100):
        box = page.locator(ROOT).bounding_box()
        assert box is not None
        if box["width"] == width:
            return width
        width = box["width"]
        page.wait_for_timeout(300)
    raise AssertionError("the drawing does not come to rest")


def test_the_drawing_is_zoomed_and_fitted(page: Page) -> None:
    page.get_by_role("button", name="Fit all in").click()
    before = settled_width(page)
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Zoom in").click()
    assert settled_width(page) == pytest.approx(1.25**2 * before, rel=0.02)
    page.get_by_role("button", name="Fit all in").click()
    assert settled_width(page) == pytest.approx(before, rel=0.05)


def test_the_panel_shows_the_chosen_node_though_another_is_answered_later(
    make_visitor: Callable[..., Any],
) -> None:
    visitor = make_visitor(viewport={"width": 1440, "height": 900})
    roots = visitor.hold_answers(lambda said: said["type"] == "ask_node" and said["path"] == [])
    page = visitor.open("?game=tic_tac_toe&moves=b2,a1")
    page.get_by_role("tab", name="Tree").click()
    page.get_by_role("button", name="Analyse this position").click()
    expect(at_level(page, 2).first).to_be_visible(timeout=120_000)
    expect(page.get_by_test_id("thinking")).to_be_empty(timeout=60_000)  # so nothing is asked again
    page.locator(ROOT).focus()
    page.keyboard.press("ArrowDown")
    board = page.get_by_role("img", name=re.compile("^Board after"))
    expect(board).to_be_visible()
    assert roots
    for give in roots:
        give()
    page.wait_for_timeout(200)
    expect(board).to_be_visible()


def test_the_figures_of_a_node_fit_into_it(page: Page) -> None:
    expect(page.locator("text.figures", has_text="proven").first).to_be_visible()
    overhang = """items => {
        const right = (item, part) => item.querySelector(part).getBoundingClientRect().right;
        return Math.max(...items.map(item => right(item, ".figures") - right(item, ".plate")));
    }"""
    nodes = page.locator('[role="treeitem"]').filter(has=page.locator(".plate"))
    assert nodes.evaluate_all(overhang) < 0
