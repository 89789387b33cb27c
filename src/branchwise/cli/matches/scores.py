"""The strength of bots in matches and tournaments: in words, in tables, and as JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchwise.arena.match_result import ContestResult, MatchResult, Tally
    from branchwise.arena.records.record import BestLine, GameRecord
    from branchwise.arena.statistics.elo import EloDifference
    from branchwise.arena.statistics.means import Mean
    from branchwise.arena.statistics.payoffs import Payoff
    from branchwise.arena.statistics.ratings import Rating
    from branchwise.arena.statistics.score import Score
    from branchwise.arena.statistics.sprt import Sprt, SprtState
    from branchwise.drawing.table import Table

SHOWN_FAULTS = 5
SHOWN_MOVES = 60


def match_lines(result: MatchResult) -> list[str]:
    """Return the strength of two bots, one line per figure."""
    score = result.score()
    low, high = score.interval()
    within = f"[{100 * low:.1f}, {100 * high:.1f}]"
    lines = [
        f"score     {score.mean:.1%} {within} for {result.bots[0]}; intervals of 95 %",
        f"Elo       {result.elo()}",
        f"stronger  with {result.likelihood_of_superiority():.1%}",
    ]
    if any(score.pairs):
        lines.append(f"pairs     {pairs_words(score)}")
    if result.sprt is not None:
        lines += _test_lines(result)
    return lines


def pairs_words(score: Score) -> str:
    """Return the number of pairs of games for each result in points.

    >>> from branchwise.arena.statistics.score import Score
    >>> pairs_words(Score(pairs=(2, 0, 40, 1, 8), drawn_pairs=3))
    '0 points: 2, 0.5: 0, 1: 40 (3 by two draws), 1.5: 1, 2: 8'
    """
    words = [f"{at / 2:g}: {count:,}" for at, count in enumerate(score.pairs)]
    words[0] = f"0 points: {score.pairs[0]:,}"
    if score.drawn_pairs:
        words[2] += f" ({score.drawn_pairs:,} by two draws)"
    return ", ".join(words)


def _test_lines(result: MatchResult) -> list[str]:
    """Return the state of the sequential test of a match."""
    from branchwise.arena.statistics.sprt import Verdict

    test, state = result.sprt, result.sprt_state()
    assert test is not None
    assert state is not None
    told = f"LLR {state.llr:+.2f} ({state.lower:+.2f}, {state.upper:+.2f})"
    if state.verdict is not Verdict.CONTINUE:
        told += f": {state.verdict.value}"
    else:
        told += ": no verdict yet" if result.ended_by == "interrupted" else ": no verdict"
    lines = [f"test      {test}", f"          {told}"]
    late = len(result.records) - len(result.counted)
    if late:
        lines.append(f"          games after the verdict, which do not count: {late}")
    return lines


def match_table(result: MatchResult) -> Table:
    """Return the table of a match: points, ratings with more than two players, mean returns with one."""
    from branchwise.arena.statistics.rating_data import MOST_AT_ONCE

    if result.records and result.players == 1:
        return solo_table(result.bots, result.payoffs(), result.tallies())
    many = 2 < result.players <= MOST_AT_ONCE and len(result.records) > 0
    ratings = list(result.ratings()) if many else None
    return tally_table(result.bots, result.tallies(), ratings, players=result.players)


def tally_table(
    bots: Sequence[str],
    tallies: Sequence[Tally],
    ratings: Sequence[Rating] | None = None,
    *,
    players: int = 2,
    numbered: bool = False,
) -> Table:
    """Return a row for each bot; ratings : shown too, by the names of `scoring.distinct`.

    players : of one game. With two, games are won, drawn or lost; with more, they are counted by place.
    """
    from branchwise.arena.statistics.scoring import distinct
    from branchwise.drawing.table import Table

    table = Table(numbered=numbered)
    table.add_texts("bot")
    rated = {rating.player: rating for rating in ratings or ()}
    results = ["won", "drawn", "lost"] if players <= 2 else [ordinal(place + 1) for place in range(players)]
    table.add_numbers(*(["Elo", "95 %"] if rated else []), "points", "share", *results, "faults")
    for bot, unique, tally in zip(bots, distinct(bots), tallies, strict=True):
        rating = rated.get(unique)
        strength = [] if not rated else [""] * 2 if rating is None else list(rating_words(rating))
        table.add_row(
            bot,
            *strength,
            f"{tally.points:g}",
            f"{tally.points / tally.games:.1%}" if tally.games else "",
            *(f"{count:,}" for count in _counts(tally, players)),
            f"{tally.faults:,}" if tally.faults else "",
        )
    return table


def _counts(tally: Tally, players: int) -> list[int]:
    """Return the games that a bot won, drew and lost; with more than two players those by place."""
    if players <= 2:
        return [tally.wins, tally.draws, tally.losses]
    return tally.places + [0] * (players - len(tally.places))


def ordinal(number: int) -> str:
    """Return a place in short.

    >>> [ordinal(place) for place in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    last = 0 if 10 <= number % 100 < 20 else number % 10
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"


def solo_table(
    bots: Sequence[str], gains: Sequence[Payoff | None], tallies: Sequence[Tally], *, numbered: bool = False
) -> Table:
    """Return a row for each bot of a single-player game: its mean return with interval, and its best."""
    from branchwise.drawing.table import Table

    table = Table(numbered=numbered)
    table.add_texts("bot")
    table.add_numbers("mean return", "95 %", "best", "games", "faults")
    for bot, gain, tally in zip(bots, gains, tallies, strict=True):
        mean = None if gain is None else gain.mean
        table.add_row(
            bot,
            mean.shown if mean is not None else "failed" if gain is not None else "",
            mean.interval if mean is not None else "",
            f"{gain.best:g}" if gain is not None and gain.best is not None else "",
            f"{tally.games:,}",
            f"{tally.faults:,}" if tally.faults else "",
        )
    return table


def payoff_table(bots: Sequence[str], gains: Sequence[Payoff | None], *, numbered: bool = False) -> Table:
    """Return a row for each bot: its mean return with interval, over all games and as each player."""
    from branchwise.drawing.table import Table

    players = max((len(gain.seats) for gain in gains if gain is not None), default=0)
    table = Table(numbered=numbered)
    table.add_texts("mean return, 95 %")
    table.add_numbers("all games", *(f"as player {player}" for player in range(players)))
    for bot, gain in zip(bots, gains, strict=True):
        means = [None] * (players + 1) if gain is None else [gain.mean, *gain.seats]
        table.add_row(bot, *("" if mean is None else str(mean) for mean in means))
    return table


def solo_lines(result: ContestResult, order: Sequence[int]) -> list[str]:
    """Return what stands below the table of a single-player game: the first bot's leads, and the best game.

    order : of the bots, by number.
    """
    bots, lines = result.bots, []
    for other, apart in result.leads(order):
        if apart is not None:
            starts = f"{apart.games:,} {'start' if apart.games == 1 else 'starts'} that both played"
            lines.append(f"difference  {apart} for {bots[order[0]]} over {bots[other]}, by {starts}")
    return lines + best_lines(bots, result.best)


def best_lines(bots: Sequence[str], best: BestLine | None) -> list[str]:
    """Return the best game of a single-player match, if there is one."""
    if best is None:
        return []
    moves = " ".join(best.moves[:SHOWN_MOVES])
    if len(best.moves) > SHOWN_MOVES:
        moves += f" ... ({len(best.moves):,} moves)"
    return [f"best        {best.score:g}, game {best.game}, {bots[best.bot]}: {moves}"]


def rating_words(rating: Rating) -> tuple[str, str]:
    """Return a rating and its interval as text."""
    return f"{rating.elo:+.0f}", f"[{rating.low:+.0f}, {rating.high:+.0f}]"


def failure_lines(result: ContestResult) -> list[str]:
    """Return what stands above a table: which bots failed, in how many games, and how that counts."""
    players = result.players
    lines = [
        f"{bot} failed in {tally.faults:,} of {tally.games:,} games"
        + ("" if players > 1 else "; it has no mean return")
        for bot, tally in zip(result.bots, result.tallies(), strict=True)
        if tally.faults
    ]
    if lines and players > 1:
        lines.append("a game with a fault counts as lost")
    return [*lines, ""] if lines else []


def fault_lines(result: ContestResult) -> list[str]:
    """Return the causes of the first games that a fault ended: lost ones, where there is another player."""
    bots, faults, number = result.bots, result.faults(), result.id
    lines = []
    for record in faults[:SHOWN_FAULTS]:
        first, _, more = record.detail.partition("\n")
        bot = bots[record.bot_at_fault or 0]
        did = "lost" if len(record.returns) > 1 else "failed"
        lines.append(f"game {record.number}: {bot} {did} by {record.ending}: {first}{' ...' * bool(more)}")
    if len(faults) > SHOWN_FAULTS:
        where = f"; branchwise results {number} --games lists them" if number is not None else ""
        lines.append(f"and {len(faults) - SHOWN_FAULTS} more{where}")
    return lines


# --- values for JSON --------------------------------------------------------------------------------


def score_to_dict(score: Score) -> dict[str, Any]:
    """Return a score with its interval, the difference in Elo and its likelihood; needs games."""
    from branchwise.arena.statistics.elo import elo_difference, likelihood_of_superiority

    low, high = score.interval()
    return {
        **score.counts(),
        "mean": score.mean,
        "low": low,
        "high": high,
        "pairs": list(score.pairs),
        "drawn_pairs": score.drawn_pairs,
        "singles": list(score.singles),
        "elo": elo_to_dict(elo_difference(score)),
        "likelihood_of_superiority": likelihood_of_superiority(score),
    }


def contest_to_dict(result: ContestResult, order: Sequence[int]) -> dict[str, Any]:
    """Return what a match or a tournament has in any case; order : of the bots, by number."""
    names, tallies = [result.bots[bot] for bot in order], result.tallies()
    shown: dict[str, Any] = {
        "game": result.game,
        "games": result.games,
        "played": len(result.records),
        "ended_by": result.ended_by,
        "seconds": result.seconds,
        "bots": tallies_to_list(names, [tallies[bot] for bot in order], result.players),
        "endings": dict(Counter(record.ending for record in result.records)),
        "faults": faults_to_list(result.bots, result.faults()),
    }
    if result.records and result.has_payoffs:
        gains = result.payoffs()
        shown["payoffs"] = payoffs_to_list(names, [gains[bot] for bot in order])
    if result.players == 1:
        shown["differences"] = [
            {"bot": names[0], "over": result.bots[other], **mean_to_dict(apart)}
            for other, apart in result.leads(order)
        ]
        shown["best"] = best_to_dict(result.bots, result.best)
    return shown


def tallies_to_list(bots: Sequence[str], tallies: Sequence[Tally], players: int) -> list[dict[str, Any]]:
    """Return each bot's results.

    For a single-player game these are only games and faults, as there are no points. With three or more
    players games are counted by place.
    """
    kept = {1: (), 2: ("points", "wins", "draws", "losses")}.get(players, ("points", "places"))
    return [
        {"bot": bot, "games": tally.games}
        | {name: _counts(tally, players) if name == "places" else getattr(tally, name) for name in kept}
        | {"faults": tally.faults}
        for bot, tally in zip(bots, tallies, strict=True)
    ]


def mean_to_dict(mean: Mean | None) -> dict[str, Any]:
    """Return a mean with the ends of its interval; all None if there is no mean."""
    return {"games": None, "mean": None, "low": None, "high": None} if mean is None else asdict(mean)


def payoffs_to_list(bots: Sequence[str], gains: Sequence[Payoff | None]) -> list[dict[str, Any]]:
    """Return each bot's mean return, over all games and by player; bots without games are left out.

    A bot that failed in a game for one player has None in its place.
    """
    return [
        {
            "bot": bot,
            **mean_to_dict(gain.mean),
            "best": gain.best,
            "seats": [None if seat is None else mean_to_dict(seat) for seat in gain.seats],
        }
        for bot, gain in zip(bots, gains, strict=True)
        if gain is not None
    ]


def best_to_dict(bots: Sequence[str], best: BestLine | None) -> dict[str, Any] | None:
    """Return the best game of a single-player match, or None."""
    if best is None:
        return None
    return {"game": best.game, "bot": bots[best.bot], "score": best.score, "moves": list(best.moves)}


def elo_to_dict(elo: EloDifference) -> dict[str, float | None]:
    """Return a difference with its ends; None where it is unbounded because all games were won."""
    return {name: value if math.isfinite(value) else None for name, value in asdict(elo).items()}


def sprt_to_dict(sprt: Sprt, state: SprtState) -> dict[str, Any]:
    """Return a test and its state."""
    return {**asdict(sprt), **asdict(state), "verdict": state.verdict.value}


def faults_to_list(bots: Sequence[str], faults: Sequence[GameRecord]) -> list[dict[str, Any]]:
    """Return the games that were lost by a fault."""
    return [
        {
            "game": record.number,
            "bot": bots[record.bot_at_fault or 0],
            "ending": record.ending,
            "detail": record.detail,
        }
        for record in faults
    ]
