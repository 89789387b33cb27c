"""Translating Numba's messages on rules that it cannot compile to a sentence about the user's line.

A precise message is translated. Otherwise the line is searched for a construct of the table
(`compile.language.unsupported`), and without one a vague message is translated.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import random
import re
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from numba.core import ir

from branchwise.common.errors import GameError
from branchwise.compile.language.unsupported import (
    NAMED,
    draws,
    found_in,
    line_at,
    lines_of,
)
from branchwise.compile.sources.fingerprint import code_names
from branchwise.game.kinds.corrections import line_text, nearest_attribute
from branchwise.game.kinds.random_numbers import DRAWING
from branchwise.game.rules_class import Game, rule_functions

_OWN_FOLDER = str(Path(__file__).parents[2])
_OWN_RULES = tuple(str(Path(__file__).parents[2] / folder) for folder in ("games", "problems"))

_NUMBERS = "give one number per player: (0.0, 0.0)"

_CHANGE = (
    *("append", "add", "pop", "remove", "insert", "extend", "clear"),
    *("update", "discard", "sort", "reverse", "setdefault"),
)
"""Methods that change a list, a dict or a set."""

# Numba's message, its meaning for the author of the rules, and the advice: the name of a row of the table, or
# words. The first match wins.
_Meaning = tuple[str, str, str]
_PRECISE: list[_Meaning] = [
    (
        r"(\w+) is not a field, so rules cannot set it",
        "self.{0} is set, but it is not a field",
        "declare it in the class with a type and a first value: {0}: np.int32 = 0",
    ),
    (
        r"((?:returns|evaluate) gives .*; give (?:one number a player|a tuple or an array of numbers))",
        "{0}",
        _NUMBERS,
    ),
    (r"(legal_actions yields a .*, not a whole number)", "{0}", "yield whole numbers: use // instead of /"),
    (r"(an array field cannot be set as a whole; write self\.name\[:\] = \.\.\.)", "{0}", "array_as_a_whole"),
    (
        r"(items of \.flat cannot be taken by number)",
        "{0}",
        "index the array itself, as in board[row, column], or its ravel()",
    ),
    (r"(the constant \w+ is a tuple, which compiled rules cannot read)", "{0}", "own_object"),
    (r"(the constant \w+ is a .*, which compiled rules cannot read)", "{0}", "constant"),
    (
        rf"Unknown attribute '(?:{'|'.join(_CHANGE)})' of type frozen (\w+)"
        r"|>>> (?:set|del)item\(frozen (\w+)",
        "a {0}{1} that is a constant is changed",
        "changing",
    ),
    (r"Unknown attribute '(\w+)' of type frozen (\w+)", "a {1} that is a constant has no {0}", "frozen"),
    (
        r"get of a dict that is a constant has no default",
        "get gives None for a key that the dict does not have",
        "give it a default: WORTH.get(key, 0)",
    ),
    (r">>> \w+\(.*?frozen (\w+)\(", "compiled rules cannot do this with a {0} that is a constant", "frozen"),
    (r"frozen (\w+)\(.* has texts as keys", "a {0} with texts as keys is walked over", "constant"),
    (
        r"arguments must all have the same dtype|(?:'@'|dot\(\)) only supported on float",
        "compiled code has no product of arrays of whole numbers, or of different types",
        "product",
    ),
    (r">>> (int|float|bool)\((?:readonly )?array\(", "{0}(...) is called with an array", "number_of_array"),
    (r">>> (int|float)\((?:unicode_type|Literal\[str\])", "{0}(...) reads a text", "text"),
    (
        r"(?:Invalid use of|Invalid use of getiter with parameters \(|>>> \w+\()"
        r"\s?(?:Int)?Enum class<\w+>\((\w+)\)",
        "{0}, the class of an enumeration, is called, indexed or walked over",
        "enum",
    ),
    (r"Unknown attribute 'name' of type (?:Int)?Enum<\w+>\((\w+)\)", "the name of a {0} is a text", "enum"),
    (r"list\(undefined\)\S* as value is forbidden", "a dict has lists that begin empty", "lists_in_dict"),
    (r">>> \w+\(.*array\(\w+, 0d", "np.nditer gives arrays without a dimension", "nditer"),
    (r"Cannot unify .* and array\(.*\) for 'acc", "sum(...) adds up the rows of an array", "sum_of_rows"),
    (
        r"Unknown attribute '_replace' of type (\w+)\(",
        "a {0} has no _replace in compiled code",
        "make a new one: {0}(x, y)",
    ),
    (
        r"DictType\[undefined",
        "a dict is read before it has a key",
        "empty_dict",
    ),
    (r"Cannot modify readonly array", "an array that is not a field is changed", "changing"),
    (
        r"NameError: (name '\w+' is not defined)",
        "{0}",
        "write self.name for fields, constants and methods of the class, or define it in the module",
    ),
    (
        r"compiler re-entrant to the same function signature",
        "a method cannot call itself",
        "method_calls_itself",
    ),
    (r"cannot type infer runaway recursion", "the recursion has no base case", "endless_recursion"),
    (
        r"The use of a (?:reflected )?(\w+).* type, assigned to variable '(\w+)' in globals",
        "{1} is a {0}, which compiled rules cannot read",
        "constant",
    ),
    (
        r"OverloadSelector object at .*\((?:List|Set)\(.*\n.* = (?:freevar\((\w+):|getattr\(.*attr=(\w+)\))",
        "{0}{1} is a list or a set, which compiled rules cannot read",
        "constant",
    ),
    (
        r"Untyped global name '(\w+)': Cannot type empty (list|set)",
        "{0} is a {1}, which compiled rules cannot read",
        "constant",
    ),
    (
        r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'tuple'>",
        "{0} is a tuple of objects that compiled code cannot use",
        "own_object",
    ),
    (
        r"Untyped global name '(\w+)': Cannot determine Numba type of <class '(list|dict|set)'>",
        "{0} is a {1}, which compiled rules cannot read",
        "constant",
    ),
    (r"Untyped global name '(\w+)'.*_lru_cache_wrapper", "{0} is a cached function", "cached"),
    (
        r"Cannot unify (\w*Tuple\(.*?) and (\w*Tuple\(.*?) for '(\w+)",
        "{2} is {0} on one path and {1} on another",
        "ragged",
    ),
    (
        r"Cannot unify (.*?) and (.*?) for '(\w+)",
        "{2} is {0} on one path and {1} on another",
        "several_kinds",
    ),
    (
        r"Can't unify return type from the following types: (.*)",
        "it returns different kinds of values: {0}",
        "several_kinds",
    ),
    (
        r"(?:variable|Variable) '(\w+)' (?:referenced before definition|is not in scope|is not defined)",
        "{0} has no value yet",
        "give it one before the first if or loop",
    ),
]
_VAGUE: list[_Meaning] = [
    (r"Unsupported use of cell variable", "a function inside a rule calls itself", "inner_calls_itself"),
    (
        r"[(,] ?(?:Optional|OptionalType)\((\w+)\)",
        "a value that may be None is used as a number",
        "several_kinds",
    ),
    (
        r"with parameters \((?:Tuple|UniTuple)\(",
        "a loop goes over tuples of different lengths or kinds",
        "ragged",
    ),
    (
        r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'type'>",
        "{0} is a class",
        "own_object",
    ),
    (
        r"Untyped global name '(\w+)'",
        "{0} is a kind of object that compiled code cannot use",
        "unknown",
    ),
    (
        r"Unknown attribute '(\w+)' of type Module\((?:<module ')?(numpy[\w.]*)",
        "compiled code does not have {1}.{0}",
        "not_in_numpy",
    ),
    (r"Unknown attribute '(\w+)' of type Module\(<module '(\w+)'", "compiled code has no {1}.{0}", "unknown"),
    (
        r"Unknown attribute '(\w+)' of type Module\(",
        "{0} is not in the module, or a kind of object that compiled code cannot use",
        "unknown",
    ),
    (r"Use of unsupported NumPy function '(.*?)'", "compiled code does not have {0}", "not_in_numpy"),
    (
        r"Unknown attribute '(\w+)' of type (?:readonly )?(?:nested)?array\(",
        "an array has no {0} in compiled code",
        "not_in_numpy",
    ),
    (r"Unknown attribute '(\w+)' of type (.*)", "{1} has no {0} in compiled code", "unknown"),
    (
        r"Cannot infer the type of variable '(\w+)'.*imprecise type: list\(undefined\)",
        "the list {0} begins empty and gets no items",
        "append numbers to it, or leave it out",
    ),
    (r"Invalid use of BoundFunction\(list\.", "a list gets items of several kinds", "several_kinds"),
    (
        r"No implementation of function Function\(<(?:built-in function|class|ufunc|function) .*>\) "
        r"found for signature:\s+>>> (\w+)\((.*)\)\n",
        "compiled code has no {0} of {1}",
        "unknown",
    ),
    (
        r"\*args in function call should be a tuple, got (.*)",
        "a call is given *values of {0}, but compiled code unpacks tuples alone",
        "give the values one by one, or all in one: max(values)",
    ),
    (r"Invalid use of getiter with parameters \((.*)\)\n", "compiled code cannot walk over {0}", "unknown"),
]


@dataclass(frozen=True)
class Explanation:
    """A fault in a user's source.

    places : file and line in the user's functions, the innermost first.   where : the first of them as text,
    with its source, or "".
    """

    meaning: str
    mend: str
    places: list[tuple[str, int]]
    where: str


def explain(error: Exception, game: type[Game] | None = None) -> Explanation:
    """Return the meaning of a Numba error for the rules of `game`, or for another user function."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    places = _places(error, text)
    classes = frozenset(owner.__name__ for owner in game.__mro__[:-2]) if game is not None else frozenset()
    found = (
        _unknown_name(text, game)
        or _unknown_class(text, game)
        or _set_property(text, game)
        or _matched(_PRECISE, text)
    )
    if found is not None and found[1] == NAMED["constant"].advice and places:
        found = _changed_constant(places[0], found)
    if found is None and places:
        found = _on_line(places[0], classes)
    if game is not None and not places and found is not None:
        places = _rule_named(game, found[0])
    if found is None and not places and game is not None:
        place, found = _anywhere(game, classes)
        places = [place] if place is not None else []
    if found is None:
        found = _matched(_VAGUE, text) or ("Numba cannot compile it", NAMED["unknown"].advice)
    return Explanation(*found, places, _where(places))


