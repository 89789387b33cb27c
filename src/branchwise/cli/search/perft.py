"""`branchwise perft`: counts move sequences, to compare with published counts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.options import GameArgument, JsonOption, MovesOption, SeedOption
from branchwise.cli.terminal.position import asked_about

if TYPE_CHECKING:
    from branchwise.drawing.table import Table


def perft(
    game: GameArgument,
    depth: Annotated[int, option("--depth N", "Length of the sequences, from 0.")],
    moves: MovesOption = "",
    seed: SeedOption = None,
    divided: Annotated[
        bool, option("--divide", "Count the sequences for each first move; needs depth 1 or more.")
    ] = False,
    plain: Annotated[bool, option("--plain", "Count in plain Python; compile nothing; slow.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Count the move sequences of a game.

    A wrong rule nearly always changes these counts, and they are published for many games. If a count
    differs, --divide shows which first move is wrong. Add that move to --moves, reduce the depth by one, and
    divide again. Outcomes of chance count as moves, and so do joint moves of players who move at once.

    \b
    Examples:
      branchwise perft connect_four --depth 8
      branchwise perft ultimate_tic_tac_toe --depth 5 --divide
      branchwise perft my_game.py --depth 3 --moves "d1 d2" --divide --json
    """
    from branchwise import testing
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.games import load_game

    screen = Screen(quiet=as_json)
    rules = load_game(game)
    asked = asked_about(rules, moves, seed, to_decision=False)
    state = asked.state
    parts: dict[str, int] | None = None
    compiled = not plain and not rules._joint  # joint moves are listed in plain Python
    started = time.perf_counter()
    with screen.working(f"counting moves of {rules.name}, Ctrl-C: give up"):
        if divided:
            parts = testing.divide(state, depth, compiled=compiled)
            count = sum(parts.values())
        else:
            count = testing.perft(state, depth, compiled=compiled)
    seconds = time.perf_counter() - started
    if as_json:
        show_json(
            {
                "game": rules.name,
                **asked.to_dict(),
                "depth": depth,
                "count": count,
                "divide": parts,
                "compiled": compiled,
                "seconds": seconds,
            }
        )
    if parts:
        screen.show(_table(parts))
    screen.show(f"{rules.name}: {count:,} sequences of {depth} moves, {seconds:.2f} s")


def _table(parts: dict[str, int]) -> Table:
    from branchwise.drawing.table import Table

    table = Table()
    table.add_texts("move")
    table.add_numbers("sequences")
    for name, count in parts.items():
        table.add_row(name, f"{count:,}")
    return table
