"""Everyone against the player at the root: what a player wins, each of the others loses.

With three or more players who each want the most for themselves ("max^n": Luckhardt, Irani, 1986) a value
holds as long as nobody spites anybody. The paranoid value is what the player at the root can get whatever
the others do: Sturtevant, Korf, "On pruning techniques for multi-player games", 2000. All of it is a matter
of what is paid, so the search itself is the same.
"""

from __future__ import annotations

import numpy as np

from branchwise.core.kernel import kernel


@kernel
def oppose(search):
    """Let search.returns of all others be the opposite of the root player's."""
    total = 0.0 if search.pays else search.sum_of_two
    for player in range(search.num_players):
        if player != search.viewer:
            search.returns[player] = total - search.returns[search.viewer]


@kernel
def oppose_rewards(search, depth):
    """The same of the rewards of the path down to `depth`."""
    players = search.num_players
    for level in range(1, depth + 1):
        mine = search.rewards[level * players + search.viewer]
        for player in range(players):
            if player != search.viewer:
                search.rewards[level * players + player] = -mine


@kernel
def paid_to(search, player):
    """Return what search.paid is worth to `player`."""
    if not search.is_paranoid or player == search.viewer:
        return np.float64(search.paid[player])
    return -search.paid[search.viewer]
