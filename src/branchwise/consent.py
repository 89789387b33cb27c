"""Deciding which names of games and bots run code from outside the installed packages.

A user who types such a name agrees to run it. A name from elsewhere, in a file or from another program, must
not run anything without consent.
"""

from __future__ import annotations

PROGRAM_BOTS = ("engine", "gtp", "uci")
"""Bots whose option `command` names a program."""


def runs_code(name: str) -> bool:
    """Whether a text that names a game or a bot may run a file, a module, or a program.

    Names of built-in and installed games and bots do not. Imports and reads nothing.

    >>> [runs_code(name) for name in ("nim(heaps=(3,4))", "mcts", "my_bot.py", "package.module:MyBot")]
    [False, False, True, True]
    >>> runs_code("engine(command='./mine')"), runs_code("uci(command='./mine')"), runs_code("level(level=3)")
    (True, True, False)
    """
    base, _, options = name.strip().partition("(")
    base = base.strip()
    if ":" in base or base.endswith(".py") or base in PROGRAM_BOTS:
        return True
    return base == "level" and "file" in options  # the file's levels may name anything
