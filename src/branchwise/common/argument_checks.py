"""Checks that numbers from users are within their ranges."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from typing import Any

from branchwise.common.errors import SettingsError


def whole_number(name: str, value: object, low: int, high: int, *, optional: bool = False) -> None:
    """Raise `SettingsError` unless `value` is a whole number from `low` to `high`.

    optional : whether None is allowed.
    """
    if value is None and optional:
        return
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise SettingsError(f"{name} = {value!r} is not a whole number")
    if not low <= int(value.__index__()) <= high:
        raise SettingsError(f"{name} = {value} is outside its range", mend=f"{low:,} to {high:,}")


def without_fraction(value: Any) -> Any:
    """Return a float without a fraction as a whole number, anything else as it is.

    >>> without_fraction(1e3), without_fraction(0.5), without_fraction(None)
    (1000, 0.5, None)
    """
    return int(value) if isinstance(value, float) and value.is_integer() else value


def number(name: str, value: object, low: float, high: float, *, above: bool = False) -> None:
    """Raise `SettingsError` unless `value` is a number from `low` (or above it) to `high`."""
    try:
        if isinstance(value, bool | str):
            raise TypeError
        given = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise SettingsError(f"{name} = {value!r} is not a number") from None
    if math.isnan(given) or given < low or given > high or (above and given == low):
        least = f"above {low:g}" if above else f"at least {low:g}"
        raise SettingsError(f"{name} = {value} is outside its range", mend=f"{least}, at most {high:g}")


def one_of(name: str, value: str, known: Sequence[str]) -> str:
    """Return `value`, or raise `SettingsError` unless it is one of the `known` words.

    >>> one_of("playout", "uniform", ["uniform", "decisive"])
    'uniform'
    """
    if value not in known:
        close = difflib.get_close_matches(str(value), known, n=1)
        hint = f'; did you mean "{close[0]}"?' if close else ""
        raise SettingsError(f"{name} = {value!r} is unknown{hint}", mend=f"one of {', '.join(known)}")
    return value
