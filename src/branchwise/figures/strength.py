"""Strength over settings: lines with error bars, and maps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from branchwise.figures.figure_table import Entry, Table
from branchwise.figures.style import MARKERS, Drawing, Theme, value_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LABELLED = 12
"""Maximum columns of a map with numbers; with more its cells are too small."""
_MIDDLE = {"": "#f3f3f1", "-dark": "#30363d"}


def lines(
    table: Table,
    x: str,
    series: str | None = None,
    value: str = "score",
    *,
    title: str,
    x_label: str | None = None,
    log: bool = False,
) -> Drawing:
    """Return scores with their 95 % intervals over one column, with a line for each value of another.

    The table has the columns low, high and `value`: "score", from 0 to 1, or "mean", of returns; rows without
    games are left out. log : whether the x axis is logarithmic. Words are drawn side by side.
    """
    unit = 100 if value == "score" else 1

    def draw(figure: Figure, table: Table, theme: Theme) -> None:
        axes = figure.add_subplot()
        if value == "score":
            axes.axhline(50, color=theme.faint, linewidth=1.2, zorder=0)
        marks = table.column(x)
        known = list(dict.fromkeys(marks))
        words = any(isinstance(mark, str) for mark in known)
        names = list(dict.fromkeys(table.column(series))) if series else [None]
        for number, name in enumerate(names):
            chosen = [
                at
                for at, row in enumerate(table.rows)
                if (series is None or table.column(series)[at] == name)
                and not math.isnan(table.numbers(value)[at])
            ]
            positions: list[float] = [
                known.index(marks[at]) if words else table.numbers(x)[at] for at in chosen
            ]
            step = 0.1 if words else 0.006 * _span(table.numbers(x), log)
            positions = _moved(positions, step * (number - (len(names) - 1) / 2), log and not words)
            mean, low, high = (
                [unit * table.numbers(column)[at] for at in chosen] for column in (value, "low", "high")
            )
            axes.errorbar(
                positions,
                mean,
                yerr=[
                    [m - end for m, end in zip(mean, low, strict=True)],
                    [end - m for m, end in zip(mean, high, strict=True)],
                ],
                color=theme.series[number % len(theme.series)],
                marker=MARKERS[number % len(MARKERS)],
                linestyle="none" if words else "-",
                markersize=5,
                linewidth=1.6,
                elinewidth=1.1,
                capsize=3,
                label=None if series is None else f"{series} = {name}",
            )
        if words:
            axes.set_xticks(range(len(known)), [str(mark) for mark in known])
        else:
            _number_axis(axes, table.numbers(x), log)
        axes.set_xlabel(x_label or x)
        axes.set_title(title)
        if value == "score":
            value_axis(axes, "score")
        else:
            axes.set_ylabel("mean return")
        if series is not None:
            figure.legend(loc="outside right upper")

    return Drawing(table, draw)


def heat_map(
    table: Table,
    x: str,
    y: str,
    value: str = "score",
    *,
    title: str,
    x_label: str | None = None,
    y_label: str | None = None,
) -> Drawing:
    """Return a map of the scores of all combinations of two columns; its middle colour is a score of 50 %.

    The table has the columns low, high and `value`: "score", from 0 to 1, or "mean", of returns, whose
    colours go from the least to the greatest. Each cell shows the score in per cent, or the mean, and below
    it the 95 % interval. A combination without games is crossed out.
    """
    unit = 100 if value == "score" else 1
    known = [number for number in table.numbers(value) if not math.isnan(number)] or [0.0]
    least, most = (0.0, 1.0) if value == "score" else (min(known), max(known))
    span = most - least or 1.0
    columns, rows = (list(dict.fromkeys(table.column(name))) for name in (x, y))
    size = (1.9 + 0.78 * max(len(columns), 4), 1.5 + 0.62 * max(len(rows), 3))

    def draw(figure: Figure, table: Table, theme: Theme) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        axes = figure.add_subplot()
        middle = _MIDDLE[theme.suffix]
        colours = LinearSegmentedColormap.from_list("score", [theme.loss, middle, theme.win])
        scores = [[math.nan] * len(columns) for _ in rows]
        labelled = len(columns) <= MOST_LABELLED
        each = zip(table.column(x), table.column(y), *map(table.numbers, (value, "low", "high")), strict=True)
        for column, row, score, low, high in each:
            across, up = columns.index(column), rows.index(row)
            scores[up][across] = unit * score
            if math.isnan(score):
                axes.plot([across - 0.3, across + 0.3], [up - 0.3, up + 0.3], color=theme.ink, linewidth=0.8)
                axes.plot([across - 0.3, across + 0.3], [up + 0.3, up - 0.3], color=theme.ink, linewidth=0.8)
            elif labelled:
                ink = _ink_on(colours((score - least) / span))
                number, ends = f"{100 * score:.0f}", f"{100 * low:.0f}\N{EN DASH}{100 * high:.0f}"
                if value != "score":
                    ends = "" if math.isnan(low) else f"{low:.3g} to {high:.3g}"
                    number = f"{score:.3g}"
                for text, above, points in ((number, 6, 10.5), (ends, -9, 7.5)):
                    axes.annotate(
                        text,
                        (across, up),
                        (0, above),
                        textcoords="offset points",
                        color=ink,
                        fontsize=points,
                        ha="center",
                        va="center",
                    )
        mesh = axes.pcolormesh(
            [at - 0.5 for at in range(len(columns) + 1)],
            [at - 0.5 for at in range(len(rows) + 1)],
            scores,
            cmap=colours,
            vmin=unit * least,
            vmax=unit * (least + span),
            edgecolors=theme.ground,
            linewidth=1.5,
            zorder=0,
        )
        ticks = range(0, 101, 25) if value == "score" else None
        bar = figure.colorbar(mesh, ax=axes, ticks=ticks, pad=0.02)
        if ticks is not None:
            bar.ax.set_yticklabels([f"{share} %" for share in ticks])
        bar.set_label("score" if value == "score" else "mean return")
        bar.outline.set_visible(False)
        axes.set_xticks(range(len(columns)), [_short(mark) for mark in columns])
        axes.set_yticks(range(len(rows)), [_short(mark) for mark in rows])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(x_label or x)
        axes.set_ylabel(y_label or y)
        axes.set_title(title)

    return Drawing(table, draw, size)


def _span(values: list[float], log: bool) -> float:
    """Return the length of an axis on its own scale."""
    low, high = min(values), max(values)
    return math.log(high / low) if log else high - low


def _moved(positions: list[float], by: float, log: bool) -> list[float]:
    """Shift positions slightly, so that the error bars of several lines do not hide each other."""
    return [position * math.exp(by) if log else position + by for position in positions]


def _number_axis(axes: Axes, values: list[float], log: bool) -> None:
    """Put ticks at the measured values if they are few."""
    from matplotlib.ticker import NullLocator

    if log:
        axes.set_xscale("log")
    known = sorted(set(values))
    if len(known) <= MOST_LABELLED:
        axes.set_xticks(known, [_short(value) for value in known])
        axes.xaxis.set_minor_locator(NullLocator())


def _ink_on(colour: tuple[float, float, float, float]) -> str:
    """Return black or white, the one with more contrast as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if luminance > 0.179 else "#ffffff"


def _short(mark: Entry) -> str:
    """Return a value as text for an axis.

    >>> _short(0.25), _short(10000), _short(100.0), _short("uniform")
    ('0.25', '10,000', '100', 'uniform')
    """
    if isinstance(mark, int | float):
        return f"{mark:,}" if isinstance(mark, int) else f"{mark:,.6g}"
    return str(mark)
