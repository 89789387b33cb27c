"""Large searches: ten million simulations, and one that fills its memory and continues.

Each runs in a separate process, so that the peak of memory is its own. A search keeps answering if it reports
progress all the time, and if its result can still be read, printed and walked through.

    python benchmarks/large.py                            about a minute, 0.6 GB
    python benchmarks/large.py --simulations 1000000 --memory-mb 8
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

import branchwise as bw


@dataclass(frozen=True)
class Outcome:
    """The measurements of one search. Memory is in units of 2**20 bytes; peaks are of the whole process."""

    simulations: int
    seconds: float
    nodes: int
    tree_mb: float
    memory_mb: float
    memory_full: bool
    ended_by: str
    peak_before_mb: float
    peak_mb: float
    reports: int
    longest_silence: float
    answer_seconds: float
    best_move: str
    value: float
    table: str

    @property
    def within_budget(self) -> bool:
        """Whether tree and process growth fit the budget, with an allowance of 32 MB for everything else."""
        grown = self.peak_mb - self.peak_before_mb
        return self.tree_mb <= self.memory_mb and grown <= self.memory_mb + 32

    def lines(self) -> list[str]:
        rate = self.simulations / self.seconds
        return [
            f"{self.simulations:,} simulations in {self.seconds:.1f} s ({rate / 1000:,.0f} k/s), "
            f"ended by {self.ended_by}",
            f"{self.nodes:,} nodes, {self.tree_mb:.1f} MB of at most {self.memory_mb:g}; "
            f"memory full: {'yes' if self.memory_full else 'no'}",
            f"peak of the process: {self.peak_mb:.0f} MB, {self.peak_before_mb:.0f} before the search; "
            f"within the budget: {'yes' if self.within_budget else 'NO'}",
            f"{self.reports} reports of progress, at most {self.longest_silence:.2f} s apart; "
            f"reading and printing the result took {self.answer_seconds:.3f} s",
            *("  " + line for line in self.table.splitlines()),
        ]


def search(game: str, simulations: int, memory_mb: float) -> Outcome:
    """Search from the start of `game`, and read everything that the result offers."""
    planner = bw.MCTS(memory_mb=memory_mb, seed=1)
    state = bw.load_game(game)()
    planner.search(state, simulations=1000)
    reported = [time.perf_counter()]
    before = _peak_mb()
    result = planner.search(
        state, simulations=simulations, progress=lambda _: reported.append(time.perf_counter())
    )
    ended = time.perf_counter()
    assert result.tree.root.visits == result.simulations == simulations
    table = str(result)
    assert abs(sum(result.policy().values()) - 1) < 1e-9
    assert sum(child.visits for child in result.children) == simulations
    following = bw.load_game(game).from_actions(result.principal_variation)
    node = result.tree.root
    for expected in result.principal_variation:
        best = node.best_child()
        assert best is not None
        assert best.action == expected
        node = best
    answered = time.perf_counter() - ended
    if not following.is_terminal():
        planner.search(following, simulations=1000)
    gaps = [later - earlier for earlier, later in zip(reported, [*reported[1:], ended], strict=True)]
    return Outcome(
        simulations=result.simulations,
        seconds=result.seconds,
        nodes=len(result.tree),
        tree_mb=result.tree.num_bytes / 2**20,
        memory_mb=memory_mb,
        memory_full=result.memory_full,
        ended_by=result.ended_by,
        peak_before_mb=before,
        peak_mb=_peak_mb(),
        reports=len(reported) - 1,
        longest_silence=max(gaps),
        answer_seconds=answered,
        best_move=result.action_text(result.best_action),
        value=result.value,
        table=table,
    )


def search_alone(game: str, simulations: int, memory_mb: float) -> Outcome:
    """Run `search` in a separate process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(search, game, simulations, memory_mb).result()


def _peak_mb() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--game", default="connect_four", help="the game to search (connect_four)")
    parser.add_argument(
        "--simulations", type=int, default=10_000_000, help="simulations of each search (10,000,000)"
    )
    parser.add_argument("--memory-mb", type=float, default=64, help="the small budget of the second (64)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to FILE")
    options = parser.parse_args(arguments)
    found = {}
    for title, memory_mb in (("large", 1024.0), ("memory is filled", options.memory_mb)):
        outcome = search_alone(options.game, options.simulations, memory_mb)
        found[title] = asdict(outcome)
        print(f"{options.game}, {title}", *outcome.lines(), "", sep="\n", flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
