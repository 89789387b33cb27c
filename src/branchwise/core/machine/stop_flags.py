"""Requests to threads that run kernels and rules to stop, now or soon.

One word in memory shows whether there is a request to any thread of this process; it is nearly always 0.
Otherwise a thread looks for its own slot in a short table. `compile.stopping.time_limits` writes the table;
compiled code reads it through `core.machine.stop_requests`.
"""

from __future__ import annotations

import numpy as np

END_BATCH = 1
"""Request: run no further simulation of this batch."""
END_GAME = 2
"""Request: leave the simulation at the next move."""
LEAVE_RULE = 4
"""Request: leave the rule in the next iteration of a loop, by an exception."""
SHOW_LIFE = 8
"""Request: show that the thread is alive, nothing else; see SEEN."""

SLOTS = 64
POSTED, STACK_KEY, FIRST_SLOT = 0, 1, 8
"""Indices in `TABLE`: all requests to any thread; the key of each thread's stack limit; the slots."""
THREAD, REQUESTS, SEEN = range(3)
"""Indices in a slot: the thread, its requests, and how often it has checked them between two moves."""
SLOT_SIZE = 4

TABLE = np.zeros(FIRST_SLOT + SLOTS * SLOT_SIZE, np.int64)
