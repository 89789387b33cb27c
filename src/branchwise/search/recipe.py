"""From settings to the `search` object that kernels take: which kernels it is composed of, and its numbers.

The composition decides the type of the object, so each has machine code of its own, and what is not part of
it costs nothing. Numbers are fields, so that changing them compiles nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import FunctionType
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.call import call
from branchwise.compile.fingerprint import Fingerprint, UnfitForCacheError
from branchwise.compile.native import NativeRecords, SearchType, object_type
from branchwise.compile.randomness import randomness
from branchwise.compile.reads import Reads
from branchwise.compile.rules import translated
from branchwise.core import (
    backup,
    commit,
    expand,
    graph,
    grow,
    moves,
    playout,
    select,
    selection_rules,
    simulate,
)
from branchwise.core.children import grows_by_one
from branchwise.core.commit import COMMITMENT, NUM_COMMITMENTS, SHARED_REPEAT
from branchwise.core.kernel import kernel
from branchwise.core.leaf import play_out_together
from branchwise.core.memory import aligned_zeros
from branchwise.core.random import NUM_STREAMS, new_streams
from branchwise.core.search import ARRAYS, TALLY, Scratch, search_dtype, write_addresses
from branchwise.core.select import FIXED_SCORE, FIXED_VALUE, PARENT_ONCE, PARENT_VALUE, TRY_ALL_FIRST
from branchwise.core.tree import MAX_CHILDREN, OPTIONS, REFUSED, Memory, Tree, enlarged, own_memory
from branchwise.core.visit import LEVEL, Visit
from branchwise.errors import GameError
from branchwise.rules.facts import GameFacts
from branchwise.search.playouts import PlayoutPolicy
from branchwise.search.selection import SelectionRule
from branchwise.search.settings import MAX_DEPTH, Settings

_PAIRS = 2**16
WIDEST_BOUNDS = 2.0
"""Span of a game's returns, as from -1 to 1, beyond which bounds tell little of what returns will be."""
_unfit: WeakKeyDictionary[FunctionType, tuple[str, Reads]] = WeakKeyDictionary()
"""Of each selection rule that cannot be kept on disk: what names its code, as long as what it read holds."""

_RULES = {
    name: kernel(getattr(selection_rules, name))
    for name in (
        "ucb1",
        "ucb1_tuned",
        "puct",
        "rave",
        "progressive_bias",
        "progressive_history",
        "thompson",
    )
}
_URGENT = {
    "": playout.no_urgent_move,
    "decisive": playout.decisive_move,
    "anti_decisive": playout.anti_decisive_move,
}
_CHOICES = {"uniform": playout.choose_uniformly, "game": playout.choose_by_rules}
_PREFERRED = {
    "mast": playout.move_by_average,
    "nst": playout.move_by_pairs,
    "last_good_reply": playout.move_by_reply,
}


@dataclass
class Composition:
    """The kernels and constants of a kind of search; see `compile.native.Table`."""

    name: str
    dtype: np.dtype[Any]
    constants: dict[str, Any]
    statics: dict[str, Any]
    fingerprint: str = ""
    fit_for_cache: bool = True
    score: Callable[..., Any] | None = None
    """The user's own selection rule, if there is one."""
    methods: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, Any] = field(default_factory=dict)


