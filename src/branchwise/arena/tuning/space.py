"""The settings that a tuning chooses from: for each setting its values besides the default.

A game may declare its own in its class: tuning = {"c": (0.2, 0.4), "playout": ("game", "decisive")}.

`exploration` stands for c in multiples of the selection rule's own weight, so that it means about the same
for each rule.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, cast

from branchwise.arena.tuning.setting_grid import Axis, axes_of
from branchwise.common.errors import BranchwiseError, SettingsError, UnknownNameError, nearest_name
from branchwise.common.name_and_options import format_spec
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, game_facts
from branchwise.rules.measured_files.tuned_file import BOTS_OWN
from branchwise.search.composition.composition import Composition
from branchwise.search.settings.selection import find_rule
from branchwise.search.settings.settings import Settings
from branchwise.search.settings.tuned import TUNABLE, Setting, check_tunable

EXPLORATION = "exploration"
ATTRIBUTE = "tuning"
"""Name of the class attribute by which a game declares its space."""

MORE = 0.5
"""Probability that a drawn candidate changes another setting."""

_TRIES = 50
_MOST_LISTED = 2000
_WORDS = {"true": True, "false": False, "none": None}
_DEFAULTS: dict[str, Setting] = {
    **{f.name: cast(Setting, f.default) for f in fields(Settings)},
    **dict.fromkeys(BOTS_OWN, True),
    EXPLORATION: 1.0,
}

Candidate = tuple[tuple[str, Setting], ...]
"""Names and values that differ from the defaults, in the order of the space; the defaults are ()."""

Declared = Mapping[str, Any] | Sequence[str | Axis]


@dataclass(frozen=True)
class Space:
    """Values of settings for one game; the default of each is always possible, too.

    game : whose rules decide which settings are possible.   values : by setting, without the default.

    >>> from branchwise.games.nim import Nim
    >>> space = Space.declared(Nim, ["c=0.2,0.4", "proofs=false"])
    >>> space.values
    {'c': (0.2, 0.4), 'proofs': (False,)}
    >>> space.size, space.settings((("c", 0.2),))
    (6, {'c': 0.2})
    """

    game: type[Game]
    values: Mapping[str, tuple[Setting, ...]]

    @classmethod
    def of(cls, game: type[Game]) -> Space:
        """Return the space that a game declares in its class, or the usual one for games of its kind.

        Raises `SettingsError` for a declared space that is invalid.
        """
        own = getattr(game, ATTRIBUTE, None)
        if isinstance(own, Mapping):
            return cls.declared(game, own, f"{game.__name__}.{ATTRIBUTE}")
        space = cls(game, _usual(game))
        possible = {
            name: tuple(value for value in values if space.is_possible(((name, value),)))
            for name, values in space.values.items()
        }
        return cls(game, {name: values for name, values in possible.items() if values})

    @classmethod
    def declared(cls, game: type[Game], given: Declared, where: str = "the space") -> Space:
        """Return the space of these settings and values.

        given : values by name, or texts such as "c=0.25:2:8"; see `grid`.   where : what declares it.
        Raises `UnknownNameError` for an unknown setting, `SettingsError` for a value that no candidate can
        have and for a space without candidates.
        """
        values = {one.name: tuple(map(_setting, one.values)) for one in axes_of(_plain(given))}
        for name in values:
            if name != EXPLORATION:
                _check_name(name)
        if EXPLORATION in values and "c" in values:
            raise SettingsError(
                f"{where} varies both c and {EXPLORATION}, which stands for c", mend="leave one of them out"
            )
        found = {
            name: tuple(value for value in each if not _is_default(name, value))
            for name, each in values.items()
        }
        space = cls(game, {name: each for name, each in found.items() if each})
        if space.size < 2:
            raise SettingsError(f"{where} has nothing to choose from", mend="give values besides the default")
        space._check_values(where)
        return space

    @property
    def size(self) -> int:
        """Number of combinations, the defaults and impossible ones included."""
        return math.prod(len(values) + 1 for values in self.values.values())

    def __str__(self) -> str:
        """Return one line for each setting: its values, the default first."""
        return "\n".join(
            f"{name}: {', '.join(_shown(value) for value in (_DEFAULTS[name], *values))}"
            for name, values in self.values.items()
        )

    def to_json(self) -> dict[str, list[Setting]]:
        """Return the space as a value for JSON."""
        return {name: list(values) for name, values in self.values.items()}

    @classmethod
    def from_json(cls, game: type[Game], content: Mapping[str, Sequence[Setting]]) -> Space:
        """Return the space that `to_json` wrote."""
        return cls(game, {name: tuple(values) for name, values in content.items()})

    def settings(self, candidate: Candidate) -> dict[str, Setting]:
        """Return the settings of a candidate that differ from the defaults."""
        given = dict(candidate)
        factor = given.pop(EXPLORATION, None)
        if isinstance(factor, int | float):
            rule = find_rule(str(given.get("selection", Settings.selection)))
            given["c"] = float(f"{factor * rule.c:.3g}")
        return given

    def text(self, candidate: Candidate, simulations: int) -> str:
        """Return the bot of a candidate."""
        return format_spec("mcts", {"simulations": simulations, **self.settings(candidate)})

    def is_possible(self, candidate: Candidate) -> bool:
        """Whether the planner and the game accept a candidate's settings."""
        return self._refusal(candidate) is None

    def candidates(self, count: int, source: random.Random) -> list[Candidate]:
        """Return up to `count` different possible candidates, drawn at random, without the defaults.

        Each changes a setting to one of the values, all equally likely, with probability `MORE` another, and
        so on. A small space is listed instead.
        """
        if self.lists(count):
            return [one for one in self._all() if one and self.is_possible(one)]
        found: dict[Candidate, None] = {}
        changes = self._changes()
        for _ in range(_TRIES * count):
            drawn = dict([source.choice(changes)])
            while source.random() < MORE:
                drawn.update([source.choice(changes)])
            candidate = self._ordered(drawn)
            if candidate not in found and self.is_possible(candidate):
                found[candidate] = None
                if len(found) == count:
                    break
        return list(found)

    def lists(self, count: int) -> bool:
        """Whether `candidates(count)` are all that there are."""
        return self.size <= max(count + 1, 2)

    def variants(
        self, of: Sequence[Candidate], count: int, known: Sequence[Candidate], source: random.Random
    ) -> list[Candidate]:
        """Return up to `count` new possible candidates made from those of `of`, which take turns.

        Half change one setting of it, to another value or back to the default. The others join it with
        another of `of`: settings that either changes are changed. The defaults and `known` candidates are
        left out.
        """
        found: list[Candidate] = []
        changes = self._changes()
        for number in range(_TRIES * count if of else 0):
            if len(found) == count:
                break
            new = dict(of[number // 2 % len(of)])
            if number % 2 and len(of) > 1:
                new = dict(source.choice(of)) | new
            else:
                name, value = source.choice(changes)
                new[name] = _DEFAULTS[name] if new.get(name) == value else value
            candidate = self._ordered(new)
            if candidate and candidate not in found and candidate not in known:
                found += [candidate] if self.is_possible(candidate) else []
        return found

    def _changes(self) -> list[tuple[str, Setting]]:
        """Return every setting with every value that is not the default."""
        return [(name, value) for name, values in self.values.items() for value in values]

    def _ordered(self, changed: Mapping[str, Setting]) -> Candidate:
        """Return the candidate with these settings, those at their default left out."""
        return tuple(
            (name, changed[name])
            for name in self.values
            if name in changed and not _is_default(name, changed[name])
        )

    def _all(self) -> Iterator[Candidate]:
        """Yield every combination."""
        each = [(_DEFAULTS[name], *values) for name, values in self.values.items()]
        for values in product(*each):
            yield self._ordered(dict(zip(self.values, values, strict=True)))

    def _check_values(self, where: str) -> None:
        """Raise the planner's error for a value that no candidate can have."""
        source = random.Random(0)
        listed = self._all() if self.size <= _MOST_LISTED else iter(self.candidates(_MOST_LISTED, source))
        left = {(name, value) for name, values in self.values.items() for value in values}
        left = {item for item in left if not self.is_possible((item,))}
        while left:
            candidate = next(listed, None)
            if candidate is None:
                item = sorted(left, key=str)[0]
                error = self._refusal((item,))
                assert error is not None
                raise SettingsError(
                    f"{where} has {item[0]} = {_shown(item[1])}, which is not possible: {error.problem}",
                    mend=error.mend,
                ) from error
            if left & set(candidate) and self.is_possible(candidate):
                left -= set(candidate)

    def _refusal(self, candidate: Candidate) -> BranchwiseError | None:
        """Return the error that the planner or the game raises for a candidate, or None."""
        try:
            given = self.settings(candidate)
            for name in BOTS_OWN:
                if not isinstance(given.pop(name, True), bool):
                    return SettingsError(f"{name} is true or false")
            settings = Settings(**given)  # type: ignore[arg-type]
            state = self.game()
            Composition(state, _facts(self.game), settings, proofs=settings.proofs)
        except BranchwiseError as error:
            return error
        return None


def _usual(game: type[Game]) -> dict[str, tuple[Setting, ...]]:
    """Return the values of settings that are usual for games of this kind; some may be impossible."""
    facts = _facts(game)
    has = {name for name in ("evaluate", "prior", "playout_action") if callable(getattr(game, name, None))}
    alone = facts.num_players == 1
    playouts = ["uniform", "game", "decisive", "decisive+game", "mast(epsilon=0.8)", "nst(epsilon=0.6)"]
    if "playout_action" not in has:
        playouts = [name for name in playouts if "game" not in name]
    found: dict[str, tuple[Setting, ...]] = {
        "selection": ("puct", "rave", "grave", *(("sp_mcts",) if alone else ("ucb1_tuned",))),
        EXPLORATION: (0.1, 0.25, 0.5, 0.7, 1.4, 2.0, 3.0),
        "playout": tuple(name for name in playouts if name != game.playout),
        "proofs": (False,),
        "reuse": (False,),
    }
    if "evaluate" in has:
        found["implicit_minimax"] = (0.2, 0.5)
        found["cutoff"] = tuple(moves for moves in (0, 4, 12) if moves != game.playout_cutoff)
    if "prior" in has:
        found["widening"] = (2.0, 4.0)
    if facts.dimensions:
        found["widening"] = (0.5, 2.0, 4.0)
        found["refinement"] = (0.0, 0.25, 0.75)
    return found


_known_facts: dict[type[Game], GameFacts] = {}


def _facts(game: type[Game]) -> GameFacts:
    if game not in _known_facts:
        _known_facts[game] = game_facts(game())
    return _known_facts[game]


def _check_name(name: str) -> None:
    try:
        check_tunable(name)
    except UnknownNameError:
        raise nearest_name("setting", name, [*TUNABLE, EXPLORATION]) from None


def _is_default(name: str, value: Setting) -> bool:
    default = _DEFAULTS[name]
    return value == default and isinstance(value, bool) == isinstance(default, bool)


def _plain(given: Declared) -> Declared:
    """Return the declared values with single ones as lists, and None and truth values as words."""
    if not isinstance(given, Mapping):
        return given
    return {
        str(name): [_word(value) for value in (values if isinstance(values, list | tuple) else [values])]
        for name, values in given.items()
    }


def _word(value: object) -> object:
    return str(value).lower() if value is None or isinstance(value, bool) else value


def _setting(value: Setting) -> Setting:
    """Return the value of an axis as a setting: words for truth values and None are these."""
    return _WORDS.get(value.lower(), value) if isinstance(value, str) else value


def _shown(value: Setting) -> str:
    return "default" if value is None else str(value)
