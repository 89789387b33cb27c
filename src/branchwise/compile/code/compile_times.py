"""Recording how long compiles took, beside the code, to estimate the next."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from statistics import median

_FILE = "times.json"
_MOST_GAMES = 200
_TYPICAL = {"run_simulations": 4.0}
_TYPICAL_OF_OTHERS = 3.0
"""Estimate for the very first compile, in seconds on an ordinary machine."""


def expected_seconds(folder: Path, kernel: str, game: str) -> float:
    """Return about how long compiling a kernel for a game will take.

    That is the last time for the same game, or else the median over other games.
    """
    known = _read(folder).get(kernel, {})
    if game in known:
        return known[game]
    return median(known.values()) if known else _TYPICAL.get(kernel, _TYPICAL_OF_OTHERS)


def note_seconds(folder: Path, kernel: str, game: str, seconds: float) -> None:
    """Record how long compiling a kernel for a game took; `folder` must exist."""
    known = _read(folder)
    games = known.setdefault(kernel, {})
    games.pop(game, None)
    games[game] = round(seconds, 2)
    for oldest in list(games)[:-_MOST_GAMES]:
        del games[oldest]
    with suppress(OSError):
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=".writing-")
        with os.fdopen(descriptor, "w") as out:
            json.dump(known, out)
        os.replace(name, folder / _FILE)


def _read(folder: Path) -> dict[str, dict[str, float]]:
    """Return the seconds by kernel and game; empty for a damaged file."""
    try:
        content = json.loads((folder / _FILE).read_text())
        return {
            str(kernel): {str(game): float(seconds) for game, seconds in games.items()}
            for kernel, games in content.items()
        }
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
