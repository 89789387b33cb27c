"""Running simulations one at a time, with a report of each phase.

The tree is the one that `InterpretedDriver` builds: its phases are watched, not written a second time. After
a choice, a kernel that examines the children as selection does finds out how it came about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE, credited
from branchwise.compile.code.call_kernel import keep_on_disk
from branchwise.core.descents.phase_records import credited_returns
from branchwise.core.machine.kernel_status import STAYED, Status
from branchwise.core.numbers.random_streams import SELECT_STREAM
from branchwise.core.simulation.repeat_choice import NUM_COMMITMENTS
from branchwise.core.simulation.select import SCORED, UNVISITED
from branchwise.core.tree.node_fields import ROOT
from branchwise.game.kinds.continuous_actions import frozen, has_box, has_texts, short_text
from branchwise.pictures.simulation_report import (
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
from branchwise.pictures.tree.tree import clean
from branchwise.rules.facts.facts import action_text, apply_legal, copied, reward_of
from branchwise.search.composition.search_object import Search
from branchwise.search.drivers.interpreted import InterpretedDriver, texts_for
from branchwise.search.drivers.interpreted_states import InterpretedState
from branchwise.search.drivers.root_source import RootSource
from branchwise.search.run.run import NotConstantSumError
from branchwise.search.tree.score_terms import Survey

keep_on_disk()

MOST_SHOWN = 10
"""Maximum length of a playout that is shown move by move."""
_ROUNDING = 1e-6


@dataclass
class SimulationPath:
    """The path of a simulation; entry i of nodes, movers and states is for the node i moves below the root.

    movers : the player whose value each node has; None at the root.   states : those of this simulation.
    """

    states: list[Any]
    nodes: list[int] = field(default_factory=lambda: [ROOT])
    movers: list[int | None] = field(default_factory=lambda: [None])
    moves: list[Move] = field(default_factory=list)

    @property
    def state(self) -> Any:
        """The state at the last node; do not change it."""
        return self.states[-1]

    @property
    def decisions(self) -> int:
        """Number of players' moves on the path, without outcomes of chance."""
        return sum(move.player != CHANCE for move in self.moves)

    def go(self, node: int, move: Move, state: Any = None) -> None:
        """Append a child; state : its state, if the move alone does not determine it."""
        if state is None:
            state = copied(self.state)
            apply_legal(state, move.action)
        self.nodes.append(node)
        self.movers.append(credited(self.movers[-1], move.player))
        self.moves.append(move)
        self.states.append(state)

    def line(self, level: int | None = None) -> Line:
        return tuple(move.text for move in self.moves[:level])


@dataclass
class Watched:
    """Recorded moves, their rewards, if rewards are paid on the way, and the states after them."""

    moves: list[Move] = field(default_factory=list)
    rewards: list[tuple[float, ...]] = field(default_factory=list)
    states: list[Any] = field(default_factory=list)


class Seen(NamedTuple):
    """The states of a simulation that pictures show.

    leaf, node : where selection ended and where the playout began, each with the state before it, or None.
    played : after each move of a short playout, or the last of a long one; empty without a playout.
    """

    leaf: tuple[Any, Any]
    node: tuple[Any, Any]
    played: tuple[Any, ...]


