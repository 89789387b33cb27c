"""Choosing the kernels of a search by its settings and its game; see `search.search_object`.

The composition decides the type of the search object. Each composition has its own machine code, and kernels
outside it cost nothing. Numbers are fields, so that changing them compiles nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import FunctionType
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

import numpy as np

from branchwise.compile.fingerprint import Fingerprint, UnfitForCacheError
from branchwise.compile.native import SearchType, object_type
from branchwise.compile.randomness import randomness
from branchwise.compile.reads import Reads
from branchwise.compile.rules import translated
from branchwise.core import (
    backup,
    batch,
    belief_backup,
    belief_search,
    boxes,
    chance,
    drawn_outcomes,
    expand,
    graph,
    grow,
    move_statistics,
    observed,
    open_loop,
    playout,
    repeat,
    rewards,
    roots,
    select,
    selection_rules,
    simulate,
    weighted_search,
)
from branchwise.core.children import MOST_MARKED, grows_by_one
from branchwise.core.kernel import kernel
from branchwise.core.leaf_parallel import play_out_together
from branchwise.core.search import ARRAYS, search_dtype
from branchwise.core.select import FIXED_SCORE, FIXED_VALUE, PARENT_ONCE, PARENT_VALUE, TRY_ALL_FIRST
from branchwise.core.spread import MOST_ACTIONS
from branchwise.core.tree import OPTIONS
from branchwise.errors import GameError
from branchwise.rules.facts import GameFacts
from branchwise.search.joint_kernels import check_joint, joint_kernels
from branchwise.search.playouts import PlayoutPolicy
from branchwise.search.selection import SelectionRule
from branchwise.search.settings import MAX_DEPTH, Settings

DEFAULT_WIDENING = 1.0
"""Default of `widening` for continuous actions."""

WIDEST_BOUNDS = 2.0
"""Width of a game's bounds of returns, as from -1 to 1, above which "auto" scales by the returns seen."""
_uncacheable: WeakKeyDictionary[FunctionType, tuple[str, Reads]] = WeakKeyDictionary()
"""For each selection rule that cannot be kept on disk: a name for its code, and the values it has read."""

