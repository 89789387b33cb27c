"""Running simulations for any state object, with its rules in plain Python.

The interpreter runs the text of a simulation (`core.simulation.simulate`); its phases, which touch only the
tree, are compiled as soon as that pays. With the same seed and rules, both drivers build the same tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.code.call_kernel import call, is_loaded, keep_on_disk, load
from branchwise.compile.code.compile_thread import Job
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.randomness import Randomness
from branchwise.compile.stopping.time_limits import Limits, RulesInPython, current_limits
from branchwise.core.interpret import as_interpreted, interpreted
from branchwise.core.machine.kernel import COMPILED_PHASES, PHASES, TEXTS, Kernel, Phase
from branchwise.core.machine.kernel_status import ROOT_IS_SOLVED, Status
from branchwise.rules.checking.fault_replay import Trail
from branchwise.search.composition.search_object import Search
from branchwise.search.composition.search_type import KernelTable
from branchwise.search.drivers.interpreted_states import InterpretedState, array_of
from branchwise.search.drivers.simulation_runner import Runner

if TYPE_CHECKING:
    from branchwise.search.drivers.root_source import RootSource

keep_on_disk()


_NUMBERS = (
    "cutoff",
    "playouts",
    "num_players",
    "num_actions",
    "num_outcomes",
    "max_return",
    "max_depth",
    "discount",
    "horizon",
)
"""Numbers of a search that texts read."""

FEW_SIMULATIONS = 1_000
"""Simulations that a process runs before it compiles the phases of a composition.

