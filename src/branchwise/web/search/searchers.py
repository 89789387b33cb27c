"""The searchers of a page: the analyst, which keeps its tree during the game, and the bot that plays.

A searcher runs in its own thread, for one caller at a time. Searching is imported only there, because that
loads Numba. A search does not wait for the compiler: it starts in plain Python.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from branchwise.bots.strength.levels_file import check_has_levels, load_ladder
from branchwise.common.errors import SettingsError, nearest_name
from branchwise.common.name_and_options import format_spec, parse_spec
from branchwise.game.kinds.game_kinds import is_simulator, pays_rewards
from branchwise.game.rules_class import Game
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import apply_legal, facts_of, game_facts, random_action
from branchwise.rules.facts.game_type import game_type
from branchwise.rules.facts.given_to_bots import Shown
from branchwise.rules.knowledge.information import InformationState
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.search.settings.move_limit import Limit
from branchwise.web.game.offered_games import OfferedGame
from branchwise.web.game.opponents import NamedBot
from branchwise.web.protocol.action_codes import Sent, received
from branchwise.web.protocol.messages import Opponent, SearchSettings
from branchwise.web.search.tree_memory import Grant, Memory

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot
    from branchwise.search.planner import MCTS
    from branchwise.search.results.result import SearchResult

_log = logging.getLogger("branchwise.web")

Progress = Callable[["SearchResult"], object]
Tell = Callable[[str], object]

_LEAST_SECONDS = 0.01

OPEN_BOT, HIDDEN_BOT, TUNED_BOT = "mcts", "ismcts", "tuned"
"""The bots that play: without and with hidden information, and with the settings found for the game."""

JOINT_METHOD = "regret_matching"
"""How players choose where all move at once, unless a page chooses: best play is usually mixed."""


def planner_settings(given: SearchSettings | None, rules: type[Game]) -> dict[str, Any]:
    """Return a page's settings for searches of a game as arguments of `MCTS`.

    Raises `SettingsError` if the settings found for the game are wanted and there are none. These may need
    some random games to be checked: call it in a thread.
    """
    chosen = given or SearchSettings()
    given_all = asdict(chosen).items()
    settings = {name: value for name, value in given_all if name != "tuned" and value is not None}
    return _tuned(rules, settings) if chosen.tuned else settings


def check_line(
    state: Game | InformationState, settings: Mapping[str, Any], line: Sequence[Sent], visits: int
) -> None:
    """Raise `ActionError` or `SettingsError` if a search of `state` cannot visit a line first."""
    from branchwise.search.session.steering import Wishes
    from branchwise.search.settings.settings import Settings

    hides = isinstance(state, InformationState)
    facts = facts_of(state.view) if isinstance(state, InformationState) else game_facts(state)
    Wishes(at_least={tuple(line): visits}).course(state, facts, Settings(**settings), one_state=not hides)


def _tuned(rules: type[Game], given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings found for a game, with `given` instead where they differ."""
    from branchwise.search.settings.settings import Settings
    from branchwise.search.settings.tuned import load_tuned

    settings = load_tuned(rules).overridden(given, planner=True)
    return {"joint": Settings.joint, **settings} if rules._joint else settings


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
        self._resumes = False
        """Whether the current search should continue after `stop`, with other memory or for other lines."""
        self._lines: dict[Any, int] = {}
        """Visits of lines below the position at `_lines_at`."""
        self._lines_at: list[Sent] = []

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
                state,
                seconds=max(left, _LEAST_SECONDS),
                simulations=simulations,
                progress=progress,
                at_least=self._lines if self._lines_at == self._line else None,
            )
            self.seconds += found.seconds
            left -= found.seconds
            simulations = simulations and max(simulations - found.simulations, 1)
            if not self._resumes or found.ended_by != "stopped":
                self._running = None  # the tree goes when its memory is taken back
                return found
            self._resumes = False
            planner.carry_on(memory_mb=self._tree_mb)

    def grow(self) -> bool:
        """Continue with more memory if there is any; return whether there is. Called like `begin`."""
        if self._keeps_tree and not self._resumes and self._grant is not None and self._grant.grow():
            self._resumes = True
            self.stop()
        return self._resumes

    def visit(self, spot: Sequence[Sent], line: Sequence[Sent], visits: int) -> None:
        """Let searches of a position visit a line at least a given number of times first.

        spot : of the position, see `LiveRecord.spot`. A search of it that is running does so at once.
        """
        known = self._lines if self._lines_at == list(spot) else {}
        self._lines, self._lines_at = {**known, tuple(line): visits}, list(spot)
        self._resumes = True
        self.stop()

    def stop(self) -> None:
        """End the search, if it has started; one that is about to start may ignore this."""
        if self._running is not None:
            self._running.stop()

    def forget(self) -> None:
        self._planner = None
        self._line = []

    def _ready_at(self, state: Game | InformationState, line: list[Sent]) -> MCTS:
        from branchwise.search.planner import MCTS

        self._resumes = False
        is_joint = not isinstance(state, InformationState) and state._joint
        self._keeps_tree = not isinstance(state, InformationState) and not is_joint
        known = self._line
        self.seconds = self.seconds if self.goes_on(line) else 0.0
        fits = self._keeps_tree and self._game is type(state) and line[: len(known)] == known
        if is_simulator(type(state)):  # its moves do not determine the next position
            fits = fits and line == known
        if self._planner is None or not fits:
            settings = {name: value for name, value in self.settings.items() if name != "joint"}
            if is_joint:
                settings["joint"] = self.settings.get("joint", JOINT_METHOD)
            memory_mb = self._memory.most_tree_mb if self._keeps_tree else self._tree_mb
            settings = {"rollout": False, **settings, "memory_mb": memory_mb, "compiled": "meanwhile"}
            self._planner = MCTS(**settings)
        else:
            for action in line[len(known) :]:
                if not self._planner.advance(received(state, action)):
                    break
        self._planner.carry_on(memory_mb=self._tree_mb)
        self._game, self._line = type(state), line
        return self._planner


