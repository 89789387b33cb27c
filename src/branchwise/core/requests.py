"""What threads inside kernels and rules can be asked for: to come to an end, sooner or later.

One word in memory says whether any thread of this process is asked for anything; it is 0 nearly always.
Where it is not, a thread looks for its own slot in a short table. `compile.watch` writes the table, compiled
code reads it by `core.halting`.
"""

from __future__ import annotations

import numpy as np

END_BATCH = 1
"""Request: run no further simulation of this batch."""
END_GAME = 2
"""Request: leave the simulation at the next move."""
LEAVE_RULE = 4
"""Request: leave the rule at the next round of a loop, by an exception."""
SHOW_LIFE = 8
"""Request: nothing but to be seen; see SEEN."""

SLOTS = 64
POSTED, STACK_KEY, FIRST_SLOT = 0, 1, 8
"""Places in `TABLE`: all that is asked of anyone; the key of each thread's stack limit; the slots."""
THREAD, REQUESTS, SEEN = range(3)
"""Places in a slot: the thread, what is asked of it, and how often it has looked between two moves."""
SLOT_SIZE = 4

TABLE = np.zeros(FIRST_SLOT + SLOTS * SLOT_SIZE, np.int64)
