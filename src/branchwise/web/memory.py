"""Memory for the trees of all searches: shared out so that it is never exceeded.

Every planner holds a grant. What planners hold that do nothing at the moment may be taken back, the oldest
first, when others need it.
"""

from __future__ import annotations

from collections.abc import Callable

BYTES_A_NODE = 48
"""What a node may cost: 32 for itself, and scratch memory to move and to measure trees with."""
_NODE_BYTES = 32
_LEAST_GROWTH = 1.34
"""A tree that grows is copied: old and new one together take no more than a grant that is so much larger."""
_LEAST_SHARE = 4
"""The least grant is this part of an equal share."""


class Grant:
    """A share of the memory; mb : of it, in units of 2**20 bytes.

    on_loss : called when it is taken back; nothing may be kept in it from then on.
    """

    def __init__(self, memory: Memory, mb: float, on_loss: Callable[[], object]) -> None:
        self._memory = memory
        self.mb = mb
        self.on_loss = on_loss
        self.is_busy = True
        self.is_abandoned = False

    @property
    def tree_mb(self) -> float:
        """What of it the nodes of a tree may take; the rest is for what works on them."""
        return self.mb * _NODE_BYTES / BYTES_A_NODE

    def rest(self) -> None:
        """Say that nothing is being searched in it: it may be taken back."""
        self.is_busy = False
        self._memory._note_rest(self)

    def work(self) -> None:
        """Say that it is being used."""
        self.is_busy, self.is_abandoned = True, False

    def abandon(self) -> None:
        """Say that perhaps nobody comes back for what is kept in it: it is the first to be taken back."""
        self.is_abandoned = True

    def grow(self) -> bool:
        """Take more of what is free, for a tree that has filled it; returns whether it got larger."""
        return self._memory._grow(self)

    def give_back(self) -> None:
        """Return it; nothing may be kept in it from then on."""
        self._memory._take_back(self)


class Memory:
    """All memory for trees.

    total_mb : of it.   searches : that may run at the same time; each can have a grant whatever others have.

    >>> memory = Memory(1024, searches=4)
    >>> grants = [memory.grant(lambda: None) for _ in range(4)]
    >>> round(grants[0].mb), sum(grant.mb for grant in grants) <= 1024
    (277, True)
    """

    def __init__(self, total_mb: float, searches: int) -> None:
        self.total_mb = total_mb
        self._searches = searches
        self._grants: list[Grant] = []  # those at rest in the order in which they went to it

    @property
    def held_mb(self) -> float:
        """What is granted."""
        return sum(grant.mb for grant in self._grants)

    def grant(self, on_loss: Callable[[], object], most_mb: float = float("inf")) -> Grant:
        """Return a grant of `most_mb` at most.

        It is generous while there is plenty, and never less than a fair part as long as no more than
        `searches` are busy; what rests is taken back for it.
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
        """Return what a grant may have now: a part of what others need not be able to have as well."""
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
        """Take back what nobody may come for again, the oldest first, until so much is free."""
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
