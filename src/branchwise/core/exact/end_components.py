"""States among which one player can stay for ever without a reward.

All of such a component have one value: the best of what can be had by leaving it. As long as they are apart,
each may owe its value to another, and an upper bound never falls. So they are put together as one state.
Source: Haddad, Monmege, "Interval iteration algorithm for MDPs and IMDPs", 2018.
"""

from __future__ import annotations

from branchwise.common.players import CHANCE
from branchwise.core.machine.kernel import entry_kernel


@entry_kernel
def leave_out(reached, order, component):
    """Take out of their components the states that cannot stay there without a reward.

    order : int32 [N], most states after those that they lead to.   component : int32 [N], negative, 0 for
    none; modified in place.
    """
    changed = True
    while changed:
        changed = False
        for state in order:
            mine = component[state]
            if mine == 0:
                continue
            by_chance = reached.players[state] == CHANCE
            stays = by_chance
            for step in range(reached.first[state], reached.first[state + 1]):
                pays = reached.rewards.size > 0 and reached.rewards[step, 0] != 0.0
                inside = component[reached.targets[step]] == mine and not pays
                if inside != by_chance:
                    stays = inside
                    break
            if not stays:
                component[state] = 0
                changed = True
