"""The guided tour, and that the search does what its texts say."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import branchwise as bw
from branchwise.games import TicTacToe
from support.front_door import game_button

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too

MOVES = ["c3", "a3", "b3", "b2"]
STOPS = {
    "A game near its end": ".board",
    "The tree": ".drawing",
    "Every move once": ".drawing",
    "Selection": ".choice",
    "Expansion": "ul",
    "Playout": ".film",
    "Backup": ".updates",
    "After forty simulations": ".choice",
    "Without exploration: c = 0": ".choice",
    "Much exploration: c = 2": ".choice",
}
POINTS_AT = """(place) => {
    const tour = document.querySelector(".tour").getBoundingClientRect();
    return [...document.querySelectorAll(`main ${place}`)].some((part) => {
        const { top, left, right, width } = part.getBoundingClientRect();
        const beside = left >= tour.right || right <= tour.left || top + 60 < tour.top;
        const { outlineStyle, outlineWidth } = getComputedStyle(part);
        const outlined = outlineStyle === "solid" && outlineWidth === "3px";
        return outlined && width > 0 && top > -10 && top < innerHeight && beside;
    });
}"""


def box(page: Page) -> Locator:
    return page.locator(".tour")


def begin(page: Page) -> None:
    game_button(page).click()
    page.get_by_role("button", name="Take the guided tour").click()
    expect(box(page)).to_contain_text("1 of 10")


def visits(page: Page) -> dict[str, int]:
    """Return the visits of each move, as the table of the root has them."""
    found = {}
    for row in page.locator(".choice").first.locator("tbody tr").all():
        move = row.locator("th").inner_text().split(",")[0].removeprefix("▸ ").strip()
        found[move] = int(row.locator("td").first.inner_text())
    return found


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_each_stop_points_at_what_it_is_about_and_does_not_cover_it(
    make_visitor: Any, size: tuple[int, int]
) -> None:
    page = make_visitor(viewport={"width": size[0], "height": size[1]}).open("?game=nim")
    begin(page)
    for number, (title, place) in enumerate(STOPS.items(), 1):
        tour = page.get_by_role("dialog", name=title)
        expect(tour).to_contain_text(f"{number} of 10")
        page.wait_for_function(POINTS_AT, arg=place)
        expect(
            box(page).get_by_role("button", name="Next" if number < len(STOPS) else "Done")
        ).to_be_focused()
        page.keyboard.press("Enter")
    expect(box(page)).to_have_count(0)
    expect(page.locator(".number")).to_have_text("simulation 41")


def test_the_search_does_what_the_texts_say(visitor: Any) -> None:
    position = TicTacToe.from_actions(MOVES)
    for c, number in ((0.7, 8), (0.0, 9), (2.0, 10)):
        steps = list(bw.MCTS(seed=456, proofs=False, c=c).steps(position, simulations=41))
        root = steps[40].selection.choices[0]
        found = {sibling.move.text: sibling.visits for sibling in root.siblings}
        most = max(found, key=lambda move: found[move])
        if c == 0.7:
            assert [step.playout.returns[0] for step in steps[:6]] == [-1, -1, -1, -1, -1, 0]
            sixth = steps[5].selection.choices[0]
            assert sixth.siblings[sixth.chosen].move.text == "a2"
            assert len({sibling.score for sibling in sixth.siblings}) == 1
            assert steps[5].backup.updates[-2].line == ("a2",)
            assert steps[5].backup.updates[-2].value_after == -0.5
            assert most == "c1"
            assert found["c1"] > 20
            page = visitor.open()
            begin(page)
        elif c == 0:
            assert most == "a2"
            assert all(count == 1 for move, count in found.items() if move != "a2")
        else:
            assert most == "c1"
            assert sum(found.values()) - found["c1"] > 25
        while f"{number} of 10" not in box(page).inner_text():
            page.get_by_role("button", name="Next").click()
        expect(page.locator(".number")).to_have_text("simulation 41")
        expect(page.get_by_label("c as a number")).to_have_value(f"{c:g}")
        assert visits(page) == found


def test_it_is_walked_by_keys_and_told_to_screen_readers_and_closes(visitor: Any) -> None:
    page = visitor.open("?game=nim")
    page.keyboard.press("?")
    page.get_by_role("button", name="Guided tour of the search").click()
    tour = page.get_by_role("dialog", name="A game near its end")
    expect(tour).to_have_accessible_description(box(page).locator("p").inner_text())
    expect(box(page).locator("[aria-live=polite]")).to_contain_text("A game near its end")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="The tree")).to_be_visible()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(tour).to_be_visible()
    expect(tour.get_by_role("button", name="Back")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(box(page)).to_have_count(0)
    expect(page.locator(".board")).to_have_css("outline-style", "none")


def test_another_position_ends_it(visitor: Any) -> None:
    page = visitor.open()
    begin(page)
    page.get_by_role("button", name="Undo").click()
    expect(box(page)).to_have_count(0)
    begin(page)
    page.get_by_role("tab", name="Search").click()
    expect(box(page)).to_have_count(0)