Compiling takes as long as some 2,000 to 5,000 simulations without code.
"""
_LOADING_SECONDS = 1.0
"""How long a search of few simulations waits for its phases to be loaded from disk."""
_simulations: Counter[str] = Counter()
"""How many simulations of each composition were asked for before its phases were compiled."""


class InterpretedSearch:
    """The `search` of interpreted texts: texts are called as they are, phases as compiled kernels."""

    simulate: Callable[..., int]
    descend: Callable[..., int]
    complete: Callable[..., int]
    select: Callable[..., int]
    enter: Callable[..., int]
    enter_outcome: Callable[..., int]
    play_once: Callable[..., int]
    back_up: Callable[..., int]
    judge: Callable[..., None]
    note_move: Callable[..., None]
    note_outcome: Callable[..., None]
    score: Callable[..., float]
    guided: np.int64
    viewer: np.int64
    randomness: Callable[..., Randomness]
    priors: NDArray[np.float32]
    levels: NDArray[Any]
    returns: NDArray[np.float64]
    rewards: NDArray[np.float64]
    left: NDArray[np.int64]

    def __init__(self, search: Search, played: list[int]) -> None:
        table: KernelTable = search.composition.native.table  # type: ignore[assignment]
        self._search = search
        self._numba_type_ = search.native._numba_type_
        self.address = search.native.address
        for name, constant in table.constants.items():
            setattr(self, name, constant)
        for name in _NUMBERS:
            setattr(self, name, search.record[name].item())
        for name in (
            "actions",
            "others",
            "total",
            "streams",
            "faces",
            "odds",
            "paid",
            "evaluation",
            "weights",
            "low",
            "high",
            "vector",
            "masks",
            "dealing",
            "holes",
            "joint",
            "observed",
            "barred",
            "net_board",
            "net_more",
        ):
            setattr(self, name, getattr(search.scratch, name))
        for name, kernel in _reached(table).items():
            setattr(self, name, kernel.py_func if kernel in TEXTS else _entry(PHASES[kernel], search.native))
        random = Randomness(search.scratch.streams)
        self.randomness = lambda streams: random
        if hasattr(self, "note_move"):
            self._write_down(played)
        self.refresh()

    def _write_down(self, played: list[int]) -> None:
        """Record moves and outcomes of chance in `played`, too."""
        note_move, note_outcome = self.note_move, getattr(self, "note_outcome", None)

        def note(search: InterpretedSearch, place: int, player: int, action: int) -> None:
            played.append(action)
            note_move(search, place, player, action)

        def note_chance(search: InterpretedSearch, place: int, outcome: int) -> None:
            played.append(outcome)
            assert note_outcome is not None
            note_outcome(search, place, outcome)

        self.note_move = note
        if note_outcome is not None:
            self.note_outcome = note_chance

    @contextmanager
    def replacing(self, **watching: Callable[..., Any]) -> Iterator[None]:
        """Replace texts or phases by the functions given, within a `with` block."""
        before = {name: getattr(self, name) for name in watching}
        vars(self).update(watching)
        try:
            yield
        finally:
            vars(self).update(before)

    def refresh(self) -> None:
        """Use the tree, which moves when it is enlarged, and the visit under way."""
        self.priors = self._search.tree.priors
        visit = self._search.visit
        self.levels, self.returns = visit.levels, visit.returns
        self.rewards, self.left = visit.rewards, visit.left
        self.viewer = self._search.record["viewer"].item()

    def run(self, kernel: Kernel, *args: Any) -> Any:
        """Call an entry kernel that takes the search and `args`."""
        return call(kernel, self._search.native, *args)

    @staticmethod
    def arithmetic() -> AbstractContextManager[object]:
        """Return the context in which simulations run."""
        return nullcontext()


class UncompiledSearch(InterpretedSearch):
    """The same while nothing is compiled: phases and all kernels that they call are interpreted, too."""

    def __init__(self, search: Search, played: list[int]) -> None:
        table: KernelTable = search.composition.native.table  # type: ignore[assignment]
        vars(self).update(table.constants)
        self._numba_type_ = search.native._numba_type_
        self.address = search.native.address
        for name, kernel in table.statics.items():
            at_once = kernel in COMPILED_PHASES
            setattr(self, name, _entry(PHASES[kernel], search.native) if at_once else interpreted(kernel))
        if table.score is not None:
            self.score = table.score
        for name in search.record.dtype.names:
            if not name.endswith(("_at", "_size")):
                setattr(self, name, search.record[name])
        random = Randomness(search.scratch.streams)
        self.randomness = lambda streams: random
        self._search = search
        self.refresh()

    def refresh(self) -> None:
        """Use the present arrays of the search."""
        search = self._search
        arrays = search.tree.arrays() | search.scratch._asdict() | search.visit._asdict()
        for name, array in arrays.items():
            setattr(self, name, as_interpreted(array))
        self.guided, self.viewer = search.record["guided"], search.record["viewer"]

    def run(self, kernel: Kernel, *args: Any) -> Any:
        """Call an entry kernel that takes the search and `args`, interpreted."""
        self.refresh()
        with self.arithmetic():
            return interpreted(kernel)(self, *args)

    @staticmethod
    def arithmetic() -> AbstractContextManager[object]:
        """Return a context in which NumPy computes as machine code does: without warnings."""
        return np.errstate(over="ignore", divide="ignore", invalid="ignore")


def texts_for(search: Search, simulations: int | None) -> type[InterpretedSearch]:
    """Return the class of texts that suits a search of this number of simulations; None: it is not known.

    Phases that are neither loaded nor on disk are not compiled for a few simulations.
    """
    table: KernelTable = search.composition.native.table  # type: ignore[assignment]
    key = search.native._numba_type_.key
    if simulations is None or table.score is not None:  # a user's score function must compile
        return InterpretedSearch
    is_first = key not in _simulations
    _simulations[key] += simulations
    if _simulations[key] > FEW_SIMULATIONS or _are_loaded(search) or (is_first and _are_on_disk(search)):
        return InterpretedSearch
    return UncompiledSearch


def _are_loaded(search: Search) -> bool:
    """Whether the phases of a search are loaded."""
    return all(is_loaded(phase.entry, search.native, *phase.parameters) for phase in _phases(search))


def _are_on_disk(search: Search) -> bool:
    """Load the phases of a search from disk; returns whether all are there, and loaded in time.

    While other code is being compiled nothing can be loaded; the search does not wait for that.
    """
    phases = _phases(search)
    loading = Job(lambda: [_entry(phase, search.native) for phase in phases], may_compile=False)
    loading.start()
    return loading.wait(_LOADING_SECONDS) and not loading.found_nothing


def _phases(search: Search) -> list[Phase]:
    table: KernelTable = search.composition.native.table  # type: ignore[assignment]
    return [PHASES[kernel] for kernel in _reached(table).values() if kernel not in TEXTS]


def _entry(phase: Phase, native: NativeRecords) -> Kernel:
    load(phase.entry, native, *phase.parameters)
    return phase.entry


def _reached(table: KernelTable) -> dict[str, Kernel]:
    """Return the texts and phases that a simulation calls, by their names in a search."""
    found: dict[str, Kernel] = {}
    waiting = [name for name in ("simulate", "descend", "complete") if name in table.statics]
    while waiting:
        name = waiting.pop()
        kernel = table.statics[name]
        if name not in found and (kernel in TEXTS or kernel in PHASES):
            found[name] = kernel
            if kernel in TEXTS:
                waiting += [named for named in kernel.py_func.__code__.co_names if named in table.statics]
    return found


class InterpretedDriver(Runner):
    """Runs simulations from one root state through the state's own methods."""

    first_chunk = 1

    def __init__(
        self,
        state: Any,
        search: Search,
        texts: type[InterpretedSearch] = InterpretedSearch,
        source: RootSource | None = None,
    ) -> None:
        super().__init__([search])
        self._source = source
        self.played: list[int] = []
        """Moves of this simulation's random game."""
        self.texts = texts(search, self.played)
        self.state = InterpretedState(state, search.composition.facts, self.played)
        self.set_root(state)

    def set_root(self, state: Any) -> None:
        """Start simulations from `state` from now on."""
        facts = self.search.composition.facts
        source = self._source
        self.leave()
        if source is None:
            self.search.record["viewer"] = state.current_player()
            self.root = InterpretedState(state, facts, self.played)
        else:
            self.search.record["viewer"] = source.viewer
            self.root = array_of(source.states, facts, self.played, source.spare)
        self.state = InterpretedState(state, facts, self.played)
        if source is not None:
            self.state.draws_ahead = 1  # deals draw, too

    def expect(self, simulations: int | None) -> None:
        """Get ready for a search of this number of simulations; None: it is not known."""
        if type(self.texts) is UncompiledSearch and texts_for(self.search, simulations) is InterpretedSearch:
            self.texts = InterpretedSearch(self.search, self.played)

    def run(self, simulations: int) -> Status:
        """Run simulations, fewer if the root is solved; returns DONE or the fault that ended them."""
        with RulesInPython(), self.texts.arithmetic():
            return self._run(simulations, current_limits())

    def _run(self, simulations: int, limits: Limits) -> Status:
        texts, root, state, played = self.texts, self.root, self.state, self.played
        simulate = texts.simulate
        texts.refresh()
        for _ in range(simulations):
            played.clear()
            status = simulate(texts, root, state)
            if status:
                return Status.DONE if status == ROOT_IS_SOLVED else Status(status)
            if limits.was_asked:
                break
        return Status.DONE

    def leave(self) -> None:
        """Hand the search to another driver or another root, which continues exactly as this one would."""
        self.state.give_back_draws(self.search.scratch.streams)

    def trail(self) -> Trail:
        """Return the trail of the simulation in which the rules raised an exception."""
        path = self.search.path_to_fault()
        return Trail(leaf=path, path=path, played=list(self.played))
