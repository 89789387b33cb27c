"""The data that kernels have of their search.

Kernels take a `search` object. Its arrays (those of its `Tree`, its `Scratch` and its `Visit`), its numbers
and its compile-time constants are attributes, such as `search.nodes`, `search.c` and `search.proofs`; so
are the kernels that this search is composed of, such as `search.score` or `search.play_out`. What is not part
of a search is not compiled. The object is put together by `search.composition.composition`.

Behind it is one record of numbers and of the arrays' addresses: handing an array to a kernel costs about as
much as a whole phase of a simulation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.machine.memory import address
from branchwise.core.simulation.repeat_choice import COMMITMENT
from branchwise.core.tree.node_fields import TYPES, Tree
from branchwise.core.tree.return_samples import SPREAD
from branchwise.core.tree.simulation_path import LEVEL, Visit

EVENT = np.dtype([("action", np.int64), ("seen", np.int64), ("view", np.uint64)], align=True)
"""One event of a player's history: the own action, what was seen of another's (-1 for neither), and a hash of
what the player sees after it."""

TALLY = np.dtype([("value", np.float64), ("visits", np.int64)], align=True)
"""Gains, and how many, of the simulations in which something was played."""


class Scratch(NamedTuple):
    """Memory of one thread of a search; A distinct actions, P players, D the greatest depth.

    Arrays marked "or 0" are empty unless the search needs them. Only statistics of moves
    (history, pairs, replies) and the returns of actions at the root are kept from one simulation to the next.
    """

    actions: NDArray[np.int32]  # [A] legal actions
    others: NDArray[np.int32]  # [A or 0] legal actions of another state
    total: NDArray[np.float64]  # [P] sum of the outcomes of several playouts
    streams: NDArray[np.uint64]  # [NUM_STREAMS] see `core.numbers.random_streams`
    number: NDArray[np.int64]  # [1] of the simulation, counted where `seen` is kept
    seen: NDArray[np.int64]  # [P A or 0] the last simulation in which a player played an action
    codes: NDArray[
        np.int64
    ]  # [P A or 0] the simulation's moves, each once: see `core.backup.move_statistics`
    gains: NDArray[np.float64]  # [P or 0] the players' gains in the simulation
    history: NDArray[Any]  # [P A or 0] of TALLY, by player and action
    pairs: NDArray[Any]  # [S or 0] of TALLY, by player, action before and action; S a power of 2
    replies: NDArray[np.int32]  # [P A or 0] the last good reply to an action, or -1
    mailbox: NDArray[
        np.int64
    ]  # [6 + T or 0] see `core.simulation.leaf_parallel`; T helpers. Shared, like the next
    outcomes: NDArray[np.float64]  # [T P or 0] returns of the helpers' playouts
    commitments: NDArray[Any]  # [C or 0] of COMMITMENT, see `core.simulation.repeat_choice`
    faces: NDArray[np.int32]  # [O or 0] outcomes of chance; O of them are distinct
    odds: NDArray[np.float64]  # [O or 0] their probabilities
    num_faces: NDArray[np.int64]  # [1] how many of them are possible
    evaluation: NDArray[np.float64]  # [P or 0] what an evaluator says of a leaf, see `core.simulation.batch`
    weights: NDArray[np.float32]  # [A or 0] its prior weights of actions
    paid: NDArray[np.float64]  # [P or 0] rewards of one move outside of the path, or an evaluation
    marks: NDArray[np.uint8]  # [A or 0] by action, 0 between uses; here A is not limited by MAX_CHILDREN
    spreads: NDArray[Any]  # [A or 0] of SPREAD, by action at the root
    samples: NDArray[np.float64]  # [A S or 0] S returns of each of these actions
    low: NDArray[np.float64]  # [D or 0] bounds of continuous actions, of D numbers each, in the state at hand
    high: NDArray[np.float64]  # [D or 0]
    vector: NDArray[np.float64]  # [D or 0] the current action
    members: NDArray[np.int32]  # [A, P A or 0] edges of the current node, or those of each player
    masks: NDArray[np.uint64]  # [P W or 0] bits of a state's W words that each player sees
    dealing: NDArray[np.int64]  # [10 or 0] numbers and counters of `core.descents.sampled_roots`
    holes: NDArray[np.int64]  # [H or 0] bytes of a state's record where unseen cards of the pool are
    script: NDArray[Any]  # [E + 1 or 0] of EVENT: the start, and what the observer saw since
    shares: NDArray[np.float64]  # [R or 0] cumulative weights of the root states
    joint: NDArray[np.int64]  # [P or 0] one action a player, where all move at once
    mixed: NDArray[np.float64]  # [3 A or 0] strategies of two players at a joint node, and gains of actions
    heaped: NDArray[
        np.float64
    ]  # [M or 0] by particle: its weight and all below, see `core.beliefs.weighted_search`
    older: NDArray[np.int32]  # [M or 0] the particle below, or -1
    further: NDArray[np.int32]  # [M or 0] one further down; of the lowest itself
    height: NDArray[np.int32]  # [M or 0] how many are below
    paid_then: NDArray[np.float64]  # [M or 0] the reward of the action before it
    told: NDArray[np.float64]  # [T or 0] observations of nodes, each after how many numbers it is
    observed: NDArray[
        np.float64
    ]  # [MOST_NUMBERS or 0] the current observation, see `core.beliefs.belief_search`
    barred: NDArray[np.int32]  # [P A or 0] see `core.simulation.steering`
    guide: NDArray[np.int64]  # [G] actions of the line that simulations begin with
    net_weights: NDArray[np.float32]  # of a network, all together, or 0: see `core.networks.evaluate`
    net_tables: NDArray[np.int32]  # what its inputs are, or 0
    net_board: NDArray[np.int16]  # [2 C or 0] owner and kind of the C cells of the leaf's board
    net_codes: NDArray[np.int32]  # [C or 0] what each cell counts as
    net_more: NDArray[np.int32]  # [I or 0] the inputs that the class gives itself
    net_inputs: NDArray[np.int32]  # [most active or 0] rows of the first layer
    net_layers: NDArray[np.float32]  # [H + K or 0] the layers of the leaf


ARRAYS: dict[str, Any] = {
    "levels": LEVEL,
    "depth": np.int64,
    "actions": np.int32,
    "others": np.int32,
    "returns": np.float64,
    "total": np.float64,
    "streams": np.uint64,
    "moves": np.int32,
    "movers": np.int8,
    "num_moves": np.int64,
    "number": np.int64,
    "seen": np.int64,
    "codes": np.int64,
    "gains": np.float64,
    "history": TALLY,
    "pairs": TALLY,
    "replies": np.int32,
    "mailbox": np.int64,
    "outcomes": np.float64,
    "commitments": COMMITMENT,
    "faces": np.int32,
    "odds": np.float64,
    "num_faces": np.int64,
    "marks": np.uint8,
    "spreads": SPREAD,
    "samples": np.float64,
    "losses": np.float64,
    "rewards": np.float64,
    "paid": np.float64,
    "left": np.int64,
    "transition": np.uint64,
    "low": np.float64,
    "high": np.float64,
    "vector": np.float64,
    "members": np.int32,
    "masks": np.uint64,
    "dealing": np.int64,
    "holes": np.int64,
    "script": EVENT,
    "shares": np.float64,
    "joint": np.int64,
    "mixed": np.float64,
    "heaped": np.float64,
    "older": np.int32,
    "further": np.int32,
    "height": np.int32,
    "paid_then": np.float64,
    "told": np.float64,
    "observed": np.float64,
    "watched": np.uint64,
    "barred": np.int32,
    "guide": np.int64,
    "evaluation": np.float64,
    "weights": np.float32,
    "net_weights": np.float32,
    "net_tables": np.int32,
    "net_board": np.int16,
    "net_codes": np.int32,
    "net_more": np.int32,
    "net_inputs": np.int32,
    "net_layers": np.float32,
    **TYPES,
}
"""Type of the items of every array of a search."""

_PLACES = {name: (f"{name}_at", f"{name}_size") for name in ARRAYS}
"""Fields of a search's record for the address and the length of each array; the record begins with them."""

