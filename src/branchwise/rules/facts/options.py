"""The options of a game: constants of its class that users can set."""

from __future__ import annotations

import dis
from types import FunctionType
from typing import Any

from branchwise.game.kinds.game_kinds import STANDARD_CONSTANTS
from branchwise.game.random_starter import OPTION
from branchwise.game.rules_class import Game


def game_options(game: type[Game]) -> dict[str, Any]:
    """Return the options of a game with their defaults: its constants that are not derived from others.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> game_options(ConnectFour)
    {'rows': 6, 'columns': 7, 'in_a_row': 4}
    """
    derived = {name for owner in game.__mro__ for name in _set_by_configure(owner)}
    return {
        name: value
        for name, value in game.constants().items()
        if name not in derived
        and name not in STANDARD_CONSTANTS
        and name != OPTION
        and isinstance(value, bool | int | float | str | tuple)
    }


def _set_by_configure(owner: type) -> set[str]:
    """Return the names of the constants that the `configure` of a class assigns."""
    written = owner.__dict__.get("configure")
    function = getattr(written, "__func__", written)
    if not isinstance(function, FunctionType):
        return set()
    return {str(step.argval) for step in dis.get_instructions(function) if step.opname == "STORE_ATTR"}