class Recipe:
    """What a planner's settings come to for one game.

    facts : of the game.   has : which optional rules its states have.   of_game : the game's `playout`.
    in_python : whether the rules stay in Python, so that kernels ask them nothing.
    Raises `GameError` for settings that need a rule which the game does not have.
    """

    def __init__(
        self,
        settings: Settings,
        facts: GameFacts,
        has: Callable[[str], bool],
        of_game: str,
        *,
        proofs: bool,
        in_python: bool,
    ) -> None:
        self.settings = settings
        self.facts = facts
        self.rule = settings.rule
        self.policy = settings.policy(of_game)
        self.proofs = proofs
        self.in_python = in_python
        self.has_prior = has("prior")
        self._check_rules(has)
        needs = self.rule.needs
        self.mixes_minimax = settings.implicit_minimax > 0
        self.keeps_heuristics = "heuristics" in needs or self.mixes_minimax
        self.keeps_priors = "priors" in needs or (settings.widening is not None and self.has_prior)
        self.keeps_amaf = "amaf" in needs
        self.learns_moves = "history" in needs or self.policy.learns
        self.kept = tuple(
            name
            for name, is_kept in (
                ("priors", self.keeps_priors),
                ("heuristics", self.keeps_heuristics),
                ("minimax", self.mixes_minimax),
                ("squares", "squares" in needs),
                ("amaf", self.keeps_amaf),
                ("graph", settings.transpositions),
            )
            if is_kept
        )
        statistics_before_visits = set(self.kept) - {"squares"} or needs & {"history", "noise"}
        self.grows = grows_by_one(facts.num_actions) and not statistics_before_visits
        self.native = _search_type(self)

    @classmethod
    def of(cls, state: Any, facts: GameFacts, settings: Settings, *, proofs: bool, in_python: bool) -> Recipe:
        """Return the recipe for a game by one of its states; raises what the constructor raises."""
        of_game = getattr(state, "playout", "uniform")
        return cls(
            settings,
            facts,
            lambda rule: callable(getattr(state, rule, None)),
            of_game if isinstance(of_game, str) else "uniform",
            proofs=proofs,
            in_python=in_python,
        )

    @property
    def shared(self) -> bool:
        """Whether several threads search one tree."""
        one_tree = self.settings.parallel in (None, "tree")
        return self.settings.threads > 1 and one_tree and not self.in_python

    @property
    def stretches(self) -> bool:
        """Whether selection scales gains by the returns seen, not by the game's bounds."""
        scale = self.settings.scale
        return self.facts.span > WIDEST_BOUNDS if scale == "auto" else scale == "seen"

    @property
    def max_depth(self) -> int:
        return min(self.settings.max_depth or MAX_DEPTH, self.facts.max_game_length)

    def _check_rules(self, has: Callable[[str], bool]) -> None:
        settings = self.settings
        wanted = {
            "heuristics" in self.rule.needs: f'selection="{self.rule.name}"',
            settings.implicit_minimax > 0: "implicit_minimax",
            settings.cutoff is not None: "cutoff",
        }
        if any(wanted) and not has("evaluate"):
            raise GameError(
                f"{wanted[True]} needs a rule that {self.facts.name} does not have: evaluate",
                mend="add def evaluate(self): return one number a player, what an unfinished game is worth",
            )
        if self.policy.policy == "game" and not has("playout_action"):
            raise GameError(
                f'playout="game" needs a rule that {self.facts.name} does not have: playout_action',
                mend="add def playout_action(self, random): return a legal action; random.below(n) draws",
            )


class Search:
    """A `search` object for kernels, and the arrays that it stands for."""

    def __init__(self, recipe: Recipe, tree: Tree, seed: int, thread: int = 0) -> None:
        self.recipe = recipe
        self.tree = tree
        self.scratch = _new_scratch(recipe, seed, thread)
        self.visit = _new_visit(recipe)
        self.native = NativeRecords(recipe.native)
        self.record = self.native.records[0]
        _write_numbers(self.record, recipe)
        write_addresses(self.record, self.tree, self.scratch, self.visit)

    def use(self, tree: Tree) -> None:
        """Search `tree` from now on."""
        self.tree = tree
        write_addresses(self.record, self.tree, self.scratch, self.visit)

    def share(self, **arrays: NDArray[Any]) -> None:
        """Use these arrays, which other threads use too, in place of the scratch memory's own."""
        self.scratch = self.scratch._replace(**arrays)
        write_addresses(self.record, self.tree, self.scratch, self.visit)

    def make_room(self, capacity: int, memory: Memory = own_memory) -> Tree:
        """Let the tree have `capacity` nodes, if that is more than it may have, and return it."""
        if capacity > self.tree.nodes.size:
            self.use(enlarged(self.tree, capacity, memory))
            self.tree.counters[REFUSED] = 0
            if self.tree.links.size:
                call(graph.enter_all, self.native)
        return self.tree

    def path_to_fault(self) -> list[int]:
        """Return the actions in the tree of the simulation under way, or of the last one."""
        actions: list[int] = self.visit.levels["action"][1 : self.visit.depth[0] + 1].tolist()
        return actions

    def forget_places(self) -> None:
        """Forget what depends on where nodes are, after they were moved."""
        self.scratch.references[:] = -1
        self.scratch.slots[:] = -1
        self.scratch.commitments["node"] = -1


