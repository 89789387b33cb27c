"""Talking to an engine, from starting it to its best move."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping

from branchwise.errors import BranchwiseError, EngineError, SettingsError
from branchwise.ugi.language import Go, Info, Position
from branchwise.ugi.options import Option, find_option
from branchwise.ugi.program import LateError, Program

OVERTIME = 0.5
"""Seconds that an engine may think beyond its limit before it is sent `stop`."""

_SHOWN = 200
_FLUSH = "is it an engine that speaks UGI, and does it flush its output after every line? See docs/engines.md"


class Engine:
    """An engine that has been started and has identified itself.

    command, folder : the program, as in `Program`.   options : values for settings that the engine offers.
    patience : seconds to wait for any answer except a move.

    name : the engine's name.   options : its options, by name.   info : its last report on a search, remarks
    excluded.   Every fault raises `EngineError` and ends the program.
    """

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
        self._last = ""
        self._asked = "ugi"
        self._searching = False
        self._stopped = False
        self._stopping = threading.Lock()
        self.name = ""
        self.options: dict[str, Option] = {}
        self.info: Info | None = None
        self._program = Program(command, folder)
        try:
            self._shake_hands()
            for name, value in (options or {}).items():
                self._set(find_option(name, self.options), value)
            self._set_seed(seed)
            self._synchronise()
        except BaseException:
            self._program.end()
            raise

    @property
    def is_closed(self) -> bool:
        """Whether it was ended, by `close` or after a fault."""
        return self._program.is_closed

    def new_game(self) -> None:
        """Announce a new game."""
        self._ask("uginewgame")

    def search(self, position: Position, go: Go, patience: float, stopping: threading.Event) -> str:
        """Return the engine's word for the best move.

        patience : seconds to wait for the answer; half a second beyond its own limit the engine is sent
        `stop`.   stopping : if it is set already, the engine is sent `stop` at once.
        """
        self.info = None
        if self._searching:  # an earlier search was interrupted
            self.stop()
            self._answer("bestmove", self._patience)
            self._searching = False
        self._synchronise()
        self._said.clear()
        self._ask(position.line())
        self._stopped = False
        self._ask(go.line())
        self._searching = True
        if stopping.is_set():
            self.stop()
        soft = None if go.seconds is None else go.seconds + OVERTIME
        words = self._answer("bestmove", patience, soft)
        self._searching = False
        if len(words) < 2:
            raise self.illegal("answered bestmove without a move")
        return words[1]

    def stop(self) -> None:
        """Send `stop`, once, if a search is running; call it from any thread."""
        with self._stopping:
            if not self._searching or self._stopped:
                return
            self._stopped = True
        self._program.send("stop", patience=OVERTIME)

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

    def _shake_hands(self) -> None:
        self._ask("ugi")

        def take(words: list[str]) -> None:
            if words[:2] == ["id", "name"]:
                self.name = " ".join(words[2:])
            elif words[0] == "option":
                option = Option.read(words[1:])
                self.options[option.name] = option

        self._answer("ugiok", self._patience, take=take)

    def _set(self, option: Option, value: object) -> None:
        if option.kind == "button":
            self._ask(f"setoption name {option.name}")
        else:
            self._ask(f"setoption name {option.name} value {option.text_of(value)}")

    def _set_seed(self, seed: int | None) -> None:
        """Set the seed, within its range, if the engine has an option for it."""
        option = next((one for name, one in self.options.items() if name.lower() == "seed"), None)
        if seed is None or option is None:
            return
        low, high = option.span
        self._set(option, seed if low <= seed <= high else low + seed % (high - low + 1))

    def _synchronise(self) -> None:
        """Wait until it has read everything sent to it, and everything it wrote has been read."""
        self._ask("isready")
        self._answer("readyok", self._patience)

    def _ask(self, line: str) -> None:
        self._asked = line
        try:
            self._program.send(line, patience=self._patience)
        except EngineError:
            self._program.end()
            raise

    def _answer(
        self,
        wanted: str,
        patience: float,
        soft: float | None = None,
        take: Callable[[list[str]], None] | None = None,
    ) -> list[str]:
        """Read until a line that begins with `wanted`; return its words.

        soft : seconds after which it is sent `stop`.   take : receives all other lines.
        """
        began = time.monotonic()
        deadline = began + patience
        told = soft is None
        while True:
            due = deadline if told or soft is None else min(deadline, began + soft)
            words: list[str] = []
            try:
                words = self._program.read_line(due).split()
                if words and words[0] == wanted:
                    return words
                self._listen_to(words, take)
            except LateError:
                pass
            except BranchwiseError as error:
                self._program.end()
                raise self._with_context(error) from None
            if time.monotonic() >= due:
                if told:
                    raise self._late(patience)
                told = True
                self.stop()

    def _listen_to(self, words: list[str], take: Callable[[list[str]], None] | None) -> None:
        if not words:
            return
        if words[0] == "info":
            info = Info.read(words[1:])
            if info.text is None:
                self.info = info
            else:
                self._said.append(_short(info.text))
        elif words[0] not in ("id", "option", "readyok", "bestmove", "ugiok", "response"):
            self._last = _short(" ".join(words))
        if take is not None:
            take(words)

    def _with_context(self, error: BranchwiseError) -> BranchwiseError:
        """Add the last command, and the engine's remarks before it, to an error of the program."""
        if isinstance(error, SettingsError):
            return self.error(f"sent an invalid line: {error.problem}")
        error.problem += f', after the command "{_short(self._asked)}"'
        if self._said:
            error.problem += "; it said: " + " / ".join(self._said)
        return error

    def _late(self, patience: float) -> EngineError:
        wrote = f', but wrote "{self._last}"' if self._last else ""
        what = f'did not answer "{_short(self._asked)}" within {patience:g} s{wrote}'
        return self.error(what, mend=f"{_FLUSH}; patience=... waits longer")


def _short(text: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text[: _SHOWN + 1])
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
