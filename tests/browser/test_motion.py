"""No task of the page's main thread keeps a moving piece waiting, on a machine a quarter as fast.

Chromium's tracing tells the processor time of each task, which does not count while other programs run. Each
time is multiplied by four, because Chromium's own throttling is stronger on a busy machine. Noise, such as a
collection of garbage, only adds time, so the best of several tries counts. On a machine shared with much
other work the processor time itself doubles, so these tests are slow ones, for an idle machine.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .test_families import START, squares

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SLOWER = 4
MOST_MS = 33.0
TRIES = 4
SETTLED_MS = 700
QUESTION = "blink.mojom.DevToolsSession"
FOLLOWING = re.compile("can be picked next")
GAMES = (
    "connect_four",
    "chess",
    "go(size=19)",
    "checkers",
    "hex",
    "othello",
    "tic_tac_toe",
    "twenty_forty_eight",
    "backgammon",
    "hearts",
    "quoridor",
)


@dataclass
class Tasks:
    """The tasks of a page's main thread while it is traced."""

    page: Page
    events: list[dict[str, Any]] = field(default_factory=list)
    done: bool = False

    def __post_init__(self) -> None:
        self.chromium = self.page.context.new_cdp_session(self.page)
        self.chromium.on("Tracing.dataCollected", lambda told: self.events.extend(told["value"]))
        self.chromium.on("Tracing.tracingComplete", lambda _: setattr(self, "done", True))

    def start(self) -> None:
        self.chromium.send(
            "Tracing.start",
            {
                "transferMode": "ReportEvents",
                "traceConfig": {"includedCategories": ["toplevel", "devtools.timeline"]},
            },
        )

    def stop(self) -> tuple[float, str]:
        """Return the longest task in milliseconds of a processor so much slower, and what it did."""
        self.chromium.send("Tracing.end")
        while not self.done:
            self.page.wait_for_timeout(20)
        mains = {
            (event["pid"], event["tid"])
            for event in self.events
            if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
        }
        spans = [e for e in self.events if e["ph"] == "X" and (e["pid"], e["tid"]) in mains]
        questions = [  # of the test itself
            event["ts"]
            for event in spans
            if event["args"].get("chrome_mojo_event_info", {}).get("mojo_interface_tag") == QUESTION
        ]
        longest = max(
            (
                event
                for event in spans
                if event["name"].endswith("RunTask")
                and not any(event["ts"] <= asked < event["ts"] + event["dur"] for asked in questions)
            ),
            key=lambda event: event.get("tdur", 0),
        )
        end = longest["ts"] + longest["dur"]
        inside = {e["name"] for e in spans if longest["ts"] <= e["ts"] < end and e.get("tdur", 0) > 500}
        return SLOWER * longest.get("tdur", 0) / 1000, ", ".join(sorted(inside))


def press(page: Page, place: tuple[float, float]) -> None:
    """Click as people do: the pointer comes, the button goes down, and up again."""
    page.mouse.move(*place)
    page.wait_for_timeout(120)
    page.mouse.down()
    page.wait_for_timeout(90)
    page.mouse.up()


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).first.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def move(page: Page, number: int) -> None:
    """Make a move by the board, where there is one; nothing is asked of the page until it has settled."""
    if starts := squares(page, START):
        press(page, middle(page, f'[data-square="{starts[(7 * number + 3) % len(starts)]}"]'))
        page.wait_for_timeout(SETTLED_MS)
        while following := squares(page, FOLLOWING):
            press(page, middle(page, f'[data-square="{following[-1]}"]'))
            page.wait_for_timeout(SETTLED_MS)
            if page.locator(".choices button").count():
                press(page, middle(page, ".choices button"))
                page.wait_for_timeout(SETTLED_MS)
    else:
        press(page, middle(page, ".beside button:enabled"))
    page.wait_for_timeout(SETTLED_MS)


def longest_task(visitor: Any, game: str, how: str) -> tuple[float, str]:
    """Play a few moves in a new page; return its longest task while pieces move."""
    page = visitor.open(f"?game={game}")
    who = page.get_by_label("Who plays")
    if how != "against the bot" and who.locator('option[value="0,1"]').count():
        who.select_option("0,1")
    ready = page.locator('[data-square][aria-disabled="false"], .beside button:enabled').first
    expect(ready).to_be_attached(timeout=60_000)
    if how == "while it analyses":
        page.get_by_role("button", name="Analyse").click()
        page.locator("tbody tr").first.wait_for()
    page.wait_for_timeout(2 * SETTLED_MS)
    worst = (0.0, "")
    for number in range(3):
        expect(ready).to_be_attached(timeout=60_000)
        tasks = Tasks(page)
        tasks.start()
        move(page, number)
        took, did = tasks.stop()
        worst = max(worst, (took, f"move {number + 1}: {did}"))
    page.close()
    return worst


@pytest.mark.parametrize("how", ["by people", "against the bot", "while it analyses"])
@pytest.mark.parametrize("game", GAMES)
def test_a_move_is_smooth_on_a_machine_a_quarter_as_fast(make_visitor: Any, game: str, how: str) -> None:
    tried = []
    for _ in range(TRIES):
        visitor = make_visitor(viewport={"width": 1440, "height": 900}, reduced_motion="no-preference")
        tried.append(longest_task(visitor, game, how))
        if tried[-1][0] <= MOST_MS:
            break
    print(game, how, [round(took) for took, _ in tried])
    assert min(tried)[0] <= MOST_MS, f"longest tasks of {len(tried)} tries: {tried}"
