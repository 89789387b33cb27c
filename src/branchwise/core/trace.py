"""The work of each phase of a simulation, for tracing."""

from __future__ import annotations

import numpy as np

from branchwise.core.backup import outcome_at
from branchwise.core.kernel import entry_kernel
from branchwise.core.select import Notes, compare


@entry_kernel
def survey_children(search, level, seen, scores, fates, stretching):
    """Write how selection scores the children of search.levels[level]; see `core.select.Notes`."""
    compare(search, np.int64(search.levels[level].node), level, Notes(seen, scores, fates, stretching))


@entry_kernel
def credited_gains(search, depth, gains):
    """Write the gains that `back_up` credited to the path, level by level, into `gains`, float64 [depth + 1].

    search.returns : as before `back_up`; modified in place.
    """
    for level in range(depth, 0, -1):
        mover = search.levels[level].mover
        gains[level] = outcome_at(search, np.int64(search.levels[level].node), mover)
