"""A tuner: finds the best of many settings, spending games where they are most informative.

Sequential halving [Karnin13]: all settings play the same openings. The better half advances to a round with
the same total number of games, so each remaining setting plays twice as many; and so on until one is left.
For a fixed number of games and unknown settings, no method needs fewer games by more than a logarithmic
factor.

The setting with the best score was probably also lucky, the more so the more settings there are. So some
games are held back: they measure the winner again and have no part in choosing it.
[Karnin13] Karnin, Koren, Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, TypeVar, Unpack, cast

from branchwise.arena.match_conditions import MAX_GAMES, PlayOptions
from branchwise.arena.match_result import COMPLETE, INTERRUPTED
from branchwise.arena.schedule.match_games import derived_seed
from branchwise.arena.statistics.means import Returns
from branchwise.arena.statistics.score import Score
from branchwise.arena.tuning.series import Series
from branchwise.arena.tuning.setting_grid import Axis, Value
from branchwise.arena.tuning.sweep import Cell, GridExperiment, Progress, Sweep, play_cell, telling
from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError
from branchwise.game.rules_class import Game

KEPT_BACK = 4
"""One game in this many is held back to measure the winner."""
LAST = "winner"


@dataclass(frozen=True)
class Round:
    """A round of the tuner; settings : number of settings.   games : for each of them, in whole pairs."""

    settings: int
    games: int


def halving(settings: int, games: int, together: int = 2, keep: int = 1) -> list[Round]:
    """Return the rounds that reduce `settings` settings to `keep` with about `games` games.

    together : games per unit: 2 in pairs, 1 for a bot that plays alone. Raises `SettingsError` if the games
    do not suffice for `together` of each setting in each round.

    >>> halving(8, 240)
    [Round(settings=8, games=10), Round(settings=4, games=20), Round(settings=2, games=40)]
    >>> halving(16, 192, keep=4)
    [Round(settings=16, games=6), Round(settings=8, games=12)]
    """
    sizes = [settings]
    while sizes[-1] > 2 * keep:
        sizes.append((sizes[-1] + 1) // 2)
    rounds = [Round(size, games // (len(sizes) * size * together) * together) for size in sizes]
    if not rounds[0].games:
        least = len(sizes) * settings * together
        raise SettingsError(
            f"{games} games are too few to choose from {settings} settings in {len(sizes)} rounds",
            mend=f"at least {least}, and some tens for each setting to tell them apart",
        )
    return rounds


class Outcome(Protocol):
    """The result of games: a score, or returns."""

    @property
    def mean(self) -> float: ...
    def __add__(self, other: Self, /) -> Self: ...


OutcomeT = TypeVar("OutcomeT", bound=Outcome)


def choose(settings: int, rounds: Sequence[Round], play: Callable[[int, int, int], OutcomeT]) -> int:
    """Return the index of the setting that is left after the rounds; ties go to the first.

    play : takes the number of the round, the setting and a number of games; returns the result of these
    games. Each round keeps the better half, rounded up, by the mean result of all games so far.

    >>> choose(4, halving(4, 64), lambda number, setting, games: Score.from_counts(wins=setting, losses=3))
    3
    """
    return race(settings, rounds, lambda number, left, games: [play(number, at, games) for at in left])[0]


def race(
    settings: int,
    rounds: Sequence[Round],
    play: Callable[[int, Sequence[int], int], Sequence[OutcomeT]],
    keep: int = 1,
) -> list[int]:
    """Return the indices of the `keep` settings that are left after the rounds of `halving`, best first.

    play : takes the number of the round, the settings left and a number of games for each; returns their
    results in these games. Settings are compared by the mean result of all their games; ties go to the first.
    """
    results: dict[int, OutcomeT] = {}
    left = list(range(settings))
    for number, a_round in enumerate(rounds):
        for at, played in zip(left, play(number, left, a_round.games), strict=True):
            results[at] = results[at] + played if at in results else played
        left.sort(key=lambda at: (-results[at].mean, at))
        last = number + 1 == len(rounds)
        left = left[:keep] if last else sorted(left[: rounds[number + 1].settings])
    return left


@dataclass(frozen=True)
class Candidate:
    """A setting with the results of the games that chose or dropped it; rounds : number of rounds played."""

    cell: Cell
    rounds: int = 0


@dataclass(frozen=True)
class TuneResult:
    """The result of a tuner.

    id : number in the store, or None.   winner : the setting that was left. Its score is from the games held
    back, and is the one to quote. None if the tuner was interrupted before these games.
    ranking : all settings, first by the number of rounds, then by score. These scores are from the games that
    chose between the settings, so the best of them, the winner's included, are too high.
    """

    id: int | None
    game: str
    axes: tuple[Axis, ...]
    games: int
    winner: Cell | None
    ranking: tuple[Candidate, ...] = field(repr=False)
    ended_by: str = COMPLETE


class Tuner(GridExperiment[TuneResult]):
    """Finds the best of a bot's settings against an opponent.

    games : total number, including those held back.   final : number of games that measure the winner, even
    in a game of two; None: a quarter.   All other options are those of `Sweep`.

    >>> import branchwise as bw
    >>> tuner = bw.Tuner("nim", "flat(simulations={n})", vary="n=1,300", against="random", games=48, seed=1)
    >>> result = tuner.run()
    >>> result.winner.bot, result.winner.score.games, len(result.ranking)
    ('flat(simulations=300)', 12, 2)
    """

    kind = "tune"

    def __init__(
        self,
        game: str | type[Game],
        bot: str,
        *,
        vary: Mapping[str, str | Iterable[Value]] | Sequence[str | Axis],
        against: str | None = None,
        games: int = 1000,
        final: int | None = None,
        **options: Unpack[PlayOptions],
    ) -> None:
        whole_number("games", games, 1, MAX_GAMES)
        whole_number("final", final, 2, MAX_GAMES, optional=True)
        self.games = games
        self.final = max(games // KEPT_BACK // 2 * 2, 2) if final is None else final
        if self.final >= games:
            raise SettingsError(f"final = {self.final} of {games} games leaves none to choose by")
        self._sweep = Sweep(game, bot, vary=vary, against=against, games=2, **options)
        if len(self._sweep.cells) < 2:
            raise SettingsError("there is nothing to choose: one setting is given", mend="vary more")
        together = 1 if self._sweep.cells[0].is_alone else 2
        if self.final % together:
            raise SettingsError(
                f"final = {self.final} leaves a game without its partner", mend="an even number"
            )
        self.rounds = halving(len(self._sweep.cells), games - self.final, together)

    def __repr__(self) -> str:
        return f"<Tuner of {len(self._sweep.cells):,} settings at {self._sweep.game}, {self.games:,} games>"

    def settings(self) -> dict[str, Any]:
        """Return all settings that decide how the games are played, as values for JSON."""
        return self._sweep.settings() | {"games": self.games, "final": self.final}

    def _play(self, series: Series, progress: Progress | None) -> TuneResult:
        cells = self._sweep.cells
        found = [Candidate(cell) for cell in cells]
        matches = sum(one.settings for one in self.rounds) + 1
        keys: list[str] = []

        def measured(at: int, key: str, games: int) -> Cell:
            match = self._sweep.match(
                cells[at], games=games, seed=derived_seed(self._sweep.seed, key.partition("/")[0])
            )
            tell = telling(progress, cells[at], len(keys), matches)
            keys.append(key)
            return play_cell(series, key, cells[at], match, tell)

        def play(number: int, at: int, games: int) -> Score | Returns:
            cell = measured(at, f"{number}/{at}", games)
            found[at] = _with(found[at], cell)
            if not cell.complete:
                raise _InterruptedError
            return cell.returns if cell.is_alone else cell.score

        winner = None
        with suppress(_InterruptedError):
            left = choose(len(cells), self.rounds, cast("Callable[[int, int, int], Score]", play))
            winner = measured(left, LAST, self.final)
        ended_by = COMPLETE if winner is not None and winner.complete else INTERRUPTED
        found.sort(key=_order)
        return TuneResult(
            series.id, self._sweep.game, self._sweep.axes, self.games, winner, tuple(found), ended_by
        )


class _InterruptedError(Exception):
    """A match was ended by Ctrl-C."""


def _order(candidate: Candidate) -> tuple[int, float]:
    """Return the key of an order by rounds, then by strength; cells without a strength come last."""
    strength = candidate.cell.strength
    return -candidate.rounds, math.inf if strength is None else -strength


def _with(candidate: Candidate, cell: Cell) -> Candidate:
    """Return a candidate with the games of one more round added."""
    so_far = candidate.cell
    score, faults = so_far.score + cell.score, so_far.faults + cell.faults
    returns = so_far.returns + cell.returns
    cell = replace(so_far, score=score, returns=returns, faults=faults, complete=cell.complete)
    return Candidate(cell, candidate.rounds + 1)
