"""Arguments and options that several commands share, and how their texts are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from branchwise.game import Game

GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        show_default=False,
        help="A game: connect_four, connect_four(rows=5,columns=5), my_game.py or my_game.py:MyGame.",
    ),
]
MovesOption = Annotated[
    str, typer.Option("--moves", metavar="MOVES", help='Moves from the start to play first, such as "d1 d2".')
]
SecondsOption = Annotated[
    float | None, typer.Option("--seconds", metavar="S", help="Seconds to think, above 0.")
]
SimulationsOption = Annotated[
    int | None, typer.Option("--simulations", metavar="N", help="Simulations to think for, from 1.")
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Makes chance the same every time; any whole number."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def move_list(text: str) -> list[str]:
    """Split a list of moves on blanks and commas.

    >>> move_list("d1, d2 c1")
    ['d1', 'd2', 'c1']
    """
    return [move for move in re.split(r"[\s,]+", text) if move]


def state_after(game: type[Game], moves: str) -> tuple[Game, Game | None]:
    """Return the state after `moves` from the start, and the one before the last of them.

    Raises `ActionError` for a move that is not legal.
    """
    played = move_list(moves)
    state = game.from_actions(played)
    return state, game.from_actions(played[:-1]) if played else None
