"""Engines that run functions in processes: any executor, Dask and Ray.

An engine gives `concurrent.futures.Future`s. Its places are what can be told to run a function: a process, or
the processes of one machine together.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Executor, Future
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

from branchwise.arena.cluster.host import end_workers, node
from branchwise.arena.match_conditions import cores
from branchwise.common.errors import MatchError, SettingsError, nearest_name
from branchwise.common.optional_libraries import need_library

T = TypeVar("T")
PATIENCE = 8.0
"""Seconds in which an engine must answer."""

AGAIN = "what has ended is kept in the store: start the engine again, and continue with --resume"
_DOING = "games are played on machines"
_DASK_WORKER = "-m distributed.cli.dask_worker --nthreads 1 --no-nanny --no-dashboard --death-timeout 10"


class Engine:
    """An executor of another library, which keeps its processes; Dask and Ray are engines of their own kinds.

    name : for people.   losses : exceptions by which it reports that a process has ended.
    ended : games and other items whose calls have ended, by place.   lost : places where calls were lost with
    their process.
    """

    losses: tuple[type[BaseException], ...] = (CancelledError,)

    def __init__(self, name: str, executor: Any = None) -> None:
        self.name = name
        self._executor = executor
        self.ended: Counter[str] = Counter()
        self.lost: list[str] = []
        self._began = time.perf_counter()

    def places(self, threads: int, most: int) -> Mapping[str, int]:
        """Return how many functions may run at once at each place that is ready now.

        threads : cores for each function.   most : functions at once that are needed.
        """
        workers = getattr(self._executor, "_max_workers", None)
        return {self.name: max(1, (workers if isinstance(workers, int) else most) // threads)}

    def submit(self, place: str, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Run a function at a place."""
        future: Future[Any] = self._executor.submit(function, *arguments)
        return future

    def close(self) -> None:
        """Give back all that the engine holds for this program."""
        end_workers()

    def told(self) -> str:
        """Return the progress: nodes, games a second, and what was lost."""
        nodes = len({place.partition(" ")[0] for place in self.ended})
        rate = self.ended.total() / (time.perf_counter() - self._began)
        lost = f", {len(self.lost):,} lost processes, the last at {self.lost[-1]}" if self.lost else ""
        return f"{self.name}: {nodes:,} {'node' if nodes == 1 else 'nodes'}, {rate:,.1f} games/s{lost}"

    def _rooms(self, nodes: Mapping[str, int], threads: int) -> dict[str, int]:
        """Return how many functions of `threads` cores fit on each node; nodes : their cores."""
        found = {name: has // threads for name, has in nodes.items() if has >= threads}
        if nodes and not found:
            raise MatchError(
                f"a game needs {threads} cores; no node of {self.name} has more than {max(nodes.values())}",
                mend="give the bots fewer threads, or the nodes more cores",
            )
        return found


class DaskEngine(Engine):
    """Dask; its places are machines, with as many games at once as their workers have threads.

    address : of its scheduler, "": begin one on this machine, with a process for each core.
    """

    def __init__(self, address: str) -> None:
        super().__init__("Dask")
        dask = need_library("distributed", _DOING, "dask")
        self.losses = (dask.KilledWorker, dask.comm.CommClosedError, CancelledError)
        self._workers: list[subprocess.Popen[bytes]] = []
        self._cluster: Any = None
        if not address:
            self._cluster = dask.LocalCluster(
                n_workers=0,
                dashboard_address="127.0.0.1:0",
                silence_logs="CRITICAL",
                scheduler_kwargs={"allowed_failures": 0},
            )
            address = self._cluster.scheduler_address

        def connect() -> Any:
            client = dask.Client(address, timeout=PATIENCE, set_as_default=False)
            there = client.get_versions()["scheduler"]["packages"]["distributed"]
            if there != dask.__version__:
                client.close()
                raise MatchError(f"Dask at {address} has version {there}, not {dask.__version__}")
            return client

        self._client = answer("Dask", connect, "check the address, and that Dask runs there", address)

    def places(self, threads: int, most: int) -> Mapping[str, int]:
        self._workers = [one for one in self._workers if one.poll() is None]
        for _ in range(cores() - len(self._workers) if self._cluster is not None else 0):
            words = [sys.executable, *_DASK_WORKER.split(), self._cluster.scheduler_address]
            path, quiet = os.pathsep.join(filter(None, sys.path)), subprocess.DEVNULL
            worker = subprocess.Popen(
                words, env={**os.environ, "PYTHONPATH": path}, stdout=quiet, stderr=quiet
            )
            self._workers.append(worker)
        found: Counter[str] = Counter()
        for address, its in self._client.sync(self._client.scheduler.ncores).items():
            found[address.rpartition("/")[2].rpartition(":")[0].strip("[]")] += its
        return self._rooms(found, threads)

    def submit(self, place: str, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        self._executor = self._client.get_executor(pure=False, workers=[place])
        return super().submit(place, function, *arguments)

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()
            worker.wait()
        if self._cluster is None:
            self._client.run(end_workers)
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


class _Runner:
    """What each actor of Ray is: it runs what it is given."""

    def run(self, function: Callable[..., T], *arguments: Any) -> T:
        return function(*arguments)


class RayEngine(Engine):
    """Ray; its places are actors, one for each game at once, with the cores that a game needs.

    address : of its head node, or "auto"; "": begin one on this machine, or use this program's.
    """

    def __init__(self, address: str) -> None:
        super().__init__("Ray")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        self._ray = ray = need_library("ray", _DOING, "cluster")
        self.losses = (ray.exceptions.RayActorError, ray.exceptions.WorkerCrashedError, CancelledError)
        self._is_ours = not ray.is_initialized()
        begin = partial(ray.init, address or "local", log_to_driver=False, logging_level="ERROR")
        if self._is_ours and address:
            mend = f"check the address, and that Ray {ray.__version__} is there"
            answer("Ray", begin, mend, address)
        elif self._is_ours:
            begin(num_cpus=cores(), include_dashboard=False)
        self._actor: Any = ray.remote(_Runner)
        self._starting: dict[Future[str], Any] = {}
        self._actors: dict[str, Any] = {}
        """Those that are ready, by their nodes and processes."""

        self._failed_starts = 0
        self._threads = 0

    def places(self, threads: int, most: int) -> Mapping[str, int]:
        if threads != self._threads:
            self._end_actors()
            self._threads = threads
        for place in {*self.lost} & self._actors.keys():
            self._ray.kill(self._actors.pop(place))
        nodes = {
            one["NodeID"]: int(one["Resources"].get("CPU", 0)) for one in self._ray.nodes() if one["Alive"]
        }
        if not nodes:
            raise MatchError("Ray has lost all its nodes", mend=AGAIN)
        for begun in [future for future in self._starting if future.done()]:
            actor = self._starting.pop(begun)
            self._failed_starts = self._failed_starts + 1 if begun.exception() else 0
            if not self._failed_starts:
                self._actors[begun.result()] = actor
            elif self._failed_starts == 8:
                raise MatchError("no process of Ray could be started", mend="install branchwise on its nodes")
        wanted = min(sum(self._rooms(nodes, threads).values()), most)
        missing = wanted - len(self._actors) - len(self._starting)
        for _ in range(min(missing, 1000)):  # more would take longer than an answer may
            actor = self._actor.options(num_cpus=threads).remote()
            self._starting[actor.run.remote(node).future()] = actor
        return dict.fromkeys(self._actors, 1)

    def submit(self, place: str, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = self._actors[place].run.remote(function, *arguments).future()
        return future

    def _end_actors(self) -> None:
        for actor in (*self._actors.values(), *self._starting.values()):
            self._ray.kill(actor)
        self._actors, self._starting = {}, {}

    def close(self) -> None:
        self._end_actors()
        if self._is_ours:
            self._ray.shutdown()


def opened_engine(executor: str | Executor) -> Engine:
    """Return the engine that `on_executor` names."""
    if isinstance(executor, str):
        kinds: dict[str, Callable[[str], Engine]] = {"dask": DaskEngine, "ray": RayEngine}
        name, _, address = executor.partition("=")
        if name not in kinds:
            raise nearest_name("executor", name, kinds)
        return kinds[name](address)
    if not callable(getattr(executor, "submit", None)):
        raise SettingsError(
            f"{executor!r} is no executor: it has no method submit", mend='give "ray" or "dask"'
        )
    return Engine(type(executor).__name__, executor)


def answer(engine: str, ask: Callable[[], T], mend: str = AGAIN, address: str = "") -> T:
    """Return what `ask` gives; raises `MatchError` if it fails, or gives nothing for some seconds.

    address : of the engine. If nobody listens there, that is an error at once, where engines try for long.
    """
    found: Future[T] = Future()
    parts = urlsplit(address if "//" in address else f"//{address}")

    def work() -> None:
        try:
            if parts.hostname and parts.port:
                socket.create_connection((parts.hostname, parts.port), PATIENCE / 2).close()
            found.set_result(ask())
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=work, name="branchwise-ask", daemon=True).start()
    try:
        return found.result(PATIENCE)
    except MatchError:
        raise
    except Exception as error:
        why = one_line(error) if found.done() else f"nothing came within {PATIENCE:g} s"
        at = f" at {address}" if address else ""
        raise MatchError(f"{engine}{at} does not answer: {why}", mend=mend) from error


def one_line(error: BaseException) -> str:
    """Return the kind and the first line of an error."""
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {first}".strip(": ")[:300]