_RULES = {
    name: kernel(getattr(selection_rules, name))
    for name in (
        "ucb1",
        "ucb1_tuned",
        "sp_mcts",
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
class KernelTable:
    """The kernels and constants of one composition; see `compile.native.Table`."""

    name: str
    dtype: np.dtype[Any]
    constants: dict[str, Any]
    statics: dict[str, Any]
    fingerprint: str = ""
    fit_for_cache: bool = True
    score: Callable[..., Any] | None = None
    """The user's selection rule, if there is one."""
    methods: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, Any] = field(default_factory=dict)


class Composition:
    """The kernels and numbers that a planner's settings select for one game.

    facts : of the game.   has : whether its states have an optional rule, by name.
    of_game : the game's `playout`.
    in_python : whether the rules stay in Python, where kernels cannot call them.
    observing : where simulations begin, and what tells nodes apart, if it is what one observer saw.
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
        observing: Observing | None = None,
    ) -> None:
        self.settings = settings
        self.observing = observing
        self.facts = facts
        self.rule = settings.rule
        self.evaluates = settings.evaluator is not None
        self.policy = settings.policy(of_game)
        self.proofs = proofs
        self.in_python = in_python
        self.has_prior = has("prior")
        self.is_joint = facts.joint
        way = DRAWN if observing is not None or self.is_joint else way_of_chance(settings, facts)
        self.is_open = way == OPEN
        self.is_drawn = way == DRAWN
        self.lists_outcomes = facts.num_outcomes > 0 and way == LISTED
        self.has_chance = self.lists_outcomes or self.is_drawn
        self.has_box = facts.dimensions > 0
        self._check_rules(has)
        needs = self.rule.needs
        self.mixes_minimax = settings.implicit_minimax > 0
        self.keeps_heuristics = "heuristics" in needs or self.mixes_minimax
        self.keeps_priors = "priors" in needs or (
            settings.widening is not None and (self.has_prior or self.evaluates)
        )
        self.keeps_move_tables = "amaf" in needs and self.rule.reference_visits > 0
        self.keeps_amaf = "amaf" in needs and not self.keeps_move_tables
        self.is_paranoid = settings.paranoid and facts.num_players > 1
        self.keeps_spread = settings.spread or settings.risk is not None
        self.learns_moves = "history" in needs or self.policy.learns
        self.kept = tuple(
            name
            for name, is_kept in (
                ("priors", self.keeps_priors),
                ("heuristics", self.keeps_heuristics),
                ("minimax", self.mixes_minimax),
                ("squares", "squares" in needs),
                ("amaf", self.keeps_amaf),
                ("move_tables", self.keeps_move_tables),
                ("graph", settings.transpositions),
                ("edge_rewards", settings.transpositions and facts.pays),
                ("chance", self.lists_outcomes),
                ("open_loop", self.walks_with_state),
                ("drawn", self.is_drawn and observing is None and not self.is_joint),
                ("strategies", self.is_joint and settings.joint_method.is_mixed),
                ("keys", settings.transpositions or self.is_drawn),
                ("particles", observing is not None and "push_particle" in observing.watching),
            )
            if is_kept
        )
        before_visits = set(self.kept) - {"squares", *_OF_CHANCE} or needs & {"history", "noise"}
        by_one = grows_by_one(facts.num_actions) and not before_visits and not self.evaluates
        self.grows = self.walks_with_state or by_one
        self.native = _search_type(self)

    def _check_walk(self) -> None:
        """Raise `GameError` for settings that cannot be combined with chance drawn during the descent."""
        settings, needs = self.settings, self.rule.needs
        for is_wanted, what in (
            (
                bool(needs & ({"heuristics", "amaf"} if self.observes else _BEFORE_VISITS)),
                f'selection="{self.rule.name}"',
            ),
            (settings.transpositions, "transpositions"),
            (settings.widening is not None and not self.has_box and not self.observes, "widening"),
            (settings.first_play is not None and not self.observes, "first_play"),
            (settings.backup != "mean" and not self.observes, f'backup="{settings.backup}"'),
            (settings.implicit_minimax > 0, "implicit_minimax"),
            (self.shared, "several threads in one tree"),
            (self.facts.simulates and bool(self.policy.urgent), f'playout="{self.policy.urgent}"'),
        ):
            if is_wanted:
                loop = "an open loop" if self.is_open else "drawn outcomes"
                if self.observing is not None:
                    raise GameError(
                        f"{what} cannot be combined with nodes known by what one player saw, as in "
                        f"{self.facts.name}",
                        mend='use parallel="root"' if what.startswith("several") else "leave it out",
                    )
                raise GameError(
                    f"{what} cannot be combined with {loop}, which {self.facts.name} needs"
                    if settings.open_loop is None and settings.outcome_widening is None
                    else f"{what} cannot be combined with {'open_loop' if self.is_open else loop}",
                    mend='use parallel="root"' if what.startswith("several") else "leave it out",
                )
        if self.facts.num_actions > MOST_MARKED:
            raise GameError(
                f"with chance that is drawn, a search supports at most {MOST_MARKED:,} distinct actions; "
                f"{self.facts.name} has more"
            )

    def _check_box(self) -> None:
        """Raise `GameError` for settings that need numbered actions."""
        settings, policy = self.settings, self.policy
        plays = settings.playout or policy.policy
        for is_wanted, what in (
            ("history" in self.rule.needs, f'selection="{self.rule.name}"'),
            (policy.policy != "uniform" or bool(policy.urgent), f'playout="{plays}"'),
            (settings.spread, "spread"),
            (settings.risk is not None, "risk"),
        ):
            if is_wanted:
                raise GameError(
                    f"{what} needs numbered actions, and those of {self.facts.name} are continuous",
                    mend="leave it out",
                )

    def _check_evaluator(self) -> None:
        """Raise `GameError` for what an evaluator cannot be combined with."""
        learnt = self.rule.needs & {"amaf", "history"}
        for is_wanted, what in (
            (self.has_box, f"continuous actions, which {self.facts.name} has"),
            (self.is_open, f"an open loop, as {self.facts.name} needs"),
            (self.is_drawn, f"drawn outcomes, as {self.facts.name} needs"),
            (bool(learnt), f'selection="{self.rule.name}", which learns from the moves of playouts'),
        ):
            if is_wanted:
                raise GameError(
                    f"an evaluator cannot be combined with {what}",
                    mend='use selection="ucb1" or selection="puct"' if learnt else "leave evaluator out",
                )

    @classmethod
    def of(
        cls,
        state: Any,
        facts: GameFacts,
        settings: Settings,
        *,
        proofs: bool,
        in_python: bool,
        observing: Observing | None = None,
    ) -> Composition:
        """Return the composition for the game of `state`; raises what the constructor raises."""
        of_game = getattr(state, "playout", "uniform")
        return cls(
            settings,
            facts,
            lambda rule: callable(getattr(state, rule, None)),
            of_game if isinstance(of_game, str) else "uniform",
            proofs=proofs,
            in_python=in_python,
            observing=observing,
        )

    @property
    def shared(self) -> bool:
        """Whether several simulations are under way in one tree: those of its threads, or of a batch."""
        one_tree = self.settings.parallel in (None, "tree")
        in_threads = self.settings.threads > 1 and one_tree and not self.in_python
        return in_threads or self.settings.batch_size > 1

    @property
    def repeat(self) -> int:
        """Most simulations that follow one choice; an evaluation costs more than to choose again."""
        settings = self.settings
        if self.evaluates or settings.repeat == 1 or self.observing is not None or self.is_joint:
            return 1
        return settings.repeat * repeat.SHARED_REPEAT if self.shared else settings.repeat

    @property
    def notes_moves(self) -> bool:
        """Whether simulations record their moves."""
        return self.keeps_amaf or self.keeps_move_tables or self.learns_moves

    @property
    def stretches(self) -> bool:
        """Whether selection scales gains by the returns seen, not by the game's bounds."""
        scale = self.settings.scale
        wide = self.facts.span > WIDEST_BOUNDS or not self.facts.is_bounded
        wide = wide or (self.is_paranoid and self.facts.pays)  # negated rewards have other bounds
        return wide if scale == "auto" else scale == "seen"

    @property
    def observes(self) -> bool:
        """Whether nodes are what the planner of a partially observed problem observed."""
        return self.observing is not None and "enter_observation" in self.observing.watching

    @property
    def walks_with_state(self) -> bool:
        """Whether the state is played along during the descent, because chance is drawn there."""
        return self.is_open or self.is_drawn

    @property
    def max_depth(self) -> int:
        """Maximum levels of the tree below the root; with drawn outcomes a move takes two."""
        moves = min(self.settings.max_depth or MAX_DEPTH, self.facts.max_game_length)
        return 2 * moves if self.is_drawn and not self.is_joint else moves

    @property
    def most_levels(self) -> int:
        """Maximum levels of a path below the root; a joint move takes two a player, and chance another."""
        return (2 * self.facts.num_players + 1) * self.max_depth if self.is_joint else self.max_depth

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
                mend="add def evaluate(self): return the value of an unfinished game, one number a player",
            )
        if self.facts.pays and self.policy.urgent:
            raise GameError(
                f'playout="{settings.playout or self.policy.urgent}" looks for moves that win, but '
                f"{self.facts.name} pays rewards on the way",
                mend="use other playouts, such as uniform",
            )
        by_content = settings.transpositions or (
            self.is_drawn and self.observing is None and not self.is_joint
        )
        if by_content and not self.facts.by_content:
            what = (
                "transpositions need"
                if settings.transpositions
                else "a closed loop with drawn outcomes needs"
            )
            raise GameError(
                f"{what} states that compare by content, and those of {self.facts.name} do not",
                mend="give their class __eq__ and __hash__, or leave it out",
            )
        if self.is_joint:
            check_joint(settings, self.rule, self.policy, self.facts)
        elif self.walks_with_state:
            self._check_walk()
        if self.has_box:
            self._check_box()
        if self.evaluates:
            self._check_evaluator()
        if (settings.spread or settings.risk is not None) and self.facts.num_actions > MOST_ACTIONS:
            raise GameError(
                f"spread and risk support at most {MOST_ACTIONS:,} distinct actions; "
                f"{self.facts.name} has more",
                mend="leave out spread and risk",
            )
        if self.policy.policy == "game" and not has("playout_action"):
            raise GameError(
                f'playout="game" needs a rule that {self.facts.name} does not have: playout_action',
                mend="add def playout_action(self, random): return a legal action; random.below(n) draws",
            )