def _new_scratch(recipe: Recipe, seed: int, thread: int) -> Scratch:
    """Return the memory of one thread."""
    players = recipe.facts.num_players
    actions = min(recipe.facts.num_actions, MAX_CHILDREN)
    by_move = players * recipe.facts.num_actions
    amaf = by_move if recipe.keeps_amaf else 0
    policy = recipe.policy.policy
    history = "history" in recipe.rule.needs or policy in ("mast", "nst")
    scratch = Scratch(
        actions=aligned_zeros(actions, np.int32),
        others=aligned_zeros(actions if recipe.policy.urgent == "anti_decisive" else 0, np.int32),
        total=aligned_zeros(players, np.float64),
        streams=aligned_zeros(NUM_STREAMS, np.uint64),
        number=aligned_zeros(1, np.int64),
        seen=aligned_zeros(amaf, np.int64),
        slots=aligned_zeros(2 * amaf, np.int64),
        references=aligned_zeros(players if amaf else 0, np.int64),
        history=aligned_zeros(by_move if history else 0, TALLY),
        pairs=aligned_zeros(_PAIRS if policy == "nst" else 0, TALLY),
        replies=aligned_zeros(by_move if policy == "last_good_reply" else 0, np.int32),
        mailbox=aligned_zeros(0, np.int64),
        outcomes=aligned_zeros(0, np.float64),
        commitments=aligned_zeros(
            NUM_COMMITMENTS if recipe.shared or recipe.settings.repeat > 1 else 0, COMMITMENT
        ),
        marks=aligned_zeros(recipe.facts.num_actions if recipe.grows else 0, np.uint8),
    )
    scratch.streams[:] = new_streams(seed, thread)
    scratch.slots[:] = scratch.references[:] = -1
    scratch.replies[:] = moves.NO_REPLY
    scratch.commitments["node"] = -1
    return scratch


def _new_visit(recipe: Recipe) -> Visit:
    """Return the memory of one simulation."""
    depth = recipe.max_depth + 2
    moves_kept = 2 * recipe.facts.max_game_length + 2 if recipe.keeps_amaf or recipe.learns_moves else 0
    return Visit(
        levels=aligned_zeros(depth, LEVEL),
        depth=aligned_zeros(1, np.int64),
        returns=aligned_zeros(recipe.facts.num_players, np.float64),
        losses=aligned_zeros(depth if recipe.shared and recipe.stretches else 0, np.float64),
        moves=aligned_zeros(moves_kept, np.int32),
        movers=aligned_zeros(moves_kept, np.int8),
        num_moves=aligned_zeros(1, np.int64),
    )


