"""One search at a time for a page: requested, waiting for a place, searching, ended."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from branchwise.compile.code.progress import Compiling, told_of_compiling
from branchwise.web.protocol.action_codes import Sent
from branchwise.web.protocol.rule_threads import started
from branchwise.web.search.searchers import Searcher
from branchwise.web.session.search_slots import Slots

if TYPE_CHECKING:
    from branchwise.search.results.result import SearchResult

_log = logging.getLogger("branchwise.web")
_NUDGE = 0.02

Stage = str


@dataclass(eq=False)
class Job:
    """A search to make.

    who : "bot", "hint" or "analysis".   line : moves that led to the position.   ply : number of moves before
    it, as the page counts them.   searcher : the searcher, whose memory the search uses.
    think : runs the search in a thread; called with a function for the result so far and one for the stage.
    stop : ends it.   seconds : its limit; None if the page shows none.
    endless : whether it makes room for waiting searches, and continues later.   answers : id of the request.
    players : the players for whom a bot chooses.
    """

    who: str
    line: list[Sent]
    searcher: Searcher
    think: Callable[[Callable[[SearchResult], object], Callable[[Stage], object]], Any]
    stop: Callable[[], object]
    seconds: float | None = None
    endless: bool = False
    answers: int | None = None
    ply: int = 0
    players: tuple[int, ...] = ()
    cancelled: bool = field(default=False, init=False)
    stopped: bool = field(default=False, init=False)
    made_room: bool = field(default=False, init=False)
    found: SearchResult | None = field(default=None, init=False)


class Listener:
    """Is told about the jobs of a `JobRunner`; ignores what its class does not override."""

    def on_stage(self, job: Job, stage: Stage) -> None:
        """A job has come to a stage."""

    def on_news(self, job: Job) -> None:
        """A job has a new result so far."""

    async def on_end(self, job: Job, result: Any, error: BaseException | None) -> None:
        """A job has ended, with its result or its exception, and no other was requested meanwhile.

        The job remains the current one until this is done, or until `settle`.
        """

    def on_overtaken(self, job: Job) -> None:
        """Another job has replaced this one."""

    def on_compiling(self, job: Job, now: Compiling | None) -> None:
        """The compile of a job has begun, or goes on; None: it has ended, perhaps after the job."""


class JobRunner:
    """Runs one job after another, and tells `listener`; a new job ends the previous one."""

    def __init__(self, slots: Slots, listener: Listener) -> None:
        self._slots = slots
        self._listener = listener
        self._wanted: Job | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting: asyncio.Task[None] | None = None

    @property
    def job(self) -> Job | None:
        """The current job."""
        return self._wanted

    @property
    def is_idle(self) -> bool:
        """Whether there is no job, and none is still ending."""
        return self._task is None

    def want(self, job: Job | None) -> None:
        """Make `job` the current job; it starts as soon as the previous one has ended."""
        before = self._wanted
        if before is not None:
            before.cancelled = True
            self._end(before)
        self._wanted = job
        if before is not None:
            self._listener.on_overtaken(before)
        if job is not None and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def settle(self, job: Job) -> None:
        """Mark the result of `job` as delivered; a new job no longer replaces it."""
        if job is self._wanted:
            self._wanted = None

    def stop(self) -> None:
        """End the job with its result so far; a job that waits for a place is dropped."""
        if self._wanted is not None:
            self._wanted.stopped = True
            self._end(self._wanted)

    async def ended(self) -> None:
        """Wait until no search is running."""
        while self._task is not None:
            await asyncio.wait([self._task])

    def _end(self, job: Job) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        job.stop()

    async def _run(self) -> None:
        try:
            while self._wanted is not None:
                job = self._wanted
                await self._do(job)
        finally:
            self._task = None

    async def _do(self, job: Job) -> None:
        result, error = None, None
        place = self._slots.hold((lambda: self._make_room(job)) if job.endless else None)
        if self._slots.is_free:
            await place.__aenter__()
        else:
            self._listener.on_stage(job, "waiting")
            if not await self._is_let_in(place):
                await self._tell_end(job, None, None)
                return
        try:
            if not job.cancelled:
                job.searcher.begin()
                try:
                    result = await self._in_thread(job)
                except Exception as raised:
                    error = raised
                finally:
                    job.searcher.rest()
        finally:
            await place.__aexit__(None, None, None)
        if job is self._wanted and job.made_room and error is None and not job.stopped:
            job.made_room = False
            return  # it continues later
        await self._tell_end(job, result, error)

    async def _is_let_in(self, place: AbstractAsyncContextManager[None]) -> bool:
        """Wait for a place; return whether it came before the job was stopped."""
        entering = asyncio.ensure_future(place.__aenter__())
        self._waiting = entering
        try:
            await asyncio.wait([entering])
        finally:
            self._waiting = None
        return not entering.cancelled()

    async def _tell_end(self, job: Job, result: Any, error: BaseException | None) -> None:
        if job is not self._wanted:
            return
        try:
            await self._listener.on_end(job, result, error)
        except Exception:
            _log.exception("the end of a search could not be reported")
        finally:
            self.settle(job)

    def _make_room(self, job: Job) -> None:
        job.made_room = True
        job.stop()

    async def _in_thread(self, job: Job) -> Any:
        loop = asyncio.get_running_loop()
        over = threading.Event()
        stage = ""

        def ends() -> bool:
            return job.cancelled or job.stopped or job.made_room

        def news(found: SearchResult) -> None:
            if ends():
                job.stop()
            if not job.cancelled:
                _call(loop, self._take, job, found)

        def tell(now: Stage) -> None:
            nonlocal stage
            if now != stage:
                stage = now
                _call(loop, self._tell_stage, job, now)

        def hear(compiling: Compiling | None) -> None:
            _call(loop, self._listener.on_compiling, job, compiling)
            waits = compiling is not None and not compiling.meanwhile
            tell("compiling" if waits else "searching")

        def work() -> Any:
            try:
                with told_of_compiling(hear):
                    return job.think(news, tell)
            finally:
                over.set()

        done = started(job.who, work)
        try:
            while not done.done():
                await asyncio.wait([done], timeout=_NUDGE if ends() else 0.25)
                if ends() and not over.is_set():
                    job.stop()  # repeatedly, since a search that has not started yet ignores it
        finally:
            if not done.done():
                job.cancelled = True
                job.stop()
        return done.result()

    def _take(self, job: Job, found: SearchResult) -> None:
        if job is self._wanted and not job.cancelled:
            job.found = found
            self._listener.on_news(job)

    def _tell_stage(self, job: Job, stage: Stage) -> None:
        if job is self._wanted and not job.cancelled:
            self._listener.on_stage(job, stage)


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *args: Any) -> None:
    """Call a function in the loop, unless the server has ended meanwhile."""
    try:
        loop.call_soon_threadsafe(function, *args)
    except RuntimeError:
        _log.debug("the server ended before a search")
