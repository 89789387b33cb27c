"""Choices of players who move at once, collected until all have chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.common.errors import ActionError
from branchwise.common.players import NO_ACTION
from branchwise.game.kinds.simultaneous_moves import check_choice
from branchwise.game.rules_class import Game


class Choices:
    """What the players have chosen so far in a state in which all move at once.

    No player's choice depends on another's here: each is checked against the state alone. A player without a
    legal action is never waited for.

    state : the state; it is copied.

    >>> from branchwise.games.rock_paper_scissors import RockPaperScissors
    >>> choices = Choices(RockPaperScissors())
    >>> choices.choose(1, "paper")
    >>> choices.missing
    (0,)
    >>> choices.choose(0, 0)
    >>> choices.joint_move()
    (0, 1)
    """

    def __init__(self, state: Game) -> None:
        self._state = state.copy()
        players = range(state.num_players)
        self.choosers = tuple(player for player in players if self._state.legal_actions(player))
        """The players with a choice."""
        self._chosen: dict[int, int] = {}

    @property
    def chosen(self) -> tuple[int, ...]:
        """The players who have chosen."""
        return tuple(player for player in self.choosers if player in self._chosen)

    @property
    def missing(self) -> tuple[int, ...]:
        """The players who have still to choose."""
        return tuple(player for player in self.choosers if player not in self._chosen)

    def legal_actions(self, player: int) -> list[int]:
        """Return the actions that a player may choose from; empty for a player without a choice."""
        legal: list[int] = self._state.legal_actions(player)
        return legal

    def check(self, player: int, action: Any) -> int:
        """Return an action, given as a number or as its text, as the number of a legal action of `player`.

        Raises `ActionError` if it is not legal, and for a player who has no choice, has already chosen, or
        does not exist.
        """
        if player not in range(self._state.num_players):
            raise ActionError(
                f"{self._state.name} has no player {player}",
                mend=f"players are 0 to {self._state.num_players - 1}",
            )
        if player not in self.choosers:
            raise ActionError(f"player {player} has no choice here", mend="wait for the other players")
        if player in self._chosen:
            raise ActionError(f"player {player} has already chosen", mend="wait for the other players")
        return check_choice(self._state, player, action)

    def choose(self, player: int, action: Any) -> None:
        """Note what a player chooses; raises like `check`, and nothing has changed then."""
        self._chosen[player] = self.check(player, action)

    def take_back(self, player: int) -> None:
        """Forget what a player has chosen. Raises `ActionError` if the player has not chosen."""
        if player not in self._chosen:
            raise ActionError(f"player {player} has not chosen yet")
        del self._chosen[player]

    def clear(self) -> None:
        """Forget what all players have chosen."""
        self._chosen.clear()

    def joint_move(self, others: Mapping[int, int] | None = None) -> tuple[int, ...]:
        """Return the joint move, one action a player, NO_ACTION for players without a choice.

        others : actions of players who have not chosen here. Raises `ActionError` if one is missing.
        """
        chosen = {**(others or {}), **self._chosen}
        missing = [player for player in self.choosers if player not in chosen]
        if missing:
            raise ActionError(f"player {missing[0]} has not chosen yet")
        return tuple(chosen.get(player, NO_ACTION) for player in range(self._state.num_players))


class Choosing:
    """The choices in the position that a game is in, begun anew in each position.

    >>> from branchwise.games.rock_paper_scissors import RockPaperScissors
    >>> choosing, state = Choosing(), RockPaperScissors()
    >>> choosing.at(state).choose(0, "rock")
    >>> choosing.at(state).chosen, choosing.at(state.copy()).chosen
    ((0,), ())
    """

    def __init__(self) -> None:
        self._state: Game | None = None
        self._choices: Choices | None = None

    def at(self, state: Game) -> Choices:
        """Return the choices in `state`; those of another state object are forgotten."""
        if self._choices is None or self._state is not state:
            self._state, self._choices = state, Choices(state)
        return self._choices

    def clear(self) -> None:
        """Forget what all players have chosen."""
        if self._choices is not None:
            self._choices.clear()


def made_choice(joint: Any, player: int) -> bool:
    """Whether `player` had a choice in a joint move that was made.

    >>> made_choice((2, -1), 0), made_choice((2, -1), 1)
    (True, False)
    """
    return bool(joint[player] != NO_ACTION)
