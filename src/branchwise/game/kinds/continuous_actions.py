"""Continuous actions outside of searches: boxes, vectors in them, and their texts.

A class with `action_low` and `action_high` has continuous actions; a vector is a read-only float64 array with
one number for each dimension of the box. Numbers that `action_integer` marks are whole: a discrete choice
beside a vector.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import ActionError, GameError
from branchwise.game.kinds.random_numbers import Random

if TYPE_CHECKING:
    from branchwise.game.kinds.random_numbers import Draws

Vector = NDArray[np.float64]

Plain = int | tuple[int | float, ...]
"""An action that can be compared, hashed and sent: a number, a vector's numbers, or one action a player."""

MAX_DIMENSIONS = 64
SIDES = ("action_low", "action_high")
WHOLE = "action_integer"
_PRECISION = 4


def has_box(game: Any) -> bool:
    """Whether a class, or a state, has continuous actions."""
    return any(getattr(game, side, None) is not None for side in SIDES)


def box_varies(game: Any) -> bool:
    """Whether the box of a class, or of a state's class, depends on the state."""
    return any(callable(getattr(game, side, None)) for side in SIDES)


def box_size(game: Any) -> int:
    """Return the length of a class's action vectors; 0 if actions are numbered."""
    if not has_box(game):
        return 0
    start = cast(Any, game).new_initial_state(Random(0)) if isinstance(game, type) else game
    return int(box_of(start)[0].size)


def box_of(state: Any) -> tuple[Vector, Vector]:
    """Return the lower and upper bounds of actions in `state`.

    Raises `GameError` unless they are equally many finite numbers, no lower bound exceeds its upper
    bound, and bounds of whole numbers are whole.
    """
    low, high = (_side(state, side) for side in SIDES)
    name = type(state).__name__
    whole = whole_of(state, low.size)
    if low.size != high.size:
        raise GameError(
            f"{name}.action_low has {_numbers(low.size)}, but action_high has {high.size}",
            mend="give both one number for each number of an action",
        )
    if (low > high).any():
        place = int(np.argmax(low > high))
        raise GameError(
            f"{name}.action_low is {low[place]:g} where action_high is {high[place]:g}",
            mend="action_low may not be above action_high",
        )
    fractions = whole & ((np.floor(low) != low) | (np.floor(high) != high))
    if fractions.any():
        place = int(np.argmax(fractions))
        raise GameError(
            f"{name}: number {place + 1} of an action is whole, but its bounds are {low[place]:g} and "
            f"{high[place]:g}",
            mend="give it whole bounds, or leave it out of action_integer",
        )
    return low, high


def whole_of(game: Any, size: int | None) -> NDArray[np.bool_]:
    """Return which of the `size` numbers of an action are whole, by the class's `action_integer`.

    size : None if it is not known yet.

    Raises `GameError` unless that is a tuple of as many truth values.
    """
    given = getattr(game, WHOLE, None)
    if given is None:
        return np.zeros(size or 0, np.bool_)
    name = game.__name__ if isinstance(game, type) else type(game).__name__
    if not isinstance(given, tuple) or not all(isinstance(part, bool) for part in given):
        raise GameError(
            f"{name}.action_integer is {given!r}, which is no tuple of True and False",
            mend="say for each number of an action whether it is whole, such as (True, False)",
        )
    if size not in (None, len(given)):
        raise GameError(
            f"{name}.action_integer has {len(given)} parts, but an action has {_numbers(size or 0)}",
            mend="give one of True and False for each number of an action",
        )
    return np.array(given, np.bool_)


def _side(state: Any, side: str) -> Vector:
    given = getattr(state, side, None)
    name = f"{type(state).__name__}.{side}"
    if given is None:
        other = SIDES[1 - SIDES.index(side)]
        raise GameError(
            f"{type(state).__name__} has {other}, but no {side}", mend=f"give the class {side} too"
        )
    if callable(given):
        given = given()
    numbers = _as_vector(given)
    if numbers is None or not np.isfinite(numbers).all():
        raise GameError(
            f"{name} is {given!r}, which is no tuple of finite numbers",
            mend=f"give one number for each number of an action, such as {side} = (-1.0, 0.0)",
        )
    if not 1 <= numbers.size <= MAX_DIMENSIONS:
        raise GameError(
            f"{name} has {_numbers(numbers.size)}", mend=f"an action is a vector of 1 to {MAX_DIMENSIONS}"
        )
    return numbers


def _as_vector(given: Any) -> Vector | None:
    """Return a read-only copy of a number or some numbers as a vector; None for anything else."""
    if given is None or isinstance(given, str | bytes):
        return None
    try:
        numbers = np.array(given, np.float64)
    except (TypeError, ValueError):
        return None
    if numbers.ndim > 1:
        return None
    return frozen(numbers.reshape(-1))


def as_vector(given: Any) -> Vector | None:
    """Return numbers, or their text, as a vector; None for anything else."""
    return _from_text(given) if isinstance(given, str) else _as_vector(given)


def frozen(numbers: Vector) -> Vector:
    """Make an array read-only and return it."""
    numbers.flags.writeable = False
    return numbers


