"""What a player knows in a game of OpenSpiel's; states that fit are found by replaying."""

from __future__ import annotations

import math
from typing import Any

from branchwise.common.errors import GameError
from branchwise.game.kinds.random_numbers import Draws
from branchwise.interop.openspiel_bridge.replay import MOST_SECONDS, Replay, events_of
from branchwise.rules.knowledge.foreign_games import Deals, ForeignKnown

MOST_COUNTED = 1000
"""Maximum number of distinct states that are counted."""


class OpenSpielKnown(ForeignKnown):
    """What a player who is to move knows in a state of OpenSpiel's.

    It keeps the game, what the player has seen of it, and the player's legal actions with their texts, and
    nothing else of the state. It equals what the player knows in any state in which they have seen the same.

    state : it is not kept.   player : who is to move.
    """

    def __init__(self, state: Any, player: int) -> None:
        self.game = state.get_game()
        self.name = self.game.get_type().short_name
        self.player = player
        self.legal = tuple(state.legal_actions(player))
        self.min_return = self.game.min_utility()
        self.seen = events_of(state, player)
        """What the player has seen of the game so far."""
        self._texts = {action: str(state.action_to_string(player, action)) for action in self.legal}

    def action_to_string(self, action: int) -> str:
        return self._texts[action]

    def dealer(self, last: Deals | None) -> Deals:
        return last if isinstance(last, _Dealer) and last.follow(self) else _Dealer(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenSpielKnown) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def _content(self) -> tuple[object, ...]:
        return str(self.game), self.player, self.legal, self.seen


class _Dealer:
    """Deals states in which the player has seen the same, for successive moments of one game."""

    repeated = 0

    def __init__(self, known: OpenSpielKnown) -> None:
        self._known = known
        self._replay = Replay(known.game, known.player, known.seen, known.legal)
        self._dealt: list[Any] = []
        self._different: set[str] = set()

    @property
    def left(self) -> int:
        return len(self._different)

    def follow(self, known: OpenSpielKnown) -> bool:
        """Go on with what is known later in the same game; returns whether it is the same game."""
        old = self._known
        if (str(old.game), old.player) != (str(known.game), known.player):
            return False
        if not self._replay.follow(known.seen, known.legal):
            return False
        if known != old:
            self._known, self.repeated = known, 0
            self._dealt.clear()
            self._different.clear()
        return True

    def deal(self, known: OpenSpielKnown, random: Draws, until: float | None = None) -> Any:
        """Return a state that fits; raises `GameError` if none was found."""
        state = self._replay.find(random, math.inf if until is None else until)
        if state is not None:
            if len(self._different) < MOST_COUNTED:
                self._different.add(state.history_str())
                self._dealt.append(state)
            return state.clone()
        if not self._dealt:
            raise self._nothing_found(until is not None)
        self.repeated += 1
        return self._dealt[random.below(len(self._dealt))].clone()

    def _nothing_found(self, is_timed: bool) -> GameError:
        known = self._known
        within = "in the time given" if is_timed else f"by many tries, or in {MOST_SECONDS:g} seconds"
        return GameError(
            f"{within} no game of {known.name} was found in which player {known.player} saw what they saw",
            mend="give more seconds, or let one bw.PIMC search at each of the player's moves: it goes on "
            "from the games that it found; bw.MCTS(perfect_information=True) searches the pyspiel.State, and "
            "sees everything",
        )


def known_to(state: Any, player: int | None) -> OpenSpielKnown:
    """Return what a player knows in a state in which a player, or all, are to move.

    player : the player asked where all move at once; None: the first who has a choice. Raises `GameError` for
    another player than the one to move.
    """
    name = state.get_game().get_type().short_name
    if state.is_simultaneous_node():
        asked = [p for p in range(state.get_game().num_players()) if state.legal_actions(p)]
    else:
        asked = [int(state.current_player())]
    if player is None:
        player = asked[0]
    if player not in asked:
        raise GameError(
            f"player {player} of {name} is not to move here", mend=f"{asked} are, of players by number"
        )
    return OpenSpielKnown(state, player)
