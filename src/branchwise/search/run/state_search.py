"""Searches of states, and the tree that is kept from one to the next."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from branchwise.common.errors import GameError, SettingsError
from branchwise.common.players import CHANCE
from branchwise.game.kinds.continuous_actions import check_vector, has_box
from branchwise.game.kinds.random_numbers import given_or_new
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, check_searchable, legal_action
from branchwise.rules.facts.game_type import openspiel_method, proofs_hold
from branchwise.search.composition.composition import Composition, descent_of
from branchwise.search.parallel.process_pool import ProcessPool
from branchwise.search.results.result import SearchResult
from branchwise.search.run.run import Conduct, NotConstantSumError, Run
from branchwise.search.session.search_session import Session
from branchwise.search.session.steering import FREE, Course, Wishes
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.rollout_default import with_rollout
from branchwise.search.settings.settings import Settings, planned_facts

Progress = Callable[[SearchResult], object]


class StateSearch:
    """Searches states, and continues the last search where it was advanced to.

    threads : of the planner; rules in plain Python need a process for each.   most_mb : memory up to which
    a tree grows in place.
    """

    def __init__(self, threads: int, most_mb: float = 0.0) -> None:
        self.session: Session | None = None
        """The last search, if it is kept."""

        self._most_mb = most_mb
        self._goes_on = False
        self._pool = ProcessPool(threads)

    def search(self, state: Any, settings: Settings, conduct: Conduct, wishes: Wishes = FREE) -> SearchResult:
        """Search as `conduct` says.

        If returns turn out not to have a constant sum, in a game that does not declare its `utility`, the
        search begins again without relying on it: without proofs.
        """
        facts = planned_facts(state, settings)
        check_searchable(state, facts)
        if settings.rollout or not wishes.at_least:
            settings = with_rollout(settings, state, facts)
        _check_halving(facts, settings)
        course = wishes.course(state, facts, settings)
        proofs = _may_prove(state, facts, settings)
        started = None
        while True:
            session = self._session_at(state, facts, settings, conduct.budget, proofs, course)
            started = started or time.perf_counter()
            try:
                return Run(session, conduct, started).to_end()
            except NotConstantSumError:
                self.session = None
                facts, proofs = replace(facts, opposed=False), False

    def advance(self, action: Any, state: Any) -> bool:
        """Play `action` at the root of the last search, and keep the subtree below it; see `MCTS.advance`."""
        session = self.session
        if session is None or not session.is_current:
            self.session = None
            return False
        if session.facts.joint or session.course.restricts:  # its tree begins at this root
            legal_action(session.state, action)
            self.session = None
            return False
        if state is None and session.facts.simulates:
            raise SettingsError(
                f"an action of {session.facts.name} leads to a random state",
                mend="give the state that it led to: advance(action, state=state)",
            )
        by_chance = session.facts.samples and session.state.current_player() == CHANCE
        if has_box(session.state):
            action = check_vector(session.state, action)
        elif action not in (
            range(session.facts.num_outcomes) if by_chance else session.state.legal_actions()
        ):
            raise SettingsError(f"advance({action!r}): not a legal action at the root of the last search")
        kept = session.advance(action, state)
        self._goes_on = True
        if session.state.is_terminal():
            self.session = None
            return False
        return kept

    def carry_on(self) -> bool:
        """Let the next search, if it starts at the same state, continue the last one's tree."""
        self._goes_on = self.session is not None and self.session.is_current
        return self._goes_on

    def forget(self) -> None:
        """Discard the tree of the last search."""
        self.session = None

    def close(self) -> None:
        """End the processes, and forget the search."""
        self.session = None
        self._pool.close()

    def _session_at(
        self,
        state: Any,
        facts: GameFacts,
        settings: Settings,
        budget: Budget,
        proofs: bool,
        course: Course,
    ) -> Session:
        """Return the session for a search of `state`: the one that `advance` has kept, or a new one."""
        known = self.session
        if (
            known is not None
            and known.is_current
            and self._goes_on
            and _is_of(known, state, settings, course)
        ):
            known.settings = replace(known.settings, memory_mb=settings.memory_mb)
            known.make_room(budget)
            known.runner.guide(())
            known.take(course)
        else:
            seed = given_or_new(settings.seed)
            known = Session(
                state,
                facts,
                settings,
                budget,
                seed,
                most_mb=self._most_mb,
                proofs=proofs,
                pool=self._pool,
                course=course,
            )
        known.expect(budget)
        self.session = known
        self._goes_on = False
        return known


def check_settings(game: type[Game], settings: Settings) -> None:
    """Raise what a search raises for settings that no search of `game` can have; nothing is compiled."""
    start = game()
    facts = planned_facts(start, settings)
    settings = with_rollout(settings, start, facts)
    _check_halving(facts, settings)
    Composition(start, facts, settings, proofs=_may_prove(start, facts, settings))


def _check_halving(facts: GameFacts, settings: Settings) -> None:
    if settings.halving and facts.dimensions:
        raise GameError(
            f"halving needs numbered actions, and those of {facts.name} are continuous",
            mend="leave it out",
        )


def _may_prove(state: Any, facts: GameFacts, settings: Settings) -> bool:
    """Whether a search of `state` keeps bounds: values are means of returns, and all outcomes are listed."""
    chance = facts.num_outcomes > 0 or facts.simulates
    means = settings.risk is None and not (settings.spread and chance)
    means = means and not (settings.paranoid and facts.num_players > 1)
    proofs = settings.proofs and means and proofs_hold(state, facts)
    return proofs and descent_of(settings, facts).lists_chance


def _is_of(known: Session, state: Any, settings: Settings, course: Course) -> bool:
    """Whether the session can be continued at `state`, for the player to move there."""
    if not known.course.restricts_like(course):
        return False
    has_view = not settings.paranoid or known.viewer == int(state.current_player())
    return has_view and _same(known.state, state)


def _same(known: Any, state: Any) -> bool:
    """Whether two states are equal; if their class defines no equality, whether they print alike."""
    if type(known) is not type(state):
        return False
    if "__eq__" not in _all_names(type(state)) or openspiel_method(state, "get_game") is not None:
        return str(known) == str(state) and _history(known) == _history(state)
    return bool(known == state)


def _all_names(cls: type) -> set[str]:
    return {name for owner in cls.__mro__ if owner is not object for name in vars(owner)}


def _history(state: Any) -> Any:
    history = getattr(state, "history", None)
    return list(history()) if callable(history) else history
