"""A bot that other programs use line by line, whatever protocol they speak."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, BinaryIO, ClassVar

from branchwise.bots import load_bot
from branchwise.bots.base.bot import Bot
from branchwise.bots.base.bot_thread import RunningChoice
from branchwise.bots.base.warm_up import rehearse
from branchwise.bots.players.human import HumanBot
from branchwise.catalogue.trusted_code import runs_code
from branchwise.common.errors import BranchwiseError, SettingsError
from branchwise.common.name_and_options import parse_spec
from branchwise.compile.code.progress import compiling_now
from branchwise.game.rules_class import Game
from branchwise.rules.playthrough.joint_choice import chooser_views
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.search.results.result import SearchResult
from branchwise.search.settings.move_limit import Limit

LONGEST_LINE = 2**20
INFO_INTERVAL = 0.25
"""Seconds between two lines that report on a running search."""

FAREWELL = 2.0
"""Seconds to wait for a bot that was stopped."""

_GLANCE = 0.1
"""Seconds between two looks whether code is being compiled."""


class BotServer(ABC):
    """A conversation with another program that uses the bot; it ends with the input, or when `_over` is set.

    game : played from its start.   bot : its text form.   seed : the bot's seed, unless its text gives one.
    read, write : bytes from and to the other program.   name : the engine's name.   trust : whether the other
    program may choose a bot that runs a program or a file.

    The bot thinks in another thread, so that every line is read at once.
    """

    only_open: ClassVar[bool] = True
    """Whether only games are played in which players move in turn and see everything."""

    def __init__(
        self,
        game: type[Game],
        bot: str,
        seed: int | None,
        *,
        read: BinaryIO,
        write: BinaryIO,
        name: str = "Branchwise",
        trust: bool = False,
    ) -> None:
        self._game = game
        self._trust = trust
        self._own_spec = bot
        self._name = name
        self._spec = bot
        self._seed = seed
        self._bot = self._loaded(bot, seed)
        self._bot.check_game(game)
        self._from, self._to = read, write
        self._saying = threading.Lock()
        self._changing = threading.RLock()
        self._choice: RunningChoice | None = None
        self._ready = threading.Event()
        """Whether the bot's code is compiled for the game."""

        self._rehearsal: threading.Thread | None = None
        self._over = False

    def run(self) -> bool:
        """Answer until the end; return whether the bot has stopped too."""
        while not self._over:
            line = self._from.readline(LONGEST_LINE)
            if not line:
                break
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                self._tell_error(SettingsError(f"a line has more than {LONGEST_LINE:,} bytes"))
                while line and not line.endswith(b"\n"):
                    line = self._from.readline(LONGEST_LINE)
                continue
            self._hear(line.decode("utf-8", errors="replace"))
        return self._end()

    @abstractmethod
    def tell(self, text: str) -> None:
        """Send a remark to the other program, or to its user."""

    @abstractmethod
    def _hear(self, line: str) -> None:
        """Carry out a line of the other program."""

    @abstractmethod
    def _end_choice(self) -> None:
        """End the bot's choice because the conversation is over."""

    def _become_ready(self) -> None:  # noqa: B027 - most protocols have no word for it
        """Called once the bot's code is compiled, with `_changing` held."""

    # --- the bot ------------------------------------------------------------------------------------

    def _loaded(self, spec: str, seed: int | None) -> Bot:
        bot = load_bot(spec, seed=seed)
        if isinstance(bot, HumanBot):
            raise SettingsError("a person cannot be an engine", mend="name a bot, such as mcts")
        return bot

    def _refuse_code(self, spec: str) -> None:
        """Raise `SettingsError` for a bot that the other program may not choose."""
        parse_spec(spec)  # what cannot be read is reported as such
        if runs_code(spec) and spec != self._own_spec and not self._trust:
            raise SettingsError(
                f"the bot cannot be set to {spec}, which runs a program or a file",
                mend="name it by --bot when the engine is started, or start it with --trust",
            )

    def _set_bot(self, spec: str, seed: int | None) -> None:
        bot = self._loaded(spec, seed)
        bot.check_game(self._game)
        self._bot.close()
        with self._changing:
            self._bot, self._seed = bot, seed
            if spec != self._spec:
                self._spec = spec
                self._ready.clear()

    def _set_game(self, game: type[Game]) -> None:
        """Play another game, or another variant of the same."""
        self._bot.check_game(game)
        with self._changing:
            if game is not self._game:
                self._game = game
                self._ready.clear()

    def _choose(
        self,
        played: Playthrough[Game],
        limit: Limit | None,
        seconds: float | None,
        moves: Sequence[int] | None,
        on_end: Callable[[int | None, BaseException | None], object],
    ) -> None:
        """Let the bot choose in another thread, and call `on_end` there; see `RunningChoice`."""
        self._bot.result = None
        self._choice = RunningChoice(
            self._bot, shown_to_bot(played), seconds, on_end, self._ready, limit=limit, moves=moves
        )
        self._rehearse()

    def _set_progress(self, report: Callable[[SearchResult], object] | None) -> None:
        """Let the bot report on its searches, if it can."""
        if hasattr(self._bot, "progress"):
            self._bot.progress = report

    def _rehearse(self) -> None:
        """Compile the bot's code in another thread; then it is ready."""
        with self._changing:
            running = self._rehearsal is not None and self._rehearsal.is_alive()
            if not self._ready.is_set() and not running:
                self._rehearsal = threading.Thread(target=self._get_ready, daemon=True)
                self._rehearsal.start()

    def _get_ready(self) -> None:
        while True:
            game, spec = self._game, self._spec
            rehearse(game, partial(self._loaded, spec, 0))
            with self._changing:
                if (game, spec) == (self._game, self._spec):
                    self._ready.set()
                    self._rehearsal = None
                    self._become_ready()
                    return

    def _end(self) -> bool:
        wants_answer = not self._over  # the input ended without a farewell, as where commands are piped in
        self._over = True
        self._end_choice()
        choice, rehearsal = self._choice, self._rehearsal
        if choice is not None and not _ends(choice, waits_for_code=wants_answer):
            return False
        if rehearsal is not None and rehearsal.is_alive():
            return False
        self._bot.close()
        return True

    # --- lines --------------------------------------------------------------------------------------

    def _tell_error(self, error: BaseException) -> None:
        self.tell(f"error: {error if isinstance(error, BranchwiseError) else problem_of(error)}")

    def _say(self, *lines: str) -> None:
        with self._saying:
            try:
                for line in lines:
                    self._to.write(line.encode("utf-8", errors="replace") + b"\n")
                self._to.flush()
            except (OSError, ValueError):  # the other program has ended
                self._over = True


def problem_of(error: BaseException) -> str:
    """Return what is wrong, without what would mend it."""
    return error.problem if isinstance(error, BranchwiseError) else f"{type(error).__name__}: {error}"


def shown_to_bot(played: Playthrough[Game]) -> Any:
    """Return what a bot is shown that is to choose; by player where all move at once."""
    if played.is_joint:
        return chooser_views(played.state)
    assert played.player is not None
    return played.shown(played.player)


def gone_on(played: Playthrough[Game], player: int) -> Playthrough[Game]:
    """Return the game with `player` to move, by a method `go_on` of its states; it begins there.

    Raises `ActionError` if that cannot be.
    """
    state = played.state.copy()
    state.go_on(player)  # type: ignore[attr-defined]
    return Playthrough(state)


def _ends(choice: RunningChoice, *, waits_for_code: bool) -> bool:
    """Whether a choice ends in a short time, which begins when code that is being compiled is there."""
    began = time.monotonic()
    while not choice.wait(_GLANCE):
        if waits_for_code and compiling_now() is not None:
            began = time.monotonic()
        if time.monotonic() - began > FAREWELL:
            return False
    return True
