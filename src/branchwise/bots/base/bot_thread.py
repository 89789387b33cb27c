"""A bot's choice in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from branchwise.bots.base.bot import Bot
from branchwise.common.players import NO_ACTION
from branchwise.search.settings.move_limit import Limit

_NUDGE = 0.01


@dataclass(eq=False)
class RunningChoice:
    """A choice in its own thread.

    state : what the bot is shown; where all players move at once, what each of them is shown, by player. The
    bot then chooses for each, and the action is a joint move.   seconds : time after which the bot is
    stopped; None: never.   on_end : called in that thread with the action, or with the exception.   ready :
    an event that must be set before the choice and its time begin.   limit, moves : as in `Bot.choose`.

    >>> from branchwise.bots import load_bot
    >>> from branchwise.games.nim import Nim
    >>> ends = []
    >>> choice = RunningChoice(load_bot("random", seed=1), Nim(), None, lambda *end: ends.append(end))
    >>> choice.wait(5.0), ends[0][0] in Nim().legal_actions(), ends[0][1]
    (True, True, None)
    """

    bot: Bot
    state: Any
    seconds: float | None
    on_end: Callable[[int | None, BaseException | None], object]
    ready: threading.Event | None = None
    _: KW_ONLY
    limit: Limit | None = None
    moves: Sequence[int] | None = None

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._choose, name="branchwise-choice", daemon=True)
        self._thread.start()

    def stop(self, seconds: float = 0.0) -> None:
        """Stop the bot, at once or after a time."""
        if seconds > 0.0:
            later = threading.Timer(seconds, self._stop.set)
            later.daemon = True
            later.start()
        else:
            self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the choice and `on_end` have ended; return whether they have."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _choose(self) -> None:
        if self.ready is not None:
            self.ready.wait()
        threading.Thread(target=self._end_it, daemon=True).start()
        action, raised = None, None
        try:
            action = self._chosen()
        except BaseException as error:
            raised = error
        self._done.set()
        self._stop.set()
        self.on_end(action, raised)

    def _chosen(self) -> Any:
        """Return the bot's action; where all players move at once, one for each, which share the time."""
        if not isinstance(self.state, Mapping):
            return self.bot.choose(self.state, self.limit, self.moves)
        limit = self.limit
        if limit is not None and limit.seconds is not None:
            limit = replace(limit, seconds=limit.seconds / len(self.state))
        chosen = {player: self.bot.choose(shown, limit, self.moves) for player, shown in self.state.items()}
        players = next(iter(self.state.values())).state.num_players
        return tuple(chosen.get(player, NO_ACTION) for player in range(players))

    def _end_it(self) -> None:
        """Stop the bot in time; repeatedly, since a bot that has not started yet ignores a stop."""
        self._stop.wait(self.seconds)
        while not self._done.is_set():
            with suppress(Exception):
                self.bot.stop()
            self._done.wait(_NUDGE)
