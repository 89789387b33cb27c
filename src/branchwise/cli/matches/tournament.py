"""`branchwise tournament`: plays many bots against each other and rates them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.many_games import GamesCommand
from branchwise.cli.terminal.match_options import (
    AllowanceOption,
    ClockOption,
    ConcurrencyOption,
    ExecutorOption,
    MoveSecondsOption,
    MoveSimulationsOption,
    OpeningsDepthOption,
    OpeningsOption,
    PatienceOption,
    ProofsOption,
    duration,
)
from branchwise.cli.terminal.options import JsonOption, SeedOption, StoreOption, TrustOption

if TYPE_CHECKING:
    from branchwise.arena.match_result import Standing
    from branchwise.arena.schedule.knockout import Bracket, Duel
    from branchwise.arena.statistics.ratings import Ratings
    from branchwise.arena.tournament_result import TournamentResult
    from branchwise.cli.terminal.screen import Screen
    from branchwise.drawing.table import Table

_LEADERS = 3


def tournament(
    game: Annotated[
        str,
        argument(
            "GAME", "A game, as for play; with --resume the number of a tournament, by default the latest."
        ),
    ] = "",
    bots: Annotated[
        list[str] | None,
        argument("BOT BOT...", "Bots, all different: mcts(simulations=1000), random, my_bot.py:MyBot, ..."),
    ] = None,
    format: Annotated[  # noqa: A002 - the field's word
        str | None,
        option(
            "--format FORMAT",
            "round-robin, all against all; gauntlet, the first against all others; chain, each"
            " against the next; knockout. Default round-robin.",
        ),
    ] = None,
    games: Annotated[
        int | None,
        option("--games -n N", "Games of each two bots, or of each group that plays together; default 20."),
    ] = None,
    further_pairs: Annotated[
        int | None,
        option(
            "--further-pairs N",
            "Pairs of games to break a tie in a knockout; default 4; then the better seed advances.",
        ),
    ] = None,
    seconds: MoveSecondsOption = None,
    clock: ClockOption = None,
    simulations: MoveSimulationsOption = None,
    allowance: AllowanceOption = None,
    patience: PatienceOption = None,
    openings: OpeningsOption = None,
    openings_depth: OpeningsDepthOption = None,
    proofs: ProofsOption = True,
    concurrency: ConcurrencyOption = None,
    executor: ExecutorOption = None,
    resume: Annotated[bool, option("--resume", "Continue a tournament that was interrupted.")] = False,
    trust: TrustOption = False,
    seed: SeedOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let many bots play each other, and rate them.

    Every two bots play pairs of games, with the same opening and seats exchanged. In a game of n players
    every n bots meet, and each plays each seat. In a single-player game all bots play the same starts. A
    knockout is for two-player games; bots are seeded in the order given. A bot that misbehaves loses the
    game. Ctrl-C ends the tournament, and --resume continues it.

    \b
    Examples:
      branchwise tournament connect_four "mcts(simulations=1000)" \\
          "flat(simulations=1000)" "minimax(depth=4)"
      branchwise tournament connect_four my_bot.py:MyBot mcts random \\
          --format gauntlet --games 100
      branchwise tournament connect_four mcts flat "minimax(depth=4)" random \\
          --format knockout --seconds 0.1
      branchwise tournament --resume
    """
    command = GamesCommand("tournament", dict(locals()), so_far)
    from branchwise.arena.play.time_control import ALLOWANCE
    from branchwise.arena.schedule.pairings import ROUND_ROBIN
    from branchwise.arena.tournament import Tournament
    from branchwise.common.errors import SettingsError

    if resume:
        result = command.resume(Tournament.resume, command.number())
    else:
        if not game or not bots:
            raise SettingsError(
                "a tournament needs a game and bots",
                mend='branchwise tournament connect_four "mcts(simulations=1000)" "minimax(depth=4)" random',
            )
        settings = command.settings() | {"format": format or ROUND_ROBIN}
        settings |= {"allowance": ALLOWANCE if allowance is None else allowance}
        result = command.begin(Tournament(**settings).run)
    command.end(result, tournament_to_dict, show_tournament)


def show_tournament(screen: Screen, result: TournamentResult) -> None:
    """Show ratings, the bracket or the cross table, and faults."""
    from branchwise.cli.matches.scores import failure_lines, fault_lines, payoff_table, tally_table

    screen.show(
        f"tournament {result.id}: {result.format} of {len(result.bots)} bots, {result.game}, "
        f"{len(result.records):,} of {result.games:,} games, {result.seconds:,.1f} s",
        "",
    )
    screen.show(*failure_lines(result))
    if result.players == 1:
        _show_solo(screen, result)
        return
    order = result.ranking()
    tallies = result.tallies()
    ratings = result.ratings() if result.records else None
    names, made = [result.bots[bot] for bot in order], [tallies[bot] for bot in order]
    screen.show(tally_table(names, made, list(ratings or ()), players=result.players, numbered=True))
    if ratings is not None:
        screen.show(*_groups_lines(ratings))
    bracket = result.bracket()
    if bracket is not None:
        for words, duels in _rounds(bracket):
            screen.show("", words)
            screen.show(_duels_table(result, duels))
        if bracket.champion is not None:
            screen.show("", f"won by {result.bots[bracket.champion]}")
    elif result.records:
        screen.show("")
        screen.show(_cross_table(result, order))
    if result.records and result.has_payoffs:
        gains = result.payoffs()
        screen.show("")
        screen.show(payoff_table(names, [gains[bot] for bot in order], numbered=True))
    screen.show(*fault_lines(result))


