"""The sum of the rewards that a game has paid on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from branchwise.common.players import CHANCE
from branchwise.rules.facts.facts import GameFacts


def sum_of_rewards(
    rewards: Sequence[tuple[float, ...]], facts: GameFacts, positions: Callable[[], Iterable[tuple[Any, Any]]]
) -> tuple[float, ...]:
    """Return the sum of each player's rewards, discounted on entering each decision but the first.

    rewards : of each move, one a player.   positions : returns the state before each move, with the action;
    called only if rewards are discounted.
    """
    total, weight = (0.0,) * facts.num_players, 1.0
    if facts.discount == 1.0 or not rewards:
        for paid in rewards:
            total = _added(total, paid, 1.0)
        return total
    for ply, (paid, (state, _)) in enumerate(zip(rewards, positions(), strict=True)):
        if ply and state.current_player() != CHANCE:
            weight *= facts.discount
        total = _added(total, paid, weight)
    return total


def _added(total: tuple[float, ...], rewards: tuple[float, ...], weight: float) -> tuple[float, ...]:
    """Return `total` plus `weight` times the rewards."""
    return tuple(so_far + weight * reward for so_far, reward in zip(total, rewards, strict=True))
