"""The figure of a training: strength, errors and losses over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from branchwise.figures.figure_table import Table
from branchwise.figures.style import MARKERS, Drawing, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = (
    *("seconds", "games", "positions", "lead", "low", "high"),
    *("proven", "policy_error", "value_error", "value_loss", "policy_loss"),
)
_ERRORS = {"policy_error": "first move", "value_error": "sign of the value"}
_LOSSES = {"value_loss": "value", "policy_loss": "policy"}
_LONG = 180.0
"""Seconds from which time is in minutes."""
_LEAST_ELO = 50.0


def training(table: Table, *, title: str) -> Drawing:
    """Return three panels over time: Elo against playouts, shares of solved positions that are wrong, losses.

    The table has `COLUMNS`: lead, low and high are in Elo, None where they were not measured and infinite
    where all games were won or lost; an arrow stands for an infinite end.
    """

    def draw(figure: Figure, table: Table, theme: Theme) -> None:
        seconds = table.numbers("seconds")
        unit = 60.0 if max(seconds) >= _LONG else 1.0
        over = [time / unit for time in seconds]
        panels = figure.subplots(1, 3)
        panels[0].axhline(0, color=theme.faint, linewidth=1.2, zorder=0)
        _leads(panels[0], over, table, theme)
        for axes, names, scale in ((panels[1], _ERRORS, 100.0), (panels[2], _LOSSES, 1.0)):
            for number, (name, label) in enumerate(names.items()):
                axes.plot(
                    over,
                    [scale * value for value in table.numbers(name)],
                    color=theme.series[number],
                    marker=MARKERS[number],
                    markersize=3.5,
                    linewidth=1.5,
                    label=label,
                )
            axes.set_ylim(bottom=0)
            axes.legend()
        for axes, label in zip(
            panels, ("Elo against playouts", "wrong where solved, %", "loss"), strict=True
        ):
            axes.set_xlim(left=0)
            axes.set_xlabel("minutes" if unit > 1.0 else "seconds")
            axes.set_ylabel(label)
        panels[0].set_title(title)

    return Drawing(table, draw, (11.5, 3.8))


def _leads(axes: Axes, over: list[float], table: Table, theme: Theme) -> None:
    """Draw the leads with their intervals; infinite ends reach the edge, and end in an arrow."""
    rows = zip(over, *map(table.numbers, ("lead", "low", "high")), strict=True)
    known = [row for row in rows if not math.isnan(row[1])]
    most = max((abs(end) for row in known for end in row[1:] if math.isfinite(end)), default=0.0)
    edge = 1.1 * max(most, _LEAST_ELO)
    colour = theme.series[0]
    line = [(at, min(max(lead, -edge), edge)) for at, lead, _, _ in known]
    axes.plot(*zip(*line, strict=True) if line else ([], []), color=colour, linewidth=1.5)
    for (at, lead), (_, _, low, high) in zip(line, known, strict=True):
        marker = MARKERS[0] if abs(lead) < edge else "^" if lead > 0 else "v"
        axes.plot([at], [lead], color=colour, marker=marker, markersize=4.5)
        axes.vlines(at, max(low, -edge), min(high, edge), color=colour, linewidth=1.1)
    axes.set_ylim(-1.05 * edge, 1.05 * edge)
