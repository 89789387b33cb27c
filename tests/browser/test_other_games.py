"""Games of other kinds: of three, of two who may both lose, and with dice."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import branchwise as bw
from support.page_numbers import MINUS, number
from support.rules import Prisoners, Race
from support.waiting import until

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too

RULES = Path(__file__).parents[1] / "support/rules.py"


@pytest.fixture(scope="module")
def address(serve: Callable[..., Any]) -> str:
    found: str = serve(f"{RULES}:Race", f"{RULES}:Prisoners").url
    return found


@pytest.fixture
def open_game(address: str, make_visitor: Callable[..., Any]) -> Callable[[str], Page]:
    def open_one(query: str) -> Page:
        page: Page = make_visitor(viewport={"width": 1440, "height": 900}).open(query, url=address)
        return page

    return open_one


def think(page: Page) -> None:
    page.get_by_role("button", name="Analyse").click()
    expect(page.get_by_test_id("figures")).to_contain_text("simulations")


def at_level(page: Page, level: int) -> Locator:
    return page.locator(f'[role="treeitem"][aria-level="{level}"]')


def bar(page: Page) -> Locator:
    return page.get_by_role("meter", name=re.compile("^Value for"))


def test_three_play_and_the_value_is_for_the_one_to_move(open_game: Callable[[str], Page]) -> None:
    page = open_game("?game=race")
    page.get_by_label("Who plays").select_option("0,1,2")
    moves = page.get_by_role("group", name="Legal moves")
    turn = page.get_by_test_id("turn")
    for player in (0, 1, 2, 0):
        expect(turn).to_contain_text(f"Player {player} is to move")
        moves.get_by_role("button", name="1", exact=True).click()
    expect(turn).to_contain_text("Player 1 is to move")
    think(page)
    expect(bar(page)).to_have_accessible_name("Value for player 1")
    expect(bar(page)).to_have_attribute(
        "aria-valuetext", "+1.00 for player 1"
    )  # player 1 wins with the next move
    moves.get_by_role("button", name="1", exact=True).click()
    expect(turn).to_contain_text(f"Player 1 wins ({MINUS}1, +1, {MINUS}1)")


def test_each_of_three_has_a_line_in_the_graph(open_game: Callable[[str], Page]) -> None:
    page = open_game("?game=race")
    think(page)
    expect(page.get_by_text("Value of the game for player 0, player 1, player 2")).to_be_visible()


def test_a_tree_of_three_tells_values_of_who_moved(open_game: Callable[[str], Page]) -> None:
    page = open_game("?game=race&moves=1")
    think(page)
    page.get_by_role("tab", name="Tree").click()
    below = at_level(page, 3).first
    expect(at_level(page, 2).first).to_have_accessible_name(re.compile("^Player 1 .*for player 1"))
    expect(below).to_have_accessible_name(re.compile("^Player 2 .*for player 2"))
    expect(below.locator(".figures")).to_contain_text(re.compile(r" · \S+ for player 2$"))


def test_the_root_is_worth_what_its_best_move_is(open_game: Callable[[str], Page]) -> None:
    page = open_game("?game=prisoners")
    think(page)
    page.get_by_role("tab", name="Tree").click()
    expect(at_level(page, 2)).to_have_count(2)
    root = page.locator('[role="treeitem"][data-path=""]')
    expect(root).to_have_accessible_name(re.compile("value .* for player 0"))
    values = "figures => figures.slice(0, 2).map(one => one.textContent.split(' · ').at(-1))"

    def same() -> bool:
        above, best = page.locator("text.figures").evaluate_all(values)
        return bool(above == best)

    until(same)


def test_two_who_may_both_lose_have_values_of_their_own(open_game: Callable[[str], Page]) -> None:
    """Best for each is to tell twice, which costs both: 2 * 0.3 - 2 * 0.4."""
    page = open_game("?game=prisoners")
    page.get_by_label("Who plays").select_option("0,1")
    think(page)
    for player in (0, 1):
        expect(bar(page)).to_have_accessible_name(f"Value for player {player}")
        expect(bar(page)).to_have_attribute("aria-valuetext", f"{MINUS}0.20 for player {player}")
        expect(page.get_by_text("Value of the game for player 0, player 1")).to_be_visible()
        page.get_by_role("group", name="Legal moves").get_by_role("button").nth(1).click()
    expect(page.get_by_test_id("turn")).to_contain_text("Player 0 is to move")


@pytest.mark.parametrize("rules", [Race, Prisoners])
def test_steps_credit_each_player(open_game: Callable[[str], Page], rules: type[bw.Game]) -> None:
    """What is shown is what `MCTS.steps` tells of the same search."""
    *_, told = bw.MCTS(seed=1).steps(rules(), simulations=11)
    page = open_game(f"?game={rules.name}")
    page.get_by_role("tab", name="Steps").click()
    for name in ("10 more", "Select ▸", "Expand ▸", "Playout ▸", "Backup ▸"):
        page.get_by_role("button", name=name, exact=True).click()
    rows = page.locator(".updates tbody tr[data-shown=true]")
    expect(rows).to_have_count(len(told.backup.updates))
    for row, update in zip(rows.all(), told.backup.updates, strict=True):
        credited, values = row.locator("td").all_inner_texts()[1:]
        if update.player is None:
            assert " for " not in credited
            continue
        figure, player = credited.split(" for ")
        assert player.strip() == f"player {update.player}"
        assert number(figure) == pytest.approx(update.returned, abs=6e-4)
        assert number(values.split("→")[1]) == pytest.approx(update.value_after, abs=6e-4)


def test_people_roll_their_own_dice(visitor: Any) -> None:
    page = visitor.open("?game=pig")
    page.get_by_label("I roll the dice").check()
    page.locator('[data-action="0"]').click()
    turn = page.get_by_test_id("turn")
    expect(turn).to_have_text("What do the dice show?")
    expect(page.get_by_role("button", name="Hint")).to_be_disabled()
    expect(page.get_by_role("button", name="Bot moves")).to_be_disabled()
    page.locator(".board").get_by_role("button", name="4", exact=True).click()
    expect(turn).to_have_text("Your move, player 0")
    expect(page.locator(".board")).to_contain_text("0 + 4")
    page.get_by_role("button", name="Undo").click()
    page.locator(".board").get_by_role("button", name="6", exact=True).click()
    expect(page.locator(".board")).to_contain_text("0 + 6")


def test_numbers_of_the_search_leave_the_words_of_a_button_free(visitor: Any) -> None:
    page = visitor.open("?game=pig")
    page.get_by_role("button", name="Analyse", exact=True).click()
    mark = page.locator('[data-overlay="0"] circle')
    mark.wait_for()
    button = page.locator('[data-action="0"]')
    word = button.locator("text").bounding_box()
    drawn = mark.bounding_box()
    assert word is not None
    assert drawn is not None
    assert drawn["x"] + drawn["width"] <= word["x"]
