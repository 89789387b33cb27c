"""Memory for the trees of all searches, divided so that the total is never exceeded.

Every planner holds a grant. Grants of idle planners may be taken back, the oldest first, when others need
them.
"""

from __future__ import annotations

from collections.abc import Callable

BYTES_A_NODE = 48
"""Bytes per node: 32 for the node, and scratch memory for moving and measuring trees."""
_NODE_BYTES = 32
_LEAST_GROWTH = 1.34
"""A growing tree is copied; a grant larger by this factor has room for the old and the new tree."""
_LEAST_SHARE = 4
"""The smallest grant is this part of an equal share."""


class Grant:
    """A share of the memory; mb : its size, in units of 2**20 bytes.

    on_loss : called when the grant is taken back; after that it must not be used.
    """

    def __init__(self, memory: Memory, mb: float, on_loss: Callable[[], object]) -> None:
        self._memory = memory
        self.mb = mb
        self.on_loss = on_loss
        self.is_busy = True
        self.is_abandoned = False

    @property
    def tree_mb(self) -> float:
        """The part for the nodes of a tree; the rest is scratch memory."""
        return self.mb * _NODE_BYTES / BYTES_A_NODE

    def rest(self) -> None:
        """Mark it as idle: it may be taken back."""
        self.is_busy = False
        self._memory._note_rest(self)

    def work(self) -> None:
        """Mark it as in use."""
        self.is_busy, self.is_abandoned = True, False

    def abandon(self) -> None:
        """Mark it as abandoned: its owner may not return, so it is the first to be taken back."""
        self.is_abandoned = True

    def grow(self) -> bool:
        """Take more free memory for a tree that has filled it; return whether it grew."""
        return self._memory._grow(self)

    def give_back(self) -> None:
        """Give it back; after that it must not be used."""
        self._memory._take_back(self)


class Memory:
    """All memory for trees.

    total_mb : its size.   searches : maximum number at the same time; each can always have a grant.

    >>> memory = Memory(1024, searches=4)
    >>> grants = [memory.grant(lambda: None) for _ in range(4)]
    >>> round(grants[0].mb), sum(grant.mb for grant in grants) <= 1024
    (277, True)
    """

    def __init__(self, total_mb: float, searches: int) -> None:
        self.total_mb = total_mb
        self._searches = searches
        self._grants: list[Grant] = []  # idle ones in the order in which they became idle

    @property
    def held_mb(self) -> float:
        """The memory granted."""
        return sum(grant.mb for grant in self._grants)

    def grant(self, on_loss: Callable[[], object], most_mb: float = float("inf")) -> Grant:
        """Return a grant of `most_mb` at most.

        It is large while much memory is free, and never less than a fair share while at most `searches`
        grants are in use, for which idle grants are taken back.
        """
        self._take_back_abandoned(most_mb)
        wanted = min(most_mb, self._fair_mb)
        share = self._share()
        while share < wanted:
            idle = next((grant for grant in self._grants if not grant.is_busy), None)
            if idle is None:
                break
            self._grants.remove(idle)
            idle.on_loss()
            share = self._share()
        granted = Grant(self, max(min(share, most_mb), 0.0), on_loss)
        self._grants.append(granted)
        return granted

    @property
    def _fair_mb(self) -> float:
        return self.total_mb / self._searches

    def _share(self) -> float:
        """Return the size of a grant now: a part of the memory not reserved for others."""
        least = self._fair_mb / _LEAST_SHARE
        busy = sum(grant.is_busy for grant in self._grants)
        reserved = max(self._searches - busy - 1, 0) * least
        free = self.total_mb - self.held_mb
        return min(free, max(least, (free - reserved) / 3))

    def _grow(self, grant: Grant) -> bool:
        others = max(self._searches - sum(other.is_busy for other in self._grants), 0)
        reserved = others * self._fair_mb / _LEAST_SHARE
        self._take_back_abandoned(2 * grant.mb + reserved)
        larger = min(2 * grant.mb, grant.mb + self.total_mb - self.held_mb - reserved)
        if grant not in self._grants or larger < _LEAST_GROWTH * grant.mb:
            return False
        grant.mb = larger
        return True

    def _take_back_abandoned(self, wanted_mb: float) -> None:
        """Take back abandoned grants, the oldest first, until `wanted_mb` are free."""
        for grant in [grant for grant in self._grants if grant.is_abandoned and not grant.is_busy]:
            if self.total_mb - self.held_mb >= wanted_mb:
                return
            self._grants.remove(grant)
            grant.on_loss()

    def _note_rest(self, grant: Grant) -> None:
        if grant in self._grants:
            self._grants.remove(grant)
            self._grants.append(grant)

    def _take_back(self, grant: Grant) -> None:
        if grant in self._grants:
            self._grants.remove(grant)
