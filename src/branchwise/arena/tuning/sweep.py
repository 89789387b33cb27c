"""Sweeps: how a bot's strength depends on its settings, with one match for each combination.

In a game of two the bot plays an opponent, and its strength is its score. In a game for one player it plays
alone, and its strength is its mean return.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from branchwise.arena.match import Match
from branchwise.arena.match_conditions import Openings
from branchwise.arena.match_result import COMPLETE, INTERRUPTED, Standing
from branchwise.arena.play.participants import game_text, reference
from branchwise.arena.statistics.elo import EloDifference, elo_difference
from branchwise.arena.statistics.means import Returns
from branchwise.arena.statistics.score import Score
from branchwise.arena.tuning.series import Experiment, R, Series, check_opponent, check_pairs
from branchwise.arena.tuning.setting_grid import (
    Axis,
    Value,
    axes_of,
    check_placeholders,
    fill,
    grid,
    value_text,
)
from branchwise.bots import BOTS
from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError
from branchwise.game.rules_class import Game
from branchwise.games import load_game

MOST_CELLS = 10_000


@dataclass(frozen=True)
class Cell:
    """One combination of settings; values : one for each axis.   bot, against : the two bots.

    against : '' in a game for one player.
    match : number in the store, or None.   score, returns : of `bot`, the latter in a game for one player;
    empty if no game was played.   faults : number of games lost by a fault.   complete : whether all games
    have been played.
    """

    values: tuple[Value, ...]
    bot: str
    against: str
    match: int | None = None
    score: Score = field(default_factory=Score)
    faults: int = 0
    complete: bool = False
    returns: Returns = field(default_factory=Returns)

    @property
    def is_alone(self) -> bool:
        """Whether the bot plays without an opponent."""
        return not self.against

    @property
    def games(self) -> int:
        return self.returns.games if self.is_alone else self.score.games

    @property
    def strength(self) -> float | None:
        """Points per game, or the mean return of a bot that plays alone.

        None without games, and for a bot that failed alone.
        """
        if self.is_alone:
            return None if (known := self.returns.known) is None else known.mean
        return self.score.mean if self.games else None

    @property
    def elo(self) -> EloDifference | None:
        """Difference in Elo with its interval; None without games."""
        return elo_difference(self.score) if self.score.games else None


@dataclass(frozen=True)
class SweepProgress:
    """Progress of a sweep or a tuner: the cell in play, the number of finished cells, the match standing."""

    cell: Cell
    done: int
    cells: int
    standing: Standing


Progress = Callable[[SweepProgress], object]


@dataclass(frozen=True)
class SweepResult:
    """The result of a sweep; cells : in the order of `grid.grid`; those not reached have no games.

    id : number in the store, or None.   games : requested for each cell.   ended_by : "games" or
    "interrupted".
    """

    id: int | None
    game: str
    axes: tuple[Axis, ...]
    games: int
    cells: tuple[Cell, ...] = field(repr=False)
    ended_by: str = COMPLETE

    def table(self) -> list[dict[str, Any]]:
        """Return one row of plain values for each cell: a column for each axis, then `COLUMNS`."""
        return [
            dict(zip((one.name for one in self.axes), cell.values, strict=True)) | row(cell)
            for cell in self.cells
        ]

    @property
    def is_alone(self) -> bool:
        """Whether the game is for one player: cells have mean returns, and no score."""
        return self.cells[0].is_alone

    def __str__(self) -> str:
        """Return a table of the cells: score and Elo, or mean returns, each with its 95 % interval."""
        told = ["mean return"] if self.is_alone else ["score", "Elo"]
        lines = [[*(one.name for one in self.axes), *told]]
        for cell in self.cells:
            shown = [value_text(value) for value in cell.values]
            if self.is_alone:
                lines.append([*shown, str(cell.returns.known or "")])
            else:
                lines.append([*shown, str(cell.score), str(cell.elo or "")])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )


COLUMNS = ("games", "wins", "draws", "losses", "score", "low", "high", "elo", "elo_low", "elo_high", "faults")
"""Columns for a cell: counts for its bot; points per game with the 95 % interval; the same in Elo."""

COLUMNS_ALONE = ("games", "mean", "low", "high", "best", "faults")
"""The same for a bot that plays alone: its mean return with the 95 % interval, and the best."""


def row(cell: Cell) -> dict[str, Any]:
    """Return a cell as plain values: its bots, its match and the columns; None where games are missing."""
    if cell.is_alone:
        found = cell.returns.known
        return {
            "bot": cell.bot,
            "match": cell.match,
            "games": cell.games,
            "mean": found and found.mean,
            "low": found and found.low,
            "high": found and found.high,
            "best": cell.returns.best if found else None,
            "faults": cell.faults,
        }
    score, elo = cell.score, cell.elo
    low, high = score.interval()
    played = score.games > 0
    return {
        "bot": cell.bot,
        "against": cell.against,
        "match": cell.match,
        **score.counts(),
        "score": score.mean if played else None,
        "low": low if played else None,
        "high": high if played else None,
        "elo": elo.value if elo else None,
        "elo_low": elo.low if elo else None,
        "elo_high": elo.high if elo else None,
        "faults": cell.faults,
    }


class GridExperiment(Experiment[SweepProgress, R]):
    """An experiment on a bot with varying settings: a sweep, or a tuner."""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, concurrency: int | None = None) -> Self:
        """Return the experiment that has these `settings`."""
        vary = [Axis(name, tuple(values), log) for name, values, log in settings["vary"]]
        build: Callable[..., Self] = cls
        return build(**{**settings, "vary": vary}, concurrency=concurrency)


class Sweep(GridExperiment[SweepResult]):
    """A bot with varying settings against an opponent, with one match for each combination.

    game, simulations, seconds, openings, openings_depth, proofs, concurrency : as for `Match`.
    bot : text form with names in braces, "mcts(c={c},simulations={n})".   vary : the values of each name, as
    a list or in the text form of `grid.parse_vary`; or a list of such texts with the name in front.
    against : the opponent, in a game of two; it may have names in braces too.   games : in each cell, an even
    number in a game of two.
    seed : the same seed gives the same games; None: a new one. All cells have the same openings and the same
    dice, so that differences between settings are not due to these.

    Raises `SettingsError` for values that cannot be read or built, before any game is played.

    >>> import branchwise as bw
    >>> vary = {"n": [4, 64]}
    >>> sweep = bw.Sweep("nim", "flat(simulations={n})", vary=vary, against="random", games=4, seed=1)
    >>> result = sweep.run()
    >>> [(cell.bot, cell.score.games) for cell in result.cells]
    [('flat(simulations=4)', 4), ('flat(simulations=64)', 4)]
    """

    kind = "sweep"

    def __init__(
        self,
        game: str | type[Game],
        bot: str,
        *,
        vary: Mapping[str, str | Iterable[Value]] | Sequence[str | Axis],
        against: str | None = None,
        games: int = 100,
        simulations: int | None = None,
        seconds: float | None = None,
        openings: Openings | None = None,
        openings_depth: int | None = None,
        proofs: bool = True,
        concurrency: int | None = None,
        seed: int | None = None,
    ) -> None:
        self.axes = axes_of(vary)
        if not self.axes:
            raise SettingsError("nothing is varied", mend='--vary "c=0.25:2:8", or vary={"c": "0.25:2:8"}')
        check_placeholders([bot, against or ""], self.axes)
        values = grid(self.axes)
        whole_number("the number of cells", len(values), 1, MOST_CELLS)
        whole_number("seed", seed, -(2**127), 2**127, optional=True)
        self.seed = secrets.randbits(32) if seed is None else int(seed)
        self.games = games
        self.concurrency = concurrency
        self.game = game_text(game)
        check_opponent(load_game(self.game), against)
        self._bot, self._against = bot, against
        self._cells = [Cell(v, fill(bot, self.axes, v), fill(against or "", self.axes, v)) for v in values]
        self._common: dict[str, Any] = {
            "simulations": simulations,
            "seconds": seconds,
            "openings_depth": openings_depth,
            "proofs": proofs,
        }
        self._openings = openings
        for cell in self._cells:
            match = self.match(cell, games=games, seed=self.seed)
            check_pairs(match)
            if openings is not None:
                self._openings = match.settings()["openings"]

    def __repr__(self) -> str:
        against = "" if self._against is None else f" against {self._against}"
        return f"<Sweep of {self._bot}{against} at {self.game}, {len(self._cells):,} cells>"

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells in order, without games."""
        return tuple(self._cells)

    def match(self, cell: Cell, *, games: int, seed: int) -> Match:
        """Return a match of a cell's bots."""
        return Match(
            self.game,
            [cell.bot] if cell.is_alone else [cell.bot, cell.against],
            games=games,
            seed=seed,
            openings=self._openings,
            concurrency=self.concurrency,
            **self._common,
        )

    def settings(self) -> dict[str, Any]:
        """Return all settings that decide how the games are played, as values for JSON."""
        return {
            "game": self.game,
            "bot": _anywhere(self._bot),
            "against": None if self._against is None else _anywhere(self._against),
            "vary": [[one.name, list(one.values), one.log] for one in self.axes],
            "games": self.games,
            "openings": self._openings,
            "seed": self.seed,
            **self._common,
        }

    def _play(self, series: Series, progress: Progress | None) -> SweepResult:
        cells = list(self._cells)
        ended_by = COMPLETE
        for at, cell in enumerate(cells):
            match = self.match(cell, games=self.games, seed=self.seed)
            cells[at] = play_cell(series, str(at), cell, match, telling(progress, cell, at, len(cells)))
            if not cells[at].complete:
                ended_by = INTERRUPTED
                break
        return SweepResult(series.id, self.game, self.axes, self.games, tuple(cells), ended_by)


def play_cell(
    series: Series, key: str, cell: Cell, match: Match, progress: Callable[[Standing], object] | None
) -> Cell:
    """Return `cell` with the results of its match."""
    played = series.play(key, match, progress)
    return replace(
        cell,
        match=played.id,
        score=played.score,
        returns=played.returns,
        faults=played.faults,
        complete=played.complete,
    )


def telling(
    progress: Progress | None, cell: Cell, done: int, cells: int
) -> Callable[[Standing], object] | None:
    """Return the progress callback for one match, while `done` of the cells are finished."""
    if progress is None:
        return None
    return lambda standing: progress(SweepProgress(cell, done, cells, standing))


def _anywhere(text: str) -> str:
    """Return the text of a bot with a name that is valid in any folder, if it names a file or class."""
    name, bracket, options = text.partition("(")
    return text if "{" in name else f"{reference(BOTS, name.strip())}{bracket}{options}"
