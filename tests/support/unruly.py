"""Bots that misbehave; each behaves for its first `good` moves."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time

import branchwise as bw


class Unruly(bw.Bot):
    """Plays the first legal action `good` times, then misbehaves."""

    name = "unruly"

    def __init__(self, *, good: int = 2):
        self.left = good

    def choose(self, state):
        self.left -= 1
        return state.legal_actions()[0] if self.left >= 0 else self.misbehave(state)

    def misbehave(self, state):
        raise NotImplementedError


class Thrower(Unruly):
    def misbehave(self, state):
        raise ValueError("out of ideas")


class Garbler(Unruly):
    """Raises with a text that cannot be encoded."""

    def misbehave(self, state):
        raise bw.BranchwiseError("half a \ud83d face")


class Leaver(Unruly):
    def misbehave(self, state):
        sys.exit("enough")


class Unshowable(Unruly):
    def misbehave(self, state):
        class Answer:
            def __repr__(self):
                raise RuntimeError("no")

        return Answer()


class Answers(Unruly):
    """Answers with the given value, which is no legal action."""

    def __init__(self, *, answer=None, good: int = 2):
        super().__init__(good=good)
        self.answer = answer

    def misbehave(self, state):
        return self.answer


class Spoiler(Unruly):
    """Changes the state that it gets; that is allowed and has no effect."""

    def misbehave(self, state):
        action = state.legal_actions()[0]
        while not state.is_terminal():
            state.apply_action(state.legal_actions()[0])
        return action


class Sleeper(Unruly):
    def __init__(self, *, good: int = 2, nap: float = 1000.0):
        super().__init__(good=good)
        self.nap = nap

    def misbehave(self, state):
        time.sleep(self.nap)
        return state.legal_actions()[0]


class Holder(Unruly):
    """Hangs in C code that blocks all other threads of the process."""

    def misbehave(self, state):
        return re.match(r"(a+)+$", "a" * 60 + "b")


class Quitter(Unruly):
    def misbehave(self, state):
        os._exit(3)


class Crasher(Unruly):
    def misbehave(self, state):
        print("last words of a crasher", flush=True)
        ctypes.string_at(0)


class Victim(Unruly):
    def misbehave(self, state):
        os.kill(os.getpid(), signal.SIGKILL)


class Parent(Unruly):
    """Starts a process and hangs."""

    def misbehave(self, state):
        subprocess.Popen(["sleep", "987.25"])
        time.sleep(1000)


class Chatterer(Unruly):
    """Writes to the standard output, and reads the standard input."""

    def misbehave(self, state):
        print("chatter" * 1000, flush=True)
        os.write(1, b"\x80\x04more")
        assert sys.stdin.read() == ""
        return state.legal_actions()[0]


class Unbuildable(bw.Bot):
    """Can be built with the seed 0 only."""

    name = "unbuildable"

    def __init__(self, *, seed=None):
        if seed != 0:
            raise RuntimeError("not today")

    def choose(self, state):
        return state.legal_actions()[0]


class Forker(Unruly):
    """Leaves a copy of itself with all descriptors, in a new session, and ends its process."""

    def misbehave(self, state):
        if os.fork() == 0:
            os.setsid()
            sys.argv[:] = ["left behind by a forker"]
            time.sleep(1000)
        os._exit(3)


class Twin(Unruly):
    """Forks, and plays on in both processes."""

    def misbehave(self, state):
        os.fork()
        return state.legal_actions()[0]


class Daemon(Unruly):
    """Starts a program detached from this process, with an empty environment, and plays on."""

    def misbehave(self, state):
        subprocess.Popen(["sleep", "986.75"], start_new_session=True, env={})
        return state.legal_actions()[0]


class Lingerer(Unruly):
    """Hangs when it is closed."""

    def misbehave(self, state):
        return state.legal_actions()[0]

    def close(self):
        time.sleep(1000)


def descriptors():
    return [number for number in range(256) if number != 2 and _is_open(number)]


def _is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


class Scribbler(Unruly):
    """Writes garbage to every descriptor, and plays on."""

    garbage = b"\x80\x04\x95\xff\xff\xff\x7f" + bytes(range(256)) * 8

    def misbehave(self, state):
        for number in descriptors():
            try:
                os.set_blocking(number, False)
                os.write(number, self.garbage)
                os.ftruncate(number, 0)
            except OSError:
                pass
        return state.legal_actions()[0]


class Reader(Unruly):
    """Reads from every descriptor while its process lives, and plays on."""

    def misbehave(self, state):
        for number in descriptors():
            threading.Thread(target=self._read, args=(number,), daemon=True).start()
        return state.legal_actions()[0]

    def _read(self, number):
        try:
            while True:
                os.read(number, 65536) or time.sleep(0.01)
        except OSError:
            pass


class Shutter(Unruly):
    """Closes every descriptor, and plays on."""

    def misbehave(self, state):
        os.closerange(3, 256)
        return state.legal_actions()[0]


class Deaf(Unruly):
    """Ignores every signal that can be ignored, and hangs."""

    def misbehave(self, state):
        for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGCHLD"):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        time.sleep(1000)


class Flooder(Unruly):
    """Writes endlessly until its time is up."""

    def misbehave(self, state):
        line = b"x" * 2**16
        while True:
            os.write(1, line)


class Patricide(Unruly):
    """Kills the process that started it."""

    def misbehave(self, state):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1000)


class Boaster(Unruly):
    """Reports a search that did not take place, with an invalid result."""

    def misbehave(self, state):
        from branchwise.search.results.result import SearchResult

        self.result = SearchResult.__new__(SearchResult)
        return state.legal_actions()[0]
