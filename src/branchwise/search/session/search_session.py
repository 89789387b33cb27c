"""The search of one root: its state, its trees, and the runner of its simulations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol
from weakref import WeakSet

import numpy as np

from branchwise.common.errors import SettingsError
from branchwise.common.players import CHANCE, NO_PLAYER
from branchwise.compile.code.call_kernel import call, is_loaded, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords, StateType
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.backup.keep_subtree import KEEPING, keep_below
from branchwise.core.descents.drawn_outcomes import find_outcome, key_of
from branchwise.core.machine.kernel import Kernel
from branchwise.core.tree.child_indices import children_of_one
from branchwise.core.tree.node_fields import (
    MAX_CHILDREN,
    ROOT,
    UNEXPANDED,
    USED,
    Tree,
    beginning,
    dimensions_of,
    new_tree,
    node_bytes,
    own_memory,
    reset,
)
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, copied
from branchwise.rules.knowledge.information import InformationState
from branchwise.search.composition.composition import Composition
from branchwise.search.composition.search_object import Search
from branchwise.search.drivers.batched import BatchedDriver
from branchwise.search.drivers.compiled import CompiledDriver
from branchwise.search.drivers.interpreted import InterpretedDriver, UncompiledSearch, texts_for
from branchwise.search.drivers.interpreted_states import InterpretedState
from branchwise.search.drivers.root_source import Deals, RootSource
from branchwise.search.drivers.simulation_runner import Runner
from branchwise.search.parallel.process_pool import ProcessPool
from branchwise.search.parallel.process_runner import ProcessRunner
from branchwise.search.parallel.runners import LeafParallel, RootParallel, TreeParallel
from branchwise.search.session.belief import Belief
from branchwise.search.session.steering import FREELY, Course
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.settings import Settings
from branchwise.search.tree.node_reader import NO_NODE
from branchwise.search.tree.view import Lease

keep_on_disk()

MAX_NODES = 2**31 - 1


class Readable(Protocol):
    """A view of trees that is read lazily."""

    def read(self) -> object: ...


class Session:
    """A root state with its trees and its runner.

    state : the root, which is copied.   proofs : whether bounds are kept.
    pool : the planner's processes, for rules in plain Python and several threads; None: new ones.
    source : where simulations begin, if not at `state`, which is then what the observer sees of it.
    known : what the observer knows, which results show in place of `state`.   course : what is left out.
    most_mb : memory up to which the trees grow in place, if it is more than the settings allow for now.
    """

    def __init__(
        self,
        state: Any,
        facts: GameFacts,
        settings: Settings,
        budget: Budget,
        seed: int,
        *,
        proofs: bool,
        pool: ProcessPool | None = None,
        source: RootSource | None = None,
        known: InformationState | Belief | None = None,
        course: Course = FREELY,
        most_mb: float = 0.0,
    ) -> None:
        self.state = copied(state)
        self.was_guided = False
        """Whether a search of this session had `at_least`; its visits are then no measure of merit."""

        self.leading: int | None = None
        """The action that a rollout policy would choose now."""

        self.take(course)
        self.source = source
        self.known = known
        self.facts = facts
        self.settings = settings
        self.seed = seed
        self.proofs = proofs
        self.lease = Lease()
        self.stand = Lease()
        """Valid until the trees change."""

        self.viewer = int(state.current_player()) if source is None else source.viewer
        """The player to move at the root of the first search."""

        self._mover = NO_PLAYER
        """The player of the last move given to `advance`."""

        self.unread: WeakSet[Readable] = WeakSet()
        self.compiled = _is_compiled(state, settings)
        self.composition = Composition(
            state,
            facts,
            settings,
            proofs=proofs,
            in_python=not self.compiled,
            observing=None if source is None else replace(source.observing, steered=course.steers),
        )
        self._interpreted: InterpretedDriver | None = None
        self.runner = self._new_runner(budget, pool, most_mb)
        self._rules = self._compiled_rules()

    def take(self, course: Course) -> None:
        """Let the next search follow `course`, which leaves out the same actions as the last one."""
        self.course = course
        self.was_guided = self.was_guided or bool(course.lines)

    @property
    def choice(self) -> str:
        """How actions at the root are compared; see `search.results.root_choice`."""
        if self.settings.halving or self.settings.rollout:
            return "halving"
        return "secure" if self.was_guided and self.settings.choice == "visits" else self.settings.choice

    @property
    def is_current(self) -> bool:
        """Whether the rules are still those that built the trees, and the processes are alive."""
        return self.runner.is_alive and self._rules is self._compiled_rules()

    @property
    def was_dealt(self) -> bool:
        """Whether any simulation has found a state to begin in."""
        return self.deals is None or self.deals.dealt > 0

    @property
    def deals(self) -> Deals | None:
        """The states that simulations began in; None if they were not dealt."""
        if self.source is None:
            return None
        return self.source.deals([search.scratch.dealing for search in self.runner.searches])

    def _compiled_rules(self) -> StateType | None:
        return compiled_type(type(self.state)) if self.compiled else None

    @property
    def trees(self) -> list[Tree]:
        """The trees of this root: one, or one per thread in a root-parallel search."""
        return [search.tree for search in self.runner.searches]

    def read_lines(self) -> None:
        """Let results read the trees now, before the trees change."""
        self.stand.valid = False
        self.stand = Lease()
        for lines in tuple(self.unread):
            lines.read()
        self.unread.clear()

    def advance(self, action: Any, state: Any = None) -> bool:
        """Play `action` at the root and keep the subtree below it; returns whether anything was kept.

        state : the state that it led to, for a simulator.
        """
        self.read_lines()
        self.lease.valid = False
        self.lease = Lease()
        player = int(self.state.current_player())
        if player != CHANCE:
            self._mover = player
        if state is None:
            self.state.apply_action(action)
        else:
            self.state = copied(state)
        for search in self.runner.of_threads:
            search.forget_returns()
        kept = [self._keep(search, action, by_chance=player == CHANCE) for search in self.runner.searches]
        self.runner.set_root(self.state)
        return all(kept)

    def _keep(self, search: Search, action: Any, *, by_chance: bool) -> bool:
        """Keep the subtree below `action`, which has been played at the root, or leave an empty tree.

        by_chance : whether it is an outcome. Returns whether anything is kept: nothing with a horizon, which
        is counted from the root, or if moves lead to random states in an open loop, where nodes are means
        over what may happen, and not over what did.
        """
        search.forget_places()
        node = NO_NODE
        is_random = self.composition.is_open and not (self.facts.dimensions and not self.facts.simulates)
        if not self.facts.horizon and not is_random:
            node = ROOT if by_chance and self.composition.is_drawn else _child_by(search.tree, action)
            if self.composition.is_drawn and node != NO_NODE and not _is_chance_next(self.state):
                node = int(self._run(search, find_outcome, node, self._key()))
        if node == ROOT or (node != NO_NODE and self._keep_at(search, node)):
            return True
        reset(search.tree, self.facts.min_return, self.facts.max_return)
        return False

    def _keep_at(self, search: Search, node: int) -> bool:
        """Make `node` the root of the tree; returns whether it could, which needs an expanded node."""
        tree = search.tree
        stored = int(tree.links[node]) if tree.links.size else node
        if tree.nodes[stored]["first"] == UNEXPANDED:
            return False
        used = int(tree.counters[USED])
        return bool(self._run(search, keep_below, node, np.empty(used, np.int32), np.empty(used, np.int32)))

    def _run(self, search: Search, kernel: Kernel, *args: Any) -> Any:
        """Call a kernel that takes the search and `args`, interpreted as long as simulations are."""
        if self._interpreted is not None:
            return self._interpreted.texts.run(kernel, *args)
        at_once = search.composition.settings.begins_at_once
        if at_once and kernel is keep_below and not is_loaded(kernel, search.native, *KEEPING):
            return UncompiledSearch(search, []).run(kernel, *args)
        return call(kernel, search.native, *args)

    def _key(self) -> np.uint64:
        """Return the key of the state, after the last player's move, in the search's tables."""
        if not self.compiled:
            return InterpretedState(self.state, self.facts, []).key(self._mover)
        native = NativeRecords(compiled_type(type(self.state)))
        native.records[0] = self.state.to_record()
        return np.uint64(call(key_of, native, self._mover))

    def make_room(self, budget: Budget) -> None:
        """Enlarge the trees for a search within `budget`."""
        used = max(int(tree.counters[USED]) for tree in self.trees)
        self.runner.make_room(self._capacity(budget, used))

    def expect(self, budget: Budget) -> None:
        """Get ready for a search within `budget`, which what is compiled here does not use up."""
        if self._interpreted is not None:
            self._interpreted.expect(budget.simulations)

    def _new_runner(self, budget: Budget, pool: ProcessPool | None, most_mb: float) -> Runner:
        settings, facts, kept = self.settings, self.facts, self.composition.kept
        capacity = self._capacity(budget)
        if not self.compiled and settings.threads > 1 and self.source is None:
            self._check_in_processes()
            pool = pool or ProcessPool(settings.threads)
            return ProcessRunner(
                pool, self.state, self.composition, capacity, self.seed, {"barred": self.course.barred}
            )
        bounds, widths = (facts.min_return, facts.max_return), (facts.dimensions, facts.num_moves)
        whole = max(capacity, self._room(most_mb)) if most_mb > settings.memory_mb else capacity

        def planted() -> Tree:
            tree = new_tree(whole, *bounds, kept, own_memory, *widths)
            return tree if whole == capacity else beginning(tree, capacity)

        first = planted()
        others = [planted() if self._has_a_tree_each else first for _ in range(settings.threads - 1)]
        searches = [
            Search(
                self.composition,
                tree,
                self.seed,
                thread,
                {"barred": self.course.barred} | ({} if self.source is None else self.source.new_arrays()),
            )
            for thread, tree in enumerate([first, *others])
        ]
        if self.settings.evaluator is not None:
            return BatchedDriver(self.state, searches[0], compiled=self.compiled)
        if not self.compiled:
            texts = texts_for(searches[0], 0)
            self._interpreted = InterpretedDriver(self.state, searches[0], texts, self.source)
            return self._interpreted
        assert isinstance(self.state, Game)
        drivers = [CompiledDriver(self.state, search, self.source) for search in searches]
        if len(drivers) == 1:
            return drivers[0]
        kinds: Mapping[str, Callable[[Sequence[CompiledDriver]], Runner]] = {
            "root": RootParallel,
            "tree": TreeParallel,
            "leaf": LeafParallel,
        }
        return kinds[settings.parallel or "tree"](drivers)

    def _check_in_processes(self) -> None:
        """Raise `SettingsError` for settings that need a single tree or compiled rules."""
        if self.composition.keeps_spread:
            raise SettingsError(
                f"spread and risk need one thread, because the rules of {self.facts.name} stay in Python, "
                "where threads are processes",
                mend="search with threads=1",
            )
        if self.settings.parallel not in (None, "root"):
            raise SettingsError(
                f'parallel="{self.settings.parallel}" needs compiled rules; those of {self.facts.name} stay '
                "in Python",
                mend='give parallel="root", or leave it out: each process then has a tree of its own',
            )

    @property
    def _has_a_tree_each(self) -> bool:
        """Whether there are several threads, each with its own tree."""
        settings = self.settings
        return settings.threads > 1 and (settings.parallel == "root" or not self.compiled)

    def _capacity(self, budget: Budget, used: int = 1) -> int:
        """Return the capacity of each tree in nodes; used : nodes that it has already."""
        most = min(self._room(self.settings.memory_mb), budget.max_nodes or MAX_NODES)
        if budget.simulations is not None:
            children = min(max(self.facts.num_actions, self.facts.num_outcomes, 1), MAX_CHILDREN)
            most = min(most, used + self.composition.room(children, budget.simulations))
        return max(most, 1)

    def _room(self, memory_mb: float) -> int:
        """Return how many nodes each tree can have in this memory."""
        trees = self.settings.threads if self._has_a_tree_each else 1
        of_node = node_bytes(self.composition.kept, self.facts.dimensions)
        return min(int(memory_mb * 2**20) // of_node // trees, MAX_NODES)


def _is_compiled(state: Any, settings: Settings) -> bool:
    """Whether the rules of `state` are compiled; raises `SettingsError` if they must be and cannot."""
    if settings.compiled is False:
        return False
    if isinstance(state, Game):
        return True
    if settings.compiled is True:
        raise SettingsError(
            f"the rules of a {type(state).__name__} cannot be compiled: it is not a branchwise.Game",
            mend="leave compiled out, or write the rules as a subclass of branchwise.Game",
        )
    return False


def _child_by(tree: Tree, action: Any) -> int:
    """Return the root's child for `action`, a number or a vector, or NO_NODE."""
    if tree.nodes[ROOT]["first"] < 0:
        return NO_NODE
    children = children_of_one(tree.nodes, ROOT)
    size = dimensions_of(tree)
    if size:
        same = (tree.vectors.reshape(-1, size)[children] == action).all(axis=1)
    else:
        same = tree.nodes["action"][children] == action
    found = children[same]
    return int(found[0]) if found.size else NO_NODE


def _is_chance_next(state: Any) -> bool:
    return not state.is_terminal() and int(state.current_player()) == CHANCE