class WatchedState(InterpretedState):
    """A state that can record its moves as they are played; states returned by `at` record nothing."""

    watched: Watched | None = None
    """Where moves are recorded; None: nowhere."""

    def apply_action(self, action: Any) -> None:
        with self._watching(action):
            super().apply_action(action)

    def apply_randomly(self, action: Any, random: Any) -> None:
        with self._watching(action):
            super().apply_randomly(action, random)

    def apply_for_rewards(self, action: Any, rewards: NDArray[np.float64], start: int) -> None:
        with self._watching(action):
            super().apply_for_rewards(action, rewards, start)
        self._note_rewards(rewards, start)

    def apply_randomly_for_rewards(
        self, action: Any, random: Any, rewards: NDArray[np.float64], start: int
    ) -> None:
        with self._watching(action):
            super().apply_randomly_for_rewards(action, random, rewards, start)
        self._note_rewards(rewards, start)

    @contextmanager
    def _watching(self, action: Any) -> Iterator[None]:
        if self.watched is not None:
            self.watched.moves.append(move_at(self.state, action))
        yield
        if self.watched is not None:
            self.watched.states.append(copied(self.state))

    def _note_rewards(self, rewards: NDArray[np.float64], start: int) -> None:
        if self.watched is not None:
            paid = rewards[start : start + self._facts.num_players]
            self.watched.rewards.append(tuple(paid.tolist()))

    def play_randomly(self, actions: NDArray[np.int32], streams: NDArray[np.uint64]) -> int:
        before, start = len(self.played), copied(self.state)
        status = super().play_randomly(actions, streams)
        self._note_game(start, self.played[before:])
        return status

    def play_for_rewards(
        self,
        actions: NDArray[np.int32],
        streams: NDArray[np.uint64],
        returns: NDArray[np.float64],
        paid: NDArray[np.float64],
        decisions: int,
    ) -> int:
        before, start = len(self.played), copied(self.state)
        status = super().play_for_rewards(actions, streams, returns, paid, decisions)
        self._note_game(start, self.played[before:])
        return status

    def _note_game(self, start: Any, actions: Sequence[int]) -> None:
        """Record the moves played from `start`, which is changed."""
        if self.watched is None:
            return
        for action in actions:
            self.watched.moves.append(move_at(start, action))
            given = apply_legal(start, action)
            if self._facts.pays:
                self.watched.rewards.append(reward_of(start, given, self._facts))
            self.watched.states.append(copied(start))


