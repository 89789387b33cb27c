"""Choosing the kernels of a search by its settings and its game; see `search.composition.search_object`.

The composition decides the type of the search object. Each composition has its own machine code, and kernels
outside it cost nothing. Numbers are fields, so that changing them compiles nothing.

A composition consists of parts, one for each concern, which are listed here: see `search.parts.plan`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from numpy.typing import NDArray

from branchwise.core.tree.children import grows_by_one
from branchwise.core.tree.node_fields import OPTIONS
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.composition.search_type import search_type
from branchwise.search.parts.descents.beliefs import AS_A_PLANNER as AS_A_PLANNER
from branchwise.search.parts.descents.beliefs import BY_WEIGHTED_PARTICLES as BY_WEIGHTED_PARTICLES
from branchwise.search.parts.descents.continuous_actions import Boxes
from branchwise.search.parts.descents.drawn_outcomes import DrawnOutcomes
from branchwise.search.parts.descents.information_sets import AS_A_PLAYER
from branchwise.search.parts.descents.joint import JointMoves
from branchwise.search.parts.descents.open_loop import OpenLoop
from branchwise.search.parts.options.batches import Batches
from branchwise.search.parts.options.chance import ListedChance
from branchwise.search.parts.options.choices import Choices
from branchwise.search.parts.options.expansion import Expansion
from branchwise.search.parts.options.networks import Networks
from branchwise.search.parts.options.playouts import CommonNumbers, Moves, OwnPlayouts, Playouts
from branchwise.search.parts.options.simulation import Simulation
from branchwise.search.parts.options.transitions import Transitions
from branchwise.search.parts.options.transpositions import Graph
from branchwise.search.parts.options.values import Spread, Values
from branchwise.search.parts.plan import Descent, Observing, Part, Plan
from branchwise.search.settings.settings import Settings

T = TypeVar("T")

DESCENTS: tuple[Descent, ...] = (
    JointMoves(),
    AS_A_PLAYER,
    AS_A_PLANNER,
    BY_WEIGHTED_PARTICLES,
    DrawnOutcomes(),
    OpenLoop(),
    ListedChance(),
)
"""All descents; a search of states has the first that fits."""

PARTS: tuple[Part, ...] = (
    Simulation(),
    Choices(),
    Expansion(),
    Transitions(),
    Playouts(),
    Moves(),
    Values(),
    *DESCENTS,
    Graph(),
    Boxes(),
    Batches(),
    Networks(),
    Spread(),
    OwnPlayouts(),
    CommonNumbers(),
)
"""All parts of searches; later ones replace kernels and numbers of earlier ones."""


class Composition(Plan):
    """The kernels and numbers that a planner's settings select for one game; arguments are those of `Plan`.

    Raises `GameError` for settings that need a rule which the game does not have, or that its searches do not
    support.
    """

    def __init__(
        self,
        state: Any,
        facts: GameFacts,
        settings: Settings,
        *,
        proofs: bool = False,
        in_python: bool = False,
        observing: Observing | None = None,
    ) -> None:
        descent = descent_of(settings, facts) if observing is None else observing.descent
        super().__init__(
            state, facts, settings, descent, proofs=proofs, in_python=in_python, observing=observing
        )
        self.parts = [part for part in PARTS if part.applies(self)]
        for part in self.parts:
            part.check(self)
        options = {option for part in self.parts for option in part.options(self)}
        self.kept = tuple(option for option in OPTIONS if option in options)
        self.scored = frozenset(options).difference(*(part.unscored for part in self.parts))
        self.grows = self.walks_with_state or self._grows_by_one
        self.native = search_type(
            self.rule,
            _joined(part.constants(self) for part in PARTS),
            _joined(part.kernels(self) for part in self.parts),
        )

    @property
    def _grows_by_one(self) -> bool:
        """Whether there are many actions, and nothing needs all children of a node at once."""
        before_visits = self.scored - {"squares"} or self.rule.needs & {"history", "noise"}
        return grows_by_one(self.facts.num_actions) and not before_visits and not self.evaluates

    @property
    def numbers(self) -> dict[str, float]:
        """The values of `core.search.NUMBERS` and of the selection rule's options."""
        return _joined(part.numbers(self) for part in PARTS)

    @property
    def scratch(self) -> dict[str, int]:
        """The lengths of arrays of `core.search.Scratch`; those that are missing are empty."""
        return _joined(part.scratch(self) for part in self.parts)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays of `core.search.Scratch` that have content from the start, for one thread."""
        return _joined(part.arrays(self) for part in self.parts)

    @property
    def visit(self) -> dict[str, int]:
        """The lengths of arrays of `core.visit.Visit`; those that are missing are empty."""
        return _joined(part.visit(self) for part in self.parts)


def descent_of(settings: Settings, facts: GameFacts) -> Descent:
    """Return the descent of searches of states; raises `GameError` as `DrawnOutcomes.fits` does."""
    return next(descent for descent in DESCENTS if descent.fits(settings, facts))


def _joined(given: Iterable[Mapping[str, T]]) -> dict[str, T]:
    """Return everything that is given by name; of equal names the last one."""
    found: dict[str, T] = {}
    for one in given:
        found.update(one)
    return found
