"""Refusing a match inside a worker process of a match."""

from __future__ import annotations

from branchwise.common.errors import MatchError

_is_worker = False


def become_worker() -> None:
    """Mark this process as a worker of a match."""
    global _is_worker
    _is_worker = True


def refuse_in_worker() -> None:
    """Raise `MatchError` in a worker of a match, which must not start another match."""
    if _is_worker:
        raise MatchError(
            "a file that holds a game or a bot plays a match as soon as it is imported",
            mend='write what is to be run below if __name__ == "__main__":',
        )
