"""Errors as sent to a page: without the names of this machine's folders, which are private."""

from __future__ import annotations

import logging
import re

from branchwise.common.errors import ActionError, BranchwiseError, SettingsError, UnknownNameError
from branchwise.web.protocol.messages import Refused
from branchwise.web.protocol.rule_threads import BudgetError

_log = logging.getLogger("branchwise.web")
_LONGEST = 2000
_OF_REQUESTS = (ActionError, SettingsError, UnknownNameError, BudgetError)
_NAME = r"""[^\s/\\:"'()]+"""
_FOLDERS = re.compile(rf"(?<![\w:/.\\])(?:[A-Za-z]:[\\/]|/|~/)(?:{_NAME}[\\/])*(?={_NAME})")
"""The folders of an absolute path, up to the name of the file."""


def refused(error: BaseException, *, about: str | None = None, answers: int | None = None) -> Refused:
    """Return the message about an error; unexpected errors are also logged.

    >>> from branchwise.common.errors import ActionError
    >>> refused(ActionError("e4 is not legal", mend="play d4"), about="play")
    Refused(message='e4 is not legal', mend='play d4', about='play', superseded=False, id=None)
    >>> refused(ActionError("no end (/home/me/my games.py, line 3) of 1/2")).message
    'no end (my games.py, line 3) of 1/2'
    """
    if isinstance(error, BranchwiseError):
        problem = error.problem if error.after is None else f"{error.problem} (after {error.after})"
        return _refusal(problem, error.mend, about, answers)
    _log.warning("%s failed", about or "a request", exc_info=error)
    problem = f"this failed, perhaps in the rules of the game: {type(error).__name__}: {error}"
    return _refusal(problem, "branchwise check GAME finds faults in rules", about, answers)


def refused_discreetly(
    error: BaseException, *, about: str | None = None, answers: int | None = None, of_bot: bool = False
) -> Refused:
    """Return an error as a message that tells nothing of what is hidden in a position.

    The message of an error in a request is passed on. For any other error, and for every error of a bot
    (`of_bot`), only the type is named: the message may contain what the rules or the bot know.

    >>> refused_discreetly(KeyError("the queen of spades")).message
    'this failed, in a bot or in the rules of the game: KeyError'
    """
    if isinstance(error, _OF_REQUESTS) and not of_bot:
        return _refusal(error.problem, error.mend, about, answers)
    _log.warning("%s failed", about or "a request", exc_info=error)
    problem = f"this failed, in a bot or in the rules of the game: {type(error).__name__}"
    mend = "branchwise check GAME finds faults in rules; the server's log has the whole error"
    return _refusal(problem, mend, about, answers)


def _refusal(problem: str, mend: str | None, about: str | None, answers: int | None) -> Refused:
    mend = without_folders(mend) if mend else None
    return Refused(id=answers, message=without_folders(problem), mend=mend, about=about)


def resigned(*, about: str, answers: int | None) -> Refused:
    """Return the message that a bot gives up its game; what it says may tell what is hidden.

    >>> resigned(about="bot_move", answers=None).message
    'the bot resigns'
    """
    return Refused(
        id=answers, message="the bot resigns", mend="start a new game, or take a move back", about=about
    )


def overtaken(about: str, answers: int | None) -> Refused:
    """Return the answer to a request that a later one has replaced.

    >>> overtaken("hint", 7).superseded
    True
    """
    return Refused(
        id=answers,
        message="a later request has replaced this one",
        mend="send it again if you still need it",
        about=about,
        superseded=True,
    )


def without_folders(text: str) -> str:
    """Return a text without the folders of absolute paths, and cut if it is very long.

    >>> without_folders("gtp(command='/usr/games/gnugo --mode gtp')")
    "gtp(command='gnugo --mode gtp')"
    """
    return _FOLDERS.sub("", text)[:_LONGEST]
