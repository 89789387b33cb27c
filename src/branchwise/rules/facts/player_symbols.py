"""The symbols of players on the board, as positions of a random game show them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from branchwise.drawing.grid import Grid, player_symbols
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.random_starter import draws_starter
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import apply_legal, random_action

_SAMPLE = 60
_STEP = 4
"""Moves of a random game after which players are named by their symbols, and those between two pictures."""
_symbols: WeakKeyDictionary[type[Game], tuple[str, ...]] = WeakKeyDictionary()


def symbols_of_players(game: type[Game]) -> tuple[str, ...]:
    """Return the symbol of each player on the board, as found in a random game; () if they have none.

    They have none if positions do not agree, as where cells show cards or numbers of seeds, and if chance
    draws who starts.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> from branchwise.games.kalah import Kalah
    >>> symbols_of_players(ConnectFour), symbols_of_players(Kalah)
    (('X', 'O'), ())
    """
    if game not in _symbols:
        known = game.num_players > 1 and not draws_starter(game)
        found = player_symbols(_grids(game), game.num_players, game.symbols) if known else ()
        _symbols[game] = found
    return _symbols[game]


def _grids(game: type[Game]) -> Iterator[Grid]:
    """Yield pictures of positions in a random game, none if cells have values that are no players."""
    source, drawn, grids = random.Random(0), Random(0), list[Grid]()
    with suppress(Exception):  # faults in the rules are reported when they are played
        state: Any = game.new_initial_state(drawn)
        for number in range(_SAMPLE):
            if number % _STEP == 0 or state.is_terminal():
                grid = state.to_grid()
                if grid is None:
                    return
                grids.append(grid)
            if state.is_terminal():
                break
            apply_legal(state, random_action(state, source), drawn)
    cells = (cell for grid in grids for row in grid.cells for cell in row)
    has_others = len(game.symbols) > game.num_players + 2 or any(
        cell.owner is None and cell.text.isdigit() for cell in cells
    )
    if game.to_grid is not Game.to_grid or not has_others:
        yield from grids
