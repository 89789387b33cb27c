"""Beliefs: what a planner knows of a partially observed problem, as weighted particles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import GameError, SettingsError
from branchwise.compile.states.randomness import Randomness
from branchwise.core.beliefs.belief_search import MOST_NUMBERS
from branchwise.core.beliefs.particles import FOUND, NUM_FACTS, Filter, follow, jitter, reject, weigh
from branchwise.core.machine.kernel_status import DONE, Status
from branchwise.core.numbers.random_streams import new_streams
from branchwise.game.kinds.game_kinds import is_partially_observed, num_arguments, starts_at_random
from branchwise.game.kinds.random_numbers import Draws, given_or_new
from branchwise.game.rules_class import Game
from branchwise.rules.checking.diagnosis import RULE_ERRORS, fault_error, raised_error
from branchwise.rules.facts.facts import apply_legal, facts_of
from branchwise.rules.knowledge.planner_history import numbers_of
from branchwise.search.drivers.particle_step import ParticleStep

_RESAMPLE_BELOW = 0.5


class Belief:
    """A planner's belief about the state of a partially observed problem: weighted particles.

    game : a class with `observe(self, action, random)`.   particles : how many are drawn from the problem's
    start, or the states themselves.   weights : of given states, from 0; None: all are equally likely.
    seed : any integer; None: a new one.   attempts : moves per particle that an update makes, at most, to
    find particles that fit.   compiled : False runs the rules in plain Python.

    `update` moves the particles along after an action and what was observed. If the class has
    `observation_density`, they are weighted by it. They are resampled when their effective number falls below
    half. Otherwise particles are drawn until enough of them gave exactly the same observation. A class may
    have `jitter(self, random)`, which changes copies of a particle a little, so that they differ.

    If no particle fits, all begin again at the start and are moved along the whole history; `restarts` counts
    that. If none fits then, either, the last observation is ignored: `left` is 0.

    >>> import branchwise as bw
    >>> from branchwise.problems.tiger import Tiger
    >>> belief = bw.Belief(Tiger, particles=1000, seed=1)
    >>> belief.update("listen", 1)    # the tiger was heard on the left
    >>> round(belief.mean(lambda state: state.tiger == 0), 1), belief.left
    (0.8, 1000)

    Raises `GameError` for a class without `observe` and for states that are over.
    """

    def __init__(
        self,
        game: type[Game],
        particles: int | Sequence[Game] = 1000,
        *,
        weights: Sequence[float] | None = None,
        seed: int | None = None,
        attempts: int = 100,
        compiled: bool = True,
    ) -> None:
        _check_game(game)
        whole_number("attempts", attempts, 1, 1_000_000)
        whole_number("seed", seed, -(2**127), 2**127, optional=True)
        self.game = game
        self.seed: int = given_or_new(seed)
        """Reproduces the particles."""

        self.history: tuple[tuple[int, Any], ...] = ()
        """The actions so far, each with what was observed after it."""

        self.restarts = 0
        """How often all particles began again at the start because none fitted."""

        self._attempts = attempts
        self._compiled = bool(compiled)
        self._streams = new_streams(self.seed)
        self._given: tuple[NDArray[Any], NDArray[np.float64]] | None = None
        """The first particles, if they were given."""

        if isinstance(particles, int | np.integer):
            if weights is not None:
                raise SettingsError("weights are of given states", mend="give the states as particles")
            whole_number("particles", int(particles), 1, 100_000_000)
            self._records = self._drawn_starts(int(particles))
            self._weights = np.full(int(particles), 1.0 / int(particles))
        else:
            self._given = self._records, self._weights = _given(game, particles, weights)
        self._facts = facts_of(self.states[0])
        if not all(self._is_open(state) for state in self.states[:_LOOKED_AT]):
            raise GameError(
                f"{game.name} is over in some of the particles", mend="give states that are not over"
            )
        self.left = int(np.count_nonzero(self._weights))
        """Particles that fitted what was observed last, before copies of them filled the gaps; 0: none did,
        and the observation was ignored."""

    # --- what is believed -----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The text form of the problem."""
        return self.game.name

    def __len__(self) -> int:
        return int(self._weights.size)

    @property
    def states(self) -> Sequence[Game]:
        """The particles: states, each made when it is asked for."""
        return _States(self.game, self._records)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The particles' probabilities, float64 [particles], which add up to 1; a copy."""
        return self._weights.copy()

    @property
    def records(self) -> NDArray[Any]:
        """The particles as records of the class's dtype, [particles]; do not change them."""
        return self._records

    @property
    def effective_size(self) -> float:
        """The number of equally weighted particles that would be as good, 1 / (sum of squared weights)."""
        return float(1.0 / np.sum(self._weights**2))

    def mean(self, function: Callable[[Any], float]) -> float:
        """Return the expected value of a function of the state, or the probability of a condition."""
        pairs = zip(self.states, self._weights.tolist(), strict=True)
        return float(sum(weight * float(function(state)) for state, weight in pairs if weight > 0.0))

    def sample(self, random: Draws) -> Game:
        """Return a state drawn by the particles' weights."""
        shares = np.cumsum(self._weights)
        place = int(np.searchsorted(shares, random.uniform() * shares[-1], side="right"))
        return self.states[min(place, len(self) - 1)]

    def copy(self, seed: int | None = None) -> Self:
        """Return an independent belief with the same particles; seed : of its updates, None: the same."""
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._streams = self._streams.copy()
        if seed is not None:
            whole_number("seed", seed, -(2**127), 2**127)
            twin.seed, twin._streams = int(seed), new_streams(int(seed))
        return twin

    # --- as a state that is searched, played and shown ------------------------------------------------

    def current_player(self) -> int:
        """Return 0, the only player."""
        return 0

    def is_terminal(self) -> bool:
        """Return False: the problem goes on."""
        return False

    def legal_actions(self) -> list[int]:
        """Return the legal actions, which follow from what was observed: those of any particle."""
        return self._likeliest.legal_actions()

    def action_to_string(self, action: int) -> str:
        """Return how people write an action."""
        return self._likeliest.action_to_string(action)

    def action_from_string(self, text: str) -> int:
        """Return the legal action that people write as `text`; raises `ActionError`."""
        return int(self._likeliest.action_from_string(text))

    @property
    def _likeliest(self) -> Game:
        return self.states[int(np.argmax(self._weights))]

    def __repr__(self) -> str:
        return f"<branchwise.Belief {self.name}: {len(self):,} particles, {self.left:,} left>"

    # --- the update -----------------------------------------------------------------------------------

    def update(self, action: Any, observation: Any) -> None:
        """Take in an action and what was observed after it.

        action : a number or its text.   observation : as `observe` returns it, a number or several.
        Raises `ActionError` for an action that is not legal; `GameError` for what cannot be an observation,
        for faults of the rules, and if the problem is over after the action in all particles, old and new.
        """
        number_of_action = self._checked_action(action)
        seen = self._checked_observation(number_of_action, observation)
        history = (*self.history, (number_of_action, observation))
        before = self._records, self._weights
        found = self._step(*before, number_of_action, observation, seen)
        if found is None:
            found = self._begun_again(history)
        if found is None:
            found = self._followed(*before, number_of_action)
        if found is None:
            found = self._begun_again(history, ignoring=True)
        if found is None:
            raise GameError(
                f"{self.name} is over after {self.action_to_string(number_of_action)} in every particle",
                mend="nothing is observed when the problem is over, so there is nothing to update",
            )
        self._records, self._weights, self.left = found
        self.history = history

    def _step(
        self,
        records: NDArray[Any],
        weights: NDArray[np.float64],
        action: int,
        observation: Any,
        seen: NDArray[np.float64],
    ) -> tuple[NDArray[Any], NDArray[np.float64], int] | None:
        """Return the particles after one step, their weights, and how many fitted; None if none did."""
        size = weights.size
        update = self._filter(seen, weights)
        step = ParticleStep(self.game, self._facts, records, observation, compiled=self._compiled)
        by_density = num_arguments(self.game, "observation_density") == 2
        if by_density:
            self._run(step.run, weigh, action, update)
        else:
            update.weights[:] = 0.0
            self._run(step.run, reject, action, self._attempts * size, update)
        left = int(update.facts[FOUND])
        total = float(update.weights.sum())
        if left == 0 or not total > 0.0:
            return None
        after = update.weights / total
        if by_density and 1.0 / np.sum(after**2) >= _RESAMPLE_BELOW * size:
            return step.after, after, left
        chosen = self._resampled(after) if by_density else np.arange(size) % left
        ancestors = update.ancestors[chosen]
        order = np.argsort(ancestors, kind="stable")
        update.ancestors[:] = ancestors[order]
        step.keep(chosen[order])
        self._run(step.run_after, jitter, update)
        return step.after, np.full(size, 1.0 / size), left

    def _resampled(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the numbers of particles drawn by weight, sorted: systematic resampling.

        Kitagawa, "Monte Carlo filter and smoother for non-Gaussian nonlinear state space models", 1996.
        """
        size = weights.size
        places = (np.arange(size) + Randomness(self._streams).uniform()) / size
        shares = np.cumsum(weights)
        return np.minimum(np.searchsorted(shares / shares[-1], places, side="right"), size - 1)

    def _begun_again(
        self, history: tuple[tuple[int, Any], ...], *, ignoring: bool = False
    ) -> tuple[NDArray[Any], NDArray[np.float64], int] | None:
        """Return particles that were moved along the whole history from the start, or None if none fits.

        ignoring : whether observations that nothing fits are ignored.
        """
        self.restarts += 1
        size = len(self)
        records, weights = self._given or (self._drawn_starts(size), np.full(size, 1.0 / size))
        found = records, weights, size
        for action, observation in history:
            moved = self._step(found[0], found[1], action, observation, np.array(numbers_of(observation)))
            if moved is None and ignoring:
                moved = self._followed(found[0], found[1], action)
            if moved is None:
                return None
            found = moved
        return found

    def _followed(
        self, records: NDArray[Any], weights: NDArray[np.float64], action: int
    ) -> tuple[NDArray[Any], NDArray[np.float64], int] | None:
        """Return the particles after an action, whatever was observed; None if all are over then."""
        update = self._filter(np.zeros(1), weights)
        step = ParticleStep(self.game, self._facts, records, 0, compiled=self._compiled)
        self._run(step.run, follow, action, update)
        total = float(update.weights.sum())
        if not total > 0.0:
            return None
        return step.after, update.weights / total, 0

    def _filter(self, seen: NDArray[np.float64], weights: NDArray[np.float64]) -> Filter:
        return Filter(
            facts=np.zeros(NUM_FACTS, np.int64),
            seen=seen,
            given=np.zeros(MOST_NUMBERS),
            shares=np.cumsum(weights),
            weights=weights.copy(),
            ancestors=np.zeros(weights.size, np.int64),
            paid=np.zeros(1),
            streams=self._streams,
        )

    def _run(self, run: Callable[..., int], *args: Any) -> None:
        """Call a kernel of an update; raises `GameError` for faults of the rules."""
        try:
            status = run(*args)
        except RULE_ERRORS as error:
            raise raised_error(self._likeliest, self._facts, error) from error
        if status != DONE:
            raise fault_error(self._likeliest, self._facts, Status(status), [])

    # --- what goes in ---------------------------------------------------------------------------------

    def _is_open(self, state: Game) -> bool:
        return not state.is_terminal() and int(state.current_player()) == 0

    def _checked_action(self, action: Any) -> int:
        return int(self._likeliest.check_action(action))

    def _checked_observation(self, action: int, observation: Any) -> NDArray[np.float64]:
        """Return the numbers of an observation; raises `GameError` if `observe` gives no such ones."""
        try:
            seen = np.array(numbers_of(observation))
        except GameError:
            seen = np.zeros(0)
        if not 1 <= seen.size <= MOST_NUMBERS or np.isnan(seen).any():
            raise GameError(f"{observation!r} is no observation", mend="give a number, or a tuple of numbers")
        example = self._example(action)
        if example is not None and not isinstance(example, np.ndarray | list):
            expected = len(numbers_of(example))
            if expected != seen.size:
                raise GameError(
                    f"{observation!r} has {seen.size} numbers, but {self.game.__name__}.observe gives "
                    f"{expected}",
                    mend="give the observation as observe returns it",
                )
        return seen

    def _example(self, action: int) -> Any:
        """Return what `observe` gives after an action in the first particles that are not over then."""
        for state in self.states[:_LOOKED_AT]:
            random = Draws(1)
            apply_legal(state, action, random)
            if not state.is_terminal() and int(state.current_player()) == 0:
                return state.observe(action, random)  # type: ignore[attr-defined]
        return None

    @property
    def numbers_observed(self) -> int:
        """How many numbers an observation has, after the first legal action that does not end the problem."""
        for action in self.legal_actions():
            example = self._example(action)
            if example is not None:
                return len(numbers_of(example))
        return 1

    def _drawn_starts(self, size: int) -> NDArray[Any]:
        random = Randomness(self._streams)
        records = np.zeros(size, self.game._dtype)
        if not starts_at_random(self.game):
            records[:] = self.game.new_initial_state().to_record()
            return records
        for place in range(size):
            records[place] = self.game.new_initial_state(random).to_record()
        return records

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: a particle stands for the class, which can be a variant."""
        return {**vars(self), "game": None, "_facts": None, "_one": self.states[0]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        one = state.pop("_one")
        vars(self).update(state, game=type(one), _facts=facts_of(one))


_LOOKED_AT = 16
"""Particles that are looked at in plain Python before an update."""


class _States(Sequence[Game]):
    """Records as states, each made when it is asked for."""

    def __init__(self, game: type[Game], records: NDArray[Any]) -> None:
        self._game, self._records = game, records

    def __len__(self) -> int:
        return int(self._records.size)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self._game.from_record(record) for record in self._records[place]]
        return self._game.from_record(self._records[place])


def _check_game(game: Any) -> None:
    if not (isinstance(game, type) and issubclass(game, Game)):
        raise GameError(f"{game!r} is no rules class", mend="give the class itself: Belief(Tiger)")
    game()
    if not is_partially_observed(game):
        raise GameError(
            f"{game.name} has no observe, so there is nothing to believe: its planner sees the state",
            mend="write def observe(self, action, random): return a number or a tuple of numbers",
        )


def _given(
    game: type[Game], states: Sequence[Game], weights: Sequence[float] | None
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return given particles as records, and their weights, which add up to 1."""
    if not states or not all(type(state) is game for state in states):
        raise GameError(f"particles are a number, or states of {game.name}, at least one")
    shares = np.ones(len(states)) if weights is None else np.array(weights, np.float64)
    if shares.shape != (len(states),) or not np.all(shares >= 0.0) or not 0.0 < shares.sum() < np.inf:
        raise SettingsError(
            f"weights are not {len(states)} numbers from 0, at least one above 0", mend="one for each state"
        )
    records = np.zeros(len(states), game._dtype)
    for place, state in enumerate(states):
        records[place] = state.to_record()
    return records, shares / shares.sum()
