"""What descents have in common that play the state along, because chance is drawn there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from typing import Any, ClassVar

from branchwise.common.errors import GameError
from branchwise.core.descents import open_loop
from branchwise.core.machine.kernel import kernels_of
from branchwise.core.tree.children import MOST_MARKED
from branchwise.search.parts.plan import Descent, Plan


class Walk(Descent, ABC):
    """A descent that asks the state at every node for its legal actions; children come one at a time."""

    unscored = frozenset({"open_loop", "keys"})

    values_unvisited: ClassVar[bool] = False
    """Whether actions have priors and first values before their visits, and backups need not be means."""

    @abstractmethod
    def needed_by(self, plan: Plan) -> str:
        """Return, for messages, what the settings that this descent refuses cannot be combined with."""

    def check(self, plan: Plan) -> None:
        for what in self._refused(plan):
            raise GameError(
                f"{what} cannot be combined with {self.needed_by(plan)}",
                mend='use parallel="root"' if what.startswith("several") else "leave it out",
            )
        if plan.facts.num_actions > MOST_MARKED:
            raise GameError(
                f"with chance that is drawn, a search supports at most {MOST_MARKED:,} distinct actions; "
                f"{plan.facts.name} has more"
            )

    def _refused(self, plan: Plan) -> Iterator[str]:
        """Yield the settings that cannot be combined with chance drawn during the descent."""
        settings, needs = plan.settings, plan.rule.needs
        visited_only = not self.values_unvisited
        if needs & {"heuristics", "amaf"} or (visited_only and "priors" in needs):
            yield f'selection="{plan.rule.name}"'
        if settings.transpositions:
            yield "transpositions"
        if visited_only:
            if settings.widening is not None and not plan.has_box:
                yield "widening"
            if settings.first_play is not None:
                yield "first_play"
            if settings.backup != "mean":
                yield f'backup="{settings.backup}"'
        if settings.implicit_minimax > 0:
            yield "implicit_minimax"
        if plan.shared:
            yield "several threads in one tree"
        if plan.facts.simulates and plan.policy.urgent:
            yield f'playout="{plan.policy.urgent}"'

    def options(self, plan: Plan) -> Collection[str]:
        return ["open_loop", "keys"] if self.is_drawn else ["open_loop"]

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        found = {
            **kernels_of(open_loop),
            "may_choose": open_loop.is_available,
            "simulate": open_loop.simulate_move_by_move,
        }
        if not plan.facts.pays:
            del found["add_paid_to_path"]
        return found
