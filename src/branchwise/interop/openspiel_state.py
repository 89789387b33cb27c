"""OpenSpiel's games as states to search; they are searched as they are."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pyspiel

from branchwise.errors import GameError, nearest_name
from branchwise.rules.dice import rolled
from branchwise.rules.facts import searched_facts
from branchwise.rules.type import game_type

_PYTHON_GAMES = "python_"
"""Names of OpenSpiel's games that are written in Python begin with it."""


def first_state(game: Any, seed: int | None) -> Any:
    """Return the state that `from_openspiel` describes."""
    if isinstance(game, str):
        game = _loaded(game)
    if isinstance(game, pyspiel.Game):
        state = game.new_initial_state()
    elif isinstance(game, pyspiel.State):
        state = game.clone()
    else:
        raise GameError(
            f"{game!r} is neither a game of OpenSpiel nor a state of one",
            mend='give a name such as "breakthrough(rows=6,columns=6)", a pyspiel.Game or a pyspiel.State',
        )
    if game_type(state).information == "imperfect" and game_type(state).dynamics == "sequential":
        return _known(rolled(state, seed))
    searched_facts(state)  # raises for a kind of game that is not planned for
    return rolled(state, seed)


def _known(state: Any) -> Any:
    """Return what the player to move knows; a game that is over is returned as it is."""
    from branchwise.interop.openspiel_known import OpenSpielKnown

    return state if state.is_terminal() else OpenSpielKnown(state)


def _loaded(text: str) -> Any:
    """Return the game that OpenSpiel has under a name with parameters."""
    name = text.partition("(")[0].strip()
    if name.startswith(_PYTHON_GAMES):
        import_module("open_spiel.python.games")  # which registers them
    known = pyspiel.registered_names()
    if name not in known:
        raise nearest_name("game of OpenSpiel", name, known)
    try:
        return pyspiel.load_game(text)
    except (pyspiel.SpielError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise GameError(f"OpenSpiel does not load {text}: {reason}") from error
