"""Playing the games of a match or a tournament, several at once, until none is left.

A `GameSource` decides which games come next. A runner plays them, stores them and reports progress. A
match can be played in several runs; each begins with the records of the earlier ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from typing import Protocol

from branchwise.arena.cluster.choice import current_engine
from branchwise.arena.match_conditions import Conditions
from branchwise.arena.match_result import COMPLETE, INTERRUPTED, Standing
from branchwise.arena.play.pool import LOOK, GamePool, WorkerPool
from branchwise.arena.records.record import BestLine, GamePlan, GameRecord
from branchwise.arena.store.entries import StoreEntry
from branchwise.arena.store.export import move_texts
from branchwise.common.errors import StoreError

Progress = Callable[["Standing"], object]


def _opened_pool(conditions: Conditions, games: int) -> GamePool:
    """Return what plays the games: the engine of the block, or processes of this machine."""
    engine = current_engine()
    if engine is None:
        return WorkerPool(conditions.game, conditions.terms, conditions.games_at_once(games))
    from branchwise.arena.cluster.calls import ExecutorPool

    most = min(conditions.concurrency or games, games)
    return ExecutorPool(engine, conditions.game, conditions.terms, conditions.threads, most)


class GameSource(Protocol):
    """Decides which games to play next, from the games that have ended, in any order."""

    likely: GamePlan | None
    """The probable first game, which starts while `next_plan` determines it; None: do not start early."""

    @property
    def games(self) -> int:
        """Total number of games, as far as is known."""

    def next_plan(self) -> GamePlan | None:
        """Return a game that can start; None if none is left, or none can start before another ends."""

    def take(self, record: GameRecord) -> str:
        """Add a finished game; returns why no more are needed, or ''."""


class ScheduledGames:
    """Games of a schedule that is fixed in advance.

    judge : called with each game that ends; returns why no more are needed, or ''.
    """

    def __init__(
        self,
        schedule: Sequence[GamePlan],
        judge: Callable[[GameRecord], str] | None = None,
        likely: GamePlan | None = None,
    ) -> None:
        self.games = len(schedule)
        self.likely = likely
        self._schedule = schedule
        self._judge = judge
        self._numbers = iter(range(len(schedule)))
        self._ended: set[int] = set()

    def next_plan(self) -> GamePlan | None:
        for number in self._numbers:
            if number not in self._ended:
                return self._schedule[number]
        return None

    def take(self, record: GameRecord) -> str:
        self._ended.add(record.number)
        return self._judge(record) if self._judge is not None else ""


class Runner:
    """Plays a match or a tournament, or the rest of one that was interrupted.

    entry : store for the games; None: they are only in the result.
    """

    def __init__(
        self,
        conditions: Conditions,
        source: GameSource,
        standing: Standing,
        *,
        entry: StoreEntry | None,
        progress: Progress | None,
    ) -> None:
        self._conditions = conditions
        self._source = source
        self._standing = standing
        self._entry = entry
        self._progress = progress
        self._records: dict[int, GameRecord] = {}
        self._unwritten: list[GameRecord] = []
        self._written_best = standing.best
        self._enough = ""
        self._last_progress = 0.0

    def play(self, played: Sequence[GameRecord]) -> tuple[tuple[GameRecord, ...], str]:
        """Play all games except those already `played`; returns all in order, and what ended the run.

        Games in a store are returned without their moves.
        """
        conditions, source = self._conditions, self._source
        try:
            for record in played:
                self._take(record, earlier=True)
            if not self._enough:
                with closing(_opened_pool(conditions, source.games)) as workers:
                    workers.start()
                    plan = self._first_plan(workers)
                    while not self._enough and (plan is not None or workers.playing):
                        while plan is not None and workers.has_room:
                            workers.play(plan)
                            plan = source.next_plan()
                        for record in workers.finished(LOOK):
                            if plan is not None and workers.has_room:
                                workers.play(plan)
                                plan = source.next_plan()
                            self._take(record)
                            if plan is None and not self._enough:
                                plan = source.next_plan()
                        self._write()
                        self._standing.playing = workers.playing
                        self._report()
            ended_by = self._enough or COMPLETE
        except KeyboardInterrupt:
            ended_by = INTERRUPTED
        except BaseException:
            with suppress(StoreError):
                self._leave("")
            raise
        self._leave("" if ended_by == INTERRUPTED else ended_by)
        return tuple(self._records[number] for number in sorted(self._records)), ended_by

    def _leave(self, ended_by: str) -> None:
        self._write()
        if self._entry is not None:
            self._entry.store.release(self._entry.number, ended_by)

    def _first_plan(self, workers: GamePool) -> GamePlan | None:
        """Return the first game that has not started, since the likely first one may have."""
        likely = self._source.likely
        if likely is None:
            return self._source.next_plan()
        workers.play(likely)
        first = self._source.next_plan()
        if first == likely:
            return self._source.next_plan()
        workers.abandon()
        return first

    def _take(self, record: GameRecord, *, earlier: bool = False) -> None:
        if not earlier:
            self._standing.best = self._best_with(record)
            if self._entry is not None:
                self._unwritten.append(record)
                record = replace(record, moves=())
        self._records[record.number] = record
        self._standing.add(record, earlier=earlier)
        self._enough = self._enough or self._source.take(record)
        self._standing.games = self._source.games

    def _write(self) -> None:
        """Write to the store what has ended since the last time."""
        records, best = self._unwritten, self._standing.best
        if self._entry is not None and records:
            self._unwritten = []
            new = best if best is not self._written_best else None
            self._entry.store.add(self._entry.number, *records, best=new, forgets=best is None)
            self._written_best = best

    def _best_with(self, record: GameRecord) -> BestLine | None:
        """Return the best line of a complete one-player game, this one included.

        Lines of a bot that has failed in any game do not count.
        """
        best, tallies, bot = self._standing.best, self._standing.tallies, record.plan.seating[0]
        if record.is_void and best is not None and best.bot == bot:
            return self._best_without(bot)
        if len(record.returns) != 1 or record.ending != "end" or tallies[bot].faults:
            return best
        if best is not None and best.score >= record.returns[0]:
            return best
        return self._line_of(record)

    def _best_without(self, bot: int) -> BestLine | None:
        """Return the best line of the other bots; None if there is none."""
        tallies = self._standing.tallies
        found = [
            (record.returns[0], -number)
            for number, record in self._records.items()
            if record.ending == "end" and record.plan.seating[0] != bot
            if not tallies[record.plan.seating[0]].faults
        ]
        if not found:
            return None
        self._write()
        number, entry = -max(found)[1], self._entry
        return self._line_of(
            self._records[number] if entry is None else entry.store.game(entry.number, number)
        )

    def _line_of(self, record: GameRecord) -> BestLine:
        moves = move_texts(self._conditions.rules, record)
        return BestLine(record.number, record.plan.seating[0], record.returns[0], tuple(moves))

    def _report(self) -> None:
        now = time.perf_counter()
        if self._progress is not None and now - self._last_progress >= LOOK:
            self._last_progress = now
            self._progress(self._standing)
