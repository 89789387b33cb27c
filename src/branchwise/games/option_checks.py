"""Checking the options of games and problems, and reading the files that some of them take."""

from pathlib import Path

from branchwise.common.errors import GameError, nearest_name


def family(game):
    """Return the name of a game without its options."""
    return game.name.partition("(")[0]


def check_ranges(game, **ranges):
    """Raise `GameError` unless options of a game are in their ranges: rows=(2, 50) is from 2 to 50."""
    for option, (low, high) in ranges.items():
        value = getattr(game, option)
        if not low <= value <= high:
            most = f"{high:,}" if high >= 10_000 else high
            raise GameError(f"{family(game)}({option}={value}) is not from {low} to {most}")


def check_name(game, option, known, kind=None):
    """Raise `UnknownNameError` unless an option of a game is one of the `known` names of a kind of thing."""
    name = getattr(game, option)
    if name not in known:
        raise nearest_name(f"{kind or option} of {family(game)}", name, known)


def check_file_alone(game, where, options, what="board"):
    """Raise `GameError` if a game with a `file` also has one of the options that the file replaces.

    where : description of the file, for errors.
    """
    given = [name for name in options if name in vars(game)]
    if given:
        raise GameError(f"{where} has its own {what}", mend=f"give either file= or {given[0]}=")


def read_text(file: str | Path, where: object, errors: str = "strict") -> str:
    """Return the text of a file. Raises `GameError` if it cannot be read.

    where : description of the file, for errors.   errors : as for `bytes.decode`.
    """
    try:
        return Path(file).expanduser().read_bytes().decode("utf-8-sig", errors)
    except (OSError, UnicodeDecodeError) as error:
        raise GameError(f"{where} cannot be read: {error}") from error
