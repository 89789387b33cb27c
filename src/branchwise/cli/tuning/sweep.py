"""`branchwise sweep`: how a bot's strength depends on its settings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.many_games import GamesCommand
from branchwise.cli.terminal.match_options import (
    ConcurrencyOption,
    ExecutorOption,
    MoveSecondsOption,
    MoveSimulationsOption,
    OpeningsDepthOption,
    OpeningsOption,
    duration,
)
from branchwise.cli.terminal.options import JsonOption, SeedOption, StoreOption, TrustOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from branchwise.arena.statistics.score import Score
    from branchwise.arena.tuning.setting_grid import Axis
    from branchwise.arena.tuning.sweep import Cell, SweepProgress, SweepResult
    from branchwise.cli.terminal.screen import Screen
    from branchwise.drawing.table import Table

DEFAULT_GAMES = 100

SeriesGameArgument = Annotated[
    str,
    argument("GAME", "A game, as for play; with --resume the number to resume, by default the latest."),
]
BotOption = Annotated[
    str | None,
    option("--bot BOT", "A bot with names in braces: mcts(c={c}).", shown=False),
]
VaryOption = Annotated[
    list[str] | None,
    option(
        "--vary NAME=VALUES",
        "Values of a name: c=0.25:2:8, n=100:10000:5:log, or a list n=100,1000. May be repeated.",
        shown=False,
    ),
]
AgainstOption = Annotated[
    str | None,
    option("--against BOT", "The opponent, in a game of two.", shown=False),
]


def sweep(
    game: SeriesGameArgument = "",
    bot: BotOption = None,
    vary: VaryOption = None,
    against: AgainstOption = None,
    games: Annotated[
        int | None,
        option("--games -n N", f"Games for each combination, an even number; default {DEFAULT_GAMES}."),
    ] = None,
    output: Annotated[
        str | None,
        option(
            "--output -o NAME", "Draw it: NAME.svg, NAME.png, their dark versions, and the table NAME.csv."
        ),
    ] = None,
    draw: Annotated[
        str | None,
        option("--draw KIND", "lines, map (of two settings) or stacks of wins, draws and losses (of one)."),
    ] = None,
    simulations: MoveSimulationsOption = None,
    seconds: MoveSecondsOption = None,
    openings: OpeningsOption = None,
    openings_depth: OpeningsDepthOption = None,
    concurrency: ConcurrencyOption = None,
    executor: ExecutorOption = None,
    resume: Annotated[bool, option("--resume", "Continue a sweep, or draw a complete one.")] = False,
    trust: TrustOption = False,
    seed: SeedOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a bot with varying settings, one match for each combination.

    A game for one player has no opponent: its table has mean returns. All matches have the same openings and
    are kept. Ctrl-C ends the sweep, and --resume continues it without
    repeating games. Figures are drawn by matplotlib.

    \b
    Examples:
      branchwise sweep connect_four --bot "mcts(c={c},simulations={n})" \\
          --vary c=0.25:2:8 --vary n=100,1000,10000 \\
          --against "mcts(simulations=512)" --output exploration
      branchwise sweep tic_tac_toe --bot "flat(simulations={n})" \\
          --vary n=10:1000:5:log --against random
      branchwise sweep frozen_lake --bot "mcts(simulations={n})" \\
          --vary n=10:1000:5:log --games 200
      branchwise sweep --resume 2 --draw lines --output lines.svg
    """
    command = GamesCommand("sweep", dict(locals()), so_far)
    from branchwise.arena.tuning.sweep import Sweep
    from branchwise.common.errors import SettingsError

    if draw is not None and output is None:
        raise SettingsError("the figure needs a file", mend=f"--draw {draw} --output NAME")
    if resume:
        number = command.number("draw", "output")
        if output is not None:
            check_output((), draw, output)
        result = command.resume(Sweep.resume, number)
    else:
        need_all(game, bot, vary, against, "sweep")
        settings = command.settings("draw", "output")
        settings["games"] = DEFAULT_GAMES if games is None else games
        to_play = Sweep(**settings)
        if output is not None:
            check_output(to_play.axes, draw, output)
        result = command.begin(to_play.run)
    written = [] if output is None else draw_sweep(result, draw, output)
    end_sweep(command, result, written)


def end_sweep(command: GamesCommand, result: SweepResult, written: list[str], **more: str) -> None:
    """Show a sweep, as JSON if asked to, with `more` in front; written : files of its figure."""

    def show(screen: Screen, result: SweepResult) -> None:
        screen.show(f"sweep {result.id}: {result.game}, {result.games:,} games each", "", sweep_table(result))
        show_faults(screen, result.cells)
        if written:
            screen.show("", "written: " + ", ".join(written))

    command.end(result, lambda result: {**more, **sweep_to_dict(result), "files": written}, show)


