"""Checking the rules of partially observed problems: `observe`, `observation_density` and `jitter`."""

from __future__ import annotations

import math
import random
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from branchwise.common.players import CHANCE
from branchwise.game.kinds.game_kinds import num_arguments
from branchwise.game.kinds.random_numbers import Draws, Random
from branchwise.game.rules_class import Game
from branchwise.rules.checking.faults import Line
from branchwise.rules.checking.legality_by_history import check_legal_actions
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import apply_legal
from branchwise.rules.knowledge.planner_history import numbers_of

if TYPE_CHECKING:
    from branchwise.compile.queries.observations import CompiledObservations

_GAMES = 40
_MOVES = 200
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
