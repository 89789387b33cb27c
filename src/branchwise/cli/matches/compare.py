"""`branchwise compare`: one problem solved by several methods."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.match_options import ExecutorOption
from branchwise.cli.terminal.options import JsonOption, MovesOption, SeedOption
from branchwise.cli.terminal.position import asked_about

if TYPE_CHECKING:
    from branchwise.compare.comparison import ComparisonResult, MethodSummary

DEFAULT_SECONDS = 5.0
DEFAULT_METHODS = "mcts,nrpa,nested,bfs,dfs"


def compare(
    problem: Annotated[
        str,
        argument(
            "PROBLEM", "A problem of one player without chance: sliding_puzzle, my_problem.py:MyProblem."
        ),
    ],
    moves: MovesOption = "",
    methods: Annotated[
        str,
        option(
            "--methods NAMES",
            "Of mcts, nrpa, nested, late_acceptance, portfolio, bfs, dfs, astar, annealing, genetic; with "
            "settings: mcts(c=1.4).",
        ),
    ] = DEFAULT_METHODS,
    seconds: Annotated[float | None, option("--seconds S", "Seconds for each run, above 0.")] = None,
    steps: Annotated[
        int | None,
        option("--steps N", "Simulations, playouts, lines or states for each run, from 1."),
    ] = None,
    seeds: Annotated[int, option("--seeds N", "Runs of each method that draws random numbers.")] = 5,
    executor: ExecutorOption = None,
    seed: SeedOption = None,
    figure: Annotated[
        str | None,
        option(
            "--figure FILE",
            "Draw it: NAME.svg or NAME.png, or NAME for both, dark versions, and the table NAME.csv.",
        ),
    ] = None,
    own_steps: Annotated[
        bool,
        option("--own-steps", "In the figure: each method's own steps, not the states entered."),
    ] = False,
    csv: Annotated[
        str | None,
        option("--csv FILE", "Write the curves as a table."),
    ] = None,
    python_only: Annotated[
        bool, option("--python", "Run all methods in plain Python; compile nothing; slow.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Solve a problem of one player by several methods, and show the best score of each.

    Each run ends at the first of the limits given, by default after five seconds. Annealing and genetic
    search need pip install "branchwise[compare]". The start is drawn from the seed, too. Ctrl-C ends the
    comparison and shows what is complete.

    \b
    Examples:
      branchwise compare sliding_puzzle \\
          --methods mcts,bfs,dfs,astar,annealing,genetic --seed 1
      branchwise compare same_game \\
          --methods "mcts,nrpa(level=3),nested(level=2)" --seconds 20 \\
          --figure same
      branchwise compare "left_move(moves=20)" --steps 5000 --seeds 3 --json
    """
    from branchwise.arena.cluster.choice import on_executor
    from branchwise.cli.terminal.output_file import write as write_text
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.compare.comparison import COLUMNS
    from branchwise.compare.comparison import compare as run_all
    from branchwise.compare.methods import split_methods
    from branchwise.figures.comparison import curves
    from branchwise.figures.figure_table import Table
    from branchwise.figures.style import need_matplotlib, stem_and_forms, write
    from branchwise.games import load_game

    screen = Screen(quiet=as_json)
    if figure is not None:
        stem_and_forms(figure)
        need_matplotlib()
    csv_file = None if csv is None else _csv_path(csv)
    start = 0 if seed is None else seed
    asked = asked_about(load_game(problem), moves, start)
    state = asked.state
    if seconds is None and steps is None:
        seconds = DEFAULT_SECONDS
    with screen.working("comparing, Ctrl-C: enough") as tell, on_executor(executor):
        result = run_all(
            state,
            split_methods(methods),
            seconds=seconds,
            steps=steps,
            seeds=seeds,
            seed=start,
            compiled=False if python_only else None,
            progress=lambda text, number, of: tell(f"{text}, run {number} of {of}, Ctrl-C: enough"),
        )
    table = Table.of(result.rows(), COLUMNS)
    written = []
    if csv_file is not None:
        write_text(csv_file, table.to_csv())
        written.append(str(csv_file))
    if figure is not None and table.rows:
        title = f"{result.facts.name}, {_plural(len(result.seeds), 'seed')}"
        written += [str(file) for file in write(curves(table, title=title, own_steps=own_steps), figure)]
    if as_json:
        show_json({**result.to_dict(), **asked.to_dict(), "files": written})
    asked.show_drawn(screen)
    screen.show_board(state)
    screen.show("")
    screen.show(_table(result))
    if written:
        screen.show("", "written: " + ", ".join(written))
    if not result.is_complete:
        raise typer.Exit(130)


def _table(result: ComparisonResult) -> Any:
    from branchwise.drawing.table import Table

    table = Table()
    table.add_texts("method")
    table.add_numbers("runs", "best", "mean", "95 %", "found after", "states", "in all", "states")
    table.add_texts("ended by")
    for one in sorted(result.methods, key=_merit):
        table.add_row(*_entries(one))
    return table


def _merit(one: MethodSummary) -> tuple[bool, float, float]:
    """Sort by the mean best score, the quicker first; methods that failed in a run come last."""
    mean = one.mean
    return mean is None, 0.0 if mean is None else -mean.mean, one.seconds_to_best or 0.0


def _entries(one: MethodSummary) -> list[str]:
    mean, best, seconds, entered = one.mean, one.best, one.seconds_to_best, one.entered_to_best
    ended = ", ".join(one.ended_by)
    return [
        one.method,
        f"{len(one.scores)} of {len(one.runs)}" if mean is None else str(len(one.runs)),
        "no line" if best is None else f"{best:g}",
        "" if mean is None else mean.shown,
        "" if mean is None else mean.interval,
        "" if seconds is None else f"{seconds:.3f} s",
        "" if entered is None else f"{entered:,.0f}",
        f"{one.steps:,.0f} {one.counts}",
        f"{one.entered:,.0f}",
        f"{ended}; optimal" if one.is_optimal else ended,
    ]


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _csv_path(file: str) -> Path:
    from branchwise.common.errors import SettingsError

    path = Path(file).expanduser()
    if path.is_dir() or not path.parent.is_dir():
        raise SettingsError(f"cannot write {file}", mend="name a file in a folder that exists")
    return path
