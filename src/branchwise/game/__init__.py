"""The interface that rules are written against: the class `Game` and what a class of rules may contain.

Imports `common` and `drawing`; rules, compilers, searches and everything above may import it.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return the class `Game`, which was here, for one release."""
    if name != "Game":
        raise AttributeError(f"module 'branchwise.game' has no attribute {name!r}")
    from branchwise.common.moved_modules import warn_of
    from branchwise.game.rules_class import Game

    warn_of("branchwise.game.Game", "branchwise.Game")
    return Game
