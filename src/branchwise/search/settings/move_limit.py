"""Limits of a bot's thinking about one choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from branchwise.common.argument_checks import number, whole_number, without_fraction
from branchwise.search.settings.budget import MAX_SECONDS, MAX_SIMULATIONS, Budget
from branchwise.search.settings.clock import MAX_REMAINING


@dataclass(frozen=True)
class Limit:
    """Limits of one choice; a bot's own limits apply too.

    seconds : above 0.   nodes : simulations, or the bot's own unit, from 1.   depth : moves looked ahead,
    from 1.   clocks : seconds left on the game clocks, by player; empty without any.   increments : seconds
    that each move adds, by player.   among : the only actions to consider; empty: all.   avoid : triples of a
    player, an action, and within how many moves it is not considered. Bots that cannot restrict their choice
    refuse these two.

    Raises `SettingsError` for a value outside its range.

    >>> Limit(seconds=0.5, clocks=(60.0, 58.5), increments=(1.0, 1.0)).clock_of(1)
    (58.5, 1.0)
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    clocks: tuple[float, ...] = ()
    increments: tuple[float, ...] = ()
    among: tuple[int, ...] = ()
    avoid: tuple[tuple[int, int, int], ...] = ()

    def __post_init__(self) -> None:
        if self.seconds is not None:
            number("seconds", self.seconds, 0.0, MAX_SECONDS, above=True)
        object.__setattr__(self, "nodes", without_fraction(self.nodes))
        whole_number("nodes", self.nodes, 1, 2**53, optional=True)
        whole_number("depth", self.depth, 1, 2**53, optional=True)
        for left in self.clocks:
            number("clocks", left, 0.0, MAX_REMAINING)
        for added in self.increments:
            number("increments", added, 0.0, MAX_REMAINING)

    @property
    def restriction(self) -> dict[str, Any]:
        """The arguments by which `MCTS.search` considers only some actions; empty if all are considered.

        >>> Limit(among=(3, 4)).restriction
        {'among': (3, 4)}
        """
        found: dict[str, Any] = {"among": self.among} if self.among else {}
        if self.avoid:
            found["avoid"] = {(player, action): depth for player, action, depth in self.avoid}
        return found

    def clock_of(self, player: int) -> tuple[float, float] | None:
        """Return the seconds left on a player's clock and its increment; None without a clock."""
        if player >= len(self.clocks):
            return None
        return self.clocks[player], self.increments[player] if player < len(self.increments) else 0.0


def tightened(own: Budget | None, limit: Limit | None) -> Budget | None:
    """Return a bot's own budget, tightened by `limit`; None if neither sets a limit.

    >>> tightened(Budget(simulations=1000), Limit(seconds=2.0))
    Budget(simulations=1000, seconds=2.0, max_nodes=None)
    """
    if limit is None or (limit.seconds is None and limit.nodes is None):
        return own
    nodes = None if limit.nodes is None else min(limit.nodes, MAX_SIMULATIONS)
    told = Budget(nodes, limit.seconds)
    return told if own is None else told.within(own)
