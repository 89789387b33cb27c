"""Searches by what one observer knows: what a planner can be given in place of a state.

Each kind is a class beside its other code, and an entry in `search.planner`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.drivers.root_source import RootSource
from branchwise.search.results.result import SearchResult
from branchwise.search.session.search_session import Session
from branchwise.search.session.steering import FREE, Course, Wishes
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.settings import Settings

RunSession = Callable[[Session, float], SearchResult]
"""Runs a session's search to its end; with the time since which seconds count, as of `perf_counter`."""


class ObserverSearch(ABC):
    """One search by what an observer knows; nothing is kept for the next.

    known : an instance of `searches`.   settings : of the planner.
    wishes : what to leave out, and what to visit first.

    Raises `GameError`, `ActionError` or `SettingsError` for what cannot be searched with these settings.
    """

    searches: ClassVar[type]
    """Class of what is known."""

    facts: GameFacts

    @classmethod
    @abstractmethod
    def is_shown(cls, game: type[Game]) -> bool:
        """Whether this is what players of `game` are shown in place of its states."""

    @classmethod
    @abstractmethod
    def check(cls, game: type[Game], settings: Settings) -> None:
        """Raise what a search raises for settings that `game` cannot have; nothing is compiled."""

    def __init__(self, known: Any, settings: Settings, wishes: Wishes = FREE) -> None:
        self.known = known
        self.settings = settings
        self.wishes = wishes

    @abstractmethod
    def run(self, budget: Budget, run: RunSession) -> SearchResult:
        """Search within `budget`."""

    def session(self, state: Any, source: RootSource, course: Course, budget: Budget, seed: int) -> Session:
        """Return the session of a search within `budget`, ready to run.

        state : one that fits what is known.   source : where simulations begin.   course : of `wishes`.
        """
        session = Session(
            state,
            self.facts,
            self.settings,
            budget,
            seed,
            proofs=False,
            source=source,
            known=self.known,
            course=course,
        )
        session.expect(budget)
        return session