@dataclass(frozen=True)
class Observing:
    """Where the simulations of a search by one observer begin, and how its nodes are told apart.

    roots : kernels that draw the state in which a simulation begins, see `core.roots`.
    watching : kernels that grow what the observer knows, see `core.observed`.
    """

    roots: Mapping[str, Any]
    watching: Mapping[str, Any]


EVENLY: Mapping[str, Any] = {"draw_root": roots.draw_root, "draw_place": roots.draw_place}
"""Simulations begin in any of an array of states."""
BY_WEIGHT: Mapping[str, Any] = {"draw_root": roots.draw_root, "draw_place": roots.draw_place_by_weight}
"""The same, in proportion to their weights."""
_DEALS = {"determinize": roots.deal_by_rules, "pool": roots.deal_from_pool, "replay": roots.deal_by_replay}


def dealing(way: str, *, rejects: bool) -> Mapping[str, Any]:
    """Return the kernels that deal a state for each simulation.

    way : as `rules.dealing.way_of` gives.   rejects : whether the class has `consistent`.
    """
    may_fail = rejects or way == "replay"
    found = {
        "draw_root": roots.deal_until_it_fits if may_fail else roots.deal_surely,
        "deal": _DEALS[way],
        "fits": roots.fits_by_rules if rejects else roots.fits_always,
    }
    if may_fail:
        found |= {
            "may_try": roots.may_try,
            "note_attempt": roots.note_attempt,
            "deal_again": roots.deal_again,
        }
    else:
        found["count_deal"] = roots.count_deal
    if way == "replay":
        found |= {
            "replay_hidden_move": roots.replay_hidden_move,
            "take_random": roots.take_random,
            "is_last": roots.is_last,
            "own_action": roots.own_action,
            "follow_event": roots.follow_event,
        }
    return found


