"""Whether everybody can read and hit what the page shows: all families of boards, all views, light and dark.

axe judges the document. What it cannot judge, `support.accessibility` measures.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from support.accessibility import (
    faint_graphics,
    faint_texts,
    small_targets,
    unjudged_shapes,
    wait_until_still,
)
from support.front_door import game_button

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)

AXE = Axe()
RUNNING = "analysis running"  # which changes while one looks, so that its pixels are not compared
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

JUDGED = {
    "color-contrast": "the contrast of every text is measured on the pixels, by `faint_texts`",
}
"""Rules that axe leaves undecided, each with the reason why the page is right."""

LAYERS = [
    [
        *[
            ".ring",
            ".outlined",
            ".chosen",
            ".drawing > .won",
            ".dots > circle",
            ".capture",
            ".focus",
            ".previewed",
        ],
        *[".overlay .mark circle", ".overlay .hint", ".arrows .line", ".arrows .head", ".opens"],
    ],
    [".piece", ".die", ".disk"],
    [".last", ".picked", ".plate.marked"],
    [
        *[
            ".drawing > .lines",
            "path.edge",
            "path.face",
            "circle.rim",
            ".paper ~ .dot",
            ".drawing > .square",
            ".point",
        ],
        *["rect.cell", ".border", ".link"],
    ],
]
"""The graphics that say something, from the top down."""

DECORATION = {
    "path.light, path.dark": "squares have names, and men and marks stand out from both colours",
    ".graph > svg > path.grid, .graph > svg > path.now": "the graph's values are in the list of moves, too",
    ".drawing > .dot": "star points help the eye; places are counted by the names at the edge",
    ".wood, .wood + rect, .ground, .felt, .tray, .slot, path.cells, rect.rim": "grounds of the rest",
    "rect.back": "what is behind the holes of a board: the holes are seen",
    ".plate, .more": "a ground of writing, which has its own contrast",
}
"""Other shapes, each with the reason why nobody needs to see it."""


@dataclass
class Family:
    """A game of a family.

    shows : graphics that must have been there.
    at : the square that has the focus.   picked : whether Enter is pressed there.
    """

    game: str
    shows: set[str]
    at: str = "[data-square]"
    picked: bool = False


FAMILIES = {
    "discs": Family("connect_four&moves=0,2,0,3,2,3,2,4,1,6,1,5", {".ring", ".drawing > .won", "path.face"}),
    "stones": Family("atari_go(size=9)&moves=40,41,31,50,30,51", {".ring", ".drawing > .lines"}),
    "squares": Family(
        "checkers&moves=45,102,25,82,511,91,65,1098", {".last", ".picked", ".dots > circle"}, ".movable", True
    ),
    "chess": Family("chess&moves=e2e4,d7d5", {".last", ".picked", ".capture"}, '[data-square="36"]', True),
    "hexagons": Family("hex&moves=70,40,16,102,101,42,109,55", {".last", "path.edge", ".drawing > .lines"}),
    "marks": Family("tic_tac_toe&moves=6,2,1,7,4", {".outlined", "rect.cell"}),
    "cards": Family("hearts", set(), ".movable"),
    "backgammon": Family(
        "backgammon&moves=33,137,35,324,324,12,246,21,163,136,32,190,33,896,12",
        {".die", ".point", ".picked", ".dots > circle"},
        ".movable",
        True,
    ),
    "tiles": Family("same_game&moves=30,15,144,38", {".last"}, ".movable"),
    "walls": Family("quoridor&moves=141,83,167,93,193,107,102,131", {".last", ".drawing > .square"}),
}

SMALL_ON_PHONES = {"hexagons", "tiles", "walls"}
"""Boards whose places are narrower than 24 pixels on a phone.

