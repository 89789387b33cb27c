"""A server, Chromium and a page that fails its test on any error and on any request that leaves the server.

Nothing here is skipped: a page that nobody looked at has not been tested.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, WebSocketRoute, sync_playwright

STARTED = re.compile(r"Branchwise is at (http://\S+?)/?\s")
BROWSERS = (
    "chromium-headless-shell",  # no window: a fifth less time
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
CHROMIUM_ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_SECONDS = 60.0
PATIENCE_MS = 60_000


@dataclass
class Server:
    """`branchwise serve` in a process of its own; url : without a slash.   home : the folder it runs in."""

    process: subprocess.Popen[str]
    url: str
    home: Path

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start_server(home: Path, *arguments: str, port: int = 0) -> Server:
    """Start a server at a free port, with a home of its own, and wait until it says where it is."""
    command = [sys.executable, "-m", "branchwise", "serve", "--port", str(port), "--no-open", *arguments]
    environment = os.environ | {"HOME": str(home), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, env=environment, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    lines: Queue[str] = Queue()
    assert process.stdout is not None
    threading.Thread(target=_read_lines, args=(process.stdout, lines), daemon=True).start()
    said = ""
    while True:
        try:
            said += lines.get(timeout=PATIENCE_SECONDS)
        except Empty:
            process.kill()
            pytest.fail(f"`{' '.join(command)}` did not say where it is:\n{said}")
        if found := STARTED.search(said):
            return Server(process, found[1].rstrip("/"), home)
        if process.poll() is not None and lines.empty():
            pytest.fail(f"`{' '.join(command)}` ended with {process.returncode}:\n{said}")


def _read_lines(stream: IO[str], lines: Queue[str]) -> None:
    with stream:
        for line in stream:
            lines.put(line)
    lines.put("")


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Return a function that starts servers; all are ended after the tests."""
    started: list[Server] = []

    def start(*arguments: str, port: int = 0) -> Server:
        started.append(start_server(tmp_path_factory.mktemp("home"), *arguments, port=port))
        return started[-1]

    yield start
    for server in started:
        server.end()


@pytest.fixture(scope="session")
def server(serve: Callable[..., Server]) -> Server:
    """The server that all tests share which do no harm to it."""
    return serve()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.fail(
            "there is no Chromium to test the page in; install it: .ci/browser, or apt-get install "
            "chromium-headless-shell fonts-dejavu-core"
        )
    chromium = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_ARGS))
    yield chromium
    chromium.close()


@dataclass
class Visitor:
    """A person with a browser window of their own, who notes whatever goes wrong.

    forgiven : what messages of the console are expected to hold, where a test breaks the connection.
    """

    context: BrowserContext
    url: str
    faults: list[str] = field(default_factory=list)
    forgiven: list[str] = field(default_factory=list)

    def open(self, query: str = "", url: str | None = None) -> Page:
        """Open the page in a new tab and wait for its board."""
        page = self.context.new_page()
        page.on("console", lambda said: said.type in ("error", "warning") and self.note(said.text))
        page.on("pageerror", lambda error: self.note(f"uncaught: {error}"))
        page.on("request", lambda request: self._check_request(request.url))
        page.on("websocket", lambda socket: self._check_request(socket.url))
        page.goto((url or self.url) + "/" + query)
        page.locator(".board").wait_for()
        return page

    def hold_answers(self, to: Callable[[dict[str, Any]], bool]) -> list[Callable[[], object]]:
        """Keep back the server's answers to some questions of pages opened later; return what gives them.

        to : tells of a message of the page whether its answer is kept back.
        """
        held: list[Callable[[], object]] = []

        def relay(page: WebSocketRoute) -> None:
            server = page.connect_to_server()
            chosen: set[int] = set()

            def ask(message: str | bytes) -> None:
                said = json.loads(message)
                if to(said):
                    chosen.add(said["id"])
                server.send(message)

            def answer(message: str | bytes) -> None:
                give = partial(page.send, message)
                if json.loads(message).get("id") in chosen:
                    held.append(give)
                else:
                    give()

            page.on_message(ask)
            server.on_message(answer)

        self.context.route_web_socket(re.compile("/api/session$"), relay)
        return held

    def note(self, fault: str) -> None:
        if not any(words in fault for words in self.forgiven):
            self.faults.append(fault)

    def _check_request(self, url: str) -> None:
        asked, home = urlsplit(url), urlsplit(self.url)
        if asked.scheme not in ("data", "blob") and asked.hostname != home.hostname:
            self.note(f"asked for {url}")


@pytest.fixture
def make_visitor(browser: Browser, server: Server) -> Iterator[Callable[..., Visitor]]:
    """Return a function that gives a visitor; the test fails if any of them noted a fault."""
    visitors: list[Visitor] = []

    def make(**settings: Any) -> Visitor:
        defaults = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
        context = browser.new_context(**defaults | settings)
        context.set_default_timeout(PATIENCE_MS)
        visitors.append(Visitor(context, server.url))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.context.close()
    assert [fault for visitor in visitors for fault in visitor.faults] == []


@pytest.fixture
def visitor(make_visitor: Callable[..., Visitor]) -> Visitor:
    return make_visitor()
