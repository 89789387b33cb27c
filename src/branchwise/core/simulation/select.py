"""Selecting a child during descent.

Scores the children of one node by the search's selection rule and returns the best. Reads the tree, changes
nothing in it, knows no game. Layout: `core.tree.node_fields`. Rules: `core.simulation.selection_rules`.

Scores are 32-bit: in a large tree, most of a search's time goes into square roots and divisions, which cost
half as much as in 64 bits. Sums of gains stay 64-bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.backup.move_statistics import known_table, slot_of
from branchwise.core.machine.kernel import kernel
from branchwise.core.machine.two_action_list import likely
from branchwise.core.numbers.logarithms import inverse, log_of
from branchwise.core.numbers.random_streams import SELECT_STREAM, draw_normal, next_counter
from branchwise.core.tree.children import can_grow, lacks_children, next_child, next_choice
from branchwise.core.tree.node_fields import HAS_BOUNDED_CHILD, ROOT
from branchwise.core.tree.return_scaling import as_return, gain, scale_for, scaled, scaled_mean

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_LOGARITHMS = np.array([0.0, *(math.log(n) for n in range(1, 1024))], np.float32)
"""Size of the table of logarithms: a look-up takes a quarter of the time of computing one."""
_FEW_ACTIONS = 3
"""Most actions of a game among which processors guess the best well."""
_LEAST = np.float32(-np.inf)

TRY_ALL_FIRST, FIXED_SCORE, PARENT_ONCE, FIXED_VALUE, PARENT_VALUE = range(5)
"""How a child without visits is scored. TRY_ALL_FIRST: it is visited before all others. FIXED_SCORE: its
score is `first_play`. PARENT_ONCE: the rule scores it as visited once, with the mean gain of its visited
siblings. FIXED_VALUE, PARENT_VALUE: the rule scores it as unvisited, and its value is `first_play`, or the
mean of the siblings."""

NO_SCORE = -1
"""In place of a child: the rule returned NaN."""
UNTRIED = -2
"""In place of a child: the best action has no child."""


class Child(NamedTuple):
    """A child as selection rules see it; all float32, gains from 0 to 1 of the player who chooses."""

    visits: float
    inverse_visits: float  # 1 / visits
    value: float  # mean gain
    variance: float  # of the scaled gains
    prior: float  # probability of the action; the children's add up to 1
    heuristic: float  # the game's evaluation
    amaf_visits: float  # simulations in which the same player played the action here or later
    amaf_value: float  # their mean gain
    history: float  # mean gain of simulations in which the same player played the action anywhere
    history_visits: float
    noise: float  # a new sample of the standard normal distribution


class Parent(NamedTuple):
    """The node at which a selection rule chooses; all float32."""

    visits: float
    log_visits: float  # natural logarithm of visits, 0 without any
    growth: float = 0.0  # what PUCT adds to c; 0 for other rules


CHILD_STATISTICS = {
    "variance": "squares",
    "prior": "priors",
    "heuristic": "heuristics",
    "amaf_visits": "amaf",
    "amaf_value": "amaf",
    "history": "history",
    "history_visits": "history",
    "noise": "noise",
}
"""For each attribute of `Child`: the option that a search needs if its rule reads it."""


@kernel
def logarithm(visits):
    """Return the natural logarithm of `visits`, at least 1, as float32."""
    if visits < _LOGARITHMS.size:
        return _LOGARITHMS[visits]
    return np.float32(math.log(np.float64(visits)))


@kernel
def leading(search, best, best_score, child, score):
    """Return the better of two children and its score: `child` if its score, which is not NaN, is higher.

    Which of many children is the best is hard to guess for a processor, and a wrong guess costs as much as
    several scores; so there is no branch. Among a few it usually guesses well, and then goes on without
    waiting for their scores.
    """
    better = score > best_score
    if search.num_actions <= _FEW_ACTIONS:
        if likely(better):  # so that it stays a branch
            return child, score
        return best, best_score
    return child if better else best, best_score if best_score > score else score


class Notes(NamedTuple):
    """How selection judged the children of a node; A distinct actions."""

    seen: NDArray[np.float32]  # [A, fields of Child] NaN for children that were not scored
    scores: NDArray[np.float32]  # [A] NaN for children that were not scored
    fates: NDArray[np.int8]  # [A] SCORED to LEFT_OUT
    stretching: NDArray[np.float64]  # [2] the fields of the `Scale` of the gains


SCORED, UNVISITED, SOLVED, BEATEN, LEFT_OUT = range(5)
"""How a child was judged. SCORED: by its score. UNVISITED: visited before all others. SOLVED: its value is
proven. BEATEN: its upper bound is no better than a sibling's lower bound. LEFT_OUT: not yet considered by
widening."""


@kernel
def parent_of(search, visits, log_visits):
    """Return the `Parent` with these visits, float32; a logarithm for each child would take longer."""
    growth = _ZERO
    if search.weight_grows:
        growth = np.float32(math.log((visits + search.c_base + _ONE) / search.c_base))
    return Parent(visits, log_visits, growth)


@kernel
def best_child(search, node, depth):
    """Return the child of `node` with the highest score, int64, or NO_SCORE or UNTRIED.

    node : an expanded node (not checked), the path's at `depth`. Ties go to the lowest index; expansion has
    put the children in random order. A child is not worth a visit if it is solved, or if its upper bound is
    no better than a sibling's lower bound; if only such children are left, the best of them is returned.
    All actions without a child count together as one unvisited child, the last one.
    """
    return compare(search, node, depth, None)


@kernel
def compare(search, node, depth, notes):
    """Return the same as `best_child`; unless `notes` is None, also record how each child was judged.

    With notes every child is judged, and the random stream ends where it would without notes.
    """
    nodes = search.nodes
    first = np.int64(nodes[node].first)
    count = np.int64(nodes[node].count)
    bounded = nodes[node].flags & HAS_BOUNDED_CHILD != 0
    safe = _LEAST
    best = first
    if bounded:
        child = first - 1
        for _ in range(count):
            child = next_child(search, child)
            lower = lower_of(search, child)
            if lower > safe:
                safe = lower
                best = child
    visits = max(nodes[node].visits, 1)
    total = np.float32(visits)
    parent = parent_of(search, total, log_of(visits) if search.is_observed else logarithm(visits))
    considered = count
    lacks = lacks_children(search, node) and not (bounded and search.max_return <= safe)
    if search.widens:
        widest = np.int64(math.ceil(search.widening * total**search.widening_power))
        lacks = lacks and count < widest
        considered = min(count, widest)
    grows = lacks and can_grow(search, node)
    if grows and search.unvisited == TRY_ALL_FIRST and notes is None:
        return np.int64(UNTRIED)
    reference = _reference(search, node, depth)
    scale = scale_for(search, nodes[node].player)
    untried = search.first_play
    if search.unvisited == PARENT_ONCE or search.unvisited == PARENT_VALUE:
        untried = _mean_of_visited(search, scale, first, considered)
    best_score = _LEAST
    decided = False
    drawn = np.uint64(0)
    looked_at = considered
    if notes is not None:
        looked_at = count
        notes.stretching[0], notes.stretching[1] = scale.low, scale.stretch
        notes.scores[:count] = np.float32(np.nan)
        notes.seen[:count] = np.float32(np.nan)
        decided = False
        drawn = search.streams[SELECT_STREAM]
    child = first - 1
    for number in range(looked_at):
        child = next_choice(search, child)
        place = search.place(search, child)
        if bounded and (upper_of(search, child) <= safe or nodes[place].lower >= nodes[place].upper):
            if notes is not None:
                notes.fates[number] = SOLVED if nodes[place].lower >= nodes[place].upper else BEATEN
            continue
        if notes is not None and number >= considered:
            notes.fates[number] = LEFT_OUT
            continue
        untouched = search.visits(search, child) == 0
        if untouched and search.unvisited == TRY_ALL_FIRST:
            if notes is None:
                return child
            if notes is not None:
                notes.fates[number] = UNVISITED
                if not decided:  # the search without notes stops here
                    decided = True
                    best = child
                    drawn = search.streams[SELECT_STREAM]
            continue
        if untouched and search.unvisited == FIXED_SCORE:
            score = untried
        else:
            seen = search.look(search, scale, node, child, reference, untried)
            score = np.float32(search.score(seen, parent, search))
            if notes is not None:
                for k in range(len(seen)):
                    notes.seen[number, k] = seen[k]
        if notes is not None:
            notes.fates[number] = SCORED
            notes.scores[number] = score
        if not decided:
            if score != score:
                return np.int64(NO_SCORE)
            best, best_score = leading(search, best, best_score, child, score)
    if notes is not None and decided:
        search.streams[SELECT_STREAM] = drawn
    if search.grows and notes is None and lacks:
        if best_score == _LEAST:  # only an action without a child is worth a visit
            return np.int64(UNTRIED)
        if grows:
            score = untried
            if search.unvisited != FIXED_SCORE:
                score = np.float32(search.score(_without_child(search, untried), parent, search))
            if not score <= best_score:
                return np.int64(NO_SCORE) if score != score else np.int64(UNTRIED)
    return best


@kernel
def best_of_player(search, node, player):
    """Return the child that `player` chooses at `node`: with the highest score, first those unvisited.

    Returns NO_SCORE without a valid score, or without a child.
    """
    scale = scale_for(search, player)
    visits = max(np.int64(search.nodes[node].visits), 1)
    log_visits = log_of(visits) if search.is_observed else logarithm(visits)
    parent = parent_of(search, np.float32(visits), log_visits)
    best = np.int64(NO_SCORE)
    best_score = _LEAST
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        if search.is_joint and search.choosers[child] != player:
            continue
        if search.visits(search, child) == 0:
            return child
        seen = search.look(search, scale, node, child, np.int64(-1), _ZERO)
        score = np.float32(search.score(seen, parent, search))
        if score != score:
            return np.int64(NO_SCORE)
        best, best_score = leading(search, best, best_score, child, score)
    return best


@kernel
def lower_of(search, child):
    """Return the lower bound of the value of the move to `child`, float32."""
    lower = search.nodes[search.place(search, child)].lower
    if search.keeps_edge_rewards:
        lower = np.float32(search.behind_edge(search, child, np.float64(lower)))
    return lower


@kernel
def upper_of(search, child):
    """Return the upper bound of the value of the move to `child`, float32."""
    upper = search.nodes[search.place(search, child)].upper
    if search.keeps_edge_rewards:
        upper = np.float32(search.behind_edge(search, child, np.float64(upper)))
    return upper


@kernel
def _without_child(search, untried):
    """Return the `Child` for an action without a child; the search keeps nothing about unvisited children."""
    visits = _ONE if search.unvisited == PARENT_ONCE else _ZERO
    return Child(visits, _ONE / visits, untried, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO)


@kernel
def look_at_mean(search, scale, node, child, reference, untried):
    """Return the `Child` for a rule that reads only visits and value."""
    visits, share, value = search.mean(search, scale, child)
    if search.unvisited >= PARENT_ONCE and visits == _ZERO:
        value = untried
        if search.unvisited == PARENT_ONCE:
            visits = share = _ONE
    return Child(visits, share, value, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO)


@kernel
def look_at_all(search, scale, node, child, reference, untried):
    """Return the `Child` with every statistic that the search keeps; the others are 0."""
    nodes = search.nodes
    visits, share, value = search.mean(search, scale, child)
    if search.unvisited >= PARENT_ONCE and visits == _ZERO:
        value = untried
        if search.unvisited == PARENT_ONCE:
            visits = share = _ONE
    place = search.place(search, child)
    variance = prior = heuristic = amaf_visits = amaf_value = _ZERO
    history = history_visits = noise = _ZERO
    if search.keeps_squares and visits > 0:
        variance = _scaled_variance(search, scale, place)
    if search.keeps_priors:
        prior = search.priors[child]
    if search.keeps_heuristics:
        heuristic = np.float32(scaled(search, scale, search.heuristics[child]))
    if search.keeps_amaf:
        amaf_visits = np.float32(search.amaf[child].visits)
        if amaf_visits > 0:
            amaf_value = _scaled_mean(search, scale, search.amaf[child].value, amaf_visits)
    if search.keeps_move_tables and reference >= 0:
        tally = search.all_moves[reference + nodes[child].action]
        amaf_visits = np.float32(tally.visits)
        if amaf_visits > 0:
            amaf_value = _scaled_mean(search, scale, tally.value, amaf_visits)
    if search.keeps_history:
        tally = search.history[nodes[node].player * search.num_actions + nodes[child].action]
        history_visits = np.float32(tally.visits)
        if history_visits > 0:
            history = _scaled_mean(search, scale, tally.value, history_visits)
    if search.draws_noise:
        noise = draw_normal(next_counter(search.streams, SELECT_STREAM))
    if search.mixes_minimax:
        passed_up = np.float32(scaled(search, scale, search.minimax[place]))
        value = (_ONE - search.minimax_share) * value + search.minimax_share * passed_up
    return Child(
        visits,
        share,
        value,
        variance,
        prior,
        heuristic,
        amaf_visits,
        amaf_value,
        history,
        history_visits,
        noise,
    )


@kernel
def _scaled_variance(search, scale, place):
    """Return the variance of a node's gains, float32, scaled."""
    node = search.nodes[place]
    if search.stretches:
        mean = node.value / node.visits
        variance = (search.squares[place] / node.visits - mean * mean) * scale.stretch * scale.stretch
        return np.float32(max(variance, 0.0))
    visits = np.float32(max(node.visits, 1))
    mean = np.float32(node.value) / visits
    return max(np.float32(search.squares[place]) / visits - mean * mean, _ZERO)


