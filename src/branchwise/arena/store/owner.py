"""Telling one process from another: which one is playing a match that is kept."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path


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
