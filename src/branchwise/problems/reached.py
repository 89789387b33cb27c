"""What can be reached from somewhere, step by step: parts of mazes and levels that belong together."""

from collections.abc import Callable, Iterable


def reached_from(starts: Iterable[int], beside: Callable[[int], Iterable[int]]) -> dict[int, int]:
    """Return the cells that can be reached from some cells, each with the least number of steps.

    beside(cell) : where a step from a cell leads.

    >>> reached_from([3], lambda cell: [cell - 1] if cell else [])
    {3: 0, 2: 1, 1: 2, 0: 3}
    """
    found = dict.fromkeys(starts, 0)
    waiting = list(found)
    for cell in waiting:  # which grows
        for other in beside(cell):
            if other not in found:
                found[other] = found[cell] + 1
                waiting.append(other)
    return found
