"""Calling kernels from Python: code is loaded or compiled when it is first needed.

What Numba says of rules that it cannot compile is turned into one sentence about the user's own line.
"""

from __future__ import annotations

import linecache
import logging
import re
import traceback
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from numba.core.errors import NumbaError, UnsupportedBytecodeError

from branchwise.compile.cache import KernelCache
from branchwise.compile.native import SearchType, StateType
from branchwise.core.kernel import ENTRY_KERNELS, Kernel
from branchwise.errors import GameError, SettingsError
from branchwise.game import Game, rule_functions

_log = logging.getLogger("branchwise")
_announced: set[str] = set()

_OWN_FOLDER = str(Path(__file__).parent.parent)
_OWN_GAMES = str(Path(__file__).parent.parent / "games")

_UNREADABLE = "which compiled rules cannot read; use numbers, tuples or NumPy arrays"

# What Numba writes, and what it means for someone who writes rules. First match counts.
_MEANINGS = [
    (
        r"Unknown attribute '(\w+)' of type State\(",
        "self.{0} is not a field, a constant or a method of the game",
    ),
    (r"(\w+) is not a field, so rules cannot set it", "self.{0} is set, but it is not a field"),
    (
        r"((?:returns|evaluate) gives .*; give (?:one number a player|a tuple or an array of numbers))",
        "{0}",
    ),
    (r"(legal_actions yields a .*, not a whole number)", "{0}"),
    (r"(an array field cannot be set as a whole; write self\.name\[:\] = \.\.\.)", "{0}"),
    (r"(the constant \w+ is a .*)", "{0}"),
    (r"NameError: (name '\w+' is not defined)", "{0}"),
    (
        r"compiler re-entrant to the same function signature",
        "it calls itself, which no method may; write a loop, or a function of the module that calls itself",
    ),
    (
        r"cannot type infer runaway recursion",
        "it calls itself on every way; let it return a number on one way without doing so",
    ),
    (
        r"Unsupported use of cell variable",
        "a function within a rule calls itself; write a loop, or a function of the module",
    ),
    (
        r"The use of a (?:reflected )?(\w+).* type, assigned to variable '(\w+)' in globals",
        f"{{1}} is a {{0}}, {_UNREADABLE}",
    ),
    (
        r"OverloadSelector object at .*\((?:List|Set)\(.*\n.* = (?:freevar\((\w+):|getattr\(.*attr=(\w+)\))",
        f"{{0}}{{1}} is a list or a set, {_UNREADABLE}",
    ),
    (r"Untyped global name '(\w+)': Cannot type empty (list|set)", f"{{0}} is a {{1}}, {_UNREADABLE}"),
    (
        r"Untyped global name '(\w+)': Cannot determine Numba type of <class '(list|dict|set)'>",
        f"{{0}} is a {{1}}, {_UNREADABLE}",
    ),
    (
        r"Untyped global name '(\w+)'",
        "{0} is a kind of object that compiled code cannot use",
    ),
    (
        r"Unknown attribute '(\w+)' of type Module\(",
        "{0} is not in the module, or a kind of object that compiled code cannot use",
    ),
    (r"Use of unsupported NumPy function '(.*?)'", "compiled code cannot use {0}"),
    (r"Unknown attribute '(\w+)' of type (.*)", "a value of type {1} has no attribute {0}"),
    (r"Cannot unify (.*?) and (.*?) for '(\w+)", "{2} is {0} on one way and {1} on another"),
    (r"Can't unify return type from the following types: (.*)", "it returns different types: {0}"),
    (r"Invalid use of .*? with parameters \((.*?)\)", "the operation does not take ({0})"),
    (r"No implementation of function .*?(\w+)[)>]* found for signature", "{0} does not take these values"),
    (r"variable '(\w+)' (?:referenced before definition|is not in scope)", "{0} has no value yet"),
    (r"(?:UnsupportedBytecodeError|Use of unsupported opcode|unsupported)", "compiled rules cannot do this"),
]


