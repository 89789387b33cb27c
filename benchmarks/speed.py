"""The speed of Branchwise against other MCTS packages, all measured in one run on one machine.

The contenders take turns for several rounds, so that other load on the machine affects all of them alike. A
ratio is the median of the rounds' own ratios. Compiling is done beforehand and does not count. Each contender
is asked afterwards whether it ran every simulation.

    python benchmarks/speed.py                  everything, about ten minutes
    python benchmarks/speed.py --quick          two short rounds
    python benchmarks/speed.py --parts search --games connect_four --rounds 9 --json speed.json
    python benchmarks/speed.py --parts search --games pig backgammon
    python benchmarks/speed.py --parts search playouts --games othello hex go amazons
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from itertools import repeat
from pathlib import Path
from statistics import median
from typing import Any

import numba
import pyspiel

import branchwise as bw
import contenders as peers
from branchwise.compile.states.methods.legal_actions import fill_from_generator
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.games.connect_four import ConnectFour
from clock import now, use_processor_time
from light_games import LIGHT_GAMES, check_light_game
from random_games import CompiledPlayouts

USUAL_GAMES = (*LIGHT_GAMES, *peers.WITH_DICE)
GAMES = (*USUAL_GAMES, *peers.BOARD_GAMES)
PARTS = ("search", "playouts", "memory", "buffer", "overhead")
OURS = peers.Branchwise.name
MILLION = 1_000_000
GAME_LENGTHS = (8, 20, 40)
TYPICAL_LENGTH = 20
"""Length of the games in which the overhead on Python states is judged; random Connect Four has 21 moves."""


# --- taking turns ---------------------------------------------------------------------------------------


@dataclass
class Series:
    """Rates of one contender, one per round; `amount` is the work of one measurement."""

    name: str
    amount: int
    rates: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.rates)


@dataclass(frozen=True)
class Entrant:
    """A participant in a comparison; `seconds(amount, seed)` does the work and returns its duration."""

    name: str
    seconds: Callable[[int, int], float]
    amount: int


def take_turns(entrants: Sequence[Entrant], rounds: int) -> list[Series]:
    """Measure each entrant once per round; each round starts with a different one."""
    series = [Series(entrant.name, entrant.amount) for entrant in entrants]
    for number in range(rounds):
        for i in range(len(entrants)):
            turn = (i + number) % len(entrants)
            entrant = entrants[turn]
            series[turn].rates.append(entrant.amount / entrant.seconds(entrant.amount, number + 1))
    return series


def amount_for(seconds: Callable[[int, int], float], wanted: float, start: int) -> int:
    """Return an amount, rounded to two digits, that takes about `wanted` seconds; doubles from `start`."""
    amount = start
    taken = seconds(amount, 0)
    while taken < wanted / 8:
        amount *= 2
        taken = seconds(amount, 0)
    exact = int(amount * wanted / taken)
    unit: int = 10 ** max(0, len(str(exact)) - 2)
    return max(start, exact // unit * unit)


def ratio(ours: Series, theirs: Series) -> float:
    """Return the median of the rounds' ratios of the first to the second."""
    return median(mine / other for mine, other in zip(ours.rates, theirs.rates, strict=True))


# --- the parts --------------------------------------------------------------------------------------------


def search_speed(game: str, rounds: int, seconds: float, least: int) -> list[Series]:
    """Return simulations per second from the start position, with one thread.

    OpenSpiel's C++ runs as many simulations as fit into `seconds`, but at least `least` for tic-tac-toe;
    Branchwise runs as many. The Python packages run what fits into `seconds`; small trees favour them.
    """
    if game in LIGHT_GAMES:
        check_light_game(game)
    ours, cpp, *pythons = (contender(game) for contender in peers.contenders(game))
    ours.seconds(1000, 0)
    amount = amount_for(cpp.seconds, seconds, 10_000 if game in LIGHT_GAMES else 100)
    if game == "tic_tac_toe":
        amount = max(amount, least)
    entrants = [Entrant(it.name, it.seconds, amount) for it in (ours, cpp)]
    entrants += [Entrant(it.name, it.seconds, amount_for(it.seconds, seconds, 200)) for it in pythons]
    return take_turns(entrants, rounds)


