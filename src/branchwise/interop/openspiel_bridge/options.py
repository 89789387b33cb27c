"""Options of our games as parameters of OpenSpiel's, which are numbers, truth values and texts.

OpenSpiel writes parameters in a game's name, "branchwise_nim(heaps=3;4;5,max_take=3)", and reads them back. A
tuple is a text there, each of its numbers followed by ";" or separated by it; in a table each row ends with
"/". Of a floating-point number 15 digits are kept.
"""

from __future__ import annotations

import ast
import math
from typing import Any

from branchwise.common.errors import GameError
from branchwise.game.random_starter import OPTION, draws_starter
from branchwise.game.rules_class import Game
from branchwise.rules.facts.options import game_options

_SEPARATOR = ";"
_ROW_ENDS = "/"
_SPECIAL = frozenset("(),=")
"""Characters that mean something in OpenSpiel's names of games."""
_DIGITS_KEPT = 1e-14


def to_parameters(rules: type[Game], observation: str) -> dict[str, Any]:
    """Return all options of a class by name, and `observation`, as OpenSpiel's parameters.

    Raises `GameError` for an option that cannot be one.
    """
    options = game_options(rules)
    if draws_starter(rules):
        raise GameError(
            f"{rules.name} draws who starts, and OpenSpiel's parameters have no {OPTION}",
            mend=f"give the game without {OPTION}",
        )
    for name in rules._options:
        if name not in options:
            raise GameError(
                f"{rules.name} sets {name}, which cannot be a parameter of OpenSpiel's",
                mend=f"let a class of its own set {name}",
            )
    if "observation" in options:
        raise GameError(
            f'{rules.name} has an option "observation", which every game of ours has in OpenSpiel',
            mend="rename the option",
        )
    found = {name: _written(rules, name, value) for name, value in options.items()}
    return {**found, "observation": observation}


def from_parameters(base: type[Game], parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the options that OpenSpiel's parameters stand for."""
    defaults = game_options(base)
    return {name: _read(base, name, defaults.get(name), value) for name, value in parameters.items()}


def _written(rules: type[Game], name: str, value: Any) -> Any:
    if isinstance(value, tuple):
        if all(isinstance(one, int | float) for one in value):
            return _SEPARATOR.join(map(repr, value)) + (_SEPARATOR if len(value) < 2 else "")
        if all(isinstance(row, tuple) for row in value):
            return "".join(f"{_written(rules, name, row)}{_ROW_ENDS}" for row in value)
    elif not isinstance(value, str) or not (_SPECIAL & set(value) or _looks_like_a_number(value)):
        return value
    raise GameError(
        f"{rules.name}: OpenSpiel cannot write the option {name}={value!r} in the name of a game",
        mend="its texts are without brackets, commas and equals signs, and no numbers or truth values",
    )


def _read(base: type[Game], name: str, default: Any, value: Any) -> Any:
    if isinstance(default, tuple):
        try:
            rows = [_numbers(row) for row in str(value).split(_ROW_ENDS)]
            return tuple(rows[:-1]) if len(rows) > 1 else rows[0]
        except (ValueError, SyntaxError) as error:
            raise GameError(
                f"{base.name}: {name}={value} is not a row of numbers", mend=f"write {name}=3;4;5"
            ) from error
    if isinstance(default, float) and math.isclose(value, default, rel_tol=_DIGITS_KEPT, abs_tol=0.0):
        return default
    return value


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(ast.literal_eval(one.strip()) for one in text.split(_SEPARATOR) if one.strip())


def _looks_like_a_number(text: str) -> bool:
    if text in ("true", "True", "false", "False"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True
