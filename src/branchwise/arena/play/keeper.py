"""The process between the arena and one that plays games: it leaves nothing of that one behind.

A bot may start programs, and cut whatever ties them to it: sessions, groups, environment. The system gives
orphans to the nearest process above that asks for them, and that is this one (Linux). When the process that
plays has ended, or is to be ended, all that is left below is killed; then this one ends in the same way.
Elsewhere the group of the process that plays is killed, which is all but what has left it.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from contextlib import suppress

from branchwise.processes import adopt_orphans, die_with

PATIENCE = 3.0
"""Seconds that the killing may take at most."""

_SIGNALS = (signal.SIGTERM, signal.SIGCHLD)


def main() -> None:
    """Run the program that the command line names, as a child, until it ends or SIGTERM comes.

    The command line has the id of who started this process, and then the program with its arguments.
    """
    parent, *words = sys.argv[1:]
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # by default it would be lost on some systems
    die_with(int(parent), signal.SIGTERM)
    adopt_orphans()
    child = os.fork()
    if child == 0:
        _become(words)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):  # the child's alone: who reads from it learns when it ends
        os.dup2(nothing, descriptor)
    status = _wait_for(child)
    _kill_all(child)
    _end_like(status)


def _become(words: list[str]) -> None:
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        os.execv(words[0], words)
    finally:
        os._exit(127)


def _wait_for(child: int) -> int:
    """Return the status of the child when it has ended; it is killed when SIGTERM comes."""
    while True:
        if signal.sigwait(_SIGNALS) == signal.SIGTERM:
            _kill_group(child)
            with suppress(OSError):  # it may not have made its group yet
                os.kill(child, signal.SIGKILL)
            return os.waitpid(child, 0)[1]
        with suppress(ChildProcessError):
            while True:
                ended, status = os.waitpid(-1, os.WNOHANG)
                if ended == child:
                    return status
                if ended == 0:
                    break


def _kill_all(child: int) -> None:
    """Kill all that the child has left behind, and what that leaves behind."""
    _kill_group(child)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            ended = os.waitpid(-1, os.WNOHANG)[0]
        except ChildProcessError:
            return
        if not ended:
            for pid in _children():
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.002)


def _kill_group(child: int) -> None:
    with suppress(OSError):
        os.killpg(child, signal.SIGKILL)


def _children() -> list[int]:
    """Return the processes whose parent this one is, as far as the system tells."""
    found = []
    with suppress(OSError):
        for name in os.listdir("/proc"):
            with suppress(OSError):
                if name.isdecimal():
                    with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                        fields = file.read().rpartition(")")[2].split()
                    if int(fields[1]) == os.getpid():
                        found.append(int(name))
    return found


def _end_like(status: int) -> None:
    """End with the exit status of another process, or by the signal that ended it."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-code})
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)
