"""Modules that have moved: their old paths work for one release, with a warning.

Users' rules import some of them, and stored matches name the classes of bots by module.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

MOVED = {
    "branchwise.advice": "branchwise.game.kinds.corrections",
    "branchwise.boxes": "branchwise.game.kinds.continuous_actions",
    "branchwise.bots.background": "branchwise.bots.base.bot_thread",
    "branchwise.bots.bot": "branchwise.bots.base.bot",
    "branchwise.bots.by_game": "branchwise.bots.strength.game_file_bot",
    "branchwise.bots.engine": "branchwise.bots.programs.engine",
    "branchwise.bots.engine_server": "branchwise.bots.servers.engine_server",
    "branchwise.bots.flat": "branchwise.bots.players.flat",
    "branchwise.bots.following": "branchwise.bots.base.moves_between_states",
    "branchwise.bots.gtp": "branchwise.bots.programs.gtp",
    "branchwise.bots.gtp_analysis": "branchwise.bots.servers.gtp_analysis",
    "branchwise.bots.gtp_server": "branchwise.bots.servers.gtp_server",
    "branchwise.bots.human": "branchwise.bots.players.human",
    "branchwise.bots.information_sets": "branchwise.bots.players.information_sets",
    "branchwise.bots.ismcts": "branchwise.bots.players.ismcts",
    "branchwise.bots.ladder": "branchwise.bots.strength.levels_file",
    "branchwise.bots.level": "branchwise.bots.strength.level",
    "branchwise.bots.mcts": "branchwise.bots.players.mcts",
    "branchwise.bots.minimax": "branchwise.bots.players.minimax",
    "branchwise.bots.pimc": "branchwise.bots.players.pimc",
    "branchwise.bots.planning": "branchwise.bots.base.planning",
    "branchwise.bots.pomcp": "branchwise.bots.players.pomcp",
    "branchwise.bots.program": "branchwise.bots.programs.program",
    "branchwise.bots.random": "branchwise.bots.players.random",
    "branchwise.bots.rehearsal": "branchwise.bots.base.warm_up",
    "branchwise.bots.rule": "branchwise.bots.players.playout_rule",
    "branchwise.bots.server": "branchwise.bots.servers.server",
    "branchwise.bots.tuned": "branchwise.bots.strength.tuned",
    "branchwise.bots.uci": "branchwise.bots.programs.uci",
    "branchwise.bots.uci_server": "branchwise.bots.servers.uci_server",
    "branchwise.consent": "branchwise.catalogue.trusted_code",
    "branchwise.declarations": "branchwise.game.definition.declarations",
    "branchwise.draws": "branchwise.game.kinds.random_numbers",
    "branchwise.errors": "branchwise.common.errors",
    "branchwise.fields": "branchwise.game.kinds.fields",
    "branchwise.files": "branchwise.catalogue.files",
    "branchwise.garbage": "branchwise.common.gc_pause",
    "branchwise.hidden": "branchwise.game.kinds.hidden_information",
    "branchwise.notation": "branchwise.common.name_and_options",
    "branchwise.players": "branchwise.common.players",
    "branchwise.problems.tsplib": "branchwise.problems.tsplib_reader",
    "branchwise.processes": "branchwise.common.processes",
    "branchwise.ranges": "branchwise.common.argument_checks",
    "branchwise.registry": "branchwise.catalogue.registry",
    "branchwise.render.drawing": "branchwise.drawing.shapes",
    "branchwise.render.film": "branchwise.drawing.animation",
    "branchwise.render.grid": "branchwise.drawing.grid",
    "branchwise.requirements": "branchwise.game.definition.requirements",
    "branchwise.simulation": "branchwise.pictures.simulation_report",
    "branchwise.simultaneous": "branchwise.game.kinds.simultaneous_moves",
    "branchwise.starter": "branchwise.game.random_starter",
    "branchwise.traits": "branchwise.game.kinds.game_kinds",
    "branchwise.wrappers": "branchwise.game.definition.wrappers",
}
"""Old path: new path."""
_EMPTIED = ("branchwise.render",)
"""Packages that are no more, through which old paths lead."""


class OldPaths:
    """Finds a module by its old path, and warns.

    It has the methods of a finder and a loader, but not their base classes, which are slow to import.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in MOVED and name not in _EMPTIED:
            return None
        return ModuleSpec(name, self, is_package=name in _EMPTIED)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave it to Python."""

    def exec_module(self, module: ModuleType) -> None:
        new = MOVED.get(module.__name__)
        if new is not None:
            warn_of(module.__name__, new)
            sys.modules[module.__name__] = import_module(new)


def warn_of(old: str, new: str) -> None:
    """Warn the code that imports the module `old`; `new` is its present path."""
    warnings.warn(
        f"{old} is {new} now; the old path works until the next release",
        DeprecationWarning,
        stacklevel=3,
    )
