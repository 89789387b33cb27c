"""Branchwise: Monte Carlo Tree Search. Rules in Python, search at C speed.

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from branchwise.errors import ActionError as ActionError
    from branchwise.errors import BranchwiseError as BranchwiseError
    from branchwise.errors import GameError as GameError
    from branchwise.errors import SettingsError as SettingsError
    from branchwise.errors import UnknownNameError as UnknownNameError
    from branchwise.fields import Array as Array
    from branchwise.game import CHANCE as CHANCE
    from branchwise.game import SIMULTANEOUS as SIMULTANEOUS
    from branchwise.game import TERMINAL as TERMINAL
    from branchwise.game import Game as Game

_HOMES = {
    "ActionError": "errors",
    "Array": "fields",
    "BranchwiseError": "errors",
    "CHANCE": "game",
    "Game": "game",
    "GameError": "errors",
    "SIMULTANEOUS": "game",
    "SettingsError": "errors",
    "TERMINAL": "game",
    "UnknownNameError": "errors",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'branchwise' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"branchwise.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
