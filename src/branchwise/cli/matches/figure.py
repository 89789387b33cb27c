"""`branchwise figure`: the figures that come with Branchwise, measured and drawn, and those of trainings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.many_games import GamesCommand
from branchwise.cli.terminal.match_options import ConcurrencyOption, ExecutorOption
from branchwise.cli.terminal.options import JsonOption, SeedOption, StoreOption
from branchwise.cli.tuning.sweep import VaryOption, end_sweep, so_far

if TYPE_CHECKING:
    from branchwise.figures.figure_list import ComputedFigure, MeasuredFigure
    from branchwise.figures.style import Drawing


def figure(
    name: Annotated[
        str,
        argument("[NAME]", "A figure, or the .bwnet of a training; by default all figures are listed."),
    ] = "",
    output: Annotated[
        str,
        option(
            "--output -o FOLDER",
            "Folder for NAME.svg, NAME.png, their dark versions, and NAME.csv; default: here.",
        ),
    ] = ".",
    game: Annotated[str | None, option("--game GAME", "Another game.")] = None,
    vary: VaryOption = None,
    games: Annotated[
        int | None,
        option("--games -n N", "Games for each point, an even number."),
    ] = None,
    concurrency: ConcurrencyOption = None,
    executor: ExecutorOption = None,
    seed: SeedOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure and draw one of the figures that explain MCTS, with error bars, or the curve of a training.

    Its games are kept as a sweep; `branchwise sweep --resume` continues it after an interruption.

    \b
    Examples:
      branchwise figure
      branchwise figure exploration-10
      branchwise figure connect_four.bwnet
      branchwise figure mcts-against-random --output figures
      branchwise figure mcts-against-mcts-512 \\
          --game "mnk(rows=5,columns=5,in_a_row=4)" --games 20
    """
    command = GamesCommand("sweep", dict(locals()), so_far)
    from branchwise.cli.terminal.screen import show_json
    from branchwise.common.errors import SettingsError
    from branchwise.figures.figure_list import FIGURES, ComputedFigure, MeasuredFigure, find_figure
    from branchwise.figures.style import need_matplotlib, write
    from branchwise.networks.network_file import SUFFIX

    screen = command.screen
    if not name:
        if as_json:
            show_json([{"figure": known, "about": one.about} for known, one in FIGURES.items()])
        screen.show(_list(FIGURES))
        return
    is_training = name.endswith(SUFFIX)
    chosen = _curve(name) if is_training else find_figure(name)
    target = Path(output).expanduser() / (Path(name).stem.replace(".", "-") if is_training else name)
    if target.parent.exists() and not target.parent.is_dir():
        raise SettingsError(f"{output} is not a folder", mend="name a folder, or leave --output out")
    need_matplotlib()
    if not isinstance(chosen, MeasuredFigure):
        given = {"--game": game, "--vary": vary, "--games": games}
        for option, value in given.items():
            if value is not None:
                raise SettingsError(f"{name} is computed without games, so it takes no {option}")
        drawing = chosen.drawing() if isinstance(chosen, ComputedFigure) else chosen
        written = [str(file) for file in write(drawing, target)]
        if as_json:
            show_json({"figure": name, "files": written})
        screen.show("written: " + ", ".join(written))
        return
    settings = command.settings("name", "output") | {"vary": tuple(vary or ())}
    result = command.begin(chosen.sweep(**settings).run)
    written = [str(file) for file in write(chosen.drawing(result), target)]
    end_sweep(command, result, written, figure=name)


def _curve(file: str) -> Drawing:
    """Return the figure of the training that writes, or has written, a network."""
    from branchwise.common.errors import SettingsError
    from branchwise.figures.figure_table import Table
    from branchwise.figures.training import COLUMNS, training
    from branchwise.learning.curve import read_curve

    curve = read_curve(file)
    if not curve.points:
        raise SettingsError(f"{file} has no curve yet", mend="train for longer, and draw it again")
    rows = []
    for point in curve.points:
        lead = point.playouts
        strength = (None,) * 3 if lead is None else (lead.value, lead.low, lead.high)
        rows.append({**vars(point), **dict(zip(("lead", "low", "high"), strength, strict=True))})
    last = curve.points[-1]
    so_far = "" if curve.is_complete else f", {last.share:.0%} over"
    return training(Table.of(rows, COLUMNS), title=f"{curve.game}: {last.games:,} games{so_far}")


def _list(known: dict[str, MeasuredFigure | ComputedFigure]) -> Any:
    from branchwise.drawing.table import Table

    table = Table(show_header=False)
    table.add_column()
    table.add_column(overflow="fold")
    for name, one in known.items():
        table.add_row(name, one.about)
    return table
