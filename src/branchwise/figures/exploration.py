"""Contours of the exploration term of UCB1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from branchwise.common.errors import SettingsError
from branchwise.figures.figure_table import Table
from branchwise.figures.style import Drawing, Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEVELS = 14
_MOST = 1000


def exploration(visits: int, c: float = math.sqrt(2)) -> Drawing:
    """Return contours of c sqrt(ln N / n) for n and N from 1 to `visits`.

    N : visits of a node, horizontal.   n : visits of one of its children, vertical. The table has a row for
    each n and a column for each N. A child has at most as many visits as its node, so values above the line n
    = N never occur.
    """
    if not 2 <= visits <= _MOST:
        raise SettingsError(f"visits = {visits} is outside its range", mend=f"2 to {_MOST:,}")
    counts = range(1, visits + 1)
    table = Table(
        ("n", *(f"N={whole}" for whole in counts)),
        tuple((n, *(round(bonus(whole, n, c), 4) for whole in counts)) for n in counts),
    )

    def draw(figure: Figure, table: Table, theme: Theme) -> None:
        axes = figure.add_subplot()
        across = [int(name[2:]) for name in table.columns[1:]]
        upward = table.numbers("n")
        height = [table.numbers(name) for name in table.columns[1:]]
        values = [[column[at] for column in height] for at in range(len(upward))]
        filled = axes.contourf(across, upward, values, LEVELS, cmap="viridis")
        axes.contour(across, upward, values, filled.levels, colors="#ffffff", linewidths=0.4, alpha=0.7)
        axes.plot([1, across[-1]], [1, across[-1]], color="#ffffff", linewidth=1.4, linestyle="--")
        axes.text(
            0.37 * across[-1],
            0.42 * across[-1],
            "n = N",
            color="#ffffff",
            rotation=45,
            rotation_mode="anchor",
            transform_rotates_text=True,
            va="bottom",
        )
        bar = figure.colorbar(filled, ax=axes, pad=0.02)
        bar.set_label("added to the mean")
        axes.set_xlabel("N, visits of the node")
        axes.set_ylabel("n, visits of the child")
        axes.set_title(
            rf"$c\,\sqrt{{\ln N\,/\,n}}$ for $c = {_root_or_number(c)}$, n and N from 1 to {across[-1]}"
        )

    return Drawing(table, draw, (6.4, 4.8))


def bonus(node_visits: int, child_visits: int, c: float) -> float:
    """Return the exploration term of UCB1 for a child: c sqrt(ln N / n).

    >>> round(bonus(10, 10, math.sqrt(2)), 4), bonus(1, 1, 1.0)
    (0.6786, 0.0)
    """
    return c * math.sqrt(math.log(node_visits) / child_visits)


def _root_or_number(c: float) -> str:
    return r"\sqrt{2}" if c == math.sqrt(2) else f"{c:g}"
