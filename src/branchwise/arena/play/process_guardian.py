"""The process between the arena and a worker, which ends everything that the worker has started.

A bot can start programs and detach them: from its session, its process group and its environment. On Linux,
orphans go to the nearest ancestor that asks for them, which is this process. When the worker has ended, or
must end, the keeper kills all its remaining descendants and then ends in the same way. On other systems it
kills the worker's process group, which misses only programs that have left the group.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from contextlib import suppress

from branchwise.common.processes import adopt_orphans, die_with

PATIENCE = 3.0
"""Maximum seconds for killing."""

_SIGNALS = (signal.SIGTERM, signal.SIGCHLD)


def main() -> None:
    """Run the program on the command line as a child, until it ends or SIGTERM arrives.

    The command line has the id of the parent process, then the program with its arguments.
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
    for descriptor in (0, 1):  # only the child keeps them: its reader notices when it ends
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
    """Return the status of the child when it has ended; SIGTERM kills it."""
    while True:
        if signal.sigwait(_SIGNALS) == signal.SIGTERM:
            _kill_group(child)
            with suppress(OSError):  # its group may not exist yet
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
    """Kill all processes that the child has left behind, and their descendants."""
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
    """Return the children of this process, as far as the system lists them."""
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
