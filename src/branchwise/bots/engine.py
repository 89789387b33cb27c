"""A bot that runs a separate program, in any language, through the Universal Game Interface."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from branchwise.bots.bot import Bot, check_not_over
from branchwise.bots.following import Follower, start_of
from branchwise.boxes import as_plain
from branchwise.errors import ActionError, EngineError, GameError, SettingsError
from branchwise.game import Game
from branchwise.ranges import number, whole_number
from branchwise.rules.facts import GameFacts, check_searchable, game_facts, legal_action
from branchwise.rules.playthrough import Playthrough
from branchwise.search.budget import MAX_SECONDS, least
from branchwise.search.clock import Clock
from branchwise.search.limit import Limit
from branchwise.ugi.client import Engine
from branchwise.ugi.language import Go, Info, Position
from branchwise.ugi.moves import NO_MOVE, move_word, state_word
from branchwise.ugi.options import STATES_OPTION
from branchwise.ugi.program import command_words, find_program

DEFAULT_SECONDS = 1.0
DEFAULT_PATIENCE = 50.0
"""Less than the arena's patience, so that its record of a silent engine shows the unanswered command."""


class EngineBot(Bot):
    """Plays the answers of a program; docs/engines.md describes the protocol.

    command : the program with its arguments, as typed in a shell; no shell reads it.   folder : its
    working directory; None: the current one.   seconds, nodes, depth : limits sent to it, any of them; the
    default is one second.
    clock, increment : seconds on the bot's clock for a whole game, and seconds that each move adds, in place
    of seconds.   options : values by name for settings that the program offers.   seed : sent to a program
    that has an option `seed`.   patience : seconds to wait for an answer; for a move, beyond its time.

    The first choice, or `new_game` before it, starts the program. `close` ends it, and so do its own faults
    and the end of this process. After a fault the next choice starts it again. Faults raise `EngineError`.

    >>> EngineBot(command="./my_engine --strong", seconds=0.1, options={"hash": 64})
    engine(command='./my_engine --strong',seconds=0.1,options={'hash':64})
    """

    name = "engine"

    info: Info | None = None
    """The program's last report on the search for its last move."""

    def __init__(
        self,
        *,
        command: str = "",
        seconds: float | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        clock: float | None = None,
        increment: float = 0.0,
        options: Mapping[str, object] | None = None,
        folder: str | None = None,
        patience: float = DEFAULT_PATIENCE,
        seed: int | None = None,
    ) -> None:
        _check(command, options, folder)
        number("seconds", 1 if seconds is None else seconds, 0.0, MAX_SECONDS, above=True)
        whole_number("nodes", nodes, 1, 2**53)
        whole_number("depth", depth, 1, 2**31 - 1)
        number("patience", patience, 0.0, MAX_SECONDS, above=True)
        whole_number("seed", seed, -(2**127), 2**127)
        if clock is not None:
            if seconds is not None:
                raise SettingsError("an engine has either a clock or seconds for each move")
            Clock(clock, increment)
        elif increment:
            raise SettingsError("increment is given without clock")
        self._has_own = any(given is not None for given in (seconds, nodes, depth, clock))
        if not self._has_own:
            seconds = DEFAULT_SECONDS
        self._command = command
        self._folder = folder
        self._limits = Go(seconds, nodes, depth)
        self._clock = self._remaining = clock
        self._increment = increment
        self._settings = dict(options or {})
        self._patience = patience
        self._seed = seed
        self._engine: Engine | None = None
        self._stopping = threading.Event()
        self._follower = Follower()
        self._is_new = True
        self._sent: Playthrough[Any] | None = None
        """The moves that the engine has been sent."""

        self._words: list[str] = []
        self._options: dict[str, object] = {
            "command": command,
            "seconds": None if self._limits == Go(DEFAULT_SECONDS) else seconds,
            "nodes": nodes,
            "depth": depth,
            "clock": clock,
            "increment": increment or None,
            "options": self._settings or None,
            "folder": folder,
            "patience": None if patience == DEFAULT_PATIENCE else patience,
            "seed": seed,
        }

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[Any] | None = None) -> Any:
        self._stopping.clear()
        facts = game_facts(state)
        check_not_over(state)
        check_searchable(state, facts)
        engine = self._started()
        began = time.perf_counter()
        go = self._go(facts, int(state.current_player()), limit)
        position = self._position(engine, state, facts, moves)
        longest = go.seconds or self._remaining or 0.0
        word = engine.search(position, go, longest + self._patience, self._stopping)
        try:
            action = legal_action(state, word)
        except ActionError as error:
            fault = engine.error if word == NO_MOVE else engine.illegal
            raise fault(
                f'answered "{word}", which is not a legal move',
                after=" ".join(position.moves) or position.state,
                mend=error.mend,
            ) from None
        self.info = engine.info
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

    def new_game(self) -> None:
        """Start the program, if it is not running, and let it forget the last game."""
        self._follower.forget()
        self._is_new = True
        self._remaining = self._clock
        self._started()

    def check_program(self) -> None:
        """Raise `EngineError` unless the program exists; does not start it."""
        find_program(self._command, self._folder)

    def close(self) -> None:
        """Ask the program to quit; end it if it does not within a second."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def options(self) -> dict[str, object]:
        return self._options

    def _started(self) -> Engine:
        if self._engine is None or self._engine.is_closed:
            self._is_new = True
            self._engine = Engine(
                self._command,
                folder=self._folder,
                options=self._settings,
                seed=self._seed,
                patience=self._patience,
            )
        return self._engine

    def _go(self, facts: GameFacts, player: int, limit: Limit | None) -> Go:
        """Return the limits of the next move; unknown clocks show the same as the bot's own."""
        go = self._limits if limit is None else self._within(limit)
        if self._remaining is None:
            return go
        shown = None if limit is None else limit.clock_of(player)
        clocks: tuple[float, ...] = (self._remaining,) * facts.num_players
        if limit is not None and shown is not None:
            (self._remaining, self._increment), clocks = shown, limit.clocks
        return replace(go, clocks=clocks, increments=(self._increment,) * len(clocks))

    def _within(self, limit: Limit) -> Go:
        """Return the bot's own limits, tightened by `limit`; the default second gives way to any limit."""
        own = self._limits
        if not self._has_own and (limit.seconds, limit.nodes, limit.depth) != (None, None, None):
            own = Go()
        return Go(
            least(own.seconds, limit.seconds), least(own.nodes, limit.nodes), least(own.depth, limit.depth)
        )

    def _position(self, engine: Engine, state: Any, facts: GameFacts, told: Sequence[Any] | None) -> Position:
        """Return the position line for `state`; announces a new game to the engine first, if one begins."""
        moves = self._follower.moves_to(state, told)
        sent = self._sent
        goes_on = (
            moves is not None and sent is not None and moves[: sent.ply] == list(map(as_plain, sent.actions))
        )
        if self._is_new or not goes_on:
            sent = self._sent = None
            self._words = []
            if self._is_new or moves is not None:
                engine.new_game()
            self._is_new = False
        if moves is not None:
            sent = sent or Playthrough(start_of(state))
            for action in moves[sent.ply :]:
                self._words.append(move_word(sent.state, action))
                sent.play(action)
            self._sent = sent
            return Position(tuple(self._words))
        if isinstance(state, Game) and STATES_OPTION in engine.options:
            return Position(state=state_word(state))
        raise GameError(
            f"the moves that led to this {facts.name} position are unknown, and the engine "
            f'"{self._command}" needs them',
            mend="let the bot follow the game from its start, or give choose the moves",
        )


def _check(command: object, options: object, folder: object) -> None:
    """Raise `SettingsError` unless these are valid for `EngineBot`."""
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
