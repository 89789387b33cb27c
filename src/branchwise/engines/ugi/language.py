"""The lines of the Universal Game Interface and of the Universal Chess Interface, read and written.

`read` parses a line's words and raises `SettingsError` for invalid ones; `line()` writes the line. Times are
milliseconds in lines and seconds here. UGI is https://github.com/kz04px/cutegames/blob/master/ugi.md. UCI is
older and has other words for the same: a `Dialect`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError

_MOST = 2**53
NO_MOVE = "none"
"""An engine's answer by UGI when it has no move."""

_CHESS = {"wtime": "p1time", "btime": "p2time", "winc": "p1inc", "binc": "p2inc"}
"""Words of UCI, on which UGI is built, that are understood too."""


_GO_WORD = re.compile(
    r"searchmoves|ponder|infinite|nodes|depth|mate|movetime|movestogo|[wb](time|inc)|p[1-9]\d?(time|inc)"
)
"""The words of `go`, which end a list of moves."""


@dataclass(frozen=True)
class Dialect:
    """The words in which UGI and UCI differ.

    hello, hello_end : the first question, and the end of its answer.   new_game : announces a game.
    clocks, increments : words for the players' clocks; empty: p1time, p2time and so on.   no_move : answers
    when there is no move; the first one is ours.
    """

    name: str
    hello: str
    hello_end: str
    new_game: str
    clocks: tuple[str, ...] = ()
    increments: tuple[str, ...] = ()
    no_move: tuple[str, ...] = (NO_MOVE,)


UGI = Dialect("UGI", "ugi", "ugiok", "uginewgame")
UCI = Dialect(
    "UCI", "uci", "uciok", "ucinewgame", ("wtime", "btime"), ("winc", "binc"), ("0000", "(none)", NO_MOVE)
)

_POSITIONS = "position startpos [moves ...] or position fen STATE [moves ...]"


@dataclass(frozen=True)
class Position:
    """A position: moves from the start of the game, or from a state.

    >>> Position(("d1", "d2")).line()
    'position startpos moves d1 d2'
    """

    moves: tuple[str, ...] = ()
    state: str | None = None

    def line(self) -> str:
        start = "startpos" if self.state is None else f"fen {self.state}"
        return " ".join(["position", start, *(["moves", *self.moves] if self.moves else [])])

    @classmethod
    def read(cls, words: Sequence[str]) -> Position:
        """Read the words after `position`."""
        cut = words.index("moves") if "moves" in words else len(words)
        start, moves = words[:cut], tuple(words[cut + 1 :])
        if list(start) == ["startpos"]:
            return cls(moves)
        if len(start) > 1 and start[0] == "fen":
            return cls(moves, " ".join(start[1:]))
        raise SettingsError(f'"position {" ".join(words)}" has no position'[:200], mend=_POSITIONS)


