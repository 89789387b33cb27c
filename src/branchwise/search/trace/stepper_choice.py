"""Choosing the stepper for a search."""

from __future__ import annotations

from typing import Any

from branchwise.search.composition.search_object import Search
from branchwise.search.drivers.root_source import RootSource
from branchwise.search.trace.drawn_stepping import DrawnStepper
from branchwise.search.trace.observer_stepping import KnownStepper
from branchwise.search.trace.open_stepping import OpenStepper
from branchwise.search.trace.stepping import Stepper


def stepper_for(
    state: Any, search: Search, simulations: int = 0, source: RootSource | None = None
) -> Stepper:
    """Return a stepper for simulations of `search` from `state`.

    simulations : how many, if that is known.   source : where they begin, if not at `state`.
    """
    if source is not None:
        return KnownStepper(state, search, simulations, source)
    if search.composition.is_drawn:
        return DrawnStepper(state, search, simulations)
    if search.composition.is_open:
        return OpenStepper(state, search, simulations)
    return Stepper(state, search, simulations)
