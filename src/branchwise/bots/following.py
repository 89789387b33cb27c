"""Finding the moves that lead from one state of a game to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.game import Game
from branchwise.rules.facts import apply_legal, copied

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
        self._state: Any = None
        self._moves: list[int] | None = None
        self._told: list[int] | None = None

    def be_told(self, actions: Sequence[int]) -> None:
        """Accept `actions` as those that lead to the next state asked for; they are checked then."""
        self._told = [int(action) for action in actions]

    def note(self, action: int) -> None:
        """Record that `action` is played in the state last asked for."""
        if self._state is not None:
            self._state.apply_action(action)
            if self._moves is not None:
                self._moves.append(action)

    def moves_to(self, state: Any) -> list[int] | None:
        """Return actions that lead from the start of the game to `state`, or None if unknown."""
        told, self._told = self._told, None
        history = getattr(state, "history", None)
        if callable(history):
            return [int(action) for action in history()]
        if told is not None and self._play_told(told, state):
            return list(told)
        known = self._state if type(self._state) is type(state) else None
        path = None if known is None else _path(known, state)
        if path is None:
            known = start_of(state)
            self._moves = None if known is None else _path(known, state)
        elif self._moves is not None:
            self._moves += path
        self._state = copied(state)
        return None if self._moves is None else list(self._moves)

    def _play_told(self, told: list[int], state: Any) -> bool:
        """Whether the moves given lead to `state`; if so, adopt them."""
        after, done = self._state, self._moves
        if done is None or type(after) is not type(state) or told[: len(done)] != done:
            after, done = start_of(state), []
        if after is None:
            return False
        after = copied(after)
        for action in told[len(done) :]:
            if after.is_terminal() or action not in after.legal_actions():
                return False
            apply_legal(after, action)
        if after != state:
            return False
        self._state, self._moves = after, told
        return True


def start_of(state: Any) -> Any:
    """Return the start of the game of `state`; None if its class cannot make one."""
    if isinstance(state, Game):
        return type(state)()
    game: Any = state.get_game() if callable(getattr(state, "get_game", None)) else None
    return game.new_initial_state() if callable(getattr(game, "new_initial_state", None)) else None


def _path(before: Any, after: Any) -> list[int] | None:
    return [] if before == after else moves_between(before, after, None)


def moves_between(before: Any, after: Any, first: int | None) -> list[int] | None:
    """Return moves that lead from one state to another, or None if none are found.

    first : the first move, or None if unknown. Tries only few moves, in at most some thousand states; a state
    with a history of its moves needs no search.
    """
    history = getattr(after, "history", None)
    if callable(history):
        past, now = list(before.history()), list(history())
        return now[len(past) :] if now[: len(past)] == past else None
    start = copied(before)
    lines: list[tuple[list[int], Any]] = [([], start)]
    if first is not None:
        apply_legal(start, first)
        lines = [([first], start)]
        if start == after:
            return [first]
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
