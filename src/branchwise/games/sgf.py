"""Reading the main line of a game record in SGF, the Smart Game Format.

Standard: https://www.red-bean.com/sgf. A record is a tree of nodes, each with properties such as B[ee]; the
main line takes the first variation everywhere.
"""

from __future__ import annotations

import re
from typing import Any

from branchwise.common.errors import ActionError, GameError

Node = dict[str, list[str]]
"""The values of each property of a node."""

_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)((?:\s*\[(?:[^\]\\]|\\.)*\])+))", re.DOTALL)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)


def main_line(text: str) -> list[Node]:
    """Return the nodes of the main line of the first game in `text`.

    Raises `GameError` with the place of the first mistake.

    >>> main_line("(;SZ[9]KM[7];B[ee](;W[cc])(;W[gg]))")
    [{'SZ': ['9'], 'KM': ['7']}, {'B': ['ee']}, {'W': ['cc']}]
    """
    nodes: list[Node] = []
    depth, place, closed = 0, 0, False
    while place < len(text.rstrip()):
        found = _TOKEN.match(text, place)
        if found is None or (found[1] != "(" and depth == 0):
            raise _broken(text, place)
        place = found.end()
        if found[1] == "(":
            depth += 1
        elif found[1] == ")":
            depth, closed = depth - 1, True  # what follows are other variations, or other games
            if depth == 0:
                break
        elif found[1] == ";" and not closed:
            nodes.append({})
        elif found[2] and not closed:
            if not nodes:
                raise _broken(text, found.start())
            name = "".join(letter for letter in found[2] if letter.isupper())  # as old records have it
            values = [re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) for value in _VALUE.findall(found[3])]
            nodes[-1].setdefault(name, []).extend(values)
    if depth or not nodes:
        raise _broken(text, place)
    return nodes


def position_after_record(game: type[Any], text: str) -> Any:
    """Return the position of `game`, Go, at the end of a record's main line: see `Go.from_sgf`."""
    nodes = main_line(text)
    head = nodes[0]
    if head.get("GM", ["1"]) != ["1"]:
        raise GameError("this SGF record is not one of Go", mend="a record of Go has GM[1]")
    size, komi = _number(head, "SZ", 19), _number(head, "KM", game.komi)
    state = game.configured(size=int(size), komi=float(komi))()
    moves = [(mark, value) for node in nodes for mark in ("B", "W") for value in node.get(mark, [])]
    stones = [
        (player, point_of(value, state.size))
        for player, mark in enumerate(("AB", "AW"))
        for value in head.get(mark, [])
    ]
    begins = head.get("PL", [moves[0][0] if moves else "B"])[0]
    state.set_up(stones, 1 if begins.upper().startswith("W") else 0)
    for number, (colour, value) in enumerate(moves, start=1):
        try:
            if colour != "BW"[state.mover]:
                state.go_on(1 - state.mover)
            point = point_of(value, state.size)
            state.play("pass" if point is None else point)
        except ActionError as error:
            raise ActionError(
                f"move {number} of this SGF record, {colour}[{value}]: {error.problem}", mend=error.mend
            ) from None
    return state


def point_of(value: str, size: int) -> int | None:
    """Return the number of a point such as "ee", from the bottom left; None for a pass.

    Raises `GameError` if the point is not on the board.

    >>> point_of("aa", 9), point_of("ia", 9), point_of("", 9)
    (72, 80, None)
    """
    if value == "" or (value == "tt" and size <= 19):
        return None
    numbers = [ord(letter) - ord("a") for letter in value]
    if len(numbers) != 2 or not all(0 <= number < size for number in numbers):
        last = chr(ord("a") + size - 1)
        raise GameError(
            f'this SGF record has a stone on "{value}", which is not on a board of {size} by {size}',
            mend=f"points are two letters, column and row from the top left: aa to {last}{last}",
        )
    return (size - 1 - numbers[1]) * size + numbers[0]


def _number(node: Node, name: str, default: float) -> float:
    text = node.get(name, [str(default)])[0]
    try:
        return float(text)
    except ValueError:
        raise GameError(f"this SGF record has {name}[{text}], which is not a number") from None


def _broken(text: str, place: int) -> GameError:
    shown = text[place : place + 20].strip() or "the end"
    return GameError(
        f"this is no SGF record: a mistake at character {place}, before {shown!r}",
        mend="a record looks like (;GM[1]SZ[9];B[ee];W[cc])",
    )
