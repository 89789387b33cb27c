"""Counting move sequences: the quickest strong test of a game's rules.

Nearly every wrong rule changes these counts, and they are published for many games. If a count is wrong,
`divide` shows the first move at fault. Play that move and divide again, until you reach the position where
the rules are wrong. The name comes from chess programming ("performance test").
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeVar

from branchwise.common.errors import SettingsError
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import action_text, check_is_listed, check_is_state
from branchwise.testing.state_interface import State, children, moves, table_key

_Count = TypeVar("_Count", int, dict[str, int])
_FEW_POSITIONS = 5000
"""Positions to count in plain Python before compiling the rules; they take a fraction of a second."""


def perft(state: State, depth: int, *, compiled: bool | None = None) -> int:
    """Return the number of sequences of exactly `depth` moves from `state`.

    The last move may end the game; a game that ends sooner does not count. So the count at depth 0 is 1, and
    from a finished game it is 0 at every other depth. Each outcome of chance counts as a move, and each joint
    move of players who move at once.

    state : a `Game` or any state with OpenSpiel's methods, else `GameError`; it is not modified.
    depth : at least 0, else `SettingsError`.
    compiled : True counts with compiled rules, a million positions in a moment; only for a `Game` whose
    players move in turn. False
    counts in plain Python; if states compare by content, a position reached in several ways is searched
    once. By default small counts are made in plain Python, and larger ones of a `Game` compiled.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> [perft(ConnectFour(), depth) for depth in range(5)]
    [1, 7, 49, 343, 2401]
    """
    return _counted("perft", 0, state, depth, compiled, lambda counter: counter.count(state, depth))


def divide(state: State, depth: int, *, compiled: bool | None = None) -> dict[str, int]:
    """Return the number of sequences of exactly `depth` moves by their first move; they sum to `perft`.

    If two moves have the same name, the later one gets its number appended.

    state, compiled : as in `perft`.   depth : at least 1, else `SettingsError`.

    >>> from branchwise.games.nim import Nim
    >>> divide(Nim(chips=5), 3)
    {'1': 6, '2': 3, '3': 1}
    """
    return _counted("divide", 1, state, depth, compiled, lambda counter: _divided(counter, state, depth))


class _Counter(Protocol):
    def count(self, state: Any, depth: int, /) -> int: ...


class _PlainCounter:
    """Counts in plain Python; raises `_TooManyError` above `most` positions, or never if `most` is None."""

    def __init__(self, most: int | None) -> None:
        self._known: dict[tuple[Hashable, int], int] = {}
        self._left = most

    def count(self, state: State, depth: int) -> int:
        if depth == 0:
            return 1
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise _TooManyError
        if depth == 1:
            return len(moves(state))
        key = table_key(state)
        if key is not None and (key, depth) in self._known:
            return self._known[key, depth]
        count = sum(self.count(after, depth - 1) for _, after in children(state))
        if key is not None:
            self._known[key, depth] = count
        return count


class _TooManyError(Exception):
    """Too many positions to count in plain Python."""


def _counter(state: State, depth: int, compiled: bool | None) -> _Counter:
    if compiled:
        if not isinstance(state, Game):
            raise SettingsError(
                f"a {type(state).__name__} cannot be counted compiled",
                mend="only states of a Game have rules that compile; leave out compiled=True",
            )
        if state._joint:
            raise SettingsError(
                f"players of {state.name} move at once, and joint moves are counted in plain Python",
                mend="leave out compiled=True",
            )
        from branchwise.compile.queries.perft import CompiledCounter  # Numba takes half a second to load

        return CompiledCounter(type(state), depth)
    few = compiled is None and isinstance(state, Game) and not state._joint
    return _PlainCounter(_FEW_POSITIONS if few else None)


def _counted(
    name: str,
    least: int,
    state: State,
    depth: int,
    compiled: bool | None,
    count: Callable[[_Counter], _Count],
) -> _Count:
    """Return what `count` finds in plain Python or, if there are too many positions, with compiled rules."""
    check_is_state(state)
    check_is_listed(state, "perft")
    if depth < least:
        raise SettingsError(f"{name} cannot count to the depth {depth}", mend=f"depths start at {least}")
    try:
        return count(_counter(state, depth, compiled))
    except _TooManyError:
        return count(_counter(state, depth, True))


def _divided(counter: _Counter, state: State, depth: int) -> dict[str, int]:
    counts: dict[str, int] = {}
    for action, after in children(state):
        name = action_text(state, action)
        counts[f"{name} ({action})" if name in counts else name] = counter.count(after, depth - 1)
    return counts
