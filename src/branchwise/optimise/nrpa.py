"""Nested rollout policy adaptation as a planner."""

from __future__ import annotations

from typing import Any

from branchwise.optimise.optimiser import Optimiser
from branchwise.optimise.walker import PolicyWalker, Walker
from branchwise.ranges import number, whole_number
from branchwise.rules.facts import GameFacts


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
    memory_mb : maximum memory for the weights and lines of each thread, in units of 2**20 bytes.
    improve, threads, seed, compiled : as for `NestedSearch`. The levels above adapt to improved lines.

    Raises `SettingsError` for a value outside its range.

    [Rosin11]: Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", 2011.
    [Cazenave20]: Cazenave, "Generalized nested rollout policy adaptation", 2020.
    [Cazenave21]: Cazenave, Sevestre, Toulemont, "Stabilized nested rollout policy adaptation", 2021.
    [Cazenave24]: Cazenave, "Generalized nested rollout policy adaptation with limited repetitions", 2024.

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
        memory_mb: float = 1024,
        improve: bool = False,
        threads: int = 1,
        seed: int | None = None,
        compiled: bool | None = None,
    ) -> None:
        super().__init__(level, improve, threads, seed, compiled)
        whole_number("iterations", iterations, 1, 1_000_000)
        number("alpha", alpha, 0.0, 100.0, above=True)
        whole_number("playouts", playouts, 1, 1_000_000)
        whole_number("repetitions", repetitions, 1, 1_000_000)
        number("bias", bias, 0.0, 100.0)
        number("memory_mb", memory_mb, 1.0, 1e6)
        self.iterations = iterations
        self.alpha = alpha
        self.playouts = playouts
        self.repetitions = repetitions
        self.bias = bias
        self.memory_mb = memory_mb

    def __repr__(self) -> str:
        return f"branchwise.NRPA(level={self.level}, iterations={self.iterations})"

    @property
    def method(self) -> str:
        return f"nrpa(level={self.level},iterations={self.iterations})"

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
            memory_mb=self.memory_mb,
            **options,
        )
