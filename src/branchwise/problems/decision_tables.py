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
_MOST_CELLS = 200_000_000
_MOST_ROWS = 50_000_000
_LAYOUTS = ("action-state-next", "state-action-next")


@dataclass(frozen=True)
class DecisionTables:
    """Entries by row, state * actions + action: those of row r are first[r] to first[r + 1] - 1.

    A row without entries is an action that is not allowed.
    """

    actions: int
    first: NDArray[np.int64]
    """[states * actions + 1]"""
    next_place: NDArray[np.int64]
    chance: NDArray[np.float64]
    reward: NDArray[np.float64]


def as_tables(
    probabilities: Any,
    rewards: Any,
    *,
    state_indices: Any = None,
    action_indices: Any = None,
    layout: str | None = None,
) -> DecisionTables:
    """Return tables in one of the layouts of this module; raises `GameError` for anything else.

    layout : "action-state-next" or "state-action-next"; needed where both would fit.
    """
    if (state_indices is None) != (action_indices is None):
        raise GameError("state_indices and action_indices belong together", mend="give both, or neither")
    if state_indices is not None:
        return _of_pairs(probabilities, rewards, state_indices, action_indices)
    matrices = _by_action(probabilities, layout)
    actions, states = len(matrices), matrices[0].shape[0]
    shapes = {matrix.shape for matrix in matrices}
    if shapes != {(states, states)}:
        raise GameError(f"the matrices have the shapes {sorted(shapes)}: all must be [states, states]")
    entries = [_entries(matrix) for matrix in matrices]
    sources = np.concatenate([row * actions + action for action, (row, _, _) in enumerate(entries)])
    targets = np.concatenate([column for _, column, _ in entries])
    chances = np.concatenate([values for *_, values in entries])
    paid = _rewards(rewards, states, actions, sources, targets)
    return _tables(states, actions, sources, targets, chances, paid)


def _by_action(probabilities: Any, layout: str | None) -> list[Any]:
    """Return a matrix for each action."""
    matrices = _sparse_matrices(probabilities)
    if matrices is not None:
        return matrices
    array = _array(probabilities, "probabilities")
    told = f"probabilities have the shape {array.shape}"
    fitting = []
    if array.ndim == 3 and array.size:
        one, other, last = array.shape
        fitting = [name for name, states in zip(_LAYOUTS, (other, one), strict=True) if states == last]
    if not fitting or layout not in (None, *fitting):
        wanted = f"layout={layout!r}" if layout else "[actions, states, states] or [states, actions, states]"
        mend = "for one row a pair, give state_indices and action_indices too"
        raise GameError(f"{told}, which does not fit {wanted}", mend=mend)
    if layout is None and len(fitting) > 1:
        raise GameError(
            f"{told}, which can be read in two ways",
            mend=f"give layout={_LAYOUTS[0]!r}, as of pymdptoolbox, or {_LAYOUTS[1]!r}, as of QuantEcon",
        )
    by_state = (layout or fitting[0]) == _LAYOUTS[1]
    return list(array.transpose(1, 0, 2) if by_state else array)


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
    name, layout = ("Q", _LAYOUTS[1]) if "Q" in arrays else ("P", _LAYOUTS[0])
    places, actions = arrays.get("s_indices"), arrays.get("a_indices")
    return as_tables(arrays[name], arrays["R"], state_indices=places, action_indices=actions, layout=layout)


def _read_csv(file: str) -> DecisionTables:
    rows = read_rows(file, file, _COLUMNS, (), _MOST_ROWS)
    state, action, after = (rows.numbers(name, 0, _MOST_CELLS - 1, whole=True) for name in _COLUMNS[:3])
    chances = rows.numbers("probability", 0, 1)
    paid = rows.numbers("reward", -GREATEST_REWARD, GREATEST_REWARD)
    states, actions = int(max(state.max(), after.max())) + 1, int(action.max()) + 1
    _check_size(states, actions)
    return _tables(states, actions, state * actions + action, after, chances, paid)


def _check_size(states: int, actions: int) -> None:
    if states * actions > _MOST_CELLS:
        raise GameError(f"{states:,} states with {actions:,} actions are more than {_MOST_CELLS:,} pairs")


