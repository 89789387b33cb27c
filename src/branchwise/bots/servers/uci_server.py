"""A bot as a chess program, by the Universal Chess Interface; see docs/engines.md."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from branchwise.bots.servers.engine_server import EngineServer
from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError
from branchwise.common.name_and_options import format_spec, parse_spec
from branchwise.engines.two_players import base_name, check_two_players
from branchwise.engines.ugi.language import UCI, Info, number_or_none
from branchwise.engines.ugi.moves import move_words
from branchwise.engines.ugi.options import CHESS, VARIANT_OPTION, Option
from branchwise.game.rules_class import Game
from branchwise.search.results.result import Child, SearchResult
from branchwise.search.settings.settings import MAX_THREADS, Settings

LINES_OPTION = "MultiPV"
PONDER_OPTION = "Ponder"
MAX_LINES = 20


class _Means(NamedTuple):
    """An option of chess programs that is a setting of bots."""

    name: str
    setting: str
    default: float
    most: int


_MEANS = (
    _Means("Hash", "memory_mb", Settings.memory_mb, 2**22),
    _Means("Threads", "threads", Settings.threads, MAX_THREADS),
)


class UciServer(EngineServer):
    """A conversation with a chess program's window that uses the bot.

    The arguments are those of `BotServer`. FEN is read by the game's class method `from_fen`, if it has one.

    >>> import io
    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> said = io.BytesIO()
    >>> lines = b"position startpos moves a1 b1 a2 b2\\ngo depth 1\\n"
    >>> UciServer(TicTacToe, "minimax", 1, read=io.BytesIO(lines), write=said).run()
    True
    >>> print(said.getvalue().decode(), end="")
    bestmove a3
    """

    dialect = UCI
    only_open = True

    def __init__(self, game: type[Game], *given: Any, **named: Any) -> None:
        check_two_players(game)
        super().__init__(game, *given, **named)
        self._lines = 1
        self._ponders = False
        self._told: dict[str, int] = {}
        """What the other program has set of the bot's settings: a bot that it names later gets them too."""

    def _options(self) -> list[Option]:
        offered = [option for option in super()._options() if option.name in ("bot", "seed")]
        offered.append(Option(LINES_OPTION, "spin", str(self._lines), 1, MAX_LINES))
        _, options = parse_spec(self._spec)
        for limit in self._limits():
            given = str(int(options.get(limit.setting, limit.default)))  # type: ignore[call-overload]
            offered.append(Option(limit.name, "spin", given, 1, limit.most))
        if self._limits():
            offered.append(Option(PONDER_OPTION, "check", str(self._ponders).lower()))
        name = base_name(self._game)
        if name != CHESS:
            offered.append(Option(VARIANT_OPTION, "combo", name, choices=(name,)))
        return offered

    def _set(self, name: str, value: str) -> None:
        if name == VARIANT_OPTION.lower() and value != base_name(self._game):
            raise SettingsError(f"this program plays {base_name(self._game)}, not {value}")
        limit = next((one for one in self._limits() if one.name.lower() == name), None)
        if name == LINES_OPTION.lower():
            self._lines = _read_number(LINES_OPTION, value, MAX_LINES)
        elif limit is not None:
            self._told[limit.setting] = _read_number(limit.name, value, limit.most)
            self._apply_told(self._told)
        elif name == PONDER_OPTION.lower() and self._limits():
            if value not in ("true", "false"):
                raise SettingsError(f"{PONDER_OPTION} = {value} is neither true nor false")
            self._ponders = value == "true"
        else:
            super()._set(name, value)
            if name == "bot":
                _, named = parse_spec(value)
                self._apply_told({key: number for key, number in self._told.items() if key not in named})

    def _limits(self) -> list[_Means]:
        """Return the options of windows that are settings of the bot."""
        known = type(self._bot).option_names()
        return [one for one in _MEANS if one.setting in known]

    def _apply_told(self, told: dict[str, int]) -> None:
        """Change settings of the bot, as far as it has them."""
        name, options = parse_spec(self._spec)
        known = [limit.setting for limit in self._limits()]
        given = {setting: told[setting] for setting in known if setting in told}
        if given:
            self._set_bot(format_spec(name, options | given), self._seed)

    def _reply_expected(self, state: Game, action: Any) -> str:
        result = self._bot.result
        if not self._ponders or not isinstance(result, SearchResult) or result.state != state:
            return ""
        line = next((child.line for child in result.children if child.action == action), ())
        return f" ponder {move_words(result.state, line)[1]}" if len(line) > 1 else ""

    def _read_state(self, text: str) -> Game:
        read = getattr(self._game, "from_fen", None)
        if not callable(read):
            raise SettingsError(
                f"{self._game.name} has no FEN", mend="send the moves: position startpos moves ..."
            )
        state: Game = read(text)
        return state

    def _infos(self, result: SearchResult) -> list[str]:
        shown = [child for child in result.children[: self._lines] if child.visits]
        return [
            _info(result, child, rank if self._lines > 1 else None).words()
            for rank, child in enumerate(shown, start=1)
        ]


def _read_number(name: str, value: str, most: int) -> int:
    number = number_or_none(value)
    if number is None:
        raise SettingsError(f"{name} = {value} is not a whole number")
    whole_number(name, number, 1, most)
    return number


def _info(result: SearchResult, child: Child, rank: int | None) -> Info:
    line = move_words(result.state, child.line)
    return Info(len(line), result.simulations, result.seconds, score_of(result, child), line, rank=rank)


def score_of(result: SearchResult, child: Child) -> str | None:
    """Return the value of a child as chess programs write it: centipawns, or moves to mate if it is proven.

    A pawn is worth what Leela Chess Zero takes it for, with the value q from -1 to 1:

        centipawns = 90 tan(1.5637541897 q)

    Source: https://github.com/LeelaChessZero/lc0/pull/1193.
    """
    facts = result.facts
    if child.proven is not None and child.moves_to_end is not None:
        moves = (child.moves_to_end + 1) // 2
        if child.proven == facts.max_return:
            return f"mate {moves}"
        if child.proven == facts.min_return:
            return f"mate {-moves}"
    if child.value is None:
        return None
    share = min(max((child.value - facts.no_gain) / facts.span, 0.0), 1.0)
    return f"cp {round(90 * math.tan(1.5637541897 * (2 * share - 1)))}"
