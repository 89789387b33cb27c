"""The planner: settings, a budget, a tree, and a driver that runs simulations until told to stop."""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from branchwise.core.loop import Settings
from branchwise.core.status import Status
from branchwise.core.tree import NODE, REFUSED, ROOT, UNEXPANDED, USED, Tree, new_tree
from branchwise.errors import GameError, SettingsError
from branchwise.game import Game
from branchwise.ranges import number, one_of, whole_number
from branchwise.search.budget import MAX_SIMULATIONS, Budget
from branchwise.search.compiled_driver import CompiledDriver
from branchwise.search.facts import GameFacts, check_searchable, copied, game_facts
from branchwise.search.faults import fault_error, raised_error
from branchwise.search.python_driver import PythonDriver
from branchwise.search.result import SearchResult, read_children
from branchwise.search.tree_view import Node, SearchTree

MAX_NODES = 2**31 - 1
MAX_DEPTH = 1_000_000
DEFAULT_C = 0.7
PLAYOUTS = ("uniform", "decisive")
PROGRESS_INTERVAL = 0.1
_CHUNK_SECONDS = 0.01
_IDLE_SIMULATIONS = 100_000


class Driver(Protocol):
    """What runs simulations: see `compiled_driver` and `python_driver`."""

    first_chunk: int
    tree: Tree

    def run(self, simulations: int) -> Status: ...
    def path_to_fault(self) -> list[int]: ...