@kernel
def _scaled_mean(search, scale, value, visits):
    """Return value / visits, float32, scaled."""
    if search.stretches:
        return np.float32(scaled(search, scale, value / visits))
    return np.float32(value) / visits


@kernel
def _mean_of_visited(search, scale, first, count):
    value = 0.0
    visits = 0
    child = first - 1
    for _ in range(count):
        child = next_choice(search, child)
        node = search.nodes[search.place(search, child)]
        gained = node.value
        if search.keeps_edge_rewards and node.visits > 0:
            worth = search.behind_edge(search, child, as_return(search, node.value / node.visits))
            gained = gain(search, worth) * node.visits
        value += gained
        visits += node.visits
    return np.float32(scaled(search, scale, value / visits)) if visits > 0 else np.float32(0.5)


# --- the node whose AMAF statistics are read --------------------------------------------------------------


@kernel
def _reference(search, node, depth):
    """Return where AMAF statistics of the player to move at `node` begin in search.all_moves; -1 for none.

    They are those of the deepest node on the path, down to `node`, with at least `reference_visits` visits;
    the root counts as such. Cazenave, "Generalized rapid action value estimation", 2015.
    """
    if not search.keeps_move_tables:
        return np.int64(-1)
    above = np.int64(node)
    for level in range(depth, -1, -1):
        if level < depth:
            above = np.int64(search.levels[level].node)
        if above == ROOT or search.nodes[above].visits >= search.reference_visits:
            table = known_table(search, above)
            if table > 0:
                moves = search.num_players * search.num_actions
                return (table - 1) * moves + slot_of(search, search.nodes[node].player, 0)
    return np.int64(-1)


# --- where a child's statistics are: in a tree, with the child --------------------------------------------


@kernel
def place_in_tree(search, child):
    """Return the node that holds the value and bounds of `child`."""
    return np.int64(child)


@kernel
def visits_in_tree(search, child):
    """Return the simulations through the edge to `child`."""
    return search.nodes[np.uint64(child)].visits


@kernel
def mean_in_tree(search, scale, child):
    """Return visits, 1 / visits and the scaled mean gain of `child`, all float32."""
    node = search.nodes[np.uint64(child)]
    visits = np.float32(node.visits)
    share = inverse(node.visits)
    return visits, share, scaled_mean(search, scale, node.value, visits, share)
