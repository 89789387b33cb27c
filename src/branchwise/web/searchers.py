"""The searchers of a page: the analyst, which keeps its tree during the game, and the bot that plays.

A searcher runs in its own thread, for one caller at a time. Searching is imported only there, because that
loads Numba. A search does not wait for the compiler: it starts in plain Python.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from branchwise.bots.ladder import load_ladder
from branchwise.errors import SettingsError
from branchwise.game import Game
from branchwise.notation import format_spec, parse_spec
from branchwise.players import SIMULTANEOUS
from branchwise.rules.dice import Dice
from branchwise.rules.facts import random_action
from branchwise.rules.information import InformationState
from branchwise.rules.playthrough import Playthrough
from branchwise.rules.type import game_type
from branchwise.search.limit import Limit
from branchwise.traits import is_simulator, pays_rewards
from branchwise.web.actions import Sent, received
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

OPEN_BOT, HIDDEN_BOT = "mcts", "ismcts"
"""The bots that play, without and with hidden information."""


def planner_settings(given: SearchSettings | None) -> dict[str, Any]:
    """Return a page's settings as arguments of `MCTS`."""
    chosen = given or SearchSettings()
    named = {"selection": chosen.selection, "c": chosen.c, "playout": chosen.playout, "seed": chosen.seed}
    return {name: value for name, value in named.items() if value is not None}


class Searcher:
    """The owner of a tree in a grant of memory; it loses the tree when the memory is taken back."""

    def __init__(self, memory: Memory, on_loss: Callable[[Searcher], object]) -> None:
        self._memory = memory
        self._on_loss = on_loss
        self._grant: Grant | None = None

    def begin(self) -> None:
        """Get memory for a search; call it in the event loop, where grants are given, not in a thread."""
        if self._grant is None:
            self._grant = self._memory.grant(self._lose)
        self._grant.work()

    def rest(self) -> None:
        """Mark the searcher as idle; it may lose its tree from now on."""
        if self._grant is not None:
            self._grant.rest()

    def abandon(self) -> None:
        """Mark the tree as abandoned, because its page has gone."""
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
    """Searches positions of a game for a page, and continues when the same position is shown again."""

    def __init__(
        self, memory: Memory, on_loss: Callable[[Searcher], object], settings: dict[str, Any] | None = None
    ) -> None:
        super().__init__(memory, on_loss)
        self.settings = settings or {}
        self.seconds = 0.0
        """Seconds of earlier searches of the same position."""
        self._planner: MCTS | None = None
        self._running: MCTS | None = None
        self._game: type[Game | InformationState] | None = None
        self._line: list[Sent] = []
        self._keeps_tree = True
        """Whether later searches continue the tree; not where a search is of what a player knows."""
        self._has_grown = False
        """Whether the current search should continue with more memory."""

    def goes_on(self, line: Sequence[Sent]) -> bool:
        """Whether a search of the position after `line` would start with the current tree, unchanged."""
        return self._keeps_tree and self._planner is not None and list(line) == self._line

    def think(
        self,
        state: Game | InformationState,
        line: Sequence[Sent],
        seconds: float,
        progress: Progress,
        *,
        tell: Tell,
        simulations: int | None = None,
    ) -> SearchResult:
        """Search to one of the limits or until `stop`.

        state : what the player to move is shown.   line : see `LiveRecord.spot`.
        """
        tell("searching")
        planner = self._ready_at(state, list(line))
        self._running = planner
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
        """Continue with more memory if there is any; return whether there is. Called like `begin`."""
        if self._keeps_tree and not self._has_grown and self._grant is not None and self._grant.grow():
            self._has_grown = True
            self.stop()
        return self._has_grown

    def stop(self) -> None:
        """End the search, if it has started; one that is about to start may ignore this."""
        if self._running is not None:
            self._running.stop()

    def forget(self) -> None:
        self._planner = None
        self._line = []

    def _ready_at(self, state: Game | InformationState, line: list[Sent]) -> MCTS:
        from branchwise.search.planner import MCTS

        self._has_grown = False
        self._keeps_tree = not isinstance(state, InformationState)
        known = self._line
        self.seconds = self.seconds if self.goes_on(line) else 0.0
        fits = self._keeps_tree and self._game is type(state) and line[: len(known)] == known
        if is_simulator(type(state)):  # its moves do not determine the next position
            fits = fits and line == known
        if self._planner is None or not fits:
            self._planner = MCTS(**{**self.settings, "memory_mb": self._tree_mb, "compiled": "meanwhile"})
        elif line == known:
            self._planner.carry_on(memory_mb=self._tree_mb)
        else:
            for action in line[len(known) :]:
                if not self._planner.advance(received(state, action)):
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
        state: Game | InformationState,
        moves: Sequence[Any] | None,
        seconds: float,
        progress: Progress,
        *,
        tell: Tell,
    ) -> tuple[Any, SearchResult | None]:
        """Return the move of the bot `text` within `seconds`, and its search result.

        state, moves : the position as the bot may see it, see `Playthrough.shown`.
        """
        from branchwise.bots import load_bot

        tell("searching")
        if self._bot is None or text != self._text:
            name, options = parse_spec(text)
            own = {"memory_mb": self._tree_mb} if name in (OPEN_BOT, HIDDEN_BOT) else {}
            self._bot = load_bot(format_spec(name, {**own, **options}))
            self._bot.impatient = True
            self._text = text
        self._running = self._bot
        bot: Any = self._bot
        bot.progress = progress
        return bot.choose(state, Limit(seconds=seconds), moves), bot.result

    def stop(self) -> None:
        """End the search, if it has started; one that is about to start may ignore this."""
        if self._running is not None:
            self._running.stop()

    def forget(self) -> None:
        self._bot = None


