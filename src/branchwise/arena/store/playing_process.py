"""Identifying processes: which one is playing a stored match."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Owner:
    """A process; started : when, by its machine's clock, or '' if that is unknown."""

    host: str
    pid: int
    started: str

    def is_alive(self) -> bool:
        """Whether it is still running. A process on another machine cannot be checked and counts as ended."""
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
    """Return when a process started, in clock ticks since the machine started; '' without /proc."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    fields = status.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]
