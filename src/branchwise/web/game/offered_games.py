"""The games that a server offers: registered games, and files named when it was started.

A client sends a name from this list, with options for a variant; the name is never looked up anywhere else.
"""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from pathlib import PurePath
from typing import Any

import msgspec

from branchwise.boards.style import look_of
from branchwise.bots.strength.levels_file import load_ladder
from branchwise.common.errors import BranchwiseError, GameError, SettingsError, UnknownNameError, nearest_name
from branchwise.common.name_and_options import is_path, parse_spec
from branchwise.game.kinds.continuous_actions import box_size
from branchwise.game.kinds.fields import ArrayType
from branchwise.game.kinds.game_kinds import has_chance, is_partially_observed, starts_at_random
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.random_starter import OPTION, draws_starter, takes_random_starter
from branchwise.game.rules_class import Game
from branchwise.games import GAMES, game_names, load_game
from branchwise.rules.facts.facts import facts_of
from branchwise.rules.facts.game_type import check_joint_is_open
from branchwise.rules.facts.options import game_options
from branchwise.rules.facts.player_symbols import symbols_of_players
from branchwise.rules.measured_files.tuned_file import shipped_settings
from branchwise.web.game.followed_files import FollowedRules
from branchwise.web.game.game_cards import card_of, rules_in_words, shipped_cards, title_of
from branchwise.web.game.opponents import NamedBot, NamedBots, free_name
from branchwise.web.protocol.error_messages import without_folders
from branchwise.web.protocol.limits import MAX_ACTIONS, MAX_STATE_BYTES
from branchwise.web.protocol.messages import BoardStyle, BotInfo, GameCard, GameInfo, finite

_WIDEST = 2.0
"""Width of a game's bounds above which values are shown on the scale of those seen, as the search has it."""
_FRONT = (
    "connect_four", "chess", "go", "othello", "tic_tac_toe", "backgammon", "checkers", "twenty_forty_eight",
    "hex", "hearts",
)  # fmt: skip
"""The games that are listed first; a page opens the first one, if none was named."""
_LONGEST_TUPLE = 64
_LONGEST_TEXT = 100


@dataclass(frozen=True, eq=False)
class OfferedGame:
    """A game or a variant that a client may name; rules : its class.

    named_bots : all bots that the server was started with.
    """

    name: str
    rules: type[Game]
    named_bots: NamedBots = field(default_factory=NamedBots)

    @cached_property
    def info(self) -> GameInfo:
        """The message about it.

        Levels and settings that came with Branchwise are listed without comparing them with the rules, for
        which games are played. They are compared when somebody uses them.
        """
        rules, board = self.rules, _board_style(self.rules)
        facts = facts_of(rules(), joint=True)
        players = [] if board is None or draws_starter(rules) else board.players
        return GameInfo(
            name=self.name,
            title=title_of(self.name, rules),
            about=card_of(self.name, rules).about,
            rules=rules_in_words(rules),
            num_players=rules.num_players,
            symbols=players or list(symbols_of_players(rules)),
            min_return=finite(facts.min_return),
            max_return=finite(facts.max_return),
            wide=not facts.max_return - facts.min_return <= _WIDEST,
            pays=facts.pays,
            discount=facts.discount,
            draws=facts.samples or facts.simulates,
            simulates=facts.simulates or starts_at_random(rules),
            dimensions=box_size(rules),
            has_levels=_has_levels(rules, compare=False),
            has_chance=has_chance(rules),
            hides=self.hides,
            joint=rules._joint,
            tuned=_without_folders(_tuned(rules, compare=False)),
            bots=[BotInfo(name=bot.name, about=bot.about) for bot in self.bots],
            options=_options(rules),
            board=board,
        )

    @property
    def hides(self) -> bool:
        """Whether players see only a part of its states."""
        return hides_information(self.rules)

    @cached_property
    def has_levels(self) -> bool:
        """Whether its levels of difficulty were measured with the rules that it has."""
        return _has_levels(self.rules, compare=True)

    @cached_property
    def bots(self) -> tuple[NamedBot, ...]:
        """Those of them that play it; the first is the opponent unless a page chooses another."""
        return self.named_bots.of_game(self.rules)

    @cached_property
    def tuned(self) -> dict[str, Any]:
        """The settings found for searching it; empty if there are none that can be used here."""
        return _tuned(self.rules, compare=True)


