"""Exporting matches for other programs: JSON with one game a line, or tables of comma-separated values."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.arena.records.playback import played_again
from branchwise.arena.records.record import GameRecord, MoveRecord, points
from branchwise.common.errors import SettingsError

if TYPE_CHECKING:
    from branchwise.arena.store.store import StoredMatch
    from branchwise.game.rules_class import Game

FORMS = (".jsonl", ".csv")
_COLUMNS = (
    "match",
    "game",
    "round",
    "rules",
    "bots",
    "returns",
    "points",
    "ending",
    "fault",
    "detail",
    "began",
    "seconds",
    "opening",
    "moves",
    "seeds",
)


def export(file: str | Path, match: StoredMatch, records: Sequence[GameRecord], game: type[Game]) -> None:
    """Write the games of a match to `file`; the file name's ending decides the format.

    .jsonl : one line of JSON for each game, with every move and its search results.   .csv : one row for each
    game, moves as people write them; blanks separate the items of a list, semicolons the bots. An existing
    file is replaced.

    Raises `SettingsError` for any other ending, and for a file that cannot be written.
    """
    path = Path(file).expanduser()
    if path.suffix not in FORMS:
        raise SettingsError(f"cannot export to {path}", mend="name a file that ends in .jsonl or .csv")
    try:
        with path.open("w", encoding="utf-8", newline="") as out:
            if path.suffix == ".jsonl":
                for record in records:
                    out.write(json.dumps(game_to_dict(match, record, game), ensure_ascii=False) + "\n")
            else:
                rows = csv.writer(out)
                rows.writerow(_COLUMNS)
                rows.writerows(_row(match, record, game) for record in records)
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror or error}") from error


def game_to_dict(match: StoredMatch, record: GameRecord, game: type[Game]) -> dict[str, Any]:
    """Return everything known of a game as values that JSON can hold; lists are by player.

    A game for one player in which the bot failed has no returns: None.
    """
    plan = record.plan
    texts = move_texts(game, record)
    return {
        "match": match.id,
        "game": record.number,
        "round": plan.round,
        "rules": match.game,
        "bots": [match.bots[bot] for bot in plan.seating],
        "seating": list(plan.seating),
        "seeds": list(plan.seeds),
        "dice": plan.dice,
        "returns": None if record.is_void else list(record.returns),
        "points": list(points(record.returns)),
        "ending": record.ending,
        "fault": record.fault,
        "detail": record.detail,
        "began": record.began,
        "seconds": record.seconds,
        "opening": texts[: len(plan.opening)],
        "moves": [_move_to_dict(move, texts[move.ply]) for move in record.moves],
    }


def _move_to_dict(move: MoveRecord, text: str) -> dict[str, Any]:
    children = [child._asdict() for child in move.children]
    entry = {"move": text, **asdict(move), "children": children}
    if move.reached is None:
        del entry["reached"]
    else:
        entry["reached"] = json.loads(move.reached)
    return entry


def move_texts(game: type[Game], record: GameRecord) -> list[str]:
    """Return the moves of a game, those of the opening first, as people write them."""
    return [move.text for move in played_again(game, record).moves]


def _row(match: StoredMatch, record: GameRecord, game: type[Game]) -> list[Any]:
    entry = game_to_dict(match, record, game)
    entry["moves"] = [move["move"] for move in entry["moves"]]
    entry["bots"] = "; ".join(entry["bots"])
    return [_cell(entry[column]) for column in _COLUMNS]


def _cell(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list) else value
