"""Memory for the trees of all searches, divided so that the total is never exceeded.

Every planner holds a grant. One that runs can enlarge it up to an equal share of those that run. Grants of
idle planners are taken back when others need them: abandoned ones first, then those that rested first.
"""

from __future__ import annotations

from collections.abc import Callable

_TREE_PART = 32 / 36
"""Part of a grant for the tree: a node takes 32 bytes, and 4 of scratch memory when the tree is moved."""
_LEAST_GROWTH = 1.02
_LEAST_SHARE = 40
"""The smallest grant is this part of an equal share."""
_FOR_OTHERS = 1 / 12
"""Part of the memory that is left to those who come late, until each has a fair share."""


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
        return self.mb * _TREE_PART

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
    (251, True)
    """

    def __init__(self, total_mb: float, searches: int) -> None:
        self.total_mb = total_mb
        self.most_tree_mb = total_mb * _TREE_PART
        """The most memory that a tree can ever have."""

        self._fair_mb = total_mb / searches
        self._searches = searches
        self._grants: list[Grant] = []  # idle ones in the order in which they became idle

    @property
    def held_mb(self) -> float:
        """The memory granted."""
        return sum(grant.mb for grant in self._grants)

    def grant(self, on_loss: Callable[[], object], most_mb: float = float("inf")) -> Grant:
        """Return a grant of `most_mb` at most.

        It is a quarter of what others do not need. Idle grants are taken back until that is a fair share.
        """
        wanted = min(most_mb, self._fair_mb)
        while (spared := self._spared) and (
            self._share() < wanted or (spared.is_abandoned and self._free_mb < most_mb)
        ):
            self._take_away(spared)
        granted = Grant(self, max(min(self._share(), most_mb), 0.0), on_loss)
        self._grants.append(granted)
        return granted

    @property
    def _free_mb(self) -> float:
        return self.total_mb - self.held_mb

    @property
    def _running(self) -> int:
        return sum(grant.is_busy for grant in self._grants)

    @property
    def _spared(self) -> Grant | None:
        """The idle grant that can best be spared."""
        idle = [grant for grant in self._grants if not grant.is_busy]
        return max(idle, key=lambda grant: grant.is_abandoned, default=None)

    def _reserved(self, running: int) -> float:
        """Return the memory that is kept free for searches that have not begun; running : those that have."""
        return max(self._searches - running, 0) * self._fair_mb / _LEAST_SHARE

    def _share(self) -> float:
        """Return the size of a grant now: a part of the memory not reserved for others."""
        free = self._free_mb
        return min(free, max(self._fair_mb / _LEAST_SHARE, (free - self._reserved(self._running + 1)) / 4))

    def _grow(self, grant: Grant) -> bool:
        running, reserved = self._running, self._reserved(self._running)
        left = max(reserved, self.total_mb * _FOR_OTHERS) if running < self._searches else 0.0
        most = self.total_mb - sum(other.mb for other in self._grants if other.is_busy and other is not grant)
        late = min(self._fair_mb, most / 2, most - reserved)
        larger = min(2 * grant.mb, max(late, min((self.total_mb - left) / running, most - left)))
        if grant not in self._grants or larger < _LEAST_GROWTH * grant.mb:
            return False
        while (spared := self._spared) and grant.mb + self._free_mb < larger:
            self._take_away(spared)
        grant.mb = larger
        return True

    def _take_away(self, grant: Grant) -> None:
        self._grants.remove(grant)
        grant.on_loss()

    def _note_rest(self, grant: Grant) -> None:
        if grant in self._grants:
            self._grants.remove(grant)
            self._grants.append(grant)

    def _take_back(self, grant: Grant) -> None:
        if grant in self._grants:
            self._grants.remove(grant)
