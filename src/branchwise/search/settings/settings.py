"""A planner's settings and their checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from branchwise.common.argument_checks import number, one_of, whole_number
from branchwise.common.errors import GameError, SettingsError
from branchwise.game.kinds.game_kinds import is_partially_observed
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, facts_of, searched_facts
from branchwise.rules.facts.game_type import game_type
from branchwise.rules.facts.given_to_bots import Shown
from branchwise.search.settings.joint_methods import JointMethod, find_method
from branchwise.search.settings.playout_policies import PlayoutPolicy, find_policy
from branchwise.search.settings.selection import SelectionRule, find_rule

MAX_DEPTH = 1_000_000
MAX_THREADS = 256
MAX_REPEAT = 1_000_000
MAX_BATCH = 65_536
PARALLEL = ("tree", "root", "leaf")
SCALES = ("auto", "bounds", "seen")
BACKUPS = ("mean", "power", "max")
WITHOUT_CODE = ("meanwhile", "loaded")
"""Values of `compiled` for searching a game whose code is not ready."""
BESIDE_ROLLOUT = {"rollout", "seed", "memory_mb", "compiled", "perfect_information", "cutoff"}
"""Settings that mean the same in a rollout policy as in a tree search."""
ROLLOUT: dict[str, Any] = {"playout": "game", "max_depth": 1, "proofs": False}
"""Settings of every rollout policy."""
CHOICES = ("visits", "value", "secure")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a planner searches; see `MCTS` for what each setting means."""

    c: float | None = None
    selection: str | SelectionRule | Callable[[Any, Any, Any], float] = "ucb1"
    repeat: int = 16
    first_play: float | str | None = None
    widening: float | None = None
    widening_power: float = 0.5
    refinement: float = 0.5
    outcome_widening: float | None = None
    outcome_widening_power: float = 0.5
    max_depth: int | None = None
    scale: str = "auto"
    playout: str | None = None
    cutoff: int | None = None
    playouts: int = 1
    backup: str = "mean"
    power: float = 2.0
    implicit_minimax: float = 0.0
    proofs: bool = True
    paranoid: bool = False
    perfect_information: bool = False
    transpositions: bool = False
    open_loop: bool | None = None
    joint: str = "decoupled_uct"
    choice: str = "visits"
    spread: bool = False
    risk: float | None = None
    early_stop: bool = False
    halving: bool = False
    rollout: bool | None = None
    evaluator: Callable[[list[Any]], Any] | None = None
    batch_size: int = 1
    network: Any = None
    threads: int = 1
    parallel: str | None = None
    memory_mb: float = 1024
    seed: int | None = None
    compiled: bool | str | None = None

    def __post_init__(self) -> None:
        if self.c is not None:
            number("c", self.c, 0.0, 1e6)
        if isinstance(self.first_play, str):
            one_of("first_play", self.first_play, ["parent"])
        elif self.first_play is not None:
            number("first_play", self.first_play, -1e6, 1e6)
        for name in ("widening", "outcome_widening"):
            if getattr(self, name) is not None:
                number(name, getattr(self, name), 0.0, 1e6, above=True)
            number(f"{name}_power", getattr(self, f"{name}_power"), 0.0, 1.0)
        number("refinement", self.refinement, 0.0, 1.0)
        whole_number("max_depth", self.max_depth, 1, MAX_DEPTH, optional=True)
        whole_number("cutoff", self.cutoff, 0, MAX_DEPTH, optional=True)
        whole_number("playouts", self.playouts, 1, 1_000_000)
        one_of("scale", self.scale, SCALES)
        one_of("backup", self.backup, BACKUPS)
        number("power", self.power, 1.0, 1e3)
        number("implicit_minimax", self.implicit_minimax, 0.0, 1.0)
        one_of("choice", self.choice, CHOICES)
        if self.risk is not None:
            number("risk", self.risk, 0.0, 1.0)
        whole_number("repeat", self.repeat, 1, MAX_REPEAT)
        whole_number("batch_size", self.batch_size, 1, MAX_BATCH)
        whole_number("threads", self.threads, 1, MAX_THREADS)
        for name in ("playouts", "repeat", "threads", "batch_size"):
            if getattr(self, name) is None:
                raise SettingsError(
                    f"{name} = None is not a whole number", mend="leave it out, or give one from 1"
                )
        if self.parallel is not None:
            one_of("parallel", self.parallel, PARALLEL)
        number("memory_mb", self.memory_mb, 0.0, 1e7, above=True)
        if isinstance(self.compiled, str):
            one_of("compiled", self.compiled, WITHOUT_CODE)
        whole_number("seed", self.seed, -(2**127), 2**127, optional=True)
        self._check_together()

    def _check_together(self) -> None:
        """Raise `SettingsError` for settings that contradict each other."""
        rule = self.rule
        find_method(self.joint)
        if self.playout is not None:
            find_policy(self.playout)
        self._check_evaluator()
        self._check_rollout()
        if self.backup == "max" or self.backup == "power" or self.implicit_minimax > 0:
            what = "implicit_minimax" if self.backup == "mean" else f'backup="{self.backup}"'
            if self.transpositions and self.implicit_minimax > 0:
                raise SettingsError(
                    "implicit_minimax and transpositions each recompute values", mend="choose one of them"
                )
            if self._shares_a_tree:
                raise SettingsError(
                    f"{what} cannot be shared between threads or by a batch: "
                    'use parallel="root" or threads=1, and batch_size=1'
                )
        if self.transpositions and self._shares_a_tree:
            raise SettingsError(
                "a graph of transpositions cannot be shared between threads or by a batch: "
                'use parallel="root" or threads=1, and batch_size=1'
            )
        if self.transpositions and "squares" in rule.needs:
            raise SettingsError(f"{rule.name} needs variances, which are not kept with transpositions")
        for name in ("widening", "outcome_widening"):
            if getattr(self, name) is None and getattr(self, f"{name}_power") != 0.5:
                raise SettingsError(f"{name}_power is given without {name}")
        if self.outcome_widening is not None and self.open_loop:
            raise SettingsError(
                "outcome_widening cannot be combined with open_loop, whose nodes stand for any outcome",
                mend="leave one of them out",
            )
        if self.backup != "power" and self.power != 2.0:
            raise SettingsError(f'power needs backup="power", not "{self.backup}"')
        if self.threads > 1 and self.parallel == "leaf":
            learns = rule.needs & {"amaf", "history"} or find_policy(self.playout or "uniform").learns
            if self.playouts > 1 or learns:
                raise SettingsError(
                    'parallel="leaf" cannot be combined with playouts or with what learns from moves',
                    mend='use parallel="tree" or parallel="root"',
                )
        if self.parallel is not None and self.threads == 1:
            raise SettingsError(
                f'parallel="{self.parallel}" is given with one thread', mend="give threads=2 or more"
            )
        if self.spread or self.risk is not None:
            what = "spread" if self.risk is None else "risk"
            if self.playouts > 1 or self.parallel == "leaf":
                raise SettingsError(
                    f"{what} needs single returns: it cannot be combined with several playouts a leaf",
                    mend='leave out playouts and parallel="leaf"',
                )
        if self.risk is not None and (self.choice != "visits" or self.early_stop):
            raise SettingsError(
                "risk decides how actions are compared: it cannot be combined with choice or early_stop",
                mend="leave them out",
            )
        if self.halving and (self.early_stop or self._shares_a_tree):
            raise SettingsError(
                "halving cannot be combined with early_stop, with several threads or with batches"
            )

    def _check_evaluator(self) -> None:
        """Raise `SettingsError` for settings that contradict `evaluator`, `network` or `batch_size`."""
        if self.evaluator is None and self.batch_size > 1:
            raise SettingsError(
                "batch_size is given without evaluator", mend="give evaluator, or leave batch_size out"
            )
        if not self.evaluates:
            return
        if self.evaluator is not None and not callable(self.evaluator):
            raise SettingsError(
                f"evaluator = {self.evaluator!r} cannot be called",
                mend="give a function of a list of states that returns their values",
            )
        by_function = self.evaluator is not None
        judge = "an evaluator" if by_function else "a network"
        for is_given, what in (
            (by_function and self.network is not None, "network"),
            (self.playout is not None, "playout"),
            (self.cutoff is not None, "cutoff"),
            (self.playouts > 1, "playouts"),
            (by_function and self.threads > 1, "threads"),
            (self.parallel == "leaf", 'parallel="leaf"'),
            (self.spread, "spread"),
            (self.risk is not None, "risk"),
            (by_function and self.compiled in WITHOUT_CODE, f'compiled="{self.compiled}"'),
        ):
            if is_given:
                raise SettingsError(
                    f"{what} cannot be combined with {judge}, which takes the place of playouts"
                    if what in ("playout", "cutoff", "playouts")
                    else f"{what} cannot be combined with {judge}",
                    mend="leave it out",
                )

    def _check_rollout(self) -> None:
        """Raise `SettingsError` for settings of a tree beside `rollout`, which grows none."""
        if not self.rollout:
            return
        for name, value in self.changed.items():
            if not (name in BESIDE_ROLLOUT or ROLLOUT.get(name) == value):
                raise SettingsError(f"{name}={value} cannot be combined with rollout", mend="leave one out")

    @property
    def evaluates(self) -> bool:
        """Whether leaves are evaluated by a function or a network, not by playouts."""
        return self.evaluator is not None or self.network is not None

    @property
    def _shares_a_tree(self) -> bool:
        return (self.threads > 1 and self.parallel in (None, "tree")) or self.batch_size > 1

    @property
    def can_begin_at_once(self) -> bool:
        """Whether a search may begin in plain Python, before its code is there.

        Not if states are identified by their hashes, which differ between plain Python and compiled code.
        """
        by_hash = self.transpositions or self.open_loop is False or self.outcome_widening is not None
        return self.threads == 1 and not by_hash and self.compiled is not True and self.evaluator is None

    @property
    def begins_at_once(self) -> bool:
        """Whether a search begins in plain Python, before its code is there."""
        return self.compiled in WITHOUT_CODE and self.can_begin_at_once

    @property
    def impatient(self) -> Settings:
        """The same settings for interactive use: a search begins before its code is there if it can."""
        return replace(self, compiled="meanwhile") if self.compiled is None else self

    @property
    def patient(self) -> Settings:
        """The same settings for a search by what an observer knows: it begins when its code is there.

        Keys of nodes differ between plain Python and compiled code, so it cannot go from one to the other.
        """
        return replace(self, compiled=None) if self.compiled in WITHOUT_CODE else self

    @property
    def joint_method(self) -> JointMethod:
        """How players choose where all move at once."""
        return find_method(self.joint)

    @property
    def rule(self) -> SelectionRule:
        """The selection rule, with the planner's `c` if that is given."""
        rule = find_rule(self.selection)
        return rule if self.c is None else rule.with_options({"c": self.c})

    def policy(self, of_game: str) -> PlayoutPolicy:
        """Return the playout policy; of_game : the one that the game declares.

        Raises `SettingsError` if the game's playouts cannot be combined with the settings.
        """
        if self.evaluates:
            return find_policy("uniform")  # of which nothing is played
        policy = find_policy(self.playout or of_game, "playout" if self.playout else "the game's playout")
        if self.threads > 1 and self.parallel == "leaf" and policy.learns:
            raise SettingsError(
                f'parallel="leaf" cannot be combined with the game\'s playouts, "{of_game}", which learn',
                mend='give playout="uniform", or use parallel="tree" or parallel="root"',
            )
        return policy

    def cutoff_of(self, of_game: object) -> int | None:
        """Return the moves after which playouts are evaluated; None: never.

        of_game : those that the game declares, for its own playouts. Raises `SettingsError` if that is no
        such number.
        """
        if self.cutoff is not None or self.playout is not None or self.evaluates:
            return self.cutoff
        whole_number("the game's playout_cutoff", of_game, 0, MAX_DEPTH, optional=True)
        return cast(int | None, of_game)

    @property
    def changed(self) -> dict[str, Any]:
        """The settings that differ from the defaults."""
        pairs = ((f.name, getattr(self, f.name), f.default) for f in fields(self))
        return {name: value for name, value, default in pairs if value != default}


