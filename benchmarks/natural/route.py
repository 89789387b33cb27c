"""Vehicle routing as a newcomer writes it: 50 stops, vans of 60, from stops.csv; no optional method.

Action 0 drives back to the depot.
"""

import csv
from pathlib import Path

import numpy as np

import branchwise as bw

ROWS = [
    [int(x) for x in row]
    for row in csv.reader((Path(__file__).parent / "stops.csv").open())
    if row and row[0] != "x"
]
PLACE = np.array([row[:2] for row in ROWS])
DEMAND = np.array([row[2] for row in ROWS])
STOPS = len(ROWS)
DISTANCE = np.rint(np.sqrt(((PLACE[:, None] - PLACE[None]) ** 2).sum(-1)) * 10).astype(np.int64)
CAPACITY = 60


class Route(bw.Game):
    """Serve all stops on a short way."""

    num_players = 1
    num_actions = STOPS
    max_game_length = 2 * STOPS

    visited: bw.Array[np.int8, STOPS] = 0
    here: np.int32 = 0
    load: np.int32 = 0
    left: np.int32 = STOPS - 1

    def current_player(self):
        return 0

    def legal_actions(self):
        if self.here != 0:
            yield 0
        for stop in range(1, STOPS):
            if not self.visited[stop] and self.load + DEMAND[stop] <= CAPACITY:
                yield stop

    def apply_action(self, action):
        way = DISTANCE[self.here, action]
        self.here = action
        if action == 0:
            self.load = 0
        else:
            self.visited[action] = 1
            self.load += DEMAND[action]
            self.left -= 1
        return -float(way)

    def is_terminal(self):
        return self.left == 0 and self.here == 0
