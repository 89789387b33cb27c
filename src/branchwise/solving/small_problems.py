"""Whether a problem with chance is small enough to be solved, found out without much delay."""

from __future__ import annotations

import random
import time

from branchwise.common.errors import BranchwiseError
from branchwise.common.players import CHANCE
from branchwise.compile.queries.exact import ExactStates, FaultyStateError, TooManyStatesError
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.problems.decision_process import DecisionProcess
from branchwise.rules.checking.diagnosis import RULE_ERRORS
from branchwise.rules.facts.dice import drawn_outcome
from branchwise.rules.facts.facts import apply_legal, copied, facts_of, random_action
from branchwise.solving.solve import check_solvable
from branchwise.testing.state_tables import NO_HORIZON

LISTING_SECONDS = 0.2
_WALKING_SECONDS = 0.1
_MOST_MOVES = 200
_TELLING, _TOO_MANY = 1000, 300_000
"""Visits from which on repetitions tell how many states there are, and the number that is too large."""


def states_of_small(state: Game, seconds: float = LISTING_SECONDS) -> int | None:
    """Return how many states of a problem with chance can be reached; None if listing takes longer.

    seconds : of compiled work. Very many states are noticed in plain Python, before anything is compiled.

    >>> import branchwise as bw
    >>> states_of_small(bw.load_game("frozen_lake")())
    60
    """
    facts = facts_of(state, joint=True)
    if facts.num_players > 1 or not facts.num_outcomes:
        return None
    try:
        check_solvable(state, facts)
        if isinstance(state, DecisionProcess):
            return int(state.states)
        if not _comes_again(state):
            return None
        states = ExactStates(type(state), facts.num_players)
        states.add(state, facts.horizon or NO_HORIZON, seconds=seconds)
    except (BranchwiseError, FaultyStateError, TooManyStatesError, *RULE_ERRORS):
        return None  # what is wrong with rules is said by what comes next
    return len(states.graph().players)


def _comes_again(state: Game) -> bool:
    """Whether later states of random episodes come again: of N states, V visits meet V * V / 2 / N again."""
    source, dice = random.Random(0), Random(0)
    met: set[bytes] = set()
    visits = 0
    until = time.thread_time() + _WALKING_SECONDS
    while time.thread_time() < until:
        here, path = copied(state), list[bytes]()
        for _ in range(_MOST_MOVES):
            if here.is_terminal():
                break
            is_chance = here.current_player() == CHANCE
            apply_legal(here, drawn_outcome(here, dice) if is_chance else random_action(here, source))
            path.append(here.to_record().tobytes())
        later = path[len(path) // 2 :]
        visits += len(later)
        met.update(later)
    return visits < _TELLING or visits * visits <= 2 * _TOO_MANY * (visits - len(met))
