"""A search that is run once before it is shown, simulation by simulation."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from branchwise.errors import SettingsError
from branchwise.ranges import whole_number
from branchwise.search.budget import MAX_SIMULATIONS, Budget
from branchwise.search.course import FREE, Wishes
from branchwise.search.result import uninterrupted
from branchwise.search.session import Session
from branchwise.search.settings import Settings, planned_facts
from branchwise.search.state_search import StateSearch
from branchwise.search.trace.steppers import stepper_for
from branchwise.search.trace.stepping import Stepper


def rehearsed(
    state: Any, settings: Settings, simulations: int, after: int, wishes: Wishes = FREE
) -> tuple[Session, Stepper, int]:
    """Return a session, the stepper for its simulations from `after` on, and how many these are.

    All simulations are run once before, so that faults of the rules are raised first, and to find out whether
    proofs are sound. Raises what `MCTS.steps` raises.
    """
    for name, value in (("simulations", simulations), ("after", after)):
        whole_number(name, value, int(name == "simulations"), MAX_SIMULATIONS // 2)
    if planned_facts(state, settings).joint:
        raise SettingsError(
            "where players move at once, simulations cannot be shown one by one",
            mend="search the state, and look at the result",
        )
    if settings.threads > 1 or settings.halving or settings.evaluator is not None:
        what = "several threads" if settings.threads > 1 else "halving"
        what = what if settings.evaluator is None else "an evaluator"
        raise SettingsError(f"with {what} simulations cannot be shown one by one", mend="leave it out")
    searched, budget = StateSearch(threads=1), Budget(after + simulations)
    result = searched.search(
        state, replace(settings, compiled=False), budget, threading.Event(), wishes=wishes
    )
    ended = uninterrupted(result).simulations
    if ended <= after:
        raise SettingsError(
            f"after {ended:,} simulations there is nothing left to search, so none come after {after:,}",
            mend=f"give after = {ended - 1:,} or less",
        )
    known = searched.session
    assert known is not None
    session = Session(
        state, known.facts, known.settings, budget, known.seed, proofs=known.proofs, course=known.course
    )
    stepper = stepper_for(session.state, session.runner.searches[0], after + simulations)
    stepper.run(after)
    return session, stepper, ended - after