class Player(Searcher):
    """The bot of a page. It is closed when it is no longer used, which may end a program."""

    def __init__(self, memory: Memory, on_loss: Callable[[Searcher], object]) -> None:
        super().__init__(memory, on_loss)
        self._bot: Bot | None = None
        self._choosing: Bot | None = None
        self._text = ""
        self._is_over = False
        self._changing = threading.Lock()
        """Held to change the attributes above."""

    def think(
        self,
        text: str,
        views: Mapping[int, Game | Shown],
        moves: Sequence[Any] | None,
        seconds: float | None,
        progress: Progress,
        *,
        tell: Tell,
    ) -> tuple[dict[int, Any], SearchResult | None]:
        """Return the move of the bot `text` for each player of `views`, and its last search result.

        views, moves : the position as the bot may see it, see `Playthrough.shown`; each move is chosen by the
        view of its player alone.   seconds : for all together; None: only the bot's own limits apply.
        """
        chosen: dict[int, Any] = {}
        found = None
        limit = None if seconds is None else Limit(seconds=seconds / len(views))
        for player, view in views.items():
            tell("searching")
            bot: Any = self._ready(text)
            bot.progress = progress
            try:
                chosen[player], found = bot.choose(view, limit, moves), bot.result
            finally:
                with self._changing:
                    self._choosing = None
                    is_left = bot is not self._bot
                if is_left:
                    _close(bot)
        return chosen, found

    def _ready(self, text: str) -> Bot:
        """Return the bot `text`, which now chooses, and close another one."""
        from branchwise.bots import load_bot

        before, bot = self._bot, self._bot
        if bot is None or text != self._text:
            name, options = parse_spec(text)
            own = {"memory_mb": self._tree_mb} if name in (OPEN_BOT, HIDDEN_BOT, TUNED_BOT) else {}
            bot = load_bot(format_spec(name, {**own, **options}))
            bot.impatient = True
        with self._changing:
            if self._is_over:
                raise SettingsError("this bot is no longer needed")
            self._bot = self._choosing = bot
            self._text = text
        if before is not None and before is not bot:
            _close(before)
        return bot

    def stop(self) -> None:
        """End the search, if it has started; one that is about to start may ignore this."""
        bot = self._choosing
        if bot is not None:
            bot.abandon() if self._is_over else bot.stop()

    def drop(self) -> None:
        with self._changing:
            self._is_over = True
        super().drop()

    def forget(self) -> None:
        with self._changing:
            bot, self._bot = self._bot, None
            chooses = bot is self._choosing
        if bot is not None:  # not here in the event loop, because ending a program takes time
            end = partial(_abandon, bot) if chooses else partial(_close, bot)
            threading.Thread(target=end, name="branchwise-closing", daemon=True).start()