class Stepper(InterpretedDriver):
    """Runs simulations from one root state one at a time, and reports each.

    simulations : how many are to be run, if that is known.   source : where they begin, if not at `state`.
    """

    def __init__(
        self, state: Any, search: Search, simulations: int = 0, source: RootSource | None = None
    ) -> None:
        super().__init__(state, search, texts_for(search, simulations), source)
        self._survey = Survey(search, self.texts.run)
        self._reader = self._survey.reader
        self._facts = search.composition.facts
        self.texts.run(credited_returns, 0, np.zeros(1), np.zeros(1))
        self._back_up = self.texts.back_up
        self._by_network = search.composition.network is not None
        self._play_once = None if self._by_network else self.texts.play_once
        self.way = SimulationPath([])
        """The path of the last simulation."""
        self._playout: list[Any] = []
        self._watching = {**self._watch_leaf(), **self._watch_tree()}

    def _watch_tree(self) -> dict[str, Callable[..., Any]]:
        """Return replacements, by name, for the texts and phases that go through the tree."""
        texts = self.texts
        self._survey.look(0)
        self._select = texts.select
        watching: dict[str, Callable[..., Any]] = {
            "select": self._watch_select,
            "enter": partial(self._watch_enter, texts.enter),
        }
        if self.search.composition.has_chance:
            watching["enter_outcome"] = partial(self._watch_enter, texts.enter_outcome)
        return watching

    def _watch_leaf(self) -> dict[str, Callable[..., Any]]:
        """Return replacements, by name, for the text or phase that evaluates leaves."""
        if self._by_network:
            return {"judge": partial(self._watch_judge, self.texts.judge)}
        return {"play_once": self._watch_game}

    def set_root(self, state: Any) -> None:
        super().set_root(state)
        draws_ahead = self.state.draws_ahead
        self.state: WatchedState = WatchedState(state, self.search.composition.facts, self.played)
        self.state.draws_ahead = draws_ahead

    def step(self) -> Simulation | None:
        """Run one simulation and return its report; None if the root is solved.

        `run` runs simulations without a report. Raises `GameError` for a fault of the rules, with a shorter
        message than a search, and `NotConstantSumError` if proofs would be unsound.
        """
        number = self._reader.visits_of(ROOT) + 1
        self._selection: Selection | None = None
        self._games: list[PlayedGame] = []
        self._playout = []
        watching: dict[str, Callable[..., Any]] = {
            "back_up": self._watch_back_up,
            **self._watching,
        }
        with self.texts.replacing(**watching):
            status = self.run(1)
        if status is Status.NOT_CONSTANT_SUM:
            raise NotConstantSumError
        if status is not Status.DONE:
            raise GameError(f"the rules of {self._facts.name} failed in a simulation: {status.name}")
        if self._selection is None:
            return None
        playout = Playout(tuple(self._games), self._outcome)
        return Simulation(number, self._selection, self._expansion, playout, self._backup)

    def seen(self, leaf: int) -> Seen:
        """Return the states of the last simulation; leaf : moves from the root to where selection ended."""
        states, played = self.way.states, self._playout
        last = len(states) - 1
        return Seen(
            leaf=(states[leaf], states[leaf - 1] if leaf else None),
            node=(states[last], states[last - 1] if last else None),
            played=tuple(played if len(played) <= MOST_SHOWN else played[-1:]),
        )

    # --- the phases, watched ----------------------------------------------------------------------------

    def _watch_select(self, texts: Any) -> int:
        streams = self.search.scratch.streams
        before = streams[SELECT_STREAM]
        self._committed = self.search.scratch.commitments.copy()
        found: int = self._select(texts)
        if found < 0:
            return found
        streams[SELECT_STREAM] = before
        way = self.way = SimulationPath([copied(self.root.state)])
        choices = [self._follow(way, level) for level in range(found >> 1)]
        self._known_children = len(self._children(way))
        leaf, line, board = way.nodes[-1], way.line(), str(way.state)
        visits = self._reader.visits_of(leaf)
        self._selection = Selection(tuple(choices), leaf, line, visits, board)
        if way.state.is_terminal():
            without = "game over"
        elif self._is_at_horizon():
            without = "horizon"
        elif found & 1 or (self._by_network and len(choices) < self.search.composition.max_depth):
            without = "memory"  # unless the leaf gets children
        else:
            without = "depth" if visits or leaf == ROOT else "first visit"
        self._expansion = Expansion((), without, None, (), leaf, line, board)
        return found

    def _watch_enter(self, enter: Callable[..., int], texts: Any, depth: int, first: int, found: bool) -> int:
        streams = self.search.scratch.streams
        before = streams[SELECT_STREAM]
        way = self.way
        known = self._bounds(way.nodes)
        action = enter(texts, depth, first, found)
        if action < 0 and action != -STAYED:
            return action
        streams[SELECT_STREAM] = before
        proofs = self._proofs_between(known, self._bounds(way.nodes))
        added = self._children(way)[self._known_children :]
        children = tuple(self._new_child(child) for child in added)
        choice = None if action < 0 else self._follow(way, depth)
        node, line, board = way.nodes[-1], way.line(), str(way.state)
        self._expansion = Expansion(children, "", choice, proofs, node, line, board)
        return action

    def _watch_judge(self, judge: Callable[..., None], texts: Any, value: float, player: int) -> None:
        judge(texts, value, player)
        returns = tuple(self.search.scratch.evaluation.tolist())
        self._games.append(PlayedGame((), returns, True, str(self.way.state)))

    def _watch_game(self, texts: Any, state: WatchedState, depth: int) -> int:
        watched = state.watched = Watched()
        assert self._play_once is not None
        status: int = self._play_once(texts, state, depth)
        state.watched = None
        if status:
            return status
        if not self._games:
            self._playout = watched.states
        decisions = sum(move.player != CHANCE for move in watched.moves)
        is_over = bool(state.is_terminal())
        at_horizon = not is_over and self.search.visit.left[0] == decisions
        game = PlayedGame(
            tuple(watched.moves),
            tuple(self.search.visit.returns.tolist()),
            not is_over and not at_horizon,
            str(state.state),
            tuple(watched.rewards),
            at_horizon,
        )
        self._games.append(game)
        return status

    def _watch_back_up(self, texts: Any, depth: int, over: bool) -> int:
        way, reader, returns = self.way, self._reader, self.search.visit.returns
        outcome = returns.copy()
        before = [(reader.visits_of(node), reader.value_of(node)) for node in way.nodes]
        known = self._bounds(way.nodes)
        status: int = self._back_up(texts, depth, over)
        if status:
            return status
        returned, rests = np.zeros(depth + 1), np.zeros(depth + 1)
        returns[:] = outcome
        self.texts.run(credited_returns, depth, returned, rests)
        updates = []
        bounds = self._bounds(way.nodes)
        for level in range(depth, -1, -1):
            mover = way.movers[level]
            update = Update(
                way.nodes[level],
                way.line(level),
                mover,
                None,
                before[level][0],
                reader.visits_of(way.nodes[level]),
                before[level][1],
                reader.value_of(way.nodes[level]),
                known[level],
                bounds[level],
                level > 0 and way.moves[level - 1].player == CHANCE,
            )
            if mover is not None:
                update = self._with_return(update, level, mover, float(returned[level]), float(rests[level]))
            updates.append(update)
        self._outcome = tuple(outcome.tolist())
        self._backup = Backup(tuple(updates))
        return status

    def _with_return(self, update: Update, level: int, mover: int, returned: float, rest: float) -> Update:
        """Return the update with the return that it adds to its node, and the parts of that return.

        Corrections no larger than rounding are left out.
        """
        facts = self._facts
        paid = rest
        if facts.pays:
            reward = float(self.search.visit.rewards[level * facts.num_players + mover])
            place = self.search.visit.levels[level]["node"]
            by_chance = self.search.tree.nodes[place]["player"] == CHANCE
            factor = 1.0 if by_chance else facts.discount
            paid = reward + factor * rest if factor > 0.0 else reward
            update = replace(update, reward=reward, rest=rest, factor=factor)
        is_corrected = abs(returned - paid) > _ROUNDING * max(facts.span, abs(paid))
        return replace(update, returned=returned if is_corrected else paid)

    # --- the report -----------------------------------------------------------------------------------

    def _follow(self, way: SimulationPath, level: int) -> Choice:
        """Return how the child of the path's node at `level` was chosen, and append it to `way`."""
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
            scratch.streams[SELECT_STREAM] = drawn  # unscored children drew nothing
        visits = self._reader.visits_of(node)
        spread = survey.spread
        choice = Choice(node, way.line(), player, visits, siblings, chosen, because, player, spread)
        way.go(siblings[chosen].node, siblings[chosen].move)
        return choice

    def _follow_chance(self, way: SimulationPath, level: int, children: list[int]) -> Choice:
        """Return which outcome was drawn at the path's node at `level`, and append it to `way`."""
        node, mover = way.nodes[level], way.movers[level]
        assert mover is not None  # no search starts at a node of chance
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
        """Whether the step from the path's last node to `child` reuses an earlier choice."""
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
        """Return what was proven of the nodes on the path, from the leaf up."""
        way = self.way
        player = int(way.state.current_player()) if len(way.nodes) == 1 else way.moves[0].player
        return tuple(
            Proof(node, way.line(level), player if mover is None else mover, old, new)
            for level, (node, mover, old, new) in reversed(
                list(enumerate(zip(way.nodes, way.movers, before, after, strict=True)))
            )
            if old != new
        )

    def _children(self, way: SimulationPath) -> list[int]:
        """Return the children of the last node, in the order of their first visits."""
        return self._survey.children(way.nodes[-1])

    def _bounds(self, nodes: list[int]) -> list[Bounds]:
        return self._survey.bounds(nodes)

    def _move(self, child: int) -> Move:
        """Return the move to a child of the last node of `way`."""
        return move_at(self.way.state, self._reader.action_of(child))

    def _is_at_horizon(self) -> bool:
        """Whether the last node of `way` is at the horizon of an unfinished game."""
        horizon, way = self._facts.horizon, self.way
        if not horizon or way.decisions < horizon:
            return False
        return not way.state.is_terminal() and int(way.state.current_player()) != CHANCE


def move_at(state: Any, action: Any) -> Move:
    """Return the move of `action`, a number or a vector, at `state`, with its text."""
    plain = frozen(np.array(action, np.float64)) if has_box(state) else int(action)
    return Move(int(state.current_player()), plain, shown_text(state, plain))


def shown_text(state: Any, action: Any) -> str:
    """Return the text of an action in pictures: a vector to four digits, unless the rules have texts."""
    if has_box(state) and not has_texts(state):
        return short_text(action)
    return clean(action_text(state, action))