@dataclass(frozen=True)
class Go:
    """The limits of a search.

    seconds, nodes, depth : limits.   clocks, increments : seconds left for each player, and seconds added per
    move.   infinite : until `stop`. Without any, the engine decides.   among : the only moves to consider, or
    all if there are none.   ponders : until `ponderhit`, from which on the limits of time count.

    >>> Go(seconds=0.1).line(), Go(clocks=(60.0, 58.5), increments=(1.0, 1.0)).line()
    ('go movetime 100', 'go p1time 60000 p2time 58500 p1inc 1000 p2inc 1000')
    >>> Go(clocks=(60.0, 58.5)).line(UCI)
    'go wtime 60000 btime 58500'
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    clocks: tuple[float, ...] = ()
    increments: tuple[float, ...] = ()
    infinite: bool = False
    among: tuple[str, ...] = ()
    ponders: bool = False

    def line(self, dialect: Dialect = UGI) -> str:
        players = range(1, max(len(self.clocks), len(self.increments)) + 1)
        clocks = dialect.clocks or tuple(f"p{player}time" for player in players)
        increments = dialect.increments or tuple(f"p{player}inc" for player in players)
        words = ["go"]
        words += [f"{word} {_milliseconds(left)}" for word, left in zip(clocks, self.clocks, strict=False)]
        added = zip(increments, self.increments, strict=False)
        words += [f"{word} {_milliseconds(seconds, 0)}" for word, seconds in added]
        limit = None if self.seconds is None else _milliseconds(self.seconds)
        words += given_words(movetime=limit, nodes=self.nodes, depth=self.depth)
        words += ["infinite"] if self.infinite else []
        words += ["ponder"] if self.ponders else []
        return " ".join([*words, *(["searchmoves", *self.among] if self.among else [])])

    def at_most(self, *, seconds: float, nodes: int, clock: float) -> Go:
        """Return the same with every limit reduced to at most these; clock : for clocks and increments."""
        return replace(
            self,
            seconds=None if self.seconds is None else min(self.seconds, seconds),
            nodes=None if self.nodes is None else min(self.nodes, nodes),
            clocks=tuple(min(left, clock) for left in self.clocks),
            increments=tuple(min(added, clock) for added in self.increments),
        )

    @classmethod
    def read(cls, words: Sequence[str]) -> Go:
        """Read the words after `go`; unknown words are ignored."""
        given: dict[str, Any] = {}
        clocks: dict[int, float] = {}
        increments: dict[int, float] = {}
        rest = list(words)
        while rest:
            word = rest.pop(0)
            word = _CHESS.get(word, word)
            clock = re.fullmatch(r"p([1-9]\d?)(time|inc)", word)
            if word == "infinite":
                given["infinite"] = True
            elif word == "ponder":
                given["ponders"] = True
            elif word == "searchmoves":
                cut = next((i for i, other in enumerate(rest) if _GO_WORD.fullmatch(other)), len(rest))
                given["among"], rest = tuple(rest[:cut]), rest[cut:]
            elif word in ("nodes", "depth"):
                given[word] = _whole(word, rest, 1)
            elif word == "movetime":
                given["seconds"] = max(_whole(word, rest, 0), 1) / 1000
            elif clock is not None:
                kept = clocks if clock[2] == "time" else increments
                kept[int(clock[1])] = _whole(word, rest, -_MOST if kept is clocks else 0) / 1000
        return cls(**given, clocks=_by_player(clocks), increments=_by_player(increments))


@dataclass(frozen=True)
class Info:
    """An engine's report on its search.

    score : as written, such as "cp 31".   line : the moves it expects.   text : a remark.   rank : 1 for the
    best line of several, None if there is one.

    >>> Info.read("depth 2 nodes 90 time 20 score cp 31 nps 4500 pv d1 d2".split())
    Info(depth=2, nodes=90, seconds=0.02, score='cp 31', line=('d1', 'd2'), text=None, rank=None)
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    score: str | None = None
    line: tuple[str, ...] = ()
    text: str | None = None
    rank: int | None = None

    def words(self) -> str:
        """Return the text of the report."""
        words = ["info", *given_words(depth=self.depth, multipv=self.rank, nodes=self.nodes)]
        if self.seconds is not None:
            words.append(f"time {_milliseconds(self.seconds, 0)}")
            if self.nodes is not None and self.seconds > 0:
                words.append(f"nps {round(self.nodes / self.seconds)}")
        words += given_words(score=self.score, pv=" ".join(self.line) or None, string=self.text)
        return " ".join(words)

    @classmethod
    def read(cls, words: Sequence[str]) -> Info:
        """Read the words after `info`; invalid ones are ignored."""
        given: dict[str, Any] = {}
        for index, word in enumerate(words):
            following = list(words[index + 1 :])
            if word == "string":
                given["text"] = " ".join(following)
                break
            if word == "pv":
                given["line"] = tuple(following[: until(following, ("string",))])
            elif "line" in given or not following:
                continue
            elif word in ("depth", "nodes", "time") and following[0].isdecimal():
                said = int(following[0][:18])
                given["seconds" if word == "time" else word] = said / 1000 if word == "time" else said
            elif word == "multipv" and following[0].isdecimal():
                given["rank"] = int(following[0][:18])
            elif word == "score" and len(following) > 1:
                given["score"] = " ".join(following[:2])
        return cls(**given)


def given_words(**values: object) -> list[str]:
    """Return the values that are not None, each with its name in front.

    >>> given_words(depth=2, nodes=None, score="cp 31")
    ['depth 2', 'score cp 31']
    """
    return [f"{name} {value}" for name, value in values.items() if value is not None]


def _milliseconds(seconds: float, least: int = 1) -> int:
    return max(least, round(seconds * 1000))


def _whole(name: str, rest: list[str], least: int) -> int:
    """Take the number after `name` from the remaining words."""
    text = rest.pop(0) if rest else ""
    value = number_or_none(text)
    if value is None:
        raise SettingsError(f'{name} must be followed by a whole number, not by "{text}"')
    whole_number(name, value, least, _MOST)
    return value


def number_or_none(text: str | None) -> int | None:
    """Return `text` as a whole number, or None."""
    return int(text) if text is not None and re.fullmatch(r"[-+]?\d{1,20}", text) else None


def _by_player(kept: dict[int, float]) -> tuple[float, ...]:
    """Return the values of the players in order; 0 for players without one."""
    return tuple(kept.get(player, 0.0) for player in range(1, max(kept, default=0) + 1))


def until(words: Sequence[str], ends: Sequence[str]) -> int:
    """Return the number of words before the first of `ends`."""
    return next((index for index, word in enumerate(words) if word in ends), len(words))