Each move there is also a button of the list of legal moves. WCAG 2.5.8 excepts what has such an equivalent.
"""


def axe_findings(page: Page, rules: list[str]) -> list[str]:
    """Return what axe finds wrong, and what it leaves undecided that nobody has judged."""
    options = {"runOnly": rules, "resultTypes": ["violations", "incomplete"]}
    said = AXE.run(page, options=options).response
    undecided = [rule for rule in said["incomplete"] if rule["id"] not in JUDGED]
    return [
        f"{rule['id']}: {node['target']} {node['html'][:60]} {node['failureSummary'][-200:]}"
        for rule in said["violations"] + undecided
        for node in rule["nodes"]
    ]


def change_theme(page: Page, theme: str) -> None:
    page.emulate_media(color_scheme=theme)
    page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def findings(page: Page, theme: str) -> tuple[list[str], set[str]]:
    """Return all that is wrong with what the window shows, and which graphics were there."""
    change_theme(page, theme)
    wait_until_still(page)
    faint, there = faint_graphics(page, LAYERS)
    known = [selector for layer in LAYERS for selector in layer] + list(DECORATION)
    unjudged = [f"neither graphic nor decoration: {shape}" for shape in unjudged_shapes(page, known)]
    wrong = axe_findings(page, RULES if theme == "light" else ["color-contrast"])
    return [f"{theme}: {told}" for told in wrong + faint_texts(page) + faint + unjudged], there


def open_board(visitor: Any, family: Family) -> Page:
    page: Page = visitor.open(f"?game={family.game}")
    if page.get_by_label("Who plays").locator('option[value="0,1"]').count():
        page.get_by_label("Who plays").select_option("0,1")
    page.keyboard.press("Tab")  # so that the focus is shown
    page.locator(family.at).first.focus()
    expect(page.locator(family.at).first).to_be_focused()
    if family.picked:
        for _ in range(50):  # until the page has answered that people play both sides
            page.keyboard.press("Enter")
            page.wait_for_timeout(100)
            if page.locator(".picked").count() > 0:
                break
        expect(page.locator(".picked")).not_to_have_count(0)
    return page


@pytest.mark.parametrize("name", FAMILIES)
def test_a_board_of_each_family(make_visitor: Callable[..., Any], name: str) -> None:
    family = FAMILIES[name]
    page = open_board(make_visitor(viewport={"width": 1024, "height": 720}), family)
    found = []
    for theme in ("light", "dark"):
        wrong, there = findings(page, theme)
        found += wrong
        assert there >= family.shows | {".piece", ".focus"}
    page.set_viewport_size({"width": 1440, "height": 900})
    found += small_targets(page)
    page.set_viewport_size({"width": 390, "height": 844})
    small = small_targets(page)
    if name in SMALL_ON_PHONES:
        assert small
        page.get_by_text("Legal moves").click()
        moves = page.get_by_role("group", name="Legal moves").get_by_role("button")
        told = page.get_by_text("Legal moves").inner_text()
        expect(moves).to_have_count(int(told.partition("(")[2].rstrip(")")))
        small = [target for target in small_targets(page) if "path.cell" not in target]
    assert "\n".join(found + small) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [
        *["go(size=19)", "nine_mens_morris", "twenty_forty_eight"],
        *["othello", "leduc_poker", "blokus_duo", "amazons", "havannah", "kalah"],
        "dots_and_boxes&moves=0,2,6,7,9,1,3,8",
    ],
)
def test_a_board_of_more_games(make_visitor: Callable[..., Any], game: str) -> None:
    page = open_board(make_visitor(viewport={"width": 1024, "height": 720}), Family(game, set()))
    assert "\n".join(findings(page, "light")[0] + findings(page, "dark")[0]) == ""


def views(page: Page) -> Iterator[str]:
    """Open one view of the page after the other."""
    game_button(page).click()
    page.get_by_text("Add your own game").click()
    yield "front door"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Variant…").click()
    yield "variant"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Help").click()
    yield "help"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Options").click()
    yield "options"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Analyse").click()
    page.locator("tbody tr").first.wait_for()
    yield RUNNING
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Hint").click()
    page.get_by_test_id("hint").wait_for()
    page.locator("tbody tr button").first.click()
    yield "search"
    page.get_by_role("tab", name="Tree").click()
    page.locator('[role="treeitem"]').nth(1).click()
    yield "tree"
    page.get_by_role("tab", name="Steps").click()
    page.get_by_role("button", name="10 more").click()
    page.get_by_role("button", name="Select ▸").click()
    page.get_by_role("button", name="Undo").click()
    yield "steps, and a move taken back"


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 1600)])
def test_every_view(make_visitor: Callable[..., Any], width: int, height: int) -> None:
    page = make_visitor(viewport={"width": width, "height": height}).open("?game=connect_four&moves=3,3,2,4")
    page.get_by_label("Who plays").select_option("0,1")
    found, there = [], set()
    for view in views(page):
        for theme in ("light", "dark"):
            wrong = []
            if view != RUNNING:
                wrong, seen = findings(page, theme)
                there |= seen
            elif theme == "light":  # once, since all that moves makes axe slow
                change_theme(page, theme)
                wrong = axe_findings(page, RULES)
            found += [f"{view}, {told}" for told in wrong]
        targets = small_targets(page)
        if view == "options":  # which lie over the board
            targets = [target for target in targets if "path.cell" not in target]
        if view == "tree":  # which is zoomed; its moves are buttons of the search table
            targets = [target for target in targets if "g.item" not in target]
        found += [f"{view}: {target}" for target in targets]
    assert there >= {".overlay .mark circle", ".overlay .hint", ".disk", ".link"}
    assert "\n".join(found) == ""


def test_the_checks_find_what_is_wrong(make_visitor: Callable[..., Any]) -> None:
    """Each fault, put into a page that had none, is found by the check that is there for it."""
    page = open_board(make_visitor(viewport={"width": 1024, "height": 720}), FAMILIES["chess"])

    def found_with(fault: str, look: Callable[[], list[str]]) -> str:
        assert look() == []
        style = page.add_style_tag(content=fault)
        found = "\n".join(look())
        style.evaluate("style => style.remove()")
        return found

    same_colour = ".man { fill: var(--square-dark) !important; stroke: none !important }"
    same_colour += ".piece .lines { display: none }"
    unseen_focus = ".focus * { stroke: var(--square-dark) !important }"
    faint = found_with(same_colour + unseen_focus, lambda: faint_graphics(page, LAYERS)[0])
    assert "g.piece" in faint
    assert "g.two-toned.focus" in faint
    # A name on a ground that only the pixels tell, and one that is as light as its ground.
    names = page.locator(".drawing > text").count()
    assert names > 0
    faint = found_with(".label { opacity: 0.5 }", lambda: faint_texts(page))
    assert faint.count("text.label") == names
    unseen = found_with(".label { fill: var(--bg) !important }", lambda: faint_texts(page))
    assert unseen.count("nothing is seen of it") == names
    small = found_with(".family { width: 150px !important }", lambda: small_targets(page))
    assert small.count("path.cell") == page.locator("[data-square]").count()
    said = found_with("button { color: #aaa !important }", lambda: axe_findings(page, RULES))
    assert "color-contrast" in said
    page.locator("[data-square]").first.evaluate("cell => cell.removeAttribute('aria-label')")
    assert "aria-command-name" in "\n".join(axe_findings(page, RULES))
    page.locator(".drawing").evaluate(
        "drawing => drawing.insertAdjacentHTML('beforeend', '<circle cx=100 cy=100 r=30 />')"
    )
    assert unjudged_shapes(page, [selector for layer in LAYERS for selector in layer] + list(DECORATION))
