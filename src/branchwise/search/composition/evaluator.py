"""Calling an evaluator, such as a network, for the values of states, and checking its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import EvaluatorError
from branchwise.rules.checking.faults import users_line

if TYPE_CHECKING:
    from branchwise.search.composition.composition import Composition

_TOLERANCE = 1e-5
"""Tolerance for values beyond the bounds, such as by 32-bit rounding, as a share of the span of returns."""


def evaluation_of(
    evaluator: Callable[[list[Any]], Any], states: list[Any], composition: Composition
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Return the values of `states`, [B, P], and the prior weights of actions in them, [B, A].

    B states, P players, A distinct actions; weights are equal if the evaluator returns none.
    Raises `EvaluatorError` if the evaluator raises an exception, or returns anything else.
    """
    try:
        answer = evaluator(states)
    except Exception as error:
        where = users_line(error)
        raise EvaluatorError(
            f"the evaluator raised {type(error).__name__}: {error}{f' ({where})' if where else ''}",
            mend="it has to take every list of states that are not over",
        ) from error
    facts = composition.facts
    values, weights = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)
    shape = len(states), facts.num_players
    values = _array(values, "values", np.float64, shape, "one row a state, one column a player")
    _check_values(values, states, composition)
    if weights is None:
        return values, np.ones((len(states), facts.num_actions), np.float32)
    if not composition.keeps_priors:
        raise EvaluatorError(
            f'the evaluator gave weights of actions, which selection="{composition.rule.name}" does not read',
            mend='use selection="puct", or return values alone',
        )
    shape = len(states), facts.num_actions
    weights = _array(weights, "weights", np.float32, shape, "one row a state, one column an action")
    wrong = ~(np.isfinite(weights) & (weights >= 0)).all(axis=1)
    if wrong.any():
        raise EvaluatorError(
            "the evaluator gave negative weights, or weights that are not numbers, for this state:\n"
            f"{_first(states, wrong)}",
            mend="give each action a weight of at least 0, such as its probability",
        )
    return values, weights


def no_legal_weight(state: Any) -> EvaluatorError:
    """Return the error for weights of 0 for all legal actions of a state."""
    return EvaluatorError(
        f"the evaluator gave weights of 0 to all legal actions of this state:\n{state}",
        mend="give one of them more than 0; weights of illegal actions are not read",
    )


def _array(given: Any, what: str, dtype: Any, shape: tuple[int, int], meaning: str) -> NDArray[Any]:
    try:
        array = np.asarray(given, dtype)
    except (TypeError, ValueError) as error:
        raise EvaluatorError(
            f"the evaluator gave {what} that are not an array of numbers: {error}",
            mend=f"return {what} of shape {shape}: {meaning}",
        ) from error
    if array.shape != shape:
        raise EvaluatorError(
            f"the evaluator gave {what} of shape {array.shape} for {shape[0]} states",
            mend=f"return {what} of shape {shape}: {meaning}",
        )
    return array


def _check_values(values: NDArray[np.float64], states: Sequence[Any], composition: Composition) -> None:
    """Raise `EvaluatorError` for values beyond the game's bounds; rounding errors are corrected."""
    facts = composition.facts
    room = _TOLERANCE * facts.span if np.isfinite(facts.span) else 0.0
    inside = (values >= facts.min_return - room) & (values <= facts.max_return + room)
    wrong = ~(inside & np.isfinite(values)).all(axis=1)
    if wrong.any():
        number = int(np.flatnonzero(wrong)[0])
        raise EvaluatorError(
            f"the evaluator gave the values {values[number].tolist()} for this state:\n{states[number]}",
            mend=f"give finite numbers from {facts.min_return:g} to {facts.max_return:g}",
        )
    np.clip(values, facts.min_return, facts.max_return, out=values)


def _first(states: Sequence[Any], wrong: NDArray[np.bool_]) -> Any:
    return states[int(np.flatnonzero(wrong)[0])]
