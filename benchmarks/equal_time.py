"""Branchwise against OpenSpiel's C++ search with equal seconds per move, at Connect Four.

`keep`: how often each bot chooses a move that keeps the exact value, in positions where not every move does.
`match`: games against each other from random openings, each played twice with colours exchanged.
The bots take turns within one run; all others are compared with the first one named.

    python benchmarks/equal_time.py keep --seconds 1 --positions 60
    python benchmarks/equal_time.py keep --bots mcts "mcts(c=0.5)" "open_spiel(uct_c=1.4)"
    python benchmarks/equal_time.py match --seconds 0.1 --games 200

Bots have the same names as everywhere in Branchwise; those without a limit get that of the run. `open_spiel`
is OpenSpiel's `MCTSBot` with proofs, unlimited memory and one random game per simulation, limited by its own
clock. It gets additional time: as much as Branchwise is measured to exceed its limit by.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyspiel

import branchwise as bw
from branchwise.common.name_and_options import format_spec, parse_spec
from branchwise.games.connect_four import ConnectFour
from exact_connect_four import POSITIONS, Position, by_chance, read_positions
from strength import DEVIATIONS, match, wilson

NO_SIMULATION_LIMIT = 2**31 - 1
NO_TIME_LIMIT = -1.0
NO_MEMORY_LIMIT = -1
MARKS = "xo"
LIMITS = {"seconds", "simulations", "max_nodes"}
OVERRUN_POSITIONS = 5
FEWEST_DISCS = 8


class Ran(NamedTuple):
    """The statistics of a search by OpenSpiel."""

    simulations: int


class OpenSpielBot(bw.Bot):
    """OpenSpiel's C++ `MCTSBot`, with a new tree for every move; its example programs use uct_c = 2."""

    name = "open_spiel"

    def __init__(
        self,
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        uct_c: float = 2.0,
        rollouts: int = 1,
        seed: int = 1,
    ) -> None:
        self._game = pyspiel.load_game("connect_four")
        self._bot = pyspiel.MCTSBot(
            self._game,
            pyspiel.RandomRolloutEvaluator(rollouts, seed),
            uct_c,
            NO_SIMULATION_LIMIT if simulations is None else simulations,
            NO_MEMORY_LIMIT,
            True,  # solve
            seed,
            False,  # verbose
            max_wall_clock_time=NO_TIME_LIMIT if seconds is None else seconds,
        )

    def choose(self, state: ConnectFour) -> int:
        root = self._bot.mcts_search(self._game.new_initial_state(spiel_json(state)))
        self.result = Ran(root.explore_count)
        return int(root.best_child().action)


def spiel_json(state: ConnectFour) -> str:
    """Return an unfinished position in the form that OpenSpiel reads, the lowest row first."""

    def mark(row: int, column: int) -> str:
        bit = 1 << column * (state.rows + 1) + row
        if not state.taken & bit:
            return "."
        return MARKS[state.mover if state.mine & bit else 1 - state.mover]

    board = [[mark(row, column) for column in range(state.columns)] for row in range(state.rows)]
    live = {"is_terminal": False, "winner": ""}
    return json.dumps({"board": board, "current_player": MARKS[state.mover], **live})


bw.register_bot(OpenSpielBot, OpenSpielBot.name)


@dataclass
class Contender(bw.Bot):
    """A bot whose choices are timed by the clock, with all their overhead."""

    text: str
    bot: bw.Bot
    limited: bool
    """Whether it has the run's limit in seconds."""
    seconds: list[float] = field(default_factory=list)
    simulations: int = 0

    def choose(self, state: ConnectFour) -> int:
        started = time.perf_counter()
        action = self.bot.choose(state)
        self.seconds.append(time.perf_counter() - started)
        if self.bot.result:
            self.simulations += self.bot.result.simulations
        return action

    def new_game(self) -> None:
        """Make the bot forget the last position, if it keeps any."""
        self.bot.new_game()

    def overrun(self, limit: float) -> float:
        """Return the median time by which choices exceed the limit, in positions that are not soon proven."""
        early = [position for position in read_positions() if len(position.moves) == FEWEST_DISCS]
        for position in early[-OVERRUN_POSITIONS:]:
            self.new_game()
            self.choose(position.state())
        taken = statistics.median(self.seconds)
        self.seconds, self.simulations = [], 0
        return max(taken - limit, 0.0)

    @property
    def used(self) -> str:
        """Seconds per move and speed, as text."""
        median, total = statistics.median(self.seconds), sum(self.seconds)
        mean = total / len(self.seconds)
        speed = f", {self.simulations / total / 1000:,.0f} k simulations/s" if self.simulations else ""
        return f"{median:.3f} s a move (mean {mean:.3f}, total {total:.1f}){speed}"

    def facts(self) -> dict[str, Any]:
        return {"bot": self.text, "simulations": self.simulations, "seconds": self.seconds}


def contenders(options: argparse.Namespace) -> list[Contender]:
    """Return the bots of the run, compiled and warm; those without a limit get that of the run."""
    ours = {text: contender(text, options) for text in options.bots if not is_peer(text)}
    overrun = max((it.overrun(options.seconds) for it in ours.values() if it.limited), default=0.0)
    if not options.simulations:
        print(f"OpenSpiel gets {overrun:.3f} s more: by so much Branchwise exceeds its limit")
    return [ours.get(text) or contender(text, options, overrun) for text in options.bots]


