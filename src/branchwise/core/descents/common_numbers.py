"""Common random numbers: the simulations of each action at the root meet the same chance.

Simulation n of an action draws from streams that depend on n alone, so that the difference of two actions'
returns does not have the variance of what happens to both: Glasserman, Yao, "Some guidelines and guarantees
for common random numbers", 1992.
"""

from __future__ import annotations

import numpy as np

from branchwise.core.descents.open_loop import begin_path
from branchwise.core.machine.kernel import kernel, phase
from branchwise.core.numbers.random_streams import NUM_STREAMS, ORDER_STREAM, mixed
from branchwise.core.simulation.simulate import select


@kernel
def begin_numbered(search):
    """Begin simulation search.number of an action, counted up, with random numbers of its own."""
    search.number[0] += 1
    start = mixed(np.uint64(search.number[0]))
    for stream in range(ORDER_STREAM + 1, NUM_STREAMS):
        start = mixed(start)
        search.streams[stream] = start


@phase()
def select_commonly(search):
    """Select a path, as `select` does, for the next simulation of an action."""
    begin_numbered(search)
    return select(search)


@phase()
def begin_path_commonly(search):
    """Begin a path, as `begin_path` does, for the next simulation of an action."""
    begin_numbered(search)
    begin_path(search)
