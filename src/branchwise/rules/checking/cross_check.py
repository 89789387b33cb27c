"""A second implementation of a game's rules, played in step with the first and compared move by move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE, TERMINAL
from branchwise.game.kinds.continuous_actions import SIDES
from branchwise.game.kinds.game_kinds import is_simulator, samples_outcomes, starts_at_random
from branchwise.game.kinds.random_numbers import Draws, draws_between
from branchwise.game.rules_class import Game
from branchwise.rules.checking.faults import Line
from branchwise.rules.facts.outcomes_drawn import first_counter

if TYPE_CHECKING:
    from branchwise.compile.queries.checked_games import PlayedGames

Box = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Observation:
    """The rules' answers at one state."""

    terminal: bool
    player: int = TERMINAL
    """The player to move; ignored in finished games."""
    legal: tuple[int, ...] = ()
    """Legal actions, or outcomes of chance, in the order of the rules; ignored in finished games."""
    chances: tuple[float, ...] | None = None
    """Probabilities of the outcomes, where chance is to move."""
    returns: tuple[float, ...] = ()
    """One number per player; ignored in unfinished games."""
    choices: tuple[tuple[int, ...], ...] | None = None
    """Legal actions of each player, where all move at once."""
    record: NDArray[Any] | None = None
    """The fields, shape (), as `Game.to_record` gives them; None if there are none to compare."""
    evaluation: tuple[float, ...] | None = None
    """What `evaluate` gives, one number per player; None if the rules do not evaluate unfinished games."""
    box: Box | None = None
    """The least and the greatest numbers of a continuous action; None where actions are numbered."""
    rewards: tuple[float, ...] | None = None
    """Of the move that led to the state, one per player; None if they are not known."""


class Mirror(Protocol):
    """Another implementation of the same game: its compiled form, or a different library's.

    `label` names it in reports, such as "compiled code". An exception that a method raises is reported as a
    fault of the mirror, with the moves that led to it.
    """

    label: str

    def start(self) -> None:
        """Go to the start of the game. For a random start, takes the initial state."""

    def apply(self, action: Any, /) -> None:
        """Play a legal action. For a simulator, also takes `random`, the `Draws` to draw from."""

    def observation(self) -> Observation:
        """Return this implementation's answers at the current state."""


class CompiledMirror:
    """The compiled form of a game. Raises `GameError` if the rules cannot be compiled."""

    label = "compiled code"

    def __init__(self, game: type[Game]) -> None:
        from branchwise.compile.queries.checked_games import CompiledState
        from branchwise.compile.queries.checked_joint_games import CompiledJointState

        self._state: Any = CompiledJointState(game) if game._joint else CompiledState(game)
        self._is_joint = game._joint
        self._samples = samples_outcomes(game)

    def start(self, *state: Game) -> None:
        self._state.start(*state)

    def apply(self, action: Any, /, *random: Draws) -> None:
        self._state.apply(action, *random)

    def sample_action(self, random: Draws) -> tuple[float, ...]:
        """Return an action that the rules draw, a number as (number,)."""
        drawn: tuple[float, ...] = self._state.sample_action(random)
        return drawn

    def sample_outcome(self, random: Draws) -> int:
        """Return an outcome of chance that the rules draw."""
        return int(self._state.sample_outcome(random))

    def observation(self) -> Observation:
        state = self._state
        if state.terminal:
            return Observation(True, returns=state.returns, record=state.record, rewards=state.rewards)
        by_chance = state.player == CHANCE
        return Observation(
            False,
            state.player,
            () if by_chance and self._samples else state.legal,
            state.chances if by_chance and not self._samples else None,
            choices=state.choices if self._is_joint else None,
            record=state.record,
            evaluation=state.evaluation,
            box=state.box,
            rewards=state.rewards,
        )

    @property
    def was_left(self) -> bool:
        """Whether the last games stopped because a rule did not return in time."""
        return bool(self._state.was_left)

    def play(self, seeds: Sequence[int]) -> PlayedGames:
        """Play the random game of each seed, up to the first that breaks a rule."""
        played: PlayedGames = self._state.play(np.array([first_counter(seed) for seed in seeds], np.uint64))
        return played


@dataclass(frozen=True)
class Difference:
    """The method on which two observations of one state differ, and the value of each."""

    method: str
    first: str
    second: str


