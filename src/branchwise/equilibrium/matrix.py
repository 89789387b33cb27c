"""Solving games of two players who choose a row and a column at once, by linear programming."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import SettingsError
from branchwise.common.optional_libraries import need_library

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


_TOLERANCE = 1e-4


@dataclass(frozen=True)
class MatrixSolution:
    """An equilibrium of a zero-sum matrix game.

    value : what the row player gets under best play of both.   rows, columns : a best strategy of each
    player, one probability for each action.
    """

    value: float
    rows: tuple[float, ...]
    columns: tuple[float, ...]


def solve_matrix_game(payoffs: ArrayLike, others: ArrayLike | None = None) -> MatrixSolution:
    """Return an equilibrium of the zero-sum game in which the row player gets payoffs[row, column].

    payoffs : finite numbers [rows, columns], such as `result.matrix()` of a search with every pair visited.
    others : those of the column player, such as `result.matrix(1)`; they are checked to add up to the same
    number with the row player's everywhere, up to rounding. None: the column player loses what the row player
    gets, which cannot be checked.
    It is solved exactly, up to rounding, by a linear programme: a strategy that maximises what is sure
    against any column (von Neumann, "Zur Theorie der Gesellschaftsspiele", 1928). Needs SciPy: `pip install
    branchwise[equilibrium]`. Raises `SettingsError` without it, for anything that is no such matrix, and for
    payoffs of the two that do not add up to the same everywhere.

    >>> solution = solve_matrix_game([[0, -25, 50], [25, 0, -5], [-50, 5, 0]])
    >>> abs(round(solution.value, 6)), [round(share * 16, 6) for share in solution.rows]
    (0.0, [1.0, 10.0, 5.0])
    """
    matrix = _matrix(payoffs)
    if others is not None:
        _check_sums(matrix, _matrix(others))
    rows, value = _best_rows(matrix)
    columns, _ = _best_rows(-matrix.T)
    return MatrixSolution(value, tuple(rows.tolist()), tuple(columns.tolist()))


def _matrix(payoffs: ArrayLike) -> NDArray[np.float64]:
    """Return payoffs as a matrix of finite numbers."""
    try:
        matrix = np.array(payoffs, np.float64)
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    if matrix.ndim != 2 or not matrix.size:
        raise SettingsError(
            f"payoffs have the shape {matrix.shape}, which is no matrix",
            mend="give the row player's payoffs, one row for each of their actions",
        )
    if not np.isfinite(matrix).all():
        missing = int((~np.isfinite(matrix)).sum())
        raise SettingsError(
            f"{missing} of the {matrix.size} payoffs are no finite numbers",
            mend="pairs that a search never played are nan: search longer, or leave out their rows",
        )
    return matrix


def _check_sums(payoffs: NDArray[np.float64], others: NDArray[np.float64]) -> None:
    """Raise `SettingsError` unless the payoffs of the two players add up to the same everywhere."""
    if payoffs.shape != others.shape:
        raise SettingsError(f"payoffs have the shape {payoffs.shape}, and those of the other {others.shape}")
    sums = payoffs + others
    span = max(np.ptp(payoffs), np.ptp(others), np.abs(sums).max())
    if np.ptp(sums) > _TOLERANCE * span:
        raise SettingsError(
            f"the payoffs of the two players add up to {sums.min():g} in one cell and to {sums.max():g} in "
            "another, so the game is not zero-sum",
            mend="search it with bw.MCTS; regret matching and Exp3 plan for each player's own payoffs",
        )


def _best_rows(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return a strategy of the row player that maximises the least expected payoff, and that payoff."""
    linprog = need_library("scipy.optimize", "matrix games are solved", "equilibrium").linprog
    count, width = matrix.shape
    least, most = matrix.min(), matrix.max()
    span = most - least or 1.0
    scaled = (matrix - least) / span  # the solver's tolerances are absolute
    found = linprog(
        np.append(np.zeros(count), -1.0),
        A_ub=np.column_stack([-scaled.T, np.ones(width)]),
        b_ub=np.zeros(width),
        A_eq=np.append(np.ones(count), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0.0, None)] * count + [(None, None)],
        method="highs",
    )
    if not found.success:
        raise SettingsError(f"the linear programme was not solved: {found.message}")
    shares = np.maximum(found.x[:count], 0.0)
    shares /= shares.sum()
    return shares, float((shares @ matrix).min())