AS_A_PLAYER: Mapping[str, Any] = {
    "begin_watching": observed.begin_watching,
    "view_of": observed.view_of,
    "decide": observed.decide_as_a_player,
    "choose_own": observed.choose_own,
    "choose_other": observed.choose_other,
    "move_and_watch": observed.move_and_watch,
    "pass_chance": observed.pass_chance_and_watch,
}
"""The observer is a player of a game with hidden information."""

AS_A_PLANNER: Mapping[str, Any] = {
    "simulate": belief_search.simulate_from_belief,
    "begin_history": belief_search.begin_history,
    "decide": belief_search.decide,
    "lacks_edges": belief_search.lacks_edges,
    "grow": expand.grow,
    "open_edges": belief_search.open_edges,
    "choose_edge": belief_search.choose_edge,
    "enter_observation": belief_search.enter_observation,
    "enter_numbers": belief_search.enter_numbers,
    "decisions": belief_search.decisions_before,
}
"""The observer is the planner of a partially observed problem."""
BY_WEIGHTED_PARTICLES: Mapping[str, Any] = {
    **AS_A_PLANNER,
    "enter_observation": weighted_search.enter_weighted,
    "enter_limited": weighted_search.enter_limited,
    "told_count": weighted_search.told_count,
    "push_particle": weighted_search.push_particle,
    "draw_particle": weighted_search.draw_particle,
}
"""The same with a limited number of observations after an action, and weighted particles in nodes."""

