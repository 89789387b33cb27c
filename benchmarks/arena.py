"""The arena's own time: matches between bots with a fixed time per move, one and several games at once.

Matches with one game at once and with several take turns. "Outside of bots" is the share of time in which
bots did not think, from the start of the first game to the end of the last: rules, records, the store, and
one process waiting for another's last game. "Within games" is the same share for the games alone.

    python benchmarks/arena.py
    python benchmarks/arena.py --games 120 --rounds 5 --at-once 4
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import branchwise as bw


class Measured(NamedTuple):
    """Of one match: a bot's mean seconds per move, shares of time outside of bots, and games per hour."""

    move: float
    within: float
    outside: float
    games: float


def measure(game: str, bot: str, games: int, seconds: float, at_once: int, seed: int) -> Measured:
    """Play a match of a bot against itself with a separate store, and measure its time."""
    match = bw.Match(game, [bot, bot], games=games, seconds=seconds, concurrency=at_once, seed=seed)
    with tempfile.TemporaryDirectory() as folder, bw.Store(Path(folder) / "matches.db") as store:
        records = store.games(match.run(store=store).id)
    assert len(records) == games
    faults = [record.detail for record in records if record.ending in ("time", "error", "hung", "died")]
    assert not faults, faults
    thought = [move.seconds or 0.0 for record in records for move in record.moves]
    took = max(one.began + one.seconds for one in records) - min(one.began for one in records)
    playing = sum(one.seconds for one in records)
    processes = min(at_once, games)
    return Measured(
        statistics.mean(thought),
        1 - sum(thought) / playing,
        1 - sum(thought) / (took * processes),
        games * 3600 / took,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--game", default="connect_four", help="(connect_four)")
    parser.add_argument("--bot", default="mcts(early_stop=False)", help="(mcts(early_stop=False))")
    parser.add_argument("--seconds", type=float, default=0.01, help="a move (0.01)")
    parser.add_argument("--games", type=int, default=100, help="a match (100)")
    parser.add_argument("--rounds", type=int, default=3, help="(3)")
    parser.add_argument("--at-once", type=int, default=2, help="games at once, against one (2)")
    options = parser.parse_args(arguments)
    runs: dict[int, list[Measured]] = {1: [], options.at_once: []}
    for seed in range(options.rounds):
        for at_once, found in runs.items():
            one = measure(options.game, options.bot, options.games, options.seconds, at_once, seed)
            found.append(one)
            print(
                f"{at_once} at once: {one.move * 1e3:.2f} ms a move; outside of bots {one.within:.2%} within "
                f"games, {one.outside:.2%} of all; {one.games:,.0f} games an hour"
            )
    ratios = [
        several.games / single.games for single, several in zip(runs[1], runs[options.at_once], strict=True)
    ]
    print(f"{options.at_once} at once: {statistics.median(ratios):.2f} times the games an hour (median)")


if __name__ == "__main__":
    main()
