"""Running simulations for a `Game`, whose rules are compiled together with the search."""

from __future__ import annotations

from branchwise.compile.call import call, keep_on_disk
from branchwise.compile.native import NativeRecords
from branchwise.compile.rules import compiled_type
from branchwise.core.random import PLAYOUT_STREAM
from branchwise.core.simulate import run_simulations
from branchwise.core.status import Status
from branchwise.game import Game
from branchwise.rules.trail import Trail, path_of_nodes
from branchwise.rules.vetting import vet
from branchwise.search.recipe import Search

keep_on_disk()

_STATES = 4
"""States that a simulation needs: its own, two to look ahead with, one to start playouts from."""


class CompiledDriver:
    """Simulations from one root state, run by the compiled loop."""

    first_chunk = 64
    """Simulations of the first call, before their speed is known."""

    def __init__(self, state: Game, search: Search) -> None:
        vet(type(state))
        native = compiled_type(type(state))
        self.search = search
        self._root = NativeRecords(native)
        self.states = NativeRecords(native, _STATES)
        self.set_root(state)
        self.run(0)  # loads or compiles the code, so that no budget pays for it

    def set_root(self, state: Game) -> None:
        """Begin simulations at `state` from now on."""
        self._root.records[0] = state.to_record()

    def run(self, simulations: int) -> Status:
        """Run so many simulations; returns DONE or the fault of the rules that ended them."""
        return Status(call(run_simulations, self.search.native, self._root, self.states, simulations))

    def trail(self) -> Trail:
        """Return what is known of the simulation in which the rules raised."""
        search = self.search
        scratch, nodes = search.scratch, search.tree.nodes
        plain = search.recipe.policy.policy == "uniform" and not search.recipe.policy.urgent
        return Trail(
            leaf=self.path_to_fault(),
            path=path_of_nodes(nodes, scratch.path[: len(scratch.path) - 1].tolist()),
            stream=int(scratch.streams[PLAYOUT_STREAM]) if plain else None,
        )

    def path_to_fault(self) -> list[int]:
        """Return the actions in the tree before the fault that `run` reported."""
        return self.search.path_to_fault()
