"""A job shop as a newcomer writes it: 50 orders on 5 machines, from orders.csv.

No optional method. Choose the next order; its next operation is appended to its machine.
"""

import csv
from pathlib import Path

import numpy as np

import branchwise as bw

ROWS = [row for row in csv.reader((Path(__file__).parent / "orders.csv").open()) if row and row[0] != "order"]
MACHINE = np.array([[int(x) for x in row[1::2]] for row in ROWS])
TIME = np.array([[int(x) for x in row[2::2]] for row in ROWS])
ORDERS, STEPS = MACHINE.shape
MACHINES = int(MACHINE.max()) + 1


class Shop(bw.Game):
    """Finish all orders as early as possible."""

    num_players = 1
    num_actions = ORDERS
    max_game_length = ORDERS * STEPS
    min_return = -float(TIME.sum())
    max_return = 0.0

    done: bw.Array[np.int8, ORDERS] = 0
    order_free: bw.Array[np.int32, ORDERS] = 0
    machine_free: bw.Array[np.int32, MACHINES] = 0
    planned: np.int32 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        for order in range(ORDERS):
            if self.done[order] < STEPS:
                yield order

    def apply_action(self, action):
        step = self.done[action]
        machine = MACHINE[action, step]
        end = max(self.order_free[action], self.machine_free[machine]) + TIME[action, step]
        self.order_free[action] = end
        self.machine_free[machine] = end
        self.done[action] += 1
        self.planned += 1

    def is_terminal(self):
        return self.planned == ORDERS * STEPS

    def returns(self):
        return (-float(self.machine_free.max()),)
