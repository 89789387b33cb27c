"""Announcing a compile: what is compiled, how long it takes, and what makes it slow."""

from __future__ import annotations

import logging

from branchwise.compile.code.cache import cache_folder, writable
from branchwise.compile.code.compile_thread import current_job
from branchwise.compile.code.compile_times import expected_seconds, note_seconds
from branchwise.compile.code.progress import Compiling
from branchwise.compile.language.slow_constructs import costly_lines
from branchwise.compile.states.native_types import StateType

_log = logging.getLogger("branchwise")
_announced: set[str] = set()


def announce(kernel: str, state: StateType | None) -> None:
    """Announce that a kernel is being compiled for the game of `state`; logged once for each game."""
    what = _name(state)
    compiling = Compiling(what, expected_seconds(cache_folder(), kernel, what))
    job = current_job()
    if job is not None:
        job.begins(compiling)
    if what not in _announced:
        _announced.add(what)
        _log.warning(
            "compiling %s, once (about %.0f s)", what, max(compiling.expected, 1), extra={"compiling": True}
        )
        if state is not None:
            for costly in costly_lines(state.rules.reads.functions):
                _log.warning("%s", costly)


def note(kernel: str, state: StateType | None, seconds: float) -> None:
    """Record the seconds that a compile took, to estimate the next."""
    if writable(cache_folder()):
        note_seconds(cache_folder(), kernel, _name(state), seconds)


def _name(state: StateType | None) -> str:
    return "the search" if state is None else state.rules.name