def _board_style(rules: type[Game]) -> BoardStyle | None:
    """Return how its board looks; None if it has none, or if its style has a fault, which `check` tells."""
    try:
        look = look_of(rules)
    except GameError:
        return None
    return None if look is None else msgspec.convert(look._asdict(), BoardStyle)


def _has_levels(rules: type[Game], *, compare: bool) -> bool:
    try:
        load_ladder(rules, compare=compare)
    except BranchwiseError:
        return False
    return True


def _tuned(rules: type[Game], *, compare: bool) -> dict[str, Any]:
    if hides_information(rules):  # bots with settings to tune search states
        return {}
    if not compare:
        found = shipped_settings(rules)
        if found is not None:
            return found
    from branchwise.search.settings.tuned import load_tuned  # loads Numba

    try:
        return load_tuned(rules, compare=compare).of_planner
    except BranchwiseError:
        return {}


def _without_folders(options: dict[str, Any]) -> dict[str, Any]:
    return {name: PurePath(str(value)).name if is_path(name) else value for name, value in options.items()}


class GameCatalogue:
    """All games of a server. Branchwise's own are loaded when somebody wants one.

    variants : maximum number of variants of them.   bots : the bots that the server was started with.

    >>> catalogue = GameCatalogue.of(["nim(heaps=(3,4,5))"], variants=1)
    >>> [card.name for card in catalogue.cards][:2]
    ['nim(heaps=(3,4,5))', 'connect_four']
    >>> catalogue.find("connect_four(rows=5)").rules.rows
    5
    """

    def __init__(
        self,
        games: Sequence[OfferedGame],
        variants: int,
        bots: NamedBots,
        followed: Mapping[str, FollowedRules] | None = None,
    ) -> None:
        self.variants = variants
        self.bots = bots
        self.first = games[0].name if games else None
        """The name of the first game that the server was started for."""
        self._by_name = {game.name: game for game in games}
        self._made: dict[tuple[type[Game], str], OfferedGame] = {}
        self._lock = threading.Lock()
        self._followed = dict(followed or {})
        named = [card_of(name, game.rules) for name, game in self._by_name.items()]
        others = dict.fromkeys(name for name in (*_FRONT, *game_names()) if name not in self._by_name)
        known = [card for card in map(_card, others) if card is not None]
        self.cards = [*named, *sorted(known, key=lambda card: "planning" in card.kinds)]
        """The card of each game, those named first; games that cannot be played here have one, too."""

    @classmethod
    def of(cls, texts: Sequence[str], variants: int, bots: Sequence[str] = ()) -> GameCatalogue:
        """Return the games named in `texts`, as on the command line, followed by all registered games.

        bots : the bots named there, see `NamedBots.of`.

        Raises the errors of `load_game` and of `NamedBots.of`. A registered game that cannot be loaded is
        left out.
        """
        found: dict[str, OfferedGame] = {}
        followed: dict[str, FollowedRules] = {}
        texts_of: dict[type[Game], str] = {}
        for text in texts:
            texts_of.setdefault(load_game(text), text)
        first = list(texts_of)
        for rules in first:
            check_fits(rules)
        named = NamedBots.of(bots, first)
        for rules in first:
            name = free_name(without_folders(rules.name), found, "_")
            found[name] = OfferedGame(name, rules, named)
            followed[name] = FollowedRules(texts_of[rules], rules)
        return cls(list(found.values()), variants, named, followed)

    @property
    def follows_files(self) -> bool:
        """Whether any game that was named is in a file of the user's."""
        return any(rules.is_file for rules in self._followed.values())

    def renew(self) -> dict[str, Exception | None]:
        """Load again the games whose files have changed; return their names, with errors if there were any.

        A game whose file has a fault stays as it was.
        """
        changed = [name for name, rules in self._followed.items() if rules.changed]
        return {name: self._renewed(name) for name in changed}

    def _renewed(self, name: str) -> Exception | None:
        old = self._by_name[name].rules
        try:
            rules = self._followed[name].load()
            check_fits(rules)
            card = card_of(name, rules)
        except Exception as error:
            return error
        with self._lock:
            self.bots.follow(old, rules)
            self._by_name[name] = OfferedGame(name, rules, self.bots)
            self._made = {key: made for key, made in self._made.items() if key[0] is not old}
            self.cards = [card if one.name == name else one for one in self.cards]
        return None

    @property
    def games(self) -> list[OfferedGame]:
        """All games that can be played here, which are loaded."""
        return [self._offered(card.name) for card in self.cards if card.reason is None]

    def _offered(self, name: str) -> OfferedGame:
        """Return the game with a name.

        Raises `UnknownNameError`, and the `GameError` of one that cannot be shown here.
        """
        if name not in self._by_name:
            known = [card.name for card in self.cards]
            if name not in known:
                raise nearest_name("game", name, known)
            rules = load_game(name)
            check_fits(rules)
            self._by_name.setdefault(name, OfferedGame(name, rules, self.bots))
        return self._by_name[name]

    def find(self, text: str) -> OfferedGame:
        """Return the game that a client names: one on offer, or a variant such as nim(max_take=4).

        Raises `UnknownNameError`, `SettingsError` or `GameError`, also for a game that cannot be shown here.
        """
        if text in self._by_name:
            return self._by_name[text]
        try:
            name, options = parse_spec(text)
        except (ValueError, RecursionError, MemoryError) as error:
            if isinstance(error, BranchwiseError):
                raise
            raise SettingsError(
                f"{text[:80]!r} is not the name of a game", mend="write name or name(option=value)"
            ) from None
        game = self._offered(name)
        return self._variant(game.rules, options) if text != name else game

    def describe(self, text: str) -> GameInfo:
        """Return the description of the game that a client names; does not store a variant.

        Raises like `find`.
        """
        try:
            name, options = parse_spec(text)
        except (ValueError, RecursionError, MemoryError):
            return self.find(text).info
        if text in self._by_name or not options:
            return self.find(text).info
        rules = self._offered(name).rules
        with self._lock:
            self._check_options(rules, options)
            made = self._made.get(_key(rules, options))
            if made is None:
                with _forgotten_variants(rules):
                    variant = _configured(rules, options)
                    check_fits(variant)
                    return OfferedGame(variant.name, variant, self.bots).info
        return made.info

    def _check_options(self, rules: type[Game], options: dict[str, object]) -> None:
        """Raise `SettingsError` for unknown options of the game, or impossible values."""
        known = list(_options(rules))
        for name, value in options.items():
            if name not in known:
                if not known:
                    raise UnknownNameError(f"{rules.name} has no options")
                raise nearest_name(f"option of {rules.name}", name, known)
            _check_value(name, value)
        _check_shape(rules, options)

    def _variant(self, rules: type[Game], options: dict[str, object]) -> OfferedGame:
        self._check_options(rules, options)
        with self._lock:
            key = _key(rules, options)
            if key in self._made:
                return self._made[key]
            if len(self._made) >= self.variants:
                raise SettingsError(
                    f"this server already has {self.variants} variants, its maximum",
                    mend="play one of them, or start the server with a higher --variants",
                )
            variant = _configured(rules, options)
            check_fits(variant)
            made = OfferedGame(variant.name, variant, self.bots)
            same = [game for game in (*self._by_name.values(), *self._made.values()) if game.rules is variant]
            self._made[key] = same[0] if same else made
            return self._made[key]


