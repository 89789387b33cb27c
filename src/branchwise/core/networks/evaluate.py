"""Evaluating a leaf by a network: the rows of the first layer that are active, the layers, value and priors.

The network is one array, `search.net_weights`, float32: R rows of H numbers, bias [H], hidden [H, K],
bias [K], value [K], policy [A, K], policy bias [A], value bias [1]. H and K are constants of the search,
`net_width` and `net_second`. `branchwise.networks.network` has the same in NumPy, to the bit: sums have a
fixed order, and exp and tanh are our own.

`search.net_tables`, int32, says what the inputs are; its head has the numbers at the places below.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64

from branchwise.core.machine.kernel import compiled_phase, kernel, phase, text
from branchwise.core.machine.kernel_status import NET_INPUT_OUT_OF_RANGE
from branchwise.core.networks.vectors import load, plus, positive, scaled, store, times, total
from branchwise.core.simulation.expand import rank

NUM_ROWS, NUM_POLICY_ROWS, CELLS, KINDS, BASE, GROUPS = range(6)
SIDE, MOVER_ROW, MORE_ROW, MORE, PAIRS, HEAD = range(6, 12)
"""Places in `search.net_tables`: rows of the first layer and of the policy; cells of the board, kinds, and
codes of a cell; groups of patterns of one length; how many rows further on those of the second player are;
the row that says that the first player moves, the second's follows, or -1; the first row of further inputs,
and their number; and where the pairs of rows of actions are. From HEAD on: the code of a cell by whose it is
(nobody's, the mover's, the other's) and kind, then for each group the length and number of its patterns, and
for each of these its first row and its cells."""

_LEAST = -20.0
"""The least exponent: e ** -20 is nothing beside 1 in 32 bits."""


@text
def simulate_with_network(search, root, state):
    """Run one simulation whose leaf the network evaluates; returns a status."""
    leaf = search.descend(search, root, state)
    if leaf < 0:
        return -leaf
    depth = leaf >> 1
    over = leaf & 1 == 1
    if not over:
        count = search.fill_inputs(search, state)
        if count < 0:
            return -count
        search.judge(search, search.think(search, count), state.current_player())
    return search.complete(search, state, depth, over)


@text
def fill_inputs(search, state):
    """Write the active rows of a state to search.net_inputs; returns how many, or a negative status."""
    player = state.current_player()
    count = 0
    if search.net_sees_cells:
        state.write_cells(search.net_board, search.net_rows, search.net_columns)
        count = search.index_cells(search, player)
    if search.net_sees_more:
        more = state.fill_net_inputs(player, search.net_more)
        count = search.index_more(search, count, more)
    return count


@compiled_phase(int64)
def index_cells(search, player):
    """Write the rows of the patterns on search.net_board to search.net_inputs; returns how many.

    player : the player to move.
    """
    tables, board, codes, rows = search.net_tables, search.net_board, search.net_codes, search.net_inputs
    kinds = tables[KINDS]
    for cell in range(tables[CELLS]):
        owner = board[np.uint64(2 * cell)]
        kind = board[np.uint64(2 * cell + 1)]
        relation = 0 if owner < 0 else (1 if owner == player else 2)
        known = 0 <= kind < kinds
        codes[np.uint64(cell)] = tables[np.uint64(HEAD + relation * kinds + kind)] if known else 0
    base = tables[BASE]
    further = tables[SIDE] * player
    place = HEAD + 3 * kinds
    count = 0
    for _ in range(tables[GROUPS]):
        length = tables[place]
        patterns = tables[place + 1]
        place += 2
        if length == 4:  # the usual one, without a loop
            for _ in range(patterns):
                code = codes[np.uint64(tables[np.uint64(place + 1)])]
                code = code * base + codes[np.uint64(tables[np.uint64(place + 2)])]
                code = code * base + codes[np.uint64(tables[np.uint64(place + 3)])]
                code = code * base + codes[np.uint64(tables[np.uint64(place + 4)])]
                rows[np.uint64(count)] = tables[np.uint64(place)] + code + further
                count += 1
                place += 5
            continue
        for _ in range(patterns):
            code = 0
            for i in range(length):
                code = code * base + codes[np.uint64(tables[np.uint64(place + 1 + i)])]
            rows[np.uint64(count)] = tables[np.uint64(place)] + code + further
            count += 1
            place += length + 1
    if tables[MOVER_ROW] >= 0:
        rows[np.uint64(count)] = tables[MOVER_ROW] + player
        count += 1
    return count


@phase(int64, int64)
def index_more(search, count, more):
    """Append the rows of the `more` inputs that the class itself gave; returns how many rows there are.

    That is a negative status if there are more inputs than the class has, or one that it has not.
    """
    tables = search.net_tables
    if more > tables[MORE]:
        return np.int64(-NET_INPUT_OUT_OF_RANGE)
    for i in range(more):
        given = search.net_more[i]
        if given < 0 or given >= tables[MORE]:
            return np.int64(-NET_INPUT_OUT_OF_RANGE)
        search.net_inputs[count] = tables[MORE_ROW] + given
        count += 1
    return np.int64(count)


@compiled_phase(int64)
def think(search, count):
    """Compute the layers from the first `count` rows of search.net_inputs, and return the value.

    It is that of the player to move, -1 to 1, float64. The layers stay in search.net_layers, float32 [H + K].
    """
    weights, rows = search.net_weights, search.net_inputs
    width, second = search.net_width, search.net_second
    place = np.int64(search.net_tables[NUM_ROWS]) * width
    layer = load(weights, place, search.net_width)
    for i in range(count):
        layer = plus(layer, load(weights, np.int64(rows[np.uint64(i)]) * width, search.net_width))
    store(search.net_layers, 0, positive(layer))
    hidden = place + width
    place = hidden + width * second
    last = load(weights, place, search.net_second)
    for i in range(width):
        weight = load(weights, hidden + i * second, search.net_second)
        last = plus(last, scaled(weight, search.net_layers[np.uint64(i)]))
    last = positive(last)
    store(search.net_layers, width, last)
    value = total(times(last, load(weights, place + second, search.net_second)))
    bias = place + 2 * second + np.int64(search.net_tables[NUM_POLICY_ROWS]) * (second + 1)
    return tanh(np.float64(value + weights[np.uint64(bias)]))


@phase(float64, int64)
def judge(search, value, player):
    """Write the value of the player to move, -1 to 1, to search.evaluation as both players' returns."""
    half = (search.max_return - search.min_return) / 2.0
    middle = (search.max_return + search.min_return) / 2.0
    search.evaluation[player] = middle + half * value
    search.evaluation[1 - player] = middle - half * value


@text
def weigh_by_network(search, state, first, count):
    """Set the new children's priors by the network's last layer; returns a status."""
    return search.weigh_children(search, first, count)


@compiled_phase(int64, int64)
def weigh_children(search, first, count):
    """Set the priors of the new children, which begin at `first`; returns a status, see `expand.rank`."""
    weights, second = search.net_weights, search.net_second
    num_rows = np.int64(search.net_tables[NUM_ROWS])
    width = search.net_width
    policy = num_rows * width + width + width * second + 2 * second
    bias = policy + np.int64(search.net_tables[NUM_POLICY_ROWS]) * second
    last = load(search.net_layers, width, search.net_second)
    greatest = np.float32(-np.inf)
    for child in range(first, first + count):
        row = np.int64(search.nodes[child].action)
        logit = np.float32(0.0)
        if search.net_has_pairs:
            pair = np.int64(search.net_tables[PAIRS]) + 2 * row
            row = np.int64(search.net_tables[pair])
            other = np.int64(search.net_tables[pair + 1])
            if other >= 0:
                logit = total(times(last, load(weights, policy + other * second, search.net_second)))
                logit += weights[bias + other]
        own = total(times(last, load(weights, policy + row * second, search.net_second)))
        logit = own + weights[bias + row] + logit
        search.priors[child] = logit
        greatest = max(greatest, logit)
    for child in range(first, first + count):
        search.priors[child] = np.float32(exp(np.float64(search.priors[child]) - np.float64(greatest)))
    return rank(search, first, count)


@kernel
def exp(number):
    """Return e ** number for a number up to 0, float64; below -20 that of -20."""
    part = max(number, _LEAST) / 64.0
    power = 1.0 / 40320.0
    power = power * part + 1.0 / 5040.0
    power = power * part + 1.0 / 720.0
    power = power * part + 1.0 / 120.0
    power = power * part + 1.0 / 24.0
    power = power * part + 1.0 / 6.0
    power = power * part + 0.5
    power = power * part + 1.0
    power = power * part + 1.0
    for _ in range(6):
        power = power * power
    return power


@kernel
def tanh(number):
    """Return the hyperbolic tangent, float64."""
    power = exp(-2.0 * abs(number))
    found = (1.0 - power) / (1.0 + power)
    return found if number >= 0.0 else -found
