"""What a part of a composition is, and the plan that all parts read.

A search is composed of parts, one for each concern; `search.composition.composition` lists them. Each gives
its kernels, compile-time constants, numbers, and the lengths of its arrays. Exactly one of them is a descent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from branchwise.core.simulation import repeat_choice
from branchwise.core.tree.children import LARGEST_BLOCK
from branchwise.networks.network import Network
from branchwise.networks.network_file import network_for
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.settings.settings import MAX_DEPTH, Settings

WIDEST_BOUNDS = 2.0
"""Width of a game's bounds of returns, as from -1 to 1, above which "auto" scales by the returns seen."""


class Part:
    """What one concern contributes to the compositions of searches. By default that is nothing.

    Kernels read all constants and numbers in every search, so every part gives them; all else is asked only
    of parts that apply. If several parts give the same name, the last one in the list of parts counts.
    """

    unscored: ClassVar[frozenset[str]] = frozenset()
    """The `options` whose statistics selection does not read."""

    def applies(self, plan: Plan) -> bool:
        """Whether the search needs this part."""
        return True

    def check(self, plan: Plan) -> None:
        """Raise `GameError` for settings that this part does not support, or that the game does not."""

    def options(self, plan: Plan) -> Collection[str]:
        """Return the options of `core.tree.STATISTICS` that this part needs."""
        return ()

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        """Return kernels by the names under which others call them."""
        return {}

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        """Return compile-time constants of `search` by name."""
        return {}

    def numbers(self, plan: Plan) -> Mapping[str, float]:
        """Return values of `core.search.NUMBERS` by name."""
        return {}

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        """Return lengths of arrays of `core.search.Scratch`; those that no part names are empty."""
        return {}

    def arrays(self, plan: Plan) -> Mapping[str, NDArray[Any]]:
        """Return arrays of `core.search.Scratch` that have content from the start, for one thread."""
        return {}

    def visit(self, plan: Plan) -> Mapping[str, int]:
        """Return lengths of arrays of `core.visit.Visit`; those that no part names are empty."""
        return {}


class Descent(Part):
    """How simulations go down the tree: what its nodes stand for, and where chance is drawn.

    A composition has one. `fits` chooses it by settings and game, unless the search has an `Observing`.
    """

    is_open: ClassVar[bool] = False
    """Whether nodes stand for decisions, whatever chance makes of them."""

    is_drawn: ClassVar[bool] = False
    """Whether outcomes of chance are drawn, and have nodes of their own."""

    lists_chance: ClassVar[bool] = False
    """Whether a node of chance has a child for each outcome that the rules list, as proofs need."""

    grows_by_one: ClassVar[bool] = True
    """Whether a node of a search that grows gets its children one at a time, and not all actions together."""

    repeats: ClassVar[bool] = True
    """Whether a choice can be reused for several simulations."""

    def fits(self, settings: Settings, facts: GameFacts) -> bool:
        """Whether a search of states with these settings descends so."""
        return False

    def applies(self, plan: Plan) -> bool:
        return plan.descent is self

    def plays_plainly(self, facts: GameFacts) -> bool:
        """Whether uniformly random playouts can be those of the rules alone: `play_randomly`."""
        return False

    def max_depth(self, moves: int) -> int:
        """Return the maximum levels of the tree below the root where `moves` are left to play."""
        return moves

    def most_levels(self, facts: GameFacts, max_depth: int) -> int:
        """Return the maximum levels of a path below the root."""
        return max_depth

    def room(self, plan: Plan, children: int, simulations: int) -> int:
        """Return the most nodes that `simulations` add; children : most of a node."""
        room = children * (simulations + 1)
        return 2 * room + LARGEST_BLOCK * (simulations + 1) if plan.grows else room


@dataclass(frozen=True)
class Observing:
    """Where the simulations of a search by one observer begin, and how they go on.

    roots : kernels that draw the state in which a simulation begins, see
    `search.parts.descents.sampled_roots`.   steered : whether the search leaves actions out, or visits a line
    first.
    """

    roots: Mapping[str, Any]
    descent: Descent
    steered: bool = False