def need_all(game: str, bot: str | None, vary: list[str] | None, against: str | None, command: str) -> None:
    """Raise `SettingsError` unless all settings of the games are given."""
    from branchwise.common.errors import SettingsError
    from branchwise.games import load_game

    alone = bool(game) and load_game(game).num_players == 1
    for what, given in (("GAME", game), ("--bot", bot), ("--vary", vary), ("--against", against or alone)):
        if not given:
            raise SettingsError(
                f"{what} is missing",
                mend=f'branchwise {command} connect_four --bot "mcts(c={{c}},simulations=1000)" '
                '--vary c=0.5,1,2 --against "mcts(simulations=1000)"',
            )


def check_output(axes: Sequence[Axis], kind: str | None, output: str) -> None:
    """Check the figure's options before the games are played, and raise `SettingsError` for a fault."""
    from branchwise.figures.style import need_matplotlib, stem_and_forms
    from branchwise.figures.sweeps import kind_for

    if axes:  # a resumed sweep's axes are known only later
        kind_for(tuple(axes), kind)
    stem_and_forms(output)
    need_matplotlib()


def draw_sweep(result: SweepResult, kind: str | None, output: str) -> list[str]:
    """Write the figure of a sweep; return the files."""
    from branchwise.figures.style import write
    from branchwise.figures.sweeps import drawing_of

    return [str(file) for file in write(drawing_of(result, kind), output)]


def so_far(state: SweepProgress) -> str:
    """Return the progress of a series of matches in one line."""
    standing = state.standing
    told = f"match {state.done + 1} of {state.cells}, {state.cell.bot}: "
    told += f"{standing.played:,} of {standing.games:,} games"
    if standing.remaining is not None:
        told += f", this match {duration(standing.remaining)} left"
    return told


def sweep_table(result: SweepResult) -> Table:
    """Return the table of a sweep: settings, tallies, score and Elo or mean return, with 95 % intervals."""
    table = strength_table(result.axes, result.is_alone)
    for cell in result.cells:
        table.add_row(*cell_entries(cell))
    return table


def strength_table(axes: Sequence[Axis], alone: bool = False) -> Table:
    """Return an empty table for cells; alone : of bots that play alone."""
    from branchwise.drawing.table import Table

    table = Table()
    for one in axes:
        table.add_column(one.name, justify="right" if one.numeric else "left")
    against = ("games", "won", "drawn", "lost", "score", "95 %", "Elo", "95 %")
    table.add_numbers(*(("games", "mean return", "95 %", "best") if alone else against))
    return table


def cell_entries(cell: Cell) -> list[str]:
    """Return the row of a cell."""
    from branchwise.arena.tuning.setting_grid import value_text

    values = [value_text(value) for value in cell.values]
    if not cell.games:
        return [*values, "0"]
    if cell.is_alone:
        mean = cell.returns.known
        if mean is None:
            return [*values, f"{cell.games:,}", "failed"]
        return [*values, f"{cell.games:,}", mean.shown, mean.interval, f"{cell.returns.best:g}"]
    score = cell.score
    counts = (score.games, score.wins, score.draws, score.losses)
    return [*values, *(f"{count:,}" for count in counts), *strength_words(score)]


def strength_words(score: Score) -> list[str]:
    """Return a score with games as texts: its mean, the interval, the difference in Elo and its interval."""
    from branchwise.arena.statistics.elo import elo_difference

    low, high = score.interval()
    told = [f"{score.mean:.1%}", f"{100 * low:.1f} to {100 * high:.1f}"]
    elo = elo_difference(score)
    if math.isinf(elo.value):
        return [*told, "", str(elo)]
    return [*told, f"{elo.value:+.0f}", f"{elo.low:+.0f} to {elo.high:+.0f}"]


def show_faults(screen: Screen, cells: Sequence[Cell]) -> None:
    """Show in which matches games were lost by faults, if any were."""
    faults = sum(cell.faults for cell in cells)
    if faults:
        numbers = ", ".join(str(cell.match) for cell in cells if cell.faults and cell.match)
        where = f"; branchwise results lists those of match {numbers}" if numbers else ""
        screen.show(f"{faults:,} games were lost by faults{where}")


def sweep_to_dict(result: SweepResult) -> dict[str, Any]:
    """Return a sweep as values for JSON."""
    return {
        "sweep": result.id,
        "game": result.game,
        "games": result.games,
        "ended_by": result.ended_by,
        "vary": {one.name: list(one.values) for one in result.axes},
        "cells": [cell_to_dict(cell, result.axes) for cell in result.cells],
    }


def cell_to_dict(cell: Cell, axes: Sequence[Axis]) -> dict[str, Any]:
    """Return a cell as values for JSON; infinite values are null."""
    from branchwise.arena.tuning.sweep import row

    values = {one.name: value for one, value in zip(axes, cell.values, strict=True)}
    entries = {
        name: None if isinstance(value, float) and math.isinf(value) else value
        for name, value in row(cell).items()
    }
    return {"values": values, **entries}