LISTED, OPEN, DRAWN = "listed", "open", "drawn"
"""How the tree treats chance: nodes are states, with the outcomes that the rules list; nodes are decisions,
whatever chance brings; nodes are states, with the outcomes that were drawn."""

_BEFORE_VISITS = frozenset({"priors", "heuristics", "amaf"})
"""Statistics of actions that were not visited yet, or not here."""
_OF_CHANCE = frozenset({"chance", "open_loop", "drawn", "keys", "particles"})
"""Options with statistics that selection does not read."""


def way_of_chance(settings: Settings, facts: GameFacts) -> str:
    """Return LISTED, OPEN or DRAWN; raises `GameError` if outcomes are limited in a game without chance."""
    can_only_draw = facts.samples or facts.simulates
    if settings.outcome_widening is not None:
        if not (can_only_draw or facts.num_outcomes):
            raise GameError(
                f"outcome_widening limits outcomes of chance, and {facts.name} has none", mend="leave it out"
            )
        return DRAWN
    if settings.open_loop or (facts.dimensions and not can_only_draw):
        return OPEN  # without chance a line of actions leads to one state
    if can_only_draw:
        return OPEN if settings.open_loop is None else DRAWN
    return LISTED


def _search_type(composition: Composition) -> SearchType:
    """Return the type of the composition's searches; a user's score function is read anew each time."""
    rule = composition.rule
    parts = (_constants(composition), _kernels(composition, composition.policy))
    named = (rule.name, tuple(rule.options), *(tuple(part.items()) for part in parts))
    if rule.is_own:
        return _own_search_type(*named)
    known = _without_score(*named)
    assert isinstance(rule.score, FunctionType)
    fingerprint = Fingerprint()
    fingerprint.add(known.fingerprint)
    fit_for_cache = True
    try:
        fingerprint.add(rule.score)
    except UnfitForCacheError:
        if rule.score not in _uncacheable or not _uncacheable[rule.score][1].hold():
            _uncacheable[rule.score] = f"unfit {uuid4()}", fingerprint.reads
        fingerprint.add_text(_uncacheable[rule.score][0])
        fit_for_cache = False
    score = translated(rule.score, fingerprint.text())
    table = replace(
        known,
        statics={**known.statics, "score": score},
        fingerprint=fingerprint.text(),
        fit_for_cache=fit_for_cache,
        score=rule.score,
    )
    return object_type(SearchType, table)


@lru_cache(maxsize=256)
def _own_search_type(rule: str, *parts: Any) -> SearchType:
    """Return the type of searches by one of Branchwise's own rules; parts : as in `_without_score`."""
    known = _without_score(rule, *parts)
    return object_type(SearchType, replace(known, statics={**known.statics, "score": _RULES[rule]}))


@lru_cache(maxsize=256)
def _without_score(
    rule: str,
    options: tuple[str, ...],
    constants: tuple[tuple[str, bool | int], ...],
    kernels: tuple[tuple[str, Any], ...],
) -> KernelTable:
    """Return the kernel table without the score function; its fingerprint covers these arguments alone.

    All arguments are Branchwise's own, or names, so that the cached table never goes stale.
    """
    table = KernelTable(
        name=rule,
        dtype=search_dtype(("c", *options)),
        constants=dict(constants),
        arrays=ARRAYS,
        statics=dict(kernels),
    )
    fingerprint = Fingerprint()
    fingerprint.add(("search", table.name, table.dtype))
    fingerprint.add(constants)
    fingerprint.add(tuple((name, kernel.py_func.__qualname__) for name, kernel in kernels))
    return replace(table, fingerprint=fingerprint.text())


