"""Connections of a server; a client that does not finish its request, or does not read, is disconnected."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

REQUEST_SECONDS = 20.0
"""Seconds for a request to arrive, headers and body."""
WRITE_SECONDS = 30.0
"""Seconds for which a client may read nothing."""
MOST_CONNECTIONS = 500
"""Maximum connections at the same time; further ones are refused."""

_CLOSED = b"connection: close\r\ncontent-length: 0\r\n\r\n"
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\n" + _CLOSED
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n" + _CLOSED


class _Timer:
    """Calls a function unless it is stopped in time."""

    def __init__(self) -> None:
        self._handle: asyncio.TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        return self._handle is not None

    def start(self, seconds: float, call: Callable[[], object]) -> None:
        self.stop()
        self._handle = asyncio.get_running_loop().call_later(seconds, call)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class HTTPConnection(H11Protocol):
    """HTTP, with time limits for requests to arrive and for answers to be read."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._arriving = _Timer()
        self._reading = _Timer()
        self._is_upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.write(_BUSY)
            transport.close()
            return
        self._arriving.start(REQUEST_SECONDS, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        self._arriving.stop()
        self._reading.stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._is_upgraded = True
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """Start the timer, because the client does not read fast enough."""
        super().pause_writing()
        self._reading.start(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the timer, because the client reads again."""
        super().resume_writing()
        self._reading.stop()

    def _watch(self) -> None:
        """Run the timer while a request is incomplete, from its first byte to its last."""
        state = self.conn.their_state
        begun = state is h11.SEND_BODY or (state is h11.IDLE and bool(self.conn.trailing_data[0]))
        if not begun or self._is_upgraded or self.transport.is_closing():
            self._arriving.stop()
        elif not self._arriving.is_running:
            self._arriving.start(REQUEST_SECONDS, self._too_slow)

    def _too_slow(self) -> None:
        self._arriving.stop()
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(_TOO_SLOW)
        self.transport.close()


class WebSocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket, with a time limit for messages to be read."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._reading = _Timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._reading.stop()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the timer, because the client does not read fast enough."""
        super().pause_writing()
        self._reading.start(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the timer, because the client reads again."""
        super().resume_writing()
        self._reading.stop()
