"""The levels of a game, from 1 to 10: their bots, their measured strengths, and their files.

Levels are a JSON file in a folder `levels`, or in the one that $BRANCHWISE_LEVELS names: see
`rules.measured_files.places`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.bots.strength.default_bot import usual_bot
from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError
from branchwise.common.name_and_options import format_spec, parse_spec
from branchwise.rules.facts.game_type import check_joint_is_open
from branchwise.rules.measured_files.places import (
    command_for,
    first_file,
    fits,
    places_beside,
    plain_entries,
    plain_entry,
    read_measured,
)

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game

LEVELS = 10
"""The number of levels of a game."""

LEVELS_VARIABLE = "BRANCHWISE_LEVELS"
_FORMAT = 1


@dataclass(frozen=True)
class Level:
    """One level.

    bot : its text form.   elo, low, high : above a random player, with the ends of the 95 % interval.
    above, above_low, above_high : above the level before; of level 1, above random.
    """

    bot: str
    elo: float
    low: float
    high: float
    above: float
    above_low: float
    above_high: float


@dataclass(frozen=True)
class Ladder:
    """The levels of a game, and how they were measured.

    game : its text form.   rules : its `rules_digest`.   step : target in Elo from level to level.
    levels : from 1, in order; their figures come from games that were not used to choose them.   command :
    the command that measured them.   games : games between each two neighbours in that
    measurement.   openings_depth : random moves at the start of each game.   seconds : total time of all
    games.   versions : versions of the software that matter.
    """

    game: str
    rules: str
    step: float
    levels: tuple[Level, ...]
    command: str
    games: int
    openings_depth: int
    seconds: float
    versions: dict[str, str]

    def __getitem__(self, level: int) -> Level:
        """Return a level by its number; raises `SettingsError` if there is none."""
        whole_number("level", level, 1, len(self.levels))
        return self.levels[level - 1]

    def to_json(self) -> str:
        """Return the levels as the text of their file."""
        return json.dumps({"format": _FORMAT, **asdict(self)}, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str, source: str = "this text") -> Ladder:
        """Return the levels that `to_json` wrote; raises `SettingsError` with `source` for other texts."""
        try:
            content = json.loads(text)
            if content["format"] != _FORMAT:
                raise SettingsError(
                    f"{source} has format {content['format']!r}, but this version reads {_FORMAT}",
                    mend="measure the levels again: branchwise calibrate",
                )
            given = plain_entries(content, cls, ("levels",))
            given["levels"] = tuple(_level(entry) for entry in plain_entry(content, "levels", list))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            if isinstance(error, SettingsError):
                raise
            raise SettingsError(
                f"{source} has no levels: {type(error).__name__}: {ascii(str(error))[1:-1]}",
                mend="measure the levels again: branchwise calibrate",
            ) from error
        if len(given["levels"]) != LEVELS:
            raise SettingsError(f"{source} has {len(given['levels'])} levels, not {LEVELS}")
        return cls(**given)


def load_ladder(game: type[Game] | str, file: str | Path | None = None, *, compare: bool = True) -> Ladder:
    """Return the levels of `game`; file : their file, or None for the usual places.

    compare : the rules are compared with those that were measured, by playing some games; False: not where
    the file came with Branchwise.
    Raises `SettingsError` if the levels have not been measured, if the rules have changed since, and for a
    file without levels.

    >>> load_ladder("connect_four")[1].bot.startswith("mcts(")
    True
    """
    from branchwise.games import load_game

    rules = load_game(game) if isinstance(game, str) else game
    if file is None:
        file = first_file(ladder_places(rules))
    if file is None:
        raise _unmeasured(rules)
    file = Path(file).expanduser()
    ladder = Ladder.from_json(read_measured(file, "levels"), str(file))
    if ladder.game != rules.name:
        raise SettingsError(
            f"these are the levels of {ladder.game}, not of {rules.name}", mend=_measuring(rules)
        )
    if not fits(rules, ladder.rules, file, compare=compare):
        raise SettingsError(
            f"the rules of {rules.name} have changed since its levels were measured", mend=_measuring(rules)
        )
    return ladder


def ladder_places(game: type[Game]) -> list[Path]:
    """Return the files that may contain the levels of a game; new ones are written to the first.

    Empty for a game that is not written in a file.
    """
    return places_beside(game, "levels", LEVELS_VARIABLE)


def _level(entry: Mapping[str, Any]) -> Level:
    numbers = {field.name: plain_entry(entry, field.name, float) for field in fields(Level)[1:]}
    return Level(plain_entry(entry, "bot", str), **numbers)


def check_has_levels(game: type[Game]) -> None:
    """Raise an error of `branchwise.common.errors` for a game in which levels make no sense."""
    if game.num_players == 1:
        name, options = parse_spec(usual_bot(game))
        weak, strong = (format_spec(name, {"simulations": n, **options}) for n in (100, 1000))
        command = command_for(game, "run", "compare bots by their returns")
        raise SettingsError(
            f"{game.name} is played alone, so it has no levels, which say who beats whom",
            mend=f'{command} --bot "{weak}" --bot "{strong}" compares returns',
        )
    check_joint_is_open(game, "a level")


def _unmeasured(game: type[Game]) -> SettingsError:
    check_has_levels(game)
    base = game._base
    measured = base is not None and first_file(ladder_places(base)) is not None
    other = f"; those of {base.name} have, but its rules differ" if base is not None and measured else ""
    return SettingsError(f"the levels of {game.name} have not been measured{other}", mend=_measuring(game))


def _measuring(game: type[Game]) -> str:
    return command_for(game, "calibrate", "measure its levels")
