"""Checking that legal actions of a partially observed problem follow from what its planner did and observed.

Several states are played along by the same actions. Those that may give what one of them gave stay with it,
and then look the same to the planner: so the same actions must be legal in all.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

from branchwise.common.players import CHANCE
from branchwise.game.kinds.game_kinds import num_arguments
from branchwise.game.kinds.random_numbers import Draws, Random
from branchwise.game.rules_class import Game
from branchwise.rules.checking.faults import Line
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import apply_legal
from branchwise.rules.knowledge.planner_history import numbers_of

_GAMES = 20
_STATES = 32
_MOVES = 60


def check_legal_actions(game: type[Game], source: str | None, seed: int, end: float) -> None:
    """Play states that look the same to the planner; raises `GameError` if their legal actions differ.

    end : a time of `time.perf_counter` at which to stop. Without `observation_density`, a state may give what
    it gave; with it, everything with a density above 0.
    """
    for number in range(_GAMES):
        if time.perf_counter() >= end:
            break
        _play(game, source, seed + number, end)


def _play(game: type[Game], source: str | None, seed: int, end: float) -> None:
    """Play one game by random actions, and other states along with it as long as they look the same."""
    drawn, dice, chosen = Random(seed), Dice(seed), random.Random(seed)
    alike: list[Any] = [game.new_initial_state(drawn) for _ in range(_STATES)]
    line = Line(game, source)
    line.start = alike[0].copy()
    for _ in range(_MOVES):
        if len(alike) == 1 or time.perf_counter() >= end:
            break
        _compare(line, alike)
        action = int(chosen.choice(alike[0].legal_actions()))
        moves = [_move(state, action, drawn, dice) for state in alike]
        line.actions += moves[0]
        if alike[0].is_terminal():
            break
        going_on = [state for state in alike if not state.is_terminal()]
        alike = _those_that_fit(game, going_on, action, Draws(chosen.getrandbits(64)))


def _compare(line: Line, states: Sequence[Any]) -> None:
    """Raise `GameError` unless the same actions are legal in all states."""
    legal = [sorted(int(action) for action in state.legal_actions()) for state in states]
    other = next((actions for actions in legal if actions != legal[0]), None)
    if other is not None:
        raise line.fault(
            f"{line.game.__name__}.legal_actions gives {legal[0]}, but {other} in another state in which the "
            "planner has done and observed the same",
            "let observe tell what decides which actions are legal, or let all of them be legal",
            rule="legal_actions",
        )


def _move(state: Any, action: int, drawn: Random, dice: Dice) -> list[int]:
    """Apply an action, and let chance move after it; returns these moves."""
    moves = [action]
    apply_legal(state, action, drawn)
    while not state.is_terminal() and state.current_player() == CHANCE:
        moves.append(dice.roll(state))
        apply_legal(state, moves[-1], drawn)
    return moves


def _those_that_fit(game: type[Game], states: list[Any], action: int, random: Draws) -> list[Any]:
    """Return the states that may give, after `action`, what the first of them gives."""
    first, *others = states
    seen = first.observe(action, random)
    if num_arguments(game, "observation_density") == 2:
        return [first, *(state for state in others if state.observation_density(action, seen) > 0.0)]
    numbers = numbers_of(seen)
    return [first, *(state for state in others if numbers_of(state.observe(action, random)) == numbers)]
