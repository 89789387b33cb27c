"""The interface that testing tools require of a state: OpenSpiel's methods. Equality is used if defined."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import Any, Protocol, cast

from branchwise.common.errors import BranchwiseError
from branchwise.common.players import NO_ACTION, SIMULTANEOUS
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import apply_legal, compares_by_content, copied


class UnsolvableError(BranchwiseError, ValueError):
    """A game or a state that the exact solvers cannot handle."""


class State(Protocol):
    """A state of any game: a `Game`, a `pyspiel` state, or a similar object with `clone` or `copy`."""

    def current_player(self) -> int: ...
    def legal_actions(self) -> Sequence[int]: ...
    def apply_action(self, action: int, /) -> object: ...
    def is_terminal(self) -> bool: ...
    def returns(self) -> Sequence[float]: ...


def child(state: State, action: Any) -> State:
    """Return the state after an action, or a joint move; `state` is not modified."""
    after = cast(State, copied(state))
    apply_legal(after, action)
    return after


def moves(state: State) -> Sequence[Any]:
    """Return the legal actions; the joint moves where all players move at once, none if the game is over.

    >>> from branchwise.games.rock_paper_scissors import RockPaperScissors
    >>> moves(RockPaperScissors())[:4]
    [(0, 0), (0, 1), (0, 2), (1, 0)]
    """
    if state.is_terminal():
        return []
    if isinstance(state, Game) and state.current_player() == SIMULTANEOUS:
        listed = (state.legal_actions(player) or [NO_ACTION] for player in range(state.num_players))
        return list(product(*listed))
    return state.legal_actions()


def children(state: State) -> Iterator[tuple[Any, State]]:
    """Yield each move with the state after it; nothing if the game is over."""
    for move in moves(state):
        yield move, child(state, move)


def table_key(state: State) -> Hashable | None:
    """Return the state as a key for tables if states compare by content, else None.

    >>> from branchwise.games.nim import Nim
    >>> table_key(Nim()) == table_key(Nim())
    True
    """
    return cast(Hashable, state) if compares_by_content(type(state)) else None