def _of_pairs(probabilities: Any, rewards: Any, state_indices: Any, action_indices: Any) -> DecisionTables:
    """Return tables with one row for each pair of a state and an action."""
    matrix = probabilities if _is_sparse(probabilities) else _array(probabilities, "probabilities")
    if matrix.ndim != 2:
        raise GameError(f"probabilities have the shape {matrix.shape}, not [pairs, states]")
    place, action = _whole(state_indices, "state_indices"), _whole(action_indices, "action_indices")
    paid = _array(rewards, "rewards").ravel()
    count, states = matrix.shape
    if not len(place) == len(action) == len(paid) == count:
        raise GameError(
            f"there are {count} rows of probabilities, {len(paid)} rewards, {len(place)} state_indices and "
            f"{len(action)} action_indices"
        )
    if count == 0 or place.min() < 0 or place.max() >= states or action.min() < 0:
        raise GameError(f"state_indices must be from 0 to {states - 1}, and action_indices from 0")
    actions = int(action.max()) + 1
    _check_size(states, actions)
    pairs = place * actions + action
    values, times = np.unique(pairs, return_counts=True)
    if len(values) < count:
        twice = divmod(int(values[np.argmax(times > 1)]), actions)
        raise GameError(f"state {twice[0]} has action {twice[1]} twice")
    row, targets, chances = _entries(matrix)
    return _tables(states, actions, pairs[row], targets, chances, paid[row])


def _rewards(
    rewards: Any, states: int, actions: int, sources: NDArray[np.int64], targets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the reward of each entry."""
    place, action = np.divmod(sources, actions)
    matrices = _sparse_matrices(rewards)
    if matrices is not None:
        if len(matrices) != actions or any(matrix.shape != (states, states) for matrix in matrices):
            raise GameError(f"rewards are {len(matrices)} matrices, not {actions} of [states, states]")
        paid = np.zeros(len(sources))
        for number, matrix in enumerate(matrices):
            mine = action == number
            paid[mine] = _array(matrix[place[mine], targets[mine]], "rewards").ravel()
        return paid
    array = _array(rewards, "rewards")
    by_shape = {
        (states,): (place,),
        (states, actions): (place, action),
        (states, actions, states): (place, action, targets),
        (actions, states, states): (action, place, targets),
    }
    if array.shape not in by_shape:
        raise GameError(
            f"rewards have the shape {array.shape}, and there are {states} states and {actions} actions",
            mend="give [states], [states, actions] or [actions, states, states]",
        )
    found: NDArray[np.float64] = array[by_shape[array.shape]]
    return found


def _tables(
    states: int,
    actions: int,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    chances: NDArray[np.float64],
    rewards: NDArray[np.float64],
) -> DecisionTables:
    """Return checked tables from entries in any order."""
    allowed = rewards != -np.inf
    fine = np.isfinite(chances) & (chances >= 0.0) & (~allowed | (np.abs(rewards) <= GREATEST_REWARD))
    if not fine.all():
        entry = int(np.argmin(fine))
        place, action = divmod(int(sources[entry]), actions)
        raise GameError(
            f"state {place}, action {action}, next state {targets[entry]}: the probability is "
            f"{chances[entry]:g}, the reward is {rewards[entry]:g}",
            mend="probabilities are at least 0, and rewards numbers; -inf marks an action not allowed",
        )
    order = np.lexsort((targets, sources))
    order = order[(allowed & (chances > 0.0))[order]]
    sources, targets, chances, rewards = (array[order] for array in (sources, targets, chances, rewards))
    rows = states * actions
    sums = np.bincount(sources, chances, minlength=rows)
    counts = np.bincount(sources, minlength=rows)
    off = (counts > 0) & (np.abs(sums - 1.0) > PROBABILITY_TOLERANCE)
    if off.any():
        place, action = divmod(int(np.argmax(off)), actions)
        total = sums[place * actions + action]
        raise GameError(f"state {place}, action {action}: the probabilities add up to {total:.9g}, not to 1")
    chances = chances / sums[sources]
    stays = (targets == sources // actions) & (rewards == 0.0)
    moving = np.bincount(sources[~stays] // actions, minlength=states) > 0
    kept = moving[sources // actions]  # where every action stays for nothing, the process is over
    first = np.concatenate(([0], np.cumsum(np.bincount(sources[kept], minlength=rows))))
    return DecisionTables(actions, first, targets[kept], chances[kept], rewards[kept])


def _sparse_matrices(given: Any) -> list[Any] | None:
    """Return the matrices of a list of which one is sparse; None for anything else."""
    is_list = isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.dtype == object)
    if not is_list or not any(map(_is_sparse, given)):
        return None
    return [matrix.tocsr() if _is_sparse(matrix) else _array(matrix, "matrices") for matrix in given]


def _is_sparse(matrix: Any) -> bool:
    return hasattr(matrix, "tocoo")


def _entries(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
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


def _array(given: Any, what: str) -> NDArray[np.float64]:
    given = given.toarray() if _is_sparse(given) else given
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise GameError(f"{what} are no array of numbers: {error}") from error


def _whole(given: Any, what: str) -> NDArray[np.int64]:
    array = _array(given, what).ravel()
    if not (array == np.floor(array)).all():
        raise GameError(f"{what} are not all whole numbers")
    return array.astype(np.int64)
