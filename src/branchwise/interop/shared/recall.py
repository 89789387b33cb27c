"""All that each player has seen in a game, as text, for states that are copied and played on in many ways."""

from __future__ import annotations

from typing import Any

from branchwise.common.players import NO_ACTION, SIMULTANEOUS
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import action_text
from branchwise.rules.knowledge.information import Observation, Watcher, event_text, observation_text


class Recall:
    """A moment of a game with the moves before it. Copies share it, because nothing that it tells changes.

    What a player has seen is worked out when it is asked for, and remembered.

    state : the state at this moment, which nobody changes any more.   before : the last moment; None at the
    start.   action : what led from there to here; a tuple of actions where all players moved at once.
    """

    def __init__(self, state: Game, before: Recall | None = None, action: Any = None) -> None:
        self._state, self._before, self._action = state, before, action
        self._known: dict[int, tuple[str, Observation]] = {}

    def __deepcopy__(self, memo: object) -> Recall:
        return self

    def text(self, player: int) -> str:
        """Return all that `player` has seen and done, as one line.

        It is the same at two moments exactly if these look the same to the player.

        >>> from branchwise.games.kuhn_poker import KuhnPoker
        >>> first, second = Recall(KuhnPoker.from_actions("J K")), Recall(KuhnPoker.from_actions("Q K"))
        >>> first.text(1)
        'hands[1]=3 dealt=2'
        >>> first.text(1) == second.text(1), first.text(0) == second.text(0)
        (True, False)
        """
        moment, later = self, []
        while moment._before is not None and player not in moment._known:
            later.append(moment)
            moment = moment._before
        if player not in moment._known:
            seen = moment._state.observation(player)
            moment._known[player] = observation_text(type(moment._state), player, None, seen), seen
        for moment in reversed(later):
            moment._known[player] = moment._learned(player)
        return moment._known[player][0]

    def _learned(self, player: int) -> tuple[str, Observation]:
        """Return what a player has seen and sees, if it is known of the moment before."""
        assert self._before is not None
        text, looked = self._before._known[player]
        state = self._before._state
        watcher = Watcher(type(state), player)
        mover, action, words = int(state.current_player()), self._action, ""
        seen = watcher.seen(state, action, mover)
        if mover == SIMULTANEOUS and action[player] != NO_ACTION:
            mover, action = player, action[player]
        if mover == player:
            words = action_text(state, action)
        event = watcher.event(looked, self._state, action, mover, seen, words)
        if not event.is_visible:
            return text, looked
        told = event_text(type(state), player, looked, event)
        return f"{text}; {told}" if text else told, looked if event.observation is None else event.observation
