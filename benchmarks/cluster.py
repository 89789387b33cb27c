"""Games a second on Ray and Dask against the own processes, into the store, and the start of a later match.

Engines take turns with the own processes, so that load on the machine affects both; the first match of each
does not count. Ratios are of games a second, the median of the rounds. The store is written with the longest
of some records, once game by game and once in batches.

    python benchmarks/cluster.py
    python benchmarks/cluster.py --engines dask --rounds 5 --games 200
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path

import branchwise as bw
from branchwise.arena.play.pool import warm_workers
from branchwise.arena.records.record import GameRecord

GAME = "tic_tac_toe"
BATCH = 100


def played(bot: str, games: int, seed: int, proofs: bool = True) -> tuple[float, list[GameRecord]]:
    """Play a match of a bot against itself with a store; return its games a second and their records."""
    with tempfile.TemporaryDirectory() as folder, bw.Store(Path(folder) / "matches.db") as store:
        began = time.perf_counter()
        result = bw.Match(GAME, [bot, bot], games=games, seed=seed, concurrency=2, proofs=proofs).run(
            store=store
        )
        took = time.perf_counter() - began
        return games / took, store.games(result.id or 0)


def engine_ratio(engine: str, bot: str, games: int, rounds: int) -> tuple[float, float]:
    """Return games a second on an engine, and the median of their ratios to those of warm own processes."""
    there, ratios = [], []
    alone = copy_context()
    with warm_workers(), bw.on_executor(engine):
        for number in range(rounds + 1):
            on_engine = played(bot, games, number)[0]
            own = alone.run(played, bot, games, number)[0]
            if number:
                there.append(on_engine)
                ratios.append(on_engine / own)
    return statistics.median(there), statistics.median(ratios)


def store_rates(record: GameRecord, games: int) -> list[float]:
    """Return additions a second to a store, one by one and in batches, each by the clock and of its time."""
    records = [replace(record, plan=replace(record.plan, number=number)) for number in range(games)]
    rates = []
    for size in (1, BATCH):
        with tempfile.TemporaryDirectory() as folder, bw.Store(Path(folder) / "matches.db") as store:
            match = store.begin(GAME, ("a", "b"), games, {}, {})
            began, busy = time.perf_counter(), time.process_time()
            for first in range(0, games, size):
                store.add(match, *records[first : first + size])
            rates += [games / (time.perf_counter() - began), games / (time.process_time() - busy)]
    return rates


def later_match(bot: str) -> tuple[float, float]:
    """Return the seconds until the first game begins, in the first and in the second match of a series."""
    found = []
    with warm_workers():
        for seed in (1, 2):
            began = time.time()
            result = bw.Match(GAME, [bot, "random"], games=4, seed=seed, concurrency=2).run()
            found.append(min(record.began for record in result.records) - began)
    return found[0], found[1]


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--bot", default="mcts(simulations=300)", help="(mcts(simulations=300))")
    parser.add_argument("--games", type=int, default=200, help="a match (200)")
    parser.add_argument("--rounds", type=int, default=3, help="(3)")
    parser.add_argument("--engines", nargs="*", default=["dask", "ray"], help="(dask ray)")
    options = parser.parse_args(arguments)
    first, second = later_match(options.bot)
    print(f"first game of a series' first match after {first:.2f} s, of its second after {second:.2f} s")
    record = max(played(options.bot, 8, 1, proofs=False)[1], key=lambda one: len(one.moves))
    single, single_busy, batched, busy = store_rates(record, 4000)
    print(f"store, {len(record.moves)} moves a game: {single:,.0f} games/s singly, {batched:,.0f} in batches")
    print(f"    a core busy with nothing else: {single_busy:,.0f} and {busy:,.0f}")
    for engine in options.engines:
        rate, ratio = engine_ratio(engine, options.bot, options.games, options.rounds)
        print(f"{engine}: {rate:.1f} games/s, {ratio:.2f} of the own processes")


if __name__ == "__main__":
    main()
