"""The explorer's server: its response times, the cost of watching a search, and ten sessions at once.

    python benchmarks/explorer.py [--seconds 2] [--sessions 10] [--plays 60]

Everything is measured over the WebSocket of a server that runs in its usual form, in a separate process.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.web.protocol.messages import Branch
from branchwise.web.search.line_messages import Lines
from branchwise.web.search.result_messages import analysis_told, values_of_players
from branchwise.web.search.trees import tree_told

PATIENCE = 120.0


@contextlib.contextmanager
def server(*words: str) -> Iterator[tuple[int, subprocess.Popen[str], float]]:
    """Run the server; yields its port, its process, and the seconds until it printed its address."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "branchwise", "serve", "--no-open", "--port", "0", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        found = re.search(r":(\d+)/", process.stdout.readline())
        assert found is not None
        yield int(found[1]), process, time.perf_counter() - started
    finally:
        process.terminate()
        process.wait()


class Page:
    """A connection after the initial greeting."""

    def __init__(self, port: int) -> None:
        self._open = contextlib.ExitStack()
        address = f"ws://127.0.0.1:{port}/api/session"
        self._socket = self._open.enter_context(connect(address, max_size=None))
        self.say("hello")
        self.until("welcome")

    def say(self, kind: str, **fields: Any) -> None:
        self._socket.send(json.dumps({"type": kind, **fields}))

    def hear(self, timeout: float = PATIENCE) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self._socket.recv(timeout))
        return told

    def until(self, kind: str, **values: Any) -> dict[str, Any]:
        while True:
            told = self.hear()
            if told["type"] == kind and all(told[name] == value for name, value in values.items()):
                return told

    def close(self) -> None:
        self._open.close()


shown: dict[str, list[str]] = {}


def show(what: str, *figures: str) -> None:
    shown[what.strip()] = list(figures)
    print(f"{what:<58}{'  '.join(figures)}", flush=True)


def start() -> None:
    """Measure the time from the command to the first position."""
    listening, first = [], []
    for _ in range(3):
        began = time.perf_counter()
        with server() as (port, _, seconds):
            listening.append(seconds)
            page = Page(port)
            page.say("new_game", game="connect_four")
            page.until("position")
            first.append(time.perf_counter() - began)
            page.close()
    show(
        "start: until it listens, until the first position", *(f"{min(s):.2f} s" for s in (listening, first))
    )


def answers(plays: int) -> None:
    """Measure the time from a move to the new position, and to the start of the bot's search."""
    redrawn, thinks = [], []
    with server() as (port, _, _):
        page = Page(port)
        page.say("new_game", game="connect_four", opponent={"simulations": 200})
        page.until("position")
        page.say("play", action=3, ply=0)
        page.until("position", ply=2)  # everything is compiled now
        for _ in range(plays):
            page.say("new_game", game="connect_four", opponent={"simulations": 200})
            page.until("thinking", who="")
            began = time.perf_counter()
            page.say("play", action=3, ply=0)
            page.until("position", ply=1)
            redrawn.append(time.perf_counter() - began)
            page.until("thinking", who="bot")
            thinks.append(time.perf_counter() - began)
            page.until("position", ply=2)
        page.close()
    for what, times in (("the board is redrawn", redrawn), ("thinking begins", thinks)):
        worst = sorted(times)[int(len(times) * 0.95)]
        show(
            f"click until {what}: median, 95 %",
            f"{statistics.median(times) * 1000:.1f} ms",
            f"{worst * 1000:.1f} ms",
        )


