"""The points of handicap stones, as GTP fixes them."""

from __future__ import annotations

from branchwise.common.errors import SettingsError
from branchwise.engines.gtp.board import LETTERS

_SMALLEST = 7
_FOURTH_LINE = 12
"""The smallest board on which handicap stones are on the fourth line and not on the third."""

FEWEST_STONES = 2
_CORNERS = ((1, 1), (-1, -1), (-1, 1), (1, -1))
_SIDES = ((-1, 0), (1, 0), (0, 1), (0, -1))


def most_stones(size: int) -> int:
    """Return how many handicap stones have fixed points on a board; 0 if none has.

    >>> [most_stones(size) for size in (6, 7, 8, 9, 19)]
    [0, 4, 4, 9, 9]
    """
    if size < _SMALLEST:
        return 0
    return 9 if size % 2 and size > _SMALLEST else 4


def handicap_points(size: int, stones: int) -> list[str]:
    """Return the points of a number of handicap stones, from the top left.

    Raises `SettingsError` where there are none.

    >>> handicap_points(9, 3), handicap_points(19, 5)
    (['C7', 'G7', 'C3'], ['D16', 'Q16', 'K10', 'D4', 'Q4'])
    """
    most = most_stones(size)
    if not FEWEST_STONES <= stones <= most:
        raise SettingsError(
            "invalid number of stones",
            mend=f"{FEWEST_STONES} to {most} on this board" if most else "this board has no points for them",
        )
    ways = [*_CORNERS[: min(stones, 4)]]
    if stones >= 6:
        ways += _SIDES[: 4 if stones >= 8 else 2]
    if stones in (5, 7, 9):
        ways.append((0, 0))
    middle = (size + 1) // 2
    reach = middle - (4 if size >= _FOURTH_LINE else 3)
    far = size + 1 - middle
    places = {(_place(right, middle, far, reach), _place(up, middle, far, reach)) for right, up in ways}
    return [f"{LETTERS[x - 1]}{y}" for x, y in sorted(places, key=lambda place: (-place[1], place[0]))]


def _place(way: int, middle: int, far: int, reach: int) -> int:
    """Return a column or a row, from 1; way : towards the first or the last one, or 0 for the middle."""
    return middle - reach if way < 0 else far + reach if way > 0 else middle
