"""Limits of one search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from branchwise.common.argument_checks import number, whole_number, without_fraction
from branchwise.common.errors import SettingsError

_Number = TypeVar("_Number", int, float)

MAX_SIMULATIONS = 2_000_000_000
MAX_SECONDS = 10_000_000.0


@dataclass(frozen=True)
class Budget:
    """Limits of one search, which ends at the first that it reaches. At least one must be given.

    simulations : 1 to 2,000,000,000.   seconds : above 0.   max_nodes : at least 2, the most nodes
    of the tree; the search ends when the tree would need more.

    Raises `SettingsError` for a value outside its range.

    >>> Budget(simulations=1000).simulations
    1000
    """

    simulations: int | None = None
    seconds: float | None = None
    max_nodes: int | None = None

    def __post_init__(self) -> None:
        if self.simulations is None and self.seconds is None and self.max_nodes is None:
            raise SettingsError("the search has no limit", mend="give simulations=, seconds= or max_nodes=")
        for name in ("simulations", "max_nodes"):  # 1e6 is a number of simulations, too
            object.__setattr__(self, name, without_fraction(getattr(self, name)))
        whole_number("simulations", self.simulations, 1, MAX_SIMULATIONS, optional=True)
        whole_number("max_nodes", self.max_nodes, 2, 2**31 - 1, optional=True)
        if self.seconds is not None:
            number("seconds", self.seconds, 0.0, MAX_SECONDS, above=True)

    def within(self, other: Budget) -> Budget:
        """Return a budget that ends where the first of the two would.

        >>> Budget(simulations=1000).within(Budget(simulations=500, seconds=2.0))
        Budget(simulations=500, seconds=2.0, max_nodes=None)
        """
        return Budget(
            least(self.simulations, other.simulations),
            least(self.seconds, other.seconds),
            least(self.max_nodes, other.max_nodes),
        )


def least(one: _Number | None, other: _Number | None) -> _Number | None:
    """Return the lower of two limits; None means no limit."""
    given = [limit for limit in (one, other) if limit is not None]
    return min(given, default=None)
