"""Deciding which names of games and bots run code from outside the installed packages.

A user who types such a name agrees to run it. A name from elsewhere, in a file or from another program, must
not run anything without consent.
"""

from __future__ import annotations

from branchwise.common.errors import SettingsError
from branchwise.common.name_and_options import parse_spec

PROGRAM_BOTS = ("engine", "gtp", "uci")
"""Bots whose option `command` names a program."""


CODE_OPTIONS = ("selection", "evaluator")
"""Options of bots that may name a function in a file or a module."""


def runs_code(name: str) -> bool:
    """Whether a text that names a game or a bot may run a file, a module, or a program.

    Names of built-in and installed games and bots do not. Imports and reads nothing.

    >>> [runs_code(name) for name in ("nim(heaps=(3,4))", "mcts", "my_bot.py", "package.module:MyBot")]
    [False, False, True, True]
    >>> runs_code("engine(command='./mine')"), runs_code("uci(command='./mine')"), runs_code("level(level=3)")
    (True, True, False)
    >>> runs_code("mcts(selection=my_rules.py:rule)"), runs_code("mcts(selection='rave(bias=0.1)')")
    (True, False)
    """
    try:
        base, options = parse_spec(name)
    except (SettingsError, RecursionError, MemoryError):
        return True  # nobody can say
    if is_place(base) or base in PROGRAM_BOTS:
        return True
    if any(is_place(options.get(option)) for option in CODE_OPTIONS):
        return True
    return base == "level" and "file" in options  # the file's levels may name anything


def is_place(name: object) -> bool:
    """Whether a name is the place of something in a file or a module, which must be run to find it."""
    if not isinstance(name, str):
        return False
    base = name.partition("(")[0].strip()
    return ":" in base or base.endswith(".py")
