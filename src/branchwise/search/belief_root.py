"""Searches from a `Belief`; see `search.belief_planning`."""

from __future__ import annotations

import time

from branchwise.search.belief import Belief
from branchwise.search.belief_planning import belief_facts, belief_settings, belief_source
from branchwise.search.budget import Budget
from branchwise.search.course import FREE, Wishes
from branchwise.search.observer_search import ObserverSearch, RunSession
from branchwise.search.result import SearchResult
from branchwise.search.session import Session
from branchwise.search.settings import Settings


class BeliefSearch(ObserverSearch):
    """A search from the particles of a belief, which is copied."""

    searches = Belief

    def __init__(self, known: Belief, settings: Settings, wishes: Wishes = FREE) -> None:
        super().__init__(known.copy(), belief_settings(settings), wishes)
        self.facts = belief_facts(self.known, self.settings)

    def run(self, budget: Budget, run: RunSession) -> SearchResult:
        state = self.known.states[0]
        course = self.wishes.course(state, self.facts, self.settings, one_state=False)
        source = belief_source(self.known, self.settings, budget)
        session = Session(
            state,
            self.facts,
            self.settings,
            budget,
            self.new_seed(),
            proofs=False,
            source=source,
            known=self.known,
            course=course,
        )
        session.expect(budget)
        return run(session, time.perf_counter())
