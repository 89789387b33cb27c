"""The wait for the first move of a game that was never compiled, for a person or a match.

Each time is by the clock, from the start of the command, in a new process with an empty folder for compiled
code. The command is ended once the move has been made.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from websockets.sync.client import connect

from branchwise.arena.store.store import Store
from branchwise.games import load_game

CACHE_VARIABLE = "BRANCHWISE_CACHE_DIR"
PATIENCE = 120.0
LIMIT = 2.0
SIMULATIONS = 50
_PROMPT = b"> "
_MOVE = re.compile(rb"plays [a-z]?\d+\b")


@dataclass(frozen=True)
class FirstMove:
    """One wait for a first move.

    seconds : from the command to the move.   kernels : compiled by then; for a match, by its end.
    leaving : seconds from asking the command to end until it has ended.
    """

    seconds: float
    kernels: int
    leaving: float


def waits(program: Sequence[str], game: str) -> dict[str, Callable[[str], FirstMove]]:
    """Return the measurements by name: each runs a command once, with the given folder for compiled code."""
    bot = f"mcts(simulations={SIMULATIONS})"
    state = load_game(game)()
    first = state.action_to_string(state.legal_actions()[0])

    def at_terminal(*options: str) -> Callable[[str], FirstMove]:
        return lambda folder: _at_terminal([*program, "play", game, *options], first, folder)

    match = [*program, "match", game, bot, f"mcts(simulations={SIMULATIONS},c=1)", "--games", "2"]
    return {
        f'play {game} --opponent "{bot}"': at_terminal("--opponent", bot),
        f"play {game} --level 3": at_terminal("--level", "3"),
        f"match {game} ..., no openings": lambda folder: _in_match([*match, "--openings-depth", "0"], folder),
        f"match {game} ..., random openings": lambda folder: _in_match(match, folder),
        f"serve {game}, {SIMULATIONS} simulations": lambda folder: _on_page(program, game, folder),
    }


def line(what: str, found: Sequence[FirstMove]) -> str:
    """Return the medians of several runs of one wait."""
    seconds = median(one.seconds for one in found)
    kernels = max(one.kernels for one in found)
    leaving = median(one.leaving for one in found)
    verdict = f"< {LIMIT:g} s: {'yes' if seconds < LIMIT else 'NO'}"
    return f"{what:<60} {seconds:7.3f} {kernels:9} {leaving:9.3f}   {verdict}"


def measured(program: Sequence[str], game: str, runs: int) -> dict[str, list[FirstMove]]:
    """Make each measurement `runs` times, and print the medians."""
    print(f"{'first move, nothing compiled before':<60} {'seconds':>7} {'kernels':>9} {'leaving':>9}")
    found: dict[str, list[FirstMove]] = {}
    for what, once in waits(program, game).items():
        found[what] = []
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as folder:
                found[what].append(once(folder))
        print(line(what, found[what]), flush=True)
    return found


def _kernels(folder: str) -> int:
    return sum(file.suffix == ".bin" for file in Path(folder).rglob("*"))


def _at_terminal(command: Sequence[str], first: str, folder: str) -> FirstMove:
    """Play the first move at a pseudo-terminal as soon as it is asked for, then wait for the bot's move."""
    started = time.perf_counter()
    process, terminal = pty.fork()
    if process == 0:
        os.execve(command[0], list(command), _environment(folder) | {"TERM": "xterm"})
    shown = b""
    try:
        while _PROMPT not in shown:
            shown += _read(terminal)
        os.write(terminal, f"{first}\n".encode())
        while not _MOVE.search(shown):
            shown += _read(terminal)
        moved = time.perf_counter()
        kernels = _kernels(folder)
        os.write(terminal, b"quit\n")
        with contextlib.suppress(OSError):
            while _read(terminal):
                pass
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    return FirstMove(moved - started, kernels, time.perf_counter() - moved)


def _read(terminal: int) -> bytes:
    ready, _, _ = select.select([terminal], [], [], PATIENCE)
    if not ready:
        raise TimeoutError(f"nothing was shown for {PATIENCE:g} s")
    return os.read(terminal, 65536)


def _in_match(command: Sequence[str], folder: str) -> FirstMove:
    """Play a match of two games; its records show when the first move was made."""
    store = Path(folder) / "matches.sqlite"
    started = time.time()
    subprocess.run(
        [*command, "--store", str(store)],
        env=_environment(folder),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    ended = time.time()
    with Store(store) as opened:
        games = opened.games(1)
    moved = min(game.began + game.moves[0].seconds for game in games)
    over = max(game.began + game.seconds for game in games)
    return FirstMove(moved - started, _kernels(folder), ended - over)


@contextlib.contextmanager
def _server(program: Sequence[str], game: str, folder: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [*program, "serve", game, "--no-open", "--port", "0"]
    with subprocess.Popen(
        command, env=_environment(folder), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r":(\d+)/", process.stdout.readline())
            assert found is not None
            yield process, int(found[1])
        finally:
            process.kill()


def _on_page(program: Sequence[str], game: str, folder: str) -> FirstMove:
    """Start a game in which the bot moves first, in the same way as the page."""
    started = time.perf_counter()
    with _server(program, game, folder) as (process, port):
        with connect(f"ws://127.0.0.1:{port}/api/session", max_size=None) as page:
            opponent = {"simulations": SIMULATIONS}
            for said in (
                {"type": "hello"},
                {"type": "new_game", "game": game, "seats": [1], "opponent": opponent},
            ):
                page.send(json.dumps(said))
            while True:
                told = json.loads(page.recv(PATIENCE))
                if told["type"] == "position" and told["ply"] == 1:
                    break
            moved = time.perf_counter()
            kernels = _kernels(folder)
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
    return FirstMove(moved - started, kernels, time.perf_counter() - moved)


def _environment(folder: str) -> dict[str, str]:
    return {**os.environ, CACHE_VARIABLE: folder}
