"""`branchwise doctor`: checks that everything Branchwise needs works on this machine."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from branchwise.cli.terminal.options import JsonOption
from branchwise.common.errors import BranchwiseError, SettingsError

if TYPE_CHECKING:
    from branchwise.cli.terminal.screen import Screen

SOMETHING_FAILED = 1
_SIMULATIONS = 300_000
_PYTHONS = ((3, 11), (3, 14))


@dataclass(frozen=True)
class Finding:
    """Result of one check."""

    name: str
    ok: bool
    told: str
    mend: str | None = None
    seconds: float | None = None


def doctor(as_json: JsonOption = False) -> None:
    """Show versions, machine and cache, and try to compile and search a game.

    The exit code is 1 if anything fails. This takes some seconds, because it compiles from scratch.

    \b
    Example:
      branchwise doctor
    """
    from branchwise.cli.terminal.screen import Screen, show_json

    screen = Screen(quiet=as_json)
    findings = []
    for name, examine in _EXAMINATIONS.items():
        with screen.working(f"{name} ..."):
            finding = _examined(name, examine)
        findings.append(finding)
        _show(finding, screen)
    failed = [finding.name for finding in findings if not finding.ok]
    if as_json:
        show_json({"ok": not failed, "findings": [asdict(finding) for finding in findings]})
    screen.show("", f"FAIL: {', '.join(failed)}" if failed else "Everything works.")
    if failed:
        raise typer.Exit(SOMETHING_FAILED)


def _examined(name: str, examine: Callable[[], Finding]) -> Finding:
    """Run a check; an exception becomes its finding."""
    try:
        return examine()
    except BranchwiseError as error:
        return Finding(name, False, error.problem, error.mend)
    except Exception as error:
        return Finding(name, False, f"{type(error).__name__}: {error}")


def _show(finding: Finding, screen: Screen) -> None:
    from rich.text import Text

    mark = Text("OK  ", style="bold green") if finding.ok else Text("FAIL", style="bold red")
    spent = "" if finding.seconds is None else f" ({finding.seconds:.2f} s)"
    screen.show(Text.assemble(mark, f"  {finding.name:<11} {finding.told}{spent}"))
    if finding.mend is not None:
        screen.show(f"      mend: {finding.mend}", whole=True)


# --- checks -------------------------------------------------------------------------------------------


def _own_version() -> Finding:
    from branchwise import __version__

    return Finding("branchwise", True, f"{__version__}, {Path(__file__).parents[2]}")


def _python() -> Finding:
    low, high = _PYTHONS
    told = f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    ok = low <= sys.version_info[:2] <= high
    mend = None if ok else f"use Python {low[0]}.{low[1]} to {high[0]}.{high[1]}"
    return Finding("python", ok, told, mend)


def _library(name: str) -> Callable[[], Finding]:
    def examine() -> Finding:
        return Finding(name, True, str(import_module(name).__version__))

    return examine


def _machine() -> Finding:
    return Finding("system", True, f"{platform.system()} {platform.release()}, {platform.machine()}")


def _cores() -> Finding:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Finding("cores", True, f"{usable} usable of {os.cpu_count()}")


def _memory() -> Finding:
    try:
        page = os.sysconf("SC_PAGE_SIZE")
        total, free = page * os.sysconf("SC_PHYS_PAGES"), page * os.sysconf("SC_AVPHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return Finding("memory", True, "unknown on this system")
    available = _available() or free
    return Finding("memory", True, f"{available / 2**30:.1f} GiB available of {total / 2**30:.1f} GiB")


def _available() -> int | None:
    """Return the bytes of memory that are available according to Linux."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    found = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    return found[0] if found else None


def _cache() -> Finding:
    from branchwise.compile.code.cache import CACHE_VARIABLE, cache_folder, writable

    folder = cache_folder()
    if not writable(folder):
        return Finding(
            "cache", False, f"{folder} cannot be written", f"set {CACHE_VARIABLE} to a writable folder"
        )
    files = list(folder.glob("*.bin"))
    size = sum(file.stat().st_size for file in files) / 2**20
    return Finding("cache", True, f"{folder}: {len(files)} files, {size:.1f} MiB, writable")


def _require_compiler() -> None:
    from numba import config

    if config.DISABLE_JIT:
        raise SettingsError("NUMBA_DISABLE_JIT is set, so nothing can be compiled", mend="unset it")


def _compile() -> Finding:
    _require_compiler()
    from branchwise.games.nim import Nim
    from branchwise.search.planner import MCTS

    started = time.perf_counter()
    with _empty_cache() as folder:
        MCTS(seed=1).search(Nim(), simulations=1)
        kept = len(list(folder.glob("*.bin")))
    spent = time.perf_counter() - started
    files = f"{kept} file{'' if kept == 1 else 's'}"
    return Finding("compile", True, f"nim from scratch, {files} kept", None, spent)


def _search() -> Finding:
    _require_compiler()
    from branchwise.games.nim import Nim
    from branchwise.search.planner import MCTS
    from branchwise.search.results.result import uninterrupted

    result = uninterrupted(MCTS(seed=1).search(Nim(), simulations=_SIMULATIONS))
    best = result.action_text(result.best_action)
    right = best == "1"
    told = f"nim from 21 chips: best is to take {best}" + (
        f", {result.simulations_per_second:,.0f} simulations/s" if right else ", but 1 is right"
    )
    return Finding("search", right, told, None, result.seconds)


@contextmanager
def _empty_cache() -> Iterator[Path]:
    """Keep compiled code in an empty folder for a while, without log messages."""
    import logging

    from branchwise.compile.code.cache import CACHE_VARIABLE

    log = logging.getLogger("branchwise")
    named, disabled = os.environ.get(CACHE_VARIABLE), log.disabled
    with tempfile.TemporaryDirectory(prefix="branchwise-doctor-") as folder:
        os.environ[CACHE_VARIABLE] = folder
        log.disabled = True
        try:
            yield Path(folder)
        finally:
            log.disabled = disabled
            del os.environ[CACHE_VARIABLE]
            if named is not None:
                os.environ[CACHE_VARIABLE] = named


_EXAMINATIONS: dict[str, Callable[[], Finding]] = {
    "branchwise": _own_version,
    "python": _python,
    **{name: _library(name) for name in ("numpy", "numba", "llvmlite")},
    "system": _machine,
    "cores": _cores,
    "memory": _memory,
    "cache": _cache,
    "compile": _compile,
    "search": _search,
}
