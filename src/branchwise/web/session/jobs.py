"""The searches of a game: the bot's move, a hint, an analysis."""

from __future__ import annotations

from branchwise.web.game.game_record import LiveRecord
from branchwise.web.protocol.messages import Opponent
from branchwise.web.search.searchers import Analyst, Player, bot_text
from branchwise.web.session.job_runner import Job


def bot_job(
    player: Player, record: LiveRecord, opponent: Opponent, seconds: float, answers: int | None
) -> Job:
    """Return the job of the bot's next move.

    seconds : its maximum time; a bot that the server was started with has only limits of its own.
    """
    text = bot_text(record.game, opponent)
    views, moves = record.views, record.shown_moves
    most = None if opponent.bot is not None else min(seconds, opponent.seconds or seconds)
    return Job(
        who="bot",
        players=record.missing,
        line=record.spot,
        ply=record.ply,
        searcher=player,
        think=lambda news, tell: player.think(text, views, moves, most, news, tell=tell),
        stop=player.stop,
        seconds=opponent.seconds,
        answers=answers,
    )


def search_job(
    who: str,
    analyst: Analyst,
    record: LiveRecord,
    most_seconds: float,
    answers: int | None,
    seconds: float | None = None,
    simulations: int | None = None,
) -> Job:
    """Return the job of a search of the position, a "hint" or an "analysis".

    seconds, simulations : its limits; without one it makes room for others, and ends after `most_seconds`.
    """
    most = min(most_seconds, seconds or most_seconds)
    state, line = record.shown, record.spot
    return Job(
        who=who,
        line=line,
        ply=record.ply,
        searcher=analyst,
        think=lambda news, tell: analyst.think(state, line, most, news, tell=tell, simulations=simulations),
        stop=analyst.stop,
        seconds=most if seconds is not None else None,
        endless=seconds is None and simulations is None,
        answers=answers,
    )
