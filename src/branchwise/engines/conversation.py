"""A conversation with a program, whatever protocol it speaks: questions, answers in time, and faults.

A protocol's client derives from `Conversation`, begins with `_begin`, sends with `_ask`, and reads with
`_lines`. Every fault raises `EngineError` with the last question and what the program said, and ends the
program.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping
from typing import ClassVar

from branchwise.common.errors import BranchwiseError, EngineError
from branchwise.engines.program import LateError, Program

OVERTIME = 0.5
"""Seconds that an engine may think beyond its limit before it is asked to stop."""

_SHOWN = 200


class Conversation(ABC):
    """A program that has been started, and has got its settings.

    command, folder : the program, as in `Program`.   options : the program's settings by name.   seed : sent
    to a program that takes one.   patience : seconds to wait for any answer except a move.
    """

    protocol: ClassVar[str]
    """Its name, for errors."""

    def __init__(
        self,
        command: str,
        *,
        folder: str | None = None,
        options: Mapping[str, object] | None = None,
        seed: int | None = None,
        patience: float,
    ) -> None:
        self._patience = patience
        self._said: deque[str] = deque(maxlen=5)
        """Its last remarks."""

        self._last = ""
        """The last line that was no answer."""

        self._asked = ""
        self._searching = False
        self._stopped = False
        self._stopping = threading.Lock()
        self._program = Program(command, folder)
        try:
            self._begin(options or {}, seed)
        except BaseException:
            self._program.end()
            raise

    @abstractmethod
    def _begin(self, options: Mapping[str, object], seed: int | None) -> None:
        """Let the program introduce itself, and send it its settings."""

    @property
    def is_closed(self) -> bool:
        """Whether it was ended, by `close` or after a fault."""
        return self._program.is_closed

    @property
    def command(self) -> str:
        return self._program.command

    def stop(self) -> None:
        """Ask it to answer at once, if it is choosing a move; call it from any thread."""
        with self._stopping:
            if not self._searching or self._stopped:
                return
            self._stopped = True
        line = self._stop_line()
        if line is not None:
            self._program.send(line, patience=OVERTIME)

    def error(self, problem: str, *, mend: str | None = None, after: str | None = None) -> EngineError:
        """Return the error for a fault of the engine, with its last remarks; ends the engine."""
        if self._said:
            problem += "; it said: " + " / ".join(self._said)
        error = self._program.error(problem, mend=mend, after=after)
        self._program.end()
        return error

    def illegal(self, problem: str, *, mend: str | None = None, after: str | None = None) -> EngineError:
        """Return the `error` for an answer that is no legal move, marked as illegal."""
        error = self.error(problem, mend=mend, after=after)
        error.illegal = True
        return error

    def close(self) -> None:
        """Send `quit`, and end it if it does not comply."""
        self._program.end("quit")

    def kill(self) -> None:
        """Kill it, from any thread; a question that it has not answered raises `EngineError`."""
        self._program.kill()

    def _stop_line(self) -> str | None:
        """Return the line that ends a search, None if the program knows none."""
        return None

    def _ask(self, line: str) -> None:
        self._asked = line
        try:
            self._program.send(line, patience=self._patience)
        except EngineError:
            self._program.end()
            raise

    def _lines(self, patience: float, soft: float | None = None) -> Iterator[str]:
        """Yield its lines until the caller has its answer; raises `EngineError` after `patience` seconds.

        soft : seconds after which it is asked to stop.
        """
        began = time.monotonic()
        deadline = began + patience
        told = soft is None
        while True:
            due = deadline if told or soft is None else min(deadline, began + soft)
            line = None
            try:
                line = self._program.read_line(due)
            except LateError:
                pass
            except BranchwiseError as error:
                self._program.end()
                raise self._with_context(error) from None
            if line is not None:
                yield line
            if time.monotonic() >= due:
                if told:
                    raise self._late(patience)
                told = True
                self.stop()

    def _note(self, line: str) -> None:
        """Keep a line that was no answer, for errors."""
        self._last = short(line)

    def _with_context(self, error: BranchwiseError) -> BranchwiseError:
        """Add the last command, and the engine's remarks before it, to an error of the program."""
        error.problem += f', after the command "{short(self._asked)}"'
        if self._said:
            error.problem += "; it said: " + " / ".join(self._said)
        return error

    def _late(self, patience: float) -> EngineError:
        wrote = f', but wrote "{self._last}"' if self._last else ""
        what = f'did not answer "{short(self._asked)}" within {patience:g} s{wrote}'
        return self.error(
            what,
            mend=f"is it an engine that speaks {self.protocol}, and does it flush its output after every "
            "line? See docs/engines.md; patience=... waits longer",
        )


def short(text: str) -> str:
    """Return a text without control characters, and cut if it is long."""
    shown = "".join(c if c.isprintable() else " " for c in text[: _SHOWN + 1])
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