def _show_solo(screen: Screen, result: TournamentResult) -> None:
    """Show the mean returns in a single-player game, the lead of the best bot, and the best line."""
    from branchwise.cli.matches.scores import fault_lines, solo_lines, solo_table

    order, gains, tallies = result.ranking(), result.payoffs(), result.tallies()
    rows = [gains[bot] for bot in order], [tallies[bot] for bot in order]
    screen.show(solo_table([result.bots[bot] for bot in order], *rows, numbered=True))
    screen.show("", *solo_lines(result, order), *fault_lines(result))


def tournament_to_dict(result: TournamentResult) -> dict[str, Any]:
    """Return a tournament as values for JSON; bots are in order of rank, the best first."""
    from branchwise.cli.matches.scores import contest_to_dict, score_to_dict

    shown: dict[str, Any] = {
        "tournament": result.id,
        "format": result.format,
        **contest_to_dict(result, result.ranking()),
        "ratings": [],
        "cross_table": [
            {"bot": result.bots[one], "opponent": result.bots[other], **asdict(encounters)}
            for (one, other), encounters in result.cross_table().items()
        ],
    }
    if result.records and result.players > 1:
        shown["ratings"] = [asdict(rating) for rating in result.ratings()]
    if all(len(record.returns) == 2 for record in result.records):
        shown["scores"] = [
            {"bot": bot, "opponent": opponent, **score_to_dict(score)}
            for (bot, opponent), score in result.scores().items()
        ]
    bracket = result.bracket()
    if bracket is not None:
        shown["rounds"] = [[_duel_to_dict(result, duel) for duel in duels] for duels in bracket.rounds]
        shown["winner"] = None if bracket.champion is None else result.bots[bracket.champion]
    return shown


def so_far(standing: Standing) -> str:
    """Return the standing of a tournament in one line: the leaders by their share of the points."""
    told = f"{standing.played:,} of {standing.games:,} games"
    alone = standing.players == 1
    shares = [
        ((t.returns if alone else t.points) / t.games, bot)
        for bot, t in zip(standing.bots, standing.tallies, strict=True)
        if t.games and not (alone and t.faults)
    ]
    leaders = sorted(shares, key=lambda share: -share[0])[:_LEADERS]
    if leaders:
        made = (f"{bot} {share:.4g}" if alone else f"{bot} {share:.0%}" for share, bot in leaders)
        told += ", leading " + ", ".join(made)
    faults = sum(tally.faults for tally in standing.tallies)
    if faults:
        told += f", {faults:,} by fault"
    if standing.remaining is not None:
        told += f", {duration(standing.remaining)} left"
    return told


def _cross_table(result: TournamentResult, order: list[int]) -> Table:
    """Return the points of each bot against each other; bots have their numbers in the table above."""
    from branchwise.drawing.table import Table

    met = result.cross_table()
    games = {encounters.games for encounters in met.values()}
    same = next(iter(games)) if len(games) == 1 else None
    table = Table(numbered=True)
    table.add_texts("points against" + (f", of {same:,}" if same is not None else ""))
    table.add_numbers(*(str(number) for number in range(1, len(order) + 1)))
    for bot in order:
        cells = []
        for other in order:
            found = met.get((bot, other))
            told = "" if found is None else f"{found.points:g}"
            cells.append(told if same is not None or found is None else f"{told}/{found.games}")
        table.add_row(result.bots[bot], *cells)
    return table


def _rounds(bracket: Bracket) -> list[tuple[str, list[Duel]]]:
    """Return the rounds of a knockout that have begun, with their names."""
    from branchwise.arena.schedule.knockout import ROUND_NAMES

    found = []
    for number, duels in enumerate(bracket.rounds, 1):
        known = [duel for duel in duels if None not in duel.bots or duel.winner is not None]
        if known:
            found.append((ROUND_NAMES.get(len(duels), f"round {number}"), known))
    return found


def _duels_table(result: TournamentResult, duels: list[Duel]) -> Table:
    from branchwise.drawing.table import Table

    table = Table(show_header=False)
    for side in ("left", "right", "left", "left"):
        table.add_column(justify=side)
    for duel in duels:
        first, second = (None if bot is None else result.bots[bot] for bot in duel.bots)
        points = " : ".join(f"{made:g}" for made in duel.result)
        how = {"": "", "games": "", "bye": ""}.get(duel.decided_by, f", by {duel.decided_by}")
        ahead = "" if duel.winner is None or second is None else f"{result.bots[duel.winner]} advances{how}"
        table.add_row(first, points if second is not None else "", second or "has a bye", ahead)
    return table


def _duel_to_dict(result: TournamentResult, duel: Duel) -> dict[str, Any]:
    return {
        "bots": [None if bot is None else result.bots[bot] for bot in duel.bots],
        "points": list(duel.result),
        "games": len(duel.points),
        "winner": None if duel.winner is None else result.bots[duel.winner],
        "decided_by": duel.decided_by,
    }


def _groups_lines(ratings: Ratings) -> list[str]:
    """Return which bots cannot be compared by their ratings, if any."""
    if len(ratings.groups) == 1:
        return []
    groups = "; ".join(", ".join(players) for players in ratings.groups)
    return [f"Compare ratings only within a group; the groups have not met yet: {groups}"]