def is_peer(text: str) -> bool:
    return parse_spec(text)[0] == OpenSpielBot.name


def contender(text: str, options: argparse.Namespace, more: float = 0.0) -> Contender:
    """Return the bot that `text` names; more : seconds to add to the run's limit."""
    name, given = parse_spec(text)
    limited = False
    if name in ("mcts", OpenSpielBot.name) and not LIMITS & given.keys():
        if options.simulations:
            given["simulations"] = options.simulations
        else:
            given["seconds"] = options.seconds + more
            limited = True
    bot = bw.load_bot(format_spec(name, given), seed=options.seed)
    state = ConnectFour()
    for _ in range(2):
        state.apply_action(bot.choose(state))
    return Contender(text, bot, limited)


@dataclass(frozen=True)
class Paired:
    """The positions in which two bots both keep the value, only the first does, only the other, or none."""

    both: int
    one: int
    other: int
    neither: int

    @property
    def difference(self) -> tuple[float, float, float]:
        """How much more often the first bot keeps the value, with the 95 % interval.

        Half a position is added to each count: Agresti, Min, "Simple improved confidence intervals for
        comparing matched proportions", 2005.

        >>> [round(number, 3) for number in Paired(60, 20, 10, 10).difference]
        [0.1, -0.007, 0.203]
        """
        games = self.both + self.one + self.other + self.neither
        more, less, all_ = self.one + 0.5, self.other + 0.5, games + 2
        middle = (more - less) / all_
        spread = DEVIATIONS * math.sqrt(more + less - (more - less) ** 2 / all_) / all_
        return (self.one - self.other) / games, middle - spread, middle + spread


def paired(one: Sequence[bool], other: Sequence[bool]) -> Paired:
    pairs = list(zip(one, other, strict=True))
    return Paired(*(pairs.count((first, second)) for first in (True, False) for second in (True, False)))


def keep(options: argparse.Namespace) -> None:
    """Measure how often each bot keeps the exact value."""
    positions = read_positions(options.file)
    if options.plies:
        positions = [position for position in positions if len(position.moves) in options.plies]
    positions = positions[: options.positions]
    if not positions:
        raise SystemExit("the file has no such positions")
    bots = contenders(options)
    kept = kept_by(bots, positions)
    chance = by_chance(positions)
    print(f"{len(positions)} positions; a random move keeps the value in {chance:.1%}")
    for it, right in zip(bots, kept, strict=True):
        share = sum(right) / len(right)
        low, high = wilson(share, len(right))
        print(f"{it.text:<30} {share:6.1%} [{low:5.1%}, {high:5.1%}]   {it.used}")
    for it, right in zip(bots[1:], kept[1:], strict=True):
        pair = paired(kept[0], right)
        middle, low, high = pair.difference
        print(
            f"{bots[0].text} less {it.text}: {middle:+.1%} [{low:+.1%}, {high:+.1%}], "
            f"{pair.one} kept by the former only, {pair.other} by the latter only"
        )
    rows = [it.facts() | {"kept": right} for it, right in zip(bots, kept, strict=True)]
    save(options.json, {"positions": [position.moves for position in positions], "contenders": rows})


def kept_by(bots: Sequence[Contender], positions: Sequence[Position]) -> list[list[bool]]:
    """Return whether the value was kept, by contender and position; contenders take turns to begin."""
    kept: list[list[bool]] = [[] for _ in bots]
    for number, position in enumerate(positions):
        state = position.state()
        for turn in range(len(bots)):
            place = (number + turn) % len(bots)
            bots[place].new_game()
            kept[place].append(position.keeps(bots[place].choose(state)))
    return kept


def play_match(options: argparse.Namespace) -> None:
    """Play two bots against each other."""
    one, other = contenders(options)
    score = match(ConnectFour, one, other, options.games // 2, options.seed)
    print(f"{one.text} against {other.text}: {score}")
    for it in (one, other):
        print(f"{it.text:<30} {it.used}")
    facts = {"wins": score.wins, "draws": score.draws, "losses": score.losses}
    save(options.json, facts | {"contenders": [one.facts(), other.facts()]})


def save(path: Path | None, what: object) -> None:
    if path:
        path.write_text(json.dumps(what) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    commands = parser.add_subparsers(required=True, metavar="keep | match")
    for name, run, seconds in (("keep", keep, 1.0), ("match", play_match, 0.1)):
        command = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        command.set_defaults(run=run)
        command.add_argument("--seconds", type=float, default=seconds, help=f"seconds per move ({seconds:g})")
        command.add_argument("--simulations", type=int, help="simulations per move, in place of seconds")
        command.add_argument("--seed", type=int, default=1, help="seed of bots and openings (1)")
        command.add_argument("--json", type=Path, metavar="FILE", help="write all measurements to FILE")
        if run is keep:
            command.add_argument("--bots", nargs="+", default=["mcts", "open_spiel"])
            command.add_argument(
                "--positions", type=int, default=60, help="number of positions from the file (60)"
            )
            command.add_argument(
                "--plies", type=int, nargs="+", help="only positions with these numbers of discs"
            )
            command.add_argument("--file", type=Path, default=POSITIONS, help=f"({POSITIONS.name})")
        else:
            command.add_argument("--bots", nargs=2, default=["mcts", "open_spiel"])
            command.add_argument("--games", type=int, default=200, help="games, two per opening (200)")
    options = parser.parse_args(arguments)
    options.run(options)


if __name__ == "__main__":
    main()
