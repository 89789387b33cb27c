"""The file in which matches are kept: one SQLite database, written game by game.

A finished game is written in one transaction, so the file has only complete games whatever happens to the
process.
Several processes may write to one file at the same time. Layout: `store.tables`.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from branchwise.arena.records.record import BestLine, GameRecord, MoveRecord
from branchwise.arena.store.playing_process import Owner, this_process
from branchwise.arena.store.tables import (
    APPLICATION,
    CHANGES,
    GAME_COLUMNS,
    MOVE_COLUMNS,
    SCHEMA,
    VERSION,
    game_from_row,
    game_row,
    move_from_row,
    move_row,
)
from branchwise.arena.store.trust_seal import seal
from branchwise.common.errors import StoreError

STORE_VARIABLE = "BRANCHWISE_STORE"
MATCH, RUN, TOURNAMENT = "match", "run", "tournament"
"""Kinds of entries."""


@dataclass(frozen=True)
class StoredMatch:
    """A match, a run or a tournament as it is stored.

    kind : "match", "run" or "tournament".   state : "complete", "running", or "interrupted", which can be
    resumed.
    best : the best line of a one-player game.   seal : shows who began it; see `store.seal`.
    """

    id: int
    kind: str
    begun: float
    changed: float
    state: str
    ended_by: str
    game: str
    bots: tuple[str, ...]
    games: int
    played: int
    settings: dict[str, Any]
    versions: dict[str, str]
    best: BestLine | None = None
    seal: str = ""


def default_store() -> Path:
    """Return the default file for matches: $BRANCHWISE_STORE, or one in the user's data folder."""
    named = os.environ.get(STORE_VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_data_path

    return user_data_path("branchwise", appauthor=False) / "matches.sqlite"


class Store:
    """A file of matches, to be used as a context manager or closed.

    file : None: `default_store()`. It is created if it does not exist.   create : False: raise instead.
    patience : seconds to wait while another process writes to it.

    Raises `StoreError` for a file that is something else, damaged, of a newer version, or locked for longer;
    such a file is left unchanged.
    """

    def __init__(
        self, file: str | Path | None = None, *, create: bool = True, patience: float = 30.0
    ) -> None:
        self.file = default_store() if file is None else Path(file).expanduser()
        if not self.file.exists():
            if not create:
                raise StoreError(f"there is no file {self.file}", mend="play a match first, or give --store")
            if file is None:
                self.file.parent.mkdir(parents=True, exist_ok=True)
        with self._telling():
            self._db = sqlite3.connect(self.file, timeout=patience, isolation_level=None)
        try:
            with self._telling():
                self._db.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
                self._prepare(patience)
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    # --- writing ------------------------------------------------------------------------------------

    def begin(
        self,
        game: str,
        bots: tuple[str, ...],
        games: int,
        settings: Mapping[str, Any],
        versions: Mapping[str, str],
        *,
        kind: str = MATCH,
    ) -> int:
        """Add a match, or by `kind` a run or tournament, that this process will play; returns its number."""
        now, owner = time.time(), this_process().to_json()
        named, decided, by = map(json.dumps, (bots, dict(settings), dict(versions)))
        with self._writing() as db:
            row = db.execute(
                "INSERT INTO matches"
                " (begun, changed, ended_by, owner, game, bots, games, settings, versions, kind, seal)"
                " VALUES (?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?)",
                (now, now, owner, game, named, games, decided, by, kind, seal(kind, settings)),
            )
            assert row.lastrowid is not None
            return row.lastrowid

    def claim(self, match: int) -> None:
        """Make this process the one that plays a match; raises `StoreError` while another one does."""
        with self._writing() as db:
            owner = self._owner(match)
            if owner is not None and owner != this_process() and owner.is_alive():
                raise StoreError(f"{self._kind(match)} {match} is being played by process {owner.pid}")
            db.execute("UPDATE matches SET owner = ? WHERE id = ?", (this_process().to_json(), match))

    def release(self, match: int, ended_by: str = "") -> None:
        """Give up a match; ended_by : what completed it, or '' if it can be resumed."""
        with self._writing() as db:
            db.execute("UPDATE matches SET owner = '', ended_by = ? WHERE id = ?", (ended_by, match))

    def add(
        self, match: int, *records: GameRecord, best: BestLine | None = None, forgets: bool = False
    ) -> None:
        """Add finished games in one transaction; a game that is already stored is left unchanged.

        best : the best line, if it changes by these games.   forgets : whether there is none any more.
        """
        with self._writing() as db:
            for record in records:
                added = db.execute(
                    "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                    " ON CONFLICT (match, number) DO NOTHING",
                    game_row(match, record),
                ).rowcount
                if added:
                    db.executemany(
                        "INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        [move_row(match, record.number, move) for move in record.moves],
                    )
            if best is not None or forgets:
                text = "" if best is None else json.dumps(asdict(best))
                db.execute("UPDATE matches SET best = ? WHERE id = ?", (text, match))
            db.execute("UPDATE matches SET changed = ? WHERE id = ?", (time.time(), match))

    # --- reading ------------------------------------------------------------------------------------

    def matches(self) -> list[StoredMatch]:
        """Return all matches, the latest first."""
        return [self.match(row[0]) for row in self._rows("SELECT id FROM matches ORDER BY id DESC")]

    def match(self, match: int | None = None) -> StoredMatch:
        """Return a match; None: the latest. Raises `StoreError` if there is no such match."""
        if match is None:
            latest = self._row("SELECT max(id) FROM matches")
            if latest is None or latest[0] is None:
                raise StoreError(f"{self.file} has no matches")
            match = int(latest[0])
        row = self._row(
            "SELECT begun, changed, ended_by, game, bots, games, settings, versions,"
            " (SELECT count(*) FROM games WHERE match = id), kind, best, seal FROM matches WHERE id = ?",
            match,
        )
        if row is None:
            raise self._no_match(match)
        owner = self._owner(match)
        with self._telling():
            state = "running" if owner is not None and owner.is_alive() else "interrupted"
            return StoredMatch(
                id=match,
                kind=row[9],
                begun=row[0],
                changed=row[1],
                state="complete" if row[2] else state,
                ended_by=row[2],
                game=row[3],
                bots=tuple(json.loads(row[4])),
                games=row[5],
                played=row[8],
                settings=json.loads(row[6]),
                versions=json.loads(row[7]),
                best=_best_line(row[10]),
                seal=row[11],
            )

    def in_series(self) -> set[int]:
        """Return the numbers of the matches that belong to a series, such as a sweep: see `tuning.series`."""
        there = self._row("SELECT 1 FROM sqlite_master WHERE name = 'series_matches'")
        rows = self._rows("SELECT match FROM series_matches") if there else []
        return {int(row[0]) for row in rows}

    def games(self, match: int, *, moves: bool = True) -> list[GameRecord]:
        """Return the games of a match in order; moves : whether to include their moves."""
        rows = self._rows(f"SELECT {GAME_COLUMNS} FROM games WHERE match = ? ORDER BY number", match)
        with self._telling():
            return [game_from_row(row, self._moves(match, row[0]) if moves else ()) for row in rows]

    def game(self, match: int, number: int) -> GameRecord:
        """Return one game of a match; raises `StoreError` if it does not exist."""
        row = self._row(f"SELECT {GAME_COLUMNS} FROM games WHERE match = ? AND number = ?", match, number)
        with self._telling():
            if row is not None:
                return game_from_row(row, self._moves(match, number))
        raise StoreError(f"{self.match(match).kind} {match} has no game {number} (yet)")

    def _moves(self, match: int, game: int) -> tuple[MoveRecord, ...]:
        query = f"SELECT {MOVE_COLUMNS} FROM moves WHERE match = ? AND game = ? ORDER BY ply"
        return tuple(move_from_row(row) for row in self._rows(query, match, game))

    def _owner(self, match: int) -> Owner | None:
        row = self._row("SELECT owner FROM matches WHERE id = ?", match)
        if row is None:
            raise self._no_match(match)
        return Owner.from_json(row[0]) if row[0] else None

    def _kind(self, match: int) -> str:
        return str(self._db.execute("SELECT kind FROM matches WHERE id = ?", (match,)).fetchone()[0])

    def _no_match(self, match: int) -> StoreError:
        known = self._rows("SELECT id FROM matches")
        return StoreError(
            f"{self.file} has no match {match}", mend="branchwise results lists them" if known else None
        )

    def _rows(self, query: str, *values: int | str | None) -> list[Any]:
        """Return the rows of a query, in which each ? stands for one of the values."""
        with self._telling():
            return self._db.execute(query, values).fetchall()

    def _row(self, query: str, *values: int | str | None) -> Any:
        """Return the first row of a query, or None."""
        return next(iter(self._rows(query, *values)), None)

    # --- the file -----------------------------------------------------------------------------------

    def _prepare(self, patience: float) -> None:
        """Create the tables in an empty file; raises `StoreError` for a file that is not a usable store."""
        if self._is_empty():
            self._use_log(patience)
            with self._writing() as db:
                if self._is_empty():  # another process may have been faster
                    for statement in SCHEMA.split(";"):
                        db.execute(statement)
                    db.execute(f"PRAGMA application_id = {APPLICATION}")
                    db.execute(f"PRAGMA user_version = {VERSION}")
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION:
            raise StoreError(f"{self.file} is a database of something else", mend="name another file")
        if version > VERSION:
            raise StoreError(
                f"{self.file} was written by a newer Branchwise (version {version} of its layout; this one "
                f"reads {VERSION})",
                mend="use that version, or name another file",
            )
        if version < VERSION:
            self._bring_up_to_date()
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _bring_up_to_date(self) -> None:
        """Upgrade the layout of an older version to this one."""
        with self._writing() as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]  # another process may have been faster
            for statement in (change for to, change in sorted(CHANGES.items()) if to > version):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {VERSION}")

    def _is_empty(self) -> bool:
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        return bool(tables == 0 and self._db.execute("PRAGMA application_id").fetchone()[0] == 0)

    def _use_log(self, patience: float) -> None:
        """Switch to a write-ahead log, so that readers and a writer do not wait for each other."""
        until = time.monotonic() + patience
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:  # SQLite does not wait by itself here
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._telling():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Raise `StoreError` in plain words for errors of SQLite and for damaged content."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._in_words(error) from error
        except (json.JSONDecodeError, TypeError, KeyError) as error:
            raise StoreError(f"{self.file} is damaged: {error}") from error

    def _in_words(self, error: sqlite3.Error) -> StoreError:
        told = str(error)
        if "locked" in told:
            return StoreError(
                f"{self.file} is locked by another process", mend="wait for it, or name another file"
            )
        if "not a database" in told:
            return StoreError(f"{self.file} is not a file of matches", mend="name another file")
        if "malformed" in told:
            return StoreError(
                f"{self.file} is damaged: {told}", mend="sqlite3 FILE .recover saves what there is"
            )
        return StoreError(f"{self.file}: {told}")


def _best_line(text: str) -> BestLine | None:
    if not text:
        return None
    found = json.loads(text)
    return BestLine(found["game"], found["bot"], found["score"], tuple(found["moves"]))


def latest_open(store: Store, kind: str) -> StoredMatch:
    """Return the latest entry of this kind that was interrupted, matches of a sweep or a tune left out.

    Raises `StoreError` if there is none.
    """
    in_series = store.in_series()
    for stored in store.matches():
        if stored.state == "interrupted" and stored.kind == kind and stored.id not in in_series:
            return stored
    raise StoreError(f"{store.file} has no {kind} that was interrupted")
