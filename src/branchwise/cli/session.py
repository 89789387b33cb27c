"""A game between people and a bot: seats, moves so far, undo and redo.

Independent of screen and keyboard.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from branchwise.errors import ActionError, BranchwiseError, SettingsError, nearest_name

if TYPE_CHECKING:
    from branchwise.bots.bot import Bot
    from branchwise.game import Game
    from branchwise.search.result import SearchResult

_SEATS = {"first": (0,), "second": (1,), "none": ()}


@dataclass(frozen=True)
class Move:
    """One move of a session; `result` is the search of the bot that chose it, if any."""

    player: int
    action: int
    text: str
    result: SearchResult | None = None


class Session:
    """A game between people and one bot.

    opening : moves already made at the start.   humans : players controlled by people; the bot has the rest.
    """

    def __init__(
        self, game: type[Game], bot: Bot, humans: Collection[int], opening: Sequence[str] = ()
    ) -> None:
        self.game = game
        self.bot = bot
        self.humans = frozenset(humans)
        self._opening = tuple(opening)
        self.restart()

    def restart(self) -> None:
        """Start a new game."""
        self._states = [self.game()]
        self._moves: list[Move] = []
        self._undone: list[Move] = []
        for position, text in enumerate(self._opening, start=1):
            try:
                self.play(text)
            except ActionError as error:
                played = " ".join(move.text for move in self._moves)
                raise ActionError(
                    f"move {position}: {error.problem}", after=played or None, mend=error.mend
                ) from None

    @property
    def state(self) -> Game:
        """The position; do not change it."""
        return self._states[-1]

    @property
    def before(self) -> Game | None:
        """The position before the last move."""
        return self._states[-2] if self._moves else None

    @property
    def moves(self) -> tuple[Move, ...]:
        return tuple(self._moves)

    @property
    def is_over(self) -> bool:
        return bool(self.state.is_terminal())

    @property
    def is_humans_turn(self) -> bool:
        return not self.is_over and self.state.current_player() in self.humans

    def play(self, text: str) -> Move:
        """Play the move that `text` names; on `ActionError` nothing has changed."""
        return self._make(self.state.check_action(text))

    def bot_move(self) -> Move:
        """Let the bot play a move for the player to move."""
        self.bot.set_moves([move.action for move in self._moves])
        action = self.bot.choose(self.state)
        if action not in self.state.legal_actions():
            raise BranchwiseError(f"{self.bot!r} chose action {action!r}, which is not legal here")
        return self._make(int(action), self.bot.result)

    def undo(self) -> list[Move]:
        """Take moves back until it is a person's turn again; return them, the last first.

        Raises `ActionError` if no person had an earlier turn.
        """
        for earlier in range(len(self._moves) - 1, -1, -1):
            if self._states[earlier].current_player() in self.humans:
                taken = self._moves[earlier:][::-1]
                del self._moves[earlier:], self._states[earlier + 1 :]
                self._undone += taken
                return taken
        raise ActionError("there is nothing to undo")

    def redo(self) -> list[Move]:
        """Play the moves again that `undo` took back, up to a person's turn; return them in order.

        Raises `ActionError` if there are none: nothing was undone, or another move was played since.
        """
        if not self._undone:
            raise ActionError("there is nothing to redo")
        made: list[Move] = []
        while self._undone and not (made and self.is_humans_turn):
            waiting = self._undone[:-1]
            move = self._undone[-1]
            made.append(self._make(move.action, move.result))
            self._undone = waiting
        return made

    def winners(self) -> list[int]:
        """Return the players with the best return of a finished game; empty if all are equal."""
        returns = [float(number) for number in self.state.returns()]
        if len(returns) == 1 or min(returns) == max(returns):
            return []
        return [player for player, number in enumerate(returns) if number == max(returns)]

    def _make(self, action: int, result: SearchResult | None = None) -> Move:
        state = self.state
        move = Move(state.current_player(), action, state.action_to_string(action), result)
        after = state.copy()
        after.apply_action(action)
        self._states.append(after)
        self._moves.append(move)
        self._undone = []
        return move


def read_side(text: str, game: type[Game]) -> frozenset[int]:
    """Return the players that `text` names: first, second, both, all, none, or numbers such as 0,2.

    Raises `UnknownNameError` for anything else, and `SettingsError` for a player that the game does not have.
    """
    everybody = tuple(range(game.num_players))
    words = {**_SEATS, "both": everybody, "all": everybody}
    chosen: set[int] = set()
    for word in text.lower().replace(",", " ").split():
        if word.isdecimal():
            chosen.add(int(word))
        elif word in words:
            chosen.update(words[word])
        else:
            raise nearest_name("side", word, words)
    if not text.strip():
        raise SettingsError("no side is given", mend=f"one of {', '.join(words)}, or players by number")
    for player in chosen:
        if player not in everybody:
            players = "the only player is 0" if len(everybody) == 1 else f"players are 0 to {everybody[-1]}"
            raise SettingsError(f"{game.name} has no player {player}: {players}")
    return frozenset(chosen)
