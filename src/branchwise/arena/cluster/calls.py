"""Calls of one function on an engine, such as tasks of games: what is lost with a process is repeated.

A call has one or more items: a task has as many games as take about half a second, so that short games do not
wait for the engine's messages. Items of a call that was lost are called again one by one, after all that
waits, and only then count how often they were lost: so it is known which item ends its processes.
"""

from __future__ import annotations

import math
import pickle
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, NamedTuple, TypeVar

import msgspec

from branchwise.arena.cluster.engine import AGAIN, Engine, answer, one_line
from branchwise.arena.cluster.host import Job, play, versions_for
from branchwise.arena.play.pool import LOOK, GamePool
from branchwise.arena.play.referee import Terms
from branchwise.arena.records.record import GamePlan, GameRecord
from branchwise.common.errors import BranchwiseError, MatchError

Item = TypeVar("Item")
R = TypeVar("R")
_NEEDS = "all nodes need this version of branchwise, and the modules of all classes that they are given"
_TASK_SECONDS = 0.5
_MOST_GAMES = 64
ATTEMPTS = 5
"""How often a process of the engine may end while it has nothing but one and the same item."""

_LOOK = 1.0


class _Call(NamedTuple, Generic[Item]):
    items: tuple[Item, ...]
    losses: int = 0


@dataclass
class Calls(Generic[Item, R]):
    """Calls of a function, which takes a tuple of items, until all have ended.

    threads : cores for each call.   most : calls at once.   named : what an item is, for an error.
    room : how many calls can run at once now.   open : number of items whose calls have not ended.
    """

    engine: Engine
    function: Callable[[tuple[Item, ...]], R]
    threads: int
    most: int
    named: Callable[[Item], str]
    room: int = 0
    open: int = 0
    _waiting: deque[_Call[Item]] = field(default_factory=deque)
    _running: dict[Future[R], tuple[str, _Call[Item]]] = field(default_factory=dict)
    _places: Mapping[str, int] = field(default_factory=dict)
    _looked: float = 0.0

    def begin(self, *items: Item) -> None:
        """Add a call, which begins as soon as a place is free."""
        self._waiting.append(_Call(items))
        self.open += len(items)

    def close(self) -> None:
        """End all calls, as far as the engine can."""
        for future in self._running:
            future.cancel()
        self._running.clear()
        self._waiting.clear()
        self.open = 0

    def look(self) -> None:
        """Ask the engine for its places, unless it was asked a moment ago."""
        if time.monotonic() - self._looked > (_LOOK if self._places else _LOOK / 10):
            ask = partial(self.engine.places, self.threads, self.most)
            self._places = answer(self.engine.name, ask)
            self.room = min(sum(self._places.values()), self.most)
            self._looked = time.monotonic()

    def ended(self, timeout: float) -> Iterator[tuple[tuple[Item, ...], R]]:
        """Wait up to `timeout` seconds, and yield items and value of calls that end meanwhile.

        Raises errors of Branchwise that the function raises, and `MatchError`.
        """
        self.look()
        self._give()
        if not self._running:
            time.sleep(min(timeout, _LOOK / 50))
        wait(self._running, timeout, FIRST_COMPLETED)
        for future, (place, call) in [*self._running.items()]:
            if not future.done():
                if place in self._places:
                    continue
                future.cancel()
            del self._running[future]
            try:
                value = future.result(0)
            except self.engine.losses:
                self._lose(place, call)
            except Exception as error:
                raise self._failed(error) from error
            else:
                self.open -= len(call.items)
                self.engine.ended[place] += len(call.items)
                yield call.items, value

    def _give(self) -> None:
        busy = Counter(place for place, _ in self._running.values())
        free = [place for place, room in self._places.items() for _ in range(room - busy[place])]
        for place in free[: max(self.room - len(self._running), 0)]:
            if not self._waiting:
                return
            call = self._waiting.popleft()
            try:
                pickle.dumps((self.function, call))  # some engines would send copies of classes
                self._running[self.engine.submit(place, self.function, call.items)] = place, call
            except Exception as error:
                raise self._failed(error) from error

    def _lose(self, place: str, call: _Call[Item]) -> None:
        """Repeat what was lost, once the engine has told which places it still has."""
        self.engine.lost.append(place)
        self._looked = 0.0
        losses = call.losses + (len(call.items) == 1)
        if losses >= ATTEMPTS:
            raise MatchError(
                f"{self.named(call.items[0])} cannot be finished: the process of {self.engine.name} that "
                f"held it ended {ATTEMPTS} times, the last at {place}",
                mend="look for what ends it: the system, for want of memory, or the code of these",
            )
        self._waiting.extend(_Call((item,), losses) for item in call.items)

    def _failed(self, error: Exception) -> BranchwiseError:
        error = getattr(error, "cause", None) or error  # Ray's, of an error that the function has raised
        if isinstance(error, BranchwiseError):
            return error
        ends = isinstance(error, BrokenExecutor)
        mend = AGAIN if ends else _NEEDS
        does = "runs nothing any more" if ends else "cannot run a task"
        return MatchError(f"{self.engine.name} {does}: {one_line(error)}", mend=mend)


class ExecutorPool(GamePool):
    """The games of one match on an engine.

    game, terms : as in `Setup`.   threads : cores for each game.   most : games at once.
    """

    def __init__(self, engine: Engine, game: str, terms: Terms, threads: int, most: int) -> None:
        def named(plan: GamePlan) -> str:
            return f"game {plan.number} of {' and '.join(terms.bots[index] for index in plan.seating)}"

        play_there = partial(play, Job(game, terms, versions_for(game, terms.bots)))
        self._calls: Calls[GamePlan, bytes] = Calls(engine, play_there, threads, most, named)
        self._waiting: list[GamePlan] = []
        self._size = 1

    def start(self) -> None:
        self._calls.look()

    @property
    def playing(self) -> int:
        return len(self._waiting) + self._calls.open

    @property
    def has_room(self) -> bool:
        return self.playing < max(self._calls.room, 1) * self._size

    def play(self, plan: GamePlan) -> None:
        self._waiting.append(plan)

    def abandon(self) -> None:
        self._waiting.clear()
        self._calls.close()

    def close(self) -> None:
        self.abandon()

    def finished(self, timeout: float) -> Iterator[GameRecord]:
        """Begin tasks, wait up to `timeout` seconds, and yield the games that end meanwhile."""
        while self._waiting:
            count = min(math.ceil(self.playing / max(self._calls.room, 1)), self._size)
            self._calls.begin(*self._waiting[:count])
            del self._waiting[:count]
        for plans, payload in self._calls.ended(min(timeout, LOOK)):
            records = msgspec.msgpack.decode(payload, type=list[GameRecord])
            wanted = _TASK_SECONDS * len(plans) / max(sum(record.seconds for record in records), 1e-6)
            self._size = max(1, min(int(wanted), 2 * self._size, _MOST_GAMES))
            yield from records
