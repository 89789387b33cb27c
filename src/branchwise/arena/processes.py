"""Telling one process from another, and ending together with the one that started this."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from branchwise.errors import MatchError

_PR_SET_PDEATHSIG = 1
_is_worker = False


@dataclass(frozen=True)
class Owner:
    """A process; started : when, by its machine's count, or '' where that cannot be told."""

    host: str
    pid: int
    started: str

    def is_alive(self) -> bool:
        """Whether it still runs; one on another machine, of which nothing is known, counts as ended."""
        if self.host != socket.gethostname():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return self.started == _started(self.pid)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Owner:
        return cls(**json.loads(text))


@cache
def this_process() -> Owner:
    return Owner(socket.gethostname(), os.getpid(), _started(os.getpid()))


def _started(pid: int) -> str:
    """Return when a process started, in ticks since its machine did; '' where there is no /proc."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    fields = status.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]


def become_worker() -> None:
    """Note that this process plays games for a match."""
    global _is_worker
    _is_worker = True


def refuse_in_worker() -> None:
    """Raise `MatchError` in a process that plays games for a match: it would start one of its own."""
    if _is_worker:
        raise MatchError(
            "a file that holds a game or a bot plays a match as soon as it is imported",
            mend='write what is to be run below if __name__ == "__main__":',
        )


def die_with(parent: int) -> None:
    """Have this process killed when `parent`, which started it, ends, even if nothing runs here any more.

    Only Linux can do that; elsewhere it has no effect, and closing pipes have to do. What is watched there is
    the thread that started this process, so that has to live as long as the process is wanted.
    """
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it had ended before
        os._exit(1)
