"""Bots that play each game as another bot, which the game's own file names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from branchwise.bots.base.bot import Bot, check_not_over, seeded
from branchwise.common.errors import SettingsError
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import check_is_state
from branchwise.rules.facts.given_to_bots import Shown
from branchwise.rules.playthrough.joint_choice import JointChoice
from branchwise.search.settings.move_limit import Limit

if TYPE_CHECKING:
    from branchwise.search.results.result import SearchResult


class BotByGame(Bot):
    """Plays as the bot that `bot_for` returns for the current game.

    what : what a game's file has, for errors, such as "levels".
    """

    what: ClassVar[str]

    def __init__(self, seed: int | None) -> None:
        self._random = seeded(seed)
        self._game: type[Game] | None = None
        self._player: Bot | None = None
        self.progress: Callable[[SearchResult], object] | None = None

    @abstractmethod
    def bot_for(self, game: type[Game], seed: int) -> Bot:
        """Return the bot that plays `game`; raises `SettingsError` if there is none."""

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        player = self._player_of(_game_of(state))
        player.impatient = self.impatient
        if hasattr(player, "progress"):
            player.progress = self.progress
        action = player.choose(state, limit, moves)
        self.result = player.result
        return action

    def check_restricts(self) -> None:
        if self._player is not None:
            self._player.check_restricts()

    def check_game(self, game: type[Game]) -> None:
        self._player_of(game).check_game(game)

    def _player_of(self, game: type[Any]) -> Bot:
        if self._player is None or game is not self._game:
            if not issubclass(game, Game):
                raise SettingsError(f"only a branchwise.Game has {self.what}, and {game.__name__} is not one")
            player = self.bot_for(game, self._random.getrandbits(63))
            if self._player is not None:
                self._player.close()
            self._player, self._game = player, game
            self.keeps_proofs = player.keeps_proofs
            self.plays_uncompiled = player.plays_uncompiled
        return self._player

    def ponder(self, state: Any) -> None:
        self._player_of(type(state)).ponder(state)

    def stop(self) -> None:
        if self._player is not None:
            self._player.stop()

    def abandon(self) -> None:
        if self._player is not None:
            self._player.abandon()

    def new_game(self) -> None:
        if self._player is not None:
            self._player.new_game()

    def close(self) -> None:
        if self._player is not None:
            self._player.close()


def _game_of(state: Any) -> type[Any]:
    """Return the class of a state, or of what a player is shown in its place."""
    if isinstance(state, Shown):
        return type(state.state) if isinstance(state, JointChoice) else getattr(state, "game", type(state))
    check_is_state(state)
    return type(state)