def _key(rules: type[Game], options: dict[str, object]) -> tuple[type[Game], str]:
    return rules, repr(sorted(options.items()))


@contextmanager
def _forgotten_variants(rules: type[Game]) -> Iterator[None]:
    """Let the classes of variants made meanwhile be freed once they are unused."""
    kept = (rules._base or rules)._variants
    before = set(kept)
    try:
        yield
    finally:
        for key in set(kept) - before:
            del kept[key]


def _card(name: str) -> GameCard | None:
    """Return the card of a registered game, None for one that cannot be loaded."""
    if name in GAMES.builtin and name not in GAMES.registered:
        return shipped_cards().get(name)
    try:
        rules = load_game(name)
        return card_of(name, rules, why_not(rules))
    except Exception:
        return None


def why_not(rules: type[Game]) -> str | None:
    """Return why a game cannot be played on the page, None if it can."""
    try:
        check_fits(rules)
    except GameError as error:
        return re.sub(f"^{re.escape(rules.name)} is", "It is", error.problem)
    return None


def check_fits(rules: type[Game]) -> None:
    """Raise `GameError` for a game that is too large to be shown, or that the page does not show."""
    check_joint_is_open(rules, "the page")
    if is_partially_observed(rules):
        raise GameError(f"{rules.name} is partially observed, and the page would show its state")
    if rules._dtype.itemsize > MAX_STATE_BYTES or rules.num_actions > MAX_ACTIONS:
        raise GameError(
            f"{rules.name} is too large to be played here: a state takes {rules._dtype.itemsize:,} bytes, "
            f"and there are {rules.num_actions:,} actions",
            mend=f"at most {MAX_STATE_BYTES:,} bytes and {MAX_ACTIONS:,} actions are possible",
        )
    rules()


