"""What all bots have in common that run a separate program, whatever protocol it speaks."""

from __future__ import annotations

import re
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any, ClassVar, Generic, TypedDict, TypeVar

from branchwise.bots.base.bot import Bot, check_not_over
from branchwise.bots.base.moves_between_states import Follower, start_of
from branchwise.common.argument_checks import number, whole_number
from branchwise.common.errors import ActionError, EngineError, GameError, SettingsError
from branchwise.engines.conversation import Conversation
from branchwise.engines.program import command_words, find_program
from branchwise.game.kinds.continuous_actions import as_plain
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, check_searchable, game_facts
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.search.settings.budget import MAX_SECONDS
from branchwise.search.settings.clock import Clock
from branchwise.search.settings.move_limit import Limit

DEFAULT_PATIENCE = 50.0
"""Less than the arena's patience, so that its record of a silent engine shows the unanswered command."""

_INTERPRETER = re.compile(r"(python|perl|ruby|node|java|bash|sh)[\d.]*")
"""Programs that run the script named by their first argument."""

EngineT = TypeVar("EngineT", bound=Conversation)
WordT = TypeVar("WordT")


class ProgramOptions(TypedDict, total=False):
    """The options of all bots that run programs."""

    command: str
    seconds: float | None
    clock: float | None
    increment: float
    options: Mapping[str, object] | None
    folder: str | None
    patience: float
    seed: int | None