def rule_at(game: type[Game], places: Iterable[tuple[str, int]]) -> str:
    """Return the name of the first method that contains one of `places`, or the name of the game."""
    codes = _codes(game)
    for file, line in places:
        for name, code in codes:
            lines = [number for *_, number in code.co_lines() if number]
            same_file = Path(code.co_filename).name == Path(file).name
            if same_file and min(lines) <= line <= max(lines):
                return f"{game.__name__}.{name}"
    return game.__name__


def _matched(meanings: list[_Meaning], text: str) -> tuple[str, str] | None:
    for pattern, sentence, advice in meanings:
        found = re.search(pattern, text)
        if found:
            groups = [_in_words(group or "") for group in found.groups()]
            mend = NAMED[advice].advice if advice in NAMED else advice.format(*groups)
            return sentence.format(*groups), mend
    return None


_WORDS = [
    (r"Literal\[int\]\(-?\d+\)|u?int\d+|float\d+|Literal\[bool\]\(\w+\)|bool(?:ean)?", "a number"),
    (r"Literal\[str\]\(.*?\)|unicode_type", "a text"),
    (r"(?:OptionalType|Optional)\(.*\)", "a number or None"),
    (r"none", "None"),
    (r"(?:reflected )?list\(.*\)(?:<iv=.*>)?", "a list"),
    (r"DictType.*|dict\(.*\)", "a dict"),
    (r"(?:readonly )?(?:nested)?array\(.*\)", "an array"),
    (r"frozen (list|dict|set)\(.*\)", r"a \1 that is a constant"),
    (r"(?:Int)?Enum<\w+>\((\w+)\)", r"a \1"),
    (r"(?:Int)?Enum class<\w+>\((\w+)\)", r"the enumeration \1"),
    (r"Module\(<module '([\w.]+)'.*\)", r"the module \1"),
    (r"(?:type\()?\w*Dispatcher\(<function (\w+) at .*", r"the function \1"),
    (r"Function\(<[\w -]+ '?(\w+).*", r"the function \1"),
    (r"slice<.*>", "a slice"),
    (r"UniTuple\(.* x (\d+)\)", r"a tuple of \1"),
    (r"range_state_\w+", "a range"),
    (r"Tuple\(\)", "an empty tuple"),
]