def bot_text(game: OfferedGame, opponent: Opponent) -> str:
    """Return the text form of an opponent's bot. Raises `SettingsError`."""
    if opponent.level is not None:
        return load_ladder(game.rules)[opponent.level].bot
    name = HIDDEN_BOT if game.hides else OPEN_BOT
    if opponent.simulations is not None:
        return format_spec(name, {"simulations": opponent.simulations})
    return format_spec(name, {"seconds": opponent.seconds})


def checked_opponent(game: OfferedGame, given: Opponent | None, most_seconds: float) -> Opponent:
    """Return the opponent given, or one of medium strength by default. Raises `SettingsError`."""
    if given is None or (given.level, given.seconds, given.simulations) == (None, None, None):
        return Opponent(level=5) if game.has_levels else Opponent(seconds=min(1.0, most_seconds))
    chosen = [value for value in (given.level, given.seconds, given.simulations) if value is not None]
    if len(chosen) > 1:
        raise SettingsError("an opponent has only one strength", mend="give level, seconds or simulations")
    if given.seconds is not None and given.seconds > most_seconds:
        raise SettingsError(
            f"{given.seconds:g} seconds per move are more than this server allows",
            mend=f"give {most_seconds:g} or less",
        )
    if given.level is not None and not game.has_levels:
        raise SettingsError(
            f"the levels of {game.name} have not been measured",
            mend="give seconds or simulations; branchwise calibrate measures levels",
        )
    return given


def prepare(rules: type[Game]) -> None:
    """Start to load or compile what searches of a game need.

    Does not wait for the compiler, except in a game with hidden information.
    """
    from branchwise.search.planner import MCTS

    played, dice = Playthrough(rules()), Dice(0)
    while played.is_chance:
        played.play(dice.roll(played.state))
    if played.player is not None:
        MCTS(memory_mb=1, compiled="meanwhile").search(played.shown(played.player), simulations=1)


def is_mirrored(rules: type[Game]) -> bool:
    """Whether one player's gain is the other's loss, by the game's utility.

    For two players in a game that does not declare its utility, some random games decide.
    """
    utility = game_type(rules).utility
    if utility is not None or pays_rewards(rules):  # a game that pays declares its utility
        return rules.num_players == 2 and utility in ("zero_sum", "constant_sum")
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
        if state.current_player() == SIMULTANEOUS:
            return False
        state.apply_action(random_action(state, source))
    return False
