"""A tidy tree: boxes of different sizes in generations, without overlap, parents centred over their children.

A neighbour needs to avoid only the outline of a subtree, its first and last edge in each generation
(Reingold, Tilford, "Tidier drawings of trees", 1981). Joining two outlines takes time linear in the depth of
the shallower one, so the whole is linear in the number of boxes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence


class _Outline:
    """Edges of a subtree by generation, the deepest first; add `low_at` and `high_at` for the true edges."""

    def __init__(self) -> None:
        self.low: list[float] = []
        self.high: list[float] = []
        self.low_at = self.high_at = 0.0

    def shift(self, way: float) -> None:
        self.low_at += way
        self.high_at += way

    def crown(self, half: float) -> None:
        """Put a generation of one box on top, at 0."""
        self.low.append(-half - self.low_at)
        self.high.append(half - self.high_at)

    def room_for(self, other: _Outline, gap: float) -> float:
        """Return how far `other` must move to clear this one."""
        shared = min(len(self.high), len(other.low))
        apart = self.high_at - other.low_at
        return gap + max(apart + self.high[-i] - other.low[-i] for i in range(1, shared + 1))

    def join(self, other: _Outline) -> None:
        """Merge `other`, which lies beyond this one."""
        shared = range(1, min(len(self.low), len(other.low)) + 1)
        if len(other.low) > len(self.low):
            for i in shared:
                other.low[-i] = self.low[-i] + self.low_at - other.low_at
            self.low, self.low_at = other.low, other.low_at
        if len(other.high) >= len(self.high):
            self.high, self.high_at = other.high, other.high_at
        else:
            for i in shared:
                self.high[-i] = other.high[-i] + other.high_at - self.high_at


def tidy(
    children: Sequence[Sequence[int]], sizes: Sequence[float], gap: float, hanging: Collection[int] = ()
) -> list[float]:
    """Return the middle of each box along the axis of siblings; the root's is 0.

    children : for each box the boxes below it, in order; box 0 is the root.
    sizes : of the boxes along that axis.   gap : distance between neighbours of one generation.
    hanging : boxes that are ignored when a parent is centred, if it has others.

    >>> tidy([[1, 2], [], []], [2.0, 2.0, 4.0], gap=1.0)
    [0.0, -2.0, 2.0]
    """
    order = [0]
    for box in order:
        order += children[box]
    way = [0.0] * len(children)
    outlines: dict[int, _Outline] = {}
    for box in reversed(order):
        whole = _Outline()
        for child in children[box]:
            outline = outlines.pop(child)
            if whole.low:
                way[child] = whole.room_for(outline, gap)
                outline.shift(way[child])
                whole.join(outline)
            else:
                whole = outline
        if children[box]:
            amid = [child for child in children[box] if child not in hanging] or children[box]
            middle = (way[amid[0]] + way[amid[-1]]) / 2
            for child in children[box]:
                way[child] -= middle
            whole.shift(-middle)
        whole.crown(sizes[box] / 2)
        outlines[box] = whole
    for box in order:
        for child in children[box]:
            way[child] += way[box]
    return way
