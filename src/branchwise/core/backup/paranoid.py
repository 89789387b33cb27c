"""Paranoid search: all others play against the player at the root.

In max^n (Luckhardt, Irani, 1986) each of three or more players maximises their own return, and values assume
that no player acts out of spite. The paranoid value is what the player at the root can get whatever
the others do: Sturtevant, Korf, "On pruning techniques for multi-player games", 2000. Only returns and
rewards are replaced, so the search itself is the same.
"""

from __future__ import annotations

import numpy as np

from branchwise.core.machine.kernel import kernel


@kernel
def oppose(search):
    """Replace search.returns of all others by the negated return of the root's player."""
    total = 0.0 if search.pays else search.sum_of_two
    for player in range(search.num_players):
        if player != search.viewer:
            search.returns[player] = total - search.returns[search.viewer]


@kernel
def oppose_rewards(search, depth):
    """The same for the rewards of the path down to `depth`."""
    players = search.num_players
    for level in range(1, depth + 1):
        mine = search.rewards[level * players + search.viewer]
        for player in range(players):
            if player != search.viewer:
                search.rewards[level * players + player] = -mine


@kernel
def paid_to(search, player):
    """Return the reward of `player` from search.paid."""
    if not search.is_paranoid or player == search.viewer:
        return np.float64(search.paid[player])
    return -search.paid[search.viewer]
