"""The command line: its commands, and how errors are shown.

A command's module is light. It imports what it needs when it runs, so that help appears at once.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from branchwise import __version__
from branchwise.cli.matches.compare import compare
from branchwise.cli.matches.figure import figure
from branchwise.cli.matches.match import match
from branchwise.cli.matches.replay import replay
from branchwise.cli.matches.results import results
from branchwise.cli.matches.review import review
from branchwise.cli.matches.run import run
from branchwise.cli.matches.tournament import tournament
from branchwise.cli.play.play import play
from branchwise.cli.search.optimise import optimise
from branchwise.cli.search.perft import perft
from branchwise.cli.search.search import search
from branchwise.cli.search.solve import solve
from branchwise.cli.search.tree import tree
from branchwise.cli.search.walkthrough import walkthrough
from branchwise.cli.serve.engines import gtp, uci, ugi
from branchwise.cli.serve.serve import serve
from branchwise.cli.tools.bench import bench
from branchwise.cli.tools.check import check
from branchwise.cli.tools.doctor import doctor
from branchwise.cli.tools.games import games
from branchwise.cli.tuning.calibrate import calibrate
from branchwise.cli.tuning.levels import levels
from branchwise.cli.tuning.sweep import sweep
from branchwise.cli.tuning.train import train
from branchwise.cli.tuning.tune import tune
from branchwise.common.errors import BranchwiseError

BAD_INPUT = 2
INTERRUPTED = 130


class _Commands(TyperGroup):
    """Prints the text of Branchwise's own errors, and exits quietly on Ctrl-C."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        # As typer options, these two would make its newest releases load their parser, which takes 0.1 s.
        if args[:1] == ["--version"]:
            typer.echo(f"branchwise {__version__}")
            raise typer.Exit
        if args[:1] in (["--help"], ["-h"]):
            typer.echo(ctx.get_help())
            raise typer.Exit
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BranchwiseError as error:
            from branchwise.cli.terminal.screen import Screen, show_error

            show_error(error, Screen().err)
            raise typer.Exit(BAD_INPUT) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            from branchwise.bots.base.bot import Bot
            from branchwise.cli.terminal.screen import Screen, show_error
            from branchwise.game.rules_class import Game
            from branchwise.rules.checking.faults import error_of_users

            told = error_of_users(error, (Game, Bot))
            if told is None:
                raise
            show_error(told, Screen().err)
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt as interrupt:
            typer.echo("", err=True)
            if str(interrupt):
                typer.echo(str(interrupt), err=True)
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=_Commands,
    name="branchwise",
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    add_help_option=False,
    options_metavar="",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def branchwise() -> None:
    """Monte Carlo Tree Search: rules in Python, search at C speed.

    \b
    Examples:
      branchwise play connect_four
      branchwise search connect_four --moves "d d" --seconds 1
      branchwise match connect_four "mcts(simulations=1000)" \\
          "flat(simulations=1000)"
      branchwise check my_game.py

    Help for a command: branchwise COMMAND --help. The version: branchwise --version.
    """


for command in (
    play,
    search,
    solve,
    optimise,
    compare,
    tree,
    walkthrough,
    match,
    run,
    tournament,
    results,
    replay,
    review,
    sweep,
    tune,
    train,
    figure,
    levels,
    calibrate,
    games,
    check,
    perft,
    bench,
    ugi,
    gtp,
    uci,
    serve,
    doctor,
):
    about = str(command.__doc__).partition("\n")[0]  # the list of commands shows it whole
    app.command(options_metavar="[OPTIONS]", short_help=about)(command)


def main() -> None:
    """Run the command line."""
    try:
        app(prog_name="branchwise")
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _leave_compiling(INTERRUPTED)
        raise


def _leave_compiling(code: int) -> None:
    """End the process at once if a compile was interrupted; an orderly exit would have to wait for it."""
    job = sys.modules.get("branchwise.compile.code.compile_thread")  # not loaded before anything is compiled
    if job is not None and job.interrupted.is_set():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
