"""Checking the rules of partially observed problems: `observe`, `observation_density` and `jitter`.

Legal actions must follow from what the planner did and observed. So several states are played along by the
same actions. Those that may give what one of them gave stay with it, and the same must be legal in all.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from branchwise.common.players import CHANCE
from branchwise.game.kinds.game_kinds import num_arguments
from branchwise.game.kinds.random_numbers import Draws, Random
from branchwise.game.rules_class import Game
from branchwise.rules.checking.faults import Line
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import apply_legal
from branchwise.rules.knowledge.planner_history import numbers_of

if TYPE_CHECKING:
    from branchwise.compile.queries.observations import CompiledObservations

_GAMES = 40
_MOVES = 200
_GAMES_ALIKE, _STATES_ALIKE, _MOVES_ALIKE = 20, 32, 60
_SECONDS_FOR_ALIKE = 1.0
"""Additional time for the comparison of states that look the same."""


def check_observations(game: type[Game], source: str | None, seed: int, end: float, *, compiled: bool) -> int:
    """Play random games and check what is observed; returns how many observations were checked.

    end : a time of `time.perf_counter` at which to stop.   compiled : whether compiled rules are compared
    with plain Python. Raises `GameError` for an observation that is no number or numbers, that changes the
    state, or that differs from itself with the same random numbers; for a density that is no number from 0,
    or 0 for what was observed; for a `jitter` after which other actions are legal; and for legal actions that
    do not follow from what was observed.
    """
    form = None
    if compiled:
        from branchwise.compile.queries.observations import CompiledObservations

        began = time.perf_counter()
        form = CompiledObservations(game)
        end += time.perf_counter() - began
    checked = 0
    for number in range(_GAMES):
        if time.perf_counter() >= end:
            break
        checked += _play(game, source, seed + number, end, form)
    check_legal_actions(game, source, seed, end + _SECONDS_FOR_ALIKE)
    return checked


def _play(
    game: type[Game], source: str | None, seed: int, end: float, form: CompiledObservations | None
) -> int:
    """Play one game and check what is observed after each action; returns how often."""
    drawn, dice, chosen = Random(seed), Dice(seed), random.Random(seed)
    state: Any = game.new_initial_state(drawn)
    line = Line(game, source)
    line.start = state.copy()
    checked, action = 0, -1
    for _ in range(_MOVES):
        if state.is_terminal() or time.perf_counter() >= end:
            break
        if state.current_player() == CHANCE:
            move = dice.roll(state)
        else:
            move = action = int(chosen.choice(state.legal_actions()))
        apply_legal(state, move, drawn)
        line.actions.append(move)
        if not state.is_terminal() and state.current_player() != CHANCE:
            _look(line, state, action, Draws(chosen.getrandbits(64)).counter, form)
            checked += 1
    return checked


def _look(line: Line, state: Any, action: int, counter: int, form: CompiledObservations | None) -> None:
    """Check what is observed in a state after an action; counter : where the random numbers begin."""
    name, before = line.game.__name__, state.copy()
    fault = partial(line.fault, rule="observe")
    with line.calling("observe"):
        seen = state.observe(action, Draws(counter))
        numbers = numbers_of(seen)
        again = numbers_of(before.copy().observe(action, Draws(counter)))
    if state != before:
        raise fault(f"{name}.observe changes the state", "change fields in apply_action")
    if not numbers or any(map(math.isnan, numbers)):
        raise fault(f"{name}.observe gave {seen!r}", "return a number, or a tuple of numbers")
    if again != numbers:
        raise fault(
            f"{name}.observe gave {numbers} and then {again} in the same state with the same random numbers",
            "draw from the random that the rule is given alone",
        )
    if form is not None and form.observe(before, action, counter) != numbers:
        raise fault(
            f"{name}.observe gives {numbers} in plain Python, but compiled "
            f"{form.observe(before, action, counter)}",
            "write it with numbers, arrays and the functions of math",
        )
    _weigh(line, before, action, seen)
    if num_arguments(line.game, "jitter") == 1:
        moved = before.copy()
        with line.calling("jitter"):
            moved.jitter(Draws(counter))
        if moved.is_terminal() or moved.legal_actions() != before.legal_actions():
            raise line.fault(
                f"{name}.jitter changes which actions are legal",
                "change only what the planner does not know",
                rule="jitter",
            )


def _weigh(line: Line, state: Any, action: int, seen: Any) -> None:
    """Check the density of an observation that was just given."""
    if num_arguments(line.game, "observation_density") != 2:
        return
    name = line.game.__name__
    with line.calling("observation_density"):
        density = float(state.observation_density(action, seen))
    if not 0.0 < density < math.inf:
        raise line.fault(
            f"{name}.observe gave {seen!r}, of which observation_density says {density}",
            "give every observation that is possible a density above 0",
            rule="observation_density",
        )


def check_legal_actions(game: type[Game], source: str | None, seed: int, end: float) -> None:
    """Play states that look the same to the planner; raises `GameError` if their legal actions differ.

    end : a time of `time.perf_counter` at which to stop. Without `observation_density`, a state may give what
    it gave; with it, everything with a density above 0.
    """
    for number in range(_GAMES_ALIKE):
        if time.perf_counter() >= end:
            break
        _play_alike(game, source, seed + number, end)


def _play_alike(game: type[Game], source: str | None, seed: int, end: float) -> None:
    """Play one game by random actions, and other states along with it as long as they look the same."""
    drawn, dice, chosen = Random(seed), Dice(seed), random.Random(seed)
    alike: list[Any] = [game.new_initial_state(drawn) for _ in range(_STATES_ALIKE)]
    line = Line(game, source)
    line.start = alike[0].copy()
    for _ in range(_MOVES_ALIKE):
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
