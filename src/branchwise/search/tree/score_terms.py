"""Showing how the selection rule scores the children of a node, term by term.

A kernel examines the children as selection does; this module converts its numbers to returns. See
`core.simulation.select.compare`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.core.descents.phase_records import survey_children, survey_legal
from branchwise.core.machine.kernel import Kernel
from branchwise.core.simulation.select import (
    BEATEN,
    CHILD_STATISTICS,
    LEFT_OUT,
    SCORED,
    SOLVED,
    UNVISITED,
    Child,
)
from branchwise.pictures.simulation_report import Bounds, Move, Sibling
from branchwise.search.composition.search_object import Search
from branchwise.search.tree.node_reader import Reader, Scale

keep_on_disk()

_FATES = {SCORED: "lower", UNVISITED: "untried", SOLVED: "solved", BEATEN: "beaten", LEFT_OUT: "left out"}
_VISITS, _AMAF_VISITS = Child._fields.index("visits"), Child._fields.index("amaf_visits")
_ADDS_EXPLORATION = ("ucb1", "ucb1_tuned", "sp_mcts", "puct", "progressive_bias", "progressive_history")
"""Built-in rules whose score is the value plus an exploration term."""
_GAINS = ("heuristic", "amaf_value", "history")
"""Statistics of a `Child` that are gains."""


class Survey:
    """Scores the children of one node at a time by the selection rule of `search`.

    run : calls a kernel with the search and further arguments; None: its machine code, compiled if need be.
    """

    def __init__(self, search: Search, run: Callable[..., Any] | None = None) -> None:
        composition = search.composition
        rule = composition.rule
        self.search = search
        self._run = run or partial(_run_compiled, search)
        self.reader = Reader(search.tree, Scale.of(composition.facts))
        self._facts = composition.facts
        self._adds_exploration = rule.is_own and rule.name in _ADDS_EXPLORATION
        self._other = [name for name, kept in CHILD_STATISTICS.items() if kept in rule.needs - {"priors"}]
        self._tries_first = rule.is_own and rule.name == "rave"
        self._mixes_minimax = composition.mixes_minimax
        width = search.scratch.actions.size
        if composition.walks_with_state:  # chance can let several players choose at one node
            width *= composition.facts.num_players
        self._stretching = np.array([0.0, 1.0])
        self._make_room(width)

    @classmethod
    def beside(cls, search: Search) -> Survey:
        """Return a survey that does not disturb the search, which may be running."""
        own = Search(search.composition, search.tree, 0)
        if search.scratch.history.size:
            own.scratch.history[:] = search.scratch.history
        return cls(own)

    @property
    def spread(self) -> Bounds | None:
        """The returns that count as 0 and 1 in the latest scores; None: the game's bounds."""
        if not self.search.composition.stretches:
            return None
        return self._unscaled(0.0), self._unscaled(1.0)

    def _make_room(self, width: int) -> None:
        """Allocate the results for `width` children."""
        self._seen = np.zeros((width, len(Child._fields)), np.float32)
        self._scores = np.zeros(width, np.float32)
        self.fates = np.zeros(width, np.int8)
        """SCORED to LEFT_OUT, for the children examined last."""

    def look(self, level: int) -> None:
        """Examine the children of the node at `level` of the search's path."""
        seen = (self._seen, self._scores, self.fates, self._stretching)
        self._run(survey_children, level, *seen)
        if self._tries_first:
            known = self._seen[:, _VISITS] + self._seen[:, _AMAF_VISITS]
            self.fates[(self.fates == SCORED) & (known == 0)] = UNVISITED

    def look_at(self, path: Sequence[int]) -> None:
        """Examine the children of the last node of `path`, which starts at the root."""
        levels = self.search.visit.levels
        for level, node in enumerate(path):
            links = self.reader.links
            levels[level]["node"] = node if links is None else links[node]
            levels[level]["edge"] = node
        self.look(len(path) - 1)

    def look_openly(self, node: int, legal: Sequence[bool]) -> None:
        """Examine the children of `node` in an open loop; legal : for each of them, whether it is legal now.

        node : a node where a player is to move.
        """
        flags = np.array(legal, np.uint8)
        if flags.size > self.fates.size:  # a node may have any number of continuous actions
            self._make_room(2 * flags.size)
        seen = (self._seen, self._scores, self._stretching)
        self._run(survey_legal, np.int64(node), flags, *seen)
        unseen = np.isnan(self._scores[: flags.size])
        self.fates[: flags.size] = np.where(unseen, UNVISITED, SCORED)

    def sibling(self, place: int, child: int, move: Move, *, chosen: bool = False) -> Sibling:
        """Return the figures of `child`, which is number `place` of the node examined last."""
        fate = int(self.fates[place])
        value = self.reader.value_of(child)
        score = exploration = None
        other: dict[str, float] = {}
        if fate == SCORED:
            seen = dict(zip(Child._fields, self._seen[place].tolist(), strict=True))
            score = self._unscaled(float(self._scores[place]))
            if not math.isnan(seen["value"]):
                if value is None or self._mixes_minimax:
                    value = self._unscaled(seen["value"])
                exploration = score - value if self._adds_exploration else None
                other = {name: self._in_returns(name, seen[name]) for name in self._other}
        return Sibling(
            child,
            move,
            self.reader.visits_of(child),
            value,
            exploration,
            score,
            self.prior(child),
            other,
            self.bounds([child])[0],
            "chosen" if chosen else _FATES[fate],
        )

    def outcome(self, child: int, move: Move, *, drawn: bool = False) -> Sibling:
        """Return the figures of an outcome of chance."""
        return Sibling(
            node=child,
            move=move,
            visits=self.reader.visits_of(child),
            value=self.reader.value_of(child),
            exploration=None,
            score=None,
            prior=None,
            other={},
            bounds=self.bounds([child])[0],
            fate="chosen" if drawn else "not drawn",
            probability=self.probability(child),
        )

    def children(self, node: int) -> list[int]:
        """Return the children of a node, in the order of their first visits."""
        found: list[int] = self.reader.children(np.array([node]))[0].tolist()
        return found

    def bounds(self, nodes: list[int]) -> list[Bounds]:
        """Return the proven bounds of nodes."""
        return [self.reader.bounds_of(node) for node in nodes]

    def prior(self, child: int) -> float | None:
        """Return the prior of a child; None if the search keeps none."""
        priors = self.reader.priors
        return None if priors is None else float(priors[child])

    def probability(self, outcome: int) -> float | None:
        """Return the probability of an outcome of chance; None if outcomes are drawn, not listed."""
        chances = self.reader.probabilities
        return None if chances is None else float(chances[outcome])

    def as_return(self, gain: float) -> float:
        """Convert a gain, scaled by the game's bounds, to a return."""
        return self._facts.no_gain + self._facts.span * float(gain)

    def _in_returns(self, name: str, statistic: float) -> float:
        """Convert a statistic of a child to returns; numbers of visits and random draws stay as they are."""
        if name == "variance":
            return statistic * (self._facts.span / float(self._stretching[1])) ** 2
        return self._unscaled(statistic) if name in _GAINS else statistic

    def _unscaled(self, score: float) -> float:
        """Convert a score or a scaled gain of the children examined last to a return."""
        low, stretch = self._stretching.tolist()
        return self.as_return(low + score / stretch)


def _run_compiled(search: Search, kernel: Kernel, *args: Any) -> Any:
    return call(kernel, search.native, *args)
