"""A program that runs beside this process and talks to it line by line; it never outlives this process.

Handles pipes and processes, not the protocol. Nothing here waits without a time limit, whatever the program
does: it may hang, flood its output, close its pipes, or die.
"""

from __future__ import annotations

import errno
import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from contextlib import suppress
from typing import IO

from branchwise.common.errors import EngineError, SettingsError
from branchwise.engines.launch import Launcher, is_ready

LONGEST_LINE = 2**20
"""Maximum bytes of a line; a longer one counts as a flood."""

FAREWELL = 1.0
"""Seconds that a program has to end by itself after a request."""

_LAST_WORDS = 1000
_LAST_LINES = 10
_LOOK = 0.25
_GUARD = "read -r _; kill -KILL 0"
"""Waits for the end of its input, which comes however this process ends; then kills its group."""


class LateError(Exception):
    """The expected line did not come in time."""


class Program:
    """A running program.

    command : as typed in a shell; no shell reads it.   folder : its working directory; None: the current one.

    The program and everything it starts form one process group, with a guard that waits for the end of this
    process. If the program leaves the group, the system ends it where possible (Linux). Raises `EngineError`
    if the program cannot be started.

    >>> program = Program("cat")
    >>> program.send("one line", patience=5.0)
    >>> program.read_line(time.monotonic() + 5.0)
    'one line'
    >>> program.end()
    """

    def __init__(self, command: str, folder: str | None = None) -> None:
        self.command = command
        if sys.platform == "win32":
            raise EngineError("engines cannot be run on Windows yet")
        words = command_words(command)
        pipe, none = subprocess.PIPE, subprocess.DEVNULL
        guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD], stdin=pipe, stdout=none, stderr=none, cwd="/", process_group=0
        )
        try:
            launcher = Launcher(words, folder, guard.pid)
        except (OSError, ValueError) as error:
            _end_group(guard)
            raise _not_started(command, words[0], folder, error) from error
        process = launcher.process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._guard = guard
        self._input, self._output = process.stdin.fileno(), process.stdout.fileno()
        os.set_blocking(self._input, False)
        self._writing = threading.Lock()
        self._read = bytearray()
        self._searched = 0
        self._last_words = bytearray()
        self._listener = threading.Thread(
            target=_listen, args=(process.stderr, self._last_words), daemon=True
        )
        self._listener.start()
        self._finish = weakref.finalize(self, _end, launcher, guard, self._listener, os.getpid())

    def send(self, line: str, *, patience: float) -> None:
        """Write a line; raises `EngineError` if it is not taken within `patience` seconds."""
        with self._writing:
            self._write(line.encode("utf-8", errors="replace") + b"\n", patience)

    def read_line(self, deadline: float) -> str:
        """Return its next line without the line end; deadline : on the clock of `time.monotonic`.

        Raises `LateError` if there is none by then, and `EngineError` if there will be none.
        """
        while True:
            end = self._read.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._read[:end]).rstrip(b"\r")
                del self._read[: end + 1]
                self._searched = 0
                return line.decode("utf-8", errors="replace")
            self._searched = len(self._read)
            if len(self._read) > LONGEST_LINE:
                raise self.error(
                    f"wrote {len(self._read):,} bytes without the end of a line",
                    mend="every answer is a line of text with a line feed after it",
                )
            left = deadline - time.monotonic()
            if left <= 0:
                raise LateError
            if is_ready(self._output, select.POLLIN, min(left, _LOOK)):
                more = os.read(self._output, 65536)
                if not more:
                    raise self._gone("closed its output")
                self._read += more
            elif self._process.poll() is not None:
                raise self._gone("closed its output")

    def error(self, problem: str, *, mend: str | None = None, after: str | None = None) -> EngineError:
        """Return the error for a fault of the program, with the end of its standard error."""
        return EngineError(
            f'the engine "{self.command}" {problem}', mend=mend, after=after, last_words=self.last_words()
        )

    def last_words(self) -> str:
        """Return the end of what it wrote to its standard error, without control characters."""
        text = bytes(self._last_words).decode("utf-8", errors="replace")
        lines = text.strip().splitlines()[-_LAST_LINES:]
        return "\n".join("".join(c if c.isprintable() else " " for c in line) for line in lines)[
            -_LAST_WORDS:
        ]

    @property
    def is_closed(self) -> bool:
        """Whether `end` was called."""
        return not self._finish.alive

    def end(self, farewell: str | None = None) -> None:
        """End the program and everything it has started.

        farewell : a last line, after which it has a second to end by itself; None: it is killed.
        """
        with self._writing:
            if farewell is not None and self._finish.alive:
                with suppress(EngineError):
                    self._write(farewell.encode() + b"\n", FAREWELL)
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(FAREWELL)
            self._finish()

    def kill(self) -> None:
        """Kill the program. May be called from any thread.

        A thread that waits for an answer gets an `EngineError`. `end` still has to be called.
        """
        with self._writing:
            if self._finish.alive:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._guard.pid, signal.SIGKILL)
                self._process.kill()

    def _write(self, content: bytes, patience: float) -> None:
        deadline = time.monotonic() + patience
        if not self._finish.alive:
            raise self.error("has ended")
        while content:
            try:
                content = content[os.write(self._input, content) :]
            except BlockingIOError:
                if not is_ready(self._input, select.POLLOUT, deadline - time.monotonic()):
                    raise self.error(f"did not read its input for {patience:g} s") from None
            except OSError:
                raise self._gone("does not read its input any more") from None

    def _gone(self, otherwise: str) -> EngineError:
        """Return the error for a program that has ended, or else for the fault `otherwise`."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LOOK)
        self._listener.join(_LOOK)
        status = self._process.returncode
        if status is None:
            return self.error(otherwise)
        if status < 0:
            name = signal.strsignal(-status) or "unknown"
            return self.error(f"was ended by signal {-status} ({name})")
        return self.error(f"ended by itself, with exit status {status}")


def command_words(command: str) -> list[str]:
    """Split a command as a shell does; raises `SettingsError` if it is empty or cannot be read.

    >>> command_words("./mine --book 'my book' a=b,c")
    ['./mine', '--book', 'my book', 'a=b,c']
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SettingsError(f"cannot read the command {command!r}: {error}") from error
    if not words or not words[0] or "\0" in command:
        raise SettingsError(
            f"the command {command!r} names no program", mend='write command="./my_engine --its options"'
        )
    return words