class SpielPlayouts:
    """Random games by OpenSpiel's C++: one simulation whose evaluator plays them from the start position."""

    def __init__(self, game: str) -> None:
        self._game = peers.spiel_game(game)
        self.mean_return = 0.0

    def seconds(self, games: int, seed: int) -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(games, seed)
        bot = pyspiel.MCTSBot(self._game, evaluator, 2.0, 1, peers.NO_MEMORY_LIMIT, False, seed, False)
        state = self._game.new_initial_state()
        started = now()
        root = bot.mcts_search(state)
        taken = now() - started
        assert root.explore_count == 1
        self.mean_return = root.total_reward
        return taken


def playout_speed(game: str, rounds: int, seconds: float) -> list[Series]:
    """Return uniform random games per second; both sides must have the same mean return."""
    ours, theirs = CompiledPlayouts(bw.load_game(game)), SpielPlayouts(game)
    entrants = [
        Entrant(name, it.seconds, amount_for(it.seconds, seconds, 2000))
        for name, it in ((OURS, ours), ("OpenSpiel C++", theirs))
    ]
    series = take_turns(entrants, rounds)
    error = 5 / min(one.amount for one in series) ** 0.5
    assert abs(ours.mean_return - theirs.mean_return) < error, (ours.mean_return, theirs.mean_return)
    return series


class HandFilled(ConnectFour):
    """Connect Four with a hand-written list of legal actions; see below."""


class AsGenerator(ConnectFour):
    """Connect Four with `legal_actions` compiled as an ordinary generator."""


def _fill_by_hand(self: Any, buffer: Any) -> int:
    count = 0
    for column in range(self.columns):
        if not self.taken >> (column * (self.rows + 1) + self.rows - 1) & 1:
            buffer[count] = column
            count += 1
    return count


def buffer_speed(rounds: int, seconds: float) -> list[Series]:
    """Return random games per second of the same rules, with three ways to list legal actions."""
    by_hand = numba.njit(nogil=True)(_fill_by_hand)
    for game, fill in ((HandFilled, by_hand), (AsGenerator, fill_from_generator)):
        listing: Any = compiled_type(game).rules.listing
        listing["fill_legal_actions"] = fill
    ways = {
        "generator, as Branchwise compiles it": CompiledPlayouts(ConnectFour),
        "buffer filled by hand": CompiledPlayouts(HandFilled),
        "generator, as Numba compiles it": CompiledPlayouts(AsGenerator),
    }
    amount = amount_for(next(iter(ways.values())).seconds, seconds, 10_000)
    series = take_turns([Entrant(name, way.seconds, amount) for name, way in ways.items()], rounds)
    means = {way.mean_return for way in ways.values()}
    assert len(means) == 1, f"the three ways play different games: {means}"
    return series


class Countdown:
    """A state in plain Python whose methods cost next to nothing; games have `length` moves."""

    __slots__ = ("left",)
    actions = (0, 1, 2, 3, 4, 5, 6)
    num_players, num_actions = 2, 7
    counts: dict[str, int] | None = None

    def __init__(self, left: int) -> None:
        self.left = left

    def clone(self) -> Countdown:
        return Countdown(self.left)

    def current_player(self) -> int:
        return self.left & 1

    def legal_actions(self) -> tuple[int, ...]:
        return self.actions

    def apply_action(self, action: int) -> None:
        self.left -= 1

    def is_terminal(self) -> bool:
        return self.left <= 0

    def returns(self) -> tuple[float, float]:
        return (0.0, 0.0)


_RULES = ("clone", "current_player", "legal_actions", "apply_action", "is_terminal", "returns")


def _counting(calls: dict[str, int]) -> type[Countdown]:
    """Return a `Countdown` that counts the calls of its methods."""

    def counted(name: str) -> Callable[..., Any]:
        plain = getattr(Countdown, name)

        def method(self: Countdown, *args: Any) -> Any:
            calls[name] += 1
            return plain(self, *args)

        return method

    body: dict[str, Any] = {name: counted(name) for name in _RULES if name != "clone"}

    def clone(self: Countdown) -> Countdown:
        calls["clone"] += 1
        return type(self)(self.left)

    return type("CountingCountdown", (Countdown,), {**body, "clone": clone, "__slots__": ()})


def _seconds_of_calls(calls: dict[str, int], length: int) -> float:
    """Return the duration of these numbers of calls of each method in a bare loop."""
    state = Countdown(length)
    total = 0.0
    for name, count in calls.items():
        method = getattr(state, name)
        started = time.process_time()
        if name == "apply_action":
            for _ in repeat(None, count):
                method(0)
        else:
            for _ in repeat(None, count):
                method()
        total += time.process_time() - started
    return total