def _write_numbers(record: Any, recipe: Recipe) -> None:
    settings, facts, rule = recipe.settings, recipe.facts, recipe.rule
    first_play = settings.first_play if isinstance(settings.first_play, int | float) else 0.0
    numbers = {
        "max_depth": recipe.max_depth,
        "forced": -1,
        "num_players": facts.num_players,
        "num_actions": facts.num_actions,
        "min_return": facts.min_return,
        "max_return": facts.max_return,
        "gain_per_return": 1.0 / facts.span,
        "first_play": first_play,
        "epsilon": recipe.policy.epsilon,
        "cutoff": settings.cutoff or 0,
        "playouts": settings.playouts,
        "reference_visits": rule.reference_visits,
        "widening": settings.widening or 0.0,
        "widening_power": settings.widening_power,
        "power": math.inf if settings.backup == "max" else settings.power,
        "minimax_share": settings.implicit_minimax,
        "repeat": settings.repeat * SHARED_REPEAT
        if recipe.shared and settings.repeat > 1
        else settings.repeat,
        "c": rule.c,
        **rule.options,
    }
    for name, value in numbers.items():
        record[name] = value


def _search_type(recipe: Recipe) -> SearchType:
    """Return the type of the recipe's searches; a user's score function is looked at anew each time."""
    rule = recipe.rule
    parts = (_constants(recipe), _kernels(recipe, recipe.policy))
    known = _without_score(rule.name, tuple(rule.options), *(tuple(part.items()) for part in parts))
    if rule.is_own:
        return object_type(SearchType, replace(known, statics={**known.statics, "score": _RULES[rule.name]}))
    assert isinstance(rule.score, FunctionType)
    fingerprint = Fingerprint()
    fingerprint.add(known.fingerprint)
    fit_for_cache = True
    try:
        fingerprint.add(rule.score)
    except UnfitForCacheError:
        if rule.score not in _unfit or not _unfit[rule.score][1].hold():
            _unfit[rule.score] = f"unfit {uuid4()}", fingerprint.reads
        fingerprint.add_text(_unfit[rule.score][0])
        fit_for_cache = False
    score = translated(rule.score, fingerprint.text())
    composition = replace(
        known,
        statics={**known.statics, "score": score},
        fingerprint=fingerprint.text(),
        fit_for_cache=fit_for_cache,
        score=rule.score,
    )
    return object_type(SearchType, composition)


@lru_cache(maxsize=256)
def _without_score(
    rule: str,
    options: tuple[str, ...],
    constants: tuple[tuple[str, bool | int], ...],
    kernels: tuple[tuple[str, Any], ...],
) -> Composition:
    """Return what these make, but for the score; its fingerprint tells of nothing else.

    All that is given is Branchwise's own, or a name, so that what is kept of it never goes stale.
    """
    composition = Composition(
        name=rule,
        dtype=search_dtype(("c", *options)),
        constants=dict(constants),
        arrays=ARRAYS,
        statics=dict(kernels),
    )
    fingerprint = Fingerprint()
    fingerprint.add(("search", composition.name, composition.dtype))
    fingerprint.add(constants)
    fingerprint.add(tuple((name, kernel.py_func.__qualname__) for name, kernel in kernels))
    return replace(composition, fingerprint=fingerprint.text())


def _constants(recipe: Recipe) -> dict[str, bool | int]:
    settings, rule = recipe.settings, recipe.rule
    return {
        "proofs": recipe.proofs,
        "shared": recipe.shared,
        "counted_on_entry": int(recipe.shared),
        "grows": recipe.grows,
        "forces": settings.halving,
        "unvisited": _unvisited(settings, rule),
        "widens": settings.widening is not None,
        "sorts_children": settings.widening is not None and recipe.keeps_priors,
        **{f"keeps_{option}": option in recipe.kept for option in OPTIONS},
        "keeps_history": "history" in rule.needs,
        "draws_noise": "noise" in rule.needs,
        "mixes_minimax": recipe.mixes_minimax,
        "stretches": recipe.stretches,
        "averages_by_power": settings.backup != "mean",
        "learns_moves": recipe.learns_moves,
        "follows_policy": recipe.policy.policy != "uniform",
        "cuts_off": settings.cutoff is not None,
    }


def _unvisited(settings: Settings, rule: SelectionRule) -> int:
    if settings.first_play == "parent":
        return PARENT_VALUE if rule.scores_unvisited else PARENT_ONCE
    if settings.first_play is not None:
        return FIXED_VALUE if rule.scores_unvisited else FIXED_SCORE
    return PARENT_VALUE if rule.scores_unvisited else TRY_ALL_FIRST


