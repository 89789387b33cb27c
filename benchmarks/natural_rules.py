"""Natural ways of writing rules: each works, or raises an error with a correction.

The ways are in `natural_ways.txt`. Most of them are a few lines in a class of noughts and crosses on an
array. A way works if random games are the same in plain Python and compiled. An error is good if it names the
construct, shows the line, and says what to write. If the file gives that under `instead`, it is tried as well
and must work.

    python benchmarks/natural_rules.py
    python benchmarks/natural_rules.py --only "generator|super" --errors
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import branchwise as bw
from branchwise.compile.code.call_kernel import call
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.states.randomness import Randomness, randomness
from branchwise.core.machine.kernel import entry_kernel
from branchwise.core.numbers.random_streams import new_streams
from branchwise.rules.checking.cross_check import CompiledMirror
from branchwise.testing import check_game

WAYS = Path(__file__).with_name("natural_ways.txt")
GAMES = 5

HEAD = '''
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import itertools
import math
import random
import time
from typing import NamedTuple

import numpy as np

import branchwise as bw


class Base(bw.Game):
    """Noughts and crosses on an array."""

    num_players = 2
    num_actions = 9
    max_game_length = 9

    board: bw.Array[np.int8, 3, 3] = 0
    mover: np.int8 = 0
    moves: np.int8 = 0
    won: bool = False

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for a in range(9):
            if self.board[a // 3, a % 3] == 0:
                yield a

    def apply_action(self, action):
        self.board[action // 3, action % 3] = self.mover + 1
        self.finish()

    def finish(self):
        self.moves += 1
        self.won = self.has_line(self.mover + 1)
        self.mover = 1 - self.mover

    def has_line(self, mark):
        for i in range(3):
            if self.board[i, 0] == mark and self.board[i, 1] == mark and self.board[i, 2] == mark:
                return True
        return False

    def is_terminal(self):
        return self.won or self.moves == 9

    def returns(self):
        if not self.won:
            return (0.0, 0.0)
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
'''


@entry_kernel
def choose_move(state, streams):
    """Return the choice of `playout_action`."""
    return state.playout_action(randomness(streams))


@entry_kernel
def weigh(state, action):
    """Return the prior of an action."""
    return state.prior(action)


@dataclass
class Way:
    """One way of writing rules.

    code : the body of the class.   before : code above the class.   also : code below it.   instead : the
    body of the class after following the error's advice.   names, mend : patterns for the construct's name
    and for the advice in the error.
    """

    title: str
    code: str
    before: str = ""
    also: str = ""
    instead: str = ""
    names: str = ""
    mend: str = ""

    @property
    def should_fail(self) -> bool:
        return bool(self.names)


@dataclass
class Outcome:
    """The result of a way; `verdict` is "works", "error" for a good error, or the problem in words."""

    way: Way
    verdict: str
    error: BaseException | None = None
    lacks: list[str] = field(default_factory=list)


def read_ways(text: str) -> list[Way]:
    """Return the ways in a file like `natural_ways.txt`."""
    ways = []
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        title, _, body = block.partition("\n")
        parts: dict[str, str] = {"code": ""}
        part = "code"
        for line in body.splitlines():
            named = re.fullmatch(r"--- (\w+)(?:: (.*))?", line)
            if named is None:
                parts[part] += line + "\n"
            elif named[2] is not None:
                parts[named[1]] = named[2]
            else:
                part = named[1]
                parts.setdefault(part, "")
        parts = {name: value.strip("\n") for name, value in parts.items()}
        ways.append(Way(title, **parts))
    return ways


def source_of(way: Way, code: str) -> str:
    """Return the text of a module with the class `Way`, whose body contains `code`."""
    body = textwrap.indent(code or "pass", "    ")
    return f"{HEAD}\n\n{way.before}\n\n\nclass Way(Base):\n{body}\n\n\n{way.also}\n"


def load(way: Way, code: str, folder: Path) -> type[bw.Game]:
    """Return the class of a way, loaded from a separate file."""
    name = f"way_{abs(hash((way.title, code))):x}"
    file = folder / f"{name}.py"
    file.write_text(source_of(way, code), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    game: type[bw.Game] = module.Way
    return game


def play(way: Way, code: str, folder: Path) -> None:
    """Play a way's rules in plain Python, then in step with their compiled form; passes errors on."""
    game = load(way, code, folder)
    check_game(game, GAMES, compiled=False)
    check_game(game, GAMES, compiled=False, mirror=CompiledMirror(game))
    state, native = game(), NativeRecords(compiled_type(game))
    native.records[0] = state.to_record()
    if hasattr(game, "prior"):
        assert call(weigh, native, 4) == state.prior(4)  # type: ignore[attr-defined]
    if hasattr(game, "playout_action"):
        chosen = call(choose_move, native, new_streams(1))
        assert chosen == state.playout_action(Randomness(new_streams(1)))  # type: ignore[attr-defined]


def tried(way: Way, folder: Path) -> Outcome:
    """Try a way and return the result."""
    try:
        play(way, way.code, folder)
    except bw.BranchwiseError as error:
        lacks = lacking(way, error)
        if way.instead:
            try:
                play(way, way.instead, folder)
            except Exception as second:
                lacks.append(f"an alternative that works ({type(second).__name__}: {second})")
        return Outcome(way, "error" if not lacks else "poor error", error, lacks)
    except Exception as error:
        return Outcome(way, "raw exception", error)
    return Outcome(way, "works" if not way.should_fail else "works, though an error is expected")


def lacking(way: Way, error: bw.BranchwiseError) -> list[str]:
    """Return the missing part of an error: construct, line or alternative."""
    lacks = []
    if not way.names or not re.search(way.names, error.problem):
        lacks.append("the construct")
    source = source_of(way, way.code)
    if not any(f": {line.strip()})" in error.problem for line in source.splitlines() if line.strip()):
        lacks.append("the line")
    if not way.mend or error.mend is None or not re.search(way.mend, error.mend):
        lacks.append("the alternative")
    return lacks


def outcomes(only: str = "", part: slice = slice(None)) -> Iterator[Outcome]:
    """Try the ways whose title matches `only`, or a part of these."""
    ways = [way for way in read_ways(WAYS.read_text(encoding="utf-8")) if re.search(only, way.title)]
    with tempfile.TemporaryDirectory() as folder:
        for way in ways[part]:
            yield tried(way, Path(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", metavar="PATTERN", help="try the ways whose title matches")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="try every N-th way, from the K-th on")
    parser.add_argument("--errors", action="store_true", help="show the whole text of each error")
    options = parser.parse_args()
    first, step = map(int, options.part.split("/"))
    verdicts: Counter[str] = Counter()
    for number, outcome in enumerate(outcomes(options.only, slice(first - 1, None, step)), start=1):
        verdicts[outcome.verdict] += 1
        told = ""
        if outcome.error is not None:
            text = str(outcome.error)
            told = text if options.errors else text.splitlines()[0]
            told = re.sub(r"way_\w+\.py", "way.py", f"{told}")
            if not isinstance(outcome.error, bw.BranchwiseError):
                told = f"{type(outcome.error).__name__}: {told}"
        lacks = f" (lacks {', '.join(outcome.lacks)})" if outcome.lacks else ""
        print(f"{number:>3}  {outcome.way.title:<50} {outcome.verdict}{lacks}", flush=True)
        if told:
            print(textwrap.indent(told, " " * 8), flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    sys.exit(any(verdict not in ("works", "error") for verdict in verdicts))


if __name__ == "__main__":
    main()
