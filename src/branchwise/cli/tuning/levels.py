"""`branchwise levels`: the levels of difficulty of a game, and their strengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.options import GameArgument, JsonOption, LevelsOption

if TYPE_CHECKING:
    from branchwise.bots.strength.levels_file import Ladder
    from branchwise.cli.terminal.screen import Screen

HEADINGS = ("level", "bot", "above random", "above the level before")


def levels(
    game: GameArgument,
    file: LevelsOption = None,
    markdown: Annotated[bool, option("--markdown", "Print the table as Markdown.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the levels of a game: their bots, and their measured strength in Elo.

    \b
    Examples:
      branchwise levels connect_four
      branchwise play connect_four --level 3
      branchwise match connect_four "level(level=3)" "mcts(simulations=100)"
    """
    import json

    from branchwise.bots.strength.levels_file import load_ladder
    from branchwise.cli.terminal.screen import Screen, show_json

    ladder = load_ladder(game, file)
    if as_json:
        show_json(json.loads(ladder.to_json()))
    elif markdown:
        print(ladder_markdown(ladder))
    else:
        show_ladder(Screen(), ladder)


def show_ladder(screen: Screen, ladder: Ladder) -> None:
    """Show a table of the levels, and how they were measured."""
    from branchwise.drawing.table import Table

    table = Table()
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "bot" else "right")
    for row in _rows(ladder):
        table.add_row(*row)
    screen.show(f"{ladder.game}: Elo with 95 % intervals", "")
    screen.show(table)
    aimed, command, *more = _notes(ladder)
    screen.show("", aimed, style="dim")
    screen.show(command, style="dim", whole=True)
    screen.show(*more, style="dim")


def ladder_markdown(ladder: Ladder) -> str:
    """Return the levels as a Markdown table, and how they were measured."""
    lines = ["| " + " | ".join(HEADINGS) + " |", "|---:|---|---:|---:|"]
    for level, bot, *numbers in _rows(ladder):
        lines.append("| " + " | ".join([level, f"`{bot}`", *numbers]) + " |")
    aimed, command, *more = _notes(ladder)
    return "\n".join([*lines, "", f"{aimed} `{command}`", *more])


def _rows(ladder: Ladder) -> list[tuple[str, ...]]:
    return [
        (
            str(number),
            level.bot,
            _interval(level.elo, level.low, level.high),
            _interval(level.above, level.above_low, level.above_high),
        )
        for number, level in enumerate(ladder.levels, 1)
    ]


def _notes(ladder: Ladder) -> tuple[str, ...]:
    hits = [level.above_low <= ladder.step <= level.above_high for level in ladder.levels[1:]]
    return (
        f"The target step was {ladder.step:.0f} Elo; {sum(hits)} of {len(hits)} intervals contain it."
        f" Each pair of neighbours played {ladder.games:,} games. Measured by",
        ladder.command,
    )


def _interval(value: float, low: float, high: float) -> str:
    return f"{value:+.0f} [{low:+.0f}, {high:+.0f}]"


def ladder_dict(ladder: Ladder, file: str) -> dict[str, Any]:
    """Return the levels and their file as values for JSON."""
    import json

    shown: dict[str, Any] = {"file": file, **json.loads(ladder.to_json())}
    return shown
