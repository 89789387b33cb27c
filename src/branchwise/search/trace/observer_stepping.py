"""Running simulations by what a player knows one at a time, with a report of each phase.

Each simulation begins in a state of its own, which is dealt. A move leads to an edge, and from there the
report adds a step to the node for what the player then knows; see `core.descents.one_observer`. Moves that
look the same to the player lead to the same node, so a node may be reached from several edges.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from branchwise.common.players import CHANCE
from branchwise.pictures.simulation_report import Choice, Move, NewChild, Sibling
from branchwise.pictures.tree.tree import outcome_text
from branchwise.rules.facts.facts import copied
from branchwise.search.trace.open_stepping import OpenStepper
from branchwise.search.trace.stepping import SimulationPath


class KnownStepper(OpenStepper):
    """A `Stepper` for a search by what a player knows."""

    def _watch_tree(self) -> dict[str, Callable[..., Any]]:
        texts: Any = self.texts
        watching = super()._watch_tree()
        self._begin_watching, self._enter_seen = texts.begin_watching, texts.enter_seen
        return {**watching, "begin_watching": self._watch_start, "enter_seen": self._watch_seen}

    def _watch_choices(self, texts: Any) -> dict[str, Callable[..., Any]]:
        choices = ("choose_own", "choose_other")
        return {name: partial(self._watch_choice, getattr(texts, name)) for name in choices}

    def _watch_start(self, texts: Any, state: Any) -> int:
        """Note the state that was dealt for this simulation."""
        self.way = SimulationPath([copied(state.state)])
        status: int = self._begin_watching(texts, state)
        return status

    def _note_chance(self, before: Any, drawn: tuple[Move, ...], reached: Any) -> None:
        super()._note_chance(before, drawn, reached)
        self._board = str(before)

    def _watch_seen(self, texts: Any, depth: int, turn: int) -> int:
        found: int = self._enter_seen(texts, depth, turn)
        if found >> 1 == depth:  # no memory for the node
            self._is_new, self._is_full = False, True
        else:
            self._go_to_seen(depth, is_new=bool(found & 1))
        return found

    def _go_to_seen(self, depth: int, *, is_new: bool) -> None:
        """Report the step from a move to what is known after it."""
        way = self.way
        edge, mover = way.nodes[-1], way.movers[-1]
        assert mover is not None  # a player moved here
        node = int(self.search.visit.levels[depth + 1]["edge"])
        children = self._children(way)
        known = children if node in children else [*children, node]
        siblings = tuple(self._seen_after(child, place, node) for place, child in enumerate(known))
        reached = known.index(node)
        because = "learnt" if is_new else "known"
        visits = self._reader.visits_of(edge)
        choice = Choice(
            edge, way.line(), CHANCE, visits, siblings, reached, because, mover, board=self._board
        )
        self._choices.append(choice)
        outcome = siblings[reached]
        if is_new:
            self._added = self._added or (NewChild(outcome.node, outcome.move, None, None),)
            self._grown += 1
        else:  # the simulation goes on, even if the move was played for the first time
            self._added, self._grown = (), 0
        way.go(outcome.node, outcome.move, copied(way.state))

    def _seen_after(self, child: int, place: int, reached: int) -> Sibling:
        """Return the figures of a node for what is known, number `place` after its edge."""
        return self._survey.outcome(child, Move(CHANCE, place, outcome_text(place)), drawn=child == reached)
