"""Figures of the results of a sweep."""

from __future__ import annotations

from branchwise.arena.tuning.setting_grid import Axis
from branchwise.arena.tuning.sweep import COLUMNS, COLUMNS_ALONE, SweepResult
from branchwise.common.errors import SettingsError
from branchwise.figures.figure_table import Table
from branchwise.figures.outcomes import stacks
from branchwise.figures.strength import heat_map, lines
from branchwise.figures.style import Drawing

KINDS = ("map", "lines", "stacks")


def kind_for(axes: tuple[Axis, ...], kind: str | None = None) -> str:
    """Return the kind of figure for these axes: `kind`, or by default "lines" for one and "map" for two.

    Raises `SettingsError` for a kind that cannot show them.
    """
    if len(axes) > 2:
        raise SettingsError(
            f"a figure shows one or two varying settings, not {len(axes)}", mend="leave out --output"
        )
    if kind is None:
        return "map" if len(axes) == 2 else "lines"
    if kind not in KINDS:
        raise SettingsError(f'no kind of figure "{kind}"', mend=f"one of {', '.join(KINDS)}")
    if (kind == "map") > (len(axes) == 2) or (kind == "stacks") > (len(axes) == 1):
        wanted = "two varying settings" if kind == "map" else "one varying setting"
        raise SettingsError(f"{kind} take {wanted}, not {len(axes)}".replace("map take", "a map takes"))
    return kind


def table_of(result: SweepResult) -> Table:
    """Return a sweep as a table: a column for each axis, the bots, and the columns of `sweep.row`."""
    names = [one.name for one in result.axes]
    columns = ("bot", *COLUMNS_ALONE) if result.is_alone else ("bot", "against", *COLUMNS)
    taken = [*names, *(name for name in columns if name not in names)]
    return Table.of(result.table(), taken)


def drawing_of(
    result: SweepResult,
    kind: str | None = None,
    *,
    title: str | None = None,
    labels: dict[str, str] | None = None,
    bot: str = "bot",
    against: str = "opponent",
) -> Drawing:
    """Return the figure of a sweep; kind : one of `KINDS`, or None to choose by the number of settings.

    labels : labels of the axes, by name.   bot, against : names in the legend of stacks.
    """
    labels = labels or {}
    kind = kind_for(result.axes, kind)
    first, *others = result.axes
    table = table_of(result)
    x_label = labels.get(first.name, first.name)
    if title is None:
        title = f"{result.game}, {result.games:,} games each"
    if kind == "stacks" and result.is_alone:
        raise SettingsError(f"{result.game} is played alone: nothing is won or lost", mend="draw lines")
    value = "mean" if result.is_alone else "score"
    if kind == "stacks":
        return stacks(table, first.name, title=title, x_label=x_label, bot=bot, against=against)
    if kind == "map":
        y = others[0].name
        y_label = labels.get(y, y)
        return heat_map(table, first.name, y, value, title=title, x_label=x_label, y_label=y_label)
    series = others[0].name if others else None
    return lines(table, first.name, series, value, title=title, x_label=x_label, log=first.log)
