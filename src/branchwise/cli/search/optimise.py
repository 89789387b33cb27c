"""`branchwise optimise`: searches for the best line of a single-player problem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.options import JsonOption, MovesOption, PlainOption, SeedOption, with_options
from branchwise.cli.terminal.position import asked_about

if TYPE_CHECKING:
    from branchwise.optimise.best_lines import BestLine
    from branchwise.optimise.optimiser import Optimiser
    from branchwise.optimise.result import OptimisationResult

DEFAULT_SECONDS = 10.0


def optimise(
    problem: Annotated[
        str,
        argument(
            "PROBLEM", "A problem of one player: same_game, weak_schur(parts=5), my_problem.py:MyProblem."
        ),
    ],
    moves: MovesOption = "",
    method: Annotated[
        str | None,
        option(
            "--method NAME",
            "nrpa, nested, late_acceptance, or portfolio, which tries several; default: portfolio, or nrpa "
            "with --level, --runs, --settings or --improve.",
        ),
    ] = None,
    level: Annotated[
        int | None,
        option("--level N", "Level of nrpa (default: 3) or nested (2), from 1."),
    ] = None,
    seconds: Annotated[float | None, option("--seconds S", "Seconds to search, above 0.")] = None,
    playouts: Annotated[int | None, option("--playouts N", "Playouts to search for, from 1.")] = None,
    runs: Annotated[int | None, option("--runs N", "Complete runs to search for, from 1.")] = None,
    patience: Annotated[
        float | None, option("--patience S", "End after S seconds in which nothing improved.")
    ] = None,
    start: Annotated[
        Path | None,
        option("--start FILE", "Begin from a plan: a table as of --csv, or a result as of --json."),
    ] = None,
    csv: Annotated[
        Path | None, option("--csv FILE", "Write the plan as a table, a row for each move.")
    ] = None,
    svg: Annotated[
        Path | None, option("--svg FILE", "Draw the plan: the picture of its end, or else a table.")
    ] = None,
    settings: Annotated[
        str,
        option(
            "--settings NAME=VALUE,...",
            'Other settings of the method, such as "iterations=50,alpha=0.5" or "playout=uniform".',
        ),
    ] = "",
    improve: Annotated[
        bool, option("--improve", "Improve lines by the problem's own method improve, as of tsp.")
    ] = False,
    threads: Annotated[
        int | None,
        option("--threads N", "Threads, each searching alone; from 1."),
    ] = None,
    keep: Annotated[
        bool,
        option("--keep", "Save the line if it is the best so far, and compare it with the one saved before."),
    ] = False,
    folder: Annotated[
        str | None,
        option("--folder FOLDER", "With --keep: where best lines are kept; default: in your data folder."),
    ] = None,
    seed: SeedOption = None,
    python_only: PlainOption = False,
    as_json: JsonOption = False,
) -> None:
    """Look for the best line of a problem of one player, such as a puzzle.

    The search ends at the first of the limits given, by default after ten seconds. Ctrl-C ends it too and
    shows the best line so far.

    \b
    Examples:
      branchwise optimise same_game --seconds 10
      branchwise optimise my_problem.py --patience 5 --csv plan.csv
      branchwise optimise job_shop --svg plan.svg
      branchwise optimise my_problem.py --start plan.csv
      branchwise optimise "weak_schur(parts=4)" --playouts 100000 --seed 1 --json
      branchwise optimise "tsp(cities=50)" --improve --seconds 5
      branchwise optimise my_problem.py --method nested --level 2 --keep
    """
    from branchwise.cli.terminal.output_file import check_place
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.common.errors import SettingsError
    from branchwise.games import load_game
    from branchwise.optimise.best_lines import BestLines
    from branchwise.optimise.plan_files import plan_rows, read_plan, write_plan

    if folder is not None and not keep:
        raise SettingsError("--folder needs --keep", mend="add --keep")
    plans = {name: file for name, file in (("csv", csv), ("svg", svg)) if file is not None}
    for name, file in plans.items():
        check_place(file)
        if (file.suffix.lower() == ".svg") != (name == "svg"):
            raise SettingsError(f"--{name} {file} is not the name of such a file", mend=f"end it in .{name}")
    asked = asked_about(load_game(problem), moves, seed)
    state = asked.state
    by_hand = improve or settings or level is not None or runs is not None
    planner = _planner(
        method or ("nrpa" if by_hand else "portfolio"),
        settings,
        level=level,
        improve=improve or None,
        threads=threads,
        seed=seed,
        compiled=False if python_only else None,
    )
    if seconds is None and playouts is None and runs is None and patience is None:
        seconds = DEFAULT_SECONDS
    kept = BestLines(folder) if keep else None
    known = None if kept is None else kept.best(state)
    screen = Screen()
    with screen.working(f"{planner.method} is searching, Ctrl-C: enough") as tell:
        result = planner.search(
            state,
            seconds=seconds,
            playouts=playouts,
            runs=runs,
            patience=patience,
            start=() if start is None else read_plan(start),
            progress=lambda found: tell(
                f"{found.method}: {found.playouts:,} playouts, score {found.best_score:g}, Ctrl-C: enough"
            ),
        )
    is_best = kept is not None and kept.offer(result)
    if as_json:
        told = {**result.to_dict(), "plan": plan_rows(result), **asked.to_dict()}
        if kept is not None:
            told |= {"best_before": None if known is None else known.score, "kept": is_best}
        show_json(told)
    else:
        asked.show_drawn(screen)
        screen.show_board(result.end)
        screen.show("", str(result))
        if kept is not None:
            screen.show(_comparison(result, known, is_best))
    for file in plans.values():
        write_plan(file, result)
    if result.ended_by == "interrupted":
        raise typer.Exit(130)


def _planner(method: str, text: str, **others: object) -> Optimiser:
    """Return the planner of a name, with the settings in `text` and those of `others` that are not None."""
    import inspect

    from branchwise.common.errors import nearest_name
    from branchwise.common.name_and_options import parse_spec
    from branchwise.optimise.late_acceptance import LateAcceptance
    from branchwise.optimise.nested import NestedSearch
    from branchwise.optimise.nrpa import NRPA
    from branchwise.optimise.portfolio import Portfolio

    planners = NestedSearch, NRPA, LateAcceptance, Portfolio
    names = "nested", "nrpa", "late_acceptance", "portfolio"
    methods: dict[str, type[Optimiser]] = dict(zip(names, planners, strict=True))
    if method not in methods:
        raise nearest_name("method", method, methods)
    known = [name for name in inspect.signature(methods[method].__init__).parameters if name != "self"]
    given = parse_spec(f"settings({text})")[1]
    return methods[method](**with_options(given, known, f"setting of {method}", others))


def _comparison(result: OptimisationResult, known: BestLine | None, is_best: bool) -> str:
    if known is None:
        return "kept: the first line of this problem"
    if is_best:
        return f"kept: better than the best line so far, {known.score:g}"
    return f"not kept: the best line so far has the score {known.score:g}"
