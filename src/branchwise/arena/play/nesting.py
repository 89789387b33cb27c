"""Refusing a match that a process of a match would start."""

from __future__ import annotations

from branchwise.errors import MatchError

_is_worker = False


def become_worker() -> None:
    """Note that this process plays games for a match."""
    global _is_worker
    _is_worker = True


def refuse_in_worker() -> None:
    """Raise `MatchError` in a process that plays games for a match: it would start one of its own."""
    if _is_worker:
        raise MatchError(
            "a file that holds a game or a bot plays a match as soon as it is imported",
            mend='write what is to be run below if __name__ == "__main__":',
        )
