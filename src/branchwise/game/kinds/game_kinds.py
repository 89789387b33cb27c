"""Deriving the kind of a game from the methods and declarations of its class."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Literal, cast, get_args

from branchwise.common.errors import GameError

REQUIRED_RULES = ("current_player", "legal_actions", "apply_action", "is_terminal")
"""Methods of every game; a game with continuous actions has no `legal_actions`."""


OPTIONAL_RULES = (
    "apply_actions",
    "returns",
    "chance_outcomes",
    "sample_outcome",
    "playout_action",
    "is_legal",
    "evaluate",
    "net_inputs",
    "board_cells",
    "prior",
    "action_code",
    "action_low",
    "action_high",
    "sample_action",
    "observation",
    "action_seen",
    "determinize",
    "consistent",
    "observe",
    "observation_density",
    "jitter",
    "symmetry",
    "symmetry_action",
)


STANDARD_CONSTANTS = (
    "num_players",
    "num_actions",
    "action_low",
    "action_high",
    "action_integer",
    "num_outcomes",
    "min_return",
    "max_return",
    "max_game_length",
    "discount",
    "horizon",
    "symbols",
)

PLAYOUT_CONSTANTS = ("playout", "playout_cutoff", "symmetries")
"""Constants of a class that searches read, and rules do not: they are no options of the game."""


NET_CONSTANTS = ("net_patterns", "num_net_inputs", "sides_alike")
"""Constants of a class that say what a network sees, which are no options of the game either."""


OBSERVING_RULES = {"observe": 2, "observation_density": 2, "jitter": 1}
"""Methods of partially observed problems, with their number of arguments besides self."""


Utility = Literal["zero_sum", "constant_sum", "general_sum", "identical"]
"""Values of the constant `utility`, which declares how the players' returns relate."""


def written_rule(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the rule as its class wrote it; `method` may be its wrapper in a `Game`.

    >>> from branchwise.games.nim import Nim
    >>> type(Nim().legal_actions()), type(written_rule(Nim.legal_actions)(Nim()))
    (<class 'list'>, <class 'generator'>)
    """
    written: Callable[..., Any] = getattr(method, "_written", method)
    return written


def said_utility(game: Any) -> Utility | None:
    """Return the `utility` that a class, or a state that is no `Game`, declares, or None.

    A field, a method or a number of that name is unrelated. Raises `GameError` for an unknown word.
    """
    said = getattr(game, "utility", None)
    if not isinstance(said, str):
        return None
    known = get_args(Utility)
    if said not in known:
        name = game.__name__ if isinstance(game, type) else type(game).__name__
        raise GameError(
            f'{name}.utility is "{said}"',
            mend=f"say one of {', '.join(known)}; leave it out if none of them is sure",
        )
    return cast(Utility, said)


def has_chance(cls: type[Any]) -> bool:
    """Whether a class has `chance_outcomes(self)`."""
    return num_arguments(cls, "chance_outcomes") == 0


def moves_at_once(cls: type[Any]) -> bool:
    """Whether a class has `apply_actions(self, actions)`, for nodes at which all players move at once."""
    return num_arguments(cls, "apply_actions") == 1


def pays_rewards(cls: type[Any]) -> bool:
    """Whether a class pays rewards on the way: it has no `returns`, and an `apply_action` that returns.

    The same goes for `apply_actions`.
    """
    if callable(getattr(cls, "returns", None)):
        return False
    names = ("apply_action", "apply_actions") if moves_at_once(cls) else ("apply_action",)
    written = (written_rule(inspect.getattr_static(cls, name, None)) for name in names)
    return any(isinstance(rule, FunctionType) and _gives_something(rule.__code__) for rule in written)


@lru_cache(maxsize=4096)
def _gives_something(code: CodeType) -> bool:
    """Whether a function may return anything but None."""
    before: dis.Instruction | None = None
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RETURN_CONST" and instruction.argval is not None:
            return True
        if instruction.opname == "RETURN_VALUE":
            constant = before is not None and before.opname in ("LOAD_CONST", "RETURN_CONST")
            known = constant and not instruction.is_jump_target
            if not known or (before is not None and before.argval is not None):
                return True
        before = instruction
    return False


def samples_outcomes(cls: type[Any]) -> bool:
    """Whether a class has `sample_outcome(self, random)` and no `chance_outcomes`."""
    return not has_chance(cls) and num_arguments(cls, "sample_outcome") == 1


def is_simulator(cls: type[Any]) -> bool:
    """Whether the class draws transitions at random, in `apply_action(self, action, random)`.

    With a default value, the last argument is something else.
    """
    written = written_rule(_written(cls, "apply_action"))
    return num_arguments(cls, "apply_action") == 2 and not written.__defaults__


def starts_at_random(cls: type[Any]) -> bool:
    """Whether the class draws its start, in `setup(self, random)`."""
    return num_arguments(cls, "setup") == 1


def is_partially_observed(cls: type[Any]) -> bool:
    """Whether a class is a POMDP: its planner sees what `observe(self, action, random)` gives, no state."""
    return num_arguments(cls, "observe") == OBSERVING_RULES["observe"]


def num_arguments(cls: type[Any], name: str) -> int:
    """Return the number of a method's arguments besides self; -1 without such a method."""
    written = written_rule(_written(cls, name))
    return written.__code__.co_argcount - 1 if isinstance(written, FunctionType) else -1


def _written(cls: type[Any], name: str) -> Any:
    """Return what a class or a base of it has under a name, before Python binds it; None without any."""
    return next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)
