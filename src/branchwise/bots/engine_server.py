"""A bot as an engine for other programs, by the Universal Game Interface; see docs/engines.md."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, BinaryIO

from branchwise.bots import load_bot
from branchwise.bots.background import RunningChoice
from branchwise.bots.bot import Bot
from branchwise.bots.human import HumanBot
from branchwise.bots.rehearsal import rehearse
from branchwise.boxes import check_vector, has_box
from branchwise.consent import runs_code
from branchwise.errors import ActionError, BranchwiseError, SettingsError
from branchwise.game import Game
from branchwise.rules.facts import check_is_repeatable, game_facts
from branchwise.rules.playthrough import Playthrough
from branchwise.rules.type import pays
from branchwise.search.budget import MAX_SECONDS, MAX_SIMULATIONS
from branchwise.search.clock import MAX_REMAINING, Clock
from branchwise.search.limit import Limit
from branchwise.search.result import SearchResult
from branchwise.traits import starts_at_random
from branchwise.ugi.language import Go, Info, Position, number_or_none
from branchwise.ugi.moves import NO_MOVE, move_word, move_words
from branchwise.ugi.options import STATES_OPTION, Option, read_setting

LONGEST_LINE = 2**20
INFO_INTERVAL = 0.25
"""Seconds between two lines that report on a running search."""

_FAREWELL = 2.0
_LAST_MOMENT = 1e-3
_LONGEST_TEXT = 2000


class EngineServer:
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

    def __init__(
        self,
        game: type[Game],
        bot: str,
        seed: int | None,
        *,
        read: BinaryIO,
        write: BinaryIO,
        name: str = "Branchwise",
        trust: bool = False,
    ) -> None:
        self._game = game
        self._trust = trust
        self._own_spec = bot
        self._name = name
        self._spec = bot
        self._seed = seed
        self._bot = self._loaded(bot, seed)
        self._from, self._to = read, write
        self._played: Playthrough[Game] | None = Playthrough(game())
        self._knows_moves = True
        self._saying = threading.Lock()
        self._changing = threading.RLock()
        self._choice: RunningChoice | None = None
        self._thinking = False
        self._stop_requested = False
        self._held: list[str] | None = None
        self._ready = threading.Event()
        self._rehearsal: threading.Thread | None = None
        self._asked_ready = 0
        self._reported = 0.0
        self._over = False
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "ugi": self._do_ugi,
            "isready": self._do_isready,
            "setoption": self._do_setoption,
            "uginewgame": self._do_uginewgame,
            "position": self._do_position,
            "query": self._do_query,
            "go": self._do_go,
            "stop": self._do_stop,
            "quit": self._do_quit,
        }

    def run(self) -> bool:
        """Answer until the end; return whether the bot has stopped too."""
        while not self._over:
            line = self._from.readline(LONGEST_LINE)
            if not line:
                break
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                self._tell_error(SettingsError(f"a line has more than {LONGEST_LINE:,} bytes"))
                while line and not line.endswith(b"\n"):
                    line = self._from.readline(LONGEST_LINE)
                continue
            self._answer(line.decode("utf-8", errors="replace").split())
        return self._end()

    def tell(self, text: str) -> None:
        """Send a remark."""
        whole = " / ".join(line.strip() for line in text.splitlines())
        self._say(Info(text=whole[:_LONGEST_TEXT]).words())

    def _answer(self, words: list[str]) -> None:
        command = self._commands.get(words[0]) if words else None
        if command is None:  # UGI requires it to be ignored
            return
        try:
            command(words[1:])
        except Exception as error:
            self._tell_error(error)
            if words[0] == "go" and not self._thinking:
                self._say(f"bestmove {NO_MOVE}")

    # --- commands -----------------------------------------------------------------------------------

    def _do_ugi(self, _: list[str]) -> None:
        self._say(f"id name {self._name} {self._spec}")
        self._say("id author The Branchwise authors")
        self._say(Option("bot", default=self._spec).line())
        self._say(Option("seed", default="" if self._seed is None else str(self._seed)).line())
        self._say(Option(STATES_OPTION, "check", "true").line())
        self._say("ugiok")

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
        if name.lower() == "bot":
            spec, seed = value, self._seed
            self._refuse_code(spec)
        elif name.lower() == "seed":
            spec, seed = self._spec, number_or_none(value)
            if value and seed is None:
                raise SettingsError(f"seed = {value} is not a whole number")
        elif name.lower() == STATES_OPTION:
            return
        else:
            raise SettingsError(f'there is no option "{name}"', mend=f"bot, seed or {STATES_OPTION}")
        bot = self._loaded(spec, seed)
        self._bot.close()
        with self._changing:
            self._bot, self._seed = bot, seed
            if spec != self._spec:
                self._spec = spec
                self._ready.clear()

    def _do_uginewgame(self, _: list[str]) -> None:
        self._refuse_while_thinking()
        self._bot.new_game()
        self._played, self._knows_moves = Playthrough(self._game()), True

    def _do_position(self, words: list[str]) -> None:
        self._played = None  # no move is played if the position is not understood
        position = Position.read(words)
        self._knows_moves = position.state is None
        if position.state is None and starts_at_random(self._game):
            raise SettingsError(
                f"a game of {self._game.name} starts at random, so its moves do not determine the position",
                mend="give the state: position fen STATE",
            )
        if position.moves:
            check_is_repeatable(self._game, "send the state that a move led to: position fen STATE")
        start = self._game() if position.state is None else self._game.from_json(position.state)
        self._played = Playthrough(start, position.moves)

    def _do_query(self, words: list[str]) -> None:
        played = self._known_game()
        answers = {
            "gameover": lambda: _truth(played.is_over),
            "p1turn": lambda: _truth(played.player == 0),
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
        played = self._known_game()
        state = played.state
        if played.is_over:
            raise ActionError("the game is over: there is nothing to choose")
        if played.is_chance:
            raise ActionError(
                "chance is to move: there is nothing to choose",
                mend="add an outcome to the moves of the position",
            )
        limit, seconds = self._limit(go, state)
        self._bot.result = None
        if hasattr(self._bot, "progress"):
            self._bot.progress = self._report
        self._thinking, self._stop_requested = True, False
        self._choice = RunningChoice(
            self._bot,
            state.copy(),
            seconds,
            lambda action, error: self._end_choice(go, state, action, error),
            self._ready,
            limit=limit,
            moves=played.actions if self._knows_moves else None,
        )
        self._rehearse()

    def _do_stop(self, _: list[str]) -> None:
        with self._changing:
            if not self._thinking:
                return
            self._stop_requested = True
            if self._held is not None:
                self._conclude(self._held)
            elif self._choice is not None:
                self._choice.stop()

    def _do_quit(self, _: list[str]) -> None:
        self._over = True

    # --- thinking -----------------------------------------------------------------------------------

    def _loaded(self, spec: str, seed: int | None) -> Bot:
        bot = load_bot(spec, seed=seed)
        if isinstance(bot, HumanBot):
            raise SettingsError("a person cannot be an engine", mend="name a bot, such as mcts")
        return bot

    def _refuse_code(self, spec: str) -> None:
        """Raise `SettingsError` for a bot that the other program may not choose."""
        if runs_code(spec) and spec != self._own_spec and not self._trust:
            raise SettingsError(
                f"the bot cannot be set to {spec}, which runs a program or a file",
                mend="name it by --bot when the engine is started, or start it with --trust",
            )

    def _known_game(self) -> Playthrough[Game]:
        if self._played is None:
            raise SettingsError("the last position was not understood", mend="send another one")
        return self._played

    def _refuse_while_thinking(self) -> None:
        if self._thinking and self._stop_requested and self._choice is not None:
            self._choice.wait(_FAREWELL)
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
        told = MAX_SECONDS if go.infinite else seconds
        clocks = tuple(max(left, 0.0) for left in go.clocks)
        limit = Limit(told, go.nodes, go.depth, clocks, go.increments)
        return limit, None if go.infinite else seconds

    def _rehearse(self) -> None:
        """Compile the bot's code in another thread; then it is ready."""
        with self._changing:
            running = self._rehearsal is not None and self._rehearsal.is_alive()
            if not self._ready.is_set() and not running:
                self._rehearsal = threading.Thread(target=self._get_ready, daemon=True)
                self._rehearsal.start()

    def _get_ready(self) -> None:
        while True:
            spec = self._spec
            rehearse(self._game, partial(self._loaded, spec, 0))
            with self._changing:
                if spec == self._spec:
                    self._ready.set()
                    self._rehearsal = None
                    for _ in range(self._asked_ready):
                        self._say("readyok")
                    self._asked_ready = 0
                    return

    def _report(self, result: SearchResult) -> None:
        now = time.monotonic()
        if now - self._reported >= INFO_INTERVAL:
            self._reported = now
            self._say(info_of(result).words())

    def _end_choice(self, go: Go, state: Game, action: Any, error: BaseException | None) -> None:
        lines = []
        try:
            if error is not None:
                raise error
            if has_box(state):
                action = check_vector(state, action)
            elif action not in state.legal_actions():
                raise ActionError(f"the bot chose {action!r}, which is not legal here")
            result = self._bot.result
            if isinstance(result, SearchResult) and result.state == state:
                lines.append(info_of(result).words())
            lines.append(f"bestmove {move_word(state, action)}")
        except BaseException as error:
            self._tell_error(error)
            lines = [f"bestmove {NO_MOVE}"]
        with self._changing:
            if go.infinite and not self._stop_requested:
                self._held = lines
            else:
                self._conclude(lines)

    def _conclude(self, lines: list[str]) -> None:
        self._held = None
        self._thinking = False
        for line in lines:
            self._say(line)

    def _end(self) -> bool:
        self._over = True
        self._do_stop([])
        choice, rehearsal = self._choice, self._rehearsal
        if choice is not None and not choice.wait(_FAREWELL):
            return False
        if rehearsal is not None and rehearsal.is_alive():
            return False
        self._bot.close()
        return True

    def _tell_error(self, error: BaseException) -> None:
        told = str(error) if isinstance(error, BranchwiseError) else f"{type(error).__name__}: {error}"
        self.tell(f"error: {told}")

    def _say(self, line: str) -> None:
        with self._saying:
            try:
                self._to.write(line.encode("utf-8", errors="replace") + b"\n")
                self._to.flush()
            except (OSError, ValueError):  # the other program has ended
                self._over = True


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
    if result.is_open and not fixed:  # its moves have chance between them, and may not be legal in a row
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


def _truth(value: bool) -> str:
    return "true" if value else "false"
