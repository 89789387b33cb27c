"""`branchwise match`: plays many games between bots and keeps all of them."""

from __future__ import annotations

from contextlib import nullcontext
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
    sprt_from,
)
from branchwise.cli.terminal.options import JsonOption, SeedOption, StoreOption, TrustOption

if TYPE_CHECKING:
    from branchwise.arena.match_result import MatchResult, Standing
    from branchwise.cli.terminal.screen import Screen


def match(
    game: Annotated[
        str,
        argument(
            "GAME",
            "A game, as for play; with --resume the number of a match, by default the latest unfinished one.",
        ),
    ] = "",
    bots: Annotated[
        list[str] | None,
        argument(
            "BOT BOT...",
            "Bots, one for each player, or any number in a single-player game: mcts(simulations=1000),"
            " random, my_bot.py:MyBot, ...",
        ),
    ] = None,
    games: Annotated[
        int | None,
        option("--games -n N", "Games to play; default 100. With --sprt the maximum; default 10,000."),
    ] = None,
    seconds: MoveSecondsOption = None,
    clock: ClockOption = None,
    simulations: MoveSimulationsOption = None,
    allowance: AllowanceOption = None,
    patience: PatienceOption = None,
    openings: OpeningsOption = None,
    openings_depth: OpeningsDepthOption = None,
    proofs: ProofsOption = True,
    sprt: Annotated[
        str | None,
        option(
            "--sprt ELO0,ELO1",
            "End the match as soon as the first bot proves to be ELO1 stronger, or at most ELO0;"
            " ELO0,ELO1,normalized: in normalized Elo.",
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        option("--alpha P", "How often the verdict ELO1 may be wrong; default 0.05."),
    ] = None,
    beta: Annotated[
        float | None,
        option("--beta P", "How often the verdict ELO0 may be wrong; default 0.05."),
    ] = None,
    concurrency: ConcurrencyOption = None,
    executor: ExecutorOption = None,
    resume: Annotated[bool, option("--resume", "Continue a match that was interrupted.")] = False,
    trust: TrustOption = False,
    seed: SeedOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let bots play each other, and keep every game.

    Games are played in pairs, with the same opening and seats exchanged. With n players, n games share an
    opening, and each bot plays each seat. In a single-player game all bots play the same starts. A bot that
    crashes, hangs, exceeds its time or makes an illegal move loses that game. Ctrl-C ends the match, and
    --resume continues it.

    \b
    Examples:
      branchwise match connect_four "mcts(simulations=1000)" \\
          "flat(simulations=1000)" --games 200
      branchwise match connect_four mcts "minimax(depth=6)" --clock 10+0.1
      branchwise match connect_four "mcts(c=0.5)" "mcts(c=0.7)" \\
          --simulations 500 --sprt 0,30
      branchwise match tic_tac_toe my_bot.py:MyBot random --openings openings.txt
      branchwise match --resume
    """
    command = GamesCommand("match", dict(locals()), so_far)
    from branchwise.arena.play.worker_launch import launched_ahead
    from branchwise.common.errors import SettingsError

    if not resume and (not game or not bots):
        raise SettingsError(
            "a match needs a game and bots",
            mend='branchwise match connect_four "mcts(simulations=1000)" random',
        )
    with launched_ahead() if executor is None else nullcontext():
        from branchwise.arena.match import Match
        from branchwise.arena.play.time_control import ALLOWANCE

        if resume:
            result = command.resume(Match.resume, command.number())
        else:
            settings = command.settings("alpha", "beta") | {"sprt": sprt_from(sprt, alpha, beta)}
            settings |= {"allowance": ALLOWANCE if allowance is None else allowance}
            result = command.begin(Match(**settings).run)
    command.end(result, result_to_dict, show_result)


def show_result(screen: Screen, result: MatchResult, kind: str = "match") -> None:
    """Show the table of a match or of a run, as `kind` says, the strength of its bots, and its faults."""
    from branchwise.cli.matches.scores import (
        failure_lines,
        fault_lines,
        match_lines,
        match_table,
        payoff_table,
        solo_lines,
    )

    screen.show(
        f"{kind} {result.id}: {result.game}, {len(result.records):,} of {result.games:,} "
        f"{'episodes' if kind == 'run' else 'games'}, "
        f"{result.seconds:,.1f} s",
        "",
    )
    screen.show(*failure_lines(result))
    screen.show(match_table(result))
    if result.players == 2 and result.records:
        screen.show("", *match_lines(result))
    if result.players == 1:
        lines = solo_lines(result, range(len(result.bots)))
        screen.show(*([""] if lines else []), *lines)
    elif result.records and result.has_payoffs:
        screen.show("")
        screen.show(payoff_table(result.bots, result.payoffs()))
    screen.show(*fault_lines(result))


def result_to_dict(result: MatchResult) -> dict[str, Any]:
    """Return a match as values for JSON."""
    from branchwise.arena.statistics.rating_data import MOST_AT_ONCE
    from branchwise.cli.matches.scores import contest_to_dict, score_to_dict, sprt_to_dict

    shown = {"match": result.id, **contest_to_dict(result, range(len(result.bots)))}
    if result.players == 2 and result.records:
        shown["score"] = score_to_dict(result.score())
    elif 2 < result.players <= MOST_AT_ONCE and result.records:
        shown["ratings"] = [asdict(rating) for rating in result.ratings()]
    state = result.sprt_state()
    if result.sprt is not None and state is not None:
        shown["sprt"] = {**sprt_to_dict(result.sprt, state), "counted": len(result.counted)}
    return shown


def so_far(standing: Standing) -> str:
    """Return the standing of a match in one line."""
    told = f"{standing.played:,} of {standing.games:,} games"
    if standing.players == 1:
        means = (f"{t.returns / t.games:.4g}" if t.games > 0 == t.faults else "-" for t in standing.tallies)
        told += ", mean " + " : ".join(means)
        if standing.best is not None:
            told += f", best {standing.best.score:g}"
    else:
        told += ", " + " : ".join(f"{tally.points:g}" for tally in standing.tallies)
    score = standing.score
    if score is not None and score.games:
        from branchwise.arena.statistics.elo import elo_difference

        told += f", Elo {elo_difference(score)}"
    if standing.test is not None:
        told += f", LLR {standing.test.llr:+.2f} ({standing.test.lower:+.2f}, {standing.test.upper:+.2f})"
    faults = sum(tally.faults for tally in standing.tallies)
    if faults:
        told += f", {faults:,} by fault"
    if standing.remaining is not None:
        most = "at most " if standing.test is not None else ""
        told += f", {most}{duration(standing.remaining)} left"
    return told
