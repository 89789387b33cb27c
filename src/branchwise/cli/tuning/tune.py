"""`branchwise tune`: finds the best settings for a game, or the best of a bot's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.many_games import GamesCommand
from branchwise.cli.terminal.match_options import (
    ConcurrencyOption,
    ExecutorOption,
    MoveSecondsOption,
    MoveSimulationsOption,
    OpeningsDepthOption,
    OpeningsOption,
)
from branchwise.cli.terminal.options import JsonOption, SeedOption, StoreOption, TrustOption
from branchwise.cli.tuning.sweep import (
    AgainstOption,
    BotOption,
    SeriesGameArgument,
    cell_entries,
    cell_to_dict,
    need_all,
    show_faults,
    so_far,
    strength_table,
)

if TYPE_CHECKING:
    from branchwise.arena.tuning.tune import TuneResult
    from branchwise.cli.terminal.screen import Screen

DEFAULT_GAMES = 1000
GAMES_FOR_GAME, CANDIDATES = 900, 16
"""Defaults of `Tuning`, which is imported only when it runs."""


def tune(
    game: SeriesGameArgument = "",
    bot: BotOption = None,
    vary: Annotated[
        list[str] | None,
        option(
            "--vary NAME=VALUES",
            "Values of a setting, or of a name of --bot: c=0.25:2:8, n=100,1000. May be repeated.",
        ),
    ] = None,
    against: AgainstOption = None,
    games: Annotated[
        int | None,
        option(
            "--games -n N", f"Total number of games; default {GAMES_FOR_GAME}, with --bot {DEFAULT_GAMES:,}."
        ),
    ] = None,
    final: Annotated[
        int | None,
        option(
            "--final N",
            "Games reserved to measure the winner, an even number in a game of two; default a third, "
            "with --bot a quarter.",
        ),
    ] = None,
    candidates: Annotated[
        int | None,
        option(
            "--candidates N", f"How many settings are drawn at first; default {CANDIDATES}. Not with --bot."
        ),
    ] = None,
    simulations: MoveSimulationsOption = None,
    seconds: MoveSecondsOption = None,
    openings: OpeningsOption = None,
    openings_depth: OpeningsDepthOption = None,
    concurrency: ConcurrencyOption = None,
    executor: ExecutorOption = None,
    output: Annotated[
        str | None,
        option(
            "--output -o FILE",
            "File to write the game's settings to; default beside the game. Not with --bot.",
        ),
    ] = None,
    resume: Annotated[bool, option("--resume", "Continue one that was interrupted.")] = False,
    trust: TrustOption = False,
    seed: SeedOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the settings of MCTS that win most at a game, or the best of a bot's settings.

    Without --bot: settings are drawn from those that suit the game, or from --vary, and play against the
    defaults; the better half goes on, and so on. New games then measure the winner. If it is clearly better,
    MCTS.for_game and the bot tuned use it. --seconds gives all settings the same time for a move,
    --simulations the same number of simulations.

    With --bot: the same for the values of --vary, against --against or in a game for one player.

    \b
    Examples:
      branchwise tune my_game.py
      branchwise tune connect_four --seconds 0.01 --games 1200
      branchwise tune hex --vary c=0.1:0.8:8 --vary selection=rave,grave \\
          --simulations 500
      branchwise tune connect_four --bot "mcts(c={c},simulations=1000)" \\
          --vary c=0.2:1.6:8 --against "mcts(simulations=1000)" --games 2000
      branchwise tune sailing --bot "mcts(c={c},simulations=300)" \\
          --vary c=0.2,0.5,1,2 --games 400
      branchwise tune --resume
    """
    command = GamesCommand("tune", dict(locals()), so_far)
    from branchwise.arena.tuning.tune import Tuner

    of_game = {"candidates": candidates, "output": output}
    if resume:
        number = command.number("output")
        if _kind_in(store, number) == "tuning":
            from branchwise.cli.tuning.tune_game import resume_game

            resume_game(command, number)
            return
        _refuse(of_game)
        result = command.resume(Tuner.resume, number)
    elif bot is None and against is None and game:
        from branchwise.arena.tuning.for_game import Tuning
        from branchwise.cli.tuning.tune_game import tune_game

        _refuse({"openings": openings}, "a game is tuned from random openings")
        settings = command.settings("bot", "against", "openings", "output", "vary") | {"space": vary or None}
        counts = ("games", "candidates", "seed")
        given = {name: value for name, value in settings.items() if value is not None or name not in counts}
        tune_game(command, Tuning(**given))
        return
    else:
        need_all(game, bot, vary, against, "tune")
        _refuse(of_game)
        settings = command.settings(*of_game)
        settings["games"] = DEFAULT_GAMES if games is None else games
        result = command.begin(Tuner(**settings).run)
    command.end(result, tune_to_dict, _show)


def _kind_in(store: str | None, number: int | None) -> str | None:
    """Return which kind of tuning is to be resumed, as the store calls it; None if there is none."""
    from branchwise.arena.store.store import Store
    from branchwise.arena.tuning.series import Series

    with Store(store, create=False) as kept:
        return Series.kind_of(kept, number, ("tune", "tuning"))


def _refuse(options: dict[str, Any], why: str = "it is for tuning a game, without --bot") -> None:
    """Raise `SettingsError` for an option that is given and has no meaning here."""
    from branchwise.common.errors import SettingsError

    for name, value in options.items():
        if value is not None:
            raise SettingsError(f"--{name} cannot be used here: {why}", mend="leave it out")


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


def _show(screen: Screen, result: TuneResult) -> None:
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
    cells = [one.cell for one in result.ranking]
    show_faults(screen, cells if result.winner is None else [*cells, result.winner])
