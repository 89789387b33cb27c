"""Finding the players who can be compared, directly or through others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def components(nodes: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the groups of nodes, numbered from 0, that edges connect; the largest first.

    >>> components(5, [(0, 3), (4, 3), (1, 2)])
    [[0, 3, 4], [1, 2]]
    """
    near: dict[int, set[int]] = {node: set() for node in range(nodes)}
    for one, other in edges:
        near[one].add(other)
        near[other].add(one)
    groups = []
    left = set(range(nodes))
    while left:
        found = reachable(min(left), near)
        groups.append(sorted(found))
        left -= found
    return sorted(groups, key=lambda group: (-len(group), group))


def reachable(start: int, next_: Mapping[int, Iterable[int]]) -> set[int]:
    """Return the nodes that can be reached from `start`, including itself.

    >>> sorted(reachable(1, {0: [1], 1: [2], 2: []}))
    [1, 2]
    """
    found, ahead = {start}, [start]
    while ahead:
        for node in next_[ahead.pop()]:
            if node not in found:
                found.add(node)
                ahead.append(node)
    return found
