"""The duration of whole processes: importing, `--help`, the first search ever, and the first in a process.

Each command runs several times. Times include the start of Python, which is also shown alone. The first
search ever starts with an empty folder of compiled code. The next one uses what the first left behind, and
Numba is asked whether it compiled anything. Last comes the wait for the first move of a game that was never
compiled, in `play`, in `match` and on the page; see first_moves.py.

    python benchmarks/startup.py
    python benchmarks/startup.py --runs 3 --first-runs 1 --game tic_tac_toe
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from first_moves import CACHE_VARIABLE, measured

SIMULATIONS = 1000

_SEARCH_CODE = (
    "import branchwise as bw; print(bw.MCTS().search(bw.load_game({game!r})(), simulations={simulations}))"
)

_COUNT_COMPILES = """
import sys
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    try:
        {body}
    except SystemExit as end:
        assert not end.code, end.code
print("compiled:", sum(1 for _, e in recorder.buffer if e.is_start), file=sys.stderr)
"""


@dataclass(frozen=True)
class Ran:
    """One run of a command: seconds by the clock, seconds of processor time, and its error output."""

    seconds: float
    processor: float
    errors: str


@dataclass(frozen=True)
class Timing:
    """One command, run several times; `limit` is the maximum for its median by the clock."""

    what: str
    runs: list[Ran]
    limit: float | None = None

    @property
    def seconds(self) -> list[float]:
        return [ran.seconds for ran in self.runs]

    def line(self) -> str:
        verdict = ""
        if self.limit is not None:
            verdict = f"< {self.limit:g} s: {'yes' if median(self.seconds) < self.limit else 'NO'}"
        spread = f"{min(self.seconds):.3f} to {max(self.seconds):.3f}"
        used = median(ran.processor for ran in self.runs)
        return f"{self.what:<60} {median(self.seconds):7.3f}   {spread:<17} {used:9.3f}   {verdict}".rstrip()


def run(command: Sequence[str], folder: str) -> Ran:
    """Run a command with `folder` for compiled code; raises `RuntimeError` with its output if it fails."""
    environment = {**os.environ, CACHE_VARIABLE: folder}
    used = _processor_seconds()
    started = time.perf_counter()
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    taken = time.perf_counter() - started
    if ended.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{ended.stderr}")
    return Ran(taken, _processor_seconds() - used, ended.stderr)


def _processor_seconds() -> float:
    """Return the processor time of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(what: str, command: Sequence[str], folder: str, runs: int, limit: float | None = None) -> Timing:
    return Timing(what, [run(command, folder) for _ in range(runs)], limit)


def command_line() -> list[str] | None:
    """Return the command for this Python's program `branchwise`, or None if it is not installed."""
    script = Path(sys.executable).parent / "branchwise"
    if find_spec("branchwise.cli.app") is None or not script.exists():
        return None
    return [str(script)]


def search_command(game: str) -> tuple[str, list[str], str]:
    """Return a typical search of `game`: its name, the command, and the same as Python code."""
    program = command_line()
    if program is None:
        code = _SEARCH_CODE.format(game=game, simulations=SIMULATIONS)
        return f'python -c "...search({game})"', [sys.executable, "-c", code], code
    arguments = ["search", game, "--simulations", str(SIMULATIONS)]
    body = f"sys.argv[1:] = {arguments!r}; from branchwise.cli.app import main; main()"
    return f"branchwise {' '.join(arguments)}", program + arguments, body


def compiles_counted(body: str, folder: str) -> int:
    """Return how many functions Numba compiles while `body` runs in a new process."""
    ran = run([sys.executable, "-c", _COUNT_COMPILES.format(body=body)], folder)
    return int(ran.errors.rsplit("compiled:", 1)[1])


def measure(game: str, runs: int, first_runs: int) -> dict[str, object]:
    timings: list[Timing] = []

    def show(timing: Timing) -> None:
        timings.append(timing)
        print(timing.line(), flush=True)

    print(f"{'':<60} {'median':>7}   {'range':<17} {'processor':>9}   seconds")
    python = [sys.executable, "-c"]
    what, search, body = search_command(game)
    first: list[Ran] = []
    with tempfile.TemporaryDirectory() as shared:
        for code in ("import branchwise", "pass"):
            run([*python, code], shared)  # so that the files are in the system's cache
        show(timed('python -c "pass"', [*python, "pass"], shared, runs))
        show(timed('python -c "import branchwise"', [*python, "import branchwise"], shared, runs, 0.3))
        program = command_line()
        if program is None:
            print("branchwise --help: there is no command line yet")
        else:
            show(timed("branchwise --help", [*program, "--help"], shared, runs, 0.3))
        for number in range(first_runs):
            with tempfile.TemporaryDirectory() as empty:
                ran = run(search, shared if number == 0 else empty)
            first.append(ran)
        show(Timing(f"first: {what}", first, 10.0))
        said = first[-1].errors.strip()
        print(f"  it says: {said or 'NOTHING'}")
        kept = sorted(Path(shared).iterdir())
        show(timed(f"second: {what}", search, shared, runs, 1.5))
        compiled = compiles_counted(body, shared)
        quiet = "compiling" not in run(search, shared).errors
        same = sorted(Path(shared).iterdir()) == kept
    with tempfile.TemporaryDirectory() as empty:
        at_first = compiles_counted(body, empty)
    nothing = compiled == 0 and quiet and same
    if find_spec("scipy") is not None:
        print("scipy is installed, so Numba imports it before any search: people without it wait less")
    print(f"functions compiled: {at_first} in the first process, {compiled} in the second")
    print(f"nothing compiled in the second process, no new file, no word of it: {'yes' if nothing else 'NO'}")
    moves = {} if program is None else measured(program, game, first_runs)
    return {
        "first_moves": {what: [asdict(one) for one in found] for what, found in moves.items()},
        "timings": [asdict(timing) for timing in timings],
        "says": said,
        "compiled_first": at_first,
        "compiled_second": compiled,
        "nothing_compiled": nothing,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--runs", type=int, default=9, help="runs of each short command (9)")
    parser.add_argument("--first-runs", type=int, default=3, help="runs that compile everything (3)")
    parser.add_argument("--game", default="connect_four", help="the game to search (connect_four)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to FILE")
    options = parser.parse_args(arguments)
    found = measure(options.game, options.runs, options.first_runs)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
