"""The `search` object that kernels take, with its arrays and numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.call import call
from branchwise.compile.native import NativeRecords
from branchwise.core import graph, move_statistics
from branchwise.core.belief_search import MOST_NUMBERS
from branchwise.core.memory import zeros_together
from branchwise.core.random import MOVES, new_streams
from branchwise.core.repeat import COMMITMENT, NUM_COMMITMENTS
from branchwise.core.roots import NUM_DEALING
from branchwise.core.search import ARRAYS, EVENT, TALLY, VISIT_WORDS, Scratch, write_addresses
from branchwise.core.spread import SPREAD, samples_each
from branchwise.core.tree import MAX_CHILDREN, REFUSED, Memory, Tree, enlarged, own_memory
from branchwise.core.visit import LEVEL, Visit
from branchwise.search.composition import DEFAULT_WIDENING, Composition

_PAIRS = 2**16
"""Number of entries for pairs of moves; a power of 2."""


class Search:
    """A `search` object for kernels, with its arrays."""

    def __init__(self, composition: Composition, tree: Tree, seed: int, thread: int = 0) -> None:
        self.composition = composition
        self.tree = tree
        self.scratch = _new_scratch(composition, seed, thread)
        self.visit = new_visit(composition)
        self.native = NativeRecords(composition.native)
        self.record = self.native.records[0]
        self._words = self.native.records.view(np.uint8)[: 16 * len(ARRAYS)].view(np.int64)
        _write_numbers(self.record, composition)
        write_addresses(self._words, self.tree, self.scratch, self.visit)

    def use(self, tree: Tree) -> None:
        """Search in `tree` from now on."""
        self.tree = tree
        write_addresses(self._words, self.tree, self.scratch, self.visit)

    def share(self, **arrays: NDArray[Any]) -> None:
        """Replace arrays of the scratch memory by these, which other threads use too."""
        self.scratch = self.scratch._replace(**arrays)
        write_addresses(self._words, self.tree, self.scratch, self.visit)

    def point_to(self, visit: Visit, words: NDArray[np.int64]) -> None:
        """Let kernels work on this visit from now on; words : its `visit_words`."""
        self.visit = visit
        self._words[VISIT_WORDS] = words

    def make_room(self, capacity: int, memory: Memory = own_memory) -> Tree:
        """Enlarge the tree to `capacity` nodes, if it has room for fewer, and return it."""
        if capacity > self.tree.nodes.size:
            self.use(enlarged(self.tree, capacity, memory))
            self.tree.counters[REFUSED] = 0
            if self.tree.table.size:
                call(graph.enter_all, self.native)
        return self.tree

    @property
    def levels_a_move(self) -> int:
        """Levels of the tree from one decision to the next."""
        return 2 if self.composition.is_drawn else 1

    def path_to_fault(self) -> list[int]:
        """Return the actions in the tree of the current or last simulation."""
        along = slice(1, self.visit.depth[0] + 1, self.levels_a_move)
        actions: list[int] = self.visit.levels["action"][along].tolist()
        return actions

    @property
    def moves(self) -> int:
        """Moves that this thread has played; each led to a new state."""
        return int(self.scratch.streams[MOVES])

    def forget_returns(self) -> None:
        """Forget the returns of actions at the root, because the root has changed."""
        self.scratch.spreads["count"] = 0

    def forget_places(self) -> None:
        """Forget all that refers to nodes by index, after they were moved."""
        self.scratch.commitments["node"] = -1


def _new_scratch(composition: Composition, seed: int, thread: int) -> Scratch:
    """Allocate the memory of one thread."""
    players = composition.facts.num_players
    num_actions = composition.facts.num_actions
    actions = min(composition.facts.num_actions, MAX_CHILDREN)
    by_move = players * composition.facts.num_actions
    amaf = by_move if composition.keeps_amaf or composition.keeps_move_tables else 0
    policy = composition.policy.policy
    history = "history" in composition.rule.needs or policy in ("mast", "nst")
    sizes: dict[str, tuple[int, Any]] = {
        "actions": (actions, np.int32),
        "others": (actions if composition.policy.urgent == "anti_decisive" else 0, np.int32),
        "total": (players, np.float64),
        "streams": (MOVES + 1, np.uint64),
        "number": (1, np.int64),
        "seen": (amaf, np.int64),
        "codes": (by_move if composition.keeps_move_tables else 0, np.int64),
        "gains": (players if composition.keeps_move_tables else 0, np.float64),
        "history": (by_move if history else 0, TALLY),
        "pairs": (_PAIRS if policy == "nst" else 0, TALLY),
        "replies": (by_move if policy == "last_good_reply" else 0, np.int32),
        "mailbox": (0, np.int64),
        "outcomes": (0, np.float64),
        "commitments": (NUM_COMMITMENTS if composition.shared or composition.repeat > 1 else 0, COMMITMENT),
        "faces": (composition.facts.num_outcomes if composition.lists_outcomes else 0, np.int32),
        "odds": (composition.facts.num_outcomes if composition.lists_outcomes else 0, np.float64),
        "num_faces": (1, np.int64),
        "evaluation": (players if composition.evaluates else 0, np.float64),
        "weights": (num_actions if composition.evaluates else 0, np.float32),
        "paid": (players if composition.facts.pays else 0, np.float64),
        "spreads": (num_actions if composition.keeps_spread else 0, SPREAD),
        "samples": (num_actions * samples_each(num_actions) if composition.keeps_spread else 0, np.float64),
        "marks": (composition.facts.num_actions if composition.grows else 0, np.uint8),
        "low": (composition.facts.dimensions, np.float64),
        "high": (composition.facts.dimensions, np.float64),
        "vector": (composition.facts.dimensions, np.float64),
        "members": (actions if composition.observing else 0, np.int32),
        "masks": (0, np.uint64),
        "dealing": (NUM_DEALING if composition.observing or composition.is_joint else 0, np.int64),
        "holes": (0, np.int64),
        "script": (0, EVENT),
        "shares": (0, np.float64),
        "joint": (players if composition.is_joint else 0, np.int64),
        "mixed": (3 * actions if "strategies" in composition.kept else 0, np.float64),
        "heaped": (0, np.float64),
        "older": (0, np.int32),
        "further": (0, np.int32),
        "height": (0, np.int32),
        "paid_then": (0, np.float64),
        "told": (0, np.float64),
        "observed": (MOST_NUMBERS if composition.observes else 0, np.float64),
    }
    scratch = Scratch(**zeros_together(sizes))
    scratch.low[:], scratch.high[:] = composition.facts.low, composition.facts.high
    scratch.streams[:] = new_streams(seed, thread)
    scratch.replies[:] = move_statistics.NO_REPLY
    scratch.commitments["node"] = -1
    return scratch


def new_visit(composition: Composition) -> Visit:
    """Allocate the memory of one simulation."""
    depth = composition.most_levels + 2
    moves_kept = 2 * composition.facts.max_game_length + 2 if composition.notes_moves else 0
    sizes: dict[str, tuple[int, Any]] = {
        "levels": (depth, LEVEL),
        "depth": (1, np.int64),
        "returns": (composition.facts.num_players, np.float64),
        "rewards": (depth * composition.facts.num_players if composition.facts.pays else 0, np.float64),
        "left": (1, np.int64),
        "losses": (depth if composition.shared and composition.stretches else 0, np.float64),
        "moves": (moves_kept, np.int32),
        "movers": (moves_kept, np.int8),
        "num_moves": (1, np.int64),
        "transition": (2 if "drawn" in composition.kept else 0, np.uint64),
        "watched": (3 if composition.observing or composition.is_joint else 0, np.uint64),
    }
    visit = Visit(**zeros_together(sizes))
    visit.left[:] = -1
    return visit


def _write_numbers(record: Any, composition: Composition) -> None:
    settings, facts, rule = composition.settings, composition.facts, composition.rule
    first_play = settings.first_play if isinstance(settings.first_play, int | float) else 0.0
    numbers = {
        "max_depth": composition.max_depth,
        "forced": -1,
        "viewer": 0,
        "num_players": facts.num_players,
        "num_actions": facts.num_actions,
        "num_outcomes": facts.num_outcomes,
        "min_return": facts.min_return,
        "max_return": facts.max_return,
        "no_gain": facts.no_gain,
        "gain_per_return": 1.0 / facts.span,
        "sum_of_two": facts.sum_of_two,
        "discount": facts.discount,
        "horizon": facts.horizon,
        "first_play": first_play,
        "epsilon": composition.policy.epsilon,
        "cutoff": settings.cutoff or 0,
        "playouts": settings.playouts,
        "reference_visits": rule.reference_visits,
        "widening": settings.widening or (DEFAULT_WIDENING if composition.has_box else 0.0),
        "refinement": settings.refinement,
        "widening_power": settings.widening_power,
        "outcome_widening": settings.outcome_widening or 0.0,
        "outcome_widening_power": settings.outcome_widening_power,
        "power": math.inf if settings.backup == "max" else settings.power,
        "minimax_share": settings.implicit_minimax,
        "repeat": composition.repeat,
        "gamma": settings.joint_method.gamma,
        "c": rule.c,
        **rule.options,
    }
    for name, value in numbers.items():
        record[name] = value
