"""Counting move sequences: the quickest strong test of a game's rules.

A wrong rule nearly always changes these counts, and they are published for many games. Where a count is
wrong, `divide` says under which first move; follow that move and divide again, down to the position where
the rules go wrong. The name is from chess programming ("performance test").
"""

from __future__ import annotations

from collections.abc import Hashable

from branchwise.errors import SettingsError
from branchwise.search.facts import action_text, check_is_state
from branchwise.testing.states import State, children, table_key

_Counts = dict[tuple[Hashable, int], int]


def perft(state: State, depth: int) -> int:
    """Return the number of sequences of exactly `depth` moves that can be played from `state`.

    A game that is over sooner counts for nothing; the last of the moves may end it. So the count at depth
    0 is 1, and from a finished game it is 0 at any other depth. Each outcome of chance counts as a move.

    Positions that are reached in several ways are counted once and remembered, if the states are equal by
    content, as those of a `Game` are.

    state : unchanged; `GameError` if it is none.   depth : at least 0, else `SettingsError`.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> [perft(ConnectFour(), depth) for depth in range(5)]
    [1, 7, 49, 343, 2401]
    """
    check_is_state(state)
    if depth < 0:
        raise SettingsError(f"perft cannot count to the depth {depth}", mend="depths start at 0")
    return _count(state, depth, {})


def divide(state: State, depth: int) -> dict[str, int]:
    """Return the sequences of exactly `depth` moves by the name of their first move; they sum to `perft`.

    Should the names of two moves be the same, the number of the later one is added to its name.

    state : unchanged; `GameError` if it is none.   depth : at least 1, else `SettingsError`.

    >>> from branchwise.games.nim import Nim
    >>> divide(Nim(chips=5), 3)
    {'1': 6, '2': 3, '3': 1}
    """
    check_is_state(state)
    if depth < 1:
        raise SettingsError(f"divide cannot count to the depth {depth}", mend="depths start at 1")
    known: _Counts = {}
    counts: dict[str, int] = {}
    for action, after in children(state):
        name = action_text(state, action)
        counts[f"{name} ({action})" if name in counts else name] = _count(after, depth - 1, known)
    return counts


def _count(state: State, depth: int, known: _Counts) -> int:
    if depth == 0:
        return 1
    if depth == 1:
        return 0 if state.is_terminal() else len(state.legal_actions())
    place = table_key(state)
    if place is not None and (place, depth) in known:
        return known[place, depth]
    count = sum(_count(after, depth - 1, known) for _, after in children(state))
    if place is not None:
        known[place, depth] = count
    return count
