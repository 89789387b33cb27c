"""A look at the rules in plain Python before they run compiled for the first time.

Compiled code does not check what it is given: an array index out of range would read or write elsewhere in
memory. So a few random games are played uncompiled first, where every fault shows as a clear error. It
costs a moment, once for each version of the rules.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress

from branchwise.compile.cache import cache_folder, writable
from branchwise.compile.rules import compiled_type
from branchwise.game import Game
from branchwise.testing.contract import look, play
from branchwise.testing.faults import Line

GAMES = 30
SECONDS = 0.5

_vetted: set[str] = set()


def vet(game: type[Game]) -> None:
    """Raise `GameError` for a fault of the rules that shows within a few random games."""
    rules = compiled_type(game).rules
    if rules.fingerprint in _vetted:
        return
    folder = cache_folder()
    mark = folder / f"vetted-{rules.label}-{rules.fingerprint}"
    if not (rules.fit_for_cache and mark.exists()):
        _play_games(game)
        if rules.fit_for_cache and writable(folder):
            with suppress(OSError):
                mark.touch()
    _vetted.add(rules.fingerprint)


def _play_games(game: type[Game]) -> None:
    started = time.perf_counter()
    source = random.Random(0)
    for _ in range(GAMES):
        line = Line(game)
        with line.calling("setup"):
            state = game()
        seen = look(line, state)
        while not seen.terminal:
            play(line, state, source.choice(seen.legal))
            seen = look(line, state)
        if time.perf_counter() - started > SECONDS:
            break
