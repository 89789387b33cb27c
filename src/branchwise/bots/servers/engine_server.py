"""A bot as an engine for other programs, by the Universal Game Interface; see docs/engines.md."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from branchwise.bots.servers.server import FAREWELL, INFO_INTERVAL, BotServer, gone_on, shown_to_bot
from branchwise.common.errors import ActionError, SettingsError
from branchwise.engines.ugi.language import UGI, Dialect, Go, Info, number_or_none
from branchwise.engines.ugi.language import Position as PositionLine
from branchwise.engines.ugi.moves import move_word, move_words
from branchwise.engines.ugi.options import STATES_OPTION, Option, read_setting
from branchwise.game.kinds.continuous_actions import check_vector, has_box
from branchwise.game.kinds.game_kinds import starts_at_random
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.kinds.simultaneous_moves import check_joint_move
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import check_is_repeatable, game_facts, legal_action
from branchwise.rules.facts.game_type import pays
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.rules.playthrough.position import Position, drawn_to_decision, position_after
from branchwise.search.results.result import SearchResult
from branchwise.search.settings.budget import MAX_SECONDS, MAX_SIMULATIONS
from branchwise.search.settings.clock import MAX_REMAINING, Clock
from branchwise.search.settings.move_limit import Limit

_LAST_MOMENT = 1e-3
_LONGEST_TEXT = 2000


class EngineServer(BotServer):
    """A conversation with another program that uses the bot; it ends with `quit` or with the input.

    bot : its text form.   seed : the bot's seed, unless its text gives one.   read, write : bytes from and to
    the other program.   name : the engine's name, shown before the bot.   trust : whether the other program
    may choose a bot that runs a program or a file.

    The bot thinks in another thread, so that every line is answered at once. A fault is reported in a line
    `info string error: ...`; if a move was requested, `bestmove none` follows.

    >>> import io
    >>> from branchwise.games.nim import Nim
    >>> said = io.BytesIO()
    >>> lines = b"position startpos moves 3 3 3 3 3 3\\nquery p1turn\\ngo\\n"
    >>> EngineServer(Nim, "minimax", seed=1, read=io.BytesIO(lines), write=said).run()
    True
    >>> print(said.getvalue().decode(), end="")
    response true
    bestmove 3
    """

    dialect: ClassVar[Dialect] = UGI
    only_open = False

    def __init__(self, game: type[Game], *given: Any, **named: Any) -> None:
        super().__init__(game, *given, **named)
        self._played: Playthrough[Game] | None = Playthrough(game())
        self._knows_moves = True
        self._thinking = False
        self._stop_requested = False
        self._held: str | None = None
        self._pondering: float | None = None
        """The seconds that count from `ponderhit` on, while it is awaited."""

        self._asked_ready = 0
        self._reported = 0.0
        self._commands: dict[str, Callable[[list[str]], None]] = {
            self.dialect.hello: self._do_hello,
            "isready": self._do_isready,
            "setoption": self._do_setoption,
            self.dialect.new_game: self._do_new_game,
            "position": self._do_position,
            "go": self._do_go,
            "stop": self._do_stop,
            "ponderhit": self._do_ponderhit,
            "quit": self._do_quit,
        }
        if self.dialect is UGI:
            self._commands["query"] = self._do_query

    def tell(self, text: str) -> None:
        """Send a remark."""
        whole = " / ".join(line.strip() for line in text.splitlines())
        self._say(Info(text=whole[:_LONGEST_TEXT]).words())

    def _hear(self, line: str) -> None:
        words = line.split()
        command = self._commands.get(words[0]) if words else None
        if command is None:  # UGI requires it to be ignored
            return
        try:
            command(words[1:])
        except Exception as error:
            self._tell_error(error)
            if words[0] == "go" and not self._thinking:
                self._say(f"bestmove {self.dialect.no_move[0]}")

    # --- commands -----------------------------------------------------------------------------------

    def _do_hello(self, _: list[str]) -> None:
        self._say(f"id name {self._name} {self._spec}")
        self._say("id author The Branchwise authors")
        for option in self._options():
            self._say(option.line())
        self._say(self.dialect.hello_end)

    def _options(self) -> list[Option]:
        """Return the settings that are offered."""
        return [
            Option("bot", default=self._spec),
            Option("seed", default="" if self._seed is None else str(self._seed)),
            Option(STATES_OPTION, "check", "true"),
        ]

    def _do_isready(self, _: list[str]) -> None:
        with self._changing:
            if self._ready.is_set():
                self._say("readyok")
                return
            self._asked_ready += 1
        self._rehearse()

    def _do_setoption(self, words: list[str]) -> None:
        name, value = read_setting(words)
        self._refuse_while_thinking()
        self._set(name.lower(), value)

    def _set(self, name: str, value: str) -> None:
        """Set an option; name : in small letters."""
        if name == "bot":
            self._refuse_code(value)
            self._set_bot(value, self._seed)
        elif name == "seed":
            seed = number_or_none(value)
            if value and seed is None:
                raise SettingsError(f"seed = {value} is not a whole number")
            self._set_bot(self._spec, seed)
        elif name not in {option.name.lower() for option in self._options()}:
            known = [option.name for option in self._options()]
            raise SettingsError(
                f'there is no option "{name}"', mend=f"{', '.join(known[:-1])} or {known[-1]}"
            )

    def _do_new_game(self, _: list[str]) -> None:
        self._refuse_while_thinking()
        self._bot.new_game()
        self._played, self._knows_moves = Playthrough(self._game()), True

    def _do_position(self, words: list[str]) -> None:
        self._played = None  # no move is played if the position is not understood
        position = PositionLine.read(words)
        self._knows_moves = position.state is None
        if position.state is None and starts_at_random(self._game):
            raise SettingsError(
                f"a game of {self._game.name} starts at random, so its moves do not determine the position",
                mend="give the state: position fen STATE",
            )
        if position.state is not None and hides_information(self._game):
            raise SettingsError(
                f"{self._game.name} has hidden information, and a state does not tell what its players know",
                mend="send all moves of the game: position startpos moves ...",
            )
        if position.moves:
            check_is_repeatable(self._game, "send the state that a move led to: position fen STATE")
        start = self._game() if position.state is None else self._read_state(position.state)
        random = Random(self._seed)
        self._played = position_after(start, position.moves, random, to_decision=False).played

    def _read_state(self, text: str) -> Game:
        return self._game.from_json(text)

    def _do_query(self, words: list[str]) -> None:
        played = self._known_game()
        answers = {
            "gameover": lambda: str(played.is_over).lower(),
            "p1turn": lambda: str(played.player == 0).lower(),
            "result": lambda: result_word(played.state, played.returns),
            "rewards": lambda: _rewards(played),
        }
        question = " ".join(words)
        if question not in answers:
            raise SettingsError(f'there is no query "{question}"', mend=", ".join(answers))
        self._say(f"response {answers[question]()}")

    def _do_go(self, words: list[str]) -> None:
        self._refuse_while_thinking()
        go = Go.read(words)
        played, knows_moves = self._after_chance(self._known_game()), self._knows_moves
        if played.is_over:
            played, knows_moves = self._gone_on(played), False
        state = played.state
        limit, seconds = self._limit(go, state)
        if go.among:
            self._bot.check_restricts()
            limit = replace(limit, among=tuple(legal_action(state, word) for word in go.among))
        self._set_progress(self._report)
        self._thinking, self._stop_requested, self._pondering = True, False, None
        if go.ponders:
            self._pondering = seconds or 0.0
        self._choose(
            played,
            limit,
            None if go.ponders else seconds,
            played.actions if knows_moves else None,
            lambda action, error: self._note_choice(go, played, action, error),
        )

    def _after_chance(self, played: Playthrough[Game]) -> Playthrough[Game]:
        """Return the game with the outcomes of chance that are due, drawn by the seed and told."""
        if not played.is_chance:
            return played
        played = played.copy()
        position = Position(played, tuple(drawn_to_decision(played, Random(self._seed).counter)))
        self.tell(f"chance: {' '.join(position.outcomes())}")
        return played

    def _do_stop(self, _: list[str]) -> None:
        with self._changing:
            if not self._thinking:
                return
            self._stop_requested = True
            if self._held is not None:
                self._conclude(self._held)
            elif self._choice is not None:
                self._choice.stop()

    def _do_ponderhit(self, _: list[str]) -> None:
        """The expected move has been played: from now on the time counts."""
        with self._changing:
            seconds, self._pondering = self._pondering, None
            if seconds is None:
                return
            if self._held is not None:
                self._conclude(self._held)
            elif seconds < math.inf and self._choice is not None:
                self._choice.stop(seconds)

    def _do_quit(self, _: list[str]) -> None:
        self._over = True

    # --- thinking -----------------------------------------------------------------------------------

    def _gone_on(self, played: Playthrough[Game]) -> Playthrough[Game]:
        """Return a game that is over, as one that goes on, if its states have a method `go_on`; say so."""
        state = played.state
        if not callable(getattr(state, "go_on", None)):
            raise ActionError("the game is over: there is nothing to choose")
        going_on = gone_on(played, int(state.current_player()))
        turn = getattr(state, "turn", None)
        ended = turn() if callable(turn) else "the game is over"
        self.tell(f"{ended}; the position is searched all the same")
        return going_on

    def _known_game(self) -> Playthrough[Game]:
        if self._played is None:
            raise SettingsError("the last position was not understood", mend="send another one")
        return self._played

    def _refuse_while_thinking(self) -> None:
        if self._thinking and self._stop_requested and self._choice is not None:
            self._choice.wait(FAREWELL)
        if self._thinking:
            raise SettingsError(
                "the last go has not been answered yet", mend="send stop and wait for bestmove"
            )

    def _limit(self, go: Go, state: Game) -> tuple[Limit, float | None]:
        """Return the bot's limits, and the seconds after which it must end, or None.

        Limits beyond the range of all bots count as none: programs send them for "no limit".
        """
        go = go.at_most(seconds=MAX_SECONDS, nodes=MAX_SIMULATIONS, clock=MAX_REMAINING)
        seconds = go.seconds
        if go.clocks:
            player = int(state.current_player())
            if player >= len(go.clocks):
                raise SettingsError(f"the clock of player {player + 1} is missing: p{player + 1}time")
            increment = go.increments[player] if player < len(go.increments) else 0.0
            share = Clock(max(go.clocks[player], _LAST_MOMENT), increment).seconds
            seconds = share if seconds is None else min(seconds, share)
        told = MAX_SECONDS if go.infinite or go.ponders else seconds
        clocks = tuple(max(left, 0.0) for left in go.clocks)
        limit = Limit(told, go.nodes, go.depth, clocks, go.increments)
        if go.ponders and seconds is None and (go.infinite or go.nodes or go.depth):
            seconds = math.inf
        return limit, None if go.infinite and not go.ponders else seconds

    def _become_ready(self) -> None:
        for _ in range(self._asked_ready):
            self._say("readyok")
        self._asked_ready = 0

    def _report(self, result: SearchResult) -> None:
        now = time.monotonic()
        if now - self._reported >= INFO_INTERVAL:
            self._reported = now
            self._say(*self._infos(result))

    def _infos(self, result: SearchResult) -> list[str]:
        """Return the lines that report on a search."""
        return [info_of(result).words()]

    def _note_choice(
        self, go: Go, played: Playthrough[Game], action: Any, error: BaseException | None
    ) -> None:
        state = played.state
        try:
            if error is not None:
                raise error
            if has_box(state):
                action = check_vector(state, action)
            elif played.is_joint:
                action = check_joint_move(state, action)
            elif action not in state.legal_actions():
                raise ActionError(f"the bot chose {action!r}, which is not legal here")
            result = self._bot.result
            known = state if played.is_joint else shown_to_bot(played)
            if isinstance(result, SearchResult) and result.state == known:
                self._say(*self._infos(result))
            answer = f"bestmove {move_word(state, action)}{self._reply_expected(state, action)}"
        except BaseException as error:
            self._tell_error(error)
            answer = f"bestmove {self.dialect.no_move[0]}"
        with self._changing:
            waits = go.infinite or self._pondering is not None
            if waits and not self._stop_requested:
                self._held = answer
            else:
                self._conclude(answer)

    def _reply_expected(self, state: Game, action: Any) -> str:
        """Return the words that name the expected reply, if the other program wants them."""
        return ""

    def _conclude(self, answer: str) -> None:
        self._held = self._pondering = None
        self._thinking = False
        self._say(answer)

    def _end_choice(self) -> None:
        self._do_stop([])


def info_of(result: SearchResult) -> Info:
    """Return a search result as a UGI line; values are from -100 to 100, for the player to move.

    If rewards are paid on the way, values are hundredths of the rewards to come.
    """
    facts = result.facts
    worth = None
    if not math.isnan(result.value):
        share = (result.value - facts.no_gain) / facts.span
        worth = f"cp {round(100 * result.value if facts.pays else 200 * share - 100)}"
    line = result.principal_variation
    fixed = facts.dimensions > 0 and not facts.simulates
    drawn = result.deals is not None or facts.joint or (result.is_open and not fixed)
    if drawn:  # its moves have chance or moves of others between them, and may not be legal in a row
        words: tuple[str, ...] = tuple(move_word(result.state, action) for action in line[:1])
    else:
        words = move_words(result.state, line)
    return Info(len(words), result.simulations, result.seconds, worth, words)


def result_word(state: Game, given: Sequence[float] | None = None) -> str:
    """Return the result of a game: p1win, p2win and so on, draw, or none if it is not over.

    The only player with the best return wins. In a single-player game a return above the middle is a win,
    or above 0 if returns have no bounds.
    given : the returns, if the state does not have them because rewards are paid on the way.

    >>> from branchwise.games.nim import Nim
    >>> result_word(Nim()), result_word(Nim(chips=[0], mover=0))
    ('none', 'p2win')
    """
    if not state.is_terminal():
        return "none"
    returns = [float(number) for number in (state.returns() if given is None else given)]
    if len(returns) == 1:
        facts = game_facts(state)
        middle = (facts.min_return + facts.max_return) / 2
        returns.append(middle if facts.is_bounded else 0.0)
    best = [player for player, number in enumerate(returns, start=1) if number == max(returns)]
    return f"p{best[0]}win" if len(best) == 1 and best[0] <= state.num_players else "draw"


def _rewards(played: Playthrough[Game]) -> str:
    """Return the sum of each player's rewards so far, or none if returns come only at the end."""
    return " ".join(f"{paid:g}" for paid in played.paid) if pays(played.start) else "none"