def _in_words(text: str) -> str:
    """Return a comma-separated list of Numba types in plain words."""
    parts = _split(text.strip())
    worded = [_type_in_words(part) for part in parts]
    if worded == parts:
        return text
    if len(set(worded)) == 1 and len(worded) > 1:
        return re.sub(r"Literal\[\w+\]\((.*?)\)", r"\1", text)
    return ", ".join(worded)


def _type_in_words(text: str) -> str:
    for pattern, words in _WORDS:
        found = re.fullmatch(pattern, text)
        if found:
            return found.expand(words)
    if re.fullmatch(r"Tuple\(.*\)", text):
        return f"a tuple of {len(_split(text[6:-1]))}"
    return text


def _split(text: str) -> list[str]:
    """Split a text at its commas outside brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([<") - (character in ")]>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _unknown_name(text: str, game: type[Game] | None) -> tuple[str, str] | None:
    """Return the problem and the mend for a name that a state does not have."""
    found = re.search(r"Unknown attribute '(\w+)' of type (Self|Random)\(", text)
    if found is None:
        return None
    name = found[1]
    if found[2] == "Random":
        return f"random has no {name}", f"it has {DRAWING}"
    if game is None:
        return None
    if isinstance(getattr(game, name, None), type):
        return f"self.{name} is a class inside the class", NAMED["class_within"].advice
    if name in ("copy", "clone"):
        return f"self.{name}() copies the state, which rules cannot do", NAMED["copy_of_state"].advice
    value = inspect.getattr_static(game, name, None)
    if name in vars(Game) or (value is not None and not isinstance(value, FunctionType)):
        kind = "exists only in Python" if name in vars(Game) else f"is a {type(value).__name__}"
        row = NAMED["cached" if type(value).__name__ == "cached_property" else "unknown"]
        return f"self.{name} {kind}, so rules cannot use it", row.advice
    return f"self.{name} is not a field, a constant or a method of the game", nearest_attribute(game, name)


def _set_property(text: str, game: type[Game] | None) -> tuple[str, str] | None:
    """Return the problem and the mend for a property that a rule sets."""
    found = re.search(r"(\w+) is not a field, so rules cannot set it", text)
    if found is None or not isinstance(inspect.getattr_static(game, found[1], None), property):
        return None
    return (
        f"self.{found[1]} is a property, which rules cannot set",
        f"set the fields that it reads, or call a method: self.set_{found[1]}(value)",
    )


def _unknown_class(text: str, game: type[Game] | None) -> tuple[str, str] | None:
    """Return the problem and the mend for a class of rules that is read by its name."""
    found = re.search(r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'type'>", text)
    if found is None or game is None:
        return None
    value = getattr(sys.modules.get(game.__module__), found[1], None)
    if not (isinstance(value, type) and issubclass(value, Game)):
        return None
    return f"compiled rules cannot use {NAMED['own_class'].name}, {found[1]}", NAMED["own_class"].advice


def _changed_constant(place: tuple[str, int], found: tuple[str, str]) -> tuple[str, str]:
    """Return the row for a changed list if the line changes one, else `found`."""
    line = line_at("".join(linecache.getlines(place[0])), place[1])
    if line is None:
        return found
    stores = any(isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) for n in line.nodes)
    if stores or any(name in _CHANGE for name, _ in line.calls()):
        return found[0], NAMED["changing"].advice
    return found


def _on_line(place: tuple[str, int], classes: frozenset[str]) -> tuple[str, str] | None:
    line = line_at("".join(linecache.getlines(place[0])), place[1], classes)
    row = found_in(line) if line is not None else None
    return None if row is None else (f"compiled rules cannot use {row.name}", row.advice)


def drawing_line(game: type[Game], function: FunctionType) -> int | None:
    """Return the line of one of a game's functions that draws numbers of its own, or None.

    That is from Python's or NumPy's `random`, or from a generator of the module or the class.
    """
    code = function.__code__
    known = {**game.constants(), **function.__globals__}
    read = code_names(code)
    generators = {name for name in read if isinstance(_source_of_numbers(known.get(name)), _GENERATORS)}
    if not generators and {"random", "randint", "shuffle", "default_rng"}.isdisjoint(read):
        return None
    for number, line in lines_of("".join(linecache.getlines(code.co_filename)), code.co_firstlineno):
        if draws(line) or line.names(*generators):
            return number
    return None


_GENERATORS = (random.Random, np.random.Generator, np.random.RandomState)


def _source_of_numbers(value: Any) -> Any:
    """Return the generator of a function such as `random.randint`, which is a method of one."""
    return getattr(value, "__self__", value) if callable(value) else value


def drawing_error(game: type[Game], functions: Iterable[FunctionType]) -> GameError | None:
    """Return the error for the first of a game's `functions` that draws numbers of its own.

    Such a function would compile, but its seed would not reproduce a search.
    """
    for function in functions:
        line = drawing_line(game, function)
        if line is not None:
            return GameError(
                f"{game.__name__}.{function.__name__} cannot be compiled"
                f"{_where([(function.__code__.co_filename, line)])}: rules may not draw from random or a "
                "generator of their own",
                mend=NAMED["random"].advice,
            )
    return None


def _rule_named(game: type[Game], sentence: str) -> list[tuple[str, int]]:
    """Return the start of the rule whose name begins the sentence."""
    name = sentence.partition(" ")[0]
    return [(code.co_filename, code.co_firstlineno) for rule, code in _codes(game) if rule == name]


def _anywhere(
    game: type[Game], classes: frozenset[str]
) -> tuple[tuple[str, int] | None, tuple[str, str] | None]:
    """Return the first line of the rules with a construct of the table, for an error without a line."""
    for _, code in _codes(game):
        source = "".join(linecache.getlines(code.co_filename))
        for number, line in lines_of(source, code.co_firstlineno, classes):
            row = found_in(line)
            if row is not None:
                return (code.co_filename, number), (f"compiled rules cannot use {row.name}", row.advice)
    return None, None


def _places(error: Exception, text: str) -> list[tuple[str, int]]:
    """Return (file, line) for each place in a user's file that a Numba error names."""
    named = re.finditer(r'(?: at|Raised from) (\S+) \((\d+)\)|File "([^"\n]+)", line (\d+)', text)
    places = [(found[1] or found[3], int(found[2] or found[4])) for found in named]
    users = [(file, line) for file, line in places if _is_users_file(file)]
    return users or _compiled_places(error)


