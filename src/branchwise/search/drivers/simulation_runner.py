"""What runs the simulations of one root: the part that one thread and several have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from branchwise.core.machine.kernel_status import Status
from branchwise.rules.checking.fault_replay import Trail
from branchwise.search.composition.search_object import Search


class Runner(ABC):
    """Runs the simulations of one root.

    first_chunk : simulations of the first call, when the speed is not yet known.
    """

    first_chunk: int

    def __init__(self, searches: Sequence[Search]) -> None:
        self.search = searches[0]
        self.searches = searches
        """One for each tree."""
        self.of_threads = searches
        """One for each thread, with that thread's memory."""

    @property
    def is_alive(self) -> bool:
        """Whether its trees can be searched further."""
        return True

    @property
    def moves(self) -> int:
        """Moves that all threads have played so far; each led to a new state."""
        return sum(search.moves for search in self.of_threads)

    @abstractmethod
    def run(self, simulations: int) -> Status:
        """Run simulations, fewer if the root is solved; returns DONE or the fault that ended them."""

    @abstractmethod
    def set_root(self, state: Any) -> None:
        """Start simulations from `state` from now on."""

    @abstractmethod
    def trail(self) -> Trail:
        """Return the trail of the simulation in which the rules raised an exception."""

    def path_to_fault(self) -> list[int]:
        """Return the actions in the tree before the fault that `run` reported."""
        return self.search.path_to_fault()

    def make_room(self, capacity: int) -> None:
        """Enlarge every tree to `capacity` nodes, if it has room for fewer."""
        for search in self.searches:
            search.make_room(capacity)

    def guide(self, line: Sequence[int]) -> None:
        """Make every simulation begin with these actions, as far as the tree reaches; by none: freely."""
        for search in self.of_threads:
            search.guide(line)
