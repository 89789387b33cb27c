"""Shared by exact solvers of games with chance: checking games, and listing successors of states.

All values are player 0's until they are returned to callers: player 0 maximises, player 1 minimises, and a
node of chance has the mean of its outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.rules.facts.dice import possible_outcomes
from branchwise.rules.facts.facts import GameFacts, apply_legal, copied, game_facts, reward_of
from branchwise.testing.state_interface import State, UnsolvableError, moves

_ROUNDING = 1e-9


def solvable_facts(state: State) -> GameFacts:
    """Return the facts of a game; raises `UnsolvableError` for too many players or a finished game."""
    facts = game_facts(state)
    if facts.num_players > 2:
        raise UnsolvableError(
            f"exact values are for one player or two; {facts.name} is for {facts.num_players}"
        )
    check_listable(state, facts)
    return facts


def check_listable(state: State, facts: GameFacts) -> None:
    """Raise `UnsolvableError` for a game that is over, and if what happens cannot be listed."""
    if state.is_terminal():
        raise UnsolvableError(
            f"this {facts.name} game is over: no player is to move",
            mend="there are no future rewards" if facts.pays else "its value is state.returns()",
        )
    if facts.samples or facts.simulates:
        raise UnsolvableError(
            f"what happens in {facts.name} is drawn by its rules and cannot be listed",
            mend="write chance_outcomes, or use bw.MCTS",
        )


def mover(state: State, facts: GameFacts) -> int:
    """Return the player to move, `CHANCE`, or `SIMULTANEOUS`."""
    player = int(state.current_player())
    is_known = player == CHANCE or (player == SIMULTANEOUS and facts.joint)
    if not is_known and not 0 <= player < facts.num_players:
        raise UnsolvableError(f"{facts.name}.current_player gave {player}, which is no player and not chance")
    return player


def final_return(state: State, facts: GameFacts) -> float:
    """Return player 0's return in a finished state; two players' must add up to zero.

    With rewards on the way there are no further rewards.
    """
    if facts.pays:
        return 0.0
    returns = [float(number) for number in state.returns()]
    low, high = facts.min_return, facts.max_return
    if len(returns) != facts.num_players or not all(low <= number <= high for number in returns):
        raise UnsolvableError(
            f"{facts.name}.returns gave {returns}, not {facts.num_players} numbers from {low:g} to {high:g}"
        )
    if facts.num_players == 2 and not abs(sum(returns)) <= _ROUNDING:
        raise UnsolvableError(f"the returns {returns} are not those of a zero-sum game for two")
    return returns[0]


class Step(NamedTuple):
    """One action, joint move or outcome, its probability, player 0's reward, and the state after it.

    The probability of what players choose is 1.
    """

    action: Any
    chance: float
    reward: float
    after: State


def step(state: State, action: Any, facts: GameFacts, chance: float = 1.0) -> Step:
    """Return the successor by an action or an outcome; two players' rewards must add up to zero."""
    after = cast(State, copied(state))
    given = apply_legal(after, action)
    if not facts.pays:
        return Step(action, chance, 0.0, after)
    rewards = reward_of(after, given, facts)
    if facts.num_players == 2 and not abs(sum(rewards)) <= _ROUNDING:
        raise UnsolvableError(f"the rewards {rewards} are not those of a zero-sum game for two")
    return Step(action, chance, rewards[0], after)


def steps(state: State, facts: GameFacts) -> Iterator[Step]:
    """Yield the successor by each legal action, or by each possible outcome of chance.

    Raises `GameError` for probabilities that do not add up to 1.
    """
    player = mover(state, facts)
    if player == CHANCE:
        pairs = possible_outcomes(state)
        total = math.fsum(chance for _, chance in pairs)
        for face, chance in pairs:
            yield step(state, face, facts, chance / total)
        return
    legal = moves(state) if player == SIMULTANEOUS else state.legal_actions()
    if not legal:
        raise UnsolvableError(f"{facts.name}.legal_actions gave no action in a state not over")
    for action in legal:
        yield step(state, action, facts)


def discount_after(state: State, facts: GameFacts) -> float:
    """Return the discount factor of the value of `state`; outcomes of chance are not discounted."""
    if facts.discount == 1.0 or state.is_terminal() or mover(state, facts) == CHANCE:
        return 1.0
    return facts.discount


def decisions_left(player: int, left: int) -> int:
    """Return the decisions before the horizon after a step of `player`, of `left`; negative: no horizon."""
    return left if left < 0 or player == CHANCE else left - 1


def endless(facts: GameFacts, apart: float = math.inf) -> UnsolvableError:
    """Return the error for values that endless play leaves undetermined.

    apart : distance between the bounds of a value; infinite without bounds.
    """
    if math.isfinite(apart):
        return UnsolvableError(
            f"the bounds of a value of {facts.name} stay {apart:.3g} apart: play can go on for ever, or the "
            "tolerance is finer than numbers allow"
        )
    return UnsolvableError(
        f"values of {facts.name} do not converge: play can go on for ever",
        mend="give the problem a discount below 1, a horizon, bounds, or an end",
    )


def for_player(player: int, value: float) -> float:
    """Return player 0's value as `player`'s; for `CHANCE` it stays player 0's."""
    return 0.0 - value if player == 1 else value
