"""Plain Python states that are no `Game`, and that other processes can import."""

import ctypes
import os
import time
from pathlib import Path


class Take:
    """Take 1 to 3 of some chips in turn; whoever takes the last one wins.

    fault : what happens in other processes than this when three chips are left.
    """

    num_players = 2
    num_actions = 3
    max_game_length = 100

    def __init__(self, chips=21, mover=0, fault=""):
        self.chips, self.mover, self.fault = chips, mover, fault
        self.home = os.getpid()

    def __eq__(self, other):
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self):
        return hash((self.chips, self.mover))

    def clone(self):
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def current_player(self):
        return self.mover

    def legal_actions(self):
        if self.chips == 3 and self.fault == "wild":
            return [0, 7]
        return list(range(min(3, self.chips)))

    def apply_action(self, action):
        if self.fault and self.chips == 3 and os.getpid() != self.home:
            self.fail()
        self.chips -= action + 1
        self.mover = 1 - self.mover

    def fail(self):
        if self.fault == "divides":
            raise ZeroDivisionError("no chips to share")
        if self.fault == "own":
            raise OwnError("no chips", "three")
        if self.fault == "exits":
            os._exit(7)
        while self.fault == "hangs":
            time.sleep(0.01)
        if self.fault == "stuck":  # in C code that blocks the interpreter
            Path("stuck").touch()
            ctypes.PyDLL(None).sleep(600)

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)


class OwnError(Exception):
    """An exception that cannot be unpickled."""

    def __init__(self, problem, where):
        super().__init__(f"{problem} at {where}")


def curious(child, parent, options):
    """Score a child as UCB1 does, up to a constant."""
    return child.value + options.c * parent.log_visits * child.inverse_visits