def check_for_observer(
    settings: Settings, *, known: str, nodes: str, search: str, limits_outcomes: bool
) -> None:
    """Raise `SettingsError` for settings without meaning in a search by what an observer knows.

    known, nodes, search : what it begins with, what its nodes are, and its name, in words.
    limits_outcomes : whether `outcome_widening` has a meaning.
    """
    widens = settings.outcome_widening is not None and not limits_outcomes
    for is_given, what, why in (
        (settings.perfect_information, "perfect_information", f"searches a state, and this is {known}"),
        (settings.transpositions, "transpositions", f"joins states, and here nodes are {nodes}"),
        (settings.evaluator is not None, "evaluator", f"judges states, and here nodes are {nodes}"),
        (settings.network is not None, "network", f"judges states, and here nodes are {nodes}"),
        (bool(settings.rollout), "rollout", f"begins in a state, and here nodes are {nodes}"),
        (settings.open_loop is not None, "open_loop", f"has no meaning where nodes are {nodes}"),
        (widens, "outcome_widening", f"has no meaning where nodes are {nodes}"),
    ):
        if is_given:
            raise SettingsError(f"{what} {why}", mend="leave it out")
    if settings.compiled is False and settings.threads > 1:
        raise SettingsError(
            f"with rules in plain Python {search} has one thread",
            mend="leave out threads, or compiled=False",
        )


def planned_facts(state: Any, settings: Settings) -> GameFacts:
    """Return the facts of the game of `state`, or raise `GameError` if it must not be searched.

    That is a game with hidden information, unless the settings allow the search to see everything.
    """
    if settings.perfect_information:
        return facts_of(state, joint=True)
    try:
        return searched_facts(state)
    except GameError as error:
        if isinstance(state, Shown) or game_type(state).information == "perfect":
            raise
        knows = "Playthrough(...).information_state(player)"
        if not isinstance(state, Game):
            knows = "bw.from_openspiel(state), with bw.PIMC"
        elif is_partially_observed(type(state)):
            knows = f"bw.Belief({type(state).__name__}, particles=1000), or play with the bot pomcp"
        raise GameError(
            error.problem,
            mend=f"search what the player knows, {knows}; "
            "MCTS(perfect_information=True) searches the state, and sees what its player cannot",
        ) from None
