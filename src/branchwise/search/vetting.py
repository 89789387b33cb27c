"""A look at the rules in plain Python before they run compiled for the first time.

Compiled code checks little of what it is given: a number too large for its field is cut off, and an array
index out of range is told without its line. So a few random games are played uncompiled first, where every
fault shows as a clear error. It costs a moment, once for each version of the rules.
"""

from __future__ import annotations

import time
from contextlib import suppress

from branchwise.compile.cache import cache_folder, writable
from branchwise.compile.rules import compiled_type
from branchwise.game import Game
from branchwise.testing.faults import Line
from branchwise.testing.random_game import play_random_game
from branchwise.testing.report import CheckReport

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
    keeps = rules.fit_for_cache and writable(folder)
    if not (keeps and mark.exists()):
        _play_games(game)
        if keeps:
            with suppress(OSError):
                mark.touch()
    _vetted.add(rules.fingerprint)


def _play_games(game: type[Game]) -> None:
    started = time.perf_counter()
    report = CheckReport(game.name)
    for seed in range(GAMES):
        play_random_game(Line(game, None, seed), seed, report)
        if time.perf_counter() - started > SECONDS:
            break
