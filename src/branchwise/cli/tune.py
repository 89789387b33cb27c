"""`branchwise tune`: finds the best settings of a bot."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwise.cli.match_options import (
    ConcurrencyOption,
    MoveSecondsOption,
    MoveSimulationsOption,
    OpeningsDepthOption,
    OpeningsOption,
)
from branchwise.cli.options import JsonOption, SeedOption, StoreOption, TrustOption
from branchwise.cli.playing import keep_and_tell, number_to_resume, with_consent
from branchwise.cli.sweep import (
    AgainstOption,
    BotOption,
    SeriesGameArgument,
    VaryOption,
    cell_entries,
    cell_to_dict,
    need_all,
    show_end,
    so_far,
    strength_table,
)

if TYPE_CHECKING:
    from branchwise.arena.tuning.tune import TuneResult

DEFAULT_GAMES = 1000


def tune(
    game: SeriesGameArgument = "",
    bot: BotOption = None,
    vary: VaryOption = None,
    against: AgainstOption = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-n",
            metavar="N",
            help=f"Total number of games; default {DEFAULT_GAMES:,}.",
            show_default=False,
        ),
    ] = None,
    final: Annotated[
        int | None,
        typer.Option(
            "--final",
            metavar="N",
            help="Games reserved to measure the winner, an even number in a game of two; default a quarter.",
            show_default=False,
        ),
    ] = None,
    simulations: MoveSimulationsOption = None,
    seconds: MoveSecondsOption = None,
    openings: OpeningsOption = None,
    openings_depth: OpeningsDepthOption = None,
    concurrency: ConcurrencyOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue one that was interrupted.")] = False,
    trust: TrustOption = False,
    seed: SeedOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the best of a bot's settings against an opponent, or in a game for one player.

    Each round keeps the better half of the settings, which play twice as many games in the next, until one
    is left. The games that chose the winner overrate it, so it is measured again with reserved games.

    \b
    Examples:
      branchwise tune connect_four --bot "mcts(c={c},simulations=1000)" --vary c=0.2:1.6:8
          --against "mcts(simulations=1000)" --games 2000
      branchwise tune tic_tac_toe --bot "flat(simulations={n})" --vary n=5,50,500 --against random -n 200
      branchwise tune sailing --bot "mcts(c={c},simulations=300)" --vary c=0.2,0.5,1,2 --games 400
      branchwise tune --resume
    """
    from branchwise.arena.tuning.tune import Tuner
    from branchwise.cli.screen import Screen, show_json

    screen = Screen(quiet=as_json)
    settings: dict[str, Any] = {
        "bot": bot,
        "vary": vary or None,
        "against": against,
        "games": games,
        "final": final,
        "simulations": simulations,
        "seconds": seconds,
        "openings": openings,
        "openings_depth": openings_depth,
        "seed": seed,
    }
    if resume:
        number = number_to_resume("tune", game, settings)
        run = partial(Tuner.resume, id=number, concurrency=concurrency)
        result = with_consent(
            lambda trust: keep_and_tell(partial(run, trust=trust), screen, store, so_far, create=False), trust
        )
    else:
        need_all(game, bot, vary, against, "tune")
        settings["games"] = DEFAULT_GAMES if games is None else games
        to_play = Tuner(game, concurrency=concurrency, **settings)
        result = keep_and_tell(to_play.run, screen, store, so_far, create=True)
    if as_json:
        show_json(tune_to_dict(result))
    _show(screen, result)
    cells = [one.cell for one in result.ranking]
    show_end(screen, "tune", result, cells if result.winner is None else [*cells, result.winner], [], store)


def tune_to_dict(result: TuneResult) -> dict[str, Any]:
    """Return a tuner's result as values for JSON."""
    return {
        "tune": result.id,
        "game": result.game,
        "games": result.games,
        "ended_by": result.ended_by,
        "vary": {one.name: list(one.values) for one in result.axes},
        "winner": None if result.winner is None else cell_to_dict(result.winner, result.axes),
        "ranking": [{"rounds": one.rounds, **cell_to_dict(one.cell, result.axes)} for one in result.ranking],
    }


def _show(screen: Any, result: TuneResult) -> None:
    alone = result.ranking[0].cell.is_alone
    table = strength_table(result.axes, alone)
    for one in result.ranking:
        table.add_row(*cell_entries(one.cell))
    screen.show(f"tune {result.id}: {result.game}", "", table)
    screen.show("These games chose between the settings, so the top looks better than it is.", "")
    if result.winner is not None:
        table = strength_table(result.axes, alone)
        table.add_row(*cell_entries(result.winner))
        screen.show(f"The winner, {result.winner.bot}, in new games:", "", table)
