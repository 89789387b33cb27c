"""One step of a belief's particles, by compiled rules or in plain Python; see `core.beliefs.particles`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.states.randomness import Randomness
from branchwise.core.interpret import interpreted
from branchwise.core.machine.kernel import Kernel
from branchwise.game.kinds.game_kinds import num_arguments
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.drivers.interpreted_states import InterpretedState, form_of

keep_on_disk()


class ParticleStep:
    """The particles before and after one step.

    records : of the particles before it, [particles].   observation : what was observed, which shows the form
    of observations to rules in plain Python.   compiled : whether rules are compiled.
    """

    def __init__(
        self,
        game: type[Game],
        facts: GameFacts,
        records: NDArray[Any],
        observation: Any,
        *,
        compiled: bool,
    ) -> None:
        self._game, self._facts, self._observation, self._compiled = game, facts, observation, compiled
        self._before = self._holding(records)
        self._after = self._holding(records)

    @property
    def after(self) -> NDArray[Any]:
        """The particles after the step, as records."""
        if self._compiled:
            records: NDArray[Any] = self._after.records
            return records
        return self._after.to_records()  # type: ignore[no-any-return]

    def keep(self, chosen: NDArray[np.int64]) -> None:
        """Let the particles after the step be those with these numbers."""
        self._after = self._holding(self.after[chosen])

    def run(self, kernel: Kernel, *more: Any) -> int:
        """Call a kernel of (before, after, ...); returns its status."""
        return self._call(kernel, self._before, self._after, *more)

    def run_after(self, kernel: Kernel, *more: Any) -> int:
        """Call a kernel of (after, ...); returns its status."""
        return self._call(kernel, self._after, *more)

    def _holding(self, records: NDArray[Any]) -> Any:
        if not self._compiled:
            return _Particles(self._game, self._facts, records, self._observation)
        held = NativeRecords(compiled_type(self._game), records.size)
        held.records[:] = records
        return held

    def _call(self, kernel: Kernel, *args: Any) -> int:
        if self._compiled:
            return int(call(kernel, *args))
        with np.errstate(over="ignore"):
            return int(interpreted(kernel)(*args))


class _Particle(InterpretedState):
    """A particle with rules in plain Python, in the form that kernels expect."""

    def __init__(self, state: Any, facts: GameFacts, played: list[int]) -> None:
        super().__init__(state, facts, played)
        self.pays = facts.pays
        self.simulates = facts.simulates
        self.samples = facts.samples
        self.num_outcomes = facts.num_outcomes

    def draws_from(self, streams: NDArray[np.uint64]) -> Randomness:
        """Return the source of the rules' random numbers."""
        return Randomness(streams)


class _Particles:
    """An array of particles with rules in plain Python."""

    def __init__(self, game: type[Game], facts: GameFacts, records: NDArray[Any], observation: Any) -> None:
        self._game = game
        self._particles = [_Particle(game.from_record(record), facts, []) for record in records]
        for particle in self._particles:
            particle.form = form_of(observation)
        self.jitters = num_arguments(game, "jitter") == 1

    def at(self, place: int) -> _Particle:
        """Return a particle by its number."""
        return self._particles[place]

    def to_records(self) -> NDArray[Any]:
        """Return the particles as records, [particles]."""
        records = np.zeros(len(self._particles), self._game._dtype)
        for place, particle in enumerate(self._particles):
            records[place] = particle.state.to_record()
        return records
