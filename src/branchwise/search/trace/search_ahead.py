"""A search that is run once before it is shown, simulation by simulation."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import GameError, SettingsError
from branchwise.game.kinds.random_numbers import given_or_new
from branchwise.rules.knowledge.information import InformationState
from branchwise.search.results.result import SearchResult, uninterrupted
from branchwise.search.run.information_set import InformationSetSearch, source_of
from branchwise.search.run.run import Conduct, Run
from branchwise.search.run.state_search import StateSearch
from branchwise.search.session.search_session import Session
from branchwise.search.session.steering import FREE, Wishes
from branchwise.search.settings.budget import MAX_SIMULATIONS, Budget
from branchwise.search.settings.settings import Settings, planned_facts
from branchwise.search.trace.stepper_choice import stepper_for
from branchwise.search.trace.stepping import Stepper


def rehearsed(
    state: Any, settings: Settings, simulations: int, after: int, wishes: Wishes = FREE
) -> tuple[Session, Stepper, int]:
    """Return a session, the stepper for its simulations from `after` on, and how many these are.

    state : the root, or what a player knows.
    All simulations are run once before, so that faults of the rules are raised first, and to find out whether
    proofs are sound. Raises what `MCTS.steps` raises.
    """
    for name, value in (("simulations", simulations), ("after", after)):
        whole_number(name, value, int(name == "simulations"), MAX_SIMULATIONS // 2)
    known = isinstance(state, InformationState)
    if not known and planned_facts(state, settings).joint:
        raise SettingsError(
            "where players move at once, simulations cannot be shown one by one",
            mend="search the state, and look at the result",
        )
    if settings.threads > 1 or settings.halving or settings.rollout or settings.evaluator is not None:
        what = "several threads" if settings.threads > 1 else "halving" if settings.halving else "rollout"
        what = what if settings.evaluator is None else "an evaluator"
        raise SettingsError(f"with {what} simulations cannot be shown one by one", mend="leave it out")
    if known:
        return _rehearsed_known(state, settings, simulations, after, wishes)
    searched, budget = StateSearch(threads=1), Budget(after + simulations)
    conduct = Conduct(budget, threading.Event())
    result = searched.search(state, replace(settings, compiled=False, rollout=False), conduct, wishes)
    ended = uninterrupted(result).simulations
    if ended <= after:
        raise SettingsError(
            f"after {ended:,} simulations there is nothing left to search, so none come after {after:,}",
            mend=f"give after = {ended - 1:,} or less",
        )
    first = searched.session
    assert first is not None
    session = Session(
        state, first.facts, first.settings, budget, first.seed, proofs=first.proofs, course=first.course
    )
    stepper = stepper_for(session.state, session.runner.searches[0], after + simulations)
    stepper.run(after)
    return session, stepper, ended - after


def _rehearsed_known(
    known: InformationState, settings: Settings, simulations: int, after: int, wishes: Wishes
) -> tuple[Session, Stepper, int]:
    """Return the same for a search by what a player knows."""
    settings, budget = replace(settings, compiled=False), Budget(after + simulations)
    seed = given_or_new(settings.seed)
    settings = replace(settings, seed=seed)
    conduct, sessions = Conduct(budget, threading.Event()), []

    def run(session: Session, started: float) -> SearchResult:
        sessions.append(session)
        return Run(session, conduct, started).to_end()

    search = InformationSetSearch(known, settings, wishes)
    result = uninterrupted(search.run(budget, run))
    if result.ended_by == "no deal":
        raise GameError(
            f"no state of {known.name} was found that looks to player {known.player} as the game does",
            mend="branchwise check finds out why; a class may write determinize",
        )
    (first,) = sessions
    source = source_of(known, seed, compiled=False)
    assert source is not None
    session = search.session(known.view, source, first.course, budget, seed)
    stepper = stepper_for(session.state, session.runner.searches[0], after + simulations, source)
    stepper.run(after)
    return session, stepper, simulations
