"""What a planner keeps of one root: its state, its trees, and what runs simulations on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol
from weakref import WeakSet

import numpy as np

from branchwise.compile.call import call, is_loaded, keep_on_disk
from branchwise.compile.native import StateType
from branchwise.compile.rules import compiled_type
from branchwise.core.child_indices import children_of_one
from branchwise.core.children import LARGEST_BLOCK
from branchwise.core.interpret import interpreted
from branchwise.core.reuse import KEEPING, keep_below
from branchwise.core.tree import MAX_CHILDREN, ROOT, UNEXPANDED, USED, Tree, new_tree, node_bytes, reset
from branchwise.errors import SettingsError
from branchwise.game import Game
from branchwise.rules.facts import GameFacts, copied
from branchwise.search.budget import Budget
from branchwise.search.composition import Composition
from branchwise.search.drivers.compiled import CompiledDriver
from branchwise.search.drivers.interpreted import InterpretedDriver, UncompiledSearch
from branchwise.search.parallel.process_pool import ProcessPool
from branchwise.search.parallel.process_runner import ProcessRunner
from branchwise.search.parallel.runners import LeafParallel, RootParallel, Runner, SingleThread, TreeParallel
from branchwise.search.search_object import Search
from branchwise.search.settings import Settings
from branchwise.search.tree.view import Lease

keep_on_disk()

MAX_NODES = 2**31 - 1


class Readable(Protocol):
    """What is read from trees later than it was made."""

    def read(self) -> object: ...


class Session:
    """A root state and all that is known of it.

    state : the root; the session keeps a copy of its own.   proofs : whether bounds are kept.
    pool : the planner's processes, for rules that stay in Python and several threads; None: new ones.
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
    ) -> None:
        self.state = copied(state)
        self.facts = facts
        self.settings = settings
        self.seed = seed
        self.proofs = proofs
        self.lease = Lease()
        self.stand = Lease()
        """Valid until the trees change in any way."""

        self.unread: WeakSet[Readable] = WeakSet()
        self.compiled = _is_compiled(state, settings)
        self.composition = Composition.of(state, facts, settings, proofs=proofs, in_python=not self.compiled)
        self.runner = self._new_runner(budget, pool)
        self._rules = self._compiled_rules()

    @property
    def is_current(self) -> bool:
        """Whether the trees were grown by the rules as they are now, by processes that still live."""
        return self.runner.is_alive and self._rules is self._compiled_rules()

    def _compiled_rules(self) -> StateType | None:
        return compiled_type(type(self.state)) if self.compiled else None

    @property
    def trees(self) -> list[Tree]:
        """The trees of this root: one, or one for each thread of a root-parallel search."""
        return [search.tree for search in self.runner.searches]

    def read_lines(self) -> None:
        """Read what results have not read of the trees yet, because these are about to change."""
        self.stand.valid = False
        self.stand = Lease()
        for lines in tuple(self.unread):
            lines.read()
        self.unread.clear()

    def advance(self, action: int, state: Any = None) -> bool:
        """Play `action` at the root and keep what lies below; returns whether anything could be kept.

        state : what a simulator has made of it.
        """
        self.read_lines()
        self.lease.valid = False
        self.lease = Lease()
        if state is None:
            self.state.apply_action(action)
        else:
            self.state = copied(state)
        kept = [_keep(search, action, self.facts) for search in self.runner.searches]
        self.runner.set_root(self.state)
        return all(kept)

    def make_room(self, budget: Budget) -> None:
        """Give the trees the room that a search within `budget` may need on top of what they hold."""
        used = max(int(tree.counters[USED]) for tree in self.trees)
        self.runner.make_room(self._capacity(budget, used))

    def _new_runner(self, budget: Budget, pool: ProcessPool | None) -> Runner:
        settings, facts, kept = self.settings, self.facts, self.composition.kept
        capacity = self._capacity(budget)
        if not self.compiled and settings.threads > 1:
            self._check_in_processes()
            pool = pool or ProcessPool(settings.threads)
            return ProcessRunner(pool, self.state, self.composition, capacity, self.seed)
        first = new_tree(capacity, facts.min_return, facts.max_return, kept)
        others = [
            new_tree(capacity, facts.min_return, facts.max_return, kept) if self._has_a_tree_each else first
            for _ in range(settings.threads - 1)
        ]
        searches = [
            Search(self.composition, tree, self.seed, thread) for thread, tree in enumerate([first, *others])
        ]
        if not self.compiled:
            return SingleThread(InterpretedDriver(self.state, searches[0]))
        assert isinstance(self.state, Game)
        drivers = [CompiledDriver(self.state, search) for search in searches]
        if len(drivers) == 1:
            return SingleThread(drivers[0])
        kinds = {"root": RootParallel, "tree": TreeParallel, "leaf": LeafParallel}
        return kinds[settings.parallel or "tree"](drivers)

    def _check_in_processes(self) -> None:
        """Raise `SettingsError` for what cannot be done by processes that have a tree each."""
        if self.settings.parallel not in (None, "root"):
            raise SettingsError(
                f'parallel="{self.settings.parallel}" needs compiled rules; those of {self.facts.name} stay '
                "in Python",
                mend='give parallel="root", or leave it out: each process then has a tree of its own',
            )

    @property
    def _has_a_tree_each(self) -> bool:
        """Whether each of several threads has a tree of its own."""
        settings = self.settings
        return settings.threads > 1 and (settings.parallel == "root" or not self.compiled)

    def _capacity(self, budget: Budget, used: int = 1) -> int:
        """Return the number of nodes that each tree may have; used : those that it has already."""
        trees = self.settings.threads if self._has_a_tree_each else 1
        memory = int(self.settings.memory_mb * 2**20) // node_bytes(self.composition.kept) // trees
        most = min(memory, budget.max_nodes or MAX_NODES, MAX_NODES)
        if budget.simulations is not None:
            children = min(max(self.facts.num_actions, self.facts.num_outcomes), MAX_CHILDREN)
            room = children * (budget.simulations + 1)
            if self.composition.grows:
                room = 2 * room + LARGEST_BLOCK * (budget.simulations + 1)
            most = min(most, used + room)
        return max(most, 1)


