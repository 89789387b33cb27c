"""The tables of `ablation.py`, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from branchwise.arena.statistics.elo import elo_difference
from branchwise.arena.statistics.score import Score

NOT_PLAYED = "-"
BEGIN, END = "<!-- tables of benchmarks/ablation.json -->\n", "<!-- end of tables -->\n"
TITLES = {"simulations": "At equal simulations", "time": "At equal time"}


class Match(Protocol):
    game: str
    option: str
    mode: str
    score: Score


class Pace(Protocol):
    game: str
    option: str
    ratio: float


def tables(matches: Sequence[Match], speeds: Sequence[Pace], kinds: Mapping[str, str]) -> str:
    """Return a table of Elo differences for each mode, and one of speeds; kinds : of options, in order.

    If a match at equal time was not played because the speeds are equal, the table shows the match with equal
    simulations, marked by "=". The last column is for all games together.
    """
    played = {(it.game, it.option, it.mode): it.score for it in matches if it.score.games}
    ratios = {(it.game, it.option): f"{it.ratio:.2f}" for it in speeds}
    games = list(dict.fromkeys(game for game, _, _ in played))
    parts = []
    for mode, title in TITLES.items():
        rows = []
        for option in kinds:
            cells, total = [], Score()
            for game in games:
                score, mark = played.get((game, option, mode)), ""
                if score is None and mode == "time" and (game, option) in ratios:
                    score, mark = played.get((game, option, "simulations")), "= "
                cells.append(mark + shown(score) if score else NOT_PLAYED)
                total += score or Score()
            if total.games:
                rows.append([f"`{option}`", *cells, shown(total)])
        parts.append(f"### {title}\n\n" + table(["option", *games, "all"], rows))
    rows = [
        [f"`{option}`", *(ratios.get((game, option), NOT_PLAYED) for game in games)]
        for option in kinds
        if any((game, option) in ratios for game in games)
    ]
    parts.append("### Simulations per second, relative to the base\n\n" + table(["option", *games], rows))
    least = min((score.games for score in played.values()), default=0)
    most = max((score.games for score in played.values()), default=0)
    counts = f"{least}" if least == most else f"{least} to {most}"
    return "\n".join(parts) + f"\n{counts} games per match.\n"


def shown(score: Score) -> str:
    """Return a difference in Elo with its 95 % interval, in bold if the interval excludes zero.

    >>> shown(Score(pairs=(3, 0, 20, 0, 17))), shown(Score(pairs=(0, 0, 0, 0, 10)))
    ('**+127** [+51, +203]', '**above +166**')
    """
    difference = elo_difference(score)
    points, *interval = str(difference).split(" [")
    if difference.low <= 0 <= difference.high:
        return str(difference)
    return f"**{points}** [{interval[0]}" if interval else f"**{points}**"


def on_page(page: str, text: str) -> str:
    """Return a page with its tables replaced by `text`."""
    before, found, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (found and end):
        raise SystemExit(f"the page has no place for tables: {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"
