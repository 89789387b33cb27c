"""Takes the pictures of the page that README and docs show: `make pictures`.

A game against the bot's search is played at a server of its own; three tabs, light and dark. Then a sheet for
each family of boards.
"""

from __future__ import annotations

import base64
import re
import sys

from cards import FRONTEND, chromium, played, started
from playwright.sync_api import Browser

PICTURES = FRONTEND.parent / "docs" / "pictures"
SIZE = {"width": 1240, "height": 860}
POSITION = "?game=connect_four&moves=3,3,3,2,2"
THINKING_MS = 5000
COMPILING_MS = 240_000
SETTLING_MS = 400

SHEETS = PICTURES / "families"
WINDOWS = ({"width": 1440, "height": 900}, {"width": 390, "height": 844})
FAMILIES = {
    "discs": ["connect_four"],
    "stones": ["go", "nine_mens_morris"],
    "squares": ["othello", "checkers", "amazons"],
    "chess": ["chess"],
    "hexagons": ["hex", "havannah", "chinese_checkers"],
    "marks": ["tic_tac_toe", "ultimate_tic_tac_toe", "kalah"],
    "cards": ["hearts", "leduc_poker", "sealed_goofspiel"],
    "backgammon": ["backgammon"],
    "tiles": ["twenty_forty_eight", "same_game", "sokoban"],
    "walls": ["quoridor", "dots_and_boxes"],
}
"""Games of each family; those that hide something are shown at their start."""


def take(browser: Browser, url: str, scheme: str) -> None:
    """Take the pictures in one colour scheme: "light" or "dark"."""
    context = browser.new_context(color_scheme=scheme, viewport=SIZE, reduced_motion="reduce")
    context.set_default_timeout(COMPILING_MS)
    page = context.new_page()
    page.goto(url + POSITION)
    page.locator(".board").wait_for()
    page.get_by_role("button", name=re.compile("^Analyse")).click()
    page.locator("tbody tr").first.wait_for()
    page.wait_for_timeout(THINKING_MS)
    page.screenshot(path=PICTURES / f"search-{scheme}.png")
    page.get_by_role("tab", name="Tree").click()
    page.wait_for_timeout(THINKING_MS // 2)
    page.screenshot(path=PICTURES / f"tree-{scheme}.png")
    page.get_by_role("tab", name="Steps").click()
    step = page.get_by_role("button", name="One simulation")
    for _ in range(12):
        step.click()
        page.wait_for_timeout(200)
    page.get_by_role("button", name=re.compile("^Select")).click()
    page.wait_for_timeout(500)
    page.screenshot(path=PICTURES / f"steps-{scheme}.png")
    context.close()


def take_families(browser: Browser, url: str) -> None:
    """Make a sheet for each family of boards: its games at two sizes of the window, light and dark."""
    SHEETS.mkdir(exist_ok=True)
    script = (FRONTEND / "sheet.js").read_text(encoding="utf-8")
    for family, games in FAMILIES.items():
        shots: dict[str, list[str]] = {}
        for scheme in ("light", "dark"):
            for size in WINDOWS:
                context = browser.new_context(color_scheme=scheme, viewport=size, reduced_motion="reduce")
                context.set_default_timeout(COMPILING_MS)
                page = context.new_page()
                for game in games:
                    actions = () if family == "cards" else played(game).actions
                    moves = ",".join(str(action) for action in actions)
                    page.goto(f"{url}?game={game}&moves={moves}")
                    page.locator(".family .drawing").wait_for()
                    page.wait_for_timeout(SETTLING_MS)
                    shot = base64.b64encode(page.screenshot()).decode()
                    shots.setdefault(scheme, []).append(f"data:image/png;base64,{shot}")
                context.close()
        page = browser.new_page()
        sheet = page.evaluate(script, list(shots.values()))
        (SHEETS / f"{family}.webp").write_bytes(base64.b64decode(sheet))
        page.close()


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "branchwise", "serve", "--port", "0", "--no-open"]
    with started(command, "at") as url, chromium() as browser:
        for scheme in ("light", "dark"):
            take(browser, url, scheme)
        take_families(browser, url)


if __name__ == "__main__":
    main()
