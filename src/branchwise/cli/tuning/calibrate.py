"""`branchwise calibrate`: measuring the levels of difficulty of a game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.many_games import GETTING_READY, engine_words, place_to_write, store_words
from branchwise.cli.terminal.match_options import ConcurrencyOption, ExecutorOption, duration
from branchwise.cli.terminal.options import GameArgument, JsonOption, StoreOption

if TYPE_CHECKING:
    from branchwise.arena.match_result import Standing
    from branchwise.bots.strength.levels_file import Ladder
    from branchwise.game.rules_class import Game


def calibrate(
    game: GameArgument,
    most: Annotated[int, option("--most N", "Simulations per move of level 10, from 32.")] = 10_000,
    games: Annotated[int, option("--games -n N", "Games of each two neighbours in each round.")] = 60,
    rounds: Annotated[int, option("--rounds N", "How often levels are chosen and checked, 1 to 10.")] = 2,
    openings_depth: Annotated[
        int | None,
        option(
            "--openings-depth N",
            "Random moves at the start of each game; default 2, or fewer if they would decide it.",
        ),
    ] = None,
    bot: Annotated[
        str | None,
        option(
            "--bot BOT",
            "Bot whose simulations and random moves differ from level to level: mcts(network='my.bwnet'); "
            "default mcts.",
        ),
    ] = None,
    concurrency: ConcurrencyOption = None,
    executor: ExecutorOption = None,
    seed: Annotated[
        int,
        option("--seed N", "Seed, a whole number; the same seed gives the same games."),
    ] = 1,
    output: Annotated[
        str | None,
        option("--output -o FILE", "File to write the levels to; by default the one that play reads."),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure ten levels of a game, in equal steps of strength, and save them.

    Settings from nearly random to the strongest play their neighbours. Ten settings are then chosen and
    measured with new games. Levels are limited by simulations, so they are the same on any machine. Games are
    kept as tournaments: after Ctrl-C the same command continues.

    \b
    Examples:
      branchwise calibrate my_game.py
      branchwise calibrate "mnk(rows=9,columns=9)" --most 3000 --games 100
      branchwise play "mnk(rows=9,columns=9)" --level 3
    """
    from branchwise.arena.cluster.choice import on_executor
    from branchwise.arena.store.store import Store
    from branchwise.arena.tuning.calibrate import Calibration
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.cli.tuning.levels import ladder_dict, show_ladder
    from branchwise.games import load_game

    calibration = Calibration(
        game,
        most=most,
        games=games,
        rounds=rounds,
        openings_depth=openings_depth,
        bot=bot,
        concurrency=concurrency,
        seed=seed,
    )
    file = _place(load_game(game), output)
    screen = Screen(quiet=as_json)
    with Store(store) as kept, screen.working(GETTING_READY) as tell, on_executor(executor):

        def report(words: str, standing: Standing) -> None:
            left = "" if standing.remaining is None else f", {duration(standing.remaining)} left of these"
            tell(f"{words}: {standing.played:,} of {standing.games:,} games{left}{engine_words()}")

        try:
            ladder = calibration.run(store=kept, progress=report)
        except KeyboardInterrupt:
            words = calibration.command + ("" if output is None else f' --output "{output}"')
            screen.err.print(f"To continue: {words}{store_words(store)}", soft_wrap=True)
            raise
    _write(ladder, file)
    if as_json:
        show_json(ladder_dict(ladder, str(file)))
    show_ladder(screen, ladder)
    screen.show("", f"written to {file}", whole=True)


def _place(game: type[Game], output: str | None) -> Path:
    """Return the file for the levels, after checking that it can be written."""
    from branchwise.bots.strength.levels_file import ladder_places

    file = Path(output).expanduser() if output is not None else ladder_places(game)[0]
    return place_to_write(file, "levels", "use --output FILE, and play --levels FILE")


def _write(ladder: Ladder, file: Path) -> None:
    """Write all levels or none."""
    from branchwise.common.processes import write_whole

    write_whole(file, ladder.to_json().encode())
