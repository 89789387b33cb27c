"""Names with a meaning: what a class of rules may define under the names of rules, and under those of `Game`.

Any other name is the class's own. A helper that takes one of these by chance would be called in place of a
rule, or a rule in its place; so such a class is refused when it is defined.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any, NamedTuple

from branchwise.common.errors import GameError
from branchwise.game.kinds.continuous_actions import SIDES
from branchwise.game.kinds.corrections import class_line
from branchwise.game.kinds.game_kinds import STANDARD_CONSTANTS, written_rule


class Rule(NamedTuple):
    """A method by which a class says something about its game."""

    written: str
    """How it is written."""
    arguments: tuple[int, ...] = (0,)
    """The possible numbers of its arguments besides self."""


RULES = {
    "current_player": Rule("def current_player(self): return the player to move, from 0"),
    "legal_actions": Rule("def legal_actions(self): yield each legal action", (0, 1)),
    "apply_action": Rule("def apply_action(self, action): change the fields", (1, 2)),
    "apply_actions": Rule("def apply_actions(self, actions): change the fields", (1,)),
    "is_terminal": Rule("def is_terminal(self): return whether the game is over"),
    "returns": Rule("def returns(self): return one number per player"),
    "setup": Rule("def setup(self): complete the start position", (0, 1)),
    "chance_outcomes": Rule("def chance_outcomes(self): yield each outcome and its probability"),
    "sample_outcome": Rule("def sample_outcome(self, random): return an outcome", (1,)),
    "playout_action": Rule("def playout_action(self, random): return a legal action", (1,)),
    "is_legal": Rule("def is_legal(self, action): return whether legal_actions yields the action", (1,)),
    "evaluate": Rule("def evaluate(self): return one number per player"),
    "prior": Rule("def prior(self, action): return a weight from 0", (1,)),
    "action_code": Rule("def action_code(self, action): return a number from 0", (1,)),
    "heuristic": Rule("def heuristic(self): return a lower bound of what is left"),
    "improve": Rule("def improve(self, line): return a better line", (1,)),
    "action_low": Rule("def action_low(self): return the least number of each part of an action"),
    "action_high": Rule("def action_high(self): return the greatest number of each part of an action"),
    "sample_action": Rule("def sample_action(self, random): return a legal action", (1,)),
    "observation": Rule("def observation(self, player): yield each number that the player sees", (1,)),
    "action_seen": Rule(
        "def action_seen(self, action, player): return a number from 0, or -1 for nothing", (2,)
    ),
    "determinize": Rule(
        "def determinize(self, player, random): fill the fields that the player does not see", (2,)
    ),
    "consistent": Rule(
        "def consistent(self, player): return whether the player thinks this state possible", (1,)
    ),
    "observe": Rule("def observe(self, action, random): return a number or a tuple of numbers", (2,)),
    "observation_density": Rule("def observation_density(self, action, seen): return a number from 0", (2,)),
    "jitter": Rule("def jitter(self, random): change the fields a little", (1,)),
    "symmetry": Rule("def symmetry(self, k): turn or mirror the state in place", (1,)),
    "symmetry_action": Rule("def symmetry_action(self, k, action): return what becomes of the action", (2,)),
    "net_inputs": Rule("def net_inputs(self, player): yield the number of each input that is on", (1,)),
}
"""The methods of a class of rules that have a meaning, by name."""

_OTHER_NAME = "give yours another name"
_METHODS = (FunctionType, property, classmethod, staticmethod)


def check_names(cls: type[Any], root: type[Any]) -> None:
    """Raise `GameError` for an attribute of a new class that has a name with a meaning, and another kind.

    root : `Game` itself.
    """
    for name, value in _defined(cls, root):
        known = vars(root).get(name)
        if name in RULES:
            _check_rule(cls, name, value)
        elif isinstance(known, _METHODS):
            _check_method(cls, name, value, known)
        elif name in STANDARD_CONSTANTS or name in vars(root):
            _check_constant(cls, name, value)


def _defined(cls: type[Any], root: type[Any]) -> Iterator[tuple[str, Any]]:
    """Yield each attribute that the class, or a base of it that is no game, defines; no dunder names."""
    seen = set()
    for owner in cls.__mro__:
        if owner is cls or (not issubclass(root, owner) and not issubclass(owner, root)):
            for name, value in vars(owner).items():
                if name not in seen and not (name.startswith("__") and name.endswith("__")):
                    seen.add(name)
                    yield name, value


def _check_rule(cls: type[Any], name: str, value: Any) -> None:
    if value is None or (name in SIDES and not isinstance(value, _METHODS)):
        return
    mend = f"write {RULES[name].written}; or {_OTHER_NAME}"
    if not isinstance(value, FunctionType):
        raise GameError(
            f"{cls.__name__}.{name} is {_kind(value)}, not a method{class_line(cls, name)}", mend=mend
        )
    if not _fits(written_rule(value), RULES[name].arguments):
        raise GameError(
            f"{cls.__name__}.{name} has other arguments than the rule of that name{class_line(cls, name)}",
            mend=mend,
        )


def _check_constant(cls: type[Any], name: str, value: Any) -> None:
    if name.startswith("_"):
        raise _taken(cls, name)
    if isinstance(value, (*_METHODS, type)) or hasattr(type(value), "__get__"):
        raise GameError(
            f"{cls.__name__}.{name} is {_kind(value)}, but it is a constant of every game"
            f"{class_line(cls, name)}",
            mend=f"give the class its value, {name} = ..., or set cls.{name} in a class method "
            f"configure(cls); or {_OTHER_NAME}",
        )


def _check_method(cls: type[Any], name: str, value: Any, known: Any) -> None:
    if name.startswith("_") and not name.endswith("_"):
        raise _taken(cls, name)
    of_class = isinstance(known, classmethod)
    parameters = inspect.signature(known.__func__ if of_class else known).parameters.values()
    needed = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    decorated = "@classmethod " if of_class else ""
    mend = f"write {decorated}def {name}({', '.join(needed)}); or {_OTHER_NAME}"
    function = value.__func__ if isinstance(value, classmethod) and of_class else value
    if not isinstance(function, FunctionType) or of_class != isinstance(value, classmethod):
        what = "a class method" if of_class else "a method"
        raise GameError(
            f"{cls.__name__}.{name} is {_kind(value)}, but it is {what} of every game{class_line(cls, name)}",
            mend=mend,
        )
    if not _takes(function, len(needed) - 1):
        raise GameError(
            f"{cls.__name__}.{name} has other arguments than the method of that name, which every game has"
            f"{class_line(cls, name)}",
            mend=mend,
        )


def _taken(cls: type[Any], name: str) -> GameError:
    return GameError(
        f"{cls.__name__}.{name} has a name that Branchwise itself uses in every game{class_line(cls, name)}",
        mend=_OTHER_NAME,
    )


def _fits(rule: Any, arguments: tuple[int, ...]) -> bool:
    """Whether a rule takes one of these numbers of arguments besides self, and no others with defaults."""
    code = rule.__code__
    is_open = bool(code.co_flags & inspect.CO_VARARGS)
    return (is_open or code.co_argcount - 1 in arguments) and any(_takes(rule, n) for n in arguments)


def _takes(function: Any, count: int) -> bool:
    """Whether a function may be called with self and `count` further arguments."""
    try:
        inspect.signature(function).bind(*range(count + 1))
    except TypeError:
        return False
    return True


def _kind(value: object) -> str:
    named = {property: "a property", classmethod: "a class method", staticmethod: "a static method"}
    if isinstance(value, FunctionType):
        return "a method"
    return named.get(type(value), f"{value!r}"[:60])
