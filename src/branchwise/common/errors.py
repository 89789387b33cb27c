"""The errors of the package. Each states the fault, its place, and how to mend it.

Every error derives from `BranchwiseError`. The first line of its text is the problem; then follow, if known,
the moves that lead there, the mend, and a command that shows the fault again.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BranchwiseError(Exception):
    """Base of all errors that Branchwise raises on purpose.

    problem : the fault and its place in one sentence.   after : the moves from the start that lead there.
    mend : how to correct it.   replay : a command line that shows the fault again.

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
    """A rule was interrupted because it did not end; a search reports it as a `GameError`.

    function : the name of the rule, or of the helper that was running.   place : the number of the line in
    the function.   file, line : its location, if already known.
    """

    def __init__(self, function: str, place: int, file: str | None = None, line: int = 0) -> None:
        super().__init__(function, place, file, line)
        self.function = function
        self.place = place
        self.file = file
        self.line = line

    def __str__(self) -> str:
        return f"{self.function} does not end"


class LeaveRule(BaseException):
    """Raised in a plain Python rule by another thread; not an `Exception`, so that rules do not catch it."""


class ActionError(BranchwiseError, ValueError):
    """An illegal move, or text that is not a move."""


class SettingsError(BranchwiseError, ValueError):
    """An invalid value of an option, a budget or a setting."""


class EvaluatorError(BranchwiseError, RuntimeError):
    """An evaluator raised an exception, or did not return values, or values and weights."""


class StoreError(BranchwiseError, ValueError):
    """A file of matches that is foreign, damaged, locked or too new, or that lacks the requested entry."""


class MatchError(BranchwiseError):
    """A match that cannot continue, through no fault of a bot."""


class ResultsError(BranchwiseError, ValueError):
    """Results of games that contradict each other, or too few results for the requested figure."""


class WorkerError(BranchwiseError, RuntimeError):
    """A search process of a planner could not be started, or has died."""


class TreeFileError(BranchwiseError, ValueError):
    """A file that is not a search tree, or one that is damaged or of another version."""


class EngineError(BranchwiseError):
    """An engine cannot be started, ends, does not answer, or gives an invalid answer.

    last_words : the end of its standard error.   illegal : whether it answered with an illegal move.
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


class ResignedError(BranchwiseError):
    """A bot gives up the game instead of choosing a move; `Bot.choose` may raise it."""


class UnknownNameError(BranchwiseError, LookupError):
    """An unknown name of a game, a bot or an option."""


def nearest_name(kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """Return the error for an unknown `name`; it offers the nearest known name.

    >>> print(nearest_name("game", "conect_four", ["connect_four", "nim"]))
    no game "conect_four"; did you mean "connect_four"?
    """
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return UnknownNameError(f'no {kind} "{name}"; did you mean "{close[0]}"?')
    return UnknownNameError(f'no {kind} "{name}"', mend=f"known: {', '.join(names) or 'none'}")
