"""What runs in a process of an engine: it keeps a warm worker for each of its threads, and plays games there.

The bots do not run in this process but in workers of `arena.play`, so that one that dies is known to be its
bot's fault, while a loss of this process is nobody's.
"""

from __future__ import annotations

import os
import socket
import threading
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path

import msgspec

from branchwise.arena.play.pool import LOOK, WorkerPool, warm_workers
from branchwise.arena.play.referee import Terms
from branchwise.arena.records.record import GamePlan, GameRecord
from branchwise.arena.store.entries import versions
from branchwise.common.errors import BranchwiseError, MatchError
from branchwise.common.name_and_options import parse_spec
from branchwise.games import load_game
from branchwise.rules.measured_files.digest import rules_digest


@dataclass(frozen=True)
class Job:
    """What all games of a match have in common.

    versions : what a node must have, as `versions_for` returns it.
    """

    game: str
    terms: Terms
    versions: tuple[tuple[str, str], ...]


def node() -> str:
    """Return the name of this machine and the number of this process."""
    return f"{socket.gethostname()} (process {os.getpid()})"


def versions_for(game: str, bots: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return what must be the same on all nodes: versions, the rules, and the files of bots."""
    found = {name: text for name, text in versions().items() if name in ("branchwise", "numba", "numpy")}
    try:
        found["the game"] = rules_digest(load_game(game))
    except BranchwiseError as error:
        found["the game"] = error.problem
    for bot in bots:
        file = Path(parse_spec(bot)[0].partition(":")[0])
        if file.suffix == ".py":
            code = file.read_bytes() if file.is_file() else b""
            found[str(file)] = blake2b(code, digest_size=8).hexdigest() if code else "missing"
    return tuple(found.items())


@cache
def compare_versions(job: Job) -> None:
    """Raise `MatchError` if this process differs from the one in which the match began."""
    here = dict(versions_for(job.game, job.terms.bots))
    differ = [f"{name}: {here.get(name)}, not {its}" for name, its in job.versions if here.get(name) != its]
    if differ:
        raise MatchError(
            f"{node()} differs from the machine where the match began: {'; '.join(differ)}",
            mend="install the same versions on all nodes, and give them the same files, in the same folders",
        )


def play(job: Job, plans: tuple[GamePlan, ...]) -> bytes:
    """Play games one after the other and return their records in MessagePack; raises `MatchError`."""
    compare_versions(job)
    pool = _taken(job)
    try:
        payload = msgspec.msgpack.encode([_played(pool, plan) for plan in plans])
    except BaseException:
        pool.close()
        raise
    _pools[threading.get_ident()] = job, pool
    return payload


def _played(pool: WorkerPool, plan: GamePlan) -> GameRecord:
    pool.play(plan)
    while True:
        for record in pool.finished(LOOK):
            return record


_pools: dict[int, tuple[Job, WorkerPool]] = {}
"""By thread: the match that it has played, and its worker, which waits."""

_changing = threading.Lock()


def _taken(job: Job) -> WorkerPool:
    """Return a pool of one; a thread's next match takes over the worker of the one before."""
    before = _pools.pop(threading.get_ident(), None)
    if before is not None and before[0] == job:
        return before[1]
    with _changing, warm_workers():
        if before is not None:
            before[1].close()
        pool = WorkerPool(job.game, job.terms, 1)
        pool.start()
        return pool


def end_workers() -> None:
    """End the workers that wait in this process."""
    while _pools:
        _pools.popitem()[1][1].close()
