"""The levels of a game, from 1 to 10: their bots, their measured strengths, and their files.

Levels are a JSON file named after the text form of the game. For Branchwise's own games it is in the package,
for others in a folder `levels` beside the file of the rules. If a user measures levels of Branchwise's games,
they go to the user's data folder, or to $BRANCHWISE_LEVELS, and take precedence over those of the package.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from branchwise.draws import Draws
from branchwise.errors import SettingsError
from branchwise.games import is_shipped
from branchwise.notation import format_spec
from branchwise.players import CHANCE
from branchwise.ranges import whole_number
from branchwise.rules.dice import sampled_outcome
from branchwise.rules.facts import apply_legal, game_facts, reward_of
from branchwise.rules.type import pays
from branchwise.traits import samples_outcomes

if TYPE_CHECKING:
    from branchwise.game import Game

LEVELS = 10
"""The number of levels of a game."""

LEVELS_VARIABLE = "BRANCHWISE_LEVELS"
_FORMAT = 1
_SAMPLE_GAMES = 5
_SAMPLE_LENGTH = 1000
_digests: dict[type[Game], str] = {}


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
            given = {name: _plain(content, name, kind) for name, kind in _LADDER.items()}
            given["levels"] = tuple(_level(entry) for entry in _plain(content, "levels", list))
            if not all(isinstance(version, str) for version in given["versions"].values()):
                raise TypeError("versions are texts")
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


def load_ladder(game: type[Game] | str, file: str | Path | None = None) -> Ladder:
    """Return the levels of `game`; file : their file, or None for the usual places.

    Raises `SettingsError` if the levels have not been measured, if the rules have changed since, and for a
    file without levels.

    >>> load_ladder("connect_four")[1].bot.startswith("mcts(")
    True
    """
    from branchwise.games import load_game

    rules = load_game(game) if isinstance(game, str) else game
    if file is not None:
        ladder = _read(Path(file).expanduser())
    else:
        found = [file for file in ladder_places(rules) if file.is_file()]
        if not found:
            raise _unmeasured(rules)
        ladder = _read(found[0])
    if ladder.game != rules.name:
        raise SettingsError(
            f"these are the levels of {ladder.game}, not of {rules.name}", mend=_measuring(rules)
        )
    if ladder.rules != rules_digest(rules):
        raise SettingsError(
            f"the rules of {rules.name} have changed since its levels were measured", mend=_measuring(rules)
        )
    return ladder


def ladder_places(game: type[Game]) -> list[Path]:
    """Return the files that may contain the levels of a game; new ones are written to the first.

    Empty for a game that is not written in a file.
    """
    name = re.sub(r"[^\w.=,()+-]", "_", game.name) + ".json"
    module = sys.modules.get(game.__module__)
    file = getattr(module, "__file__", None)
    beside = [] if file is None else [Path(file).parent / "levels" / name]
    return [_user_folder() / name, *beside] if is_shipped(game) else beside


def rules_digest(game: type[Game]) -> str:
    """Return a digest of the rules, from some random games; it is the same on every machine.

    Rules that draw at random are compared by their draws from the same random numbers.
    """
    if game in _digests:
        return _digests[game]
    digest = blake2b(digest_size=8)
    for number in range(_SAMPLE_GAMES):
        source, draws, state = Random(f"rules {number}"), Draws(number), game()
        for _ in range(_SAMPLE_LENGTH):
            if state.is_terminal():
                if not pays(game):
                    digest.update(repr([float(gain) for gain in state.returns()]).encode())
                break
            by_chance = state.current_player() == CHANCE
            drawn = by_chance and samples_outcomes(game)
            legal = [sampled_outcome(state, draws)] if drawn else [int(a) for a in state.legal_actions()]
            digest.update(f"{int(state.current_player())}{legal}".encode())
            if by_chance and not drawn:
                pairs = state.chance_outcomes()  # type: ignore[attr-defined]
                digest.update(" ".join(f"{chance:.9f}" for _, chance in pairs).encode())
            given = apply_legal(state, legal[int(source.random() * len(legal))], draws)
            if pays(game):
                rewards = reward_of(state, given, game_facts(state))
                digest.update(" ".join(f"{reward:.6f}" for reward in rewards).encode())
    _digests[game] = digest.hexdigest()
    return _digests[game]


def _user_folder() -> Path:
    named = os.environ.get(LEVELS_VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_data_path

    return user_data_path("branchwise", appauthor=False) / "levels"


def _read(file: Path) -> Ladder:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read the levels in {file}: {error}") from error
    return Ladder.from_json(text, str(file))


_LADDER: dict[str, type] = {
    "game": str,
    "rules": str,
    "step": float,
    "command": str,
    "games": int,
    "openings_depth": int,
    "seconds": float,
    "versions": dict,
}
"""The entries of a ladder's file besides its levels, with their types."""


def _level(entry: Mapping[str, Any]) -> Level:
    numbers = {field.name: _plain(entry, field.name, float) for field in fields(Level)[1:]}
    return Level(_plain(entry, "bot", str), **numbers)


def _plain(content: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return an entry of a JSON object; raises `TypeError` for another type."""
    value = content[name]
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise TypeError(f"{name} is not of type {kind.__name__}")
    return value


def _unmeasured(game: type[Game]) -> SettingsError:
    if game.num_players == 1:
        return SettingsError(
            f"{game.name} is played alone, so it has no levels", mend="mcts(simulations=100) is a weak player"
        )
    base = game._base
    measured = base is not None and any(file.is_file() for file in ladder_places(base))
    other = f"; those of {base.name} have, but its rules differ" if base is not None and measured else ""
    return SettingsError(f"the levels of {game.name} have not been measured{other}", mend=_measuring(game))


def _measuring(game: type[Game]) -> str:
    if is_shipped(game):
        return f'branchwise calibrate "{game.name}"'
    module = sys.modules.get(game.__module__)
    file = getattr(module, "__file__", None)
    if file is None:
        return "write the game in a file and measure its levels: branchwise calibrate my_game.py"
    reference = f"{file}:{(game._base or game).__name__}"
    return f'branchwise calibrate "{format_spec(reference, game._options)}"'