VISIT_WORDS = np.array([2 * list(ARRAYS).index(name) + part for name in Visit._fields for part in (0, 1)])
"""Indices of the words of a search's record that refer to the arrays of its visit."""

NUMBERS = (
    ("max_depth", np.int64),  # nodes this deep are not expanded; at least 1
    ("guided", np.int64),  # length of the line in search.guide that simulations begin with
    ("viewer", np.int64),  # the player to move at the root
    ("num_players", np.int64),
    ("num_actions", np.int64),
    ("num_outcomes", np.int64),  # distinct outcomes of chance
    ("min_return", np.float64),  # bounds of returns, infinite where there are none
    ("max_return", np.float64),
    ("no_gain", np.float64),  # the return that counts as a gain of 0
    ("gain_per_return", np.float64),
    ("sum_of_two", np.float64),  # sum of two players' returns, if proofs are kept
    ("discount", np.float64),  # weight of a reward one decision later
    ("horizon", np.int64),  # decisions after which nothing counts any more
    ("first_play", np.float32),  # gain that a child without visits is taken to have
    ("epsilon", np.float32),  # share of playouts' moves that are drawn uniformly
    ("cutoff", np.int64),  # moves after which a playout is evaluated
    ("playouts", np.int64),  # playouts a leaf
    ("reference_visits", np.int64),  # AMAF statistics come from the deepest node with this many visits
    ("widening", np.float32),  # children considered at a node: widening * visits ** widening_power
    ("widening_power", np.float32),
    ("refinement", np.float32),  # share of new continuous actions that are drawn near the best one
    ("outcome_widening", np.float32),  # outcomes tried at a node of chance, in the same way
    ("outcome_widening_power", np.float32),
    ("power", np.float32),  # exponent of the power mean, infinite for the maximum
    ("repeat", np.int64),  # most simulations that follow a choice before there is another
    ("gamma", np.float32),  # share of uniform choices at joint nodes
    ("minimax_share", np.float32),  # share of passed-up evaluations in a child's value
)
"""Fields that every search has, besides the addresses; those of its selection rule follow."""


def search_dtype(options: tuple[str, ...]) -> np.dtype[Any]:
    """Return the layout of a search's record, with a float32 for each of the selection rule's `options`."""
    places = [(field, np.int64) for pair in _PLACES.values() for field in pair]
    return np.dtype([*places, *NUMBERS, *((name, np.float32) for name in options)], align=True)


def write_addresses(words: NDArray[np.int64], tree: Tree, scratch: Scratch, visit: Visit) -> None:
    """Make a search's record stand for these arrays; it does not keep them alive.

    words : [2 * arrays] the beginning of the record, modified in place.
    """
    arrays = tree.arrays() | scratch._asdict() | visit._asdict()
    words[:] = 0
    for place, name in enumerate(ARRAYS):
        if size := arrays[name].size:
            words[2 * place], words[2 * place + 1] = address(arrays[name]), size


def visit_words(visit: Visit) -> NDArray[np.int64]:
    """Return the words at `VISIT_WORDS` in the record of a search of this visit."""
    return np.array([word for array in visit for word in _words(array)], np.int64)


def _words(array: NDArray[Any]) -> tuple[int, int]:
    """Return the address of an array, 0 if nothing is in it, and its length."""
    return (address(array), array.size) if array.size else (0, 0)
