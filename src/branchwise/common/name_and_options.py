"""The text form of games and bots: `name` or `name(option=value,...)`.

    connect_four(rows=5,columns=5)      mcts(seconds=1,c=1.0)      my_game.py:MyGame(size=3)

Values are Python literals; a bare word is a string, and `true` and `false` work too; so is the place of
something in a file or a module, as in `selection=my_rules.py:rule`. A value may itself have this form, or be
several joined by plus signs; it is then kept as text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from branchwise.common.errors import SettingsError

_PLACE = re.compile(
    r"""'[^']*'|"[^"]*"|(?<==)\s*([\w./~-]+(?:\.py(?::\w+)?|:\w+)(?:\([^()]*\))?)(?=\s*[,)])"""
)
"""A quoted text, or the place of something in a file or a module with its options, which is no Python."""

_WORDS = {"true": True, "false": False, "none": None}


Item = TypeVar("Item")
_SHOWN = 30


def some_of(items: Collection[Item], text: Callable[[Item], str] = str, between: str = " ") -> str:
    """Return the texts of the first 30 of some items, with the number of the others.

    between : what stands between two texts.

    >>> some_of(range(100)).endswith("28 29 and 70 more")
    True
    """
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return between.join(map(text, islice(items, _SHOWN))) + more


def numbered(action: int, text: str) -> str:
    """Return the number of an action with its text, if that is another one.

    >>> numbered(3, "d1"), numbered(3, "3")
    ('3 (d1)', '3')
    """
    return str(action) if text == str(action) else f"{action} ({text})"


def snake_case(name: str) -> str:
    """Return the name of a game or a bot whose class has this name: ConnectFour is connect_four."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def parse_spec(text: str) -> tuple[str, dict[str, object]]:
    """Split `text` into the name and its options.

    Raises `SettingsError` for anything that is not of the form `name(option=value,...)`.

    >>> parse_spec("mcts(seconds=1, c=1.0, allocation=ucb)")
    ('mcts', {'seconds': 1, 'c': 1.0, 'allocation': 'ucb'})
    >>> parse_spec("engine(command='./mine --book a,b=c', seconds=1)")
    ('engine', {'command': './mine --book a,b=c', 'seconds': 1})
    """
    if not isinstance(text, str):
        raise SettingsError(
            f"{text!r} is no text", mend='write name or name(option=value,...), such as "random"'
        )
    name, bracket, rest = text.strip().partition("(")
    name = name.strip()
    if not name:
        raise SettingsError(f'"{text}" has no name', mend="write name or name(option=value,...)")
    if not bracket:
        return name, {}
    try:
        quoted = _PLACE.sub(lambda found: repr(found[1]) if found[1] else found[0], rest)
        call = ast.parse(f"f({quoted}", mode="eval").body
    except SyntaxError as error:
        raise _malformed(text, "the brackets do not contain option=value pairs") from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "f":
        raise _malformed(text, "something follows the closing bracket")
    if call.args:
        raise _malformed(text, f"the value {ast.unparse(call.args[0])} has no option name")
    options: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in options:
            raise _malformed(text, f"option {keyword.arg} is given twice or has no name")
        options[keyword.arg] = _value(keyword.value, text)
    return name, options


def split_outside_brackets(text: str) -> list[str]:
    """Split a text at commas outside brackets.

    >>> split_outside_brackets("mcts(c=1.4,cutoff=5), bfs")
    ['mcts(c=1.4,cutoff=5)', 'bfs']
    """
    items, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            items.append("")
        else:
            items[-1] += letter
    return [item.strip() for item in items]


def format_spec(name: str, options: Mapping[str, object]) -> str:
    """Return the text form that `parse_spec` reads.

    >>> format_spec("nim", {"heaps": (3, 4, 5), "misere": True})
    'nim(heaps=(3,4,5),misere=True)'
    """
    if not options:
        return name
    pairs = (f"{key}={_literal(value)}" for key, value in options.items())
    return f"{name}({','.join(pairs)})"


def _value(node: ast.expr, text: str) -> object:
    if isinstance(node, ast.Name):
        return _WORDS.get(node.id.lower(), node.id)
    if _is_spec(node):
        return _spec_text(node, text)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError) as error:
        raise _malformed(text, f"{ast.unparse(node)} is not a plain value") from error


def _is_spec(node: ast.expr) -> bool:
    """Whether a value is itself a name with options, or several of them joined by plus signs."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and all(
            isinstance(part, ast.Name) or _is_spec(part) for part in (node.left, node.right)
        )
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _spec_text(node: ast.expr, text: str) -> str:
    """Return a value that is itself a name with options, in the form of `format_spec`."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.BinOp):
        return f"{_spec_text(node.left, text)}+{_spec_text(node.right, text)}"
    if not _is_spec(node) or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return _literal(_value(node, text))
    given = [_spec_text(value, text) for value in node.args]
    for keyword in node.keywords:
        if keyword.arg is None:
            raise _malformed(text, f"{ast.unparse(node)} has an option without a name")
        given.append(f"{keyword.arg}={_spec_text(keyword.value, text)}")
    return f"{node.func.id}({','.join(given)})"


def _literal(value: object) -> str:
    """Return a value as a Python literal, without blanks outside strings."""
    if isinstance(value, tuple):
        inside = ",".join(_literal(item) for item in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, dict):
        return "{" + ",".join(f"{_literal(k)}:{_literal(v)}" for k, v in value.items()) + "}"
    return repr(value)


def _malformed(text: str, why: str) -> SettingsError:
    return SettingsError(
        f'cannot read "{text}": {why}',
        mend="write name(option=value,...), with quotes around a text that is not one word: file='tour.tsp'",
    )


def is_path(option: str) -> bool:
    """Whether an option is the path of a file: its name is `file` or `network`, or ends in `_file`."""
    return option in ("file", "network") or option.endswith("_file")


def file_stamp(option: str, value: Any) -> tuple[int, int] | None:
    """Return when the file that an option names was changed, and its size; None if it names none."""
    if not (is_path(option) and value):
        return None
    try:
        told = Path(value).stat()
    except (OSError, ValueError):  # the error is raised where the file is read
        return None
    return told.st_mtime_ns, told.st_size


def whole_path(option: str, value: Any, folder: Path | None = None) -> Any:
    """Return the value of an option; the path of a file as one that is valid in any folder.

    folder : where a relative path begins; None: the working folder.

    >>> whole_path("level_file", "levels.txt", Path("/games")) == str(Path("/games").resolve() / "levels.txt")
    True
    >>> whole_path("level", "levels.txt"), whole_path("file", "")
    ('levels.txt', '')
    """
    if is_path(option) and isinstance(value, str) and value:
        path = (folder or Path()) / Path(value).expanduser()
        if option != "network" or path.exists():  # else one that came with the game
            return str(path.resolve())
    return value
