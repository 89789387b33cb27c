"""The report of a check of a game's rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from branchwise.rules.checking.hidden_contract import DealsChecked

_RESULTS_LISTED = 50


@dataclass
class CheckReport:
    """The results of a check that found no fault."""

    game: str
    """Text form of the game."""
    mirror: str | None = None
    """The form that the rules in plain Python were compared with, or None."""
    games: int = 0
    moves: int = 0
    """Number of moves in all games together."""
    shortest: int = 0
    """Number of moves in the shortest game."""
    longest: int = 0
    """Number of moves in the longest game."""
    most_actions: int = 0
    """Largest number of legal actions in one state; 0 where actions are continuous."""
    dimensions: int = 0
    """How many numbers a continuous action is."""
    results: Counter[tuple[float, ...]] = field(default_factory=Counter)
    """By final returns, one number per player: how many games ended with them."""
    compared: int = 0
    """Number of games played in plain Python in step with what `mirror` names."""
    deals: DealsChecked | None = None
    """How states were dealt anew, in a game with hidden information."""
    observations: int | None = None
    """Observations that were checked, of a partially observed problem."""
    symmetries: int = 1
    turned: int = 0
    """Positions in which they were checked."""
    notes: list[str] = field(default_factory=list)
    """Remarks that are not faults but may surprise players."""
    seconds: float = 0.0
    """Seconds that the games took, without compiling the rules."""

    def add(self, lengths: Sequence[int], results: Iterable[tuple[float, ...]], most_actions: int) -> None:
        """Add finished games; most_actions : the largest number of legal actions in one state of theirs."""
        if lengths:
            self.shortest = min(self.shortest, *lengths) if self.games else min(lengths)
            self.longest = max(self.longest, *lengths)
        self.games += len(lengths)
        self.moves += sum(lengths)
        self.results.update(results)
        self.most_actions = max(self.most_actions, most_actions)

    def __str__(self) -> str:
        compared = ""
        if self.mirror is not None:
            some = "" if self.compared == self.games else f"{self.compared:,} of them "
            compared = f", {some}in step with {self.mirror}"
        return "\n".join(
            [
                f"{self.game}: no fault in {self.games:,} random games, {self.moves:,} moves{compared}",
                f"  length: {self.shortest} to {self.longest} moves, mean {self.moves / self.games:.1f}",
                f"  actions: {self._actions()}",
                f"  returns: {self._returns()}",
                *([] if self.deals is None else [f"  hidden information: {self.deals}"]),
                *([] if self.observations is None else [f"  observations: {self.observations:,} checked"]),
                *([f"  symmetries: {self.symmetries}, in {self.turned:,} positions"] if self.turned else []),
                *(f"  note: {note}" for note in self.notes),
            ]
        )

    def _actions(self) -> str:
        if self.dimensions:
            return f"vectors of {self.dimensions} number{'s' if self.dimensions > 1 else ''}"
        return f"up to {self.most_actions} in one state"

    def _returns(self) -> str:
        """Return the commonest results with their shares; of many, each player's mean and range."""
        if len(self.results) > _RESULTS_LISTED:
            return "; ".join(
                f"player {player}: mean {sum(r * n for r, n in column.items()) / self.games:.4g}, "
                f"{min(column):g} to {max(column):g}"
                for player, column in enumerate(self._columns())
            )
        shares = [
            f"({', '.join(f'{number + 0.0:g}' for number in returns)}) {count / self.games:.1%}"
            for returns, count in self.results.most_common(5)
        ]
        more = f" and {len(self.results) - 5} more" if len(self.results) > 5 else ""
        return "; ".join(shares) + more

    def _columns(self) -> list[Counter[float]]:
        """Return how often each player had each return."""
        columns: list[Counter[float]] = [Counter() for _ in next(iter(self.results))]
        for returns, count in self.results.items():
            for column, number in zip(columns, returns, strict=True):
                column[number] += count
        return columns
