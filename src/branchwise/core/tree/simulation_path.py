"""The data of one simulation, apart from the memory of the thread that runs it.

A search points to one visit at a time; several can be in progress, each with its own path and outcome.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LEVEL = np.dtype(
    [
        ("node", np.int32),  # the node of the state reached
        ("edge", np.int32),  # the child that was chosen; the node itself, unless a graph links it elsewhere
        ("action", np.int32),  # the action that led here
        ("mover", np.int32),  # the player who chose it
    ],
    align=True,
)
"""One node of the path. At the root, level 0, only the node is set."""


class Visit(NamedTuple):
    """One simulation; P players, D the greatest depth. Arrays marked "or 0" are empty unless needed."""

    levels: NDArray[Any]  # [D + 2] of LEVEL, from the root to the leaf
    depth: NDArray[np.int64]  # [1] the leaf's level
    returns: NDArray[np.float64]  # [P] the outcome, one a player
    rewards: NDArray[np.float64]  # [(D + 2) P or 0] of the move that led to each level, one a player
    left: NDArray[np.int64]  # [1] decisions of a playout before the horizon; negative: no limit
    losses: NDArray[
        np.float64
    ]  # [D + 2 or 0] virtual losses counted on the path, see `core.simulation.repeat_choice`
    moves: NDArray[np.int32]  # [2 D or 0] actions, those of the playout included
    movers: NDArray[np.int8]  # [2 D or 0] players of these actions
    num_moves: NDArray[np.int64]  # [1] number of these actions
    transition: NDArray[np.uint64]  # [2 or 0] see `core.descents.drawn_outcomes`
    watched: NDArray[np.uint64]  # [3 or 0] what the observer knows and sees, see `core.descents.one_observer`
