"""A bot that is a chess program, by the Universal Chess Interface."""

from __future__ import annotations

from typing import Any

from branchwise.bots.programs.engine import EngineBot
from branchwise.common.errors import GameError
from branchwise.engines.two_players import base_name, check_two_players
from branchwise.engines.ugi.client import Engine, UciEngine
from branchwise.engines.ugi.options import CHESS, VARIANT_OPTION
from branchwise.game.rules_class import Game


class UciBot(EngineBot):
    """Plays the answers of a chess program, such as Stockfish; docs/engines.md has examples.

    The options are those of `EngineBot`. `options` has the program's settings, with which its strength can be
    limited. A game other than chess is for programs with the setting `UCI_Variant`, which must be given.

    The game writes its moves as UCI does, such as e2e4 and e7e8q. A position whose moves are unknown is
    sent as FEN if the game has a method `to_fen`.

    >>> UciBot(command="stockfish", nodes=1000, options={"Skill Level": 3})
    uci(command='stockfish',nodes=1000,options={'Skill Level':3})
    """

    name = "uci"

    engine_type = UciEngine

    def check_game(self, game: type[Game]) -> None:
        if base_name(game) != CHESS and VARIANT_OPTION not in self._settings:
            raise GameError(
                f"a program that speaks UCI plays chess, not {game.name}",
                mend=f"if it plays {game.name}, name the game as the program does: "
                f"options={{'{VARIANT_OPTION}':'{base_name(game)}'}}",
            )
        check_two_players(game)

    def _state_text(self, engine: Engine, state: Any) -> str | None:
        write = getattr(state, "to_fen", None)
        return str(write()) if callable(write) else None
