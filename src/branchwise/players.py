"""Who is to move, where it is none of the players: numbers as OpenSpiel has them.

So a node's player says what kind of node it is. Also limits of what rules may say: how exactly probabilities
of chance have to be given, and how much a move may pay.
"""

from __future__ import annotations

CHANCE = -1
SIMULTANEOUS = -2
NO_PLAYER = -3
"""Nobody knows yet."""
TERMINAL = -4
"""The game is over."""

GREATEST_REWARD = 1e30
"""The most that a move may pay, or cost: bounds are kept as float32."""

PROBABILITY_TOLERANCE = 1e-6
"""Most by which probabilities may miss 1: outcomes may come from a table of rounded numbers."""


def credited(mover: int | None, player: int) -> int | None:
    """Return whose value the children of a node have: `player` is to move there, `mover` moved into it.

    Nobody chooses an outcome of chance, so it counts for the player who moved before.

    >>> credited(0, 1), credited(0, CHANCE)
    (1, 0)
    """
    return mover if player == CHANCE else player


def named(player: int) -> str:
    """Return what a sentence calls a player, or chance.

    >>> named(1), named(CHANCE)
    ('player 1', 'chance')
    """
    return "chance" if player == CHANCE else f"player {player}"
