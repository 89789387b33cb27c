"""What exact solvers of games with chance share: whom they take, and what a finished game is worth.

All values are player 0's until they are handed out: player 0 looks for the highest, player 1 for the lowest,
and a node of chance has the mean of its outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, cast

from branchwise.players import CHANCE, PROBABILITY_TOLERANCE
from branchwise.rules.facts import GameFacts, game_facts
from branchwise.testing.solver import UnsolvableError
from branchwise.testing.states import State, child

_ROUNDING = 1e-9


def solvable_facts(state: State) -> GameFacts:
    """Return the facts of the game of `state`, or raise `UnsolvableError` for too many players or its end."""
    facts = game_facts(state)
    if facts.num_players > 2:
        raise UnsolvableError(
            f"exact values are for one player or two; {facts.name} is for {facts.num_players}"
        )
    if state.is_terminal():
        raise UnsolvableError(
            f"this {facts.name} game is over: nobody is to move", mend="its value is state.returns()"
        )
    return facts


def mover(state: State, facts: GameFacts) -> int:
    """Return who is to move, a player of the game or `CHANCE`."""
    player = int(state.current_player())
    if player != CHANCE and not 0 <= player < facts.num_players:
        raise UnsolvableError(f"{facts.name}.current_player gave {player}, which is no player and not chance")
    return player


def final_return(state: State, facts: GameFacts) -> float:
    """Return player 0's return in a finished state; two players' must add up to zero."""
    returns = [float(number) for number in state.returns()]
    low, high = facts.min_return, facts.max_return
    if len(returns) != facts.num_players or not all(low <= number <= high for number in returns):
        raise UnsolvableError(
            f"{facts.name}.returns gave {returns}, not {facts.num_players} numbers from {low:g} to {high:g}"
        )
    if facts.num_players == 2 and not abs(sum(returns)) <= _ROUNDING:
        raise UnsolvableError(f"the returns {returns} are not those of a zero-sum game for two")
    return returns[0]


def outcomes(state: State, facts: GameFacts) -> Iterator[tuple[int, float, State]]:
    """Yield each possible outcome of chance, its probability, and the state after it."""
    pairs = [(int(face), float(chance)) for face, chance in cast(Any, state).chance_outcomes()]
    total = math.fsum(chance for _, chance in pairs)
    if not all(chance >= 0.0 for _, chance in pairs) or not abs(total - 1.0) <= PROBABILITY_TOLERANCE:
        raise UnsolvableError(
            f"{facts.name}.chance_outcomes gave {pairs}: probabilities must be at least 0 and add up to 1"
        )
    for face, chance in pairs:
        if chance > 0.0:
            yield face, chance / total, child(state, face)


def for_player(player: int, value: float) -> float:
    """Return player 0's value as that of `player`; where chance is to move it stays player 0's."""
    return 0.0 - value if player == 1 else value
