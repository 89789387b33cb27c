"""A look at the rules in plain Python before they run compiled for the first time.

Compiled code checks little of what it is given: a number too large for its field is cut off, and an array
index out of range is told without its line. So a few random games are played uncompiled first, where every
fault shows as a clear error. It costs a moment, once for each version of the rules.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from branchwise.compile.code.cache import cache_folder, writable
from branchwise.compile.sources.fingerprint import toolchain_fingerprint
from branchwise.compile.states.native_types import Rules
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.stopping.time_limits import Limits, RulesInPython
from branchwise.game.rules_class import Game
from branchwise.rules.checking.faults import Line
from branchwise.rules.checking.random_game import play_extreme_games, play_random_game
from branchwise.rules.checking.report import CheckReport

GAMES = 30
SECONDS = 0.45
EXTREME_SECONDS = 0.1
"""Random games, seconds for them, and those of these for games of the first and of the last legal action."""
_PATIENCE = 3.0
"""Seconds that one call of a rule may take."""

_vetted: set[str] = set()
_compared: set[str] = set()


def vet(game: type[Game]) -> None:
    """Raise `GameError` for a fault of the rules that shows within a few random games."""
    rules = compiled_type(game).rules
    if rules.fingerprint in _vetted:
        return
    if _is_kept(rules) and _mark(rules).exists():
        _vetted.add(rules.fingerprint)
        return
    _play_games(game)
    note_sound(game)


def note_sound(game: type[Game]) -> None:
    """Spare the next searches the look at rules that were just found to have no fault."""
    rules = compiled_type(game).rules
    if _is_kept(rules):
        with suppress(OSError):
            _mark(rules).touch()
    _vetted.add(rules.fingerprint)


def is_compared(rules: Rules) -> bool:
    """Whether searches have built the same tree by these compiled rules as by those in plain Python."""
    if rules.fingerprint not in _compared and _is_kept(rules):
        with suppress(OSError):
            if _mark(rules).read_text() == toolchain_fingerprint():
                _compared.add(rules.fingerprint)
    return rules.fingerprint in _compared


def note_compared(game: type[Game], *, on_disk: bool = True) -> None:
    """Spare the next searches the comparison; on_disk : those of other processes, too."""
    rules = compiled_type(game).rules
    if on_disk and _is_kept(rules):
        with suppress(OSError):
            _mark(rules).write_text(toolchain_fingerprint())
    _compared.add(rules.fingerprint)


def _is_kept(rules: Rules) -> bool:
    return rules.fit_for_cache and writable(cache_folder())


def _mark(rules: Rules) -> Path:
    """Return the file that marks sound rules; its text is the toolchain whose code was compared."""
    return cache_folder() / f"vetted-{rules.label}-{rules.fingerprint}"


def _play_games(game: type[Game]) -> None:
    started = time.perf_counter()
    report = CheckReport(game.name)
    for seed in range(GAMES):
        if seed == 1:
            with RulesInPython(Limits(patience=_PATIENCE)):
                play_extreme_games(game, None, time.perf_counter() + EXTREME_SECONDS)
        with RulesInPython(Limits(patience=_PATIENCE)):
            play_random_game(Line(game, None, seed), seed, report, end=started + SECONDS)
        if time.perf_counter() - started > SECONDS:
            break
