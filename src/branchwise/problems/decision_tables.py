"""Tables of Markov decision processes, from arrays, sparse matrices and files.

Layouts, with A actions and S states:
- pymdptoolbox: probabilities [A, S, S], dense or a list of A sparse matrices; rewards [S], [S, A], [A, S, S]
  or a list of A matrices.
- QuantEcon: probabilities [S, A, S] and rewards [S, A]; or one row for each pair of a state and an action,
  [L, S], dense or sparse, with rewards [L] and the numbers of the states and the actions. A reward of -inf
  marks an action that is not allowed.
- CSV: a line for each entry, with the columns state, action, next, probability, reward.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.array_files import read_arrays
from branchwise.common.errors import GameError
from branchwise.common.players import GREATEST_REWARD, PROBABILITY_TOLERANCE
from branchwise.problems.csv_rows import read_rows

_COLUMNS = ("state", "action", "next", "probability", "reward")
_MOST_PAIRS = 200_000_000
_MOST_ROWS = 50_000_000
_LAYOUTS = {"action-state-next": 1, "state-action-next": 0}
"""Which axis has the states that are left."""

Whole = NDArray[np.int64]
Real = NDArray[np.float64]


@dataclass(frozen=True)
class DecisionTables:
    """Entries by row, state * actions + action: those of row r are first[r] to first[r + 1] - 1.

    A row without entries is an action that is not allowed.
    """

    actions: int
    first: Whole
    """[states * actions + 1]"""
    next_place: Whole
    chance: Real
    reward: Real


def as_tables(
    probabilities: Any, rewards: Any, pairs: tuple[Any, Any] = (None, None), layout: str | None = None
) -> DecisionTables:
    """Return tables in one of the layouts of this module; raises `GameError` for anything else.

    pairs : the numbers of the states and of the actions, where there is a row for each pair.
    layout : "action-state-next" or "state-action-next"; needed where both would fit.
    """
    places, actions = pairs
    if (places is None) != (actions is None):
        raise GameError("state_indices and action_indices belong together", mend="give both, or neither")
    if places is not None:
        return _of_pairs(probabilities, rewards, places, actions)
    matrices = _sparse_matrices(probabilities) or _by_action(probabilities, layout)
    actions, states = len(matrices), matrices[0].shape[0]
    shapes = {matrix.shape for matrix in matrices}
    if shapes != {(states, states)}:
        raise GameError(f"the matrices have the shapes {sorted(shapes)}: all must be [states, states]")
    entries = [_entries(matrix) for matrix in matrices]
    places, targets, chances = map(np.concatenate, zip(*entries, strict=True))
    numbers = np.repeat(np.arange(actions), [len(values) for *_, values in entries])
    paid = _rewards(rewards, states, actions, places, numbers, targets)
    return _tables(states, actions, places, numbers, targets, chances, paid)


def _by_action(probabilities: Any, layout: str | None) -> list[Any]:
    """Return a matrix for each action from an array in one of the layouts."""
    array = _array(probabilities, "probabilities")
    told, is_full = f"probabilities have the shape {array.shape}", array.ndim == 3 and array.size > 0
    fitting = [name for name, axis in _LAYOUTS.items() if is_full and array.shape[axis] == array.shape[2]]
    if not fitting or layout not in (None, *fitting):
        wanted = f"layout={layout!r}" if layout else "[actions, states, states] or [states, actions, states]"
        mend = "for one row a pair, give state_indices and action_indices too"
        raise GameError(f"{told}, which does not fit {wanted}", mend=mend)
    if layout is None and len(fitting) > 1:
        mend = "give layout={!r}, as of pymdptoolbox, or {!r}, as of QuantEcon".format(*_LAYOUTS)
        raise GameError(f"{told}, which can be read in two ways", mend=mend)
    return list(np.moveaxis(array, _LAYOUTS[layout or fitting[0]], 1))


def read_tables(file: str) -> DecisionTables:
    """Return the tables of a file, .csv or .npz; raises `GameError` with the line of a fault.

    An .npz file has arrays P and R, or Q and R, and with one row a pair s_indices and a_indices.
    """
    if Path(file).suffix.lower() != ".npz":
        return _read_csv(file)
    try:
        arrays = read_arrays(Path(file).expanduser())
    except Exception as error:
        raise GameError(f"{file} cannot be read as .npz: {error}") from error
    names = {"P", "Q", "R", "s_indices", "a_indices"}
    if not ("R" in arrays and ("P" in arrays or "Q" in arrays) and set(arrays) <= names):
        raise GameError(f"{file} has the arrays {', '.join(arrays)}", mend="it needs P and R, or Q and R")
    name, layout = ("Q", "state-action-next") if "Q" in arrays else ("P", "action-state-next")
    pairs = arrays.get("s_indices"), arrays.get("a_indices")
    return as_tables(arrays[name], arrays["R"], pairs, layout)


def _read_csv(file: str) -> DecisionTables:
    rows = read_rows(file, file, _COLUMNS, (), _MOST_ROWS)
    place, action, target = (rows.numbers(name, 0, _MOST_PAIRS - 1, whole=True) for name in _COLUMNS[:3])
    chances = rows.numbers("probability", 0, 1)
    paid = rows.numbers("reward", -GREATEST_REWARD, GREATEST_REWARD)
    states, actions = int(max(place.max(), target.max())) + 1, int(action.max()) + 1
    return _tables(states, actions, place, action, target, chances, paid)


def _of_pairs(probabilities: Any, rewards: Any, state_indices: Any, action_indices: Any) -> DecisionTables:
    """Return tables with one row for each pair of a state and an action."""
    matrix = probabilities if _is_sparse(probabilities) else _array(probabilities, "probabilities")
    if matrix.ndim != 2:
        raise GameError(f"probabilities have the shape {matrix.shape}, not [pairs, states]")
    count, states = matrix.shape
    place, action = _whole(state_indices, "state_indices", states), _whole(action_indices, "action_indices")
    paid = _array(rewards, "rewards").ravel()
    if not 0 < count == len(place) == len(action) == len(paid):
        raise GameError(
            f"there are {count} rows of probabilities, {len(paid)} rewards, {len(place)} state_indices and "
            f"{len(action)} action_indices"
        )
    actions = int(action.max()) + 1
    values, times = np.unique(place * actions + action, return_counts=True)
    if len(values) < count:
        twice = divmod(int(values[np.argmax(times)]), actions)
        raise GameError(f"state {twice[0]} has action {twice[1]} twice")
    row, targets, chances = _entries(matrix)
    return _tables(states, actions, place[row], action[row], targets, chances, paid[row])


def _rewards(rewards: Any, states: int, actions: int, place: Whole, action: Whole, target: Whole) -> Real:
    """Return the reward of each entry; entries are in the order of their actions."""
    matrices = _sparse_matrices(rewards)
    if matrices:
        if len(matrices) != actions or any(matrix.shape != (states, states) for matrix in matrices):
            raise GameError(f"rewards are {len(matrices)} matrices, not {actions} of [states, states]")
        found = [m[place[action == number], target[action == number]] for number, m in enumerate(matrices)]
        return np.concatenate([_array(paid, "rewards").ravel() for paid in found])
    array = _array(rewards, "rewards")
    by_shape = {
        (states,): (place,),
        (states, actions): (place, action),
        (states, actions, states): (place, action, target),
        (actions, states, states): (action, place, target),
    }
    if array.shape not in by_shape:
        raise GameError(
            f"rewards have the shape {array.shape}, and there are {states} states and {actions} actions",
            mend="give [states], [states, actions] or [actions, states, states]",
        )
    return np.asarray(array[by_shape[array.shape]])


def _tables(
    states: int, actions: int, place: Whole, action: Whole, target: Whole, chance: Real, reward: Real
) -> DecisionTables:
    """Return checked tables from entries in any order."""
    if states * actions > _MOST_PAIRS:
        raise GameError(f"{states:,} states with {actions:,} actions are more than {_MOST_PAIRS:,} pairs")
    allowed = reward != -np.inf
    fine = np.isfinite(chance) & (chance >= 0.0) & (~allowed | (np.abs(reward) <= GREATEST_REWARD))
    if not fine.all():
        entry = int(np.argmin(fine))
        raise GameError(
            f"state {place[entry]}, action {action[entry]}, next state {target[entry]}: the probability is "
            f"{chance[entry]:g}, the reward is {reward[entry]:g}",
            mend="probabilities are at least 0, and rewards numbers; -inf marks an action not allowed",
        )
    order = np.lexsort((target, place * actions + action))
    order = order[(allowed & (chance > 0.0))[order]]
    place, action, target, chance, reward = (part[order] for part in (place, action, target, chance, reward))
    row = place * actions + action
    total = np.bincount(row, chance)[row]
    off = np.abs(total - 1.0) > PROBABILITY_TOLERANCE
    if off.any():
        entry = int(np.argmax(off))
        told = f"state {place[entry]}, action {action[entry]}"
        raise GameError(f"{told}: the probabilities add up to {total[entry]:.9g}, not to 1")
    moves = (target != place) | (reward != 0.0)
    # Where every action stays for nothing, the process is over.
    kept = np.bincount(place[moves], minlength=states)[place] > 0
    first = np.concatenate(([0], np.cumsum(np.bincount(row[kept], minlength=states * actions))))
    return DecisionTables(actions, first, target[kept], (chance / total)[kept], reward[kept])


def _sparse_matrices(given: Any) -> list[Any] | None:
    """Return the matrices of a list of which one is sparse; None for anything else."""
    is_list = isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.dtype == object)
    if not is_list or not any(map(_is_sparse, given)):
        return None
    return [matrix.tocsr() if _is_sparse(matrix) else _array(matrix, "matrices") for matrix in given]


def _is_sparse(matrix: Any) -> bool:
    return hasattr(matrix, "tocoo")


def _entries(matrix: Any) -> tuple[Whole, Whole, Real]:
    """Return the rows, columns and values of a matrix, dense or sparse."""
    if _is_sparse(matrix):
        found = matrix.tocsr(copy=True)
        found.sum_duplicates()
        found = found.tocoo()
        row, column, values = found.row, found.col, found.data
    else:
        row, column = np.nonzero(matrix)
        values = matrix[row, column]
    return row.astype(np.int64), column.astype(np.int64), values.astype(np.float64)


def _array(given: Any, what: str) -> Real:
    given = given.toarray() if _is_sparse(given) else given
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise GameError(f"{what} are no array of numbers: {error}") from error


def _whole(given: Any, what: str, end: int = _MOST_PAIRS) -> Whole:
    """Return whole numbers from 0 to `end` - 1."""
    array = _array(given, what).ravel()
    if not ((array >= 0) & (array < end) & (array == np.floor(array))).all():
        raise GameError(f"{what} are not all whole numbers from 0 to {end - 1}")
    return array.astype(np.int64)
