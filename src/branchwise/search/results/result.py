"""The result of a search."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from html import escape
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from branchwise.common.errors import BranchwiseError, SettingsError
from branchwise.game.kinds.continuous_actions import as_action, as_plain, has_texts, short_text
from branchwise.rules.facts.facts import GameFacts, action_text, apply_legal, copied
from branchwise.search.results.read_once import ReadOnce
from branchwise.search.results.return_distribution import Spread
from branchwise.search.tree.view import SearchTree

if TYPE_CHECKING:
    from rich.console import Group

    from branchwise.drawing.table import Table
    from branchwise.search.drivers.root_source import Deals
    from branchwise.search.session.belief import Belief
    from branchwise.search.session.search_session import Readable
    from branchwise.search.tree.view import Lease

_SHOWN_ROWS = 12
_SHOWN_LINE = 8


class Unread:
    """Stands for an attribute of a child that has not been read from the tree yet."""

    def __init__(self, read: Callable[[], Any]) -> None:
        self.read = read

    def __reduce__(self) -> tuple[Any, ...]:
        return _itself, (self.read(),)


def _itself(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Child:
    """One action at the root, with its statistics.

    value : mean return of the player to move at the root, or its proven value; None without visits.
    lower_bound : a lower confidence bound (95 %) of the value, never below the proven bound.
    proven : value under best play; None unless it is known.   lower, upper : proven bounds of that value.
    moves_to_end : moves, this one included, to the end of a proven game if winners hurry and losers delay;
    None unless it is proven.
    prior : None if the search keeps no priors.   line : the expected play from here on.
    spread : distribution of the returns; None unless the planner has `spread` or `risk`.
    available : how often the action was legal in a simulation, where states differ from one simulation to the
    next; None where one state is searched.
    """

    action: Any
    visits: int
    value: float | None
    lower_bound: float | None
    line: tuple[Any, ...]
    prior: float | None = None
    proven: float | None = None
    lower: float = -math.inf
    upper: float = math.inf
    moves_to_end: int | None = None
    spread: Spread | None = None
    available: int | None = None

    def __eq__(self, other: object) -> bool:
        if type(other) is not Child:
            return NotImplemented
        mine, theirs = _values(self), _values(other)
        return mine == theirs

    def __hash__(self) -> int:
        return hash(_values(self))

    @property
    def _key(self) -> Any:
        """The action as a key of a dict."""
        return as_plain(self.action)


def _values(child: Child) -> tuple[Any, ...]:
    values = [getattr(child, part.name) for part in fields(child)]
    return tuple(tuple(map(as_plain, value)) if type(value) is tuple else as_plain(value) for value in values)


class _ReadLater:
    """An attribute of `Child` that is read from the tree on first access, if it is given as `Unread`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, child: Child, owner: type[Child]) -> Any:
        value = vars(child)[self._name]
        if isinstance(value, Unread):
            value = vars(child)[self._name] = value.read()
        return value

    def __set__(self, child: Child, value: Any) -> None:
        vars(child)[self._name] = value


Child.line = _ReadLater("line")  # type: ignore[assignment]
Child.moves_to_end = _ReadLater("moves_to_end")  # type: ignore[assignment]


