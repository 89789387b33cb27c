"""Numbers that stand for chance and for other non-players as the player to move, as in OpenSpiel.

So a node's player determines the kind of node. Also limits for rules: the required accuracy of
probabilities, and the largest reward.
"""

from __future__ import annotations

CHANCE = -1
SIMULTANEOUS = -2
NO_PLAYER = -3
"""Not known yet."""
TERMINAL = -4
"""The game is over."""

NO_ACTION = -1
"""In place of an action: that of a player without a choice where all move at once, or of none at all."""

GREATEST_REWARD = 1e30
"""Maximum absolute reward of a move: bounds are stored as float32."""

PROBABILITY_TOLERANCE = 1e-6
"""Tolerance of the sum of probabilities, which may come from a table of rounded numbers."""


def credited(mover: int | None, player: int) -> int | None:
    """Return the player whose value a node's children have; `player` moves there, `mover` moved into it.

    No player chooses an outcome of chance, so its value is that of the player who moved before.

    >>> credited(0, 1), credited(0, CHANCE)
    (1, 0)
    """
    return mover if player == CHANCE else player


def named(player: int) -> str:
    """Return the name of a player, or of chance, for use in a sentence.

    >>> named(1), named(CHANCE)
    ('player 1', 'chance')
    """
    return "chance" if player == CHANCE else f"player {player}"
