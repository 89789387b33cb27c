"""The compiled loop of simulations, with the states that it works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.machine.kernel_status import Status
from branchwise.core.simulation.simulate import run_simulations
from branchwise.game.rules_class import Game
from branchwise.search.composition.search_object import Search
from branchwise.search.drivers.background_compiling import STATES

if TYPE_CHECKING:
    from branchwise.search.drivers.root_source import RootSource

keep_on_disk()


class CompiledLoop:
    """Runs simulations of a search from one root, or from a source of roots, compiled."""

    def __init__(self, state: Game, search: Search, source: RootSource | None) -> None:
        self.native = compiled_type(type(state))
        self._search = search
        self._source = source
        self._root = NativeRecords(self.native, 1 if source is None else source.size)
        self.states = NativeRecords(self.native, STATES)
        self.set_root(state)

    def set_root(self, state: Game) -> None:
        """Start simulations from `state` from now on."""
        source = self._source
        if source is None:
            self._root.records[0] = state.to_record()
            self._search.record["viewer"] = state.current_player()
            return
        if source.records is not None:
            self._root.records[: len(source.states)] = source.records
        else:
            for place, root in enumerate(source.states):
                self._root.records[place] = root.to_record()
        self._search.record["viewer"] = source.viewer

    def run(self, simulations: int) -> Status:
        """Run simulations; loads or compiles the code first. Returns DONE or the fault that ended them."""
        return Status(call(run_simulations, self._search.native, self._root, self.states, simulations))