def _constants(composition: Composition) -> dict[str, bool | int]:
    settings, rule = composition.settings, composition.rule
    return {
        "proofs": composition.proofs,
        "shared": composition.shared,
        "counted_on_entry": int(composition.shared),
        "grows": composition.grows,
        "has_chance": composition.has_chance,
        "opposed": composition.facts.opposed,
        "pays": composition.facts.pays,
        "is_open": composition.is_open,
        "is_drawn": composition.is_drawn,
        "is_observed": composition.observing is not None,
        "is_joint": composition.is_joint,
        "widens_outcomes": settings.outcome_widening is not None,
        "draws_chance": composition.facts.num_outcomes > 0,
        "has_horizon": composition.facts.horizon > 0,
        "forces": settings.halving,
        "unvisited": _unvisited(settings, rule),
        "widens": settings.widening is not None and not composition.has_box,
        "sorts_children": settings.widening is not None and composition.keeps_priors,
        "has_box": composition.has_box,
        "box_varies": composition.facts.box_varies,
        "draws_by_rules": composition.facts.draws_actions,
        "dimensions": composition.facts.dimensions,
        "whole": _bits(composition.facts.whole),
        **{f"keeps_{option}": option in composition.kept for option in OPTIONS},
        "keeps_history": "history" in rule.needs,
        "draws_noise": "noise" in rule.needs,
        "mixes_minimax": composition.mixes_minimax,
        "stretches": composition.stretches,
        "averages_by_power": settings.backup != "mean",
        "learns_moves": composition.learns_moves,
        "keeps_spread": composition.keeps_spread,
        "is_paranoid": composition.is_paranoid,
        "follows_policy": composition.policy.policy != "uniform",
        "cuts_off": settings.cutoff is not None or composition.evaluates,
    }


def _unvisited(settings: Settings, rule: SelectionRule) -> int:
    if settings.first_play == "parent":
        return PARENT_VALUE if rule.scores_unvisited else PARENT_ONCE
    if settings.first_play is not None:
        return FIXED_VALUE if rule.scores_unvisited else FIXED_SCORE
    return PARENT_VALUE if rule.scores_unvisited else TRY_ALL_FIRST


def _kernels(composition: Composition, policy: PlayoutPolicy) -> dict[str, Any]:
    settings = composition.settings
    learns = composition.notes_moves
    plain = _is_uniform(policy) and settings.cutoff is None and not learns
    draws_by_rules = composition.facts.simulates or composition.facts.samples
    plain = plain and (
        not composition.walks_with_state or (composition.observing is not None and not draws_by_rules)
    )
    once = boxes.play_out_in_box if composition.has_box else playout.play_out_by_policy
    if composition.observes and settings.cutoff is None and not learns and _is_uniform(policy):
        facts = composition.facts
        if facts.simulates and facts.pays and not facts.num_outcomes:
            once = playout.play_out_in_simulator
    if plain:
        once = playout.play_out_for_rewards if composition.facts.pays else playout.play_out_uniformly
    play_out = playout.play_out_once
    if settings.threads > 1 and settings.parallel == "leaf":
        play_out = play_out_together
    elif settings.playouts > 1:
        play_out = playout.play_out_repeatedly
    choose = repeat.choose_again if composition.repeat > 1 else repeat.choose_anew
    if composition.shared:
        choose = repeat.choose_among_threads
    in_graph = settings.transpositions
    revises = settings.backup != "mean" or composition.mixes_minimax
    preferred = _PREFERRED.get(policy.policy)
    reads_more = bool(set(composition.kept) - _OF_CHANCE or composition.rule.needs)
    add_outcome = backup.add_and_revise if revises else backup.add_outcome
    if revises and composition.observes:
        add_outcome = belief_backup.add_and_revise_observed
    return {
        **(_BY_EVALUATOR if composition.evaluates else {"simulate": simulate.simulate}),
        "select": simulate.select,
        "choose": choose,
        "follow_new": repeat.follow_among_threads if composition.shared else repeat.follow_alone,
        "look": select.look_at_all if reads_more else select.look_at_mean,
        "place": graph.place_in_graph if in_graph else select.place_in_tree,
        "visits": graph.visits_of_edge if in_graph else select.visits_in_tree,
        "mean": graph.mean_behind_edge if in_graph else select.mean_in_tree,
        "gain_by": graph.gain_by_edge if in_graph else backup.gain_in_tree,
        **(_growth(composition) if composition.grows else _expansion(composition)),
        **(_chance(composition) if composition.lists_outcomes else {}),
        **_moves(composition),
        **(_walk(composition) if composition.walks_with_state and not composition.is_joint else {}),
        "evaluate": simulate.evaluate,
        "play_out": play_out,
        "play_once": once,
        "urgent_move": _URGENT[policy.urgent],
        "winning_move": playout.decisive_move,
        "can_win_at_once": playout.can_win_at_once,
        "choose_move": _CHOICES.get(policy.policy, playout.choose_by_policy),
        "is_uniform": playout.is_uniform if policy.epsilon > 0 else playout.is_never_uniform,
        **({"preferred_move": preferred} if preferred else {}),
        "draw": playout.draw,
        "note_move": move_statistics.note_move if learns else move_statistics.note_nothing,
        "note_outcome": move_statistics.note_outcome if learns else move_statistics.note_no_outcome,
        "accept": playout.accept_all if plain and play_out is playout.play_out_once else playout.accept,
        "learn": move_statistics.learn if learns else move_statistics.learn_nothing,
        "back_up": simulate.back_up,
        "add_outcome": graph.add_in_graph if in_graph else add_outcome,
        "credit": repeat.credit_among_threads if composition.shared else repeat.credit_alone,
        "randomness": randomness,
        **(joint_kernels(composition.facts, settings.joint_method.name) if composition.is_joint else {}),
    }