class MCTS:
    """Monte Carlo Tree Search with UCB1 selection and random playouts.

    c : weight of exploration, from 0, for returns scaled to [0, 1]; sqrt(2) is the theory's for any game,
    less is usually stronger (`benchmarks/strength.py sweep`).
    first_play : score of an action not yet tried, as a return scaled to [0, 1]; None: every action is
    tried once before any is tried again.
    max_depth : nodes this many moves below the root are not expanded; None: no such limit. With 1 this is
    flat Monte Carlo.
    playout : how the moves of playouts are chosen: "uniform", all legal actions alike; "decisive", the same
    unless the player to move can win at once, which they then do (Teytaud, Teytaud, "On the huge benefit of
    decisive moves in Monte-Carlo tree search algorithms", 2010); None: as the game says, "uniform" mostly.
    proofs : whether the values of finished games are passed up the tree as proven bounds (see `core.prove`):
    solved actions are not searched again, and the search ends when its root is solved. Needs two players
    whose returns always add up to the same, or one player; among more, only a win in one move is proven. A
    game of two in which returns do not add up is noticed, and searched without proofs.
    memory_mb : most memory for the tree, in units of 2**20 bytes; a full tree goes on being searched
    without growing.
    seed : any whole number; the same seed and budget in simulations give the same tree. None: a new one for
    every search, reported in the result.
    compiled : True: refuse states whose rules cannot be compiled; False: never compile; None: compile the
    rules of every `Game`.

    Raises `SettingsError` for a value outside its range.

    >>> import branchwise as bw
    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> result = bw.MCTS(seed=7).search(TicTacToe.from_actions(["a1", "b2", "a2"]), simulations=5000)
    >>> result.action_text(result.best_action)
    'a3'
    """

    def __init__(
        self,
        *,
        c: float = DEFAULT_C,
        first_play: float | None = None,
        max_depth: int | None = None,
        playout: str | None = None,
        proofs: bool = True,
        memory_mb: float = 1024,
        seed: int | None = None,
        compiled: bool | None = None,
    ) -> None:
        number("c", c, 0.0, 1e6)
        if first_play is not None:
            number("first_play", first_play, -1e6, 1e6)
        whole_number("max_depth", max_depth, 1, MAX_DEPTH)
        number("memory_mb", memory_mb, 0.0, 1e7, above=True)
        whole_number("seed", seed, -(2**127), 2**127)
        self.c = c
        self.first_play = first_play
        self.max_depth = max_depth
        self.proofs = bool(proofs)
        self.playout = None if playout is None else one_of("playout", playout, PLAYOUTS)
        self.memory_mb = memory_mb
        self.seed = seed
        self.compiled = compiled
        self._stop = threading.Event()

    def __repr__(self) -> str:
        names = ("c", "first_play", "max_depth", "playout", "proofs", "memory_mb", "seed", "compiled")
        return f"branchwise.MCTS({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    def search(
        self,
        state: Any,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        max_nodes: int | None = None,
        progress: Callable[[SearchResult], object] | None = None,
    ) -> SearchResult:
        """Search from `state` until the first of the given limits is reached; `state` is not changed.

        Limits are those of `Budget`; time spent on compiling the rules does not count. `progress` is
        called about ten times a second with the result so far. Ctrl-C and `stop()` end the search early;
        it still returns what it has.

        Raises `SettingsError` for a budget that makes no sense, `GameError` for a state that is over or
        rules that break their contract.
        """
        budget = Budget(simulations, seconds, max_nodes)
        facts = game_facts(state)
        check_searchable(state, facts)
        seed = secrets.randbits(63) if self.seed is None else int(self.seed)
        root_state = copied(state)
        self._stop.clear()
        proofs = self.proofs
        started = None
        while True:
            tree = new_tree(self._capacity(facts, budget), facts.min_return, facts.max_return)
            driver = self._driver(root_state, facts, tree, seed, proofs)
            started = started or time.perf_counter()
            run = _Run(driver, root_state, facts, budget, seed, self._stop, progress, started)
            try:
                return run.to_end()
            except _NotConstantSumError:
                proofs = False

    def stop(self) -> None:
        """End the search that is running, from another thread; it returns what it has."""
        self._stop.set()

    def _driver(self, state: Any, facts: GameFacts, tree: Tree, seed: int, proofs: bool) -> Driver:
        first_play = math.inf
        if self.first_play is not None:
            first_play = facts.min_return + self.first_play * facts.span
        depth = min(self.max_depth or MAX_DEPTH, facts.max_game_length)
        playout = self.playout or one_of(
            f"{facts.name}.playout", getattr(state, "playout", "uniform"), PLAYOUTS
        )
        settings = Settings(
            float(self.c * facts.span), float(first_play), depth, playout == "decisive", proofs
        )
        if self.compiled is False:
            return PythonDriver(state, facts, tree, settings, seed)
        if isinstance(state, Game):
            return CompiledDriver(state, tree, settings, seed)
        if self.compiled:
            raise SettingsError(
                f"the rules of a {type(state).__name__} cannot be compiled: it is no branchwise.Game",
                mend="leave compiled out, or write the rules as a subclass of branchwise.Game",
            )
        return PythonDriver(state, facts, tree, settings, seed)

    def _capacity(self, facts: GameFacts, budget: Budget) -> int:
        capacity = min(int(self.memory_mb * 2**20) // NODE.itemsize, budget.max_nodes or MAX_NODES, MAX_NODES)
        most_children = min(facts.num_actions, 2**16)
        if budget.simulations is not None:
            capacity = min(capacity, 1 + most_children * (budget.simulations + 1))
        return capacity


class _NotConstantSumError(Exception):
    """Two players' returns did not add up to what they do in a zero-sum game: proofs would be unsound."""


class _Run:
    """One search under way: chunks of simulations, with the limits looked at in between."""

    def __init__(
        self,
        driver: Driver,
        state: Any,
        facts: GameFacts,
        budget: Budget,
        seed: int,
        stop: threading.Event,
        progress: Callable[[SearchResult], object] | None,
        started: float,
    ) -> None:
        self._driver = driver
        self._state = state
        self._facts = facts
        self._budget = budget
        self._seed = seed
        self._stop = stop
        self._progress = progress
        self._started = started
        self._reported = started
        self._done = 0
        self._last_growth = 0

    def to_end(self) -> SearchResult:
        chunk = self._driver.first_chunk
        ended_by = ""
        try:
            while not ended_by:
                size = self._next_size(chunk)
                before = time.perf_counter()
                used = self._used
                self._simulate(size)
                self._done = int(self._driver.tree.nodes[ROOT]["visits"])
                if self._used > used:
                    self._last_growth = self._done
                chunk = _adapted(size, time.perf_counter() - before)
                ended_by = self._limit_reached()
                if self._progress is not None and not ended_by:
                    self._report()
        except KeyboardInterrupt:
            self._done = int(self._driver.tree.nodes[ROOT]["visits"])
            if self._done == 0:
                raise
            ended_by = "interrupted"
        return self._result(ended_by)

    @property
    def _used(self) -> int:
        return int(self._driver.tree.counters[USED])

    def _next_size(self, chunk: int) -> int:
        most = MAX_SIMULATIONS if self._budget.simulations is None else self._budget.simulations
        return max(1, min(chunk, most - self._done))

    def _simulate(self, size: int) -> None:
        try:
            status = self._driver.run(size)
        except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError, AssertionError) as error:
            raise raised_error(self._state, self._facts, error) from error
        if self._driver.tree.nodes[ROOT]["first"] == UNEXPANDED and status is Status.DONE:
            if self._driver.tree.counters[REFUSED]:
                raise SettingsError(
                    f"the tree has no room for the first moves of {self._facts.name}",
                    mend="give more memory_mb or more max_nodes",
                )
            raise GameError(
                f"{self._facts.name}.is_terminal says of this state that the game goes on in plain Python, "
                "and that it is over in compiled form",
                mend="compare both with branchwise check",
            )
        if status is not Status.DONE:
            if status is Status.NOT_CONSTANT_SUM:
                raise _NotConstantSumError
            raise fault_error(self._state, self._facts, status, self._driver.path_to_fault())

    def _limit_reached(self) -> str:
        budget, counters = self._budget, self._driver.tree.counters
        root = self._driver.tree.nodes[ROOT]
        if root["lower"] >= root["upper"]:
            return "proven"
        if budget.simulations is not None and self._done >= budget.simulations:
            return "simulations"
        if self._done >= MAX_SIMULATIONS:
            return "simulations"
        if budget.seconds is not None and time.perf_counter() - self._started >= budget.seconds:
            return "seconds"
        if budget.max_nodes is not None:
            if counters[REFUSED] and len(self._driver.tree.nodes) == budget.max_nodes:
                return "nodes"
            idle = self._done - self._last_growth
            only_nodes = budget.simulations is None and budget.seconds is None
            if only_nodes and idle > max(_IDLE_SIMULATIONS, self._last_growth):
                return "complete"
        return "stopped" if self._stop.is_set() else ""

    def _report(self) -> None:
        now = time.perf_counter()
        if self._progress is not None and now - self._reported >= PROGRESS_INTERVAL:
            self._reported = now
            self._progress(self._result(""))

    def _result(self, ended_by: str) -> SearchResult:
        tree = self._driver.tree
        root = Node(tree, ROOT)
        player = root.player
        assert player is not None
        return SearchResult(
            state=copied(self._state),
            player=player,
            children=read_children(root, self._facts),
            simulations=self._done,
            seconds=time.perf_counter() - self._started,
            ended_by=ended_by,
            memory_full=bool(tree.counters[REFUSED]) and ended_by != "nodes",
            seed=self._seed,
            tree=SearchTree(tree),
            facts=self._facts,
        )


def _adapted(size: int, seconds: float) -> int:
    """Return the size of the next chunk, so that it takes about 10 ms; at most 8 times the last."""
    if seconds <= 0:
        return size * 8
    return max(1, min(size * 8, int(size * _CHUNK_SECONDS / seconds)))
