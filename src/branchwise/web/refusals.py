"""Errors as they are told to a page."""

from __future__ import annotations

import logging

from branchwise.errors import BranchwiseError
from branchwise.web.messages import Refused

_log = logging.getLogger("branchwise.web")
_LONGEST = 2000


def refused(error: BaseException, *, about: str | None = None, answers: int | None = None) -> Refused:
    """Return what is told of an error; what nobody raised on purpose is logged as well.

    >>> from branchwise.errors import ActionError
    >>> refused(ActionError("e4 is not legal", mend="play d4"), about="play")
    Refused(message='e4 is not legal', mend='play d4', about='play', id=None)
    """
    if isinstance(error, BranchwiseError):
        problem = error.problem if error.after is None else f"{error.problem} (after {error.after})"
        return Refused(id=answers, message=problem[:_LONGEST], mend=_cut(error.mend), about=about)
    _log.warning("%s failed", about or "a request", exc_info=error)
    return Refused(
        id=answers,
        message=f"this failed, perhaps in the rules of the game: {type(error).__name__}: {error}"[:_LONGEST],
        mend="branchwise check GAME finds faults of rules",
        about=about,
    )


def _cut(text: str | None) -> str | None:
    return None if text is None else text[:_LONGEST]
