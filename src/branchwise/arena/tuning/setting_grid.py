"""The settings that a sweep varies: names with their values, and the bots made from them.

c=0.25:2:8          eight values from 0.25 to 2 in equal steps
n=100:10000:5:log   five values in equal ratios
n=100,1000,10000    a list of numbers or words: playout=uniform,decisive
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError, nearest_name
from branchwise.common.name_and_options import split_outside_brackets

Value = int | float | str
MOST_VALUES = 1000
FORMS = "NAME=LOW:HIGH:COUNT, NAME=LOW:HIGH:COUNT:log, or a list NAME=A,B,C"
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Axis:
    """A name in braces in a bot's text, and the values that replace it, all different.

    log : whether the values are in equal ratios and should be drawn on a logarithmic axis.
    """

    name: str
    values: tuple[Value, ...]
    log: bool = False

    @property
    def numeric(self) -> bool:
        """Whether all values are numbers."""
        return not any(isinstance(value, str) for value in self.values)


def parse_vary(text: str) -> Axis:
    """Return the axis that `text` describes; see the head of this module for its forms.

    If both ends of a range are written without a decimal point, its values are whole numbers. Other values of
    a range are rounded to six digits, and used as rounded. Raises `SettingsError` for what cannot be read.

    >>> parse_vary("c=0.25:2:8").values
    (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
    >>> parse_vary("n=100:10000:5:log").values
    (100, 316, 1000, 3162, 10000)
    >>> parse_vary("playout=uniform,decisive").values
    ('uniform', 'decisive')
    """
    name, equals, values = text.partition("=")
    if not equals:
        raise SettingsError(f'cannot read "{text}": it has no "="', mend=FORMS)
    return axis(name.strip(), values)


def axis(name: str, values: str | Iterable[Value]) -> Axis:
    """Return the axis of a name and its values, given as a text such as "0.25:2:8" or one by one."""
    if not name.isidentifier():
        raise SettingsError(f'"{name}" is not a name that can be varied', mend=FORMS)
    if not isinstance(values, str):
        return _listed(name, [_plain(name, value) for value in values])
    if _is_range(values):
        return _ranged(name, values)
    return _listed(name, [_value(name, item, values) for item in split_outside_brackets(values)])


def axes_of(vary: Mapping[str, str | Iterable[Value]] | Sequence[str | Axis]) -> tuple[Axis, ...]:
    """Return the axes in the order given; raises `SettingsError` if a name is given twice."""
    if isinstance(vary, Mapping):
        return tuple(axis(name, values) for name, values in vary.items())
    if isinstance(vary, str):
        vary = [vary]
    axes = tuple(one if isinstance(one, Axis) else parse_vary(one) for one in vary)
    names = [one.name for one in axes]
    for name in names:
        if names.count(name) > 1:
            raise SettingsError(f"{name} is varied twice")
    return axes


def grid(axes: Sequence[Axis]) -> list[tuple[Value, ...]]:
    """Return all combinations of values, the last axis varying fastest.

    >>> grid([Axis("c", (0.5, 1.0)), Axis("n", (10, 20))])
    [(0.5, 10), (0.5, 20), (1.0, 10), (1.0, 20)]
    """
    return list(product(*(one.values for one in axes)))


def check_placeholders(texts: Sequence[str], axes: Sequence[Axis]) -> None:
    """Raise unless the names in braces in `texts` are exactly the names of the axes."""
    known = [one.name for one in axes]
    used = {name for text in texts for name in _PLACEHOLDER.findall(text)}
    for name in sorted(used):
        if name not in known:
            raise nearest_name("varied name", name, known)
    for name in known:
        if name not in used:
            raise SettingsError(
                f"{name} is varied, but no bot has {{{name}}} in its text",
                mend=f'write it where its values go: "mcts({name}={{{name}}})"',
            )


def fill(text: str, axes: Sequence[Axis], values: Sequence[Value]) -> str:
    """Return `text` with values in place of the names in braces.

    >>> fill("mcts(c={c},simulations={n})", [Axis("c", (0.5,)), Axis("n", (10,))], (0.5, 10))
    'mcts(c=0.5,simulations=10)'
    """
    by_name = {one.name: value_text(value) for one, value in zip(axes, values, strict=True)}
    return _PLACEHOLDER.sub(lambda found: by_name[found[1]], text)


def value_text(value: Value) -> str:
    """Return a value as it is written in a bot's text."""
    return value if isinstance(value, str) else repr(value)


def _is_range(text: str) -> bool:
    """Whether `text` gives a range by its ends: it has colons outside brackets, and no commas."""
    return (
        len(split_outside_brackets(text)) == 1 and ":" in re.sub(r"\(.*\)", "", text) and ".py:" not in text
    )


def _ranged(name: str, text: str) -> Axis:
    parts = [part.strip() for part in text.split(":")]
    if len(parts) not in (3, 4):
        raise SettingsError(f'cannot read "{name}={text}"', mend=FORMS)
    if len(parts) == 4 and parts[3] != "log":
        raise SettingsError(f'cannot read "{name}={text}": "{parts[3]}" is not log', mend=FORMS)
    low, high = (_number(name, part, text) for part in parts[:2])
    if not parts[2].isdecimal():
        raise SettingsError(
            f'cannot read "{name}={text}": "{parts[2]}" is not a number of values', mend=FORMS
        )
    count = int(parts[2])
    whole_number(f"the count of {name}", count, 2, MOST_VALUES)
    log = len(parts) == 4
    if log and min(low, high) <= 0:
        raise SettingsError(f"{name} has equal ratios, so both ends have to be above 0")
    whole = isinstance(low, int) and isinstance(high, int)
    values = [_between(low, high, at / (count - 1), log) for at in range(count)]
    found: list[Value] = [round(value) if whole else float(f"{value:.6g}") for value in values]
    if len(set(found)) < count:
        more = f"; {name}={float(low)}:{float(high)}:{count} gives fractions" if whole and not log else ""
        raise SettingsError(f'"{name}={text}" contains a value twice', mend=f"ask for fewer{more}")
    return Axis(name, tuple(found), log)


def _between(low: float, high: float, share: float, log: bool) -> float:
    if share in (0.0, 1.0):
        return high if share else low
    return float(low * (high / low) ** share if log else low + (high - low) * share)


def _listed(name: str, values: list[Value]) -> Axis:
    if not values:
        raise SettingsError(f"{name} has no values", mend=FORMS)
    whole_number(f"the count of {name}", len(values), 1, MOST_VALUES)
    if len(set(values)) < len(values):
        raise SettingsError(f"{name} has a value twice")
    return Axis(name, tuple(values), _in_ratios(values))


def _in_ratios(values: Sequence[Value]) -> bool:
    """Whether a list of numbers grows by roughly equal factors, so that a logarithmic axis suits it."""
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) < max(len(values), 3) or min(numbers) <= 0:
        return False
    ratios = [b / a for a, b in pairwise(numbers)]
    return min(ratios) > 1.2 and max(ratios) / min(ratios) < 1.5 and numbers[-1] / numbers[0] >= 8


def _value(name: str, item: str, text: str) -> Value:
    if not item:
        raise SettingsError(f'"{name}={text}" has an empty value', mend=FORMS)
    try:
        return _number(name, item, text)
    except SettingsError:
        if item[0].isdigit() or item[0] in "+-.":
            raise
        return item


def _number(name: str, item: str, text: str) -> int | float:
    for kind in (int, float):
        try:
            value = kind(item)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
    raise SettingsError(f'cannot read "{name}={text}": "{item}" is not a number', mend=FORMS)


def _plain(name: str, value: object) -> Value:
    """Return a value given in Python as an int, a float or a str."""
    if isinstance(value, str):
        return _value(name, value, value)
    if isinstance(value, bool):
        return str(value).lower()
    if hasattr(value, "__index__"):
        return int(value.__index__())
    if not hasattr(value, "__float__") or not math.isfinite(float(value)):
        raise SettingsError(f"{name} = {value!r} is neither a number nor a word")
    return float(value)
