"""The tables of a store, and the conversion between records and rows."""

from __future__ import annotations

import json
from typing import Any

from branchwise.arena.records.record import ChildRecord, GamePlan, GameRecord, MoveRecord
from branchwise.game.kinds.continuous_actions import Plain, as_plain

APPLICATION = 0x62776D73
"""SQLite's `application_id`; it identifies a file as a store of matches."""

VERSION = 6
"""Version of the layout, in SQLite's `user_version`."""

CHANGES = {
    2: "ALTER TABLE matches ADD COLUMN kind TEXT NOT NULL DEFAULT 'match'",
    3: "ALTER TABLE matches ADD COLUMN best TEXT NOT NULL DEFAULT ''",
    4: "ALTER TABLE matches ADD COLUMN seal TEXT NOT NULL DEFAULT ''",
    5: "ALTER TABLE games ADD COLUMN dice INTEGER NOT NULL DEFAULT 0",
    6: "ALTER TABLE moves ADD COLUMN reached TEXT",
}
"""By version: the statement that upgrades the version before."""

SCHEMA = """
CREATE TABLE matches (
    id INTEGER PRIMARY KEY,
    begun REAL NOT NULL,            -- seconds since 1970
    changed REAL NOT NULL,          -- when a game ended last
    ended_by TEXT NOT NULL,         -- '' until the match is complete, then what ended it
    owner TEXT NOT NULL,            -- JSON: the process that plays it, or '' if none does
    game TEXT NOT NULL,             -- text form
    bots TEXT NOT NULL,             -- JSON: text forms, as given
    games INTEGER NOT NULL,         -- how many there are to be
    settings TEXT NOT NULL,         -- JSON: all that decides how games go
    versions TEXT NOT NULL,         -- JSON: of what played it
    kind TEXT NOT NULL DEFAULT 'match', -- or 'tournament': of the bots some meet in each game
    best TEXT NOT NULL DEFAULT '',      -- JSON: the `BestLine` of a game for one player, or ''
    seal TEXT NOT NULL DEFAULT ''       -- who began it, see `store.seal`
);
CREATE TABLE games (
    match INTEGER NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,        -- in the schedule, from 0
    round INTEGER NOT NULL,
    opening TEXT NOT NULL,          -- JSON: actions
    seating TEXT NOT NULL,          -- JSON: bot by player
    seeds TEXT NOT NULL,            -- JSON: by player
    returns TEXT NOT NULL,          -- JSON: by player
    ending TEXT NOT NULL,
    fault INTEGER,                  -- the player whose bot lost by a fault
    detail TEXT NOT NULL,
    began REAL NOT NULL,            -- seconds since 1970
    seconds REAL NOT NULL,
    dice INTEGER NOT NULL DEFAULT 0, -- seed of the outcomes of chance
    PRIMARY KEY (match, number)
) WITHOUT ROWID;
CREATE TABLE moves (
    match INTEGER NOT NULL,
    game INTEGER NOT NULL,
    ply INTEGER NOT NULL,           -- moves before it, the opening's included
    seat INTEGER NOT NULL,          -- the player, -1 for chance
    action INTEGER NOT NULL,        -- a continuous one is JSON: a list of numbers
    seconds REAL,
    clock REAL,                     -- left after the move
    simulations INTEGER,
    value REAL,                     -- of the move, for who made it
    lower REAL,                     -- proven bounds of that
    upper REAL,
    depth INTEGER,                  -- moves in line
    line TEXT,                      -- JSON: the expected moves, this one first
    children TEXT,                  -- JSON: [action, visits, value, proven] of each action considered
    reached TEXT,                   -- JSON: what a move of a simulator led to
    PRIMARY KEY (match, game, ply),
    FOREIGN KEY (match, game) REFERENCES games (match, number) ON DELETE CASCADE
) WITHOUT ROWID;
"""

GAME_COLUMNS = "number, round, opening, seating, seeds, returns, ending, fault, detail, began, seconds, dice"

MOVE_COLUMNS = "ply, seat, action, seconds, clock, simulations, value, lower, upper, line, children, reached"


def game_row(match: int, record: GameRecord) -> tuple[Any, ...]:
    """Return the row of a game, in the order of its table."""
    plan = record.plan
    lists = map(json.dumps, (plan.opening, plan.seating, plan.seeds, record.returns))
    end = (record.ending, record.fault, record.detail, record.began, record.seconds)
    return (match, plan.number, plan.round, *lists, *end, plan.dice)


def game_from_row(row: tuple[Any, ...], moves: tuple[MoveRecord, ...]) -> GameRecord:
    """Return the game of a row of `GAME_COLUMNS`, with its moves."""
    opening, seating, seeds, returns = (tuple(map(as_plain, json.loads(text))) for text in row[2:6])
    return GameRecord(
        plan=GamePlan(row[0], row[1], opening, seating, seeds, row[11]),
        returns=returns,
        ending=row[6],
        fault=row[7],
        detail=row[8],
        began=row[9],
        seconds=row[10],
        moves=moves,
    )


def move_row(match: int, game: int, move: MoveRecord) -> tuple[Any, ...]:
    """Return the row of a move, in the order of its table."""
    action = json.dumps(move.action) if isinstance(move.action, tuple) else move.action
    figures = (move.seconds, move.clock, move.simulations, move.value, move.lower, move.upper, move.depth)
    line, children = (json.dumps(found) if found else None for found in (move.line, move.children))
    return (match, game, move.ply, move.seat, action, *figures, line, children, move.reached)


def move_from_row(row: tuple[Any, ...]) -> MoveRecord:
    """Return the move of a row of `MOVE_COLUMNS`."""
    line = tuple(map(as_plain, json.loads(row[9]))) if row[9] else ()
    children = tuple(ChildRecord(as_plain(action), *known) for action, *known in json.loads(row[10] or "[]"))
    ply, seat, stored, seconds, clock, simulations, value, lower, upper = row[:9]
    action: Plain = as_plain(json.loads(stored)) if isinstance(stored, str) else stored
    return MoveRecord(
        ply, seat, action, seconds, clock, simulations, value, lower, upper, line, children, row[11]
    )
