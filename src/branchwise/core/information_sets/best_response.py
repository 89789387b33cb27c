"""Values of strategies and best responses, over all histories of a game.

A best response needs the histories in an order in which a player's later choices come before the earlier
ones: with perfect recall, by the number of the player's own decisions so far.
"""

from __future__ import annotations

from branchwise.common.players import TERMINAL
from branchwise.core.machine.kernel import entry_kernel


@entry_kernel
def add_up(histories, weights, values):
    """Compute the expected returns of all players at every node.

    weights : float64 [N], the probability of the step into each node.   values : float64 [N, P], written.
    """
    for back in range(weights.size):
        node = weights.size - 1 - back
        first = histories.first[node]
        for player in range(values.shape[1]):
            total = histories.returns[node, player]
            for child in range(first, first + histories.counts[node]):
                total += weights[child] * values[child, player]
            values[node, player] = total
    return 0


@entry_kernel
def count_decisions(histories, player, decisions):
    """Write how many decisions `player` has made before each node; decisions : int32 [N]."""
    decisions[0] = 0
    for node in range(1, decisions.size):
        before = histories.parents[node]
        decisions[node] = decisions[before] + (1 if histories.players[before] == player else 0)
    return 0


@entry_kernel
def respond(histories, player, weights, sets, starts, order, decisions, reach, gains, best, values):
    """Compute a best response of `player` against the others.

    weights : float64 [N], the probability of the step into each node; those of `player` are not read.
    sets : int32 [N], the information set of each decision node.   starts : int64 [S + 1], of each set's part
    of gains.   order : int32 [N], nodes by decreasing decisions, then decreasing number.   decisions : int32
    [N], decisions of the player so far.   reach : float64 [N], gains : float64 [starts[S]], zero, and
    values : float64 [N]: written.   best : int32 [S], the number of the best child, written for the player's
    sets; ties go to the first.
    """
    reach[0] = 1.0
    for node in range(1, weights.size):
        before = histories.parents[node]
        own = histories.players[before] == player
        reach[node] = reach[before] * (1.0 if own else weights[node])
    begin = 0
    while begin < order.size:
        level = decisions[order[begin]]
        end = begin
        while end < order.size and decisions[order[end]] == level:
            node = order[end]
            if histories.players[node] == player:
                first = histories.first[node]
                for place in range(histories.counts[node]):
                    gains[starts[sets[node]] + place] += reach[node] * values[first + place]
            end += 1
        for i in range(begin, end):
            node = order[i]
            first = histories.first[node]
            mover = histories.players[node]
            if mover == TERMINAL:
                values[node] = histories.returns[node, player]
            elif mover == player:
                start = starts[sets[node]]
                chosen = 0
                for place in range(1, histories.counts[node]):
                    if gains[start + place] > gains[start + chosen]:
                        chosen = place
                best[sets[node]] = chosen
                values[node] = values[first + chosen]
            else:
                total = 0.0
                for child in range(first, first + histories.counts[node]):
                    total += weights[child] * values[child]
                values[node] = total
        begin = end
    return 0
