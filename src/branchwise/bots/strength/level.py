"""A bot that plays at a level of difficulty from 1 to 10, as measured for its game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from branchwise.bots import load_bot
from branchwise.bots.base.bot import Bot
from branchwise.bots.strength.game_file_bot import BotByGame
from branchwise.bots.strength.levels_file import LEVELS, load_ladder
from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game


class LevelBot(BotByGame):
    """Plays as the bot of a level of the current game; see `bots.strength.levels_file`.

    level : 1 to 10.   file : a file of levels, in place of the game's own. Raises `SettingsError` for a game
    whose levels have not been measured.

    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> bot = LevelBot(level=10, seed=1)
    >>> state = TicTacToe.from_actions(["a1", "b2", "a2"])
    >>> bot, state.action_to_string(bot.choose(state))
    (level(level=10,seed=1), 'a3')
    """

    name = "level"
    what = "levels"

    def __init__(self, *, level: int | None = None, file: str | None = None, seed: int | None = None) -> None:
        if level is None:
            raise SettingsError("the number of the level is missing", mend="write level(level=3)")
        whole_number("level", level, 1, LEVELS)
        super().__init__(seed)
        self._level = int(level)
        self._file = file
        self._seed = seed

    def bot_for(self, game: type[Game], seed: int) -> Bot:
        return load_bot(load_ladder(game, self._file)[self._level].bot, seed=seed)

    def options(self) -> dict[str, object]:
        return {"level": self._level, "file": self._file, "seed": self._seed}


def level_bot(
    game: type[Game] | str, level: int, *, file: str | Path | None = None, seed: int | None = None
) -> LevelBot:
    """Return the bot of a level from 1 to 10 of `game`, a class or a text form.

    file : a file of levels, in place of the game's own. Raises `SettingsError` if the levels have not been
    measured or are those of other rules, and for a level that does not exist.

    >>> level_bot("connect_four", 3)
    level(level=3)
    """
    from branchwise.games import load_game

    bot = LevelBot(level=level, file=None if file is None else str(file), seed=seed)
    bot.check_game(load_game(game) if isinstance(game, str) else game)
    return bot
