"""A server that listens, and pages that speak to it."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from branchwise.web.app.app import ServerSettings
from branchwise.web.app.serve import Running, listening_socket
from branchwise.web.protocol.limits import ServerLimits

PATIENCE = 60.0


class Page:
    """One connection, as a page has it."""

    def __init__(self, live, session=None, hello=True, **options):
        url = f"ws://127.0.0.1:{live.port}/api/session"
        self._open = contextlib.ExitStack()
        connecting = connect(url, max_size=None, open_timeout=PATIENCE, **options)
        self.socket = self._open.enter_context(connecting)
        self.number = 0
        self.heard = []
        if hello:
            self.welcome = self.ask("hello", session=session)

    def send(self, text):
        self.socket.send(text)

    def say(self, kind, **fields):
        self.number += 1
        self.send(json.dumps({"type": kind, "id": self.number, **fields}))
        return self.number

    def hear(self, timeout=PATIENCE):
        told = json.loads(self.socket.recv(timeout))
        self.heard.append(told)
        return told

    def until(self, wanted, timeout=PATIENCE):
        """Return the next message that is of the kind, or for which the function is true."""
        end = time.monotonic() + timeout
        while True:
            told = self.hear(max(end - time.monotonic(), 0.01))
            if told["type"] == wanted if isinstance(wanted, str) else wanted(told):
                return told

    def ask(self, kind, **fields):
        """Say something and return the answer, be it a refusal."""
        number = self.say(kind, **fields)
        return self.until(lambda told: told.get("id") == number)

    def refusal(self, kind, **fields):
        told = self.ask(kind, **fields)
        assert told["type"] == "refused", told
        assert told["message"]
        return told

    def quiet(self, seconds=0.3):
        """Return what is heard in this number of seconds."""
        end, found = time.monotonic() + seconds, []
        while (left := end - time.monotonic()) > 0:
            with contextlib.suppress(TimeoutError):
                found.append(self.hear(left))
        return found

    def closed(self, timeout=PATIENCE):
        """Return the code and the reason with which the connection is closed."""
        try:
            while True:
                self.hear(timeout)
        except ConnectionClosed as end:
            return end.rcvd.code, end.rcvd.reason

    def close(self):
        self._open.close()


class Live:
    """A server in a thread of its own."""

    def __init__(self, settings=None):
        self.running = Running(settings or ServerSettings(), listening_socket("127.0.0.1", 0, others=False))
        self.port = int(self.running.url.rstrip("/").rsplit(":", 1)[1])
        self.thread = threading.Thread(target=self.running.run)
        self.thread.start()
        end = time.monotonic() + PATIENCE
        while not self.running.has_started:
            assert time.monotonic() < end
            time.sleep(0.01)
        self.pages = []
        self.http = httpx.Client(base_url=self.running.url, timeout=PATIENCE)

    @property
    def server(self):
        return self.running.app.state.server

    @property
    def sessions(self):
        return self.running.app.state.sessions

    def page(self, session=None, **options):
        page = Page(self, session, **options)
        self.pages.append(page)
        return page

    def close(self):
        for page in self.pages:
            page.close()
        self.http.close()
        self.running.stop()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()

    def searching(self):
        """Return how many searches are going on."""
        names = ("branchwise-bot", "branchwise-hint", "branchwise-analysis", "branchwise-http")
        return sum(thread.name in names for thread in threading.enumerate())

    def until(self, true, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while not true():
            assert time.monotonic() < end, "it does not become true"
            time.sleep(0.01)


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    """A server with the usual limits, but that pages may speak as fast as they like."""
    server = Live(ServerSettings(limits=ServerLimits(messages_per_second=1e6, burst=100_000, seconds=60.0)))
    yield server
    server.close()


@pytest.fixture
def page(live) -> Iterator[Page]:
    """A page that has said hello, and is gone after the test."""
    opened = live.page()
    yield opened
    opened.close()


@pytest.fixture
def limited() -> Iterator[Callable[..., Live]]:
    """Start servers with limits of their own."""
    servers = []

    def start(*games, opponents=(), origins=(), hosts=(), trusts_states=False, **limits):
        servers.append(
            Live(
                ServerSettings(
                    games=games,
                    opponents=opponents,
                    limits=ServerLimits(**limits),
                    origins=origins,
                    hosts=hosts,
                    trusts_states=trusts_states,
                )
            )
        )
        return servers[-1]

    yield start
    for server in servers:
        server.close()