def _compiled_places(error: Exception) -> list[tuple[str, int]]:
    """Return the functions being compiled, the innermost first, for an error that names no place."""
    found = []
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in list(frame.f_locals.values()):
            loc = getattr(value, "loc", None) if isinstance(value, ir.Inst) else value
            if isinstance(loc, ir.Loc) and _is_users_file(str(loc.filename)) and loc.line > 0:
                found.append((str(loc.filename), int(loc.line)))
    return found[::-1]


def _where(places: list[tuple[str, int]]) -> str:
    if not places:
        return ""
    file, line = places[0]
    return f" ({line_text(file, line, Path(file).name)})"


def _is_users_file(file: str) -> bool:
    if file == "unknown location":
        return False
    path = str(Path(file).resolve()) if not file.startswith("<") else file
    if "numba" in Path(path).parts or "site-packages/numba" in path:
        return False
    return not path.startswith(_OWN_FOLDER) or path.startswith(_OWN_RULES)


def _codes(game: type[Game]) -> list[tuple[str, CodeType]]:
    """Return the code of every method; the rewritten `legal_actions` has the lines of its source."""
    functions = rule_functions(game).items()
    plain = [(name, getattr(f, "fget", None) or getattr(f, "__func__", f)) for name, f in functions]
    return [(name, f.__code__) for name, f in plain if isinstance(f, FunctionType)]