def find_program(command: str, folder: str | None = None) -> str:
    """Return the path of the program of a command; raises `EngineError` if there is none that can run."""
    program = command_words(command)[0]
    path = os.path.join(folder or "", program) if os.path.dirname(program) else program
    found = shutil.which(path)
    if found is None:
        error: OSError = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if not os.path.exists(path):
            error = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        raise _not_started(command, program, folder, error)
    return found


def _not_started(command: str, program: str, folder: str | None, error: Exception) -> EngineError:
    """Return the error for a program that could not be started."""
    why = getattr(error, "strerror", None) or str(error)
    mend = "is it a program, or does it begin with a line like #!/usr/bin/env python3?"
    if isinstance(error, FileNotFoundError):
        if folder is not None and not os.path.isdir(folder):
            why, mend = f"there is no folder {folder}", "folder=... sets where the engine runs"
        elif os.path.exists(os.path.join(folder or "", program)):
            why, mend = f"what runs {program} is missing", "look at its first line, which begins with #!"
        else:
            why = f"there is no program {program}"
            mend = "the first word of the command is looked up as in a shell: give its path, ./my_engine"
    elif isinstance(error, PermissionError):
        mend = f"chmod +x {program}, or name its interpreter: python3 {program}"
    return EngineError(f'the engine "{command}" cannot be started: {why}', mend=mend)


def _listen(stream: IO[bytes], last_words: bytearray) -> None:
    """Read all output and keep its end, so that the writer never blocks."""
    with stream:
        while chunk := stream.read(65536):
            last_words += chunk
            del last_words[: -4 * _LAST_WORDS]


def _end(
    launcher: Launcher,
    guard: subprocess.Popen[bytes],
    listener: threading.Thread,
    owner: int,
) -> None:
    """End a program and its group; does nothing in a fork of the process that started it."""
    if os.getpid() != owner:
        return
    process = launcher.process
    _end_group(guard)
    process.kill()  # in case it has left the group
    process.wait()
    launcher.end()
    listener.join(FAREWELL)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def _end_group(guard: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(guard.pid, signal.SIGKILL)
    guard.wait()
    if guard.stdin is not None:
        guard.stdin.close()
