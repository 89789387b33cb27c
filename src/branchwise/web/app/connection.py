"""The WebSocket of one page: receives and sends messages."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from branchwise import __version__
from branchwise.common.errors import BranchwiseError, SettingsError
from branchwise.web.app.sessions import Sessions
from branchwise.web.app.waiting_messages import MOST_BYTES, Outbox, OverflowingError
from branchwise.web.protocol.error_messages import refused
from branchwise.web.protocol.limits import Pace
from branchwise.web.protocol.messages import Hello, Refused, SaidByPage, Told, Welcome
from branchwise.web.protocol.rule_threads import begin_task
from branchwise.web.session.page_session import Session
from branchwise.web.session.server_state import Server

TOO_LARGE = 1009
TAKEN_OVER = 4001
"""Status of a connection that is closed because another one has taken its session."""
NO_HELLO = 4002
FULL = 4003
NOT_READING = 4004

HELLO_SECONDS = 20.0
_CLOSING_SECONDS = 2.0

_log = logging.getLogger("branchwise.web")
_decoder = msgspec.json.Decoder(SaidByPage)


class Connection:
    """A connected page."""

    def __init__(self, socket: WebSocket, server: Server, sessions: Sessions) -> None:
        self._socket = socket
        self._server = server
        self._sessions = sessions
        self._session: Session | None = None
        self._outbox = Outbox(MOST_BYTES)
        self._over = asyncio.Event()
        limits = server.limits
        self._pace = Pace(limits.messages_per_second, limits.burst)

    async def serve(self) -> None:
        """Serve the page until it leaves."""
        await self._socket.accept()
        tasks = [asyncio.create_task(doing) for doing in (self._send(), self._listen(), self._over.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            for ended in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(ended, Exception) and not isinstance(ended, WebSocketDisconnect):
                    _log.error("a connection failed", exc_info=ended)
            if self._over.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._close(NOT_READING, "nothing is read"), _CLOSING_SECONDS)
            session = self._session
            if session is not None and session.tell == self.tell:
                session.leave()

    def tell(self, told: Told) -> None:
        """Send a message as soon as the page reads it; disconnect a page that does not read."""
        try:
            self._outbox.put(told)
        except OverflowingError as error:
            _log.info("a page is disconnected: %s", error)
            self._over.set()

    def take_over(self) -> None:
        """Give up the session to another connection."""
        self.tell(
            Refused(
                message="this game continues in another window",
                mend="continue there, or reload this page to take the game back",
            )
        )
        self._close_soon(TAKEN_OVER, "taken over by another window")

    async def _listen(self) -> None:
        waits: float | None = HELLO_SECONDS
        while True:
            await self._outbox.has_room()
            try:
                said = await asyncio.wait_for(self._socket.receive(), waits)
            except TimeoutError:
                await self._close(NO_HELLO, "no hello was received")
                return
            if said["type"] == "websocket.disconnect":
                return
            content = said.get("text")
            content = said.get("bytes") or b"" if content is None else content.encode(errors="replace")
            if len(content) > self._server.limits.message_bytes:
                await self._close(TOO_LARGE, "the message is too large")
                return
            await self._hear(content)
            if self._session is not None:
                waits = None

    async def _hear(self, content: bytes) -> None:
        if not self._pace.allows():
            limits = self._server.limits
            self.tell(
                Refused(
                    id=_id_in(content),
                    message="too many messages",
                    mend=f"send at most {limits.messages_per_second:g} per second, {limits.burst} at once",
                )
            )
            return
        try:
            said: Any = _decoder.decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self.tell(_unreadable(content, error))
            return
        if self._session is None or isinstance(said, Hello):
            try:
                await self._greet(said)
            except BranchwiseError as error:
                self.tell(refused(error, about=said.__struct_config__.tag, answers=said.id))
            return
        if self._session.tell != self.tell:
            return  # taken over; the connection is being closed
        await self._session.hear(said, self.tell)

    async def _greet(self, said: Any) -> None:
        if self._session is not None:
            raise SettingsError("hello was already sent", mend="send it once, as the first message")
        if not isinstance(said, Hello):
            raise SettingsError("this comes before hello", mend='send {"type": "hello"} first')
        session = self._sessions.find(said.session)
        resumed = session is not None and session.has_game
        if session is None:
            try:
                session = self._sessions.new()
            except SettingsError as error:
                self.tell(refused(error, about="hello", answers=said.id))
                self._close_soon(FULL, "no session is free")
                return
        self._session = session
        other = await session.enter(self.tell)
        owner = getattr(other, "__self__", None)
        if isinstance(owner, Connection):
            owner.take_over()
        catalogue = self._server.catalogue
        self.tell(
            Welcome(
                id=said.id,
                session=session.token,
                resumed=resumed,
                version=__version__,
                games=catalogue.cards,
                first=catalogue.first,
                limits=self._server.limits_told,
            )
        )
        await session.resume()

    async def _send(self) -> None:
        try:
            async for content in self._outbox.messages():
                await self._socket.send_text(content.decode())
        except (WebSocketDisconnect, RuntimeError) as error:
            _log.debug("a page has disconnected: %s", error)

    def _close_soon(self, code: int, reason: str) -> None:
        """Close the connection after sending the waiting messages."""
        begin_task(self._close(code, reason, wait=True))

    async def _close(self, code: int, reason: str, *, wait: bool = False) -> None:
        if wait:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._outbox.is_empty(), _CLOSING_SECONDS)
        if self._socket.application_state is WebSocketState.CONNECTED:
            with suppress(RuntimeError, WebSocketDisconnect):
                await self._socket.close(code, reason)


class _Marked(msgspec.Struct):
    id: Any = None
    type: Any = None


_marked = msgspec.json.Decoder(_Marked)


def _id_in(content: bytes) -> int | None:
    """Return the id of an unreadable message, if the id is readable."""
    found = _marks(content).id
    return found if type(found) is int and 0 <= found <= 2**53 else None


def _marks(content: bytes) -> _Marked:
    try:
        return _marked.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Marked()


def _unreadable(content: bytes, error: Exception) -> Refused:
    kind = _marks(content).type
    return Refused(
        id=_id_in(content),
        message=f"this message cannot be read: {error}"[:500],
        mend="GET /api/schema describes the messages",
        about=kind[:40] if isinstance(kind, str) else None,
    )