def _abandon(bot: Bot) -> None:
    """End a choice that nobody waits for; `think` then closes the bot."""
    try:
        bot.abandon()
    except Exception:
        _log.warning("a bot could not be stopped", exc_info=True)


def _close(bot: Bot) -> None:
    try:
        bot.close()
    except Exception:
        _log.warning("a bot could not be closed", exc_info=True)


def bot_text(game: OfferedGame, opponent: Opponent) -> str:
    """Return the text form of an opponent's bot. Raises `SettingsError`."""
    if opponent.level is not None:
        return load_ladder(game.rules)[opponent.level].bot
    if opponent.bot is not None:
        return _bot_named(game, opponent.bot).text
    name = TUNED_BOT if opponent.tuned else HIDDEN_BOT if game.hides else OPEN_BOT
    options: dict[str, object] = {}
    if game.rules._joint and not opponent.tuned:
        options["joint"] = JOINT_METHOD
    if opponent.simulations is not None:
        return format_spec(name, {"simulations": opponent.simulations, **options})
    return format_spec(name, {"seconds": opponent.seconds, **options})


def checked_opponent(game: OfferedGame, given: Opponent | None, most_seconds: float) -> Opponent:
    """Return the opponent given, or a default: a bot that the server was started with, or medium strength.

    Raises `SettingsError`. The settings found for a game may need some random games to be checked: call it in
    a thread.
    """
    if given is None or not any(_strengths(given)):
        if given is None or not given.tuned:
            if game.bots:
                return Opponent(bot=game.bots[0].name)
            return Opponent(level=5) if game.has_levels else Opponent(seconds=min(1.0, most_seconds))
        given = Opponent(seconds=min(1.0, most_seconds), tuned=True)
    if sum(_strengths(given)) > 1:
        raise SettingsError(
            "an opponent has only one strength", mend="give level, seconds, simulations or bot"
        )
    if given.bot is not None:
        _bot_named(game, given.bot)
    if given.seconds is not None and given.seconds > most_seconds:
        raise SettingsError(
            f"{given.seconds:g} seconds per move are more than this server allows",
            mend=f"give {most_seconds:g} or less",
        )
    if given.level is not None and not game.has_levels:
        check_has_levels(game.rules)
        raise SettingsError(
            f"the levels of {game.name} have not been measured",
            mend="give seconds or simulations; branchwise calibrate measures levels",
        )
    if given.tuned:
        if given.level is not None or given.bot is not None:
            what = "the levels of a game have" if given.bot is None else "the bots of a server have"
            raise SettingsError(
                f"{what} settings of their own",
                mend="give tuned with seconds or simulations",
            )
        _check_tuned(game.rules)
    return given


def _strengths(given: Opponent) -> list[bool]:
    """Return for each way to choose an opponent whether it is used."""
    return [value is not None for value in (given.level, given.seconds, given.simulations, given.bot)]


def _bot_named(game: OfferedGame, name: str) -> NamedBot:
    """Return a bot that the server was started with. Raises `UnknownNameError` or `SettingsError`."""
    found = {bot.name: bot for bot in game.bots}
    if not found:
        raise SettingsError(
            f"this server was started without bots for {game.name}",
            mend="give seconds or simulations; branchwise serve GAME --opponent adds bots",
        )
    if name not in found:
        raise nearest_name("bot of this server", name, found)
    return found[name]


def _check_tuned(rules: type[Game]) -> None:
    """Raise `SettingsError` if the bot with the settings found for a game cannot play it."""
    from branchwise.bots import load_bot

    load_bot(TUNED_BOT).check_game(rules)


def prepare(rules: type[Game]) -> None:
    """Start to load or compile what searches of a game need.

    Does not wait for the compiler, except in a game with hidden information.
    """
    from branchwise.search.planner import MCTS

    played, dice = Playthrough(rules()), Dice(0)
    while played.is_chance:
        played.play(dice.roll(played.state))
    if played.player is not None:
        options: dict[str, Any] = {"joint": JOINT_METHOD} if rules._joint else {}
        shown = played.state if played.is_joint else played.shown(played.player)
        MCTS(**options, rollout=False, memory_mb=1, compiled="meanwhile").search(shown, simulations=1)


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
        apply_legal(state, random_action(state, source))
    return False