class ProgramBot(Bot, Generic[EngineT, WordT]):
    """Plays the answers of a program; a subclass speaks its protocol, in which a move is a `WordT`.

    The first choice, or `new_game` before it, starts the program. `close` ends it, and so do its own faults
    and the end of this process. After a fault the next choice starts it again. Faults raise `EngineError`.
    """

    engine_type: ClassVar[Callable[..., Any]]
    """The `Conversation` of the protocol."""

    def __init__(
        self,
        others: Mapping[str, object],
        *,
        command: str = "",
        seconds: float | None = None,
        clock: float | None = None,
        increment: float = 0.0,
        options: Mapping[str, object] | None = None,
        folder: str | None = None,
        patience: float = DEFAULT_PATIENCE,
        seed: int | None = None,
    ) -> None:
        """Prepare; others : options that only this protocol has, None for those left out."""
        _check(command, options, folder)
        number("seconds", 1 if seconds is None else seconds, 0.0, MAX_SECONDS, above=True)
        number("patience", patience, 0.0, MAX_SECONDS, above=True)
        whole_number("seed", seed, -(2**127), 2**127, optional=True)
        if clock is not None:
            if seconds is not None:
                raise SettingsError("an engine has either a clock or seconds for each move")
            Clock(clock, increment)
        elif increment:
            raise SettingsError("increment is given without clock")
        self._command = command
        self._folder = folder
        self._clock = self._remaining = clock
        self._increment = increment
        self._settings = dict(options or {})
        self._patience = patience
        self._seed = seed
        self._engine: EngineT | None = None
        self._stopping = threading.Event()
        self._follower = Follower()
        self._checked: type[Game] | None = None
        """The game that was checked last."""

        self._is_new = True
        """Whether the engine must be sent a new game."""

        self._sent: Playthrough[Any] | None = None
        """The moves that the engine has been sent."""

        self._words: list[WordT] = []
        self._options: dict[str, object] = {
            "command": command,
            "seconds": seconds,
            **others,
            "clock": clock,
            "increment": increment or None,
            "options": self._settings or None,
            "folder": folder,
            "patience": None if patience == DEFAULT_PATIENCE else patience,
            "seed": seed,
        }

    @classmethod
    def option_names(cls) -> list[str]:
        own = [name for name in super().option_names() if name != "common"]
        return [*ProgramOptions.__annotations__, *own]

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[Any] | None = None) -> Any:
        self._stopping.clear()
        facts = game_facts(state)
        check_not_over(state)
        check_searchable(state, facts)
        if isinstance(state, Game) and type(state) is not self._checked:
            self.check_game(type(state))
            self._checked = type(state)
        engine = self._started()
        began = time.perf_counter()
        action = self._answer(engine, state, facts, limit, moves)
        self._follower.note(action)
        if self._remaining is not None:
            spent = time.perf_counter() - began
            self._remaining = max(self._remaining - spent, 0.0) + self._increment
        return action

    def stop(self) -> None:
        self._stopping.set()
        engine = self._engine
        if engine is not None:
            with suppress(EngineError):  # `choose` reports the fault
                engine.stop()

    def abandon(self) -> None:
        self._stopping.set()
        engine = self._engine
        if engine is not None:
            engine.kill()

    def new_game(self) -> None:
        """Start the program, if it is not running, and let it forget the last game."""
        self._follower.forget()
        self._is_new = True
        self._remaining = self._clock
        self._started()

    def check_program(self) -> None:
        """Raise `EngineError` unless the program exists; does not start it."""
        find_program(self._command, self._folder)

    @property
    def program_name(self) -> str:
        """The name of the program without its folder and its arguments; of a script, the script's."""
        program, *arguments = command_words(self._command)
        scripts = [word for word in arguments if not word.startswith("-")]
        runs_script = _INTERPRETER.fullmatch(PurePath(program).name) is not None
        return PurePath(scripts[0] if runs_script and scripts else program).name

    def close(self) -> None:
        """Ask the program to quit; end it if it does not within a second."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def options(self) -> dict[str, object]:
        return self._options

    @abstractmethod
    def _answer(
        self, engine: EngineT, state: Any, facts: GameFacts, limit: Limit | None, told: Sequence[Any] | None
    ) -> Any:
        """Return the program's move in `state`; told : as the moves of `choose`."""

    @abstractmethod
    def _word(self, state: Any, action: Any) -> WordT:
        """Return a legal action as the program reads it."""

    def _started(self) -> EngineT:
        if self._engine is None or self._engine.is_closed:
            self._is_new = True
            self._engine = self.engine_type(
                self._command,
                folder=self._folder,
                options=self._settings,
                seed=self._seed,
                patience=self._patience,
            )
        assert self._engine is not None
        return self._engine

    def _clocks(self, facts: GameFacts, player: int, limit: Limit | None) -> tuple[float, ...]:
        """Return the seconds left for each player; empty without clocks.

        Unknown clocks show the same as the bot's own, and those of `limit` replace it.
        """
        if self._remaining is None:
            return ()
        shown = None if limit is None else limit.clock_of(player)
        if limit is None or shown is None:
            return (self._remaining,) * facts.num_players
        self._remaining, self._increment = shown
        return limit.clocks

    def _words_to(self, state: Any, told: Sequence[Any] | None) -> tuple[list[WordT] | None, bool]:
        """Return the moves that lead to `state` as words, None if they are not known.

        Also returns whether they continue those that the program has been sent.
        """
        moves = self._follower.moves_to(state, told)
        sent = self._sent
        goes_on = moves is not None and sent is not None and _plain(moves[: sent.ply]) == _plain(sent.actions)
        if self._is_new or not goes_on:
            sent = self._sent = None
            self._words = []
            goes_on = False
        if moves is None:
            return None, False
        sent = sent or Playthrough(start_of(state))
        for action in moves[sent.ply :]:
            self._words.append(self._word(sent.state, action))
            sent.play(action)
        self._sent = sent
        return self._words, goes_on

    def _legal(self, engine: EngineT, word: str, read: Callable[[str], Any], after: str | None) -> Any:
        """Return the legal action that the program answered; raises `EngineError` if it is none.

        read : returns the action that a word names, or raises `ActionError`.   after : the position.
        """
        try:
            return read(word)
        except ActionError as error:
            raise engine.illegal(
                f'answered "{word}", which is not a legal move', after=after, mend=error.mend
            ) from None

    def _unknown_moves(self, facts: GameFacts) -> GameError:
        return GameError(
            f"the moves that led to this {facts.name} position are unknown, and the engine "
            f'"{self._command}" needs them',
            mend="let the bot follow the game from its start, or give choose the moves",
        )


def _plain(actions: Sequence[Any]) -> list[Any]:
    return [as_plain(action) for action in actions]


def _check(command: object, options: object, folder: object) -> None:
    """Raise `SettingsError` unless these are valid for a `ProgramBot`."""
    if not isinstance(command, str):
        raise SettingsError(f"command = {command!r} is not a text", mend='command="./my_engine --options"')
    command_words(command)
    if folder is not None and not isinstance(folder, str):
        raise SettingsError(f"folder = {folder!r} is not a text")
    plain = isinstance(options, Mapping) and all(
        isinstance(name, str) and isinstance(value, str | int | float) for name, value in options.items()
    )
    if options is not None and not plain:
        raise SettingsError(
            f"options = {options!r} are not names with values", mend="write options={'hash':64,'book':False}"
        )