@dataclass(frozen=True)
class Overhead:
    """Microseconds per simulation on a plain Python state: in all, in the game's methods, and the rest."""

    length: int
    simulations: int
    total: list[float]
    calls: list[float]

    @property
    def own(self) -> float:
        return min(self.total) - min(self.calls)


def overhead(length: int, rounds: int, seconds: float) -> Overhead:
    """Measure the search's own time on a `Countdown`: the total minus the calls of the game's methods.

    In processor time, and the minimum over the rounds: it is an absolute number, and other load on the
    machine can only increase it.
    """

    def searched(simulations: int, seed: int) -> float:
        state = Countdown(length)
        started = time.process_time()
        bw.MCTS(c=peers.C, proofs=False, seed=seed).search(state, simulations=simulations)
        return time.process_time() - started

    searched(100, 0)
    simulations = amount_for(searched, seconds, 1000)
    calls = dict.fromkeys(_RULES, 0)
    bw.MCTS(c=peers.C, proofs=False, seed=1).search(_counting(calls)(length), simulations=simulations)
    assert calls["returns"] == simulations
    micro = 1e6 / simulations
    total, own_calls = [], []
    for number in range(rounds):
        total.append(searched(simulations, number + 1) * micro)
        own_calls.append(_seconds_of_calls(calls, length) * micro)
    return Overhead(length, simulations, total, own_calls)


# --- the report -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A titled table of texts."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def text(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.header))]
        written = [
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, *(f"  {line}" for line in written)])

    def markdown(self) -> str:
        rule = ["---", *["---:"] * (len(self.header) - 1)]
        lines = [self.header, rule, *self.rows]
        return "\n".join([f"**{self.title}**", "", *(f"| {' | '.join(line)} |" for line in lines)])


def rate_table(title: str, unit: str, series: list[Series]) -> Table:
    """Tabulate rates, and the ratio of the first of `series` to each."""
    rows = [
        (
            one.name,
            _short(one.median),
            f"{_short(min(one.rates))} to {_short(max(one.rates))}",
            "" if one is series[0] else f"{ratio(series[0], one):.3g}x",
            f"{one.amount:,}",
        )
        for one in series
    ]
    return Table(title, ("", f"{unit}/s", "range", "ours is", "measured on"), rows)


def memory_table(game: str, simulations: int) -> tuple[Table, dict[str, Any]]:
    """Tabulate bytes per node. Trees of native code, measured by process growth, are made 40 times larger."""
    rows, found = [], dict[str, Any]()
    for contender in peers.contenders(game):
        memory = peers.measure_memory(contender, game, simulations * (40 if contender.native else 1))
        found[contender.name] = asdict(memory)
        rows.append((contender.name, f"{memory.bytes_per_node:.1f}", f"{memory.nodes:,}", memory.how))
    tree = bw.MCTS(seed=1).search(bw.load_game(game)(), simulations=1000).tree
    exact = tree.num_bytes / len(tree)
    found["Branchwise, exactly"] = exact
    rows.insert(0, ("Branchwise, exactly", f"{exact:.1f}", "any", "tree.num_bytes"))
    return Table(f"Memory of the tree, {game}", ("", "bytes a node", "nodes", "by"), rows), found


def _short(number: float) -> str:
    if number >= 999_500:
        return f"{number / 1e6:.2f} M"
    return f"{number / 1e3:.0f} k" if number >= 9_950 else f"{number:,.0f}"


@dataclass(frozen=True)
class Target:
    """A requirement and the measured value."""

    what: str
    wanted: str
    measured: str
    met: bool


def targets_table(targets: list[Target]) -> Table:
    rows = [(t.what, t.wanted, t.measured, "yes" if t.met else "NO") for t in targets]
    return Table("What has to hold", ("", "wanted", "measured", "met"), rows)


