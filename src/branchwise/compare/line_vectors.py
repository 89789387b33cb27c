"""Lines of actions as vectors of numbers, for methods that know nothing of rules."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.compare.run import Record
from branchwise.optimise.walkers.problem import chance_error
from branchwise.rules.facts.facts import GameFacts, apply_legal, copied, legal_actions, reward_of

_LOOKED_AT = 1000


class Decoder:
    """Plays the line encoded by a vector of shares, in plain Python.

    Share i, from 0 to 1, chooses action i of the line: the first of n legal actions below 1/n, the second
    below 2/n, and so on. So every vector is a legal line. Shares beyond the line's end are ignored; after a
    change near its start, the same shares may choose other actions.
    """

    def __init__(self, state: Any, facts: GameFacts, method: str) -> None:
        self.length = facts.horizon or facts.max_game_length
        """Length of a vector: the maximum number of actions in a line."""
        self.used = 1
        """Number of shares that the last line used."""
        self._state = state
        self._facts = facts
        self._method = method

    def score(self, shares: Iterable[float], record: Record) -> float:
        """Return the score of a line and record it; raises `EnoughError` if the budget is spent."""
        record.check()
        facts, position = self._facts, copied(self._state)
        total, weight, line = 0.0, 1.0, list[int]()
        for share in shares:
            if position.is_terminal():
                break
            if position.current_player() == CHANCE:
                raise chance_error(facts, self._method)
            legal = legal_actions(position)
            action = legal[min(int(share * len(legal)), len(legal) - 1)]
            given = apply_legal(position, action)
            if facts.pays:
                total += weight * reward_of(position, given, facts)[0]
                weight *= facts.discount
            line.append(action)
        if not facts.horizon and not position.is_terminal():
            raise endless(facts)
        self.used = len(line)
        record.steps += 1
        record.entered += len(line)
        score = total if facts.pays else float(position.returns()[0])
        record.found(score, line)
        return score


def meets_chance(state: Any, facts: GameFacts) -> bool:
    """Whether chance is to move somewhere along a random line."""
    position, random = copied(state), Random(1)
    for _ in range(min(facts.horizon or facts.max_game_length, _LOOKED_AT)):
        if position.is_terminal():
            return False
        if position.current_player() == CHANCE:
            return True
        apply_legal(position, random.choice(legal_actions(position)))
    return False


def endless(facts: GameFacts) -> GameError:
    """Return the error for a line that does not end."""
    return GameError(
        f"a line of {facts.name} goes on after {facts.max_game_length} actions",
        mend="give the class a greater max_game_length, or a horizon",
    )
