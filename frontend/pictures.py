"""Takes the pictures of the page that README and docs show: `make pictures`.

A game against the bot's search is played at a server of its own; three tabs, light and dark.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
SIZE = {"width": 1240, "height": 860}
POSITION = "?game=connect_four&moves=3,3,3,2,2"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
THINKING_MS = 5000
COMPILING_MS = 240_000


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


def main() -> None:
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    chromium = found or sys.exit("there is no Chromium here: .ci/browser installs it")
    PICTURES.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "branchwise", "serve", "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            url = (
                next(
                    found[1] for line in server.stdout if (found := re.search(r"at (http://\S+)", line))
                ).rstrip("/")
                + "/"
            )
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
                for scheme in ("light", "dark"):
                    take(browser, url, scheme)
                browser.close()
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
