"""Transpositions: equal states share one node."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from branchwise.common.errors import GameError
from branchwise.core.backup import transpositions
from branchwise.core.simulation import expand
from branchwise.search.parts.plan import Part, Plan


class Graph(Part):
    """A graph in place of the tree; see `core.backup.transpositions`."""

    unscored = frozenset({"keys"})

    def applies(self, plan: Plan) -> bool:
        return plan.settings.transpositions

    def check(self, plan: Plan) -> None:
        check_by_content(plan, "transpositions need")

    def options(self, plan: Plan) -> Collection[str]:
        return ["graph", "keys", *(["edge_rewards"] if plan.facts.pays else [])]

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        found = {
            "place": transpositions.place_in_graph,
            "visits": transpositions.visits_of_edge,
            "mean": transpositions.mean_behind_edge,
            "gain_by": transpositions.gain_by_edge,
            "relate": expand.relate,
            "add_outcome": transpositions.add_in_graph,
        }
        if plan.facts.pays:
            found |= {"note_edge": expand.note_edge, "behind_edge": transpositions.behind_edge}
        return found


def check_by_content(plan: Plan, what: str) -> None:
    """Raise `GameError` if equal states cannot be found again; what : needs it, with a verb."""
    if not plan.facts.by_content:
        raise GameError(
            f"{what} states that compare by content, and those of {plan.facts.name} do not",
            mend="give their class __eq__ and __hash__, or leave it out",
        )
