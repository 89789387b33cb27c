"""`branchwise figure`: measures and draws the figures that come with Branchwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.many_games import GamesCommand
from branchwise.cli.terminal.match_options import ConcurrencyOption
from branchwise.cli.terminal.options import JsonOption, SeedOption, StoreOption
from branchwise.cli.tuning.sweep import VaryOption, end_sweep, so_far

if TYPE_CHECKING:
    from branchwise.figures.figure_list import ComputedFigure, MeasuredFigure


def figure(
    name: Annotated[
        str,
        argument("[NAME]", "A figure; by default all are listed."),
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
    seed: SeedOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure and draw one of the figures that explain MCTS, with error bars.

    Its games are kept as a sweep; `branchwise sweep --resume` continues it after an interruption.

    \b
    Examples:
      branchwise figure
      branchwise figure exploration-10
      branchwise figure mcts-against-random --output figures
      branchwise figure mcts-against-mcts-512 \\
          --game "mnk(rows=5,columns=5,in_a_row=4)" --games 20
    """
    command = GamesCommand("sweep", dict(locals()), so_far)
    from branchwise.cli.terminal.screen import show_json
    from branchwise.common.errors import SettingsError
    from branchwise.figures.figure_list import FIGURES, ComputedFigure, find_figure
    from branchwise.figures.style import need_matplotlib, write

    screen = command.screen
    if not name:
        if as_json:
            show_json([{"figure": known, "about": one.about} for known, one in FIGURES.items()])
        screen.show(_list(FIGURES))
        return
    chosen = find_figure(name)
    target = Path(output).expanduser() / name
    if target.parent.exists() and not target.parent.is_dir():
        raise SettingsError(f"{output} is not a folder", mend="name a folder, or leave --output out")
    need_matplotlib()
    if isinstance(chosen, ComputedFigure):
        given = {"--game": game, "--vary": vary, "--games": games}
        for option, value in given.items():
            if value is not None:
                raise SettingsError(f"{name} is computed without games, so it takes no {option}")
        written = [str(file) for file in write(chosen.drawing(), target)]
        if as_json:
            show_json({"figure": name, "files": written})
        screen.show("written: " + ", ".join(written))
        return
    settings = command.settings("name", "output") | {"vary": tuple(vary or ())}
    result = command.begin(chosen.sweep(**settings).run)
    written = [str(file) for file in write(chosen.drawing(result), target)]
    end_sweep(command, result, written, figure=name)


def _list(known: dict[str, MeasuredFigure | ComputedFigure]) -> Any:
    from branchwise.drawing.table import Table

    table = Table(show_header=False)
    table.add_column()
    table.add_column(overflow="fold")
    for name, one in known.items():
        table.add_row(name, one.about)
    return table
