"""Stacks of wins, draws and losses over growing budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from branchwise.figures.figure_table import Table
from branchwise.figures.style import SIZE, Drawing, Theme, value_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEEDED = ("games", "wins", "draws", "losses", "score", "low", "high")


def stacks(
    table: Table, x: str, *, title: str, x_label: str, bot: str = "bot", against: str = "opponent"
) -> Drawing:
    """Return a stack of wins, draws and losses for each row of a table, with wins at the bottom.

    x : the column with the names of the stacks.   bot, against : the players' names in the legend. A dot
    shows the score in points per game, with its 95 % interval. The table has the columns `NEEDED`; rows
    without games stay empty.
    """

    def draw(figure: Figure, table: Table, theme: Theme) -> None:
        from matplotlib.patheffects import withStroke

        axes = figure.add_subplot()
        positions = list(range(len(table.rows)))
        games = table.numbers("games")
        below = [0.0] * len(positions)
        kinds = (
            ("wins", theme.win, f"{bot} wins"),
            ("draws", theme.draw, "draw"),
            ("losses", theme.loss, f"{against} wins"),
        )
        for name, colour, label in kinds:
            shares = [100 * n / g if g else 0.0 for n, g in zip(table.numbers(name), games, strict=True)]
            axes.bar(positions, shares, 0.82, below, color=colour, label=label)
            below = [low + share for low, share in zip(below, shares, strict=True)]
        score = [100 * value for value in table.numbers("score")]
        ends = [
            [100 * value - mean for value, mean in zip(table.numbers("low"), score, strict=True)],
            [100 * value - mean for value, mean in zip(table.numbers("high"), score, strict=True)],
        ]
        bars = axes.errorbar(
            positions,
            score,
            yerr=[[-end for end in ends[0]], ends[1]],
            fmt="o",
            color="#000000",
            markeredgecolor="#ffffff",
            markeredgewidth=0.8,
            markersize=5,
            capsize=3,
            elinewidth=1.4,
            label=f"score of {bot}, 95 %",
            clip_on=False,
        )
        halo = [withStroke(linewidth=3, foreground="#ffffff")]
        for part in bars[2]:
            part.set_path_effects(halo)
        bars[0].set_zorder(4)
        axes.set_xticks(positions, [str(entry) for entry in table.column(x)])
        axes.set_xlim(-0.6, len(positions) - 0.4)
        axes.set_xlabel(x_label)
        axes.set_title(title)
        value_axis(axes, "share of games")
        _legend(figure)

    return Drawing(table, draw, SIZE)


def _legend(figure: Figure) -> None:
    handles, labels = figure.axes[0].get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda at: labels[at].startswith("score"))
    figure.legend(
        [handles[at] for at in order],
        [labels[at] for at in order],
        loc="outside lower center",
        ncols=4,
        handlelength=1.2,
        columnspacing=1.4,
    )
