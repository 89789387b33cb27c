"""Matches between two bots, kept in a JSON file that later runs continue.

A contest is what is compared: values by name, such as the game and the two bots. Its games are played as
short matches with different seeds. Each match is a row of the file: the values of its contest, and its score.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import branchwise as bw
from branchwise.arena.match_result import INTERRUPTED
from branchwise.arena.statistics.elo import elo_difference
from branchwise.arena.statistics.score import Score

Row = dict[str, Any]
SCORE = ("seed", "pairs", "drawn_pairs", "singles", "plies", "took")
"""The entries of a row besides those of its contest."""
PATIENCE = 600.0
"""Seconds after which a bot without a limit of time counts as hanging."""


def play(
    game: str, bots: Sequence[str], *, games: int, seed: int, openings_depth: int, proofs: bool = True
) -> Row:
    """Play a match; returns the entries `SCORE`.

    Exits if a bot loses by a fault. Raises KeyboardInterrupt after Ctrl-C: what was played does not count.
    """
    match = bw.Match(
        game,
        bots,
        games=games,
        openings_depth=openings_depth,
        proofs=proofs,
        patience=PATIENCE,
        concurrency=1,
        seed=seed,
    )
    result = match.run()
    if result.ended_by == INTERRUPTED:
        raise KeyboardInterrupt
    for record in result.faults():
        raise SystemExit(f"{bots[record.bot_at_fault or 0]} lost by a fault: {record.detail}")
    score = result.score()
    plies = sum(len(record.moves) for record in result.records)
    return dict(
        zip(
            SCORE,
            (
                seed,
                list(score.pairs),
                score.drawn_pairs,
                list(score.singles),
                plies,
                round(result.seconds, 1),
            ),
            strict=True,
        )
    )


def total(rows: Sequence[Row]) -> Score:
    """Return the score of all rows together.

    >>> row = {"pairs": [0, 0, 1, 0, 2], "drawn_pairs": 0, "singles": [0, 0, 1]}
    >>> print(total([row, row]))
    +12 =0 -2, 85.7 % [60.6, 95.9]
    """
    score = Score()
    for row in rows:
        score += Score(tuple(row["pairs"]), row["drawn_pairs"], tuple(row["singles"]))
    return score


def verdict(score: Score) -> str:
    """Return a score as text, with the difference in Elo."""
    return f"{score.games} games, {score}, Elo {elo_difference(score)}"


class Rows:
    """The rows of a file, which is written whenever one is added; without a path they are kept in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.all: list[Row] = json.loads(path.read_text()) if path and path.exists() else []

    def of(self, contest: Mapping[str, Any]) -> list[Row]:
        """Return the rows of a contest."""
        return [row for row in self.all if contest_of(row) == contest]

    def left(self, contest: Mapping[str, Any], games: int) -> int:
        """Return how many of a contest's games are still to be played."""
        return max(games - total(self.of(contest)).games, 0)

    def next_seed(self, contest: Mapping[str, Any], first: int = 1) -> int:
        """Return the seed of a contest's next match: the one after its greatest; `first` if it has none."""
        return max((row["seed"] + 1 for row in self.of(contest)), default=first)

    def add(self, row: Row) -> None:
        self.all.append(row)
        if self._path:
            self._path.write_text("[\n" + ",\n".join(map(json.dumps, self.all)) + "\n]\n")

    def contests(self) -> list[Row]:
        """Return all contests, in the order in which they began."""
        found: list[Row] = []
        for row in self.all:
            if contest_of(row) not in found:
                found.append(contest_of(row))
        return found


def contest_of(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in SCORE}
