"""A bot that plays at a level of difficulty from 1 to 10, as measured for its game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.bots import load_bot
from branchwise.bots.bot import Bot, check_not_over, seeded
from branchwise.bots.ladder import LEVELS, load_ladder
from branchwise.errors import SettingsError
from branchwise.game import Game
from branchwise.ranges import whole_number
from branchwise.rules.facts import check_is_state
from branchwise.search.limit import Limit

if TYPE_CHECKING:
    from branchwise.search.result import SearchResult


class LevelBot(Bot):
    """Plays as the bot of a level of the current game; see `bots.ladder`.

    level : 1 to 10.   file : a file of levels, in place of the game's own. Raises `SettingsError` for a game
    whose levels have not been measured.

    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> bot = LevelBot(level=10, seed=1)
    >>> state = TicTacToe.from_actions(["a1", "b2", "a2"])
    >>> bot, state.action_to_string(bot.choose(state))
    (level(level=10,seed=1), 'a3')
    """

    name = "level"

    def __init__(self, *, level: int | None = None, file: str | None = None, seed: int | None = None) -> None:
        if level is None:
            raise SettingsError("the number of the level is missing", mend="write level(level=3)")
        whole_number("level", level, 1, LEVELS)
        self._level = int(level)
        self._file = file
        self._seed = seed
        self._random = seeded(seed)
        self._game: type[Game] | None = None
        self._player: Bot | None = None
        self.progress: Callable[[SearchResult], object] | None = None

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        check_is_state(state)
        player = self._player_of(type(state))
        player.impatient = self.impatient
        if hasattr(player, "progress"):
            player.progress = self.progress
        action = player.choose(state, limit, moves)
        self.result = player.result
        return action

    def check_game(self, game: type[Game]) -> None:
        self._player_of(game)

    def _player_of(self, game: type[Any]) -> Bot:
        """Return the bot of the level in a game."""
        if self._player is None or game is not self._game:
            if not issubclass(game, Game):
                raise SettingsError(f"only a branchwise.Game has levels, and {game.__name__} is not one")
            ladder = load_ladder(game, self._file)
            self._player = load_bot(ladder[self._level].bot, seed=self._random.getrandbits(63))
            self._game, self.keeps_proofs = game, self._player.keeps_proofs
            self.plays_uncompiled = self._player.plays_uncompiled
        return self._player

    def stop(self) -> None:
        if self._player is not None:
            self._player.stop()

    def new_game(self) -> None:
        if self._player is not None:
            self._player.new_game()

    def close(self) -> None:
        if self._player is not None:
            self._player.close()

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
