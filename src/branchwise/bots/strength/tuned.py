"""A bot that searches with the settings that were found for its game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from branchwise.bots.players.mcts import MCTSBot
from branchwise.bots.strength.game_file_bot import BotByGame
from branchwise.search.settings.tuned import load_tuned

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot
    from branchwise.game.rules_class import Game


class TunedBot(BotByGame):
    """Plays as the bot `mcts` with the settings that `branchwise tune` found for the current game.

    file : of the settings; None: the game's own.   given : limits and settings of the bot `mcts`, which take
    precedence. If `selection` is given, a weight `c` that was found for another rule is not used. Raises
    `SettingsError` for a game that has not been tuned, and for one whose rules have changed since.

    >>> from branchwise.games.hex import Hex
    >>> bot = TunedBot(simulations=50, seed=1)
    >>> bot, bot.choose(Hex()) in Hex().legal_actions()
    (tuned(simulations=50,seed=1), True)
    """

    name = "tuned"
    what = "tuned settings"

    def __init__(self, *, file: str | None = None, seed: int | None = None, **given: Any) -> None:
        plain = MCTSBot(**given)  # so that invalid settings raise here
        super().__init__(seed)
        self._file = file
        self._seed = seed
        self._given = given
        self.keeps_proofs = plain.keeps_proofs
        self._shown = {"file": file, **plain.options(), "seed": seed}

    def bot_for(self, game: type[Game], seed: int) -> Bot:
        settings = load_tuned(game, self._file).overridden(self._given, planner=False)
        return MCTSBot(**settings, seed=seed)

    @classmethod
    def option_names(cls) -> list[str]:
        return list(dict.fromkeys(["file", *MCTSBot.option_names()]))

    def options(self) -> dict[str, object]:
        return self._shown