def _configured(rules: type[Game], options: dict[str, object]) -> type[Game]:
    try:
        variant = rules.configured(**options)
        variant()
    except BranchwiseError:
        raise
    except Exception as error:
        raise GameError(
            f"{rules.name} cannot be made with {options}: {type(error).__name__}: {error}",
            mend="choose other values",
        ) from error
    return variant


def _options(rules: type[Game]) -> dict[str, Any]:
    """Return the options that a page may set, with their values; none that would open a file."""
    options = {
        name: value for name, value in game_options(rules).items() if _is_plain(value) and not is_path(name)
    }
    if takes_random_starter(rules):
        options[OPTION] = rules.constants()[OPTION]
    return options


def _is_plain(value: object) -> bool:
    """Whether a constant is a number, a word, a tuple of them, or a table: a tuple of such tuples."""
    rows = (
        [row if isinstance(row, tuple) else (row,) for row in value]
        if isinstance(value, tuple)
        else [(value,)]
    )
    return all(isinstance(item, bool | int | float | str) for row in rows for item in row)


def _check_value(name: str, value: object) -> None:
    """Raise `SettingsError` for a value that no option can have."""
    rows = value if isinstance(value, tuple | list) else (value,)
    items = [item for row in rows for item in (row if isinstance(row, tuple | list) else (row,))]
    for item in items:
        sound = isinstance(item, bool) or (
            (isinstance(item, int | float) and abs(item) <= 1_000_000)
            or (isinstance(item, str) and len(item) <= _LONGEST_TEXT)
        )
        if not sound or len(items) > _LONGEST_TUPLE:
            raise SettingsError(
                f"{name} cannot be {str(value)[:80]}",
                mend="give a number, a word, some numbers in brackets, or rows of them in brackets",
            )


def _check_shape(rules: type[Game], options: dict[str, object]) -> None:
    """Raise `GameError` before a state is made that is too large; shapes may name options."""
    for owner in rules.__mro__:
        if owner is Game or not issubclass(owner, Game):
            continue
        for kind in inspect.get_annotations(owner, eval_str=True).values():
            if not isinstance(kind, ArrayType):
                continue
            lengths = [options.get(n, getattr(rules, n, 1)) if isinstance(n, str) else n for n in kind.shape]
            numbers = [length for length in lengths if isinstance(length, int)]
            if any(length > MAX_STATE_BYTES for length in numbers) or (
                all(length > 0 for length in numbers)
                and prod(numbers) * kind.dtype.itemsize > MAX_STATE_BYTES
            ):
                raise GameError(
                    f"{rules.name} with these options is too large to be played here",
                    mend=f"a state may take up to {MAX_STATE_BYTES:,} bytes",
                )
