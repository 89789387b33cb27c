"""Opening stores, and beginning or resuming matches in them."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from branchwise.arena.records.record import GameRecord
from branchwise.arena.store.store import Store, StoredMatch, latest_open
from branchwise.arena.store.trust_seal import need_trust
from branchwise.catalogue.trusted_code import runs_code
from branchwise.common.errors import StoreError

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game


@dataclass(frozen=True)
class StoreEntry:
    """A store and the number of a match or a tournament in it."""

    store: Store
    number: int

    def claim(self) -> list[GameRecord]:
        """Make this process the one that plays it; return its games so far, without their moves.

        Raises `StoreError` if another process is playing it.
        """
        self.store.claim(self.number)
        return self.store.games(self.number, moves=False)


@contextmanager
def opened_store(store: Store | str | Path | None, *, create: bool = True) -> Iterator[Store | None]:
    """Yield the store; close it afterwards if it was given as a file."""
    with ExitStack() as stack:
        if isinstance(store, str | Path):
            store = stack.enter_context(Store(store, create=create))
        yield store


@contextmanager
def interrupted_entry(
    store: Store | str | Path, kind: str, number: int | None, trust: bool = False
) -> Iterator[tuple[StoreEntry, StoredMatch]]:
    """Yield the entry of a match or tournament to resume, with what is stored about it.

    number : None: the latest that was interrupted.   trust : whether to run code that it names, wherever it
    came from. Raises `StoreError` if it does not exist, is complete, or is not trusted.
    """
    with opened_store(store, create=False) as kept:
        assert kept is not None
        stored = kept.match(number) if number is not None else latest_open(kept, kind)
        if stored.kind != kind:
            raise StoreError(
                f"{stored.id} is a {stored.kind}", mend=f"branchwise {stored.kind} --resume {stored.id}"
            )
        if stored.ended_by:
            raise StoreError(f"{kind} {stored.id} is complete: all that was to be played has been")
        what = f"{kind} {stored.id} in {kept.file}"
        need_trust(what, kind, stored.settings, stored.seal, trust)
        yield StoreEntry(kept, stored.id), stored


def stored_game(file: Path, stored: StoredMatch, trust: bool = False) -> type[Game]:
    """Return the rules of a match stored in `file`; raises `StoreError` for code that is not trusted."""
    from branchwise.games import load_game

    name = str(stored.settings["game"])
    if runs_code(name):
        what = f"{stored.kind} {stored.id} in {file}"
        need_trust(what, stored.kind, stored.settings, stored.seal, trust)
    return load_game(name)


def versions() -> dict[str, str]:
    """Return the versions of everything that affects how games are played."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    for package in ("branchwise", "numba", "numpy"):
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
