"""The bots that the server was started with, as opponents on the page.

A page chooses one of them by its name. What a bot is and which program it runs follows from the command line
alone: no message of a page is ever read as a bot.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from branchwise.bots import load_bot
from branchwise.bots.players.human import HumanBot
from branchwise.bots.programs.program import ProgramBot
from branchwise.common.errors import BranchwiseError, SettingsError
from branchwise.common.name_and_options import format_spec, is_path, parse_spec
from branchwise.web.protocol.error_messages import without_folders

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot
    from branchwise.game.rules_class import Game

_LONGEST_NAME = 80


@dataclass(frozen=True, eq=False)
class NamedBot:
    """A bot that pages may choose.

    name : as pages have it: the program's name, or else the bot's text form.   text : the text form from
    which the bot of each page is made.
    """

    name: str
    text: str
    _bot: Bot
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def about(self) -> str:
        """The text form, without the names of this machine's folders."""
        return without_folders(self.text)

    def check_game(self, rules: type[Game]) -> None:
        """Raise an error of `branchwise.common.errors` if the bot cannot play a game; starts no program."""
        with self._lock:
            self._bot.check_game(rules)

    def plays(self, rules: type[Game]) -> bool:
        """Whether the bot can play a game, as far as that is known before it does."""
        try:
            self.check_game(rules)
        except BranchwiseError:
            return False
        return True


class NamedBots:
    """All bots that a server was started with.

    games : the games that were named with them, whose variants count, too; none: all games.

    >>> from branchwise.games import load_game
    >>> bots = NamedBots.of(["minimax(depth=4)", "gtp(command='/bin/cat --quiet')"], [load_game("go")])
    >>> [bot.name for bot in bots.of_game(load_game("go(size=13)"))]
    ['minimax(depth=4)', 'cat']
    >>> bots.of_game(load_game("othello"))
    ()
    """

    def __init__(self, bots: Sequence[NamedBot] = (), games: Iterable[type[Game]] = ()) -> None:
        self._bots = tuple(bots)
        self._games = {rules._base or rules for rules in games}

    @classmethod
    def of(cls, texts: Sequence[str], games: Sequence[type[Game]]) -> NamedBots:
        """Return the bots named in `texts`, for the games that the server was started with.

        Raises the errors of `load_bot`; `EngineError` for a program that does not exist; and `SettingsError`
        for a person, for a program without a game, and for a bot that plays none of the games.
        """
        bots: list[NamedBot] = []
        for text in dict.fromkeys(texts):
            bot = load_bot(text)
            if isinstance(bot, HumanBot):
                raise SettingsError("people need no --opponent", mend='choose "People play both" on the page')
            if isinstance(bot, ProgramBot):
                if not games:
                    raise SettingsError(
                        f"which game does {_name_of(text, bot)} play?",
                        mend="name it: branchwise serve GAME --opponent ...",
                    )
                bot.check_program()
            name = free_name(_name_of(text, bot)[:_LONGEST_NAME], {other.name for other in bots}, " ")
            named = NamedBot(name, text, bot)
            if games and not any(named.plays(rules) for rules in games):
                named.check_game(games[0])
            bots.append(named)
        return cls(bots, games)

    def follow(self, old: type[Game], new: type[Game]) -> None:
        """Offer the bots for new rules of a game, as for its old ones."""
        if (old._base or old) in self._games:
            self._games.add(new._base or new)

    def of_game(self, rules: type[Game]) -> tuple[NamedBot, ...]:
        """Return the bots that are meant for a game, and can play it."""
        if self._games and (rules._base or rules) not in self._games:
            return ()
        return tuple(bot for bot in self._bots if bot.plays(rules))


def _name_of(text: str, bot: Bot) -> str:
    if isinstance(bot, ProgramBot):
        return bot.program_name
    name, options = parse_spec(text)
    shown = {option: PurePath(str(v)).name if is_path(option) else v for option, v in options.items()}
    return format_spec(PurePath(name).name, shown)


def free_name(name: str, taken: Collection[str], between: str) -> str:
    """Return a name that is not taken: with a number after `between` if need be, such as "gnugo 2"."""
    number = 2
    free = name
    while free in taken:
        free = f"{name}{between}{number}"
        number += 1
    return free
