"""The settings common to matches and tournaments: game, bots, limits, openings and seed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from branchwise.arena.play.participants import Participant, game_text, participants, patience_with
from branchwise.arena.play.referee import Terms
from branchwise.arena.play.time_control import ALLOWANCE, TimeControl, read_clock
from branchwise.arena.schedule.match_games import OpeningSource
from branchwise.arena.schedule.openings import (
    Decided,
    GivenOpenings,
    RandomOpenings,
    check_opening,
    read_openings,
)
from branchwise.common.argument_checks import whole_number, without_fraction
from branchwise.common.errors import SettingsError, StoreError
from branchwise.game.kinds.continuous_actions import Plain
from branchwise.game.kinds.game_kinds import is_simulator, starts_at_random
from branchwise.games import load_game
from branchwise.rules.facts.dice import DICE
from branchwise.rules.facts.game_type import pays

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot
    from branchwise.game.rules_class import Game

MAX_GAMES = 10_000_000

Openings = str | Path | Sequence[Sequence[Any]]


class PlayOptions(TypedDict, total=False):
    """Options of everything that plays games between bots; `Match` says what they mean."""

    simulations: int | None
    seconds: float | None
    openings: Openings | None
    openings_depth: int | None
    proofs: bool
    concurrency: int | None
    seed: int | None


class ContestOptions(PlayOptions, total=False):
    """Options of matches and tournaments; `Match` says what they mean."""

    clock: float | str | None
    allowance: float
    patience: float | None


@dataclass(frozen=True)
class Conditions:
    """All settings of games except which bots meet; built by `of`.

    given : openings, or None for random ones.   depth : moves of each random opening, or None.
    """

    game: str
    rules: type[Game]
    bots: tuple[Participant, ...]
    terms: Terms
    simulations: int | None
    given: tuple[tuple[Plain, ...], ...] | None
    depth: int | None
    concurrency: int | None
    seed: int

    @classmethod
    def of(
        cls,
        game: str | type[Game],
        bots: Sequence[str | Bot | type[Bot]],
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        clock: float | str | None = None,
        allowance: float = ALLOWANCE,
        patience: float | None = None,
        openings: Openings | None = None,
        openings_depth: int | None = None,
        proofs: bool = True,
        concurrency: int | None = None,
        seed: int | None = None,
    ) -> Conditions:
        """Return the conditions for options like those of `Match`; raises what `Match` raises."""
        whole_number("openings_depth", openings_depth, 0, 10_000, optional=True)
        whole_number("concurrency", concurrency, 1, 1024, optional=True)
        whole_number("seed", seed, -(2**127), 2**127, optional=True)
        simulations = without_fraction(simulations)
        whole_number("simulations", simulations, 1, 2**31 - 1, optional=True)
        text = game_text(game)
        rules = load_game(text)
        if _has_no_openings(rules) and (openings is not None or openings_depth):
            what = "what a move leads to" if is_simulator(rules) else "the start"
            raise SettingsError(
                f"{what} is drawn in {rules.name}, so its games have no openings",
                mend="leave openings out: chance makes games differ",
            )
        base, increment = (None, 0.0) if clock is None else read_clock(clock)
        control = TimeControl(seconds, base, increment, allowance)
        entered = participants(bots, rules, simulations=simulations, control=control)
        if patience is None:
            patience = patience_with(entered)
        control = TimeControl(seconds, base, increment, allowance, patience)
        timed = seconds is not None or base is not None
        at_once = not timed and all(bot.plays_uncompiled for bot in entered)
        given = None if openings is None else _openings(openings, rules)
        if given is not None and openings_depth is not None:
            raise SettingsError("either openings or their depth can be given")
        return cls(
            game=text,
            rules=rules,
            bots=entered,
            terms=Terms(tuple(participant.spec for participant in entered), control, proofs, at_once),
            simulations=simulations,
            given=given,
            depth=_depth(rules, openings_depth),
            concurrency=concurrency,
            seed=secrets.randbits(32) if seed is None else int(seed),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The bots as the user named them."""
        return tuple(bot.name for bot in self.bots)

    def settings(self) -> dict[str, Any]:
        """Return the conditions as values for JSON."""
        control = self.terms.control
        return {
            "game": self.game,
            "bots": list(self.terms.bots),
            "names": list(self.names),
            "simulations": self.simulations,
            "seconds": control.seconds,
            "clock": control.clock,
            "increment": control.increment,
            "allowance": control.allowance,
            "patience": control.patience,
            "openings": None if self.given is None else [list(opening) for opening in self.given],
            "openings_depth": self.depth,
            "proofs": self.terms.proofs,
            "seed": self.seed,
            **({"dice": DICE} if has_luck(self.rules) else {}),
        }

    def opening_source(self, known: Mapping[int, Sequence[Plain]]) -> OpeningSource:
        """Return the openings; known : random openings that were found before, by number."""
        if self.given is not None:
            return GivenOpenings(self.given)
        decided = Decided(at_once=self.terms.at_once)
        return RandomOpenings(self.rules, self.depth, self.seed, decided=decided, known=known)

    def likely_opening(self, openings: OpeningSource) -> tuple[Plain, ...] | None:
        """Return an opening to start with before it is confirmed as the first; None: do not start early.

        With time limits no search may run beside a game.
        """
        if self.terms.at_once and isinstance(openings, RandomOpenings):
            return openings.likely_first()
        return None

    def games_at_once(self, games: int) -> int:
        """Return how many of `games` games are played at the same time."""
        return min(self.concurrency or max(1, cores() // self.threads), games)

    @property
    def threads(self) -> int:
        """The number of cores that a game needs."""
        return max(bot.threads() for bot in self.bots)


def options_of(settings: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the bots' names and the options from the `settings` of a match or a tournament."""
    options = dict(settings)
    options.pop("dice", None)
    names = tuple(options.pop("names"))
    clock, increment = options.pop("clock"), options.pop("increment")
    options["clock"] = None if clock is None else f"{clock!r}+{increment!r}"
    return names, options


def has_luck(game: type[Game]) -> bool:
    """Whether a game has chance."""
    return game.num_outcomes > 0 or is_simulator(game) or starts_at_random(game)


def _has_no_openings(game: type[Game]) -> bool:
    """Whether games with the same moves differ by chance."""
    return is_simulator(game) or starts_at_random(game)


def check_same_dice(kind: str, number: int, stored: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise `StoreError` if a match or tournament would continue with other dice than it began with.

    stored, now : its settings, as stored and as this version writes them.
    """
    if stored.get("dice") != now.get("dice"):
        raise StoreError(
            f"{kind} {number} was begun by a version with other dice for the same seed, so it cannot go on",
            mend="begin a new one; the games that were played stay in the store",
        )


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _depth(game: type[Game], asked: int | None) -> int | None:
    """Return the number of random moves of an opening; None: up to four that leave the game undecided.

    Episodes of a problem have no openings: random moves would count in the return, and chance already makes
    episodes differ.
    """
    problem = game.num_players == 1 and (pays(game) or has_luck(game))
    return 0 if _has_no_openings(game) or (problem and asked is None) else asked


def _openings(given: Openings, game: type[Game]) -> tuple[tuple[Plain, ...], ...]:
    if isinstance(given, str | Path):
        return tuple(read_openings(given, game))
    if not given:
        raise SettingsError("the list of openings is empty")
    return tuple(check_opening(opening, game) for opening in given)
