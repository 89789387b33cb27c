"""The HTTP interface: games, positions, searches, and the schemas of all messages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from branchwise.common.errors import BranchwiseError, GameError, SettingsError, UnknownNameError
from branchwise.game.kinds.game_kinds import is_simulator, starts_at_random
from branchwise.game.kinds.random_numbers import Random
from branchwise.rules.playthrough.position import Position
from branchwise.web.app.signing import Signer
from branchwise.web.game.offered_games import OfferedGame
from branchwise.web.game.position_messages import asked_position, paid_so_far, position_answer, seat_answer
from branchwise.web.game.trainings import trainings_told
from branchwise.web.protocol import messages as m
from branchwise.web.protocol.action_codes import sent
from branchwise.web.protocol.error_messages import refused
from branchwise.web.protocol.rule_threads import check_budget, settle
from branchwise.web.search.line_messages import lines_of
from branchwise.web.search.result_messages import (
    NOTHING,
    children_told,
    joint_result,
    matrix_told,
    strategies_told,
    values_of_players,
)
from branchwise.web.search.searchers import Analyst, planner_settings
from branchwise.web.session.job_runner import Job, JobRunner, Listener
from branchwise.web.session.server_state import Server

if TYPE_CHECKING:
    from branchwise.search.results.result import SearchResult

DEFAULT_SECONDS = 1.0

_Body = TypeVar("_Body", bound=m.Request)
_Answer = TypeVar("_Answer")
_Endpoint = Callable[[Request], Awaitable[Response]]


class TooLargeError(BranchwiseError):
    """A body that is too large."""


class BusyError(BranchwiseError):
    """Too many searches are waiting."""


class _Ending(Listener):
    """Waits for the outcome of one search."""

    def __init__(self) -> None:
        self.outcome: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def on_end(self, job: Job, result: Any, error: BaseException | None) -> None:
        settle(self.outcome, result, error)


class Interface:
    """The endpoints below /api."""

    def __init__(self, server: Server, signer: Signer) -> None:
        self._server = server
        self._signer = signer
        self._waiting = 0
        self._working = 0

    def routes(self) -> list[Route]:
        """Return the routes."""
        game = "/api/games/{game:path}"
        return [
            Route("/api/schema", _with_errors(self.schema), methods=["GET"]),
            Route("/api/games", _with_errors(self.games), methods=["GET"]),
            Route(f"{game}/position", _with_errors(self.position), methods=["POST"]),
            Route(f"{game}/search", _with_errors(self.search), methods=["POST"]),
            Route(f"{game}/learning", _with_errors(self.learning), methods=["GET"]),
            Route(game, _with_errors(self.game), methods=["GET"]),
        ]

    async def schema(self, request: Request) -> Response:
        """Answer with the JSON schemas of all messages and bodies."""
        kinds: list[Any] = [*m.SaidByPage.__args__, *m.ToldByServer.__args__]
        bodies = [m.SearchRequest, m.PositionRequest, m.PositionAnswer, m.SearchAnswer, m.Problem, m.GameInfo]
        bodies.append(m.Learning)
        _, parts = msgspec.json.schema_components([*kinds, *bodies], ref_template="#/$defs/{name}")
        return _json({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": parts})

    async def games(self, request: Request) -> Response:
        """Answer with all games."""
        return _json(
            await self._server.rule_threads.do(lambda: [game.info for game in self._server.catalogue.games])
        )

    async def game(self, request: Request) -> Response:
        """Answer with one game, or variant."""
        return _json(await self._server.rule_threads.do(self._server.catalogue.describe, _name(request)))

    async def learning(self, request: Request) -> Response:
        """Answer with the trainings of a game."""
        game = await self._found(request)
        return _json(await self._worked_out(lambda: trainings_told(game.rules)))

    async def position(self, request: Request) -> Response:
        """Answer with a position: its board and its legal moves."""
        game = await self._found(request)
        body = await self._body(request, m.PositionRequest)

        def answer() -> m.PositionAnswer:
            position, paid = self._position(game, body, to_decision=game.hides)
            if not game.hides:
                return position_answer(game, position, self._signer.signed(position.state), paid)
            if body.viewer is not None and body.viewer >= game.rules.num_players:
                raise SettingsError(
                    f"{game.name} has no player {body.viewer}",
                    mend=f"players are 0 to {game.rules.num_players - 1}",
                )
            if position.played.is_over:
                return position_answer(game, position, None, paid)
            return seat_answer(game, position, body.viewer)

        return _json(await self._worked_out(answer))

    async def search(self, request: Request) -> Response:
        """Answer with the result of a search of a position."""
        game = await self._found(request)
        body = await self._body(request, m.SearchRequest)
        limits = self._server.limits
        most = min(limits.http_seconds, limits.seconds)
        if body.seconds is not None and body.seconds > most:
            raise SettingsError(
                f"{body.seconds:g} seconds are more than this server allows", mend=f"at most {most:g}"
            )
        position, _ = await self._worked_out(lambda: self._position(game, body, to_decision=True))
        settings = await self._worked_out(lambda: planner_settings(body.settings, game.rules))
        if self._waiting >= limits.waiting:
            raise BusyError("too many searches are waiting", mend="try again later")
        self._waiting += 1
        try:
            found = await self._searched(request, position.searched, settings, body, most)
        finally:
            self._waiting -= 1
        return _json(await self._server.rule_threads.do(_answer, game, position, found))

    async def _searched(
        self, request: Request, known: Any, settings: dict[str, Any], body: m.SearchRequest, most: float
    ) -> SearchResult:
        """Search, as one of the server's searches, until done or until the client has left.

        known : the state, or what the player to move knows.
        """
        seconds = body.seconds or (DEFAULT_SECONDS if body.simulations is None else most)
        analyst = Analyst(self._server.memory, lambda _: None, settings)
        ending = _Ending()
        done = ending.outcome
        job = Job(
            who="http",
            line=[],
            searcher=analyst,
            think=lambda news, tell: analyst.think(
                known, [], seconds, news, tell=tell, simulations=body.simulations
            ),
            stop=analyst.stop,
        )
        runner = JobRunner(self._server.slots, ending)
        gone: asyncio.Future[Any] = asyncio.ensure_future(_gone(request))
        runner.want(job)
        try:
            await asyncio.wait({done, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not done.done():
                raise BusyError("the client of this search has left")
            found: SearchResult = done.result()
            return found
        finally:
            gone.cancel()
            done.cancel()
            runner.want(None)
            await runner.ended()
            analyst.drop()

    async def _found(self, request: Request) -> OfferedGame:
        return await self._server.rule_threads.do(self._server.catalogue.find, _name(request))

    async def _worked_out(self, work: Callable[[], _Answer]) -> _Answer:
        """Return the result of `work` with the rules of a game."""
        if self._working >= self._server.limits.waiting:
            raise BusyError("too many positions are being computed", mend="try again later")
        self._working += 1
        try:
            return await self._server.rule_threads.do(work)
        finally:
            self._working -= 1

    async def _body(self, request: Request, kind: type[_Body]) -> _Body:
        if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
            raise SettingsError(
                "the body is not declared as JSON", mend="send content-type: application/json"
            )
        most = self._server.limits.message_bytes
        content = bytearray()
        async for part in request.stream():
            content += part
            if len(content) > most:
                raise TooLargeError(f"the body is larger than {most:,} bytes")
        try:
            return msgspec.json.decode(bytes(content) or b"{}", type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise SettingsError(
                f"the body cannot be read: {error}"[:500], mend="GET /api/schema describes it"
            ) from None

    def _position(
        self, game: OfferedGame, body: m.Request, *, to_decision: bool
    ) -> tuple[Position, list[float] | None]:
        """Return the position of a request, and the rewards paid so far if they are known."""
        rules = game.rules
        world = Random(body.seed)
        start = rules.new_initial_state(world)
        if body.state is not None:
            if game.hides:
                raise SettingsError(
                    f"{game.name} has hidden information, and a state does not tell what its players know",
                    mend="give all moves of the game",
                )
            if body.moves and not (is_simulator(rules) or starts_at_random(rules)):
                raise SettingsError("a position is given twice", mend="give moves or state")
            start = self._signer.opened(rules, body.state)
        position = asked_position(start, body.moves, world, to_decision=to_decision, hides=game.hides)
        return position, paid_so_far(position.played) if body.state is None else None


def _name(request: Request) -> str:
    name: str = request.path_params["game"]
    return name[:200]


async def _gone(request: Request) -> None:
    """Wait until the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _answer(game: OfferedGame, position: Position, found: SearchResult) -> m.SearchAnswer:
    lines = lines_of(found)
    joint = joint_result(found)
    return m.SearchAnswer(
        game=game.name,
        player=found.player,
        best_action=sent(found.best_action),
        best_move=lines.text((), sent(found.best_action)),
        value=m.finite(found.children[0].value) if joint is None else None,
        simulations=found.simulations,
        seconds=found.seconds,
        nodes=0 if found.ended_by == NOTHING else len(found.tree),
        ended_by=found.ended_by,
        memory_full=found.memory_full,
        seed=found.seed,
        children=children_told(found, lines),
        values=None if joint is None else values_of_players(joint, mirrored=False),
        strategies=strategies_told(joint, lines),
        matrix=matrix_told(joint, lines),
        drawn=position.outcomes(each_try=check_budget),
    )


def _with_errors(endpoint: _Endpoint) -> _Endpoint:
    """Answer errors in words, with a fitting status."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except ClientDisconnect:
            return Response(status_code=400)  # the client has left
        except Exception as error:
            told = refused(error, about=request.url.path)
            return _json(m.Problem(error=told.message, mend=told.mend), _status(error))

    return answer


def _status(error: Exception) -> int:
    kinds: list[tuple[type[Exception], int]] = [
        (UnknownNameError, 404),
        (TooLargeError, 413),
        (BusyError, 503),
        (GameError, 422),
        (BranchwiseError, 400),
    ]
    return next((status for kind, status in kinds if isinstance(error, kind)), 500)


def _json(content: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(content), status, media_type="application/json")
