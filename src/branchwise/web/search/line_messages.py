"""Lines of play from one position: their states, and their moves in the game's notation.

Results are cached, because the lines of a search change little from one report to the next.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from branchwise.common.errors import ActionError
from branchwise.game.kinds.continuous_actions import check_vector, has_box
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import draws_what_happens
from branchwise.rules.knowledge.information import InformationState
from branchwise.web.game.position_messages import move_text
from branchwise.web.protocol.action_codes import Sent, received
from branchwise.web.protocol.rule_threads import check_budget

if TYPE_CHECKING:
    from branchwise.search.results.result import SearchResult

_MOST_TEXTS = 20_000
_MOST_STATES = 128

Path = tuple[Sent, ...]


class Lines:
    """Lines from `state`; several threads can use it at the same time.

    is_open : whether lines have no fixed positions, so that moves are named as in `state`; None: if the game
    draws what its moves lead to.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> lines = Lines(ConnectFour())
    >>> lines.texts((3, 3, 2)), lines.text((3,), 3)
    (['d1', 'd2', 'c1'], 'd2')
    """

    def __init__(self, state: Game, is_open: bool | None = None) -> None:
        self._root = state.copy()
        self.is_open = draws_what_happens(state) if is_open is None else is_open
        self._texts: dict[Path, str] = {}
        self._states: OrderedDict[Path, Game] = OrderedDict()
        self._lock = threading.RLock()

    def state(self, path: Path) -> Game:
        """Return the state after `path`; do not change it. Raises `ActionError` if it cannot be played.

        If lines have no fixed positions, returns the root's state.
        """
        with self._lock:
            return self._reached(path)

    def _reached(self, path: Path) -> Game:
        if self.is_open:
            return self._root
        known = self._states.get(path)
        if known is not None:
            self._states.move_to_end(path)
            return known
        start = next((n for n in range(len(path) - 1, 0, -1) if path[:n] in self._states), 0)
        state = (self._states[path[:start]] if start else self._root).copy()
        for index, action in enumerate(path[start:], start=start):
            check_budget()
            move = _legal(state, action)
            if move is None:
                raise ActionError(f"action {action} cannot be played as move {index + 1} of the line")
            self._note(path[:index], action, state)
            state.apply_action(move)
        self._states[path] = state
        if len(self._states) > _MOST_STATES:
            self._states.popitem(last=False)
        return state

    def text(self, path: Path, action: Sent) -> str:
        """Return the text of `action` after `path`."""
        with self._lock:
            if self.is_open:
                return self._called(action)
            known = self._texts.get((*path, action))
            return self._note(path, action, self.state(path)) if known is None else known

    def texts(self, path: Sequence[Sent]) -> list[str]:
        """Return the texts of a line."""
        with self._lock:
            if self.is_open:
                return [self._called(action) for action in path]
            return self._known_texts(tuple(path))

    def _known_texts(self, whole: Path) -> list[str]:
        known = [self._texts.get(whole[: n + 1]) for n in range(len(whole))]
        if None in known:
            self.state(whole)
            known = [self._texts.get(whole[: n + 1]) for n in range(len(whole))]
        if None in known:  # the state was kept, but its moves were dropped
            return [self.text(whole[:n], action) for n, action in enumerate(whole)]
        return [text for text in known if text is not None]

    def is_over(self, path: Path) -> bool:
        """Whether the game is over after `path`, whatever happens."""
        return not self.is_open and bool(self.state(path).is_terminal())

    def _called(self, action: Sent) -> str:
        if (action,) not in self._texts:
            try:
                self._note((), action, self._root)
            except Exception:  # the rules may have no name for an action that is not legal here
                self._texts[(action,)] = str(action)
        return self._texts[(action,)]

    def _note(self, path: Path, action: Sent, state: Game) -> str:
        text = move_text(state, received(state, action))
        if len(self._texts) >= _MOST_TEXTS:
            self._texts.clear()
        self._texts[(*path, action)] = text
        return text


def lines_of(found: SearchResult) -> Lines:
    """Return the lines from the root of a search; without fixed positions if it is of what a player knows."""
    if found.deals is None:
        return Lines(found.state)
    state = found.state.view if isinstance(found.state, InformationState) else found.state
    return Lines(state, is_open=True)


def _legal(state: Game, action: Sent) -> Any:
    """Return an action as the rules expect it, or None if it is not legal in `state`."""
    if state.is_terminal():
        return None
    if not has_box(state):
        return action if action in state.legal_actions() else None
    try:
        return check_vector(state, received(state, action))
    except ActionError:
        return None
