"""The sessions of a server: found by their tokens, and kept for a while after a page has gone."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from branchwise.common.errors import SettingsError
from branchwise.web.session.page_session import Session
from branchwise.web.session.server_state import Server

_TOKEN_BYTES = 18


class Sessions:
    """All sessions: those with a page, and those whose page may return."""

    def __init__(self, server: Server, clock: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._clock = clock
        self._sessions: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def find(self, token: str | None) -> Session | None:
        """Return the session with this token, or None if it is unknown."""
        self.tidy()
        return None if token is None else self._sessions.get(token)

    def new(self) -> Session:
        """Return a new session. Raises `SettingsError` if all sessions are in use."""
        self.tidy()
        if len(self._sessions) >= self._server.limits.sessions:
            left = [session for session in self._sessions.values() if session.tell is None]
            if not left:
                raise SettingsError(
                    f"all {self._server.limits.sessions} sessions of this server are in use",
                    mend="try again later, or start the server with more --sessions",
                )
            self._close(min(left, key=lambda session: session.left))
        session = Session(secrets.token_urlsafe(_TOKEN_BYTES), self._server)
        self._sessions[session.token] = session
        return session

    def tidy(self) -> None:
        """Close the sessions that were left too long ago."""
        oldest = self._clock() - self._server.limits.session_seconds
        for session in [s for s in self._sessions.values() if s.tell is None and s.left < oldest]:
            self._close(session)

    async def renew(self, game: str, error: Exception | None) -> None:
        """Let pages that show a game, or a variant, go on with its new rules, or tell them their `error`."""
        for session in list(self._sessions.values()):
            await session.renew(game, error)

    async def close(self) -> None:
        """Close all sessions, and wait for the end of their searches."""
        sessions = list(self._sessions.values())
        for session in sessions:
            self._close(session)
        for session in sessions:
            await session.ended()

    def _close(self, session: Session) -> None:
        self._sessions.pop(session.token, None)
        session.close()
