"""Searching in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NoReturn

from branchwise.search.results.result import SearchResult


class RunningSearch:
    """A search in the background, as `MCTS.start` returns it.

    >>> import branchwise as bw
    >>> from branchwise.games.connect_four import ConnectFour
    >>> thinking = bw.MCTS(seed=1).start(ConnectFour(), simulations=50_000)
    >>> thinking.result().player
    0
    >>> thinking.wait().simulations, thinking.is_running
    (50000, False)
    """

    def __init__(
        self,
        search: Callable[[Callable[[Any], object]], SearchResult],
        stop: Callable[[], None],
        exclusive: AbstractContextManager[None],
    ) -> None:
        self._search = search
        self._stop = stop
        self._exclusive = exclusive
        self._changed = threading.Condition()
        self._wanted = 0
        self._snapshot: SearchResult | None = None
        self._final: SearchResult | None = None
        self._error: BaseException | None = None
        self._exclusive.__enter__()
        self._thread = threading.Thread(target=self._run, name="branchwise-search", daemon=True)
        self._thread.start()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a search under way cannot be copied or pickled; its result() can")

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def result(self) -> SearchResult:
        """Return the result so far, or the final one; waits for the simulations under way.

        While the search runs, the tree of the result keeps growing. Raises what the search raised.
        """
        with self._changed:
            self._wanted += 1
            self._snapshot = None
            self._changed.wait_for(lambda: self._snapshot is not None or not self._is_going_on)
            self._wanted -= 1
            if self._error is not None:
                raise self._error
            found = self._final if self._final is not None else self._snapshot
        assert found is not None
        return found

    def stop(self) -> SearchResult:
        """End the search and return its result."""
        self._stop()
        return self.wait()

    def wait(self, seconds: float | None = None) -> SearchResult:
        """Wait for the search to end, for at most `seconds`, and return the result so far."""
        self._thread.join(seconds)
        return self.result()

    @property
    def _is_going_on(self) -> bool:
        return self._final is None and self._error is None

    def _run(self) -> None:
        try:
            final = self._search(self._between)
        except BaseException as error:
            self._end(error=error)
        else:
            self._end(final)

    def _end(self, final: SearchResult | None = None, error: BaseException | None = None) -> None:
        self._exclusive.__exit__(None, None, None)
        with self._changed:
            self._final, self._error = final, error
            self._changed.notify_all()

    def _between(self, run: Any) -> None:
        if self._wanted:
            with self._changed:
                self._snapshot = run.result()
                _ = self._snapshot.tree  # keeps the tree as it is now
                self._changed.notify_all()