def machine() -> dict[str, Any]:
    """Return a description of the machine."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2] for line in cpuinfo.read_text().splitlines() if "model name" in line]
        processor = names[0].strip() if names else processor
    packages = ("branchwise", "numba", "numpy", "open_spiel", "mctspy", "mcts")
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


# --- putting it together -----------------------------------------------------------------------------------


class Report:
    """Prints tables as they are made, and keeps everything for `--json`."""

    def __init__(self, markdown: bool) -> None:
        self._markdown = markdown
        self.content: dict[str, Any] = {}
        self.targets: list[Target] = []

    def show(self, table: Table) -> None:
        print(table.markdown() if self._markdown else table.text(), end="\n\n", flush=True)

    def add_series(self, key: str, title: str, unit: str, series: list[Series]) -> None:
        self.content[key] = [
            {**asdict(one), "median": one.median, "ratio": ratio(series[0], one)} for one in series
        ]
        self.show(rate_table(title, unit, series))

    def want_ratio(self, what: str, series: list[Series], against: str, least: float) -> None:
        other = next(one for one in series if one.name == against)
        found = ratio(series[0], other)
        self.targets.append(Target(what, f">= {least:g}x", f"{found:.3g}x", found >= least))

    def want_less(self, what: str, unit: str, found: float, most: float) -> None:
        self.targets.append(Target(what, f"<= {most:g} {unit}", f"{found:.3g} {unit}", found <= most))


def run(options: argparse.Namespace) -> Report:
    report = Report(options.markdown)
    report.content["machine"] = machine()
    facts = ", ".join(f"{key} {value}" for key, value in report.content["machine"].items())
    print(f"{facts}\n{options.rounds} rounds of about {options.seconds:g} s\n", flush=True)
    rounds, seconds = options.rounds, options.seconds
    least_cpp = {"tic_tac_toe": 2, "connect_four": 10, "ultimate_tic_tac_toe": 5, "pig": 5, "backgammon": 30}
    least_cpp |= dict.fromkeys(peers.BOARD_GAMES, 10) | dict.fromkeys(("breakthrough", "hex", "othello"), 15)
    least_cpp |= {"quoridor": 2, "chinese_checkers": 4}
    for game in options.games:
        if "search" in options.parts:
            series = search_speed(game, rounds, seconds, MILLION)
            report.add_series(f"search/{game}", f"Search, {game}", "simulations", series)
            report.want_ratio(f"{game}: OpenSpiel C++", series, "OpenSpiel C++", least_cpp[game])
            if game in LIGHT_GAMES:
                report.want_ratio(f"{game}: mctspy", series, "mctspy", 100)
        if "playouts" in options.parts and game not in peers.WITH_DICE:
            series = playout_speed(game, rounds, seconds)
            report.add_series(f"playouts/{game}", f"Uniform random games, {game}", "games", series)
            if game in ("connect_four", *peers.BOARD_GAMES) and least_cpp[game] >= 10:
                report.want_ratio(f"{game}: random games, OpenSpiel C++", series, "OpenSpiel C++", 20)
        gc.collect()
    if "memory" in options.parts:
        table, found = memory_table("connect_four", 1000 if options.quick else 5000)
        report.content["memory"] = found
        report.show(table)
        report.want_less("memory", "bytes a node", found["Branchwise, exactly"], 32)
    if "buffer" in options.parts:
        series = buffer_speed(rounds, seconds)
        report.add_series("buffer", "Listing legal actions, connect_four", "games", series)
        report.want_ratio("generator against buffer", series, "buffer filled by hand", 0.9)
    if "overhead" in options.parts:
        found_overheads = [overhead(length, rounds, seconds) for length in GAME_LENGTHS]
        report.content["overhead"] = [{**asdict(one), "own": one.own} for one in found_overheads]
        rows = [
            (f"{one.length} moves", f"{min(one.total):.2f}", f"{min(one.calls):.2f}", f"{one.own:.2f}")
            for one in found_overheads
        ]
        header = ("length of the game", "all", "the game's calls", "the search")
        report.show(Table("Plain Python state object, microseconds a simulation", header, rows))
        typical = next(one for one in found_overheads if one.length == TYPICAL_LENGTH)
        what = f"plain Python state, {TYPICAL_LENGTH} moves"
        report.want_less(what, "microseconds", typical.own, 10)
    report.content["targets"] = [asdict(target) for target in report.targets]
    report.show(targets_table(report.targets))
    return report


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--rounds", type=int, help="measurements of each contender (5)")
    parser.add_argument("--seconds", type=float, help="length of one measurement, about (2)")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=USUAL_GAMES, help="all but board games")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="all five")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to FILE")
    parser.add_argument("--markdown", action="store_true", help="print tables as Markdown")
    parser.add_argument("--processor-time", action="store_true", help="time by it, beside other work")
    parser.add_argument("--quick", action="store_true", help="by default 2 rounds of 0.3 s")
    options = parser.parse_args(arguments)
    if options.processor_time:
        use_processor_time()
    options.rounds = options.rounds or (2 if options.quick else 5)
    options.seconds = options.seconds or (0.3 if options.quick else 2.0)
    report = run(options)
    if options.json:
        options.json.write_text(json.dumps(report.content, indent=1) + "\n")
        print(f"written to {options.json}", file=sys.stderr)


if __name__ == "__main__":
    main()
