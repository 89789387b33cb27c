"""Starting worker processes, the first one ahead of need.

A worker takes most of a second for its imports. So a command starts its first worker before its own imports,
and both import at the same time. This module is quick to import.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from branchwise.arena.play.status_board import StatusBoard

_SOURCE = str(Path(__file__).parents[3])
_KEEP = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from branchwise.arena.play.process_guardian import main; main()"
)
_START = "import sys; sys.path[:] = {path!r}; from branchwise.arena.play.worker import main; main()"


class LaunchedProcess:
    """A process that waits for its `Setup`, below its keeper.

    board : its status board.   output : the file of its printed output.
    """

    def __init__(self) -> None:
        self.board = StatusBoard()
        self.output = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the owner of the process
        fcntl.fcntl(self.output, fcntl.F_SETFL, os.O_APPEND)  # so that truncating leaves no hole
        self._path = [*sys.path]
        python = sys.executable
        keeper = [python, "-I", "-S", "-c", _KEEP, _SOURCE, str(os.getpid())]
        self.process = subprocess.Popen(
            [*keeper, python, "-P", "-c", _START.format(path=self._path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.output,
            bufsize=0,
            pass_fds=(self.board.descriptor,),
            start_new_session=True,
        )

    @property
    def fits(self) -> bool:
        """Whether a process started now would be the same."""
        return self._path == sys.path and self.process.poll() is None

    def discard(self) -> None:
        """End a process that has no work."""
        with suppress(OSError):
            self.process.terminate()
        self.process.wait()
        for file in (self.process.stdin, self.process.stdout, self.board, self.output):
            if file is not None:
                file.close()


_ahead: list[LaunchedProcess] = []


@contextmanager
def launched_ahead() -> Iterator[None]:
    """Start the first process of the next match; it is ended after the block if no match has taken it."""
    launched = LaunchedProcess()
    _ahead.append(launched)
    try:
        yield
    finally:
        if launched in _ahead:
            _ahead.remove(launched)
            launched.discard()


def launch() -> LaunchedProcess:
    """Return a process that was started ahead, or start one."""
    for launched in _ahead:
        if launched.fits:
            _ahead.remove(launched)
            return launched
    return LaunchedProcess()