def _kernels(recipe: Recipe, policy: PlayoutPolicy) -> dict[str, Any]:
    settings = recipe.settings
    learns = recipe.keeps_amaf or recipe.learns_moves
    plain = policy.policy == "uniform" and not policy.urgent and settings.cutoff is None and not learns
    once = playout.play_out_uniformly if plain else playout.play_out_by_policy
    play_out = playout.play_out_once
    if settings.threads > 1 and settings.parallel == "leaf":
        play_out = play_out_together
    elif settings.playouts > 1:
        play_out = playout.play_out_repeatedly
    choose = commit.choose_again if settings.repeat > 1 else commit.choose_anew
    if recipe.shared:
        choose = commit.choose_among_threads
    in_graph = settings.transpositions
    revises = settings.backup != "mean" or recipe.mixes_minimax
    preferred = _PREFERRED.get(policy.policy)
    add_outcome = backup.add_and_revise if revises else backup.add_outcome
    return {
        "simulate": simulate.simulate,
        "select": simulate.select,
        "choose": choose,
        "follow_new": commit.follow_among_threads if recipe.shared else commit.follow_alone,
        "look": select.look_at_all if recipe.kept or recipe.rule.needs else select.look_at_mean,
        "place": graph.place_in_graph if in_graph else select.place_in_tree,
        "visits": graph.visits_of_edge if in_graph else select.visits_in_tree,
        "mean": graph.mean_behind_edge if in_graph else select.mean_in_tree,
        **(_growth(recipe) if recipe.grows else _expansion(recipe)),
        "evaluate": simulate.evaluate,
        "play_out": play_out,
        "play_once": once,
        "urgent_move": _URGENT[policy.urgent],
        "winning_move": playout.decisive_move,
        "can_win_at_once": playout.can_win_at_once,
        "choose_move": _CHOICES.get(policy.policy, playout.choose_by_policy),
        "is_uniform": playout.is_uniform,
        **({"preferred_move": preferred} if preferred else {}),
        "draw": playout.draw,
        "note_move": moves.note_move if learns else moves.note_nothing,
        "accept": playout.accept_all if plain and play_out is playout.play_out_once else playout.accept,
        "learn": moves.learn if learns else moves.learn_nothing,
        "back_up": simulate.back_up,
        "add_outcome": graph.add_in_graph if in_graph else add_outcome,
        "credit": commit.credit_among_threads if recipe.shared else commit.credit_alone,
        "randomness": randomness,
    }


def _expansion(recipe: Recipe) -> dict[str, Any]:
    """Return how a leaf gets all of its children."""
    in_graph = recipe.settings.transpositions
    looks = recipe.proofs or recipe.keeps_heuristics or in_graph
    weigh = expand.weigh_nothing
    if recipe.keeps_priors:
        weigh = expand.weigh_by_rules if recipe.has_prior else expand.weigh_equally
    return {
        "expand": simulate.expand,
        "grow": expand.grow,
        "weigh": weigh,
        "rank": expand.rank,
        "share_priors": expand.share_priors,
        "look_ahead": expand.look_ahead if looks else expand.look_at_nothing,
        "see_child": expand.see_child,
        "relate": expand.relate if in_graph else expand.relate_nothing,
        "link": expand.link,
        "give_up": simulate.give_up,
        "enter": simulate.enter,
    }


def _growth(recipe: Recipe) -> dict[str, Any]:
    """Return how a leaf gets a child where these come one at a time."""
    return {
        "expand": grow.expand_by_one,
        "begin_growth": grow.begin_growth,
        "give_up_growth": grow.give_up_growth,
        "find_ends": grow.find_ends if recipe.proofs else grow.find_no_ends,
        "add_end": grow.add_end,
        "enter": grow.enter_one,
    }
