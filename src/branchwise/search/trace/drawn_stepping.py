"""Running simulations one at a time, with a report of each phase, if outcomes are sampled and have nodes.

The descent advances the state, as in an open loop. Each move leads to a node of chance, and the report adds a
step from there to the outcome reached: a new one, a known one drawn again, or a known one to which the search
returned. See `core.descents.drawn_outcomes`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.compile.code.call_kernel import keep_on_disk
from branchwise.core.descents.drawn_outcomes import GO_BACK, NO_MEMORY
from branchwise.core.descents.phase_records import limit_of_outcomes
from branchwise.core.tree.node_fields import ROOT
from branchwise.pictures.simulation_report import Choice, Move, NewChild, Sibling
from branchwise.pictures.tree.tree import outcome_text
from branchwise.rules.facts.facts import copied
from branchwise.search.trace.open_stepping import OpenStepper

keep_on_disk()

_BY_ITSELF = ("new", "chance")
"""Reasons for an outcome that chance drew, rather than the search returning to it."""


class DrawnStepper(OpenStepper):
    """A `Stepper` for a closed loop with sampled outcomes."""

    def _watch_tree(self) -> dict[str, Callable[..., Any]]:
        watching = super()._watch_tree()
        texts: Any = self.texts
        texts.run(limit_of_outcomes, np.int64(ROOT))
        self._end_transition, self._end_again = texts.end_transition, texts.end_again
        return {**watching, "end_transition": self._watch_end, "end_again": self._watch_end_again}

    def _note_chance(self, before: Any, drawn: tuple[Move, ...], reached: Any) -> None:
        self._before = copied(self.way.state) if self._facts.simulates else before
        """The state at the node of chance, before the draw."""
        self._brought = drawn
        self._reached = reached

    def _watch_end(self, texts: Any, depth: int, key: Any) -> int:
        node = self.search.visit.levels[depth]["node"]
        self._limit = int(texts.run(limit_of_outcomes, np.int64(node)))
        found: int = self._end_transition(texts, depth, key)
        if found < 0 or found == GO_BACK:
            return found
        if found >> 1 == depth:
            self._end_at_chance()
        else:
            self._go_to_outcome(depth, "new" if found & 1 else "chance")
        return found

    def _watch_end_again(self, texts: Any, depth: int, outcome: int, key: Any) -> int:
        found: int = self._end_again(texts, depth, outcome, key)
        if found >= 0:
            self._go_to_outcome(depth, "full" if self._limit == NO_MEMORY else "back")
        return found

    def _end_at_chance(self) -> None:
        """Report that the path ends at a node of chance, because there is no memory for its first outcome."""
        super()._note_chance(self._before, self._brought, self._reached)
        self._is_new, self._is_full = False, True

    def _go_to_outcome(self, depth: int, because: str) -> None:
        """Report the last move and its outcome."""
        way, last = self.way, self._choices[-1]
        chance = last.siblings[last.chosen]
        way.go(chance.node, chance.move, self._before)
        mover = way.movers[-1]
        assert mover is not None  # a player moved here
        children = self._children(way)
        reached = children.index(int(self.search.visit.levels[depth + 1]["edge"]))
        siblings = tuple(
            self._outcome_seen(child, drawn=place == reached, by_itself=because in _BY_ITSELF)
            for place, child in enumerate(children)
        )
        visits, board = self._reader.visits_of(chance.node), str(way.state)
        is_limited = self.search.composition.settings.outcome_widening is not None
        choice = Choice(
            chance.node,
            way.line(),
            CHANCE,
            visits,
            siblings,
            reached,
            because,
            mover,
            board=board,
            drawn=self._brought,
            limit=max(self._limit, 1) if is_limited and self._limit != NO_MEMORY else None,
        )
        self._choices.append(choice)
        outcome = siblings[reached]
        if because == "new":
            self._added = self._added or (NewChild(outcome.node, outcome.move, None, None),)
            self._grown += 1
        way.go(outcome.node, outcome.move, self._reached)

    def _outcome_seen(self, child: int, *, drawn: bool, by_itself: bool) -> Sibling:
        """Return the figures of an outcome before this simulation.

        drawn : whether this simulation reached it.   by_itself : whether chance drew the outcome reached,
        rather than the search returning to it.
        """
        number = self._reader.action_of(child)
        found = self._survey.outcome(child, Move(CHANCE, number, outcome_text(number)), drawn=drawn)
        return replace(found, came=int(self.search.tree.drawn[child]) - int(drawn and by_itself))
