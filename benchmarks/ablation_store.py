"""The results of `ablation.py`: matches and speeds, and the file that stores them."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from branchwise.arena.statistics.score import Score
from branchwise.common.errors import BranchwiseError


@dataclass
class Cell:
    """A match of one option in one game, with equal simulations ("simulations") or equal time ("time").

    budgets : simulations per move of the option and of the base.   score : of the option.
    seconds : processor time of its games, without compiling.
    """

    game: str
    option: str
    mode: str
    budgets: tuple[int, int] = (0, 0)
    score: Score = field(default_factory=Score)
    seconds: float = 0.0

    @property
    def pairs(self) -> int:
        """Number of pairs of games played."""
        return sum(self.score.pairs)

    def facts(self) -> dict[str, Any]:
        """Return the match as values for the file; the counts are those of `Score`."""
        return {
            "game": self.game,
            "option": self.option,
            "mode": self.mode,
            "budgets": self.budgets,
            "pairs": self.score.pairs,
            "drawn_pairs": self.score.drawn_pairs,
            "seconds": round(self.seconds, 3),
        }

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> Cell:
        score = Score(tuple(facts["pairs"]), facts["drawn_pairs"])
        mine, others = facts["budgets"]
        where = facts["game"], facts["option"], facts["mode"]
        return cls(*where, (mine, others), score, facts["seconds"])


@dataclass
class Speed:
    """Simulations per second of an option, relative to the base: median and quartiles."""

    game: str
    option: str
    ratio: float
    low: float
    high: float


class Store:
    """The results of a run, in memory and in a JSON file that is written after each match."""

    def __init__(self, path: Path | None, conditions: dict[str, Any]) -> None:
        self.path = path
        self.conditions = json.loads(json.dumps(conditions))
        self.cells: dict[tuple[str, str, str], Cell] = {}
        self.speeds: dict[tuple[str, str], Speed] = {}

    @classmethod
    def of(cls, path: Path) -> Store:
        """Return the contents of a file, under whatever conditions they were measured."""
        try:
            known = json.loads(path.read_text())
            store = cls(path, known["conditions"])
            cells = [Cell.from_facts(facts) for facts in known["cells"]]
            speeds = [Speed(**facts) for facts in known["speeds"]]
        except OSError as error:
            raise SystemExit(f"{path}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, BranchwiseError) as error:
            raise SystemExit(f"{path} is not a file of this script: {error}") from error
        store.cells = {(cell.game, cell.option, cell.mode): cell for cell in cells}
        store.speeds = {(speed.game, speed.option): speed for speed in speeds}
        return store

    def resume(self) -> None:
        """Continue from the file, if it exists and was measured under the same conditions."""
        if self.path is None or not self.path.exists():
            return
        known = Store.of(self.path)
        for name, value in self.conditions.items():
            there = known.conditions.get(name)
            if there != value:
                raise SystemExit(
                    f"{self.path} was measured with {name} = {there!r}, not {value!r}: "
                    "leave --resume out, or write to another file"
                )
        self.cells, self.speeds = known.cells, known.speeds

    def cell(self, game: str, option: str, mode: str) -> Cell:
        return self.cells.setdefault((game, option, mode), Cell(game, option, mode))

    def save(self) -> None:
        """Replace the file in one step."""
        if self.path is None:
            return
        speeds = [json.dumps(asdict(speed)) for speed in self.speeds.values()]
        cells = [json.dumps(cell.facts()) for cell in self.cells.values() if cell.pairs]
        lines = ",\n ".join
        part = self.path.with_suffix(self.path.suffix + ".part")
        part.write_text(
            f'{{"conditions": {json.dumps(self.conditions)},\n"speeds": [\n {lines(speeds)}\n],\n'
            f'"cells": [\n {lines(cells)}\n]}}\n'
        )
        os.replace(part, self.path)
