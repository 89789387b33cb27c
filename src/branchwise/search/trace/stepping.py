"""Running simulations one at a time, and telling what each of their phases did.

The tree is the one that `InterpretedDriver` builds: its phases are watched, not written a second time. How a
choice came about is looked up once it was made, by a kernel that looks at the children as selection does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.call import call, keep_on_disk
from branchwise.core.random import SELECT_STREAM
from branchwise.core.repeat import NUM_COMMITMENTS
from branchwise.core.select import SCORED, UNVISITED
from branchwise.core.status import Status
from branchwise.core.trace import credited_gains
from branchwise.core.tree import ROOT
from branchwise.errors import GameError, SettingsError
from branchwise.players import CHANCE, credited
from branchwise.render.tree import clean
from branchwise.rules.facts import action_text, apply_legal, copied
from branchwise.search.drivers.interpreted import InterpretedDriver
from branchwise.search.drivers.states import InterpretedState
from branchwise.search.run import NotConstantSumError
from branchwise.search.search_object import Search
from branchwise.search.tree.survey import Survey
from branchwise.simulation import (
    Backup,
    Bounds,
    Choice,
    Expansion,
    Line,
    Move,
    NewChild,
    PlayedGame,
    Playout,
    Proof,
    Selection,
    Simulation,
    Update,
)

keep_on_disk()

_ROUNDING = 1e-6


@dataclass
class _Way:
    """The path of a simulation; entry i of nodes and movers is of the node i moves away from the root.

    movers : the player whose value the node has; None at the root.
    """

    state: Any
    """The state behind the last node."""
    nodes: list[int] = field(default_factory=lambda: [ROOT])
    movers: list[int | None] = field(default_factory=lambda: [None])
    moves: list[Move] = field(default_factory=list)

    def go(self, node: int, move: Move) -> None:
        self.nodes.append(node)
        self.movers.append(credited(self.movers[-1], move.player))
        self.moves.append(move)
        apply_legal(self.state, move.action)

    def line(self, level: int | None = None) -> Line:
        return tuple(move.text for move in self.moves[:level])


class _WatchedState(InterpretedState):
    """A state whose moves can be written down as they are played; those from `at` are not watched."""

    moves: list[Move] | None = None
    """Where moves are written down, None: nowhere."""

    def apply_action(self, action: int) -> None:
        if self.moves is not None:
            self.moves.append(_move(self.state, action))
        super().apply_action(action)

    def play_randomly(self, actions: NDArray[np.int32], streams: NDArray[np.uint64]) -> int:
        if self.moves is None:
            return super().play_randomly(actions, streams)
        before, start = len(self.played), copied(self.state)
        status = super().play_randomly(actions, streams)
        for action in self.played[before:]:
            self.moves.append(_move(start, action))
            apply_legal(start, action)
        return status


class Stepper(InterpretedDriver):
    """Simulations from one root state, one at a time, each with an account of what it did."""

    def __init__(self, state: Any, search: Search) -> None:
        composition = search.composition
        if composition.facts.pays or composition.walks_with_state:
            what = "pays rewards on the way"
            if composition.walks_with_state:
                loop = "an open loop" if composition.is_open else "a closed loop by drawing"
                what = f"is searched in {loop}"
            raise SettingsError(
                f"{composition.facts.name} {what}, which is not told step by step yet",
                mend="search it, and look at its tree: MCTS().search(state).tree",
            )
        super().__init__(state, search)
        self._survey = Survey(search)
        self._reader = self._survey.reader
        self._facts = search.composition.facts
        self._survey.look(0)
        call(credited_gains, search.native, 0, np.zeros(1))
        texts = self.texts
        self._select, self._play_once, self._back_up = texts.select, texts.play_once, texts.back_up
        self._entering = {"enter": partial(self._watch_enter, texts.enter)}
        if search.composition.has_chance:
            self._entering["enter_outcome"] = partial(self._watch_enter, texts.enter_outcome)

    def set_root(self, state: Any) -> None:
        super().set_root(state)
        self.state = _WatchedState(state, self.search.composition.facts, self.played)

    def step(self) -> Simulation | None:
        """Run one simulation; returns what it did, or None if the root is solved and there is none to run.

        `run` runs simulations without such an account. Raises `GameError` for a fault of the rules, in fewer
        words than a search does, and `NotConstantSumError` where proofs would be unsound.
        """
        number = self._reader.visits_of(ROOT) + 1
        self._selection: Selection | None = None
        self._games: list[PlayedGame] = []
        with self.texts.watched(
            select=self._watch_select,
            play_once=self._watch_game,
            back_up=self._watch_back_up,
            **self._entering,
        ):
            status = self.run(1)
        if status is Status.NOT_CONSTANT_SUM:
            raise NotConstantSumError
        if status is not Status.DONE:
            raise GameError(f"the rules of {self._facts.name} failed in a simulation: {status.name}")
        if self._selection is None:
            return None
        playout = Playout(tuple(self._games), self._outcome)
        return Simulation(number, self._selection, self._expansion, playout, self._backup)

    # --- the phases, watched ----------------------------------------------------------------------------

    def _watch_select(self, texts: Any) -> int:
        streams = self.search.scratch.streams
        before = streams[SELECT_STREAM]
        self._committed = self.search.scratch.commitments.copy()
        found: int = self._select(texts)
        if found < 0:
            return found
        streams[SELECT_STREAM] = before
        way = self._way = _Way(copied(self.root.state))
        choices = [self._follow(way, level) for level in range(found >> 1)]
        self._known_children = len(self._children(way))
        leaf, line, board = way.nodes[-1], way.line(), str(way.state)
        visits = self._reader.visits_of(leaf)
        self._selection = Selection(tuple(choices), leaf, line, visits, board)
        if way.state.is_terminal():
            without = "game over"
        elif found & 1:
            without = "memory"  # unless the leaf gets children
        else:
            without = "depth" if visits or leaf == ROOT else "first visit"
        self._expansion = Expansion((), without, None, (), leaf, line, board)
        return found

    def _watch_enter(self, enter: Callable[..., int], texts: Any, depth: int, first: int, found: bool) -> int:
        streams = self.search.scratch.streams
        before = streams[SELECT_STREAM]
        way = self._way
        known = self._bounds(way.nodes)
        action = enter(texts, depth, first, found)
        if action < 0:
            return action
        streams[SELECT_STREAM] = before
        proofs = self._proofs_between(known, self._bounds(way.nodes))
        added = self._children(way)[self._known_children :]
        children = tuple(self._new_child(child) for child in added)
        choice = self._follow(way, depth)
        node, line, board = way.nodes[-1], way.line(), str(way.state)
        self._expansion = Expansion(children, "", choice, proofs, node, line, board)
        return action

    def _watch_game(self, texts: Any, state: _WatchedState, depth: int) -> int:
        state.moves = []
        status: int = self._play_once(texts, state, depth)
        moves, state.moves = tuple(state.moves), None
        if not status:
            returns = tuple(self.search.visit.returns.tolist())
            self._games.append(PlayedGame(moves, returns, not state.is_terminal(), str(state.state)))
        return status

    def _watch_back_up(self, texts: Any, depth: int, over: bool) -> int:
        way, reader, returns = self._way, self._reader, self.search.visit.returns
        outcome = returns.copy()
        before = [(reader.visits_of(node), reader.value_of(node)) for node in way.nodes]
        known = self._bounds(way.nodes)
        status: int = self._back_up(texts, depth, over)
        if status:
            return status
        gains = np.zeros(depth + 1)
        returns[:] = outcome
        credited_gains(self.search.native, depth, gains)
        updates = [
            Update(
                node,
                way.line(level),
                mover,
                None if mover is None else self._credited(gains[level], outcome[mover]),
                before[level][0],
                reader.visits_of(node),
                before[level][1],
                reader.value_of(node),
                known[level],
                bounds,
                level > 0 and way.moves[level - 1].player == CHANCE,
            )
            for level, (node, mover, bounds) in enumerate(
                zip(way.nodes, way.movers, self._bounds(way.nodes), strict=True)
            )
        ]
        self._outcome = tuple(outcome.tolist())
        self._backup = Backup(tuple(reversed(updates)))
        return status

    # --- what is told ---------------------------------------------------------------------------------

    def _follow(self, way: _Way, level: int) -> Choice:
        """Return how the child of the path's node at `level` was chosen, and let `way` go there."""
        scratch = self.search.scratch
        node, player, children = way.nodes[level], int(way.state.current_player()), self._children(way)
        if player == CHANCE:
            return self._follow_chance(way, level, children)
        drawn = scratch.streams[SELECT_STREAM]
        survey = self._survey
        survey.look(level)
        chosen = children.index(int(self.search.visit.levels[level + 1]["edge"]))
        siblings = tuple(
            survey.sibling(place, child, self._move(child), chosen=place == chosen)
            for place, child in enumerate(children)
        )
        because = {SCORED: "score", UNVISITED: "untried"}.get(int(survey.fates[chosen]), "proven")
        if because == "score" and self._was_committed(way.nodes, children[chosen]):
            because = "again"
            scratch.streams[SELECT_STREAM] = drawn  # what was not scored drew nothing
        visits = self._reader.visits_of(node)
        choice = Choice(node, way.line(), player, visits, siblings, chosen, because, player)
        way.go(siblings[chosen].node, siblings[chosen].move)
        return choice

    def _follow_chance(self, way: _Way, level: int, children: list[int]) -> Choice:
        """Return which outcome was drawn at the path's node at `level`, and let `way` go there."""
        node, mover = way.nodes[level], way.movers[level]
        assert mover is not None  # no search starts where chance is to move
        drawn = children.index(int(self.search.visit.levels[level + 1]["edge"]))
        siblings = tuple(
            self._survey.outcome(child, self._move(child), drawn=place == drawn)
            for place, child in enumerate(children)
        )
        visits = self._reader.visits_of(node)
        choice = Choice(node, way.line(), CHANCE, visits, siblings, drawn, "chance", mover)
        way.go(siblings[drawn].node, siblings[drawn].move)
        return choice

    def _was_committed(self, path: list[int], child: int) -> bool:
        """Whether the step from the path's last node to `child` follows an earlier choice."""
        if not self._committed.size:
            return False
        slots = [node % NUM_COMMITMENTS for node in path]
        kept = self._committed[slots[-1]]
        overwritten = slots[-1] in slots[:-1]
        return not overwritten and bool(
            kept["node"] == path[-1] and kept["child"] == child and kept["left"] > 0
        )

    def _new_child(self, child: int) -> NewChild:
        (lower, upper), move = self._bounds([child])[0], self._move(child)
        by_chance = move.player == CHANCE
        return NewChild(
            child,
            move,
            None if by_chance else self._survey.prior(child),
            lower if lower >= upper else None,
            self._survey.probability(child) if by_chance else None,
        )

    def _proofs_between(self, before: list[Bounds], after: list[Bounds]) -> tuple[Proof, ...]:
        """Return what became known of the nodes on the path, from the leaf up."""
        way = self._way
        player = int(way.state.current_player()) if len(way.nodes) == 1 else way.moves[0].player
        return tuple(
            Proof(node, way.line(level), player if mover is None else mover, old, new)
            for level, (node, mover, old, new) in reversed(
                list(enumerate(zip(way.nodes, way.movers, before, after, strict=True)))
            )
            if old != new
        )

    def _children(self, way: _Way) -> list[int]:
        """Return the children of the last node, in the order in which they are tried."""
        return self._survey.children(way.nodes[-1])

    def _bounds(self, nodes: list[int]) -> list[Bounds]:
        return self._survey.bounds(nodes)

    def _move(self, child: int) -> Move:
        """Return the move to a child of the last node on the way."""
        return _move(self._way.state, self._reader.action_of(child))

    def _credited(self, gain: float, returned: float) -> float:
        """Return a gain as a return: `returned`, unless it was corrected, by more than by rounding."""
        credited = self._survey.as_return(gain)
        return credited if abs(credited - returned) > _ROUNDING * self._facts.span else float(returned)


def _move(state: Any, action: int) -> Move:
    """Return the move that `action` is at `state`."""
    return Move(int(state.current_player()), int(action), clean(action_text(state, action)))
