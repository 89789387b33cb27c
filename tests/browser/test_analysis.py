"""What an analysis shows, when it pauses, and that it ends when a person leaves its game."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.front_door import game_button, open_game

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too

MOVES = "b2,a1"


def figure(page: Page, name: str) -> Any:
    return page.get_by_test_id("figures").locator("div", has=page.get_by_text(name, exact=True)).locator("dd")


def pause_after(page: Page, count: int) -> None:
    page.get_by_role("combobox", name="Pause after").select_option("simulations")
    page.get_by_label("Pause after how many").fill(str(count))
    page.get_by_label("Pause after how many").press("Enter")


def test_an_analysis_pauses_after_a_number_of_simulations_and_goes_on_with_as_many(visitor: Any) -> None:
    page = visitor.open(f"?game=tic_tac_toe&moves={MOVES}")
    page.get_by_label("Proofs").uncheck()
    pause_after(page, 40)
    for done in (40, 80, 120):
        page.get_by_role("button", name="Analyse").click()
        expect(figure(page, "simulations")).to_have_text(str(done))
        expect(page.get_by_role("button", name="Analyse")).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_test_id("ended")).to_have_text("all simulations done")
    page.reload()
    expect(page.get_by_label("Pause after how many")).to_have_value("40")


def test_without_proofs_a_small_game_is_not_over_before_one_looks(visitor: Any) -> None:
    page = visitor.open(f"?game=tic_tac_toe&moves={MOVES}")
    page.get_by_role("button", name="Analyse").click()
    expect(page.get_by_test_id("ended")).to_contain_text("proven")
    page.get_by_label("Proofs").uncheck()
    expect(page.get_by_test_id("thinking")).to_contain_text("analysing")
    expect(figure(page, "simulations")).to_have_text(re.compile(r"^\d+,\d{3}|M$"))
    expect(page.get_by_role("columnheader", name="Proven")).to_have_count(0)


@pytest.mark.parametrize("proofs", [True, False])
def test_a_value_is_the_same_in_the_table_the_tree_and_the_bar(visitor: Any, proofs: bool) -> None:
    """With proofs the position is solved, and proven values take the place of means."""
    page = visitor.open(f"?game=tic_tac_toe&moves={MOVES}")
    if not proofs:
        page.get_by_label("Proofs").uncheck()
        pause_after(page, 300)
    page.get_by_role("button", name="Analyse").click()
    expect(page.get_by_test_id("ended")).to_be_visible()
    rows = page.get_by_role("table", name="Moves as the search sees them").locator("tbody tr").all()
    values = {row.get_attribute("data-move"): row.locator("td").nth(3).inner_text() for row in rows}
    words = [f"{value} for X" for value in values.values()]
    expect(page.get_by_role("meter", name="Value for X").locator(".figure")).to_have_text(words[0])
    expect(figure(page, "value")).to_have_text(words[0])
    page.get_by_role("tab", name="Tree").click()
    expect(page.locator('[data-path=""] .figures')).to_contain_text(words[0])
    nodes = page.locator('[role="treeitem"][aria-level="2"]')
    expect(nodes).to_have_count(5)
    for node in nodes.all()[:4]:
        move = node.locator(".name").text_content()
        expect(node.locator(".figures")).to_contain_text(f"{values[move]} for X")
    nodes.first.click()
    panel = page.get_by_role("region", name=re.compile("^Node: [abc][123]"))
    expect(panel.locator("dl div", has_text="value").first.locator("dd")).to_have_text(words[0])


def test_the_tree_opens_two_levels_deep_and_stays_as_a_person_leaves_it(visitor: Any) -> None:
    page = visitor.open(f"?game=tic_tac_toe&moves={MOVES}")
    page.get_by_label("Proofs").uncheck()
    pause_after(page, 400)
    page.get_by_role("tab", name="Tree").click()
    page.get_by_role("button", name="Analyse this position").click()
    expect(page.get_by_test_id("thinking")).to_contain_text("paused")
    level = page.locator('[role="treeitem"][aria-level="3"]')
    expect(page.locator('[role="treeitem"][aria-level="2"]')).to_have_count(5)
    expect(level).to_have_count(12)  # the best two of six replies to each of four moves, and the rest
    page.get_by_role("button", name="Close all branches").click()
    expect(level).to_have_count(0)
    page.get_by_role("tab", name="Steps").click()
    page.get_by_role("tab", name="Tree").click()
    expect(page.locator('[role="treeitem"][aria-level="2"]')).to_have_count(5)
    expect(level).to_have_count(0)


def test_there_is_no_graph_before_there_is_a_value(visitor: Any) -> None:
    page = visitor.open("?game=nim")
    expect(page.get_by_text("Values so far")).to_have_count(0)
    page.get_by_role("button", name="Analyse").click()
    expect(page.get_by_text("Values so far")).to_be_visible()
    open_game(page, "hex")
    expect(page.get_by_text("Values so far")).to_have_count(0)


def seconds_used(process: int) -> float:
    """Return the processor time of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def open_list(page: Page) -> None:
    game_button(page).click()
    expect(page.get_by_role("dialog").get_by_role("list", name="Games")).to_be_visible()


LEAVING: dict[str, Callable[[Page], object]] = {
    "to the list of games": open_list,
    "to another game": lambda page: open_game(page, "nim"),
    "by closing the tab": lambda page: page.close(),
}


@pytest.mark.parametrize("way", LEAVING)
def test_no_processor_time_is_used_once_the_game_is_left(
    serve: Callable[..., Any], make_visitor: Callable[..., Any], way: str
) -> None:
    server = serve()
    page = make_visitor().open("?game=hex", url=server.url)
    page.get_by_label("Who plays").select_option("0,1")
    page.get_by_role("button", name="Analyse").click()
    expect(page.get_by_test_id("thinking")).to_contain_text("analysing")
    expect(page.get_by_test_id("figures")).to_be_visible()
    start = seconds_used(server.process.pid)
    while seconds_used(server.process.pid) < start + 0.3:
        page.wait_for_timeout(100)
    LEAVING[way](page)
    for _ in range(30):  # code that is being compiled is completed first
        before = seconds_used(server.process.pid)
        time.sleep(2)
        used = seconds_used(server.process.pid) - before
        if used < 0.05:
            break
    assert used < 0.05
    if not page.is_closed():
        expect(page.get_by_test_id("thinking")).not_to_contain_text("analysing")
