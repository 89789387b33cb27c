"""The array field of a state that is its board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

DEFAULT_SYMBOLS = ".XO"


def board_array(state: Any) -> np.ndarray[Any, Any] | None:
    """Return the array field that is the board of a state, or None if that is unclear.

    A field with `value_names` is no board, nor is a `bw.Private` one, unless it is named `board`. In problems
    for one player a one-dimensional array is none either, unless it is named `board` or the class says its
    `symbols`.
    """
    name = board_field(state)
    return None if name is None else state.__dict__[name]


def board_field(state: Any) -> str | None:
    """Return the name of the field that `board_array` returns."""
    no_boards = {field.name for field in state._hidden if field.sight == "private"} - {"board"}
    no_boards.update(state.value_names)
    arrays = {name: state.__dict__[name] for name in state._arrays if name not in no_boards}
    name = board_name(arrays, state.num_actions, state.num_players)
    if name in (None, "board") or arrays[name].ndim > 1 or state.num_players > 1:
        return name
    return None if state.symbols == DEFAULT_SYMBOLS else name  # flags of what is done, amounts, and the like


def board_name(
    arrays: Mapping[str, np.ndarray[Any, Any]], num_actions: int, num_players: int = 1
) -> str | None:
    """Return the name of the array field that is the board of a state, or None if that is unclear.

    It is the only two-dimensional array; of several the one named `board`, else the first. Without any it is
    the only one-dimensional array; of several the one named `board`, else the only one with as many cells as
    there are actions. Other one-dimensional arrays with one entry a player, such as scores, are no boards.
    """
    flat, deep = ([name for name, array in arrays.items() if array.ndim == n] for n in (1, 2))
    if deep:
        return "board" if "board" in deep else deep[0]
    if num_players > 1:
        flat = [name for name in flat if name == "board" or arrays[name].size != num_players]
    if len(arrays) > 1:
        flat = ["board"] if "board" in flat else [name for name in flat if arrays[name].size == num_actions]
    return flat[0] if len(flat) == 1 else None