def check_vector(state: Any, given: Any) -> Vector:
    """Return an action, given as numbers or as text, as a vector; raises `ActionError` unless it is legal."""
    low, high = box_of(state)
    numbers = as_vector(given)
    whole = whole_of(state, low.size)
    box = f"an action is {_box_text(low, high, whole)}"
    if numbers is None:
        raise ActionError(f"{given!r} is not an action", mend=box)
    if numbers.size != low.size:
        raise ActionError(f"{vector_text(numbers)} has {_numbers(numbers.size)}, not {low.size}", mend=box)
    outside = ~((low <= numbers) & (numbers <= high))
    if outside.any():
        place = int(np.argmax(outside))
        what = "is not a number" if math.isnan(numbers[place]) else f"{numbers[place]!s} is outside its box"
        number = f"number {place + 1} of the action " if low.size > 1 else "the action "
        raise ActionError(f"{number}{what}", mend=box)
    fractions = whole & (np.floor(numbers) != numbers)
    if fractions.any():
        place = int(np.argmax(fractions))
        number = f"number {place + 1} of the action" if low.size > 1 else "the action"
        raise ActionError(f"{number} is {numbers[place]!s}, which is not whole", mend=box)
    return numbers


def check_drawn(state: Any, given: Any) -> Vector:
    """Return the result of `sample_action` as a vector; raises `GameError` unless it is a legal action."""
    try:
        return check_vector(state, given)
    except ActionError as error:
        raise GameError(
            f"{type(state).__name__}.sample_action gave {given!r}: {error.problem}", mend=error.mend
        ) from None


def samples_numbers(state: Any) -> bool:
    """Whether the rules of a state, or a class, draw numbered actions themselves, by `sample_action`."""
    return callable(getattr(state, "sample_action", None)) and not has_box(state)


def sample_vector(state: Any, random: Draws) -> Vector:
    """Return an action drawn by the state's `sample_action`, or uniformly from its box."""
    rule = getattr(state, "sample_action", None)
    if rule is not None:
        return check_drawn(state, rule(random))
    low, high = box_of(state)
    whole = whole_of(state, low.size)
    shares = np.array([random.uniform() for _ in range(low.size)])
    drawn = np.where(whole, np.floor(low + (high - low + 1.0) * shares), low + (high - low) * shares)
    return frozen(np.minimum(drawn, high))


def vector_text(action: Iterable[float]) -> str:
    """Return a vector as one word, which can be read back exactly.

    >>> vector_text(np.array([0.1, -2.0]))
    '0.1,-2.0'
    """
    return ",".join(repr(float(number)) for number in action)


def short_text(action: Sequence[float] | Vector) -> str:
    """Return a vector as readable text, to four digits.

    >>> short_text([0.123456, -2.0])
    '0.1235,-2'
    """
    return ",".join(f"{number:.{_PRECISION}g}" for number in action)


def has_texts(state: Any) -> bool:
    """Whether the class of a state defines texts for continuous actions."""
    write = getattr(type(state), "action_to_string", None)
    return write is not None and not getattr(write, "is_plain", False)


def _from_text(text: str) -> Vector | None:
    try:
        return frozen(np.array([float(part) for part in text.split(",")]))
    except ValueError:
        return None


def as_action(given: Any) -> Any:
    """Return an action as a value for JSON: a number, or a list of numbers."""
    return given.tolist() if isinstance(given, np.ndarray) else given


def as_plain(action: Any) -> Any:
    """Return an action in the form used in records: a vector as a tuple, anything else unchanged.

    >>> as_plain(np.array([0.5, -1.0])), as_plain([0.5, -1.0]), as_plain(3)
    ((0.5, -1.0), (0.5, -1.0), 3)
    """
    if isinstance(action, np.ndarray):
        return tuple(action.tolist())
    return tuple(action) if isinstance(action, list) else action


def same_action(one: Any, other: Any) -> bool:
    """Whether two actions are the same number, or vectors of the same numbers."""
    return bool(as_plain(one) == as_plain(other))


_INSTEAD = "search it with MCTS, or number the actions worth trying: num_actions and legal_actions"


def refuse(game: Any, what: str, mend: str = _INSTEAD) -> None:
    """Raise `GameError` for a game with continuous actions; what : end of the sentence "actions, which"."""
    if has_box(game):
        name = getattr(game, "name", type(game).__name__)
        raise GameError(
            f"{name} has continuous actions, which {what}",
            mend=mend,
        )


def _numbers(count: int) -> str:
    return "1 number" if count == 1 else f"{count} numbers"


def _box_text(low: Vector, high: Vector, whole: NDArray[np.bool_]) -> str:
    rows = zip(low.tolist(), high.tolist(), whole.tolist(), strict=True)
    sides = ", ".join(f"{a:g} to {b:g}" + (", whole" if is_whole else "") for a, b, is_whole in rows)
    return f"{_numbers(low.size)}: {sides}"


def box_words(state: Any) -> str:
    """Describe the actions of `state` in words; returns "" if actions are numbered.

    >>> from branchwise.problems.pendulum import Pendulum
    >>> box_words(Pendulum())
    '1 number: -2 to 2'
    """
    if not has_box(state):
        return ""
    low, high = box_of(state)
    return _box_text(low, high, whole_of(state, low.size)) + (
        ", with commas between them" if low.size > 1 else ""
    )


def refused_list(state: Any) -> list[int]:
    """Replace `legal_actions` in classes with continuous actions; always raises `GameError`."""
    refuse(state, "cannot be listed")
    return cast("list[int]", [])
