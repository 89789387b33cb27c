"""Finding the moves that lead from one state of a game to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.common.errors import ActionError
from branchwise.game.kinds.continuous_actions import Plain, as_plain, has_box
from branchwise.game.kinds.game_kinds import starts_at_random
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import apply_legal, copied, draws_what_happens
from branchwise.rules.facts.game_type import openspiel_game, openspiel_method
from branchwise.rules.playthrough.playthrough import Playthrough

_MOST_MOVES = 3
_MOST_STATES = 4000


class Follower:
    """Tracks the moves from the start of a game to the current state.

    It gets the moves from the caller, or from the state's history, or it has seen the game from its start and
    finds the few moves between one state and the next.

    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> follower, state = Follower(), TicTacToe()
    >>> for action in (4, 0, 8):
    ...     state.apply_action(action)
    ...     print(follower.moves_to(state))
    [4]
    [4, 0]
    [4, 0, 8]
    >>> Follower().moves_to(TicTacToe.from_actions(["a1", "b2", "c3", "a2", "a3"])) is None
    True
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Forget the game."""
        self._played: Playthrough[Any] | None = None
        self._from_start = False
        """Whether the known moves begin at the start of the game."""

    def note(self, action: Any) -> None:
        """Record that `action` is played in the last state given to `moves_to`."""
        if self._played is not None and not draws_what_happens(self._played.state):
            self._played.play(action)

    def moves_to(self, state: Any, given: Sequence[Any] | None = None) -> list[Plain] | None:
        """Return actions that lead from the start of the game to `state`, or None if unknown.

        given : actions said to lead there, which are checked. Continuous actions are known only from there.
        """
        history = openspiel_method(state, "history")
        if history is not None:
            return [int(action) for action in history()]
        if not (given is not None and self._play_given([_plain(action) for action in given], state)):
            self._find(state)
        assert self._played is not None
        return [_plain(action) for action in self._played.actions] if self._from_start else None

    def _find(self, state: Any) -> None:
        """Append the few moves that lead to `state` from the last state or from the start of the game."""
        played = self._played
        path = None
        if draws_what_happens(state):
            self._played, self._from_start = Playthrough(state), False
            return
        if played is not None and type(played.state) is type(state):
            path = _path(played.state, state)
        if path is None:
            start = start_of(state)
            path = None if start is None else _path(start, state)
            self._from_start = path is not None
            played = Playthrough(start if self._from_start else state)
        assert played is not None
        for action in path or ():
            played.play(action)
        self._played = played

    def _play_given(self, given: list[Plain], state: Any) -> bool:
        """Adopt the given moves if they lead to `state`; return whether they do."""
        played, done = self._played, 0
        if played is not None and self._from_start and type(played.state) is type(state):
            done = played.ply if given[: played.ply] == list(map(_plain, played.actions)) else 0
        if not done:
            start = start_of(state)
            if start is None:
                return False
            played = Playthrough(start)
        assert played is not None
        after = played.copy()
        try:
            for action in given[done:]:
                after.play(action)
        except ActionError:
            return False
        if after.state != state:
            return False
        self._played, self._from_start = after, True
        return True


def _plain(action: Any) -> Plain:
    """Return an action as a number, or a vector as a tuple."""
    plain: Plain = as_plain(action)
    return plain if isinstance(plain, tuple) else int(plain)


def start_of(state: Any) -> Any:
    """Return the start of the game of `state`; None if its class cannot make one."""
    if isinstance(state, Game):
        return None if starts_at_random(type(state)) else type(state)()
    game = openspiel_game(state)
    return game.new_initial_state() if callable(getattr(game, "new_initial_state", None)) else None


def _path(before: Any, after: Any) -> list[Any] | None:
    return [] if before == after else moves_between(before, after, None)


def moves_between(before: Any, after: Any, first: Any) -> list[Any] | None:
    """Return moves that lead from one state to another, or None if none are found.

    first : the first move, or None if unknown. Tries only a few moves, in at most a few thousand states; a
    state with a history of its moves needs no search. Of continuous actions, only the first is tried.
    """
    if draws_what_happens(after):
        return None
    history = openspiel_method(after, "history")
    if history is not None:
        past, now = list(before.history()), list(history())
        return now[len(past) :] if now[: len(past)] == past else None
    start = copied(before)
    lines: list[tuple[list[Any], Any]] = [([], start)]
    if first is not None:
        apply_legal(start, first)
        lines = [([first], start)]
        if start == after:
            return [first]
    if has_box(after):  # its moves cannot be listed
        return None
    tried = 0
    for _ in range(_MOST_MOVES):
        longer = []
        for line, state in lines:
            if state.is_terminal():
                continue
            for action in state.legal_actions():
                tried += 1
                if tried > _MOST_STATES:
                    return None
                twin = copied(state)
                apply_legal(twin, action)
                if twin == after:
                    return [*line, action]
                longer.append(([*line, action], twin))
        lines = longer
    return None
