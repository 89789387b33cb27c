"""Talking to an engine by UGI or UCI, from starting it to its best move."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import ClassVar

from branchwise.common.errors import SettingsError
from branchwise.engines.conversation import OVERTIME, Conversation, short
from branchwise.engines.ugi.language import UCI, UGI, Dialect, Go, Info, Position
from branchwise.engines.ugi.options import Option, find_option


class Engine(Conversation):
    """An engine that has been started and has identified itself.

    The arguments are those of `Conversation`; options : values for settings that the engine offers.

    name : the engine's name.   options : its options, by name.   info : its last report on a search, remarks
    excluded.   Every fault raises `EngineError` and ends the program.
    """

    dialect: ClassVar[Dialect] = UGI
    protocol = dialect.name
    name = ""
    info: Info | None = None

    def _begin(self, options: Mapping[str, object], seed: int | None) -> None:
        self.options: dict[str, Option] = {}
        self._shake_hands()
        for name, value in options.items():
            self._set(find_option(name, self.options), value)
        self._set_seed(seed)
        self._synchronise()

    def new_game(self) -> None:
        """Announce a new game."""
        self._ask(self.dialect.new_game)

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
        self._ask(go.line(self.dialect))
        self._searching = True
        if stopping.is_set():
            self.stop()
        soft = None if go.seconds is None else go.seconds + OVERTIME
        words = self._answer("bestmove", patience, soft)
        self._searching = False
        if len(words) < 2:
            raise self.illegal("answered bestmove without a move")
        return words[1]

    def _stop_line(self) -> str:
        return "stop"

    def _shake_hands(self) -> None:
        self._ask(self.dialect.hello)

        def take(words: list[str]) -> None:
            if words[:2] == ["id", "name"]:
                self.name = " ".join(words[2:])
            elif words[0] == "option":
                option = Option.read(words[1:])
                self.options[option.name] = option

        self._answer(self.dialect.hello_end, self._patience, take=take)

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
        for line in self._lines(patience, soft):
            words = line.split()
            if words and words[0] == wanted:
                return words
            try:
                self._listen_to(words, take)
            except SettingsError as error:
                raise self.error(f"sent an invalid line: {error.problem}") from None
        raise AssertionError("the lines of a program end by an error")

    def _listen_to(self, words: list[str], take: Callable[[list[str]], None] | None) -> None:
        if not words:
            return
        if words[0] == "info":
            info = Info.read(words[1:])
            if info.text is not None:
                self._said.append(short(info.text))
            elif info.rank in (None, 1):
                self.info = info
        elif words[0] not in ("id", "option", "readyok", "bestmove", self.dialect.hello_end, "response"):
            self._note(" ".join(words))
        if take is not None:
            take(words)


class UciEngine(Engine):
    """The same for a chess program, which speaks UCI."""

    dialect = UCI
    protocol = dialect.name
