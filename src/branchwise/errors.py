"""What can go wrong, said so that the reader knows what, where and how to mend it.

Every error of the package derives from `BranchwiseError`; its text is the problem on the first line and
then, where known, the moves that lead there, the mend, and a command that shows the fault again.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BranchwiseError(Exception):
    """Base of all errors that Branchwise raises on purpose.

    problem : what is wrong and where, one sentence.   after : the moves from the start that lead there.
    mend : what to do about it.   replay : a command line that shows the fault again.

    >>> print(BranchwiseError("no such move", mend="choose one of d1, d2"))
    no such move
      mend: choose one of d1, d2
    """

    def __init__(
        self,
        problem: str,
        *,
        after: str | None = None,
        mend: str | None = None,
        replay: str | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.after = after
        self.mend = mend
        self.replay = replay

    def __str__(self) -> str:
        notes = {"after": self.after, "mend": self.mend, "replay": self.replay}
        lines = [f"  {name}: {text}" for name, text in notes.items() if text is not None]
        return "\n".join([self.problem, *lines])


class GameError(BranchwiseError):
    """A rules class breaks the contract of `Game`, or cannot be compiled."""


class RuleLeftError(Exception):
    """A rule was left because it did not come to an end; a search tells it as a `GameError`.

    function : its name, or that of the helper it was in.   place : which of the lines of the function.
    file, line : the same, where they are known already.
    """

    def __init__(self, function: str, place: int, file: str | None = None, line: int = 0) -> None:
        super().__init__(function, place, file, line)
        self.function = function
        self.place = place
        self.file = file
        self.line = line

    def __str__(self) -> str:
        return f"{self.function} does not come to an end"


class LeaveRule(BaseException):
    """Raised from another thread in a rule in plain Python; no rule catches it by mistake."""


class ActionError(BranchwiseError, ValueError):
    """A move that is not legal here, or a text that names no move."""


class SettingsError(BranchwiseError, ValueError):
    """An option, a budget or a setting with a value that makes no sense."""


class StoreError(BranchwiseError, ValueError):
    """A file of matches that is foreign, damaged, locked or too new, or that lacks what is asked for."""


class MatchError(BranchwiseError):
    """A match that cannot go on, through no fault of a bot."""


class ResultsError(BranchwiseError, ValueError):
    """Results of games that contradict each other, or that are too few for what is asked of them."""


class WorkerError(BranchwiseError, RuntimeError):
    """A process that searches for a planner could not be started, or has died."""


class TreeFileError(BranchwiseError, ValueError):
    """A file that holds no search tree, or one that is damaged or of another version."""


class EngineError(BranchwiseError):
    """A program that plays cannot be started, ends, keeps silent, or answers what makes no sense.

    last_words : the end of what it wrote to its standard error.   illegal : whether it answered with
    a move that is none, or not legal.
    """

    illegal: bool = False

    def __init__(
        self,
        problem: str,
        *,
        after: str | None = None,
        mend: str | None = None,
        last_words: str | None = None,
    ) -> None:
        super().__init__(problem, after=after, mend=mend)
        self.last_words = last_words

    def __str__(self) -> str:
        if not self.last_words:
            return super().__str__()
        words = self.last_words.replace("\n", "\n    ")
        return f"{super().__str__()}\n  its standard error ended with:\n    {words}"


class UnknownNameError(BranchwiseError, LookupError):
    """A game, a bot or an option of a name that nobody registered."""


def nearest_name(kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """Return the error for an unknown `name`, offering the nearest known one.

    >>> print(nearest_name("game", "conect_four", ["connect_four", "nim"]))
    no game "conect_four"; did you mean "connect_four"?
    """
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return UnknownNameError(f'no {kind} "{name}"; did you mean "{close[0]}"?')
    return UnknownNameError(f'no {kind} "{name}"', mend=f"known: {', '.join(names) or 'none'}")
