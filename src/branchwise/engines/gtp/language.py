"""The lines of the Go Text Protocol, version 2, read and written.

A command is one line; an answer begins with `=` or, if the command failed, with `?`, and ends with an
empty line. Both may have a number in front, by which an answer is matched to its command. Protocol:
https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from branchwise.common.errors import SettingsError

PASS = "pass"
RESIGN = "resign"
COLOURS = ("b", "w")
"""The players: black moves first."""

INTERRUPT = "# interrupt"
"""A comment by which GoGui asks for an answer at once, if the program knows `gogui-interrupt`."""

_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_ANSWER = re.compile(r"([=?])(\d*)(?:\s+(.*))?$")


class Play(NamedTuple):
    """A move: its colour, its point, and whether it was the only legal one.

    >>> Play("b", "D4").line()
    'play b D4'
    """

    colour: str
    point: str
    is_forced: bool = False

    def line(self) -> str:
        return f"play {self.colour} {self.point}"


@dataclass(frozen=True)
class Command:
    """A command: its number, or None; its name; its arguments.

    >>> Command.read("12 play black D4  # the star point")
    Command(number=12, name='play', arguments=('black', 'D4'))
    >>> Command.read("# a comment") is None
    True
    """

    number: int | None
    name: str
    arguments: tuple[str, ...]

    @classmethod
    def read(cls, line: str) -> Command | None:
        """Read a line; None if there is no command in it."""
        words = _CONTROLS.sub("", line).partition("#")[0].split()
        number = None
        if words and re.fullmatch(r"\d{1,18}", words[0]):
            number = int(words.pop(0))
        return cls(number, words[0], tuple(words[1:])) if words else None


@dataclass(frozen=True)
class Answer:
    """An answer: whether the command was carried out, its number, or None, and its text.

    >>> Answer(True, 12, "D4").line()
    '=12 D4\\n\\n'
    >>> Answer.begun_by("? unknown command")
    Answer(done=False, number=None, text='unknown command')
    """

    done: bool
    number: int | None
    text: str

    def line(self) -> str:
        """Return the answer with the empty line that ends it; other empty lines are left out."""
        return f"{self.head()}\n\n" if self.text else f"{self.head().rstrip()}\n\n"

    def head(self) -> str:
        """Return the answer without the empty line that ends it; a board begins on a line of its own."""
        text = "\n".join(line for line in self.text.splitlines() if line.strip())
        space = "\n" if self.text.startswith("\n") else " "
        return f"{'=' if self.done else '?'}{'' if self.number is None else self.number}{space}{text}"

    @classmethod
    def begun_by(cls, line: str) -> Answer | None:
        """Read the first line of an answer; None if it is something else."""
        found = _ANSWER.match(line.strip())
        if found is None:
            return None
        return cls(found[1] == "=", int(found[2]) if found[2] else None, found[3] or "")


def read_colour(word: str) -> int:
    """Return the player of a colour; raises `SettingsError` for anything else.

    >>> read_colour("White"), read_colour("b")
    (1, 0)
    """
    known = {"b": 0, "black": 0, "w": 1, "white": 1}
    if word.lower() not in known:
        raise SettingsError(f'"{word}" is no colour', mend="write b or w")
    return known[word.lower()]
