"""The graph of a decision process that is given by tables, made from these at once, without its rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, TERMINAL
from branchwise.compile.queries.graph_values import new_graph
from branchwise.core.exact.reachable_states import Reached
from branchwise.problems.decision_process import NOTHING


def process_graph(process: Any) -> tuple[Reached, NDArray[Any], int]:
    """Return all states with their steps, records of `place` and `chosen`, and the number of `process`."""
    size, actions = process.states, process.actions
    first = np.asarray(process.first, np.int64)
    count, total = np.diff(first), int(first[-1])
    legal, drawn = np.flatnonzero(count > 0), np.flatnonzero(count > 1)
    node = np.zeros(len(count), np.int64)
    node[drawn] = size + np.arange(len(drawn))
    sure, entry = count[legal] == 1, first[legal]
    row_of = np.repeat(np.arange(len(count)), count)
    by_chance = np.flatnonzero(count[row_of] > 1)
    steps = np.concatenate((np.bincount(legal // actions, minlength=size), count[drawn]))
    players = np.where(steps > 0, 0, TERMINAL)
    players[size:] = CHANCE
    records = np.zeros(len(players), [("place", np.int32), ("chosen", np.int32)])
    records["place"][:size], records["chosen"][:size] = np.arange(size), NOTHING
    records["place"][size:], records["chosen"][size:] = divmod(drawn, actions)
    targets = np.where(sure, process.next_place[entry], node[legal])
    paid = np.concatenate((np.where(sure, process.reward[entry], 0.0), process.reward[by_chance]))
    graph = new_graph(
        players=players,
        final=np.zeros((len(players), 1)),
        first=np.concatenate(([0], np.cumsum(steps))),
        actions=np.concatenate((legal % actions, (np.arange(total) - first[row_of])[by_chance])),
        targets=np.concatenate((targets, process.next_place[by_chance])),
        chances=np.concatenate((np.ones(len(legal)), process.chance[by_chance])),
        rewards=paid[:, None],
    )
    row = process.place * actions + process.chosen
    return graph, records, process.place if process.chosen == NOTHING else int(node[row])