def _is_compiled(state: Any, settings: Settings) -> bool:
    """Whether the rules of `state` are compiled; raises `SettingsError` where they would have to be."""
    if settings.compiled is False:
        return False
    if isinstance(state, Game):
        return True
    if settings.compiled is True:
        raise SettingsError(
            f"the rules of a {type(state).__name__} cannot be compiled: it is no branchwise.Game",
            mend="leave compiled out, or write the rules as a subclass of branchwise.Game",
        )
    return False


def _keep_below(search: Search) -> Callable[..., int]:
    """Return `keep_below` for a search, interpreted if its code is still to come."""
    at_once = search.composition.settings.begins_at_once
    if at_once and not is_loaded(keep_below, search.native, *KEEPING):
        return partial(interpreted(keep_below), UncompiledSearch(search, []))
    return partial(call, keep_below, search.native)


def _keep(search: Search, action: int, facts: GameFacts) -> bool:
    """Make the root's child by `action` the root of the tree, or leave an empty tree; returns which.

    Nothing can be kept with a horizon, which is counted from the root, nor with an open loop, in which nodes
    are means over what may happen and not over what did.
    """
    tree = search.tree
    root = tree.nodes[ROOT]
    search.forget_places()
    if root["first"] >= 0 and not facts.horizon and not search.composition.is_open:
        children = children_of_one(tree.nodes, ROOT)
        children = children[tree.nodes["action"][children] == action]
        if children.size:
            child = int(children[0])
            stored = int(tree.links[child]) if tree.links.size else child
            if tree.nodes[stored]["first"] != UNEXPANDED:
                used = int(tree.counters[USED])
                scratch = (np.empty(used, np.int32), np.empty(used, np.int32))
                if _keep_below(search)(child, *scratch):
                    return True
    reset(tree, facts.min_return, facts.max_return)
    return False
