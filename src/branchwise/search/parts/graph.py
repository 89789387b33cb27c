"""Transpositions: equal states share one node."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from branchwise.common.errors import GameError
from branchwise.core import expand, graph
from branchwise.search.parts.plan import Part, Plan


class Graph(Part):
    """A graph in place of the tree; see `core.graph`."""

    unscored = frozenset({"keys"})

    def applies(self, plan: Plan) -> bool:
        return plan.settings.transpositions

    def check(self, plan: Plan) -> None:
        check_by_content(plan, "transpositions need")

    def options(self, plan: Plan) -> Collection[str]:
        return ["graph", "keys", *(["edge_rewards"] if plan.facts.pays else [])]

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        found = {
            "place": graph.place_in_graph,
            "visits": graph.visits_of_edge,
            "mean": graph.mean_behind_edge,
            "gain_by": graph.gain_by_edge,
            "relate": expand.relate,
            "add_outcome": graph.add_in_graph,
        }
        if plan.facts.pays:
            found |= {"note_edge": expand.note_edge, "behind_edge": graph.behind_edge}
        return found


def check_by_content(plan: Plan, what: str) -> None:
    """Raise `GameError` if equal states cannot be found again; what : needs it, with a verb."""
    if not plan.facts.by_content:
        raise GameError(
            f"{what} states that compare by content, and those of {plan.facts.name} do not",
            mend="give their class __eq__ and __hash__, or leave it out",
        )
