"""One search at a time for a page: wanted, waiting for its place, searching, ended."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from branchwise.compile.progress import told_of_compiling
from branchwise.web.searchers import Searcher
from branchwise.web.slots import Slots

if TYPE_CHECKING:
    from branchwise.search.result import SearchResult

_log = logging.getLogger("branchwise.web")
_NUDGE = 0.02

Stage = str


@dataclass(eq=False)
class Job:
    """Something to think about.

    who : "bot", "hint" or "analysis".   line : moves that led to the position.   searcher : what thinks, and
    in whose memory.
    think : does it, in a thread: called with a function for the result so far and one for the stage.
    stop : ends it.   seconds : its limit, None if the page is not told of one.
    endless : whether it makes room for others that wait, and goes on later.   answers : id of the request.
    """

    who: str
    line: list[int]
    searcher: Searcher
    think: Callable[[Callable[[SearchResult], object], Callable[[Stage], object]], Any]
    stop: Callable[[], object]
    seconds: float | None = None
    endless: bool = False
    answers: int | None = None
    cancelled: bool = field(default=False, init=False)
    stopped: bool = field(default=False, init=False)
    made_room: bool = field(default=False, init=False)
    found: SearchResult | None = field(default=None, init=False)

    @property
    def ply(self) -> int:
        """Of the position."""
        return len(self.line)


class JobRunner:
    """Thinks about one job after another; a new one ends the one before.

    on_stage : told of a job and its stage.   on_news : of what it found so far.
    on_end : of what it came to, or what was raised, unless another job was wanted meanwhile; it is the one
    wanted until then, or until `settle`.   on_overtaken : told of a job whose place another has taken.
    """

    def __init__(
        self,
        slots: Slots,
        on_stage: Callable[[Job, Stage], object],
        on_news: Callable[[Job], object],
        on_end: Callable[[Job, Any, BaseException | None], Awaitable[object]],
        on_overtaken: Callable[[Job], object],
    ) -> None:
        self._slots = slots
        self._on_stage = on_stage
        self._on_news = on_news
        self._on_end = on_end
        self._on_overtaken = on_overtaken
        self._wanted: Job | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting: asyncio.Task[None] | None = None

    @property
    def job(self) -> Job | None:
        """What is wanted now."""
        return self._wanted

    @property
    def is_idle(self) -> bool:
        """Whether nothing is wanted, and nothing is still coming to its end."""
        return self._task is None

    def want(self, job: Job | None) -> None:
        """Think about `job` from now on, as soon as what was thought about before has ended."""
        before = self._wanted
        if before is not None:
            before.cancelled = True
            self._end(before)
        self._wanted = job
        if before is not None:
            self._on_overtaken(before)
        if job is not None and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def settle(self, job: Job) -> None:
        """Say that what `job` came to is known; another one no longer takes its place."""
        if job is self._wanted:
            self._wanted = None

    def stop(self) -> None:
        """Let the job come to its end with what it has; one that waits for its place is given up."""
        if self._wanted is not None:
            self._wanted.stopped = True
            self._end(self._wanted)

    async def ended(self) -> None:
        """Wait until nothing is searched any more."""
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
        if not self._slots.is_free:
            self._on_stage(job, "waiting")
        entered = self._slots.hold((lambda: self._make_room(job)) if job.endless else None)
        self._waiting = asyncio.ensure_future(entered.__aenter__())
        try:
            await asyncio.wait([self._waiting])
            if self._waiting.cancelled():
                await self._tell_end(job, None, None)
                return
            self._waiting = None
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
                await entered.__aexit__(None, None, None)
        finally:
            self._waiting = None
        if job is self._wanted and job.made_room and error is None and not job.stopped:
            job.made_room = False
            return  # its turn comes again
        await self._tell_end(job, result, error)

    async def _tell_end(self, job: Job, result: Any, error: BaseException | None) -> None:
        if job is not self._wanted:
            return
        try:
            await self._on_end(job, result, error)
        except Exception:
            _log.exception("the end of a search could not be told")
        finally:
            self.settle(job)

    def _make_room(self, job: Job) -> None:
        job.made_room = True
        job.stop()

    async def _in_thread(self, job: Job) -> Any:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()
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
            if now != stage or now == "compiling":  # which is told again with each estimate
                stage = now
                _call(loop, self._tell_stage, job, now)

        def finish(result: Any, error: BaseException | None) -> None:
            if done.done():
                return
            if error is None:
                done.set_result(result)
            else:
                done.set_exception(error)

        def work() -> None:
            result, error = None, None
            try:
                with told_of_compiling(lambda now: tell("searching" if now is None else "compiling")):
                    result = job.think(news, tell)
            except Exception as raised:
                error = raised
            except BaseException as raised:  # a rule that calls sys.exit
                error = RuntimeError(f"{type(raised).__name__}: {raised}")
            over.set()
            _call(loop, finish, result, error)

        threading.Thread(target=work, name=f"branchwise-{job.who}", daemon=True).start()
        try:
            while not done.done():
                await asyncio.wait([done], timeout=_NUDGE if ends() else 0.25)
                if ends() and not over.is_set():
                    job.stop()  # again and again: a search that has not begun yet does not hear it
        finally:
            if not done.done():
                job.cancelled = True
                job.stop()
        return done.result()

    def _take(self, job: Job, found: SearchResult) -> None:
        if job is self._wanted and not job.cancelled:
            job.found = found
            self._on_news(job)

    def _tell_stage(self, job: Job, stage: Stage) -> None:
        if job is self._wanted and not job.cancelled:
            self._on_stage(job, stage)


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *args: Any) -> None:
    """Call a function in the loop, unless the server has ended meanwhile."""
    try:
        loop.call_soon_threadsafe(function, *args)
    except RuntimeError:
        _log.debug("the server has ended before a search")
