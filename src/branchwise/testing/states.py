"""The interface that testing tools require of a state: OpenSpiel's methods. Equality is used if defined."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Protocol, cast

from branchwise.rules.facts import apply_legal, compares_by_content, copied


class State(Protocol):
    """A state of any game: a `Game`, a `pyspiel` state, or a similar object with `clone` or `copy`."""

    def current_player(self) -> int: ...
    def legal_actions(self) -> Sequence[int]: ...
    def apply_action(self, action: int, /) -> object: ...
    def is_terminal(self) -> bool: ...
    def returns(self) -> Sequence[float]: ...


def child(state: State, action: int) -> State:
    """Return the state after `action`; `state` is not modified."""
    after = cast(State, copied(state))
    apply_legal(after, action)
    return after


def children(state: State) -> Iterator[tuple[int, State]]:
    """Yield each legal action with the state after it; nothing if the game is over."""
    if not state.is_terminal():
        for action in state.legal_actions():
            yield action, child(state, action)


def table_key(state: State) -> Hashable | None:
    """Return the state as a key for tables if states compare by content, else None.

    >>> from branchwise.games.nim import Nim
    >>> table_key(Nim()) == table_key(Nim())
    True
    """
    return cast(Hashable, state) if compares_by_content(type(state)) else None
