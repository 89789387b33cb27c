"""`branchwise match`: bots against each other, many games, all of them kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwise.cli.options import JsonOption, SeedOption, StoreOption

if TYPE_CHECKING:
    from rich.table import Table

    from branchwise.arena.result import MatchResult, Standing

DEFAULT_GAMES = 100
_SHOWN_FAULTS = 5


def match(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            show_default=False,
            help="A game, as for play; with --resume the number of a match, or nothing: the latest open one.",
        ),
    ] = "",
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT BOT...",
            show_default=False,
            help="Bots, one for each player: mcts(simulations=1000), random, my_bot.py:MyBot, ...",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games", "-n", metavar="N", help=f"Games to play; {DEFAULT_GAMES} without.", show_default=False
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="Seconds for each move, above 0.")
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option("--clock", metavar="S[+S]", help="Seconds for a whole game, and what a move adds."),
    ] = None,
    simulations: Annotated[
        int | None, typer.Option("--simulations", metavar="N", help="Simulations for each move, from 1.")
    ] = None,
    allowance: Annotated[
        float | None,
        typer.Option(
            "--allowance",
            metavar="S",
            help="Seconds that may be overstepped; 0.1 without.",
            show_default=False,
        ),
    ] = None,
    patience: Annotated[
        float | None,
        typer.Option(
            "--patience",
            metavar="S",
            help="Seconds after which a bot without a limit is taken to hang; 60 without.",
            show_default=False,
        ),
    ] = None,
    openings: Annotated[
        str | None,
        typer.Option("--openings", metavar="FILE", help="Openings, one a line: moves, # comments."),
    ] = None,
    openings_depth: Annotated[
        int | None,
        typer.Option(
            "--openings-depth",
            metavar="N",
            help="Random moves that games begin with; 4 without, or what the game bears.",
            show_default=False,
        ),
    ] = None,
    proofs: Annotated[
        bool,
        typer.Option("--proofs/--no-proofs", help="End games whose outcome is proven.", show_default=False),
    ] = True,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            "-j",
            metavar="N",
            help="Games at once; as many as cores without.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a match that was interrupted.")
    ] = False,
    seed: SeedOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let bots play each other, and keep every game.

    Games come in pairs: the same opening, seats exchanged; among n players, n games in which each bot plays
    each seat. A bot that crashes, hangs, oversteps its time or makes an illegal move loses that game. Ctrl-C
    ends the match, and --resume goes on with it.

    \b
    Examples:
      branchwise match connect_four "mcts(simulations=1000)" "flat(simulations=1000)" --games 200
      branchwise match connect_four mcts "minimax(depth=6)" --clock 10+0.1
      branchwise match tic_tac_toe my_bot.py:MyBot random --openings openings.txt
      branchwise match --resume
    """
    from branchwise.arena.match import Match
    from branchwise.arena.store import Store
    from branchwise.arena.timing import ALLOWANCE
    from branchwise.cli.screen import Screen, show_json
    from branchwise.errors import SettingsError

    settings = {
        "games": games,
        "seconds": seconds,
        "clock": clock,
        "simulations": simulations,
        "allowance": allowance,
        "patience": patience,
        "openings": openings,
        "openings_depth": openings_depth,
        "seed": seed,
    }
    given = [name for name, value in settings.items() if value is not None]
    screen = Screen(quiet=as_json)
    if resume:
        if given or bots or not proofs:
            what = "--" + given[0].replace("_", "-") if given else "bots" if bots else "--no-proofs"
            raise SettingsError(f"{what} cannot be changed when a match is resumed", mend="leave it out")
        number = _match_number(game)
        kept = Store(store, create=False)
    else:
        if not game or not bots:
            raise SettingsError(
                "a match needs a game and bots",
                mend='branchwise match connect_four "mcts(simulations=1000)" random',
            )
        settings |= {"games": DEFAULT_GAMES if games is None else games}
        settings |= {"allowance": ALLOWANCE if allowance is None else allowance}
        to_play = Match(game, bots, proofs=proofs, concurrency=concurrency, **settings)  # type: ignore[arg-type]
        kept = Store(store)
    with kept, screen.working("starting") as tell:

        def report(standing: Standing) -> None:
            tell(f"{_so_far(standing)}, Ctrl-C: enough for now")

        if resume:
            result = Match.resume(kept, number, concurrency=concurrency, progress=report)
        else:
            result = to_play.run(store=kept, progress=report)
    if as_json:
        show_json(result_to_dict(result))
    show_result(screen, result)
    if result.ended_by == "interrupted":
        screen.show(f"To go on: branchwise match --resume {result.id}{_store_words(store)}", whole=True)
        raise typer.Exit(130)


def show_result(screen: Any, result: MatchResult) -> None:
    """Show the table of a match and its faults."""
    screen.show(
        f"match {result.id}: {result.game}, {len(result.records):,} of {result.games:,} games, "
        f"{result.seconds:,.1f} s",
        "",
        _table(result),
    )
    faults = result.faults()
    for record in faults[:_SHOWN_FAULTS]:
        bot = result.bots[record.bot_at_fault or 0]
        first, _, more = record.detail.partition("\n")
        screen.show(f"game {record.number}: {bot} lost by {record.ending}: {first}{' ...' * bool(more)}")
    if len(faults) > _SHOWN_FAULTS:
        screen.show(
            f"and {len(faults) - _SHOWN_FAULTS} more; branchwise results {result.id} --games lists them"
        )


def result_to_dict(result: MatchResult) -> dict[str, Any]:
    """Return a match as values that JSON can hold."""
    from collections import Counter
    from dataclasses import asdict

    return {
        "match": result.id,
        "game": result.game,
        "games": result.games,
        "played": len(result.records),
        "ended_by": result.ended_by,
        "seconds": result.seconds,
        "bots": [
            {"bot": bot, **asdict(tally)} for bot, tally in zip(result.bots, result.tallies(), strict=True)
        ],
        "endings": dict(Counter(record.ending for record in result.records)),
        "faults": [
            {
                "game": record.number,
                "bot": result.bots[record.bot_at_fault or 0],
                "ending": record.ending,
                "detail": record.detail,
            }
            for record in result.faults()
        ],
    }


def _table(result: MatchResult) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("bot", overflow="fold")
    for name in ("points", "share", "won", "drawn", "lost", "faults"):
        table.add_column(name, justify="right")
    for bot, tally in zip(result.bots, result.tallies(), strict=True):
        table.add_row(
            bot,
            f"{tally.points:g}",
            f"{tally.points / tally.games:.1%}" if tally.games else "",
            f"{tally.wins:,}",
            f"{tally.draws:,}",
            f"{tally.losses:,}",
            f"{tally.faults:,}" if tally.faults else "",
        )
    return table


def _so_far(standing: Standing) -> str:
    points = " : ".join(f"{tally.points:g}" for tally in standing.tallies)
    faults = sum(tally.faults for tally in standing.tallies)
    told = f"{standing.played:,} of {standing.games:,} games, {points}"
    if faults:
        told += f", {faults:,} by fault"
    if standing.remaining is not None:
        told += f", {_duration(standing.remaining)} left"
    return told


def _duration(seconds: float) -> str:
    """Return a number of seconds as people read it.

    >>> _duration(42.2), _duration(3725)
    ('0:42', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _match_number(text: str) -> int | None:
    from branchwise.errors import SettingsError

    if text and not text.isdecimal():
        raise SettingsError(f'"{text}" is not the number of a match', mend="branchwise results lists them")
    return int(text) if text else None


def _store_words(store: str | None) -> str:
    return "" if store is None else f' --store "{store}"'
