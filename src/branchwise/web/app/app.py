"""The server as an ASGI application: page, HTTP interface and WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from branchwise.web.app.access import Guard
from branchwise.web.app.connection import Connection
from branchwise.web.app.http import Interface
from branchwise.web.app.page import page_routes
from branchwise.web.app.sessions import Sessions
from branchwise.web.app.signing import Signer
from branchwise.web.game.offered_games import GameCatalogue
from branchwise.web.protocol.limits import ServerLimits
from branchwise.web.protocol.messages import Problem
from branchwise.web.protocol.rule_threads import in_thread
from branchwise.web.session.server_state import Server

_FORBIDDEN = 4403
_TIDY_SECONDS = 30.0
_LOOK_SECONDS = 0.5
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """Settings of a server.

    games : games listed first, as named on the command line; all registered games follow.
    opponents : bots for these games besides our own searches, or for all games; see `NamedBots`.
    hosts, origins : see `Guard`.   trusts_states : accept states that are not signed; see `Signer`.
    """

    games: Sequence[str] = ()
    opponents: Sequence[str] = ()
    limits: ServerLimits = field(default_factory=ServerLimits)
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    trusts_states: bool = False


def make_app(settings: ServerSettings | None = None) -> Starlette:
    """Return the application. Raises what `load_game` raises for games that cannot be loaded.

    `app.state.server` is the `Server`, `app.state.sessions` the `Sessions`.
    """
    chosen = settings or ServerSettings()
    catalogue = GameCatalogue.of(chosen.games, chosen.limits.variants, chosen.opponents)
    server = Server(catalogue, chosen.limits)
    sessions = Sessions(server)
    interface = Interface(server, Signer(trusting=chosen.trusts_states))

    async def session(socket: WebSocket) -> None:
        await Connection(socket, server, sessions).serve()

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(_tidy(sessions))]
        if catalogue.follows_files:
            tasks.append(asyncio.create_task(_follow_files(catalogue, sessions)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await sessions.close()

    middleware = [Middleware(_Door, guard=Guard(chosen.hosts, chosen.origins))]
    if chosen.origins:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(chosen.origins),
                allow_methods=["GET", "POST"],
                allow_headers=["content-type"],
            )
        )
    app = Starlette(
        routes=[WebSocketRoute("/api/session", session), *interface.routes(), *page_routes()],
        middleware=middleware,
        lifespan=lifespan,
    )
    app.state.server, app.state.sessions = server, sessions
    return app


async def _tidy(sessions: Sessions) -> None:
    """Regularly close sessions that were left too long ago."""
    while True:
        await asyncio.sleep(_TIDY_SECONDS)
        sessions.tidy()


async def _follow_files(catalogue: GameCatalogue, sessions: Sessions) -> None:
    """Regularly load again the rules whose files have changed."""
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        for game, error in (await in_thread(catalogue.renew)).items():
            await sessions.renew(game, error)


class _Door:
    """Refuses requests that `Guard` does not permit, and adds headers to every answer."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._guard.refusal(Headers(scope=scope), scope["path"])
        if scope["type"] == "websocket":
            if refusal is not None:
                await WebSocket(scope, receive, send).close(_FORBIDDEN, refusal[:100])
                return
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        if refusal is not None:
            problem = Problem(error=refusal, mend="see docs/serving.md: --allow-host and --allow-origin")
            answer = Response(msgspec.json.encode(problem), 403, media_type="application/json")
            await answer(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)
