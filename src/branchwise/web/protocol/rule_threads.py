"""Work with rules in plain Python: in threads outside the event loop, and within a budget.

A few bytes can request a position that takes the rules many seconds. No other client waits for it, and it is
abandoned when its budget is spent.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import Any, ParamSpec, TypeVar

from branchwise.common.errors import GameError

BUDGET_SECONDS = 5.0
"""Processor time that one request may spend on rules."""
PATIENCE_SECONDS = 60.0
"""Seconds after which rules that do not end are abandoned."""
_THREADS = 4

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
_end: ContextVar[float | None] = ContextVar("end", default=None)
_tasks: set[asyncio.Task[None]] = set()


class BudgetError(GameError):
    """A position that takes the rules too long to compute."""


def check_budget() -> None:
    """Raise `BudgetError` if the current work has spent its budget; call it between moves."""
    end = _end.get()
    if end is not None and time.thread_time() > end:
        raise BudgetError(
            f"the rules need more than {BUDGET_SECONDS:g} s to compute this position",
            mend="ask for fewer moves, or for a smaller board",
        )


async def in_thread(work: Callable[_Given, _Result], *args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
    """Return the result of `work`, run in its own thread, which may still run at the end."""
    return await started("work", partial(work, *args, **kwargs))


def started(name: str, work: Callable[[], _Result]) -> asyncio.Future[_Result]:
    """Start `work` in its own thread, which may still run at the end; return the future of its result."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_Result] = loop.create_future()

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as raised:
            error = raised
        except BaseException as raised:  # a rule that calls sys.exit
            error = RuntimeError(f"{type(raised).__name__}: {raised}")
        with suppress(RuntimeError):  # the server has ended
            loop.call_soon_threadsafe(settle, done, result, error)

    threading.Thread(target=run, name=f"branchwise-{name}", daemon=True).start()
    return done


def settle(done: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    """Give a future its result or its error, unless nobody waits for it any more."""
    if done.done():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)


def begin_task(doing: Coroutine[Any, Any, None]) -> None:
    """Start a task that nobody waits for, and keep it until it ends, which the event loop does not."""
    task = asyncio.get_running_loop().create_task(doing)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


class RuleThreads:
    """Threads that work with rules, each for one request at a time.

    >>> async def example():
    ...     return await RuleThreads().do(sum, [1, 2])
    >>> asyncio.run(example())
    3
    """

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(_THREADS)
        self.busy = 0
        """The number of tasks that are running or waiting for a thread."""

    async def do(
        self, work: Callable[_Given, _Result], *args: _Given.args, **kwargs: _Given.kwargs
    ) -> _Result:
        """Return the result of `work`. A cancellation takes effect only when the work has ended.

        Raises `BudgetError` if the budget is spent, or if rules do not end at all.
        """

        def within_budget() -> _Result:
            _end.set(time.thread_time() + BUDGET_SECONDS)
            return work(*args, **kwargs)

        self.busy += 1
        try:
            async with self._free:
                doing = started("work", within_budget)
                try:
                    done, _ = await asyncio.wait([doing], timeout=PATIENCE_SECONDS)
                except asyncio.CancelledError:
                    await asyncio.wait([doing], timeout=PATIENCE_SECONDS)
                    raise
                if not done:
                    raise BudgetError(
                        f"the rules have not ended within {PATIENCE_SECONDS:g} s",
                        mend="branchwise check GAME finds where they do not end",
                    )
                return doing.result()
        finally:
            self.busy -= 1
