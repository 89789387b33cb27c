"""Running simulations for a `Game`, whose rules are compiled together with the search."""

from __future__ import annotations

import numpy as np

from branchwise.compile.call import call, keep_on_disk
from branchwise.compile.native import NativeStates
from branchwise.compile.rules import compiled_type
from branchwise.core.expand import Bounds
from branchwise.core.loop import Scratch, Settings, run_simulations
from branchwise.core.random import new_streams
from branchwise.core.status import Status
from branchwise.core.tree import Tree
from branchwise.game import Game
from branchwise.search.vetting import vet

keep_on_disk()


class CompiledDriver:
    """Simulations from one root state, run by the compiled loop."""

    first_chunk = 64
    """Simulations of the first call, before their speed is known."""

    def __init__(self, state: Game, tree: Tree, settings: Settings, seed: int) -> None:
        game = type(state)
        vet(game)
        native = compiled_type(game)
        self.tree = tree
        self._settings = settings
        self._root = NativeStates(native)
        self._root.records[0] = state.to_record()
        self._state = NativeStates(native, 2)
        self._bounds = Bounds(
            int(game.num_players), int(game.num_actions), float(game.min_return), float(game.max_return)
        )
        self._streams = new_streams(seed)
        self._scratch = Scratch(
            path=np.zeros(settings.max_depth + 2, np.int32),
            depth=np.zeros(1, np.int64),
            actions=np.zeros(game.num_actions, np.int32),
            returns=np.zeros(game.num_players, np.float64),
        )
        self.run(0)  # loads or compiles the code, so that no budget pays for it

    def run(self, simulations: int) -> Status:
        """Run so many simulations; returns DONE or the fault of the rules that ended them."""
        status = call(
            run_simulations,
            self.tree,
            self._root,
            self._state,
            self._settings,
            self._bounds,
            self._scratch,
            self._streams,
            simulations,
        )
        return Status(status)

    def path_to_fault(self) -> list[int]:
        """Return the actions in the tree before the fault that `run` reported."""
        depth = int(self._scratch.depth[0])
        path = self._scratch.path[1 : depth + 1]
        return [int(action) for action in self.tree.nodes["action"][path]]