class Plan:
    """The settings and the game of a search, and what follows from them for more than one part.

    state : one of the game's, whose class says which optional rules it has, and how playouts go unless the
    settings say otherwise.   facts : of the game.   proofs : whether bounds are kept.
    in_python : whether the rules stay in Python, where kernels cannot call them.
    observing : where simulations begin, if it is in states that look alike to one observer.
    """

    def __init__(
        self,
        state: Any,
        facts: GameFacts,
        settings: Settings,
        descent: Descent,
        *,
        proofs: bool,
        in_python: bool,
        observing: Observing | None,
    ) -> None:
        self._state = state
        self.settings = settings
        self.facts = facts
        self.descent = descent
        self.observing = observing
        self.rule = settings.rule
        of_game = getattr(state, "playout", "uniform")
        self.policy = settings.policy(of_game if isinstance(of_game, str) else "uniform")
        self.cutoff = settings.cutoff_of(getattr(state, "playout_cutoff", None))
        self.proofs = proofs
        self.in_python = in_python
        self.evaluates = settings.evaluates
        self.network: Network | None = network_for(settings.network, type(state))
        self.is_open = descent.is_open
        self.is_drawn = descent.is_drawn
        self.is_joint = facts.joint
        self.has_box = facts.dimensions > 0
        self.lists_outcomes = descent.lists_chance and facts.num_outcomes > 0
        self.has_chance = self.lists_outcomes or self.is_drawn
        needs = self.rule.needs
        self.mixes_minimax = settings.implicit_minimax > 0
        self.keeps_heuristics = "heuristics" in needs or self.mixes_minimax
        self.keeps_priors = "priors" in needs or (
            settings.widening is not None and (self.has("prior") or self.evaluates)
        )
        self.keeps_move_tables = "amaf" in needs and self.rule.reference_visits > 0
        self.keeps_amaf = "amaf" in needs and not self.keeps_move_tables
        self.is_paranoid = settings.paranoid and facts.num_players > 1
        self.keeps_spread = settings.spread or settings.risk is not None
        self.learns_moves = "history" in needs or self.policy.learns
        self.kept: tuple[str, ...] = ()
        """Options of `core.tree.STATISTICS` that are on."""

        self.scored: frozenset[str] = frozenset()
        """Those of them whose statistics selection reads."""

        self.grows = False
        """Whether nodes get their children one at a time."""

    def has(self, rule: str) -> bool:
        """Whether the game has an optional rule, by name."""
        return callable(getattr(self._state, rule, None))

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
        if self.evaluates or settings.repeat == 1 or not self.descent.repeats:
            return 1
        return settings.repeat * repeat_choice.SHARED_REPEAT if self.shared else settings.repeat

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
    def revises(self) -> bool:
        """Whether a node's value is computed from its children's instead of added up."""
        return self.settings.backup != "mean" or self.mixes_minimax

    @property
    def checks_sum(self) -> bool:
        """Whether the search relies on it that two players' returns always add up to the same."""
        relies = self.proofs or (self.facts.opposed and (self.revises or self.settings.transpositions))
        return relies and self.facts.num_players == 2 and not self.is_joint

    @property
    def looks_ahead(self) -> bool:
        """Whether new children are evaluated before they are visited."""
        return self.proofs or self.keeps_heuristics or self.settings.transpositions

    @property
    def plays_uniformly(self) -> bool:
        """Whether playouts are uniformly random, to the end of the game, and nothing is learnt from them."""
        is_uniform = self.policy.policy == "uniform" and not self.policy.urgent
        return is_uniform and self.cutoff is None and not self.notes_moves

    @property
    def plays_plainly(self) -> bool:
        """Whether playouts are those of the rules alone: `play_randomly`."""
        return self.plays_uniformly and self.descent.plays_plainly(self.facts)

    @property
    def leaves_moves_to_rules(self) -> bool:
        """Whether the rules choose every move of playouts."""
        policy = self.policy
        return policy.policy == "game" and not policy.urgent and policy.epsilon == 0

    @property
    def plays_as_chosen(self) -> bool:
        """Whether playouts are those that the rules choose, with nothing besides: `play_choices`."""
        facts = self.facts
        is_theirs = self.leaves_moves_to_rules and self.cutoff is None and not self.notes_moves
        has_more = facts.pays or facts.num_outcomes > 0 or facts.only_draws
        return is_theirs and not has_more and self.has("is_legal") and self.descent.plays_plainly(facts)

    @property
    def walks_with_state(self) -> bool:
        """Whether the state is played along during the descent, because chance is drawn there."""
        return self.is_open or self.is_drawn

    @property
    def max_depth(self) -> int:
        """Maximum levels of the tree below the root."""
        return self.descent.max_depth(min(self.settings.max_depth or MAX_DEPTH, self.facts.max_game_length))

    @property
    def most_levels(self) -> int:
        """Maximum levels of a path below the root."""
        return self.descent.most_levels(self.facts, self.max_depth)

    def room(self, children: int, simulations: int) -> int:
        """Return the most nodes that `simulations` add; children : most of a node."""
        return self.descent.room(self, children, simulations)
