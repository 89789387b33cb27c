"""Nested rollout policy adaptation as a planner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.common.argument_checks import number, one_of, whole_number
from branchwise.common.errors import SettingsError
from branchwise.optimise.optimiser import Optimiser
from branchwise.optimise.walkers.level_settings import by_level
from branchwise.optimise.walkers.policy_walker import PolicyWalker
from branchwise.optimise.walkers.walker import Walker
from branchwise.rules.facts.facts import GameFacts

CODES = ("own", "action", "previous", "step")
"""What the code of an action depends on, in the order of `core.lines.nrpa_policy`."""
MAX_BEAM = 1000
MAX_SWEEPS = 1_000_000


class NRPA(Optimiser):
    """Nested rollout policy adaptation for the best line of a problem of one player [Rosin11].

    Playouts follow a policy: every action has a code with a weight w, and is chosen with a probability
    proportional to exp(w). A call of level n calls level n - 1 `iterations` times, and makes the best line so
    far likelier after each call. A call of level 0 is a playout. The best line has the highest score: the sum
    of rewards, or the return at its end.

    The class of the problem may have `action_code(self, action)`, a whole number from 0: actions with the
    same code share a weight, even in different states. Without it, the action is its own code. If the class
    has `prior(self, action)`, probabilities are multiplied by it: the bias log(prior) of [Cazenave20].

    level : from 1. A run of level n takes iterations ** n playouts.
    iterations : adaptations of each level, from 1.
    alpha : step size of an adaptation, above 0.
    playouts : playouts before each adaptation at level 1, from 1; more make a run slower and more stable
    [Cazenave21].
    repetitions : a level ends early after this many consecutive calls that return its best line [Cazenave24];
    None: never.
    bias : exponent of the priors, from 0; 0 ignores them.
    code : what the weight of an action depends on: "own" (default: the class's `action_code`, else the
    action), "action", "previous" (the action and the one before it) or "step" (the action and the number of
    actions before it). Sweeps need "own".
    spare : from 0 to 1: how far an adaptation spares the actions that the line chooses later. With 0 they
    become less likely as all others that were not chosen now. Above 0 helps where the same actions can be
    played in many orders. It is our own: each step is on the mixture (1 - spare) log p + spare log q of the
    action's probability among all legal ones, p, and among those that the line does not choose later, q.
    clamp : above 0, up to 460: weights w stay between -clamp and clamp, so that all actions keep a chance in
    long searches [Jourdois26].
    beam : number of lines, each with its own policy, that a level keeps and continues from [Cazenave12]; a
    sequence gives the number for each level, level 1 first. A round of a level calls the level below once for
    each of them.
    sweeps : sweeps of local search over the best line of each call, from 0; a sequence gives the number for
    each level, level 1 first. A sweep visits every place of the line. There it plays an action that the line
    does not contain, then actions of the line in any order as long as one is legal, and else actions drawn
    by the policy that the call began with. The new line, which counts as a playout, replaces the old one
    unless it is worse. This is our own method, for problems where the same actions can be played in many
    orders. Not for beams.
    memory_mb : maximum memory for the weights and lines of each thread, in units of 2**20 bytes.
    threads : 1 to 256.   parallel : "root" (default): each thread has an independent search, and the best
    line of all counts; "leaf": one search, in which each thread runs `playouts` before each adaptation at
    level 1.
    improve, seed, compiled : as for `NestedSearch`. The levels above adapt to improved lines; with a beam,
    the best line of level 1 is improved.

    Raises `SettingsError` for a value outside its range.

    [Rosin11]: Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", 2011.
    [Cazenave12]: Cazenave, Teytaud, "Beam nested rollout policy adaptation", 2012.
    [Cazenave20]: Cazenave, "Generalized nested rollout policy adaptation", 2020.
    [Cazenave21]: Cazenave, Sevestre, Toulemont, "Stabilized nested rollout policy adaptation", 2021.
    [Cazenave24]: Cazenave, "Generalized nested rollout policy adaptation with limited repetitions", 2024.
    [Jourdois26]: Jourdois, "Morpion Solitaire", a program, version 0.2.0, 2026.

    >>> import branchwise as bw
    >>> result = bw.NRPA(level=2, iterations=50, seed=1).search(bw.load_game("left_move")())
    >>> result.best_score, result.ended_by
    (60.0, 'best possible')
    """

    def __init__(
        self,
        *,
        level: int = 3,
        iterations: int = 100,
        alpha: float = 1.0,
        playouts: int = 1,
        repetitions: int | None = None,
        bias: float = 1.0,
        spare: float = 0.0,
        code: str = "own",
        clamp: float = 460.0,
        beam: int | Sequence[int] = 1,
        sweeps: int | Sequence[int] = 0,
        memory_mb: float = 1024,
        improve: bool = False,
        threads: int = 1,
        parallel: str | None = None,
        seed: int | None = None,
        compiled: bool | None = None,
    ) -> None:
        super().__init__(level, improve, threads, parallel, seed, compiled)
        whole_number("iterations", iterations, 1, 1_000_000)
        number("alpha", alpha, 0.0, 100.0, above=True)
        whole_number("playouts", playouts, 1, 1_000_000)
        whole_number("repetitions", repetitions, 1, 1_000_000, optional=True)
        number("bias", bias, 0.0, 100.0)
        number("spare", spare, 0.0, 1.0)
        one_of("code", code, CODES)
        number("clamp", clamp, 0.0, 460.0, above=True)
        number("memory_mb", memory_mb, 1.0, 1e6)
        self.iterations = iterations
        self.alpha = alpha
        self.playouts = playouts
        self.repetitions = repetitions
        self.bias = bias
        self.spare = spare
        self.code = code
        self.clamp = clamp
        self.memory_mb = memory_mb
        self.beam = by_level("beam", beam, 1, level, MAX_BEAM)
        self.sweeps = by_level("sweeps", sweeps, 1, level, MAX_SWEEPS, least=0)
        if max(self.beam) > 1 and max(self.sweeps) > 0:
            raise SettingsError(
                "sweeps search along the one best line of a level, but a beam has several",
                mend="leave out beam or sweeps",
            )

        if code != "own" and max(self.sweeps) > 0:
            raise SettingsError(
                f'sweeps play the actions of a line in any order, and code="{code}" depends on the order',
                mend="leave out sweeps or code",
            )

    def __repr__(self) -> str:
        return f"branchwise.NRPA(level={self.level}, iterations={self.iterations})"

    @property
    def method(self) -> str:
        beam = "" if max(self.beam) == 1 else f",beam={'/'.join(map(str, self.beam))}"
        sweeps = "" if max(self.sweeps) == 0 else f",sweeps={'/'.join(map(str, self.sweeps))}"
        code = "" if self.code == "own" else f",code={self.code}"
        each = "" if self.playouts == 1 else f",playouts={self.playouts}"
        alpha = "" if self.alpha == 1.0 else f",alpha={self.alpha:g}"
        return f"nrpa(level={self.level},iterations={self.iterations}{code}{each}{alpha}{beam}{sweeps})"

    def _walker(self, state: Any, facts: GameFacts, **options: Any) -> Walker:
        return PolicyWalker(
            state,
            facts,
            top=self.level,
            way=int(self.bias > 0 and callable(getattr(state, "prior", None))),
            iterations=self.iterations,
            each=self.playouts,
            most_repeats=self.repetitions or 0,
            alpha=self.alpha,
            bias=self.bias,
            spare=self.spare,
            coding=CODES.index(self.code),
            clamp=self.clamp,
            beam=self.beam if max(self.beam) > 1 else None,
            sweeps=self.sweeps if max(self.sweeps) > 0 else None,
            memory_mb=self.memory_mb,
            **options,
        )
