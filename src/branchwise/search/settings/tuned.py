"""The settings of MCTS that were found for a game by playing, and their file.

The file is JSON in a folder `tuned` beside the rules, or in the one that $BRANCHWISE_TUNED names: see
`rules.measured_files.places`. `branchwise tune` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from branchwise.common.errors import BranchwiseError, SettingsError, nearest_name
from branchwise.game.kinds.game_kinds import is_partially_observed
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.rules_class import Game
from branchwise.rules.measured_files.places import (
    command_for,
    first_file,
    fits,
    places_beside,
    plain_entries,
    plain_entry,
    read_measured,
)
from branchwise.rules.measured_files.tuned_file import BOTS_OWN, TUNED_FOLDER, TUNED_VARIABLE
from branchwise.search.settings.settings import Settings

_NEVER = (
    "seed",
    "evaluator",
    "batch_size",
    "threads",
    "parallel",
    "memory_mb",
    "compiled",
    "spread",
    "perfect_information",
)
"""Settings of a planner that concern the machine, the report or what it may see, not how well it plays."""

TUNABLE = (*(f.name for f in fields(Settings) if f.name not in _NEVER), *BOTS_OWN)
"""The settings that may be tuned."""

ELO, RETURN = "elo", "return"
"""What a measurement counts: a difference in Elo in games of two, or in mean return in problems of one."""

Setting = bool | int | float | str | None
_FORMAT = 1
_MAY_BE_NONE = ("gain", "low", "high")


@dataclass(frozen=True)
class TunedSettings:
    """The settings found for a game, and how much stronger they are than the defaults.

    game : its text form.   rules : its `rules_digest`.   found : the settings that differ from the defaults,
    by name.   confirmed : whether they are better than the defaults with confidence: whether the interval
    lies above 0.   unit : of the measurement, "elo" or "return".   gain, low, high : how much better, and the
    ends of the 95 % interval, from games that had no part in the choice; None where infinite or unknown.
    games : how many games measured it.   simulations, of_defaults : of a move, for the settings found and for
    the defaults.   command : the command that found them.   seconds : total time of all games.   versions :
    versions of the software that matter.
    """

    game: str
    rules: str
    found: dict[str, Setting]
    confirmed: bool
    unit: str
    gain: float | None
    low: float | None
    high: float | None
    games: int
    simulations: int
    of_defaults: int
    command: str
    seconds: float
    versions: dict[str, str]

    @property
    def settings(self) -> dict[str, Setting]:
        """The settings to use: those found if they were confirmed, otherwise none, which means the defaults.

        They include those of the bot `mcts` alone (`BOTS_OWN`).
        """
        return dict(self.found) if self.confirmed else {}

    @property
    def of_planner(self) -> dict[str, Setting]:
        """The settings to use in a planner."""
        return {name: value for name, value in self.settings.items() if name not in BOTS_OWN}

    def overridden(self, given: Mapping[str, Any], *, planner: bool) -> dict[str, Any]:
        """Return the settings to use with some `given` instead; planner : without those of the bot.

        A weight `c` that was found for one selection rule means nothing to another, so it is dropped if
        `selection` is given without `c`.
        """
        own = dict(self.of_planner if planner else self.settings)
        if "selection" in given and given["selection"] != own.get("selection", Settings.selection):
            own.pop("c", None)
        return {**own, **given}

    def to_json(self) -> str:
        """Return the text of the file."""
        return json.dumps({"format": _FORMAT, **asdict(self)}, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str, source: str = "this text") -> TunedSettings:
        """Return the settings that `to_json` wrote.

        Raises `SettingsError` with `source` for other texts, and for settings that this version of Branchwise
        does not have.
        """
        again = "tune the game again: branchwise tune"
        try:
            content = json.loads(text)
            layout = content["format"]
            if layout == _FORMAT:
                given = _entries(content)
        except BranchwiseError as error:
            raise SettingsError(f"{source}: {error.problem}", mend=again) from error
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise SettingsError(
                f"{source} has no tuned settings: {type(error).__name__}: {ascii(str(error))[1:-1]}",
                mend=again,
            ) from error
        if layout != _FORMAT:
            raise SettingsError(
                f"{source} has format {layout!r}, but this version reads {_FORMAT}", mend=again
            )
        return cls(**given)


def load_tuned(
    game: type[Game] | Game | str, file: str | Path | None = None, *, compare: bool = True
) -> TunedSettings:
    """Return the tuned settings of a game.

    game : a class, one of its states, or a text form.   file : of the settings; None: the usual places.
    compare : the rules are compared with those that were tuned, by playing some games; False: not where the
    file came with Branchwise.
    Raises `SettingsError` if the game has not been tuned, if its rules have changed since, and for a file
    that is damaged or has settings that this version does not know.

    >>> load_tuned("hex").settings["selection"]
    'grave'
    """
    rules = _rules_of(game)
    if file is None:
        file = first_file(tuned_places(rules))
    if file is None:
        raise _untuned(rules)
    file = Path(file).expanduser()
    tuned = TunedSettings.from_json(read_measured(file, "tuned settings"), str(file))
    if tuned.game != rules.name:
        raise SettingsError(
            f"{file} has the settings of {tuned.game}, not of {rules.name}", mend=_tuning(rules)
        )
    if not fits(rules, tuned.rules, file, compare=compare):
        raise SettingsError(f"the rules of {rules.name} have changed since it was tuned", mend=_tuning(rules))
    return tuned


def tuned_places(game: type[Game]) -> list[Path]:
    """Return the files that may contain the settings of a game; new ones are written to the first.

    Empty for a game that is not written in a file.
    """
    return places_beside(game, TUNED_FOLDER, TUNED_VARIABLE)


def check_tunable(name: str) -> None:
    """Raise `UnknownNameError` unless `name` is a setting that may be tuned."""
    if name in _NEVER:
        raise SettingsError(
            f"{name} is not a setting to tune: it concerns the machine or the report, not the play",
            mend=f"settings to tune are {', '.join(TUNABLE)}",
        )
    if name not in TUNABLE:
        raise nearest_name("setting", name, TUNABLE)


def _entries(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a file; raises if one is missing, is of another type, or contradicts another."""
    given = plain_entries(content, TunedSettings, _MAY_BE_NONE)
    for name in _MAY_BE_NONE:
        given[name] = None if content[name] is None else plain_entry(content, name, float)
    if given["unit"] not in (ELO, RETURN):
        raise ValueError(f"unit is {given['unit']!r}")
    for name, value in given["found"].items():
        check_tunable(name)
        if not isinstance(value, bool | int | float | str | None):
            raise TypeError(f"{name} is {value!r}")
        if name in BOTS_OWN and not isinstance(value, bool):
            raise TypeError(f"{name} is {value!r}, not true or false")
    Settings(**{name: value for name, value in given["found"].items() if name not in BOTS_OWN})
    if given["confirmed"] != (given["low"] is not None and given["low"] > 0):
        raise ValueError("confirmed does not agree with low")
    return given


def _rules_of(game: object) -> type[Game]:
    from branchwise.games import load_game

    rules = load_game(game) if isinstance(game, str) else game if isinstance(game, type) else type(game)
    if not issubclass(rules, Game):
        raise SettingsError(
            f"only a branchwise.Game has tuned settings, and {rules.__name__} is not one",
            mend="use the defaults: bw.MCTS()",
        )
    return rules


def _untuned(game: type[Game]) -> SettingsError:
    if game._joint or hides_information(game) or is_partially_observed(game):
        return SettingsError(
            f"{game.name} has not been tuned: settings are compared in games whose players move in turn and "
            "see everything",
            mend="use the defaults",
        )
    base = game._base
    measured = base is not None and first_file(tuned_places(base)) is not None
    other = f"; {base.name} has, but its rules differ" if base is not None and measured else ""
    return SettingsError(
        f"{game.name} has not been tuned{other}",
        mend=f"{_tuning(game)}; or use the defaults: bw.MCTS(), the bot mcts",
    )


def _tuning(game: type[Game]) -> str:
    return command_for(game, "tune", "tune it")