def call(kernel: Kernel, *args: Any) -> Any:
    """Call an entry kernel; `args` may hold `NativeRecords`.

    Raises `GameError` if the rules of the state's game cannot be compiled, `SettingsError` if the search's
    selection rule cannot, with Numba's own text as the cause.
    """
    try:
        return kernel(*args)
    except (NumbaError, UnsupportedBytecodeError, NotImplementedError) as error:
        if isinstance(error, NotImplementedError) and not _is_numbas(error):
            raise  # the rules themselves raised it
        objects = [a._numba_type_ for a in args if hasattr(a, "_numba_type_")]
        searches = [found for found in objects if isinstance(found, SearchType)]
        states = [found for found in objects if isinstance(found, StateType)]
        failed = _failed_rule(searches, error)
        if failed is not None:
            raise failed from error
        if not states:
            raise
        raise compile_error(states[0].rules.game, error) from error


def _is_numbas(error: Exception) -> bool:
    """Whether Numba raised the error while compiling."""
    *_, (frame, _line) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__", "")).startswith("numba.")


def compile_error(game: type[Game], error: Exception) -> GameError:
    """Return what is wrong with the rules, said of the user's line where it can be told."""
    meaning, users, where = _explained(error)
    return GameError(
        f"{_rule_at(game, users)} cannot be compiled{where}: {meaning}",
        mend="write it with numbers, tuples, NumPy arrays, loops and the class's own methods; "
        "MCTS(compiled=False) searches the rules as they are, slowly",
    )


def _failed_rule(searches: list[SearchType], error: Exception) -> SettingsError | None:
    """Return the error for a user's selection rule, if it is what cannot be compiled."""
    for search in searches:
        score = getattr(search.table, "score", None)
        if score is None:
            continue
        meaning, users, where = _explained(error)
        code = score.__code__
        lines = range(code.co_firstlineno, max((n for *_, n in code.co_lines() if n), default=0) + 1)
        if users and users[-1][1] in lines and Path(users[-1][0]).name == Path(code.co_filename).name:
            return SettingsError(
                f"the selection rule {score.__name__} cannot be compiled{where}: {meaning}",
                mend="write it with numbers and the functions of math",
            )
    return None


def _explained(error: Exception) -> tuple[str, list[tuple[str, int]], str]:
    """Return what Numba's error means, the user's lines that it names, and the first of these as text.

    The first is the innermost; what called it comes after.
    """
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    meaning = "Numba cannot compile it"
    for pattern, sentence in _MEANINGS:
        found = re.search(pattern, text)
        if found:
            meaning = sentence.format(*(group or "" for group in found.groups()))
            break
    named = re.finditer(r'(?: at|Raised from) (\S+) \((\d+)\)|File "([^"\n]+)", line (\d+)', text)
    places = [(found[1] or found[3], int(found[2] or found[4])) for found in named]
    users = [(file, line) for file, line in places if _is_users_file(file)]
    where = ""
    if users:
        file, line = users[0]
        source = linecache.getline(file, line).strip()
        where = f" ({Path(file).name}, line {line}" + (f": {source})" if source else ")")
    return meaning, users, where


def _is_users_file(file: str) -> bool:
    path = str(Path(file).resolve()) if not file.startswith("<") else file
    if "numba" in Path(path).parts or "site-packages/numba" in path:
        return False
    return not path.startswith(_OWN_FOLDER) or path.startswith(_OWN_GAMES)


def _rule_at(game: type[Game], places: list[tuple[str, int]]) -> str:
    """Return the name of the first method that holds one of `places`, or of the game."""
    for file, line in places:
        for name, code in _codes(game):
            lines = [number for *_, number in code.co_lines() if number]
            same_file = Path(code.co_filename).name == Path(file).name
            if same_file and min(lines) <= line <= max(lines):
                return f"{game.__name__}.{name}"
    return game.__name__


def _codes(game: type[Game]) -> list[tuple[str, CodeType]]:
    """Return the code of every method, the rewritten `legal_actions` being on the lines of its source."""
    functions = rule_functions(game).items()
    plain = [(name, getattr(f, "fget", None) or getattr(f, "__func__", f)) for name, f in functions]
    return [(name, f.__code__) for name, f in plain if isinstance(f, FunctionType)]


def _announce(state: StateType | None) -> None:
    what = "the search" if state is None else state.rules.name
    if what not in _announced:
        _announced.add(what)
        _log.warning("compiling %s, once", what)


def keep_on_disk() -> None:
    """Give every entry kernel that has been defined so far its cache on disk."""
    for kernel in ENTRY_KERNELS:
        if not isinstance(kernel._cache, KernelCache):
            kernel._cache = KernelCache(kernel, _announce)
