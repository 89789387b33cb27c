"""The figure of a comparison: the best score of each method as its budget grows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from branchwise.figures.figure_table import Table
from branchwise.figures.style import MARKERS, Drawing, Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SECONDS = "seconds"
STATES = "states entered"
_BAND = 0.15


def curves(table: Table, *, title: str, own_steps: bool = False) -> Drawing:
    """Return two panels: mean best scores over seconds, and over the states entered.

    own_steps : the second panel has each method's own steps instead.
    The table has the columns method, by ("seconds", "states entered" or the unit of the steps), at, mean, low
    and high. Bands are the intervals between low and high; a dotted line is the score of a method that ended
    early.
    """

    def draw(figure: Figure, table: Table, theme: Theme) -> None:
        methods = list(dict.fromkeys(table.column("method")))
        panels = figure.subplots(1, 2, sharey=True)
        each = list(
            zip(
                table.column("method"),
                table.column("by"),
                *(table.numbers(name) for name in ("at", "mean", "low", "high")),
                strict=True,
            )
        )
        longest = max((row[2] for row in each if row[1] == SECONDS), default=0.0)

        def is_shown(by: str, over_seconds: bool) -> bool:
            if over_seconds or not own_steps:
                return by == (SECONDS if over_seconds else STATES)
            return by not in (SECONDS, STATES)

        for axes, over_seconds in zip(panels, (True, False), strict=True):
            for number, method in enumerate(methods):
                points = [row[1:] for row in each if row[0] == method and is_shown(row[1], over_seconds)]
                if not points:
                    continue
                counts = points[0][0]
                at = [point[1] for point in points]
                colour = theme.series[number % len(theme.series)]
                axes.step(
                    at,
                    [point[2] for point in points],
                    where="post",
                    color=colour,
                    linestyle="-" if number < len(theme.series) else "--",
                    linewidth=1.6,
                    marker=MARKERS[number % len(MARKERS)],
                    markevery=max(1, len(at) // 4),
                    markersize=4.5,
                    label=None if over_seconds else f"{method} ({counts})" if own_steps else method,
                )
                known = [point for point in points if not math.isnan(point[3])]
                axes.fill_between(
                    [point[1] for point in known],
                    [point[3] for point in known],
                    [point[4] for point in known],
                    step="post",
                    color=colour,
                    alpha=_BAND,
                    linewidth=0,
                )
                if over_seconds and at[-1] < longest:  # it ended early, and its score stays
                    axes.hlines(points[-1][2], at[-1], longest, color=colour, linestyle=":", linewidth=1.4)
            below = "steps, as each method counts them" if own_steps else STATES
            axes.set_xscale("log")
            axes.set_xlabel("seconds" if over_seconds else below)
        panels[0].set_ylabel("best score so far, mean")
        panels[0].set_title(title)
        figure.legend(loc="outside right upper")

    return Drawing(table, draw, (10.5, 4.4))
