"""Several searches in one thread, of which the best go on: successive halving."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import pairwise

from branchwise.common.errors import SettingsError
from branchwise.common.pace import next_chunk
from branchwise.core.machine.kernel_status import Status
from branchwise.optimise.walkers.walker import Improvement, Walker
from branchwise.rules.checking.fault_replay import Trail

DEFAULT_SECONDS = 10.0
_TURN_SECONDS = 0.02
_FOR_CHOOSING = 0.2
"""Share of the budget that is spent before the best arm goes on alone."""
_SLICE = 0.01
"""Share of the budget after which it is asked again which arm is the best."""


def _of_best(name: str) -> property:
    return property(lambda arms: getattr(arms._best, name))


def _of_all(name: str) -> property:
    return property(lambda arms: sum(getattr(walker, name) for walker in arms._arms.values()))


class ArmsWalker:
    """A search for the best line by several arms, in one thread [Karnin13].

    In each round all arms that are left have equal shares of the budget, and then the better half is left.
    The best of all has the rest; while several are equal, the one that has had the least. An arm that has too
    little memory leaves.

    arms : walkers by the method that results name.

    [Karnin13]: Karnin, Koren, Somekh, "Almost optimal exploration in multi-armed bandits", 2013.
    """

    def __init__(self, arms: Mapping[str, Walker]) -> None:
        self._arms = dict(arms)
        self._left = list(arms)
        self._dropped: set[str] = set()
        self._turns = self._schedule()
        self._arm, self._share = next(self._turns)
        self._improvements: list[Improvement] = []
        self._playouts: int | None = None
        self._seconds = 0.0
        self._begun = 0.0
        self._until = 0
        self._start: tuple[tuple[int, ...], float] = (), 0.0
        self._to_begin: set[str] = set()
        self._chunks = dict.fromkeys(arms, 1)
        """Playouts of each arm that take about `_TURN_SECONDS`, where time is shared."""
        self._has_played = False
        """Whether the arm has played in its turn; another one may have used up its time."""

    def allot(self, playouts: int | None, seconds: float | None) -> None:
        """Begin with a budget, which is shared by playouts if they are limited, else by time."""
        self._playouts = playouts
        self._seconds = seconds or DEFAULT_SECONDS
        self._begun = time.perf_counter()

    def _schedule(self) -> Iterator[tuple[str, float]]:
        """Give each turn's arm, and the share of the budget that is spent when it ends."""
        rounds = (len(self._left) - 1).bit_length()
        ends = [_FOR_CHOOSING * done / max(1, rounds) for done in range(rounds + 1)]
        given = dict.fromkeys(self._arms, 0.0)
        for begin, end in pairwise(ends):
            for number, arm in enumerate(playing := list(self._left), 1):
                given[arm] += (end - begin) / len(playing)
                yield arm, begin + (end - begin) * number / len(playing)
            self._left = self._ranked(given)[: (len(playing) + 1) // 2]
        spent = ends[-1]
        while True:
            arm, spent = self._ranked(given)[0], min(1.0, spent + _SLICE)
            given[arm] += _SLICE
            yield arm, spent

    def _ranked(self, given: Mapping[str, float]) -> list[str]:
        """Return the arms that have enough memory: the best first, of equals the one given least."""
        usable = (arm for arm in self._arms if arm not in self._dropped)
        return sorted(usable, key=lambda arm: (-self._arms[arm].best_score, given[arm]))

    # --- results --------------------------------------------------------------------------------------

    @property
    def found_by(self) -> str:
        """The method of the arm that has the best line, the first of several."""
        return max(self._arms, key=lambda arm: self._arms[arm].best_score)

    @property
    def scores(self) -> dict[str, float]:
        """The best score of each arm, by its method."""
        return {arm: walker.best_score for arm, walker in self._arms.items()}

    @property
    def _best(self) -> Walker:
        return self._arms[self.found_by]

    is_compiled, best_score, best_line, has_best_possible = map(
        _of_best, ("is_compiled", "best_score", "best_line", "has_best_possible")
    )
    playouts, runs, moves = map(_of_all, ("playouts", "runs", "moves"))
    is_over = has_best_possible

    def new_improvements(self) -> list[Improvement]:
        """Return the improvements since the last call, with the playouts and moves of all arms."""
        self._note_improvements()
        found, self._improvements = self._improvements, []
        return found

    def _note_improvements(self) -> None:
        walker = self._arms[self._arm]
        playouts, moves = self.playouts - walker.playouts, self.moves - walker.moves
        self._improvements += [
            found._replace(playouts=playouts + found.playouts, moves=moves + found.moves)
            for found in walker.new_improvements()
        ]

    def path_to_fault(self) -> list[int]:
        """Return the actions of the line in which the arm that plays met a fault."""
        return self._arms[self._arm].path_to_fault()

    def trail(self) -> Trail:
        return self._arms[self._arm].trail()

    # --- running --------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Load or compile the code of all arms."""
        for walker in self._arms.values():
            walker.prepare()

    def begin_from(self, line: tuple[int, ...], score: float) -> None:
        """Let each arm begin from a line, in its first turn."""
        self._start = line, score
        self._to_begin = set(self._arms)

    def run(self, playouts: int) -> Status:
        """Run playouts, fewer if it is over or this thread is asked to end; returns DONE or a fault."""
        self._until += playouts
        status = Status.DONE
        while status is Status.DONE and self.playouts < self._until and not self.is_over:
            before, most = self.playouts, self._until - self.playouts
            if self._playouts is not None:
                most = min(most, int(self._share * self._playouts) - before)
            is_late = self._playouts is None and self._spent >= self._share
            if most < 1 or (is_late and self._has_played):
                self._arm, self._share = next(self._turns)
                self._has_played = False
                continue
            if self._playouts is None:
                most = self._chunks[self._arm]
                self._until = before + most
            began = time.perf_counter()
            try:
                if self._arm in self._to_begin:
                    self._to_begin.remove(self._arm)
                    self._arms[self._arm].begin_from(*self._start)
                status = self._arms[self._arm].run(most)
            except SettingsError:  # too little memory
                self._dropped.add(self._arm)
                if len(self._dropped) == len(self._arms):
                    raise
                self._share, self._has_played = 0.0, True
                continue
            self._has_played = True
            spent, done = time.perf_counter() - began, self.playouts - before
            self._chunks[self._arm] = next_chunk(done, spent, _TURN_SECONDS)
            self._note_improvements()
            if self.playouts == before:
                break
        return status

    @property
    def _spent(self) -> float:
        """Share of the time that is spent."""
        return min(1.0 - 1e-9, (time.perf_counter() - self._begun) / self._seconds)

    def improve_best(self) -> None:
        """Improve the best line of all."""
        self._arm = self.found_by
        self._best.improve_best()