def difference(first: Observation, second: Observation) -> Difference | None:
    """Return the first difference between two observations of one state, or None if they agree.

    >>> difference(Observation(False, 0, (1, 2)), Observation(False, 0, (1,)))
    Difference(method='legal_actions', first='[1, 2]', second='[1]')
    """
    name = _other_field(first.record, second.record)
    if name is not None:
        assert first.record is not None
        assert second.record is not None
        mine, theirs = first.record[name].tolist(), second.record[name].tolist()
        return Difference("apply_action", f"{name} = {mine}", f"{name} = {theirs}")
    if not _close(first.rewards, second.rewards):
        return Difference("apply_action", f"rewards {first.rewards}", f"rewards {second.rewards}")
    if first.terminal != second.terminal:
        return Difference("is_terminal", str(first.terminal), str(second.terminal))
    if first.terminal:
        if not _close(first.returns, second.returns):
            return Difference("returns", str(first.returns), str(second.returns))
    elif first.player != second.player:
        return Difference("current_player", str(first.player), str(second.player))
    elif first.choices != second.choices:
        return Difference("legal_actions", str(first.choices), str(second.choices))
    elif first.legal != second.legal:
        method = "legal_actions" if first.chances is None else "chance_outcomes"
        return Difference(method, str(list(first.legal)), str(list(second.legal)))
    elif (side := _other_side(first.box, second.box)) is not None:
        assert first.box is not None
        assert second.box is not None
        return Difference(SIDES[side], str(first.box[side]), str(second.box[side]))
    elif not _close(first.chances, second.chances):
        return Difference("chance_outcomes", str(first.chances), str(second.chances))
    elif not _close(first.evaluation, second.evaluation):
        return Difference("evaluate", str(first.evaluation), str(second.evaluation))
    return None


def _other_field(first: NDArray[Any] | None, second: NDArray[Any] | None) -> str | None:
    """Return the name of the first field in which two records differ; None if they agree."""
    if first is None or second is None or first.tobytes() == second.tobytes():
        return None
    for name in first.dtype.names or ():
        if not np.array_equal(first[name], second[name], equal_nan=first[name].dtype.kind == "f"):
            return name
    return None


def _other_side(first: Box | None, second: Box | None) -> int | None:
    """Return the first side, by its place in SIDES, in which two boxes differ; None if they agree."""
    if first is None or second is None:
        return None
    return next((side for side in (0, 1) if not _close(first[side], second[side])), None)


def _close(first: tuple[float, ...] | None, second: tuple[float, ...] | None) -> bool:
    """Whether two rows of numbers are equal up to rounding; compiled sums and powers round differently."""
    if first is None or second is None or first == second:
        return True
    return len(first) == len(second) and np.allclose(first, second, rtol=1e-6, atol=1e-9)


def compare(line: Line, mine: Observation, mirror: Mirror) -> None:
    """Play the line's last move on `mirror`, and raise `GameError` unless it then agrees with `mine`.

    mine : what the rules in Python say after that move. They run first, because they report an index out of
    range with its line, which compiled code does not.
    """
    drawn = [Draws(line.drawn_from)] if is_simulator(line.game) else []
    apply: Callable[..., None] = mirror.apply
    with _asking(line, mirror):
        if line.actions:
            apply(line.actions[-1], *drawn)
        else:
            drawn_start = [line.start] if starts_at_random(line.game) else []
            start: Callable[..., None] = mirror.start
            start(*drawn_start)
        theirs = mirror.observation()
    found = difference(mine, theirs)
    if found is None and drawn and line.actions and drawn[0].counter != line.random.counter:
        found = _other_draws("apply_action", line.drawn_from, line.random, drawn[0])
    if found is None:
        return
    method = found.method if line.actions or found.method != "apply_action" else "setup"
    raise _differing(line, Difference(method, found.first, found.second), mirror)


def compare_drawn(
    line: Line, method: str, mine: Any, start: int, random: Draws, mirrors: Iterable[Mirror]
) -> None:
    """Raise `GameError` unless the compiled rules draw the same by `sample_outcome` or `sample_action`.

    mine : the outcome, or the numbers of the action, that plain Python drew.   start : where the random
    numbers stood before it drew.   random : what it drew from.
    """
    for mirror in mirrors:
        if isinstance(mirror, CompiledMirror):
            drawn = Draws(start)
            with _asking(line, mirror):
                theirs = getattr(mirror, method)(drawn)
            if not (_close(mine, theirs) if isinstance(mine, tuple) else mine == theirs):
                raise _differing(line, Difference(method, str(mine), str(theirs)), mirror)
            if drawn.counter != random.counter:
                raise _differing(line, _other_draws(method, start, random, drawn), mirror)


@contextmanager
def _asking(line: Line, mirror: Mirror) -> Iterator[None]:
    """Report anything that a mirror raises as a fault of the mirror."""
    try:
        yield
    except Exception as error:
        raise line.fault(f"the {mirror.label} form of {line.game.name} failed: {error}") from error


def _other_draws(method: str, start: int, mine: Draws, theirs: Draws) -> Difference:
    """Return the difference between two streams that began at the same counter."""
    first, second = (draws_between(start, random.counter) for random in (mine, theirs))
    return Difference(method, f"drawn {first} random numbers", f"drawn {second} random numbers")


def _differing(line: Line, found: Difference, mirror: Mirror) -> GameError:
    name = f"{line.game.__name__}.{found.method}"
    return line.fault(
        f"{name} differs: Python has {found.first}, {mirror.label} has {found.second}",
        "the two must agree: look for an index outside its array, a number too large for its type, "
        "or anything that does not follow from the fields alone",
    )
