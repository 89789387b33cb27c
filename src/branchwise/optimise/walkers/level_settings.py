"""Settings with a number for each level of a search."""

from __future__ import annotations

from collections.abc import Sequence

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError


def by_level(
    name: str, value: int | Sequence[int], first: int, level: int, most: int, least: int = 1
) -> tuple[int, ...]:
    """Return the number of each level from `first` to `level`; one number is that of all.

    Raises `SettingsError` unless there are as many as levels, and they are whole numbers from `least` to
    `most`.

    >>> by_level("beam", [4, 1], 1, 2, 100), by_level("beam", 4, 1, 3, 100)
    ((4, 1), (4, 4, 4))
    """
    levels = level - first + 1
    if not isinstance(value, Sequence) or isinstance(value, str):
        whole_number(name, value, least, most)
        return (value,) * levels
    if len(value) != levels:
        raise SettingsError(
            f"{name} = {value!r} is not one number for each of the levels {first} to {level}",
            mend=f"give {levels}, that of level {first} first, or one for all",
        )
    for each in value:
        whole_number(name, each, least, most)
    return tuple(value)
