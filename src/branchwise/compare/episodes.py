"""Finding lines with MCTS: whole episodes, with more simulations per move in each."""

from __future__ import annotations

import math
from typing import Any

from branchwise.common.players import CHANCE
from branchwise.compare.line_vectors import endless
from branchwise.compare.run import EnoughError, Record
from branchwise.optimise.walkers.problem import chance_error
from branchwise.rules.facts.facts import GameFacts, apply_legal, copied, reward_of
from branchwise.search.planner import MCTS

_FIRST = 16
_TOLERANCE = 1e-9


def play_episodes(planner: MCTS, state: Any, facts: GameFacts, record: Record) -> None:
    """Play episodes from `state` until an `EnoughError` ends it when the budget is spent.

    Each move of the first episode gets 16 simulations; every episode doubles this number. The tree is kept
    from move to move. The best complete episode counts; one that is cut short by the budget does not. An
    episode whose score is the proven value of the root ends the search.
    """
    simulations = _FIRST
    while True:
        _play_one(planner, state, facts, record, simulations)
        simulations *= 2


def _play_one(planner: MCTS, state: Any, facts: GameFacts, record: Record, simulations: int) -> None:
    position, line = copied(state), list[int]()
    total, weight, solved = 0.0, 1.0, math.nan
    planner.forget()
    while not position.is_terminal() and not 0 < facts.horizon <= len(line):
        record.check()
        if len(line) >= facts.max_game_length:
            raise endless(facts)
        if position.current_player() == CHANCE:
            raise chance_error(facts, "a comparison")
        left = record.steps_left
        result = planner.search(
            position,
            simulations=simulations if left is None else min(simulations, left),
            seconds=record.seconds_left,
        )
        record.steps += result.simulations
        assert result.moves is not None  # there is no chance
        record.entered += result.moves
        if result.ended_by == "interrupted":
            raise KeyboardInterrupt
        if not line and result.ended_by == "proven":
            solved = result.value
        action = result.best_action
        given = apply_legal(position, action)
        if facts.pays:
            total += weight * reward_of(position, given, facts)[0]
            weight *= facts.discount
        record.entered += 1
        line.append(action)
        planner.advance(action)
    score = total if facts.pays else float(position.returns()[0])
    record.found(score, line)
    if abs(score - solved) <= _TOLERANCE * max(1.0, abs(score)):
        raise EnoughError("solved")


def warm_up(planner: MCTS, state: Any) -> None:
    """Load or compile the code before the clock starts."""
    planner.advance(planner.search(state, simulations=1).best_action)
    planner.forget()
