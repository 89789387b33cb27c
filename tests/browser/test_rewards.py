"""Problems that pay rewards on the way, and a simulator, as the page shows them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import branchwise as bw
from support.page_numbers import MINUS, number
from support.paying import Wheel
from support.shipped import CONTINUOUS, PAYING
from support.simulators import Machines, Shutters

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too

SUPPORT = Path(__file__).parents[1] / "support"


@pytest.fixture(scope="module")
def address(serve: Callable[..., Any]) -> str:
    paying, simulators = SUPPORT / "paying.py", SUPPORT / "simulators.py"
    found: str = serve(
        f"{paying}:Corridor",
        f"{paying}:Wheel",
        *(f"{simulators}:{name}" for name in ("Drift", "Machines", "Shutters")),
    ).url
    return found


@pytest.fixture
def open_game(make_visitor: Callable[..., Any], address: str) -> Callable[[str], Page]:
    def open_one(game: str) -> Page:
        page: Page = make_visitor(viewport={"width": 1440, "height": 900}).open(f"?game={game}", url=address)
        return page

    return open_one


def play(page: Page, text: str) -> None:
    moves = page.get_by_role("group", name="Legal moves")
    moves.get_by_role("button", name=text, exact=True).click()


def paid(page: Page) -> Locator:
    return page.get_by_test_id("paid")


def analyse(page: Page) -> None:
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.get_by_test_id("figures")).to_contain_text("simulations")


def test_rewards_are_shown_with_moves_and_added_up(open_game: Callable[[str], Page]) -> None:
    page = open_game("corridor")
    expect(paid(page)).to_have_text("Rewards so far: 0")
    play(page, "1")
    expect(paid(page)).to_have_text(f"Rewards so far: {MINUS}1")
    play(page, "1")
    play(page, "1")
    expect(paid(page)).to_have_text("Rewards so far: +6.2")
    expect(page.get_by_test_id("turn")).to_contain_text("The game is over: +6.2")
    moves = page.get_by_role("list", name="Moves of the game")
    expect(moves.locator(".reward")).to_have_text([f"{MINUS}1", f"{MINUS}1", "+10"])
    page.get_by_role("button", name="Undo").click()
    expect(paid(page)).to_have_text(f"Rewards so far: {MINUS}1.9")


def test_values_are_in_the_games_own_units(open_game: Callable[[str], Page]) -> None:
    page = open_game("corridor")
    analyse(page)
    row = page.locator('tr[data-move="1"]')
    expect(row).to_contain_text("+6.20")
    expect(row.locator(".proof")).to_have_text(re.compile(r"^\+6\.2"))
    bar = page.get_by_role("meter", name="Value still to come")
    expect(bar).to_have_attribute("aria-valuetext", "+6.20")
    low, high = (float(bar.get_attribute(f"aria-value{end}") or "nan") for end in ("min", "max"))
    assert low <= 6.19 < high
    page.get_by_role("tab", name="Tree").click()
    expect(page.get_by_role("list", name="Legend")).not_to_contain_text("∞")
    expect(page.locator(".figures", has_text="+6.2").first).to_be_visible()


def test_a_game_without_rewards_shows_none(open_game: Callable[[str], Page]) -> None:
    page = open_game("nim")
    expect(page.get_by_test_id("turn")).to_be_visible()
    expect(paid(page)).to_have_count(0)


@pytest.mark.parametrize("game", [name for name in PAYING if name not in CONTINUOUS])
def test_every_problem_is_shown_played_and_analysed(open_game: Callable[[str], Page], game: str) -> None:
    page = open_game(game)
    expect(page.get_by_test_id("turn")).to_contain_text("Your move")
    page.locator("summary", has_text="Legal moves").click()
    page.get_by_role("group", name="Legal moves").get_by_role("button").first.click()
    page.get_by_role("list", name="Moves of the game").get_by_role("button").nth(1).wait_for()
    expect(paid(page)).to_contain_text("Rewards so far")
    if "over" not in (page.get_by_test_id("turn").text_content() or ""):
        analyse(page)
        expect(page.locator("tr[data-move]").first).to_contain_text(re.compile(r"\d[.,]\d"))
        assert "NaN" not in page.locator("body").inner_text()


def test_steps_show_what_each_reward_adds(open_game: Callable[[str], Page]) -> None:
    """What is shown is what `MCTS.steps` tells of the same search."""
    *_, told = bw.MCTS(seed=1).steps(Wheel(), simulations=11)
    page = open_game("wheel")
    page.get_by_role("tab", name="Steps").click()
    for name in ("10 more", "Select ▸", "Expand ▸", "Playout ▸", "Backup ▸"):
        page.get_by_role("button", name=name, exact=True).click()
    expect(page.locator(".caption")).to_contain_text(
        "adds the reward for the move into it and what comes after"
    )
    rows = page.locator(".updates tbody tr[data-shown=true]")
    expect(rows).to_have_count(len(told.backup.updates))
    for row, update in zip(rows.all(), told.backup.updates, strict=True):
        if update.returned is not None:
            shown = row.locator("td").nth(1).inner_text().split(" = ")[-1]
            assert number(shown) == pytest.approx(update.returned, rel=0.01)


def test_undo_in_a_simulator_shows_the_board_that_was(open_game: Callable[[str], Page]) -> None:
    page = open_game("drift")
    board = page.get_by_role("region", name="Board").locator("pre")
    seen = [board.inner_text()]
    for moves in (1, 2, 3):
        play(page, "2")
        expect(board).to_contain_text(f"steps={moves}")
        seen.append(board.inner_text())
    assert len(set(seen)) == 4
    for text in reversed(seen[:-1]):
        page.get_by_role("button", name="Undo").click()
        expect(board).to_have_text(text)
    page.get_by_role("button", name="Redo").click()
    expect(board).to_have_text(seen[1])
    expect(page.get_by_text("Position by moves, and link")).to_have_count(0)


def test_a_simulator_is_analysed(open_game: Callable[[str], Page]) -> None:
    page = open_game("machines")
    analyse(page)
    expect(page.locator("tr[data-move]").first).to_have_attribute("data-move", "2")
    expect(page.get_by_text("a line has no fixed board")).to_be_visible()
    page.get_by_role("tab", name="Tree").click()
    page.locator('[role="treeitem"][data-path="2"]').click()
    expect(page.get_by_text("is drawn anew in each simulation")).to_be_visible()


def test_steps_of_a_simulator_show_its_own_boards(open_game: Callable[[str], Page]) -> None:
    *_, told = bw.MCTS(seed=1).steps(Machines(), simulations=11)
    page = open_game("machines")
    page.get_by_role("tab", name="Steps").click()
    board = page.get_by_test_id("open-board")
    for name in ("10 more", "Select ▸", "Expand ▸"):
        page.get_by_role("button", name=name, exact=True).click()
    expect(board).to_have_text(told.expansion.board)
    for name in ("Playout ▸", "Backup ▸"):
        page.get_by_role("button", name=name, exact=True).click()
    expect(board).to_have_text(told.playout.games[0].board)


def test_steps_say_what_is_not_legal_this_time(open_game: Callable[[str], Page]) -> None:
    simulations = list(bw.MCTS(seed=1).steps(Shutters(), simulations=40))
    last = next(
        s.number
        for s in simulations
        if any(t.fate == "not legal" for c in s.selection.choices for t in c.siblings) and s.number > 10
    )
    page = open_game("shutters")
    page.get_by_role("tab", name="Steps").click()
    for _ in range((last - 1) // 10):
        page.get_by_role("button", name="10 more").click()
    for _ in range((last - 1) % 10):
        page.get_by_role("button", name="One simulation").click()
    page.get_by_role("button", name="Select ▸").click()
    expect(page.locator(".choice .said").first).to_have_text("not legal this time")
