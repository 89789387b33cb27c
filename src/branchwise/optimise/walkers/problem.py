"""Checking problems for optimisation, and replaying lines of actions in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import ActionError, GameError
from branchwise.common.players import CHANCE
from branchwise.compile.states.randomness import Randomness
from branchwise.game.kinds.continuous_actions import refuse
from branchwise.rules.facts.facts import (
    GameFacts,
    action_text,
    apply_legal,
    check_searchable,
    copied,
    game_facts,
    legal_actions,
    reward_of,
)
from branchwise.search.drivers.interpreted_states import InterpretedState


def problem_facts(state: Any, method: str) -> GameFacts:
    """Return the facts of a problem of one player without random moves.

    method : name of the search, for errors. Raises `GameError` for any other state, and for one that is over.
    """
    facts = game_facts(state)
    refuse(state, f"cannot be listed, and {method} looks for lines among listed ones")
    if facts.num_players != 1:
        raise GameError(
            f"{facts.name} is for {facts.num_players} players, and {method} looks for the best line of one",
            mend="search it with MCTS, or compare its players in a match",
        )
    if facts.simulates or facts.samples:
        raise chance_error(facts, method)
    check_searchable(state, facts)
    return facts


def chance_error(facts: GameFacts, method: str) -> GameError:
    """Return the error for a problem with chance."""
    return GameError(
        f"chance moves in {facts.name}, so no line of actions is certain, and {method} looks for "
        "the best line",
        mend="plan for it with MCTS, as branchwise run does",
    )


class InterpretedProblem(InterpretedState):
    """A state with rules in plain Python, in the form that kernels searching for lines expect."""

    def __init__(self, state: Any, facts: GameFacts, played: list[int]) -> None:
        super().__init__(state, facts, played)
        self.num_actions = facts.num_actions
        self.pays = facts.pays
        self.discount = facts.discount
        self.codes = callable(getattr(state, "action_code", None))
        self.biased = callable(getattr(state, "prior", None))
        self.chooses = callable(getattr(state, "playout_action", None))
        self.lists_few = False

    def action_code(self, action: int) -> int:
        """Return the code of an action, the key of its weight."""
        return int(self.state.action_code(int(action)))

    def prior(self, action: int) -> float:
        return super().prior(int(action))

    def apply_action(self, action: int) -> None:
        super().apply_action(int(action))

    def apply_for_rewards(self, action: int, rewards: NDArray[np.float64], start: int) -> None:
        super().apply_for_rewards(int(action), rewards, start)

    def draws_from(self, streams: NDArray[np.uint64]) -> Randomness:
        """Return the random numbers for the rules' `playout_action`."""
        return Randomness(streams)


@dataclass(frozen=True)
class Replayed:
    """A replayed line: its score, its actions in the problem's notation, and the state at its end."""

    score: float
    text: tuple[str, ...]
    end: Any


def replayed(state: Any, facts: GameFacts, line: Sequence[int]) -> Replayed:
    """Play a line from `state` in plain Python.

    Raises `ActionError` for an action that is not legal, and for a line that ends too early.
    """
    position, text = copied(state), list[str]()
    total, weight = 0.0, 1.0
    for depth, action in enumerate(line):
        if position.is_terminal() or action not in legal_actions(position):
            raise ActionError(f"action {action}, number {depth + 1} of the line, is not legal there")
        text.append(action_text(position, action))
        given = apply_legal(position, action)
        if facts.pays:
            total += weight * reward_of(position, given, facts)[0]
        weight *= facts.discount
    if not position.is_terminal() and not 0 < facts.horizon <= len(line):
        raise ActionError(f"the line ends after {len(line)} actions, but {facts.name} goes on there")
    return Replayed(total if facts.pays else float(position.returns()[0]), tuple(text), position)


def is_chance_at(state: Any, line: Sequence[int]) -> bool:
    """Whether chance is to move after a line."""
    position = copied(state)
    for action in line:
        apply_legal(position, action)
    return not position.is_terminal() and int(position.current_player()) == CHANCE
