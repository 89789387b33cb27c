"""Selection rules: formulas that score the children of a node.

A rule is a function of a `Child`, its `Parent` and the search, whose options it reads as attributes. It
returns a score; the child with the highest score is visited. Means are gains from 0 to 1, so constants from
the literature for that range apply. A user's function of the same form can be used instead: see
`search.settings.selection`.
"""

from __future__ import annotations

import math

import numpy as np

_QUARTER = np.float32(0.25)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_THREE = np.float32(3.0)
_FOUR = np.float32(4.0)
FIRST = np.float32(1e6)
"""Score of a move that is tried before all others."""


def ucb1(child, parent, search):
    """UCB1: value + c sqrt(ln N / n).

    Auer, Cesa-Bianchi, Fischer, "Finite-time analysis of the multiarmed bandit problem", 2002; in trees:
    Kocsis, Szepesvari, "Bandit based Monte-Carlo planning", 2006.
    """
    return child.value + search.c * math.sqrt(parent.log_visits * child.inverse_visits)


def ucb1_tuned(child, parent, search):
    """UCB1-Tuned: value + c sqrt(ln N / n min(1/4, variance + sqrt(2 ln N / n))).

    Auer, Cesa-Bianchi, Fischer, 2002, section 4, there with c = 1.
    """
    ratio = parent.log_visits * child.inverse_visits
    spread = min(_QUARTER, child.variance + math.sqrt(_TWO * ratio))
    return child.value + search.c * math.sqrt(ratio * spread)


def sp_mcts(child, parent, search):
    """SP-MCTS: UCB1 + sqrt(variance + doubt / n), for problems of one player.

    Schadd et al., "Single-player Monte-Carlo tree search", 2008, where `doubt` is D, there for scores and not
    for values from 0 to 1. The third term prefers children with widely spread results and, through D, with
    few visits.
    """
    explored = search.c * math.sqrt(parent.log_visits * child.inverse_visits)
    return child.value + explored + math.sqrt(child.variance + search.doubt * child.inverse_visits)


def puct(child, parent, search):
    """PUCT: value + (c + ln((N + c_base + 1) / c_base)) prior sqrt(N) / (1 + n).

    Silver et al., "A general reinforcement learning algorithm that masters chess, shogi and Go through
    self-play", 2018, there for values from -1 to 1, so with twice this c.
    """
    growing = search.c + parent.growth  # the logarithm: see `core.simulation.select.parent_of`
    return child.value + growing * child.prior * math.sqrt(parent.visits) / (_ONE + child.visits)


def rave(child, parent, search):
    """RAVE and GRAVE: (1 - b) value + b amaf_value + c sqrt(ln N / n), b = m / (n + m + 4 n m bias^2).

    m : amaf_visits. The weight minimises the squared error: Gelly, Silver, "Monte-Carlo tree search
    and rapid action value estimation in computer Go", 2011, section 4.3. A move without any statistics comes
    before all others, as in Cazenave, "Generalized rapid action value estimation", 2015.
    """
    n, m = child.visits, child.amaf_visits
    if n + m == 0:
        return FIRST
    weight = m / max(n + m + _FOUR * n * m * search.bias * search.bias, _ONE)
    mean = (_ONE - weight) * child.value + weight * child.amaf_value
    return mean + search.c * math.sqrt(parent.log_visits / max(n, _ONE))


def progressive_bias(child, parent, search):
    """UCB1 + bias * heuristic / (n + 1).

    Chaslot et al., "Progressive strategies for Monte-Carlo tree search", 2008.
    """
    explored = search.c * math.sqrt(parent.log_visits * child.inverse_visits)
    return child.value + explored + search.bias * child.heuristic / (child.visits + _ONE)


def progressive_history(child, parent, search):
    """UCB1 + bias * history / (n (1 - value) + 1).

    Nijssen, Winands, "Enhancements for multi-player Monte-Carlo tree search", 2011: losses, not visits,
    make the bias fade, so that it stays with moves that win.
    """
    explored = search.c * math.sqrt(parent.log_visits * child.inverse_visits)
    losses = child.visits * (_ONE - child.value)
    return child.value + explored + search.bias * child.history / (losses + _ONE)


def thompson(child, parent, search):
    """Thompson sampling: a draw from the value's posterior, whose standard deviation is multiplied by c.

    The posterior of a gain after n draws with sum s, from a uniform prior, is approximated by a normal
    distribution with the mean m = (s + 1) / (n + 2) and variance m (1 - m) / (n + 3) of the Beta. Agrawal,
    Goyal, "Analysis of Thompson sampling for the multi-armed bandit problem", 2012.
    """
    mean = (child.value * child.visits + _ONE) / (child.visits + _TWO)
    return mean + search.c * child.noise * math.sqrt(mean * (_ONE - mean) / (child.visits + _THREE))