@dataclass(frozen=True)
class SearchResult:
    """Result of one search; values are for `player`, the player to move at the root.

    ended_by : "simulations", "seconds", "nodes", "proven" (the root is solved), "complete" (nothing new to
    visit under a limit of nodes), "decided" (by `early_stop`), "stopped" (by `MCTS.stop`), "interrupted"
    (Ctrl-C), "no deal" (no state was found that fits what the player knows; the order of the actions is then
    random), or "" while it runs.
    simulations : of this search; visits also count those of earlier searches that `MCTS.advance` has kept.
    memory_full : whether the tree filled its memory, so that the search continued without growing it.
    seed : reproduces the tree, with the same budget in simulations.
    scale : the returns of `player` that selection scaled to 0 and 1; see `MCTS`. None if there were no
    returns.

    A result is a value: it does not change when the search continues or the planner advances, and can be
    copied and pickled at any time. Its tree is kept only if it was accessed before that; see `tree`.

    >>> import branchwise as bw
    >>> from branchwise.games.nim import Nim
    >>> result = bw.MCTS(seed=1).search(Nim(), simulations=2000)
    >>> result.best_action, result.simulations, result.ended_by
    (0, 2000, 'simulations')
    """

    state: Any
    player: int
    children: tuple[Child, ...]
    simulations: int
    seconds: float
    ended_by: str
    memory_full: bool
    seed: int
    facts: GameFacts = field(repr=False)
    scale: tuple[float, float] | None = None
    is_open: bool = False
    """Whether nodes of the tree stand for decisions only: see `MCTS`, open_loop."""
    is_drawn: bool = False
    """Whether actions in the tree are followed by drawn outcomes, numbered from 0 in the order of drawing."""
    deals: Deals | None = None
    """The states that simulations began in, of a search by what a player knows; else None."""
    belief: Belief | None = None
    """The belief that was planned from, of a partially observed problem; else None."""
    moves: int | None = None
    """Moves played in the tree, in playouts, and to evaluate new children; each led to a new state.
    None if it is not known."""
    _source: Source | None = field(default=None, repr=False, compare=False)

    @cached_property
    def nodes(self) -> int:
        """Number of nodes of the tree, or of the largest of several, when the result was made."""
        assert self._source is not None
        return self._source.size.value

    @cached_property
    def tree(self) -> SearchTree:
        """The tree as this search left it, the largest of several.

        It must be accessed before the search continues or the planner advances, and is copied when they do:
        most programs never look at the trees of their results. Raises `BranchwiseError` when it is too late.
        """
        tree = None if self._source is None else self._source.tree()
        if tree is None:
            raise BranchwiseError(
                "the tree of this result can no longer be read: the planner has changed it since",
                mend="look at result.tree, or save it, before the search goes on or the planner advances",
            )
        return tree

    @property
    def live_tree(self) -> SearchTree:
        """The planner's tree as it is now, for pictures of a running search.

        It cannot be read after the planner has advanced. For a copy of a result this is its own tree.
        """
        return self.tree if self._source is None else self._source.live

    def __getstate__(self) -> dict[str, Any]:
        """Return the values to be copied and pickled, with the tree if it can still be read."""
        with suppress(BranchwiseError):
            _ = self.tree
        _ = self.nodes
        return {name: value for name, value in vars(self).items() if name != "_source"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _source=None)

    @property
    def best_action(self) -> Any:
        """The first of the children: by the planner's `choice`, after any proofs; see `root_choice`.

        An int; a continuous action is a read-only float64 array.
        """
        return self.children[0].action

    @property
    def value(self) -> float:
        """Mean return, for the player to move, of the best action."""
        value = self.children[0].value
        return math.nan if value is None else value

    @property
    def principal_variation(self) -> tuple[Any, ...]:
        """The expected play: from each node the action with the most visits."""
        return self.children[0].line

    @property
    def simulations_per_second(self) -> float:
        return self.simulations / self.seconds if self.seconds else math.inf

    def policy(self, temperature: float = 1.0) -> dict[Any, float]:
        """Return a probability for each action, proportional to visits ** (1 / temperature).

        Continuous actions are tuples of numbers here.

        temperature : from 0, which gives the best action probability 1. So does a proven best action at any
        temperature; an action proven to be worse than another gets 0.

        >>> from branchwise.games.nim import Nim
        >>> import branchwise as bw
        >>> policy = bw.MCTS(seed=1).search(Nim(), simulations=100).policy()
        >>> round(sum(policy.values()), 9)
        1.0
        """
        if not 0 <= temperature < math.inf:
            raise SettingsError(f"temperature = {temperature} is outside its range", mend="at least 0")
        best = self.children[0]
        if temperature == 0 or best.proven is not None:
            return {child._key: float(child is best) for child in self.children}
        safe = max(child.lower for child in self.children)
        visits = [child.visits if child.upper > safe else 0 for child in self.children]
        most = max(*visits, 1)
        weights = [(count / most) ** (1 / temperature) if count else 0.0 for count in visits]
        if not any(weights):
            weights[0] = 1.0
        total = math.fsum(weights)
        return {child._key: w / total for child, w in zip(self.children, weights, strict=True)}

    @property
    def leads_by_visits(self) -> bool:
        """Whether the best action has the most visits."""
        return self.children[0].visits == max(child.visits for child in self.children)

    def action_text(self, action: Any) -> str:
        """Return an action at the root in the game's notation."""
        return action_text(self.state, action)

    def moves_of(self, line: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the moves of a line of play from the root, without the outcomes or observations between.

        >>> import branchwise as bw
        >>> known = bw.Playthrough(bw.load_game("kuhn_poker")(), "K J").information_state(0)
        >>> result = bw.MCTS(seed=1).search(known, simulations=1000)
        >>> result.principal_variation, result.moves_of(result.principal_variation)
        ((0, 0, 0), (0, 0))
        """
        return line[::2] if self.is_drawn else line

    def line_text(self, line: tuple[Any, ...], most: int | None = None) -> str:
        """Return a line of play from the root in the game's notation, at most `most` moves of it."""
        if self.is_drawn:
            moves = line[:most]
            if self.deals is not None:
                return " ".join(action_text(self.state, move) for move in self.moves_of(moves))
            return " ".join(
                f"~{move + 1}" if place % 2 else action_text(self.state, move)
                for place, move in enumerate(moves)
            )
        if self.is_open:
            return " ".join(action_text(self.state, action) for action in line[:most])
        state = copied(self.state)
        words = []
        for action in line[:most]:
            words.append(action_text(state, action))
            apply_legal(state, action)
        return " ".join(words)

    def _spent(self) -> dict[str, Any]:
        """Return what the search took, as plain values."""
        return {
            "simulations": self.simulations,
            "seconds": self.seconds,
            "nodes": self.nodes,
            "ended_by": self.ended_by,
            "memory_full": self.memory_full,
            "seed": self.seed,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values that JSON can hold."""
        return {
            "game": self.facts.name,
            "player": self.player,
            "best_action": as_action(self.best_action),
            "best_move": self.action_text(self.best_action),
            "value": self.value,
            **self._spent(),
            "scale": None if self.scale is None else list(self.scale),
            "principal_variation": self.line_text(self.principal_variation).split(),
            "children": [
                {
                    "action": as_action(child.action),
                    "move": self.action_text(child.action),
                    "visits": child.visits,
                    "value": child.value,
                    "lower_bound": child.lower_bound,
                    "proven": child.proven,
                    "moves_to_end": child.moves_to_end,
                    "prior": child.prior,
                    "spread": None if child.spread is None else child.spread.to_dict(),
                    "line": self.line_text(child.line).split(),
                }
                for child in self.children
            ],
        }

    @cached_property
    def title(self) -> str:
        """One line: the game, who is to move, the budget spent."""
        speed = f", {self.simulations_per_second / 1000:,.0f} k/s" if self.seconds > 0 else ""
        full = ", memory full" if self.memory_full else ""
        full += f", proven {self.value:+g}" if self.ended_by == "proven" else ""
        if self.scale not in (None, (self.facts.min_return, self.facts.max_return)):
            full += ", returns scaled from {:g} to {:g}".format(*self.scale)
        if self.deals is not None:
            again = f", {self.deals.repeated:,} of them again" if self.deals.repeated else ""
            full += f", {self.deals.dealt:,} deals{again}"
        if self.belief is not None:
            full += f", {len(self.belief):,} particles, {self.belief.left:,} left"
        return (
            f"{self.facts.name}: player {self.player} to move, {self.simulations:,} simulations in "
            f"{self.seconds:.2f} s{speed}{full}"
        )

    def to_table(self, rows: int = _SHOWN_ROWS) -> Table:
        """Return the actions as a rich table of at most `rows` rows."""
        from branchwise.drawing.table import Table

        table = Table()
        for name in ("action", "visits", "share", "value", "lower"):
            table.add_column(name, justify="left" if name == "action" else "right")
        proven = any(child.proven is not None for child in self.children)
        if proven:
            table.add_column("proven", justify="right")
        spread = any(child.spread is not None for child in self.children)
        for name in ("deviation", "5 %", "95 %") if spread else ():
            table.add_column(name, justify="right")
        table.add_column("line", no_wrap=True)
        total = max(sum(child.visits for child in self.children), 1)
        briefly = self.facts.dimensions > 0 and not has_texts(self.state)
        for number, child in enumerate(self.children[:rows]):
            cells = [
                short_text(child.action) if briefly else self.action_text(child.action),
                f"{child.visits:,}",
                f"{child.visits / total:.1%}",
                _signed(child.value),
                _signed(child.lower_bound),
                *([_proven(child, self.facts)] if proven else []),
                *(_spread_cells(child) if spread else []),
                " ".join(map(_short, child.line[:_SHOWN_LINE]))
                if briefly
                else self.line_text(child.line, _SHOWN_LINE),
            ]
            table.add_row(*cells, style="bold" if number == 0 else "")
        if len(self.children) > rows:
            table.add_row(f"+{len(self.children) - rows} more", style="dim")
        return table

    def _repr_html_(self) -> str:
        """Return the table and a picture of the tree, for notebooks."""
        shown = f'<pre style="overflow-x:auto">{escape(str(self))}</pre>'
        with suppress(BranchwiseError):  # the planner may have advanced
            shown += self.tree._repr_html_()
        return shown

    def __rich__(self) -> Group:
        from rich.console import Group

        return Group(self.title, self.to_table())

    def __str__(self) -> str:
        from branchwise.drawing.table import as_text

        return as_text(self)


def uninterrupted(result: SearchResult) -> SearchResult:
    """Return `result`, or raise KeyboardInterrupt if Ctrl-C ended its search.

    For searches inside a larger program, where Ctrl-C is meant for the program.
    """
    if result.ended_by == "interrupted":
        raise KeyboardInterrupt
    return result


class Source:
    """Access to a result's tree: the planner's, as long as that has not changed."""

    def __init__(self, live: SearchTree, stand: Lease, unread: WeakSet[Readable]) -> None:
        self.live = live
        self.size: ReadOnce[int] = ReadOnce(partial(len, live))
        self._stand = stand
        self._unread = unread
        unread.add(self.size)

    def tree(self) -> SearchTree | None:
        """Return the tree, which will be copied before it changes; None if it has already changed."""
        if not self._stand.valid:
            return None
        tree = self.live.as_value()
        self._unread.add(tree.reader)
        # Code that changes the tree first ends the lease, and then reads what is unread.
        return tree if self._stand.valid else None


def _proven(child: Child, facts: GameFacts) -> str:
    if child.proven is not None:
        return _signed(child.proven)
    return f"<={_signed(child.upper)}" if child.upper < facts.max_return else ""


def _spread_cells(child: Child) -> list[str]:
    spread = child.spread
    if spread is None:
        return ["", "", ""]
    return [f"{spread.deviation:.3f}", _signed(spread.quantile(0.05)), _signed(spread.quantile(0.95))]


def _short(move: Any) -> str:
    """Return an action of a line, or a drawn outcome, as text."""
    return short_text(move) if isinstance(move, np.ndarray) else f"~{move + 1}"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.3f}"
