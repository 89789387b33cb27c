"""Options that an engine offers, and their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError, nearest_name
from branchwise.engines.ugi.language import given_words, number_or_none, until

STATES_OPTION = "state_json"
"""Option of engines that read `position fen` with the JSON of a state, as `Game.to_json` writes it."""

VARIANT_OPTION = "UCI_Variant"
"""Option of chess programs that play other games too: the game's name, as the program calls it."""

CHESS = "chess"

_EMPTY = "<empty>"
_MOST = 2**53
_PARTS = ("name", "type", "default", "min", "max", "var")


@dataclass(frozen=True)
class Option:
    """A setting that an engine offers.

    kind : check, spin, combo, button or string, as in UCI.   least, most : of a spin.   choices : of a combo.

    >>> Option.read("name hash size type spin default 128 min 1 max 2048".split())
    Option(name='hash size', kind='spin', default='128', least=1, most=2048, choices=())
    """

    name: str
    kind: str = "string"
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    def line(self) -> str:
        words = [f"option name {self.name} type {self.kind}"]
        words += [f"default {self.default or _EMPTY}"] if self.kind != "button" else []
        words += given_words(min=self.least, max=self.most)
        return " ".join([*words, *(f"var {choice}" for choice in self.choices)])

    @classmethod
    def read(cls, words: Sequence[str]) -> Option:
        """Read the words after `option`."""
        parts: dict[str, str] = {}
        choices: list[str] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word not in _PARTS or word in parts:
                continue
            cut = until(rest, _PARTS if word != "name" else ("type",))
            value, rest = " ".join(rest[:cut]), rest[cut:]
            if word == "var":
                choices.append(value)
            else:
                parts[word] = value
        if not parts.get("name"):
            raise SettingsError(f'"option {" ".join(words)}" has no name'[:200])
        default = parts.get("default", "")
        return cls(
            parts["name"],
            parts.get("type", "string"),
            "" if default == _EMPTY else default,
            number_or_none(parts.get("min")),
            number_or_none(parts.get("max")),
            tuple(choices),
        )

    def text_of(self, value: object) -> str:
        """Return the text of `value` for this option; raises `SettingsError` for an invalid value."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if "\n" in text or "\r" in text:
            raise SettingsError(f"the option {self.name} cannot have several lines")
        if self.kind == "check" and text not in ("true", "false"):
            raise SettingsError(f"{self.name} = {value!r} is neither True nor False")
        if self.kind == "combo" and self.choices and text not in self.choices:
            raise SettingsError(
                f"{self.name} = {value!r} is unknown to the engine", mend=f"one of {', '.join(self.choices)}"
            )
        if self.kind == "spin":
            if isinstance(value, float) or number_or_none(text) is None:
                raise SettingsError(f"{self.name} = {value!r} is not a whole number")
            low, high = self.span
            whole_number(self.name, int(text), low, high)
        return text or _EMPTY

    @property
    def span(self) -> tuple[int, int]:
        """The smallest and the largest number of a spin."""
        return -_MOST if self.least is None else self.least, _MOST if self.most is None else self.most


def read_setting(words: Sequence[str]) -> tuple[str, str]:
    """Read the words after `setoption`: `name NAME value VALUE`, or `name NAME` for a button.

    >>> read_setting("name hash size value 64".split())
    ('hash size', '64')
    """
    if not words or words[0] != "name" or len(words) < 2:
        raise SettingsError(
            f'"setoption {" ".join(words)}" has no name'[:200], mend="setoption name NAME value VALUE"
        )
    cut = until(words, ("value",))
    value = " ".join(words[cut + 1 :])
    return " ".join(words[1:cut]), "" if value == _EMPTY else value


def find_option(name: str, known: dict[str, Option]) -> Option:
    """Return the option `name`, in any case; raises `UnknownNameError` with the nearest known name."""
    for option in known.values():
        if option.name.lower() == name.lower():
            return option
    raise nearest_name("option of the engine", name, known)
