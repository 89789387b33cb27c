"""Bots that do what no bot should; each behaves for its first `good` moves."""

import ctypes
import os
import re
import signal
import subprocess
import sys
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
    """Raises with a text that no encoding has."""

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
    """Answers with whatever it is told, which is no legal action."""

    def __init__(self, *, answer=None, good: int = 2):
        super().__init__(good=good)
        self.answer = answer

    def misbehave(self, state):
        return self.answer


class Spoiler(Unruly):
    """Changes the state that it is shown; that is not against the rules, and of no use."""

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
    """Hangs in C code, where no other thread of the process gets a turn."""

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
