"""What searches for a page: the analyst, whose tree is kept as the game goes on, and the bot that plays.

A searcher is asked in a thread of its own, by one thread at a time. Nothing here is imported until then: the
first search loads Numba, and may compile the rules.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from branchwise.bots.ladder import load_ladder
from branchwise.compile.progress import compiling_now
from branchwise.errors import SettingsError
from branchwise.game import Game
from branchwise.notation import format_spec, parse_spec
from branchwise.web.games import OfferedGame
from branchwise.web.memory import Grant, Memory
from branchwise.web.messages import Opponent, SearchSettings

if TYPE_CHECKING:
    from branchwise.bots.bot import Bot
    from branchwise.search.planner import MCTS
    from branchwise.search.result import SearchResult

Progress = Callable[["SearchResult"], object]
Tell = Callable[[str], object]

_LEAST_SECONDS = 0.01

_compiling = threading.Lock()
_ready: set[tuple[type[Game], str]] = set()
_asked: dict[tuple[type[Game], str], float] = {}
"""When each search that is not ready yet was first asked for."""


def is_ready(rules: type[Game], settings: dict[str, Any]) -> bool:
    """Whether the machine code of such a search is there."""
    return (rules, _key(settings)) in _ready


def make_ready(state: Game, settings: dict[str, Any]) -> None:
    """Load or compile what such a search of `state` needs; one at a time, others wait. Raises as a search."""
    key = (type(state), _key(settings))
    _asked.setdefault(key, time.monotonic())
    with _compiling:
        if key in _ready:
            return
        from branchwise.search.planner import MCTS

        try:
            MCTS(**{**settings, "memory_mb": 1}).search(state, simulations=2)
        finally:
            _asked.pop(key, None)
        _ready.add(key)


def compiling(rules: type[Game], settings: dict[str, Any]) -> tuple[float, float | None]:
    """Return for how many seconds what such a search waits for has been compiled, and an estimate of all.

    The estimate is None before the compiler begins, where code may still be found on disk.
    """
    now = compiling_now()
    if now is not None:
        return now.elapsed, now.expected
    asked = _asked.get((rules, _key(settings)))
    return (0.0 if asked is None else time.monotonic() - asked), None


def _key(settings: dict[str, Any]) -> str:
    return repr(sorted((name, value) for name, value in settings.items() if name in ("selection", "playout")))


def planner_settings(given: SearchSettings | None) -> dict[str, Any]:
    """Return what a page chose, as arguments of `MCTS`."""
    chosen = given or SearchSettings()
    named = {"selection": chosen.selection, "c": chosen.c, "playout": chosen.playout, "seed": chosen.seed}
    return {name: value for name, value in named.items() if value is not None}


class Searcher:
    """What keeps a tree in a grant of the memory, and loses it when the memory is taken back."""

    def __init__(self, memory: Memory, on_loss: Callable[[Searcher], object]) -> None:
        self._memory = memory
        self._on_loss = on_loss
        self._grant: Grant | None = None
        self._needs: tuple[type[Game], dict[str, Any]] | None = None

    def _make_ready(self, state: Game, settings: dict[str, Any], tell: Tell) -> None:
        """Have the machine code for such a search of `state`; says so where it is not there yet."""
        if not is_ready(type(state), settings):
            self._needs = type(state), settings
            tell("compiling")
            make_ready(state, settings)

    @property
    def compiling(self) -> tuple[float, float | None]:
        """How long what was needed last has been compiled, and an estimate of all; see `compiling`."""
        return (0.0, None) if self._needs is None else compiling(*self._needs)

    def begin(self) -> None:
        """Have memory for what comes; called where the grants are shared out, not in a thread."""
        if self._grant is None:
            self._grant = self._memory.grant(self._lose)
        self._grant.work()

    def rest(self) -> None:
        """Say that nothing is being done; what is kept may be lost from now on."""
        if self._grant is not None:
            self._grant.rest()

    def abandon(self) -> None:
        """Say that nobody is there who would go on with what is kept."""
        if self._grant is not None:
            self._grant.abandon()

    def drop(self) -> None:
        """Keep nothing."""
        if self._grant is not None:
            self._grant.give_back()
        self._lose()

    def _lose(self) -> None:
        self._grant = None
        self.forget()
        self._on_loss(self)

    def forget(self) -> None:
        raise NotImplementedError

    @property
    def _tree_mb(self) -> float:
        assert self._grant is not None
        return self._grant.tree_mb


class Analyst(Searcher):
    """Searches positions of a game for a page, and goes on where it was when the same one is shown again."""

    def __init__(
        self, memory: Memory, on_loss: Callable[[Searcher], object], settings: dict[str, Any] | None = None
    ) -> None:
        super().__init__(memory, on_loss)
        self.settings = settings or {}
        self.seconds = 0.0
        """That earlier searches of the same position took."""
        self._planner: MCTS | None = None
        self._running: MCTS | None = None
        self._game: type[Game] | None = None
        self._line: list[int] = []
        self._has_grown = False
        """Whether the search under way is to go on with more memory."""

    def goes_on(self, line: Sequence[int]) -> bool:
        """Whether a search of the position after `line` begins with the tree that is there, as it is."""
        return self._planner is not None and list(line) == self._line

    def think(
        self,
        state: Game,
        line: Sequence[int],
        seconds: float,
        progress: Progress,
        *,
        tell: Tell,
        simulations: int | None = None,
    ) -> SearchResult:
        """Search `state`, which comes after the moves `line`, to one of the limits or until `stop`."""
        self._make_ready(state, self.settings, tell)
        planner = self._ready_at(state, list(line))
        self._running = planner
        tell("searching")
        left = seconds
        while True:
            found = planner.search(
                state, seconds=max(left, _LEAST_SECONDS), simulations=simulations, progress=progress
            )
            self.seconds += found.seconds
            left -= found.seconds
            if not self._has_grown or found.ended_by != "stopped":
                return found
            self._has_grown = False
            planner.carry_on(memory_mb=self._tree_mb)

    def grow(self) -> bool:
        """Go on with more memory, if there is any; returns whether there is. Called as `begin` is."""
        if not self._has_grown and self._grant is not None and self._grant.grow():
            self._has_grown = True
            self.stop()
        return self._has_grown

    def stop(self) -> None:
        """End the search, if it has begun; one that is about to begin may not hear it."""
        if self._running is not None:
            self._running.stop()

    def forget(self) -> None:
        self._planner = None
        self._line = []

    def _ready_at(self, state: Game, line: list[int]) -> MCTS:
        from branchwise.search.planner import MCTS

        self._has_grown = False
        known = self._line
        self.seconds = self.seconds if self.goes_on(line) else 0.0
        fits = self._planner is not None and self._game is type(state) and line[: len(known)] == known
        if self._planner is None or not fits:
            self._planner = MCTS(**{**self.settings, "memory_mb": self._tree_mb})
        elif line == known:
            self._planner.carry_on(memory_mb=self._tree_mb)
        else:
            for action in line[len(known) :]:
                if not self._planner.advance(action):
                    break
        self._game, self._line = type(state), line
        return self._planner


class Player(Searcher):
    """The bot of a page."""

    def __init__(self, memory: Memory, on_loss: Callable[[Searcher], object]) -> None:
        super().__init__(memory, on_loss)
        self._bot: Bot | None = None
        self._running: Bot | None = None
        self._text = ""

    def think(
        self,
        text: str,
        state: Game,
        line: Sequence[int],
        seconds: float,
        progress: Progress,
        *,
        tell: Tell,
    ) -> tuple[int, SearchResult | None]:
        """Return what the bot called `text` plays in `state` within `seconds`, and what it found."""
        from branchwise.bots import load_bot

        settings = _search_settings(text)
        self._make_ready(state, settings, tell)
        if self._bot is None or text != self._text:
            name, options = parse_spec(text)
            own = {"memory_mb": self._tree_mb} if name == "mcts" else {}
            self._bot = load_bot(format_spec(name, {**own, **options}))
            self._text = text
        self._running = self._bot
        bot: Any = self._bot
        bot.progress = progress
        bot.set_moves(list(line))
        bot.set_limits(seconds=seconds)
        tell("searching")
        action: int = bot.choose(state)
        return action, bot.result

    def stop(self) -> None:
        """End the search, if it has begun; one that is about to begin may not hear it."""
        if self._running is not None:
            self._running.stop()

    def forget(self) -> None:
        self._bot = None


def bot_text(game: OfferedGame, opponent: Opponent) -> str:
    """Return the text form of the bot that an opponent is. Raises `SettingsError`."""
    if opponent.level is not None:
        return load_ladder(game.rules)[opponent.level].bot
    if opponent.simulations is not None:
        return format_spec("mcts", {"simulations": opponent.simulations})
    return format_spec("mcts", {"seconds": opponent.seconds})


def checked_opponent(game: OfferedGame, given: Opponent | None, most_seconds: float) -> Opponent:
    """Return the opponent that is given, or one in the middle where none is. Raises `SettingsError`."""
    if given is None or (given.level, given.seconds, given.simulations) == (None, None, None):
        return Opponent(level=5) if game.has_levels else Opponent(seconds=min(1.0, most_seconds))
    chosen = [value for value in (given.level, given.seconds, given.simulations) if value is not None]
    if len(chosen) > 1:
        raise SettingsError("an opponent has one strength", mend="give level, seconds or simulations")
    if given.seconds is not None and given.seconds > most_seconds:
        raise SettingsError(
            f"{given.seconds:g} seconds a move are more than this server allows",
            mend=f"give {most_seconds:g} or less",
        )
    if given.level is not None and not game.has_levels:
        raise SettingsError(
            f"the levels of {game.name} have not been measured",
            mend="give seconds or simulations; branchwise calibrate measures levels",
        )
    return given


def _search_settings(text: str) -> dict[str, Any]:
    """Return the settings of `MCTS` that decide what a bot's search is composed of."""
    options = parse_spec(text)[1]
    return {name: options[name] for name in ("selection", "playout") if name in options}


def is_mirrored(rules: type[Game]) -> bool:
    """Whether one player's gain seems to be the other's loss: so it is in some random games."""
    if rules not in _mirrored:
        _mirrored[rules] = rules.num_players == 2 and all(_sums_up(rules, seed) for seed in range(8))
    return _mirrored[rules]


_mirrored: dict[type[Game], bool] = {}
_LONGEST_SAMPLE = 500


def _sums_up(rules: type[Game], seed: int) -> bool:
    source, state = random.Random(seed), rules()
    for _ in range(_LONGEST_SAMPLE):
        if state.is_terminal():
            return abs(sum(state.returns()) - (rules.min_return + rules.max_return)) < 1e-6
        if state.current_player() < 0:
            return False
        state.apply_action(source.choice(state.legal_actions()))
    return False
