"""What each player knows during a playthrough, worked out move by move as far as it is needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from branchwise.game.rules_class import Game
from branchwise.rules.knowledge.information import (
    InformationState,
    Watcher,
    first_information,
)


class InformationStates:
    """The information states of a game's players after each of its moves."""

    def __init__(self) -> None:
        self._known: dict[int, list[InformationState]] = {}

    def of(self, start: Game, player: int) -> list[InformationState]:
        """Return what `player` knows at the start and after each move that was learned; `learn` adds more."""
        return self._known.setdefault(player, [first_information(start, player)])

    def learn(self, player: int, moves: Iterable[tuple[Game, Any, Game]]) -> None:
        """Add what `player` knows after further moves.

        moves : the state before each, the action, and the state after it.
        """
        known = self._known[player]
        watcher = Watcher(known[0].game, player)
        for state, action, after in moves:
            known.append(watcher.next_information(known[-1], state, action, after))

    def forget_after(self, moves: int) -> None:
        """Forget what came after the first `moves`, because others are played."""
        for known in self._known.values():
            del known[moves + 1 :]

    def copy(self) -> InformationStates:
        """Return an independent copy."""
        twin = InformationStates()
        twin._known = {player: list(known) for player, known in self._known.items()}
        return twin
