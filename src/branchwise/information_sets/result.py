"""Results of searches on information sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from branchwise.rules.knowledge.information import InformationState

if TYPE_CHECKING:
    from branchwise.drawing.table import Table


@dataclass(frozen=True)
class ActionShare:
    """One action of the player to move.

    probability : in the average strategy of outcome sampling; or the action's share of visits.   value : mean
    return of the player after the action; None where it is not known.
    """

    action: int
    text: str
    probability: float
    value: float | None


@dataclass(frozen=True)
class InformationSetResult:
    """Result of a search on information sets, for the player whose information it had.

    actions : of each legal action, the most probable first.   visits : simulations that chose here, also in
    earlier searches if the planner kept its table; with 0 all actions are equally probable. simulations,
    seconds : of this search.   information_sets : size of the table.   is_full : whether it had no room for
    more.   histories : histories from the start of the game that look to the player as `known` does.
    is_complete : whether these are all, not a sample.   dealt : states that the rules of the game dealt
    because no history was found; with 0 of both, `MOISMCTS` has run no simulation.
    """

    known: InformationState
    actions: tuple[ActionShare, ...]
    visits: int
    simulations: int
    seconds: float
    information_sets: int
    is_full: bool
    histories: int
    is_complete: bool
    seed: int
    dealt: int = 0

    @property
    def best_action(self) -> int:
        """The most probable action; among equals the one with the higher value, then the lowest."""
        return self.actions[0].action

    def policy(self) -> dict[int, float]:
        """Return the probability of each action, the mixed strategy that the search found."""
        return {share.action: share.probability for share in sorted(self.actions, key=lambda s: s.action)}

    def __str__(self) -> str:
        from branchwise.drawing.table import as_text

        sample = "" if self.is_complete else " (a sample)"
        found = f"{self.dealt:,} deals" if self.dealt else f"{self.histories:,} histories{sample}"
        title = (
            f"{self.known.name}: player {self.known.player} to move, {self.simulations:,} simulations in "
            f"{self.seconds:.2f} s, {self.information_sets:,} information sets, {found}"
        )
        return f"{title}\n{as_text(self._table())}"

    def _table(self) -> Table:
        from branchwise.drawing.table import Table

        table = Table()
        has_values = any(share.value is not None for share in self.actions)
        for name in ("action", "probability", *(["value"] if has_values else [])):
            table.add_column(name, justify="left" if name == "action" else "right")
        for share in self.actions:
            value = [] if not has_values else ["" if share.value is None else f"{share.value:+.3f}"]
            table.add_row(share.text, f"{share.probability:.4f}", *value)
        return table


def shares_of(
    known: InformationState, probabilities: list[float], values: list[float | None]
) -> tuple[ActionShare, ...]:
    """Return the actions, the most probable first."""
    found = [
        ActionShare(action, known.action_to_string(action), probability, value)
        for action, probability, value in zip(known.legal, probabilities, values, strict=True)
    ]
    worst = known.game.min_return - 1.0
    key = [(-s.probability, -(worst if s.value is None else s.value), s.action) for s in found]
    return tuple(found[i] for i in sorted(range(len(found)), key=key.__getitem__))
