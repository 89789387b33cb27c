"""Searches from a `Belief`; see `search.session.belief_planning`."""

from __future__ import annotations

import time

from branchwise.game.kinds.game_kinds import is_partially_observed
from branchwise.game.kinds.random_numbers import given_or_new
from branchwise.game.rules_class import Game
from branchwise.search.composition.composition import Composition
from branchwise.search.parts.plan import Observing
from branchwise.search.results.result import SearchResult
from branchwise.search.run.observer_search import ObserverSearch, RunSession
from branchwise.search.session.belief import Belief
from branchwise.search.session.belief_planning import (
    belief_descent,
    belief_facts,
    belief_source,
)
from branchwise.search.session.steering import FREE, Wishes
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.settings import Settings


class BeliefSearch(ObserverSearch):
    """A search from the particles of a belief, which is copied."""

    searches = Belief

    @classmethod
    def is_shown(cls, game: type[Game]) -> bool:
        return is_partially_observed(game)

    @classmethod
    def check(cls, game: type[Game], settings: Settings) -> None:
        start = game()
        facts, settings = belief_facts(start, settings), settings.patient
        Composition(start, facts, settings, observing=Observing({}, belief_descent(game, settings)))

    def __init__(self, known: Belief, settings: Settings, wishes: Wishes = FREE) -> None:
        super().__init__(known.copy(), settings.patient, wishes)
        self.facts = belief_facts(self.known.states[0], self.settings)

    def run(self, budget: Budget, run: RunSession) -> SearchResult:
        state = self.known.states[0]
        course = self.wishes.course(state, self.facts, self.settings, one_state=False)
        source = belief_source(self.known, self.settings, budget)
        session = self.session(state, source, course, budget, given_or_new(self.settings.seed))
        return run(session, time.perf_counter())
