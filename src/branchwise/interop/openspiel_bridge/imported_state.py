"""OpenSpiel's games as states to search; they are searched as they are."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pyspiel

from branchwise.common.errors import GameError, nearest_name
from branchwise.rules.facts.dice import rolled
from branchwise.rules.facts.facts import facts_of
from branchwise.rules.facts.game_type import game_type

_PYTHON_GAMES = "python_"
"""Names of OpenSpiel's games that are written in Python begin with it."""
_ECHOES = (b"OpenSpiel exception: ", b"Warning! The implementation of ")
"""OpenSpiel writes lines that begin so to the process's stderr: for each exception that it raises, and for
games whose documentation speaks of faults.
"""
_STDERR = 2
_REDIRECTING = threading.Lock()


def first_state(game: Any, seed: int | None, player: int | None) -> Any:
    """Return the state that `from_openspiel` describes."""
    if isinstance(game, str):
        game = _loaded(game)
    if isinstance(game, pyspiel.Game):
        with _refused(f"OpenSpiel has no first state of {game}"):
            state = game.new_initial_state()
    elif isinstance(game, pyspiel.State):
        state = game.clone()
    else:
        raise GameError(
            f"{game!r} is neither a game of OpenSpiel nor a state of one",
            mend='give a name such as "breakthrough(rows=6,columns=6)", a pyspiel.Game or a pyspiel.State',
        )
    facts_of(state, joint=True)  # raises for a kind of game that is not planned for
    name = state.get_game().get_type().short_name
    with _refused(f"the start of {name} cannot be played"):
        state = rolled(state, seed)
    if state.is_terminal():
        return state
    with _refused(f"{name} has no actions with numbers, which searches need"):
        state.legal_actions(max(state.current_player(), 0))
    if game_type(state).information == "perfect":
        return state
    from branchwise.interop.openspiel_bridge.known_states import known_to

    return known_to(state, player)


def _loaded(text: str) -> Any:
    """Return the game that OpenSpiel has under a name with parameters."""
    name = text.partition("(")[0].strip()
    if name.startswith(_PYTHON_GAMES):
        import_module("open_spiel.python.games")  # which registers them
    known = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if name not in known:
        raise nearest_name("game of OpenSpiel", name, known)
    options = ", ".join(known[name].parameter_specification)
    with _refused(f"OpenSpiel does not load {text}", f"parameters of {name}: {options or 'none'}"):
        return pyspiel.load_game(text)


@contextmanager
def _refused(problem: str, mend: str | None = None) -> Iterator[None]:
    """Turn an exception of OpenSpiel's into a `GameError`, without what it writes to stderr."""
    with _without_echoes():
        try:
            yield
        except GameError:
            raise
        except Exception as error:  # C++ exceptions of all kinds come through
            reason = str(error).strip().partition("\n")[0]
            raise GameError(f"{problem}: {reason}", mend=mend) from error


@contextmanager
def _without_echoes() -> Iterator[None]:
    """Hold back what is written to the process's stderr, and write it later but for OpenSpiel's lines."""
    with _REDIRECTING, tempfile.TemporaryFile() as held:
        sys.stderr.flush()
        stderr = os.dup(_STDERR)
        os.dup2(held.fileno(), _STDERR)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(stderr, _STDERR)
            os.close(stderr)
            held.seek(0)
            for line in held:
                if not line.startswith(_ECHOES):
                    os.write(_STDERR, line)