def watching(seconds: float, rounds: int = 5) -> None:
    """Measure searches in turn, with and without the messages to a page that watches the tree."""
    branches = [Branch(path=[], top=7), *(Branch(path=[a], top=7) for a in range(7))]
    state = ConnectFour()
    bw.MCTS(seed=1).search(state, simulations=1000)
    speeds: dict[str, list[float]] = {"alone": [], "watched": []}
    for number in range(rounds):
        for name, told in speeds.items():
            latest: list[Any] = []
            wakes, ends = threading.Event(), threading.Event()

            def tell(
                latest: list[Any] = latest, wakes: threading.Event = wakes, ends: threading.Event = ends
            ) -> None:
                lines, trees_at = Lines(state), 0.0
                while not ends.is_set():
                    wakes.wait(0.1)
                    wakes.clear()
                    if latest:
                        found = latest.pop()
                        values = values_of_players(found, mirrored=True)
                        analysis_told(found, lines, ply=0, who="analysis", values=values, seconds_before=0.0)
                        if time.monotonic() > trees_at:
                            tree_told(found, lines, branches, ply=0, mirrored=True)
                            trees_at = time.monotonic() + 0.33

            def news(found: Any, latest: list[Any] = latest, wakes: threading.Event = wakes) -> None:
                latest[:] = [found]
                wakes.set()

            teller = threading.Thread(target=tell)
            if name == "watched":
                teller.start()
            result = bw.MCTS(seed=number).search(
                state, seconds=seconds, progress=news if name == "watched" else None
            )
            ends.set()
            if name == "watched":
                teller.join()
            told.append(result.simulations_per_second)
    alone, watched = (statistics.median(speeds[name]) for name in ("alone", "watched"))
    show(
        "a search alone, and watched",
        f"{alone:,.0f}/s",
        f"{watched:,.0f}/s",
        f"loss {1 - watched / alone:.1%}",
    )


def together(sessions: int, seconds: float, memory: int) -> None:
    """Measure response times and memory of sessions that all search at once."""
    with server("--memory", str(memory)) as (port, process, _):
        pages = [Page(port) for _ in range(sessions)]
        counts = [0] * sessions
        for page in pages:
            page.say("new_game", game="connect_four", seats=[0, 1])
            page.until("position")
            page.say("watch_tree", branches=[{"path": [], "top": 4}])
            page.say("analyse", on=True)
        for page in pages:
            page.until("analysis")
        resting = _memory_mb(process.pid)
        end, most = time.monotonic() + seconds, 0.0

        def listen(number: int) -> None:
            while time.monotonic() < end:
                with contextlib.suppress(TimeoutError):
                    counts[number] += pages[number].hear(0.2)["type"] == "analysis"

        listeners = [threading.Thread(target=listen, args=(number,)) for number in range(sessions)]
        for listener in listeners:
            listener.start()
        while time.monotonic() < end:
            most = max(most, _memory_mb(process.pid))
            time.sleep(0.1)
        for listener in listeners:
            listener.join()
        rates = [count / seconds for count in counts]
        show(
            f"{sessions} sessions at once: analyses a second, each",
            f"least {min(rates):.1f}",
            f"median {statistics.median(rates):.1f}",
        )
        for page in pages:
            page.close()
        show("  all pages closed: the server is at rest after", f"{_until_rest(process.pid):.2f} s")
        show(
            f"  memory, of {memory} MB for trees: at the start, most",
            f"{resting:.0f} MB",
            f"{most:.0f} MB",
        )


def _memory_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _until_rest(pid: int) -> float:
    """Return the seconds until a process uses less than a tenth of a processor."""
    began = time.monotonic()
    while time.monotonic() - began < 30:
        before, at = _processor_seconds(pid), time.monotonic()
        time.sleep(0.1)
        if _processor_seconds(pid) - before < 0.1 * (time.monotonic() - at):
            return at - began
    raise RuntimeError("the server goes on searching with nobody there")


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seconds", type=float, default=2.0)
    options.add_argument("--sessions", type=int, default=10)
    options.add_argument("--plays", type=int, default=60)
    options.add_argument("--memory", type=int, default=1024)
    options.add_argument("--json", type=Path, metavar="FILE", help="write all measurements to FILE")
    chosen = options.parse_args()
    start()
    answers(chosen.plays)
    watching(chosen.seconds)
    together(chosen.sessions, chosen.seconds * 3, chosen.memory)
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(shown, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
