"""Storing the best line ever found for each problem in files, replayed when it is loaded."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from branchwise.common.errors import ActionError, BranchwiseError, ResultsError, SettingsError
from branchwise.common.processes import locked, replacing
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.game.rules_class import Game
from branchwise.optimise.result import OptimisationResult
from branchwise.optimise.walkers.problem import problem_facts, replayed

_FORMAT = 1
_TOLERANCE = 1e-9
_LENGTH = 16
_LOCK = ".lock"


def default_folder() -> Path:
    """Return the folder for best lines in the user's data folder."""
    from platformdirs import user_data_path

    return user_data_path("branchwise", appauthor=False) / "best_lines"


@dataclass(frozen=True)
class BestLine:
    """A line found earlier, with the `method` and `seed` that found it."""

    score: float
    line: tuple[int, ...]
    moves: tuple[str, ...]
    method: str
    seed: int


class BestLines:
    """A folder with the best line ever found for each problem, a file for each.

    Each start and each version of the rules has its own file: a line found under other rules is never
    returned.

    folder : None: `best_lines` in the user's data folder. It is created when the first line is stored.

    >>> import tempfile
    >>> import branchwise as bw
    >>> state = bw.load_game("left_move(moves=8)")()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = bw.BestLines(folder)
    ...     kept.offer(bw.NestedSearch(level=2, seed=1).search(state)), kept.best(state).score
    (True, 8.0)
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = default_folder() if folder is None else Path(folder).expanduser()

    def file_for(self, state: Any) -> Path:
        """Return the file for the best line from `state`, which may not exist yet.

        Raises `SettingsError` for rules whose versions cannot be told from each other.
        """
        if not isinstance(state, Game):
            raise SettingsError(
                f"best lines are kept for problems that are a branchwise.Game, and a {type(state).__name__} "
                "is none"
            )
        rules = compiled_type(type(state)).rules
        if not rules.fit_for_cache:
            raise SettingsError(
                f"best lines of {state.name} cannot be kept: one version of its rules cannot be told from "
                "another",
                mend="let rules read numbers, tuples and arrays alone",
            )
        whole = hashlib.sha256(f"{state.name} {rules.fingerprint} ".encode() + state.to_record().tobytes())
        label = re.sub(r"\W+", "_", state.name).strip("_")[:60]
        return self.folder / f"{label}-{whole.hexdigest()[:_LENGTH]}.json"

    def best(self, state: Any) -> BestLine | None:
        """Return the stored best line for `state`; None if there is none.

        The line is replayed. Raises `ResultsError` for an unreadable file, or if the line is not legal or has
        another score.
        """
        file = self.file_for(state)
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise _damaged(file, str(error)) from error
        try:
            if kept["format"] != _FORMAT:
                raise _damaged(file, f"it has the format {kept['format']!r}, not {_FORMAT}")
            found = BestLine(
                score=float(kept["score"]),
                line=tuple(map(int, kept["line"])),
                moves=tuple(map(str, kept["moves"])),
                method=str(kept["method"]),
                seed=int(kept["seed"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise _damaged(file, f"{type(error).__name__}: {error}") from error
        try:
            score = replayed(state, problem_facts(state, "BestLines"), found.line).score
        except ActionError as error:
            raise _damaged(file, error.problem) from error
        if not abs(score - found.score) <= _TOLERANCE * max(1.0, abs(score)):
            raise _damaged(file, f"its line has the score {score:g}, not {found.score:g}")
        return found

    def offer(self, result: OptimisationResult) -> bool:
        """Store the line of a result if it is better than the stored one; returns whether it was.

        Several threads or processes may offer lines at the same time; the best one stays.

        Raises the same as `best`, and then changes nothing; raises `ResultsError` if the file cannot be
        written.
        """
        file = self.file_for(result.state)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with locked(self.folder / _LOCK):
                return self._offer(result, file)
        except OSError as error:
            raise ResultsError(f"the best line cannot be kept in {file}: {error}") from error

    def _offer(self, result: OptimisationResult, file: Path) -> bool:
        known = self.best(result.state)
        if known is not None and known.score >= result.best_score:
            return False
        content = {
            "format": _FORMAT,
            "problem": result.facts.name,
            "score": result.best_score,
            "line": list(result.best_line),
            "moves": list(result.best_moves),
            "method": result.method,
            "seed": result.seed,
        }
        with replacing(file) as unfinished:
            unfinished.write_text(json.dumps(content, indent=1), encoding="utf-8")
        return True


def _damaged(file: Path, why: str) -> BranchwiseError:
    return ResultsError(f"{file} has no best line: {why}", mend="remove the file, or move it elsewhere")
