"""`branchwise train`: learning a network for a game, and finding out what it is worth."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.match_options import duration
from branchwise.cli.terminal.options import GameArgument, JsonOption, SeedOption

if TYPE_CHECKING:
    from branchwise.learning.train import Progress

_WIDTHS = (5, 9, 10, 8, 7, 12, 7, 12, 7, 18, 18)
_HEADINGS = (
    ("", "", "", "games", "", "wrong where", "solved", "losses", "", "Elo against", "Elo against"),
    (
        "over",
        "games",
        "positions",
        "a second",
        "proven",
        "move",
        "value",
        "value",
        "move",
        "playouts",
        "before",
    ),
)

_LEFT_OUT = 3, 10, 7, 8
"""Columns that narrow terminals do not show, in the order in which they are left out."""


def train(
    game: GameArgument,
    minutes: Annotated[float, option("--minutes M", "Minutes to learn for, from 0.1.")] = 10.0,
    rounds: Annotated[
        int | None,
        option(
            "--rounds N", "Learn for N rounds of about 1,000 positions instead; one seed gives one network."
        ),
    ] = None,
    file: Annotated[
        str | None, option("--file -o FILE", "Where the network is written; default GAME.bwnet.")
    ] = None,
    resume: Annotated[
        bool, option("--resume", "Go on with the training of this file that was ended.")
    ] = False,
    threads: Annotated[int | None, option("--threads N", "Threads; default: one for each core.")] = None,
    games: Annotated[
        int, option("--games -n N", "Games of the match against playouts afterwards; 0: none.")
    ] = 100,
    memory: Annotated[float, option("--memory MB", "Memory for the positions that are learnt from.")] = 512.0,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Learn a network for a game from its rules alone, by self-play.

    The game has two players who take turns and see everything, without chance. The network takes the place of
    playouts: mcts(network='FILE'). A match at 10 ms a move then says whether it was worth it.

    \b
    Examples:
      branchwise train connect_four --minutes 10
      branchwise train my_game.py --minutes 60 --file my.bwnet
      branchwise train connect_four --minutes 10 --resume
      branchwise play connect_four --opponent "mcts(network='connect_four.bwnet')"
    """
    from dataclasses import asdict

    from branchwise.arena.match_result import Standing
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.games import load_game
    from branchwise.learning.train import checkpoint_of
    from branchwise.learning.train import train as learn

    screen = Screen(quiet=as_json)
    place = file or f"{load_game(game).name.partition('(')[0]}.bwnet"
    columns = _columns(screen.out.width if screen.out.is_terminal else None)
    headings = [_line(words, columns) for words in _HEADINGS]
    with screen.working("compiling the rules and the search") as tell:

        def report(state: Progress) -> None:
            left = state.seconds * (1.0 - state.share) / max(state.share, 1e-9)
            tell(f"round {state.round:,}: {state.games:,} games, {duration(left)} left, Ctrl-C: pause")
            if state.is_report or state.share >= 1.0:
                screen.show(*headings, _line(_cells(state), columns))
                headings.clear()

        def match_report(state: Standing) -> None:
            tell(f"match against playouts at 10 ms a move: {state.played} of {state.games} games")

        try:
            found = learn(
                game,
                minutes=minutes,
                rounds=rounds,
                seed=seed,
                threads=threads,
                file=place,
                resume=resume,
                memory_mb=memory,
                games=games,
                progress=report,
                match_progress=match_report,
            )
        except KeyboardInterrupt:
            target = Path(place).expanduser()
            if checkpoint_of(target).exists():
                length = f"--minutes {minutes:g}" if rounds is None else f"--rounds {rounds}"
                words = f'branchwise train "{game}" {length} --memory {memory:g} --file "{place}" --resume'
                screen.err.print(f"To continue: {words}", soft_wrap=True)
            elif target.exists():
                screen.err.print(f"The match was given up; the network is written to {place}", soft_wrap=True)
            raise
    if as_json:
        told: dict[str, Any] = {"file": str(found.file), "says": str(found)}
        told["lead"] = None if found.lead is None else asdict(found.lead)
        show_json({**told, "curve": [asdict(one) for one in found.curve if one.is_report]})
    screen.show("", f"written to {found.file}", whole=True)
    screen.show(str(found))


def _columns(width: int | None) -> list[int]:
    """Return the columns of the table of progress that fit into a terminal; None: all.

    >>> _columns(80)
    [0, 1, 2, 4, 5, 6, 9]
    """
    kept = list(range(len(_WIDTHS)))
    for column in _LEFT_OUT:
        if width is not None and sum(_WIDTHS[one] + 1 for one in kept) - 1 > width:
            kept.remove(column)
    return kept


def _line(cells: Iterable[object], columns: list[int]) -> str:
    """Return one line of the table of progress."""
    texts = list(cells)
    return " ".join(f"{texts[one]!s:>{_WIDTHS[one]}}" for one in columns)


def _cells(state: Progress) -> Iterable[object]:
    return (
        f"{state.share:.0%}",
        f"{state.games:,}",
        f"{state.positions:,}",
        f"{state.speed:,.0f}",
        f"{state.proven:.0%}",
        f"{state.policy_error:.0%}",
        f"{state.value_error:.0%}",
        f"{state.value_loss:.3f}",
        f"{state.policy_loss:.3f}",
        state.playouts or "",
        state.earlier or "",
    )
