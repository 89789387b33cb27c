"""Work with rules in plain Python: in threads outside the event loop, and within a budget.

A few bytes can request a position that takes the rules many seconds. No other client waits for it, and it is
abandoned when its budget is spent.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import ParamSpec, TypeVar

from branchwise.common.errors import GameError

BUDGET_SECONDS = 5.0
"""Processor time that one request may spend on rules."""
PATIENCE_SECONDS = 60.0
"""Seconds after which rules that do not end are abandoned."""
_THREADS = 4

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
_end: ContextVar[float | None] = ContextVar("end", default=None)


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
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_Result] = loop.create_future()

    def finish(result: Callable[[], object]) -> None:
        if not done.done():
            result()

    def run() -> None:
        try:
            found = work(*args, **kwargs)
        except BaseException as raised:
            error = raised if isinstance(raised, Exception) else RuntimeError(repr(raised))
            outcome: Callable[[], object] = partial(done.set_exception, error)
        else:
            outcome = partial(done.set_result, found)
        with suppress(RuntimeError):  # the server has ended
            loop.call_soon_threadsafe(finish, outcome)

    threading.Thread(target=run, name="branchwise-work", daemon=True).start()
    return await done


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
                doing = asyncio.ensure_future(in_thread(within_budget))
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
