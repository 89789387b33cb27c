"""A bot that is a Go program, or one for another board game, by the Go Text Protocol."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Unpack

from branchwise.bots.programs.program import ProgramBot, ProgramOptions
from branchwise.common.errors import ResignedError, SettingsError
from branchwise.engines.gtp.board import Board
from branchwise.engines.gtp.client import GtpEngine
from branchwise.engines.gtp.language import COLOURS, PASS, RESIGN, Play
from branchwise.engines.two_players import base_name, check_two_players
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.settings.budget import least
from branchwise.search.settings.move_limit import Limit


class GtpBot(ProgramBot[GtpEngine, Play]):
    """Plays the answers of a program that speaks GTP, such as GNU Go; docs/engines.md has examples.

    command : the program with its arguments, as typed in a shell; no shell reads it.   folder : its
    working directory; None: the current one.
    seconds : for each move, in whole seconds unless the program takes fractions; the default is the
    match's limit, else the program's own.   clock, increment : seconds on the bot's clock for a whole
    game, and seconds that each move adds, in place of seconds.   times : whether these are sent; without
    them the program's own settings limit its time.
    options : commands of the program by name, each sent once with its value: {"level": 5}.   game : the
    game's name for the program; None: its own.   skips_i : whether columns leave out the letter I, as GTP
    has it. seed : sent to a program that knows `set_random_seed`.   patience : seconds to wait for an
    answer; for a move, beyond its time.

    Player 0 is black. A move that is a cell of the board is sent as its point, any other as its text. The
    program is sent the size of the board, and the constant `komi` if the game has one. A program that
    resigns raises `ResignedError`, its faults raise `EngineError`.

    >>> GtpBot(command="gnugo --mode gtp", options={"level": 5})
    gtp(command='gnugo --mode gtp',options={'level':5})
    """

    name = "gtp"

    engine_type = GtpEngine

    def __init__(
        self,
        *,
        times: bool = True,
        game: str | None = None,
        skips_i: bool = True,
        **common: Unpack[ProgramOptions],
    ) -> None:
        shown = {"times": None if times else False, "game": game, "skips_i": None if skips_i else False}
        super().__init__(shown, **common)
        for name, value in (("times", times), ("skips_i", skips_i)):
            if not isinstance(value, bool):
                raise SettingsError(f"{name} = {value!r} is neither True nor False")
        if game is not None and not isinstance(game, str):
            raise SettingsError(f"game = {game!r} is not a text")
        self._seconds = common.get("seconds")
        self._times = times
        self._game_name = game
        self._skips_i = skips_i
        self._board: Board | None = None
        self._played: type[Game] | None = None
        """The game that the board is of."""

    def check_game(self, game: type[Game]) -> None:
        check_two_players(game)
        Board(game, skips_i=self._skips_i)

    def _answer(
        self, engine: GtpEngine, state: Any, facts: GameFacts, limit: Limit | None, told: Sequence[Any] | None
    ) -> int:
        player = int(state.current_player())
        board = self._board_of(state)
        words, _ = self._words_to(state, told)
        if words is None:
            raise self._unknown_moves(facts)
        if self._is_new:
            engine.set_game(self._game_name or base_name(type(state)))
            engine.new_game(board.columns, board.rows, getattr(state, "komi", None))
            self._is_new = False
        forced = self._forced_pass(board, state)
        if forced is not None:
            return forced
        engine.go_to(words)
        seconds = least(self._seconds, None if limit is None else limit.seconds)
        clocks = self._clocks(facts, player, limit)
        if self._times:
            left = clocks[player] if clocks else None
            engine.set_time(seconds, left, self._increment, COLOURS[player])
        else:
            seconds = None
        longest = seconds or self._remaining or 0.0
        word = engine.choose(COLOURS[player], longest + self._patience, seconds, self._stopping)
        if word.lower() == RESIGN:
            raise ResignedError(f'the engine "{self._command}" resigns')
        after = " ".join(move.point for move in words) or None
        action: int = self._legal(engine, word, partial(board.action, state), after)
        engine.played([*words, self._word(state, action)])
        return action

    def _word(self, state: Any, action: Any) -> Play:
        point = self._board_of(state).point(state, action)
        return Play(COLOURS[int(state.current_player())], point, len(state.legal_actions()) == 1)

    def _forced_pass(self, board: Board, state: Any) -> int | None:
        """Return the pass if it is the only legal move: programs for Othello cannot be asked for it."""
        legal = state.legal_actions()
        return int(legal[0]) if len(legal) == 1 and board.point(state, legal[0]) == PASS else None

    def _board_of(self, state: Any) -> Board:
        if self._board is None or self._played is not type(state):
            self._board = Board(type(state), skips_i=self._skips_i)
            self._played, self._is_new = type(state), True
        return self._board
