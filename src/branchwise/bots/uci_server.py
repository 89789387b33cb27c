"""A bot as a chess program, by the Universal Chess Interface; see docs/engines.md."""

from __future__ import annotations

import math
from typing import Any

from branchwise.bots.engine_server import EngineServer
from branchwise.engines.two_players import base_name, check_two_players
from branchwise.engines.ugi.language import UCI, Info, number_or_none
from branchwise.engines.ugi.moves import move_words
from branchwise.engines.ugi.options import CHESS, VARIANT_OPTION, Option
from branchwise.errors import SettingsError
from branchwise.game import Game
from branchwise.ranges import whole_number
from branchwise.search.result import Child, SearchResult

LINES_OPTION = "MultiPV"
MAX_LINES = 20


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

    def _options(self) -> list[Option]:
        offered = [option for option in super()._options() if option.name in ("bot", "seed")]
        offered.append(Option(LINES_OPTION, "spin", str(self._lines), 1, MAX_LINES))
        name = base_name(self._game)
        if name != CHESS:
            offered.append(Option(VARIANT_OPTION, "combo", name, choices=(name,)))
        return offered

    def _set(self, name: str, value: str) -> None:
        if name == VARIANT_OPTION.lower() and value != base_name(self._game):
            raise SettingsError(f"this program plays {base_name(self._game)}, not {value}")
        if name != LINES_OPTION.lower():
            super()._set(name, value)
            return
        lines = number_or_none(value)
        if lines is None:
            raise SettingsError(f"{LINES_OPTION} = {value} is not a whole number")
        whole_number(LINES_OPTION, lines, 1, MAX_LINES)
        self._lines = lines

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
