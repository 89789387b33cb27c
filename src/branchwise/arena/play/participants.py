"""Naming the game and the bots of a match by texts that other processes can read."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from branchwise.arena.play.time_control import CLOSE_PATIENCE, PATIENCE, TimeControl
from branchwise.bots import BOTS, load_bot
from branchwise.bots.base.bot import Bot
from branchwise.bots.programs.program import ProgramBot
from branchwise.catalogue.files import is_file_module
from branchwise.catalogue.registry import Registry
from branchwise.catalogue.trusted_code import CODE_OPTIONS, is_place
from branchwise.common.errors import BranchwiseError, SettingsError
from branchwise.common.name_and_options import format_spec, parse_spec, whole_path
from branchwise.game.rules_class import Game
from branchwise.games import GAMES, load_game
from branchwise.rules.facts.facts import check_is_game
from branchwise.search.settings.selection import SelectionRule

_LIMITS = ("simulations", "seconds", "max_nodes", "clock")


@dataclass(frozen=True)
class Participant:
    """A bot of a match.

    name : as the user gave it.   spec : text form for building it, with limits filled in.
    plays_uncompiled : as `Bot.plays_uncompiled`.
    """

    name: str
    spec: str
    plays_uncompiled: bool = False

    def threads(self) -> int:
        """Return the number of threads that its text form gives."""
        threads = parse_spec(self.spec)[1].get("threads", 1)
        return threads if isinstance(threads, int) else 1


def participants(
    bots: Sequence[str | Bot | type[Bot]],
    game: type[Game],
    *,
    simulations: int | None = None,
    control: TimeControl | None = None,
) -> tuple[Participant, ...]:
    """Return the bots of a match at `game`, each with the match's limit if it takes one and has none.

    A bot may be given as a text, an object, from which new ones with the same options are made, or a class.
    Raises what `load_bot` raises for a bot that cannot be built, what its `check_game` raises, and
    `SettingsError` for one that a worker cannot run: a person, or a class that only this process knows.
    """
    limits: dict[str, Any] = {"simulations": simulations}
    if control is not None:
        limits |= {"seconds": control.seconds, "clock": control.clock}
        limits["increment"] = control.increment or None
    limits = {name: limit for name, limit in limits.items() if limit is not None}
    return tuple(_participant(bot, game, limits) for bot in bots)


def patience_with(bots: Sequence[Participant]) -> float:
    """Return the seconds after which a move without a limit of the match counts as hung.

    That is 60, plus ten times the longest thinking time that a bot names.
    """
    longest = 0.0
    for bot in bots:
        options = parse_spec(bot.spec)[1]
        given = [options.get(name) for name in ("seconds", "clock")]
        longest = max([longest, *(float(v) for v in given if isinstance(v, int | float))])
    return PATIENCE + 10 * longest


def game_text(game: str | type[Game]) -> str:
    """Return a text by which another process can load `game`."""
    if isinstance(game, str):
        name, options = parse_spec(game)
        load_game(game)
        return format_spec(reference(GAMES, name), _whole_paths(options))
    check_is_game(game)
    base = game._base or game
    builtin = GAMES.builtin.get(base.name)
    if builtin is not None and GAMES.find(base.name) is base:
        return game.name
    return format_spec(_class_reference(base, "game"), game._options)


def _participant(bot: str | Bot | type[Bot], game: type[Game], limits: dict[str, Any]) -> Participant:
    text = bot if isinstance(bot, str) else _bot_text(bot)
    name, options = parse_spec(text)
    for option in CODE_OPTIONS:
        if is_place(options.get(option)):
            options[option] = _whole_place(str(options[option]))
    if name == "human":
        raise SettingsError("a person cannot play a match", mend="use branchwise play")
    with suppress(BranchwiseError):
        cls = BOTS.find(name)
        known = cls.option_names()
        if not any(limit in options for limit in _LIMITS):
            options |= {limit: value for limit, value in limits.items() if limit in known}
        if issubclass(cls, ProgramBot):  # valid in any process, and when the match is resumed elsewhere
            options["folder"] = str(Path(str(options.get("folder") or ".")).resolve())
    spec = format_spec(reference(BOTS, name), _whole_paths(options))
    try:
        with _built(spec) as built:
            if isinstance(built, ProgramBot):
                built.check_program()
            built.check_game(game)
            plays_uncompiled = built.plays_uncompiled
    except BranchwiseError:
        raise
    except Exception as error:
        raise SettingsError(f"{text} cannot be built: {type(error).__name__}: {error}") from error
    seconds = options.get("seconds")
    most = limits.get("seconds")
    if most is not None and isinstance(seconds, int | float) and seconds > most:
        raise SettingsError(f"{text} thinks longer than the {most:g} s a move of the match")
    return Participant(str(bot) if isinstance(bot, Bot) else text, spec, plays_uncompiled)


def _bot_text(bot: Bot | type[Bot]) -> str:
    """Return a text from which other processes can make a bot like the given object, or of this class."""
    cls = bot if isinstance(bot, type) else type(bot)
    if not issubclass(cls, Bot):
        raise SettingsError(f"{bot!r} is not a bot", mend='name one, such as "mcts", or give a bw.Bot')
    builtin = BOTS.builtin.get(cls.name)
    own = builtin is None or BOTS.find(cls.name) is not cls
    name = _class_reference(cls, "bot") if own else cls.name
    if isinstance(bot, type):
        return name
    if cls.options is Bot.options and cls.option_names():
        raise SettingsError(
            f"{cls.__name__} does not tell its options, so other processes cannot make the same bot",
            mend=f"write def options(self) in it, which returns {{{cls.option_names()[0]!r}: ...}}; or give "
            "a text",
        )
    options: dict[str, Any] = {}
    for option, value in bot.options().items():
        if isinstance(value, SelectionRule):
            options[option] = _rule_text(value)
        elif value is not None:
            options[option] = _function_reference(value, option) if callable(value) else value
    return format_spec(name, options)


def _rule_text(rule: SelectionRule) -> str:
    """Return the text form of a selection rule, with the place of its function."""
    if rule.is_own:
        return str(rule)
    if rule != SelectionRule(rule.score, c=rule.c):
        raise SettingsError(
            f"the selection rule {rule.name} has more than a function and a weight, which no text can say",
            mend="write the SelectionRule at the top level of a file, and name its place: "
            "mcts(selection=my_rules.py:my_rule)",
        )
    return format_spec(_function_reference(rule.score, "selection"), {"c": rule.c})


@contextmanager
def _built(spec: str) -> Iterator[Bot]:
    """Yield a bot and close it afterwards, without waiting forever for it to close."""
    bot = load_bot(spec, seed=0)

    def close() -> None:
        with suppress(BaseException):
            bot.close()

    try:
        yield bot
    finally:
        closing = threading.Thread(target=close, name="branchwise-closing", daemon=True)
        closing.start()
        closing.join(CLOSE_PATIENCE)


def reference(registry: Registry, name: str) -> str:
    """Return a name or path that is valid in any process and any folder."""
    if name in registry.registered:
        return _class_reference(registry.registered[name], registry.kind)
    return _whole_place(name)


def _function_reference(function: object, kind: str) -> str:
    if not isinstance(function, type | FunctionType):
        raise SettingsError(
            f"other processes cannot find the {kind} {function!r}, and matches are played in such",
            mend=f"give it a name in a file of its own, and give that: {kind}='my_file.py:name'",
        )
    return _class_reference(function, kind)


def _whole_place(place: str) -> str:
    """Return a place that is valid in any folder; it may have options behind it."""
    base, bracket, options = place.partition("(")
    where, colon, name = base.rpartition(":") if ":" in base else (base, "", "")
    whole = _whole_path(Path(where)) if where.endswith(".py") else where
    return f"{whole}{colon}{name}{bracket}{options}"


def _class_reference(cls: type | FunctionType, kind: str) -> str:
    """Return `module:name` for a class or a function in a package, and `file.py:name` for any other."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if getattr(module, cls.__name__, None) is not cls or file is None:
        raise SettingsError(
            f"other processes cannot find the {kind} {cls.__name__}, and matches are played in such",
            mend=f"write it at the top level of a file of its own: my_{kind}.py:{cls.__name__}",
        )
    by_name = cls.__module__ != "__main__" and not is_file_module(cls.__module__)
    if by_name and getattr(module, "__package__", None):
        return f"{cls.__module__}:{cls.__name__}"
    return f"{_whole_path(Path(file))}:{cls.__name__}"


def _whole_paths(options: dict[str, Any]) -> dict[str, Any]:
    """Return options with paths of files that are valid in any folder."""
    return {option: whole_path(option, value) for option, value in options.items()}


def _whole_path(file: Path) -> Path:
    path = file.expanduser().resolve()
    if "(" in str(path):
        raise SettingsError(f"{path} cannot be named: its path has a bracket", mend="move or rename it")
    return path