def _is_uniform(policy: PlayoutPolicy) -> bool:
    return policy.policy == "uniform" and not policy.urgent


def _expansion(composition: Composition) -> dict[str, Any]:
    """Return the kernels that give a leaf all of its children."""
    in_graph = composition.settings.transpositions
    looks = _looks_ahead(composition)
    return {
        "expand": simulate.expand,
        "grow": expand.grow,
        **_weighing(composition),
        "look_ahead": expand.look_ahead if looks else expand.look_at_nothing,
        "see_child": expand.see_child,
        "relate": expand.relate if in_graph else expand.relate_nothing,
        "link": expand.link,
        "give_up": simulate.give_up,
        "enter": batch.stay if composition.evaluates else simulate.enter,
    }


def _weighing(composition: Composition) -> dict[str, Any]:
    """Return the kernels that give new children their priors."""
    weigh = expand.weigh_nothing
    if composition.keeps_priors and composition.evaluates:
        weigh = batch.weigh_by_evaluator
    elif composition.keeps_priors:
        weigh = expand.weigh_by_rules if composition.has_prior else expand.weigh_equally
    return {"weigh": weigh, "rank": expand.rank, "share_priors": expand.share_priors}


def _growth(composition: Composition) -> dict[str, Any]:
    """Return the kernels that add children one at a time."""
    return {
        "expand": grow.expand_by_one,
        "begin_growth": grow.begin_growth,
        "give_up_growth": grow.give_up_growth,
        "find_ends": grow.find_ends if composition.proofs else grow.find_no_ends,
        "add_end": grow.add_end,
        "enter": grow.enter_one,
    }


_BY_EVALUATOR = {
    "descend": batch.descend,
    "complete": batch.complete,
    "count_at_root": batch.count_at_root,
    "may_grow": batch.may_grow,
    "take_evaluation": batch.take_evaluation,
    "rank_by_weights": batch.rank_by_weights,
}
"""How simulations run whose leaves an evaluator judges."""

_MOVES = {
    (False, False): (rewards.move, rewards.apply),
    (False, True): (rewards.move_for_reward, rewards.apply_for_reward),
    (True, False): (rewards.move_in_simulator, rewards.apply_in_simulator),
    (True, True): (rewards.move_in_simulator_for_reward, rewards.apply_in_simulator_for_reward),
}
"""Kernels that apply an action in the tree and elsewhere; keys: is it a simulator, does it pay rewards."""


