"""The explorer's page in Chromium: time to the first board, response times, and smoothness with a large tree.

    python benchmarks/explorer_page.py [--nodes 5000000] [--seconds 6]

The server runs in its usual form, in a separate process. The browser is Debian's Chromium, headless, with an
empty cache. Frames are those that the browser draws while the tree is dragged to and fro and the search sends
updates to the page.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from explorer import server, show, shown

ARGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
VIEWPORT: Any = {"width": 1440, "height": 900}
CELL = ".board svg [data-action]"

FRAMES = """seconds => new Promise(done => {
  const times = [];
  const frame = now => {
    times.push(now);
    if (now - times[0] < 1000 * seconds) requestAnimationFrame(frame);
    else done(times);
  };
  requestAnimationFrame(frame);
})"""
DRAG = """seconds => new Promise(done => {
  const svg = document.querySelector('svg[role="tree"]');
  const frame = svg.getBoundingClientRect();
  const [x, y] = [frame.x + frame.width / 2, frame.y + frame.height / 2];
  const send = (type, dx, dy) => svg.dispatchEvent(new PointerEvent(type, {
    pointerId: 1, button: 0, buttons: 1, bubbles: true, clientX: x + dx, clientY: y + dy}));
  svg.setPointerCapture = () => undefined;
  send("pointerdown", 0, 0);
  const times = [];
  const move = now => {
    times.push(now);
    const turn = (now - times[0]) / 300;
    send("pointermove", 150 * Math.sin(turn), 150 * Math.cos(turn));
    if (now - times[0] < 1000 * seconds) return requestAnimationFrame(move);
    send("pointerup", 0, 0);
    done(times);
  };
  requestAnimationFrame(move);
})"""


def page_loads(browser: Browser) -> None:
    """Measure the time to the first board, from the command and from the page's load."""
    started, loaded, again = [], [], []
    for _ in range(3):
        began = time.perf_counter()
        with server() as (port, _, _):
            page = browser.new_context(viewport=VIEWPORT).new_page()
            opens = time.perf_counter()
            page.goto(f"http://127.0.0.1:{port}/")
            page.locator(CELL).first.wait_for()
            loaded.append(time.perf_counter() - opens)
            started.append(time.perf_counter() - began)
            for _ in range(3):
                opens = time.perf_counter()
                page.reload()
                page.locator(CELL).first.wait_for()
                again.append(time.perf_counter() - opens)
            page.context.close()
    for what, times in (("start", started), ("load", loaded), ("reload", again)):
        show(f"first board after {what}: least, most", f"{min(times):.2f} s", f"{max(times):.2f} s")


def clicks(page: Page, plays: int) -> None:
    """Measure the time from a click to the updated board, on the page's own clock."""
    page.get_by_label("Strength by").select_option("simulations")
    times = []
    for number in range(plays):
        page.get_by_role("button", name="New game").click()
        page.locator(f'{CELL.rsplit(" ", 1)[0]} [data-action="{number % 7}"]').last.wait_for()
        times.append(page.evaluate(CLICK, number % 7))
    show(
        "click until the board is redrawn: median, 95 %",
        f"{statistics.median(times):.0f} ms",
        f"{sorted(times)[int(len(times) * 0.95)]:.0f} ms",
    )


CLICK = """action => new Promise(done => {
  const board = document.querySelector(".board");
  const cell = [...board.querySelectorAll(`[data-action="${action}"]`)].at(-1);
  const before = board.querySelector("svg").outerHTML;
  const began = performance.now();
  const look = () => {
    if (board.querySelector("svg")?.outerHTML !== before) done(performance.now() - began);
    else requestAnimationFrame(look);
  };
  cell.dispatchEvent(new MouseEvent("click", {bubbles: true}));
  requestAnimationFrame(look);
})"""


def large_tree(page: Page, nodes: int, seconds: float) -> None:
    """Measure frames and the time to open branches while a tree of at least `nodes` nodes grows."""
    page.get_by_role("button", name="Analyse").click()
    page.get_by_role("tab", name="Tree").click()
    head = page.locator(".tree-view .head")
    while nodes_shown(head.inner_text()) < nodes:
        time.sleep(0.5)
    opening = []
    for _ in range(25):
        closed = page.locator('[role="treeitem"][aria-expanded="false"]')
        shown_before = page.locator('[role="treeitem"]').count()
        closed.first.dispatch_event("click")
        began = time.perf_counter()
        while page.locator('[role="treeitem"]').count() == shown_before:
            if time.perf_counter() - began > 20:
                raise RuntimeError("a branch was not opened")
        opening.append(1000 * (time.perf_counter() - began))
    items = page.locator('[role="treeitem"]').count()
    show("nodes in the tree, drawn", f"{nodes_shown(head.inner_text()):,}", str(items))
    show("a branch is opened: median, most", f"{statistics.median(opening):.0f} ms", f"{max(opening):.0f} ms")
    for what, script in (("at rest", FRAMES), ("dragged", DRAG)):
        times = page.evaluate(script, seconds)
        gaps = sorted(after - before for before, after in pairwise(times))
        show(
            f"frames a second, {what}; 95 % of gaps within, longest",
            f"{1000 * len(gaps) / (times[-1] - times[0]):.0f}",
            f"{gaps[int(len(gaps) * 0.95)]:.0f} ms",
            f"{gaps[-1]:.0f} ms",
        )


def nodes_shown(text: str) -> int:
    """Return the number of nodes that the page shows, 0 before it shows one."""
    words = text.split()
    return int(words[0].replace(",", "")) if words and words[0][0].isdigit() else 0


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--nodes", type=int, default=5_000_000)
    options.add_argument("--seconds", type=float, default=6.0)
    options.add_argument("--plays", type=int, default=60)
    options.add_argument("--json", type=Path, metavar="FILE", help="write all measurements to FILE")
    chosen = options.parse_args()
    with sync_playwright() as running:
        found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = running.chromium.launch(executable_path=found, args=ARGS)
        page_loads(browser)
        with server("--memory", "2048") as (port, _, _):
            page = browser.new_context(viewport=VIEWPORT).new_page()
            page.set_default_timeout(120_000)
            page.goto(f"http://127.0.0.1:{port}/")
            page.locator(CELL).first.wait_for()
            clicks(page, chosen.plays)
            page.get_by_label("Who plays").select_option("0,1")
            page.get_by_role("button", name="New game").click()
            large_tree(page, chosen.nodes, chosen.seconds)
        browser.close()
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(shown, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
