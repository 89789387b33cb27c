"""Running the server until it is stopped."""

from __future__ import annotations

import errno
import logging
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

import uvicorn

from branchwise.common.errors import SettingsError
from branchwise.web.app.app import ServerSettings, make_app
from branchwise.web.app.protocols import HTTPConnection, WebSocketConnection
from branchwise.web.search.searchers import prepare
from branchwise.web.session.server_state import Server

DEFAULT_PORT = 8642
_TRIED_PORTS = 20
_CLOSING_SECONDS = 1
_WARM_UP_AFTER = 0.5
"""Seconds that the first page gets to show its board before its game is compiled."""
_SWITCH_SECONDS = 0.001
"""Seconds that a search returning from compiled code waits for another thread; Python's default is 0.005."""


class AddressError(SettingsError):
    """An address that the server cannot listen on."""


def listening_socket(host: str, port: int, *, others: bool) -> socket.socket:
    """Return a socket that listens on `host`; port 0 : any free port.

    others : use one of the next ports if that one is taken. Raises `AddressError`.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last: OSError | None = None
    for number in range(port, min(port + (_TRIED_PORTS if others and port else 1), 65_536)):
        # with an explicit protocol, or asyncio would delay small messages (TCP_NODELAY)
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
            f"port {port} of {host} is in use", mend="give another port, or --port 0 for any free one"
        ) from last
    raise AddressError(f"cannot listen on {host}, port {port}: {last.strerror or last}") from last


def _prepared(server: Server) -> None:
    threading.Event().wait(_WARM_UP_AFTER)
    assert server.latest_game is not None
    try:
        prepare(server.latest_game)
    except Exception as error:
        logging.getLogger("branchwise").debug("the first game could not be prepared: %s", error)


class Running:
    """A listening server.

    url : address of its page.   settings : its settings.   listening : its socket.
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
        """Serve until `stop`, Ctrl-C or a termination signal; on_start : called once it answers."""
        if on_start is not None:
            threading.Thread(target=self._when_started, args=(on_start,), daemon=True).start()
        switched = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_SECONDS)
        try:
            self._server.run(sockets=[self._listening])
        finally:
            sys.setswitchinterval(switched)

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._server.should_exit = True

    @property
    def has_started(self) -> bool:
        """Whether requests are answered."""
        return bool(self._server.started)

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return len(self._server.server_state.connections)

    def warm_up(self) -> None:
        """Compile the game that the first page looks at, once its board is shown; does not wait for that."""
        server: Server = self.app.state.server
        server.on_first_game = threading.Thread(target=_prepared, args=(server,), daemon=True).start

    def _when_started(self, on_start: Callable[[], object]) -> None:
        waits = threading.Event()
        while not self.has_started and not self._server.should_exit:
            waits.wait(0.01)
        if self.has_started:
            on_start()
