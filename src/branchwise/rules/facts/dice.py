"""Dice for games that are played: outcomes of chance, and random numbers for simulators."""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import Any, TypeVar

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE, PROBABILITY_TOLERANCE
from branchwise.game.kinds.game_kinds import samples_outcomes
from branchwise.game.kinds.random_numbers import Draws, Random, given_or_new
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import apply_legal, copied
from branchwise.rules.facts.outcomes_drawn import outcome_of

GameT = TypeVar("GameT", bound=Game)


class Dice:
    """Draws the outcomes of chance of successive games.

    seed : the same gives the same outcomes; None: new ones. The dice have a separate stream of random
    numbers, from which no search draws, whatever its seed: no plan can know what the dice will bring.

    >>> from collections import Counter
    >>> class Coin:
    ...     def chance_outcomes(self):
    ...         return [(0, 0.25), (1, 0.75)]
    >>> dice = Dice(1)
    >>> sorted(Counter(dice.roll(Coin()) for _ in range(1000)).items())
    [(0, 263), (1, 737)]
    """

    def __init__(self, seed: int | None = None) -> None:
        self._draws = Draws(_derived(str(given_or_new(seed)), b"dice"))

    def roll(self, state: Any) -> int:
        """Return an outcome of a state where chance is to move; one draw, however many outcomes there are.

        Raises `GameError` if the state lists none, or probabilities that do not add up.
        """
        return drawn_outcome(state, self._draws)


DICE = 2
"""Version of the outcomes that `PlayersDice` derives from a seed."""


class PlayersDice:
    """Dice of one game, with a stream for each player, for outcomes after this player's moves.

    So in two games with the same seed a seat has the same luck, however often the other one rolls. For a
    simulator, a player's first move, second move and so on have a stream each.

    >>> dice, again = PlayersDice(1), PlayersDice(1)
    >>> class Die:
    ...     def chance_outcomes(self):
    ...         return [(face, 1 / 6) for face in range(6)]
    >>> few = [dice.roll(Die(), player) for player in (0, 1, 0, 1, 0)]
    >>> many = [again.roll(Die(), player) for player in (0, 0, 0, 1, 1)]
    >>> (few[::2], few[1::2]) == (many[:3], many[3:])
    True
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._streams: dict[int | None, Dice] = {}
        self._moves: dict[int | None, int] = {}

    def start(self, game: type[GameT]) -> GameT:
        """Return the start of the game; a random one is drawn from a separate stream."""
        return game.new_initial_state(Random(_derived(f"{self._seed}", b"start")))

    def roll(self, state: Any, mover: int | None) -> int:
        """Return an outcome of a state; mover : the player who moved last, None before the first move.

        Raises what `Dice.roll` raises.
        """
        if mover not in self._streams:
            self._streams[mover] = Dice(_derived(f"{self._seed}/{mover}", b"player"))
        return self._streams[mover].roll(state)

    def random(self, mover: int | None) -> Random:
        """Return the random numbers for a simulator's next move of `mover`.

        >>> [PlayersDice(1).random(player).below(6) for player in (0, 1)]
        [4, 1]
        """
        number = self._moves[mover] = self._moves.get(mover, 0) + 1
        return Random(_derived(f"{self._seed}/{mover}/{number}", b"move"))


def _derived(seed: str, purpose: bytes) -> int:
    """Return the number of 64 bits that follows from a seed for one purpose."""
    return int.from_bytes(blake2b(seed.encode(), digest_size=8, person=purpose).digest(), "big")


def drawn_outcome(state: Any, draws: Draws) -> int:
    """Return an outcome of a state where chance is to move; raises what `Dice.roll` raises."""
    if isinstance(state, Game) and samples_outcomes(type(state)):
        return sampled_outcome(state, draws)
    possible = possible_outcomes(state)
    return possible[outcome_of([chance for _, chance in possible], draws.uniform())][0]


def sampled_outcome(state: Game, draws: Draws) -> int:
    """Return an outcome that the rules draw; raises `GameError` for one out of range."""
    outcome = int(state.sample_outcome(draws))  # type: ignore[attr-defined]
    if not 0 <= outcome < state.num_outcomes:
        raise GameError(
            f"{type(state).__name__}.sample_outcome gave {outcome}, but num_outcomes is {state.num_outcomes}",
            mend="outcomes are 0 to num_outcomes - 1",
        )
    return outcome


def possible_outcomes(state: Any) -> list[tuple[int, float]]:
    """Return the outcomes of a state where chance is to move that can happen, with their probabilities.

    Raises `GameError` if the state lists none, or probabilities that do not add up.
    """
    if not callable(getattr(state, "chance_outcomes", None)):
        raise GameError(
            f"chance is to move, but a {type(state).__name__} has no chance_outcomes",
            mend="add def chance_outcomes(self): yield pairs such as die, 1 / 6",
        )
    pairs = [(int(outcome), float(chance)) for outcome, chance in state.chance_outcomes()]
    chances = [chance for _, chance in pairs]
    total = math.fsum(chances)
    if not min(chances, default=-1.0) >= 0.0 or not abs(total - 1.0) <= PROBABILITY_TOLERANCE:
        raise GameError(
            f"{type(state).__name__}.chance_outcomes gave the probabilities {_some(chances)}",
            mend="they are numbers from 0 that add up to 1",
        )
    return [(outcome, chance) for outcome, chance in pairs if chance > 0.0]


def rolled(state: Any, seed: int | None = 0) -> Any:
    """Return a state in which a player is to move: `state`, or a copy after outcomes of chance.

    seed : of the dice, as in `Dice`.
    """
    if state.is_terminal() or state.current_player() != CHANCE:
        return state
    dice, after = Dice(seed), copied(state)
    while not after.is_terminal() and after.current_player() == CHANCE:
        apply_legal(after, dice.roll(after))
    return after


def _some(chances: list[float]) -> str:
    shown = ", ".join(f"{chance:g}" for chance in chances[:6])
    return f"{shown}, ..." if len(chances) > len(chances[:6]) else shown or "of no outcome"
