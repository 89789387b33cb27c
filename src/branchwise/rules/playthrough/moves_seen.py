"""The moves of a game as one player saw them, with their names where these follow from what was seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from branchwise.common.players import CHANCE, NO_PLAYER
from branchwise.game.kinds.continuous_actions import has_box
from branchwise.game.kinds.game_kinds import is_simulator, written_rule
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import action_text
from branchwise.rules.knowledge.information import Event, InformationState, Watcher
from branchwise.rules.playthrough.playthrough import Playthrough

UNKNOWN = "?"
"""The name of a move of which a player saw something, but not which move it was."""
MOST_TRIED = 500
"""Greatest number of actions of a game in which others' moves get names."""


@dataclass(frozen=True)
class SeenMove:
    """A move of which a player saw something.

    player : who made it, or CHANCE; NO_PLAYER if the player's view does not tell.   action : its number; None
    if it is not known.   text : its name, or a question mark.
    """

    player: int
    action: int | None
    text: str


class SeenMoves:
    """The moves of one game as `player` saw them. Moves of which the player saw nothing do not count.

    A move of another player, or of chance, gets a name if exactly one action, applied to the player's view,
    makes the player see what was seen. So names follow from the player's information state alone, and are the
    same in all games that look the same to the player.

    each_try : called before each action that is tried; if it raises, so does `update`.

    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> seen = SeenMoves(1)
    >>> seen.update(Playthrough(KuhnPoker(), "J K bet"))
    >>> [move.text for move in seen.moves]
    ['?', 'K', 'bet']
    """

    def __init__(self, player: int, *, each_try: Callable[[], object] | None = None) -> None:
        self.player = player
        self.moves: list[SeenMove] = []
        self.before: Game | None = None
        """The player's view before the last of these moves."""
        self.counts: list[int] = [0]
        """How many moves the player had seen after each move that was made."""
        self._each_try = each_try

    def update(self, played: Playthrough[Any]) -> None:
        """Add the moves that were made in `played` since the last update; none may have been taken back."""
        for ply in range(len(self.counts), played.ply + 1):
            before = played.information_state(self.player, ply - 1)
            after = played.information_state(self.player, ply)
            if len(after.events) > len(before.events):
                self.moves.append(self._named(before, after.events[-1]))
                self.before = before.view
            self.counts.append(len(self.moves))

    def _named(self, before: InformationState, event: Event) -> SeenMove:
        if event.action is not None:
            action = event.action if isinstance(event.action, int) else None
            return SeenMove(self.player, action, event.text)
        mover = _mover(before)
        fits = (a for a in self._tried(before, mover) if self._shows(before, a, event))
        fitting = list(islice(fits, 2))
        if len(fitting) != 1:
            return SeenMove(mover, None, UNKNOWN if event.seen is None else f"{UNKNOWN} ({event.seen})")
        return SeenMove(mover, fitting[0], action_text(before.view, fitting[0]))

    def _tried(self, before: InformationState, mover: int) -> range:
        """Return the actions that the move may have been; none in games in which nothing is tried."""
        game = before.game
        if mover == NO_PLAYER or has_box(game) or is_simulator(game):
            return range(0)
        actions = game.num_outcomes if mover == CHANCE else game.num_actions
        return range(actions if actions <= MOST_TRIED else 0)

    def _shows(self, before: InformationState, action: int, event: Event) -> bool:
        """Whether the player would see `event` if `action` were applied to what the player sees."""
        if self._each_try is not None:
            self._each_try()
        state: Any = before.view.copy()
        watcher = Watcher(before.game, self.player)
        try:
            seen = watcher.seen(state, action, NO_PLAYER)
            written_rule(type(state).apply_action)(state, action)
            return watcher.event(before.observation, state, action, NO_PLAYER, seen) == event
        except Exception:  # rules may fail where so much of a state is missing
            return False


def _mover(known: InformationState) -> int:
    """Return who is to move, as far as the view of a player who waits tells."""
    try:
        mover = int(known.view.current_player())
    except Exception:  # rules may fail where so much of a state is missing
        return NO_PLAYER
    others = CHANCE <= mover < known.game.num_players and mover != known.player
    return mover if others else NO_PLAYER