def _bits(flags: Sequence[bool]) -> int:
    """Return up to 64 flags as the bits of an int64, the first as the lowest."""
    bits = sum(1 << place for place, flag in enumerate(flags) if flag)
    return bits - (1 << 64 if bits >> 63 else 0)


def _walk(composition: Composition) -> dict[str, Any]:
    """Return the kernels of a descent that plays the state along and draws chance."""
    found = {
        "simulate": open_loop.simulate_openly,
        "begin_path": open_loop.begin_path,
        "choose_legal": open_loop.choose_legal,
        "pass_chance": open_loop.pass_chance,
    }
    if composition.has_box:
        del found["choose_legal"]
        found |= {
            "choose_in_box": boxes.choose_in_box,
            "choose_tried": boxes.choose_tried,
            "enter_drawn": boxes.enter_drawn,
            "refine": boxes.refine,
            "draw_vector": boxes.draw_by_rules if composition.facts.draws_actions else boxes.draw_uniformly,
            "draw_in_box": boxes.draw_in_box,
            "check_box": boxes.check_box,
            "check_drawn": boxes.check_drawn,
        }
    if composition.facts.pays:
        found["add_paid_to_path"] = open_loop.add_paid_to_path
    if composition.observing is not None:
        if composition.observes:
            found |= _weighing(composition)
        return {
            **found,
            "simulate": observed.simulate_by_observing,
            "note_start": observed.note_start,
            "note_event": observed.note_event,
            "enter_seen": observed.enter_seen,
            **composition.observing.roots,
            **composition.observing.watching,
        }
    if composition.is_drawn:
        found |= {
            "simulate": drawn_outcomes.simulate_by_drawing,
            "begin_transition": drawn_outcomes.begin_transition,
            "end_transition": drawn_outcomes.end_transition,
            "begin_again": drawn_outcomes.begin_again,
            "end_again": drawn_outcomes.end_again,
        }
    return found


def _moves(composition: Composition) -> dict[str, Any]:
    """Return the kernels that apply actions and decide where a simulation ends."""
    facts = composition.facts
    move, apply = _MOVES[facts.simulates, facts.pays]
    found = {
        "move": boxes.move_by_vector if composition.has_box else move,
        **({"move_given": move} if composition.has_box else {}),
        "apply": apply,
        "follow": rewards.follow_for_rewards if facts.pays else rewards.follow,
        "value_of_try": rewards.value_of_try_with_reward if facts.pays else rewards.value_of_try,
        "ends": rewards.ends_at_horizon if facts.horizon else rewards.ends,
    }
    if facts.pays:
        found |= {
            "add_paid": rewards.add_paid,
            "note_chance": rewards.note_chance,
            "begin_sum": playout.begin_sum,
            "add_to_sum": playout.add_to_sum,
        }
        if composition.settings.transpositions:
            found |= {"note_edge": expand.note_edge, "behind_edge": graph.behind_edge}
    if facts.num_outcomes:
        found["draw_chance"] = playout.draw_sampled if facts.samples else playout.draw_listed
        found["draw_share"] = chance.draw_share_for_playout
    if facts.horizon:
        found |= {"decisions": rewards.decisions, "note_left": rewards.note_left}
    return found


def _chance(composition: Composition) -> dict[str, Any]:
    """Return the kernels for nodes of chance."""
    return {
        "expand_chance": chance.expand_chance,
        "add_outcomes": chance.add_outcomes,
        "num_listed": chance.num_listed,
        "mover_into": chance.mover_into,
        "give_up_outcomes": chance.give_up_outcomes,
        "enter_outcome": chance.enter_outcome,
        "look_ahead": expand.look_ahead if _looks_ahead(composition) else expand.look_at_nothing,
        "see_child": expand.see_child,
        "relate": expand.relate if composition.settings.transpositions else expand.relate_nothing,
        "link": expand.link,
    }


def _looks_ahead(composition: Composition) -> bool:
    """Whether new children are evaluated before they are visited."""
    return composition.proofs or composition.keeps_heuristics or composition.settings.transpositions
