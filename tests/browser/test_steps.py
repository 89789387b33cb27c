"""A walk through simulations, phase by phase, in a real browser."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import branchwise as bw
from branchwise.games import Pig, TicTacToe
from support.page_numbers import number

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too

MOVES = ["b2", "a1"]


@pytest.fixture
def page(make_visitor: Callable[..., Any]) -> Page:
    return begin(make_visitor, f"?game=tic_tac_toe&moves={','.join(MOVES)}")


def begin(make_visitor: Callable[..., Any], query: str) -> Page:
    page: Page = make_visitor(viewport={"width": 1440, "height": 900}).open(query)
    page.get_by_role("tab", name="Steps").click()
    expect(step(page)).to_be_enabled()
    return page


def step(page: Page) -> Locator:
    return page.get_by_role("toolbar", name="Steps").get_by_role("button").first


def phase(page: Page) -> Locator:
    return page.locator('.phases [aria-current="step"]')


def press(page: Page, name: str, times: int = 1) -> None:
    for _ in range(times):
        page.get_by_role("button", name=name, exact=True).click()


def test_four_phases_one_press_at_a_time(page: Page) -> None:
    """What is shown is what `MCTS.steps` tells of the same search."""
    *_, told = bw.MCTS(seed=1).steps(TicTacToe.from_actions(MOVES), simulations=11)
    press(page, "10 more")
    expect(page.locator(".number")).to_have_text("simulation 10")

    press(page, "Select ▸")
    expect(phase(page)).to_have_text("1 Select")
    choices = page.locator(".choice")
    expect(choices).to_have_count(len(told.selection.choices))
    for shown, choice in zip(choices.all(), told.selection.choices, strict=True):
        rows = shown.locator("tbody tr")
        expect(rows).to_have_count(len(choice.siblings))
        chosen = choice.siblings[choice.chosen]
        expect(shown.locator("tr.chosen th")).to_contain_text(chosen.move.text)
        for row, sibling in zip(rows.all(), choice.siblings, strict=True):
            cells = row.locator("td").all_inner_texts()
            assert int(cells[0]) == sibling.visits
            if sibling.score is not None:
                assert number(cells[3]) == pytest.approx(sibling.score, abs=6e-4)
                expect(row.locator(".bar .exploration")).to_be_visible()
            elif sibling.fate == "untried":
                expect(row).to_contain_text("untried")
        if choice.because == "score":
            n = f"√(ln {choice.visits} / {chosen.visits})"
            expect(shown.locator(".formula")).to_contain_text(f"score of {chosen.move.text}")
            expect(shown.locator(".formula")).to_contain_text(n)

    press(page, "Expand ▸")
    expect(phase(page)).to_have_text("2 Expand")
    new = page.get_by_role("list", name="New children").get_by_role("listitem")
    expect(new).to_have_count(len(told.expansion.children))

    press(page, "Playout ▸")
    played = told.playout.games[0].moves
    moves = page.get_by_role("list", name="Moves of the playout").get_by_role("button")
    expect(moves).to_have_count(len(played))
    board = page.locator(".film").get_by_role("img", name=re.compile("^Board after"))
    whole = [*told.expansion.line, *(move.text for move in played)]
    expect(board).to_have_attribute("aria-label", re.compile("^Board after " + " ".join(whole) + "(:|$)"))
    press(page, "One move back", len(played))
    expect(board).to_have_attribute(
        "aria-label", re.compile("^Board after " + " ".join(told.expansion.line) + "(:|$)")
    )
    moves.first.click()
    expect(page.locator(".film .count")).to_have_text(f"1 / {len(played)}")

    press(page, "Backup ▸")
    rows = page.locator(".updates tbody tr[data-shown=true]")
    expect(rows).to_have_count(len(told.backup.updates))
    for row, update in zip(rows.all(), told.backup.updates, strict=True):
        expect(row).to_contain_text(" ".join(update.line) or "the root")
        expect(row).to_contain_text(f"{update.visits_before} → {update.visits_after}")
        if update.value_after is not None:
            value = number(row.locator("td").last.inner_text().split("→")[1])
            assert value == pytest.approx(update.value_after, abs=6e-4)


def test_back_reset_and_one_simulation(page: Page) -> None:
    press(page, "One simulation", 3)
    expect(page.locator(".number")).to_have_text("simulation 3")
    expect(phase(page)).to_have_text("4 Backup")
    press(page, "◂ Back")
    expect(phase(page)).to_have_text("3 Playout")
    expect(page.get_by_role("button", name="Backup ▸")).to_be_visible()
    page.get_by_role("button", name="◂ Back").focus()
    page.keyboard.press("ArrowRight")
    expect(phase(page)).to_have_text("4 Backup")
    press(page, "Reset")
    expect(page.locator(".number")).to_have_text("before the first simulation")
    press(page, "Select ▸")
    expect(page.locator(".caption")).to_contain_text("nothing to choose: the root is the leaf")


def test_it_plays_at_a_pace_and_pauses(page: Page) -> None:
    page.get_by_label("Pace").fill("-0.2")
    press(page, "▶ Play")
    expect(page.locator(".number")).to_have_text("simulation 3", timeout=15_000)
    press(page, "❚❚ Pause")
    expect(page.get_by_role("button", name="▶ Play")).to_be_visible()
    before = (page.locator(".number").inner_text(), phase(page).inner_text())
    page.wait_for_timeout(800)
    assert (page.locator(".number").inner_text(), phase(page).inner_text()) == before


def test_the_weight_and_the_rule_are_what_is_chosen(page: Page) -> None:
    number = page.get_by_label("c as a number")
    number.fill("0.25")
    number.press("Enter")
    expect(page.locator(".number")).to_have_text("before the first simulation")
    press(page, "10 more")
    expect(page.locator(".number")).to_have_text("simulation 10")
    press(page, "Select ▸")
    formula = page.locator(".detail > .formula").last
    expect(formula).to_contain_text("0.25 · 2 · √(ln N / n)")  # returns are from -1 to 1

    page.get_by_label("selection").select_option("puct")
    expect(page.locator(".number")).to_have_text("before the first simulation")
    press(page, "10 more")
    expect(page.locator(".number")).to_have_text("simulation 10")
    press(page, "Select ▸")
    expect(formula).to_contain_text("P · √N / (1 + n)")
    expect(page.locator(".choice").first.get_by_role("columnheader", name="P", exact=True)).to_be_visible()


def test_a_search_that_has_proven_all_says_so(make_visitor: Callable[..., Any]) -> None:
    page = begin(make_visitor, "?game=tic_tac_toe&moves=b2,a1,c3,a3,a2,c2")
    while step(page).is_enabled():
        place = page.locator(".number").inner_text()
        press(page, "10 more")
        expect(page.locator(".number")).not_to_have_text(place)
    expect(page.locator(".caption")).to_contain_text("there is no further simulation")
    expect(step(page)).to_be_disabled()


def test_a_walk_is_kept_while_another_tab_is_looked_at(page: Page) -> None:
    press(page, "One simulation", 2)
    page.get_by_role("tab", name="Search").click()
    page.get_by_role("tab", name="Steps").click()
    expect(page.locator(".number")).to_have_text("simulation 2")
    press(page, "One simulation")
    expect(page.locator(".number")).to_have_text("simulation 3")


def test_draws_of_chance_have_probabilities_and_an_expected_value(make_visitor: Callable[..., Any]) -> None:
    page = begin(make_visitor, "?game=pig")
    for _ in range(4):
        press(page, "10 more")
    expect(page.locator(".number")).to_have_text("simulation 40")
    *_, told = bw.MCTS(seed=1).steps(Pig(), simulations=41)
    draws = [choice for choice in told.selection.choices if choice.is_chance]
    assert draws
    press(page, "Select ▸")
    shown = page.locator(".choice").filter(has_text="chance decides").first
    rows = shown.locator("tbody tr")
    expect(rows).to_have_count(6)
    for row, outcome in zip(rows.all(), draws[0].siblings, strict=True):
        expect(row).to_contain_text("1/6")
        expect(row.locator("td").nth(1)).to_have_text(str(outcome.visits))
    drawn = draws[0].siblings[draws[0].chosen]
    expect(shown.locator("tr.chosen th")).to_contain_text(f"{drawn.move.text}, drawn")
    expect(shown).to_contain_text(f"chance decides: {drawn.move.text}, probability 1/6.")
    assert draws[0].expected_value is not None
    expected = shown.locator(".formula").inner_text().rpartition("= ")[2]
    assert number(expected) == pytest.approx(draws[0].expected_value, rel=1e-3)
