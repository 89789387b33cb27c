"""Running the server until it is told to end."""

from __future__ import annotations

import errno
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

import uvicorn

from branchwise.errors import SettingsError
from branchwise.web.app import ServerSettings, make_app
from branchwise.web.protocols import HTTPConnection, WebSocketConnection
from branchwise.web.searchers import make_ready

DEFAULT_PORT = 8642
_TRIED_PORTS = 20
_CLOSING_SECONDS = 1
_SWITCH_SECONDS = 0.001
"""How long a search that comes out of compiled code waits for another thread; Python's own is 0.005."""


class AddressError(SettingsError):
    """An address that cannot be listened at."""


def listening_socket(host: str, port: int, *, others: bool) -> socket.socket:
    """Return a socket that listens at `host`; port 0 : any that is free.

    others : take one of the next ports where that one is taken. Raises `AddressError`.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last: OSError | None = None
    for number in range(port, min(port + (_TRIED_PORTS if others and port else 1), 65_536)):
        # with the protocol named, or asyncio would not send small messages at once (TCP_NODELAY)
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen(2048)
        except OSError as error:
            listening.close()
            last = error
            if error.errno != errno.EADDRINUSE:
                break
        else:
            return listening
    assert last is not None
    if last.errno == errno.EADDRINUSE:
        raise AddressError(
            f"port {port} of {host} is in use", mend="give another one, or --port 0 for any that is free"
        ) from last
    raise AddressError(f"cannot listen at {host}, port {port}: {last.strerror or last}") from last


class Running:
    """A server that listens.

    url : of its page.   settings : what it offers and allows.   listening : its socket.
    """

    def __init__(self, settings: ServerSettings, listening: socket.socket) -> None:
        host, port = listening.getsockname()[:2]
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        self.url = f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"
        self.app = make_app(settings)
        self._listening = listening
        self._config = uvicorn.Config(
            self.app,
            log_level="warning",
            access_log=False,
            http=HTTPConnection,
            ws=WebSocketConnection,
            ws_max_size=settings.limits.message_bytes,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=_CLOSING_SECONDS,
            server_header=False,
            lifespan="on",
        )
        self._server: Any = uvicorn.Server(self._config)

    def run(self, on_start: Callable[[], object] | None = None) -> None:
        """Serve until `stop`, Ctrl-C or the signal to end; on_start : called once it answers."""
        if on_start is not None:
            threading.Thread(target=self._when_started, args=(on_start,), daemon=True).start()
        switched = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_SECONDS)
        try:
            self._server.run(sockets=[self._listening])
        finally:
            sys.setswitchinterval(switched)

    def stop(self) -> None:
        """Let `run` come to its end, from another thread."""
        self._server.should_exit = True

    @property
    def has_started(self) -> bool:
        """Whether requests are answered."""
        return bool(self._server.started)

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return len(self._server.server_state.connections)

    def warm_up(self) -> None:
        """Have the machine code for the first game, so that the first move need not wait for it."""
        games = self.app.state.server.catalogue.games
        if games:
            make_ready(games[0].rules(), {})

    def _when_started(self, on_start: Callable[[], object]) -> None:
        waits = threading.Event()
        while not self.has_started and not self._server.should_exit:
            waits.wait(0.01)
        if self.has_started:
            on_start()
