"""Arguments and options that several commands share, and their parsing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwise.cli.terminal.declare_options import argument, option

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game


def whole_number_in(text: str) -> int:
    """Read a whole number, as `1000` or as `1e3`.

    >>> whole_number_in("1000"), whole_number_in("1e3")
    (1000, 1000)
    """
    try:
        return int(text)
    except ValueError:
        pass
    try:
        if float(text).is_integer():
            return int(float(text))
    except (ValueError, OverflowError):
        pass
    raise typer.BadParameter(f"{text!r} is not a valid integer.")


GameArgument = Annotated[
    str,
    argument(
        "GAME", "A game: connect_four, connect_four(rows=5,columns=5), my_game.py or my_game.py:MyGame."
    ),
]
MovesOption = Annotated[
    str,
    option(
        "--moves MOVES", 'Moves from the start to play first, such as "d1 d2"; ? is what chance brings there.'
    ),
]
SecondsOption = Annotated[float | None, option("--seconds S", "Seconds to think, above 0.")]
SimulationsOption = Annotated[
    int | None,
    option("--simulations N", "Simulations to think for, from 1.", parser=whole_number_in),
]
SeedOption = Annotated[
    int | None,
    option("--seed N", "Seed of the random numbers; any whole number."),
]
StoreOption = Annotated[
    str | None,
    option(
        "--store FILE",
        "The file of matches; default $BRANCHWISE_STORE, or matches.sqlite in your data folder.",
    ),
]
TrustOption = Annotated[
    bool,
    option(
        "--trust", "Run files and engines that the file of matches names, even if it comes from elsewhere."
    ),
]
LevelsOption = Annotated[
    str | None,
    option("--levels FILE", "The file of levels; default: the game's own."),
]
SettingsOption = Annotated[
    str,
    option(
        "--settings NAME=VALUE,...",
        'Any settings of MCTS, such as "selection=grave,threads=2,playout=decisive+mast".',
        shown=False,
    ),
]
WeightOption = Annotated[float | None, option("--c C", "Weight of exploration, from 0.")]
PlayoutOption = Annotated[str | None, option("--playout NAME", "Playouts: uniform, decisive, mast, nst, ...")]
PlainOption = Annotated[bool, option("--python", "Run the rules as plain Python; compile nothing; slow.")]
JsonOption = Annotated[bool, option("--json", "Print the result as JSON.")]


def settings_from(text: str, **others: object) -> dict[str, Any]:
    """Return the settings in `text`, and those of `others` that are not None.

    Raises `UnknownNameError` for an unknown setting, with the nearest known one, and `SettingsError` for a
    text that cannot be read or a setting that is given twice.

    >>> settings_from("selection=rave(bias=0.1),threads=2", c=0.5, playout=None)
    {'selection': 'rave(bias=0.1)', 'threads': 2, 'c': 0.5}
    """
    from branchwise.bots import with_functions
    from branchwise.common.name_and_options import parse_spec
    from branchwise.search.settings.settings import Settings

    settings = with_functions(parse_spec(f"settings({text})")[1])
    return with_options(settings, [f.name for f in fields(Settings)], "setting", others)


def with_options(
    settings: dict[str, Any], known: Sequence[str], what: str, others: Mapping[str, object]
) -> dict[str, Any]:
    """Return the settings of `--settings`, and those of `others`, which have options of their own.

    known : the names that there are.   what : what they are called.   others : None unless given. Raises
    `UnknownNameError` for an unknown setting, and `SettingsError` for one that is given twice.
    """
    from branchwise.common.errors import SettingsError, nearest_name

    given = {name: value for name, value in others.items() if value is not None}
    for name in (*settings, *given):
        if name not in known:
            raise nearest_name(what, name, known)
        if name in settings and name in given:
            raise SettingsError(f"{name} is given twice, by an option and in --settings")
    return settings | given


def move_list(text: str, game: type[Game] | None = None) -> list[str]:
    """Split a list of moves on blanks and commas; on blanks alone in a game whose moves contain commas.

    >>> move_list("d1, d2 c1")
    ['d1', 'd2', 'c1']
    >>> from branchwise.games.rock_paper_scissors import RockPaperScissors
    >>> move_list("rock,paper", RockPaperScissors)
    ['rock,paper']
    """
    from branchwise.game.kinds.continuous_actions import has_box

    if game is not None and (game._joint or has_box(game)):
        return text.split()
    return [move for move in re.split(r"[\s,]+", text) if move]
