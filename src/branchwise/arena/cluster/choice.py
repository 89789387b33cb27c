"""Choosing what plays the games of a block of code: processes of this machine, or an engine such as Ray.

This module is quick to import.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING

from branchwise.common.errors import MatchError

if TYPE_CHECKING:
    from branchwise.arena.cluster.engine import Engine

_current: ContextVar[Engine | None] = ContextVar("engine", default=None)


def current_engine() -> Engine | None:
    """Return the engine that plays games here; None: the processes of this machine do."""
    return _current.get()


@contextmanager
def on_executor(executor: str | Executor | None = None) -> Iterator[None]:
    """Let an engine play all games that begin in the block: of matches, tournaments, sweeps, tuning, levels.

    executor : "ray" or "dask", which start on this machine and end with the block; "ray=auto",
    "ray=ray://HOST:PORT" or "dask=tcp://HOST:PORT", which must be there; any object whose `submit` gives
    `concurrent.futures.Future`s, which stays open; or None: the processes of this machine, as without a
    block.

    The games are the same on every engine. The runs of `compare` are distributed, too. Raises `SettingsError`
    for an engine that is not known or not installed, and `MatchError` for one that cannot be reached.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> import branchwise as bw
    >>> with ThreadPoolExecutor(2) as threads, bw.on_executor(threads):
    ...     result = bw.Match("tic_tac_toe", ["random", "random"], games=4, seed=1).run()
    >>> len(result.records)
    4
    """
    if executor is None:
        yield
        return
    from branchwise.arena.cluster.engine import answer, opened_engine

    engine = opened_engine(executor)
    token = _current.set(engine)
    try:
        yield
    finally:
        _current.reset(token)
        with suppress(MatchError):  # an engine that does not answer may hold what it holds
            answer(engine.name, engine.close)
