"""Giving state objects with rules in plain Python the methods of compiled states."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.boards.layer import cells_of
from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.compile.states.randomness import Randomness
from branchwise.core.machine.kernel_status import (
    BAD_OUTCOME,
    DONE,
    ILLEGAL_PLAYOUT_ACTION,
    NEVER_ENDS,
    NO_LEGAL_ACTION,
    SAMPLE_OUT_OF_RANGE,
)
from branchwise.core.numbers.random_streams import (
    MOVES,
    PLAYOUT_STREAM,
    SELECT_STREAM,
    give_back_draws,
    next_draws,
)
from branchwise.core.tree.simulation_path import LEVEL
from branchwise.game.kinds.continuous_actions import box_of, frozen, samples_numbers
from branchwise.game.kinds.game_kinds import written_rule
from branchwise.game.kinds.hidden_information import has_rule
from branchwise.rules.facts.facts import GameFacts, apply_legal, binder, copying_rule, legal_rule, reward_of
from branchwise.rules.knowledge.planner_history import numbers_of

_DRAWS = 4096
_KEYS = 2**64


class InterpretedState:
    """A state object as the text of a simulation sees it; see `compile.methods.state.STATE_METHODS`.

    state : the object, or one of the same class; it is unchanged until `copy_from` replaces it.
    played : list to which the moves of random games are appended.
    """

    def __init__(self, state: Any, facts: GameFacts, played: list[int]) -> None:
        self.state = state
        self.max_game_length = facts.max_game_length
        self.has_chance = facts.num_outcomes > 0
        self.samples_actions = samples_numbers(state)
        self.tells_legality = callable(getattr(state, "is_legal", None))
        self.played = played
        self.draws_ahead = _DRAWS
        """Random numbers of a playout that are drawn at once; 1 if others draw from the same stream."""
        self._facts = facts
        self._copy = copying_rule(type(state))
        self._apply = legal_rule(type(state))
        self._given: Callable[[Any], Any] = _frozen_copy if facts.dimensions else int
        """Gives an action the form in which rules get it: a number of Python's, or a vector of their own."""
        self._bind = binder(type(state))
        self._returns_format = Struct(f"{facts.num_players}d")
        self.form: Callable[[Sequence[float]], Any] = tuple
        """Gives numbers the form of an observation."""
        self._draws: list[int] = []
        self._next: InterpretedState | None = None

    # --- the rules ------------------------------------------------------------------------------------

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        over: bool = self.state.is_terminal()
        return over

    def current_player(self) -> int:
        """Return the player to move."""
        return int(self.state.current_player())

    def apply_action(self, action: int) -> None:
        """Play a legal action."""
        self._apply(self.state, self._given(action))

    def apply_randomly(self, action: int, random: Any) -> None:
        """Apply a legal action in a simulator, which draws from `random`."""
        self._apply(self.state, self._given(action), random)  # type: ignore[call-arg]

    def apply_randomly_for_rewards(
        self, action: int, random: Any, rewards: NDArray[np.float64], start: int
    ) -> None:
        """The same, and write its rewards to `rewards` from index `start` on."""
        given = self._apply(self.state, self._given(action), random)  # type: ignore[call-arg]
        rewards[start : start + self._facts.num_players] = self._paid(given)

    def write_box(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        """Write the bounds of a continuous action in this state; NaN if the rules give invalid ones."""
        try:
            low[:], high[:] = box_of(self.state)
        except (GameError, ValueError):
            low[:] = high[:] = np.nan

    def draw_action(self, random: Any, vector: NDArray[np.float64]) -> None:
        """Write a continuous action drawn by the rules; NaN if it is invalid."""
        drawn = self.state.sample_action(random)
        try:
            vector[:] = np.array(drawn, np.float64).reshape(vector.shape)
        except (TypeError, ValueError):
            vector[:] = np.nan

    def sample_outcome(self, random: Any) -> int:
        """Return an outcome of chance drawn by the rules."""
        return int(self.state.sample_outcome(random))

    def apply_for_rewards(self, action: int, rewards: NDArray[np.float64], start: int) -> None:
        """Apply a legal action, and write its rewards, one a player, to `rewards` from index `start` on.

        Writes NaN if the rules do not give one number a player.
        """
        given = self._apply(self.state, self._given(action))
        rewards[start : start + self._facts.num_players] = self._paid(given)

    def _paid(self, given: object) -> tuple[float, ...]:
        try:
            return reward_of(self.state, given, self._facts)
        except GameError:
            return (np.nan,) * self._facts.num_players

    def fill_legal_actions(self, actions: NDArray[np.int32]) -> int:
        """Write the legal actions to the front of `actions`, if there is room; returns their number."""
        return self._filled(actions, self.state.legal_actions())

    def fill_actions_of(self, player: int, actions: NDArray[np.int32]) -> int:
        """Write one player's legal actions, where players move at once, in the same way."""
        return self._filled(actions, self.state.legal_actions(player))

    def _filled(self, actions: NDArray[np.int32], legal: Sequence[int]) -> int:
        count = len(legal)
        if count <= actions.size:
            try:
                _actions_format(count).pack_into(actions, 0, *legal)  # type: ignore[arg-type]
            except struct.error as error:
                raise GameError(
                    f"{self._facts.name}.legal_actions gave {legal!r}, which are not whole numbers of 32 bits"
                ) from error
        return count

    def apply_together(self, actions: NDArray[np.int64]) -> object:
        """Apply a joint action, one number a player."""
        return apply_legal(self.state, tuple(actions.tolist()))

    def apply_together_for_rewards(
        self, actions: NDArray[np.int64], rewards: NDArray[np.float64], start: int
    ) -> None:
        """The same, and write its rewards to `rewards` from index `start` on."""
        rewards[start : start + self._facts.num_players] = self._paid(self.apply_together(actions))

    def fill_chance_outcomes(self, faces: NDArray[np.int32], odds: NDArray[np.float64]) -> int:
        """Write the outcomes of chance and their probabilities, if there is room; returns their number."""
        pairs = self._chance_outcomes()
        if len(pairs) <= faces.size:
            for place, (outcome, probability) in enumerate(pairs):
                faces[place], odds[place] = outcome, probability
        return len(pairs)

    def draw_outcome(self, share: float) -> int:
        """Return the outcome of chance at cumulative probability `share`, 0 to 1; -1 if there is none."""
        drawn, total = -1, 0.0
        for outcome, probability in self._chance_outcomes():
            if probability > 0.0:
                drawn = outcome
            total += probability
            if total > share:
                break
        return drawn

    def _chance_outcomes(self) -> list[tuple[int, float]]:
        found = list(self.state.chance_outcomes())
        try:
            return [(int(outcome), float(probability)) for outcome, probability in found]
        except (TypeError, ValueError) as error:
            raise GameError(
                f"{self._facts.name}.chance_outcomes gave {found!r}, which are not pairs of an outcome and "
                "its probability",
                mend="yield pairs, such as die, 1 / 6",
            ) from error

    def write_returns(self, returns: NDArray[np.float64]) -> None:
        """Write the returns, one a player; NaN, which no bounds allow, if the rules give invalid ones.

        Writes 0 where rewards are paid on the way, because nothing is left to be paid.
        """
        if self._facts.pays:
            returns.fill(0.0)
            return
        try:
            self._returns_format.pack_into(returns, 0, *self.state.returns())  # type: ignore[arg-type]
        except struct.error:
            returns.fill(np.nan)

    def write_evaluation(self, returns: NDArray[np.float64]) -> None:
        """Write the value of the unfinished game, in the same way; 0 where the rules pay and do not tell."""
        if self._facts.pays and not hasattr(self.state, "evaluate"):
            returns.fill(0.0)
            return
        values: Any = self.state.evaluate()
        try:
            self._returns_format.pack_into(returns, 0, *values)  # type: ignore[arg-type]
        except (struct.error, TypeError):
            returns.fill(np.nan)

    def write_cells(self, flat: NDArray[np.int16], rows: int, columns: int) -> None:
        """Write the owner and the kind of each cell of the board."""
        flat[:] = cells_of(self.state).ravel()

    def fill_net_inputs(self, player: int, buffer: NDArray[np.int32]) -> int:
        """Write the inputs that the class gives itself, if there is room; returns how many."""
        given = [int(index) for index in self.state.net_inputs(player)]
        if len(given) <= buffer.size:
            buffer[: len(given)] = given
        return len(given)

    def prior(self, action: int) -> float:
        """Return the prior weight of an action; NaN where the rules give no number."""
        given: Any = self.state.prior(int(action))
        try:
            return float(given)
        except (TypeError, ValueError):
            return np.nan

    def playout_action(self, random: Any) -> int:
        """Return the playout move that the game chooses."""
        return int(self.state.playout_action(random))

    def is_legal(self, action: int) -> bool:
        """Return whether the rules tell that an action is legal."""
        return bool(self.state.is_legal(int(action)))

    # --- what every state can do ----------------------------------------------------------------------

    def copy_from(self, source: InterpretedState) -> None:
        """Become a copy of another state."""
        self.state = self._copy(source.state)

    def at(self, index: int) -> InterpretedState:
        """Return the state `index` places further on."""
        if self._next is None:
            self._next = type(self)(self.state, self._facts, self.played)
        return self._next if index == 1 else self._next.at(index - 1)

    def follow(self, levels: NDArray[Any], depth: int) -> None:
        """Play the actions of a path down to `depth`."""
        state, apply_action = self.state, self._apply
        for action in _path_format(depth).unpack_from(levels):  # type: ignore[arg-type]
            apply_action(state, action)

    def follow_for_rewards(self, levels: NDArray[Any], depth: int, rewards: NDArray[np.float64]) -> None:
        """The same, and write the rewards of these actions."""
        players = self._facts.num_players
        for level, action in enumerate(_path_format(depth).unpack_from(levels), start=1):  # type: ignore[arg-type]
            self.apply_for_rewards(action, rewards, level * players)

    def listed(self, actions: NDArray[np.int32], index: int) -> int:
        """Return an item of `actions`."""
        action: int = actions.item(index)
        return action

    def lists(self, actions: NDArray[np.int32], count: int, action: int) -> bool:
        """Whether `action` is one of the first `count` of `actions`."""
        return action in actions[:count]

    def key(self, mover: int) -> np.uint64:
        """Return the hash-table key of the state after a move of `mover`; never 0."""
        return np.uint64((hash((mover, self.state)) % (_KEYS - 1)) + 1)

    def view_key(self, player: int, masks: NDArray[np.uint64]) -> np.uint64:
        """Return a hash of what `player` sees."""
        return np.uint64(hash_of_numbers(self.state.observation(player)))

    def seen_of(self, action: int, player: int) -> int:
        """Return what `player` sees of another's action by the rules' `action_seen`; -1 for nothing."""
        if not has_rule(type(self.state), "action_seen"):
            return -1
        return int(self.state.action_seen(int(action), player))

    def deal_anew(self, player: int, random: Any) -> None:
        """Fill the cells that `player` does not see, by the rules' `determinize`."""
        written_rule(type(self.state).determinize)(self.state, player, random)

    def fits(self, player: int) -> bool:
        """Whether `player` thinks this state possible, by the rules' `consistent`."""
        return bool(written_rule(type(self.state).consistent)(self.state, player))

    def shuffle_cells(self, places: NDArray[np.int64], size: int, random: Any) -> None:
        """Put the contents of cells in random order; places : of their first bytes, of `size` bytes each."""
        record = np.array(self.state.to_record())
        content = record.reshape(1).view(np.uint8)
        cells = [content[place : place + size].copy() for place in places]
        random.shuffle(cells)
        for place, cell in zip(places, cells, strict=True):
            content[place : place + size] = cell
        self.state = type(self.state).from_record(record.reshape(1)[0])

    def write_observation(self, action: int, random: Any, out: NDArray[np.float64]) -> int:
        """Write what `observe` gives after `action` to `out`, if there is room; returns how many numbers."""
        given = self.state.observe(int(action), random)
        self.form = form_of(given)
        numbers = numbers_of(given)
        if len(numbers) <= out.size:
            out[: len(numbers)] = numbers
        return len(numbers)

    def weigh_observation(self, action: int, random: Any, seen: NDArray[np.float64]) -> float:
        """Return the rules' density of an observation, given as its numbers; NaN if it is no number."""
        density: Any = self.state.observation_density(int(action), self.form(seen.tolist()))
        try:
            return float(density)
        except (TypeError, ValueError):
            return math.nan

    def jitter_state(self, random: Any) -> None:
        """Move a copy of a particle a little, by the rules' `jitter`."""
        self.state.jitter(random)

    def is_to_be_left(self) -> bool:
        """Whether the simulation must end at the next move: never, as exceptions end rules in Python."""
        return False

    def give_back_draws(self, streams: NDArray[np.uint64]) -> None:
        """Leave the streams as a compiled search would: unused draws are drawn again."""
        give_back_draws(streams, PLAYOUT_STREAM, len(self._draws))
        self._draws.clear()

    def play_randomly(self, actions: NDArray[np.int32], streams: NDArray[np.uint64]) -> int:
        """Play uniformly random moves until the game is over; returns a status."""
        state = self.state
        is_terminal, legal_actions = state.is_terminal, state.legal_actions
        apply_action = self._bind(state)
        left = self.max_game_length
        draws = self._draws
        note_move = self.played.append
        has_chance, samples_actions = self.has_chance, self.samples_actions
        while not is_terminal():
            if has_chance and state.current_player() == CHANCE:
                if not draws:
                    draws.extend(reversed(next_draws(streams, PLAYOUT_STREAM, self.draws_ahead)))
                action = self.draw_outcome(draws.pop() * 2.0**-32)
                if not 0 <= action < self._facts.num_outcomes:
                    return BAD_OUTCOME
            elif samples_actions:
                action = self._sampled(streams)
                if not 0 <= action < self._facts.num_actions:
                    return SAMPLE_OUT_OF_RANGE
            else:
                legal = legal_actions()
                if not legal:
                    return NO_LEGAL_ACTION
                if not draws:
                    draws.extend(reversed(next_draws(streams, PLAYOUT_STREAM, self.draws_ahead)))
                action = legal[draws.pop() * len(legal) >> 32]
            if not left:
                return NEVER_ENDS
            left -= 1
            note_move(action)
            apply_action(action)
        streams[MOVES] += np.uint64(self.max_game_length - left)
        return DONE

    def play_choices(self, streams: NDArray[np.uint64]) -> int:
        """Play moves that the rules choose until the game is over; returns a status."""
        state, apply_action, random = self.state, self._bind(self.state), Randomness(streams)
        left = self.max_game_length
        while not state.is_terminal():
            action = self.playout_action(random)
            if not 0 <= action < self._facts.num_actions or not state.is_legal(action):
                return ILLEGAL_PLAYOUT_ACTION
            if not left:
                return NEVER_ENDS
            left -= 1
            self.played.append(action)
            apply_action(action)
        streams[MOVES] += np.uint64(self.max_game_length - left)
        return DONE

    def _sampled(self, streams: NDArray[np.uint64]) -> int:
        """Return an action that the rules draw from the playouts' stream."""
        self.give_back_draws(streams)
        return int(self.state.sample_action(Randomness(streams)))

    def play_for_rewards(
        self,
        actions: NDArray[np.int32],
        streams: NDArray[np.uint64],
        returns: NDArray[np.float64],
        paid: NDArray[np.float64],
        decisions: int,
    ) -> int:
        """Play uniformly random moves and add up their rewards; see `playout.play_for_rewards`."""
        state, facts, draws = self.state, self._facts, self._draws
        is_terminal, legal_actions, apply_action = state.is_terminal, state.legal_actions, self._bind(state)
        total, weight, moves = [0.0] * facts.num_players, 1.0, 0
        status = DONE
        while not is_terminal():
            by_chance = self.has_chance and state.current_player() == CHANCE
            legal: Sequence[int] = ()
            if not by_chance:
                if decisions == 0:
                    break
                decisions -= 1
                if moves > 0:
                    weight *= facts.discount
                if not self.samples_actions:
                    legal = legal_actions()
                    if not legal:
                        status = NO_LEGAL_ACTION
                        break
            if not draws and (by_chance or not self.samples_actions):
                draws.extend(reversed(next_draws(streams, PLAYOUT_STREAM, self.draws_ahead)))
            if by_chance:
                action = self.draw_outcome(draws.pop() * 2.0**-32)
                if not 0 <= action < facts.num_outcomes:
                    status = BAD_OUTCOME
                    break
            elif self.samples_actions:
                action = self._sampled(streams)
                if not 0 <= action < facts.num_actions:
                    status = SAMPLE_OUT_OF_RANGE
                    break
            else:
                action = legal[draws.pop() * len(legal) >> 32]
            if moves >= self.max_game_length:
                status = NEVER_ENDS
                break
            self.played.append(action)
            for player, reward in enumerate(self._paid(apply_action(action))):
                total[player] += weight * reward
            moves += 1
        returns[:] = total
        streams[MOVES] += np.uint64(moves)
        return status

    def play_simulator(
        self,
        actions: NDArray[np.int32],
        streams: NDArray[np.uint64],
        returns: NDArray[np.float64],
        paid: NDArray[np.float64],
        decisions: int,
    ) -> int:
        """Play uniformly random moves of a simulator and add up their rewards; see `playout`."""
        state, facts, random = self.state, self._facts, Randomness(streams)
        total, weight, moves, status = 0.0, 1.0, 0, DONE
        while not state.is_terminal() and decisions != 0:
            decisions -= 1
            legal = state.legal_actions()
            if not legal:
                status = NO_LEGAL_ACTION
                break
            if moves >= self.max_game_length:
                status = NEVER_ENDS
                break
            action = legal[next_draws(streams, SELECT_STREAM, 1)[0] * len(legal) >> 32]
            self.played.append(action)
            self.apply_randomly_for_rewards(action, random, paid, 0)
            total += weight * float(paid[0])
            weight *= facts.discount
            moves += 1
        returns[0] = total
        streams[MOVES] += np.uint64(moves)
        return status


class _StateInArray(InterpretedState):
    """The first of an array of states; `at` finds the others at once."""

    others: dict[int, InterpretedState]
    size: int

    def at(self, index: int) -> InterpretedState:
        found = self.others.get(index)
        if found is None:
            if not 0 <= index < self.size:
                raise IndexError(f"there are {self.size} states, and none is number {index}")
            found = self.others[index] = InterpretedState(self.state, self._facts, self.played)
        return found


def array_of(states: Sequence[Any], facts: GameFacts, played: list[int], spare: int = 0) -> InterpretedState:
    """Return an array of states, at least one, and `spare` places; the others are `at` later places."""
    first = _StateInArray(states[0], facts, played)
    others = (InterpretedState(state, facts, played) for state in states[1:])
    first.others = dict(enumerate([first, *others]))
    first.size = len(states) + spare
    return first


def form_of(given: Any) -> Callable[[Sequence[float]], Any]:
    """Return a function that gives numbers the form of an observation, as `observe` returned it.

    >>> form_of((1, 0.5))([3.0, 0.25])
    (3, 0.25)
    """
    if isinstance(given, tuple):
        kinds = [_kind_of(number) for number in given]
        return lambda numbers: tuple(kind(number) for kind, number in zip(kinds, numbers, strict=True))
    if isinstance(given, list | np.ndarray):
        return lambda numbers: np.array(numbers, np.float64)
    kind = _kind_of(given)
    return lambda numbers: kind(numbers[0])


def _kind_of(number: object) -> Callable[[float], Any]:
    return int if isinstance(number, int | np.integer) and not isinstance(number, bool) else float


def hash_of_numbers(numbers: Sequence[float]) -> int:
    """Return a hash of 64 bits of what a player sees."""
    seen = np.array(numbers, np.float64) + 0.0
    return int.from_bytes(blake2b(seen.tobytes(), digest_size=8).digest(), "little")


def _frozen_copy(action: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a copy of a continuous action that rules cannot change."""
    return frozen(action.copy())


@cache
def _actions_format(count: int) -> Struct:
    """Return the packed form of `count` actions, an int32 array."""
    return Struct(f"{count}i")


@cache
def _path_format(depth: int) -> Struct:
    """Return the packed form of the actions of a path from the root on; see `core.tree.simulation_path`."""
    offset, size = LEVEL.fields["action"][1], LEVEL.itemsize  # type: ignore[index]
    return Struct(f"{size}x" + f"{offset}xi{size - offset - 4}x" * depth)
