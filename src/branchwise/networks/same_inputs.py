"""Looking for positions that a network cannot tell apart, though other actions are legal in them."""

from __future__ import annotations

import time
from itertools import count
from random import Random

from branchwise.boards.style import look_of
from branchwise.common.errors import GameError
from branchwise.game.kinds.game_kinds import num_arguments
from branchwise.game.rules_class import Game
from branchwise.networks.inputs import Inputs, check_network_applies
from branchwise.rules.checking.faults import shown
from branchwise.rules.facts.facts import action_word, apply_legal

_FEW = 2
"""In every second game, moves are among this many first ones, so that positions come again."""
_MOST = 200_000


def same_inputs(game: type[Game], seconds: float = 1.0, seed: int = 0) -> str | None:
    """Return what networks cannot tell apart: two positions with other legal actions or ends.

    None if none are met within the time, or if networks are not for this game. Raises `GameError` where what
    the class says of its inputs is at fault.

    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> same_inputs(TicTacToe, seconds=0.1) is None
    True
    """
    try:
        check_network_applies(game)
        if look_of(game) is None and num_arguments(game, "net_inputs") < 0:
            return None
    except GameError:
        return None
    inputs, end = Inputs.of(game), time.perf_counter() + seconds
    known: dict[tuple[int, ...], tuple[frozenset[int], tuple[str, ...]]] = {}
    for number in count():
        drawn, state, played = Random(f"inputs {seed} {number}"), game(), list[str]()
        while True:
            if time.perf_counter() >= end or len(known) >= _MOST:
                return None
            over = state.is_terminal()
            legal = [] if over else state.legal_actions()
            if not over or _says_player(state):
                here = frozenset(map(int, legal)), tuple(played)
                there = known.setdefault(tuple(inputs.active(state)), here)
                if there[0] != here[0]:
                    what = "other actions are legal" if there[0] and here[0] else "only one of them is over"
                    return (
                        f"they cannot tell apart the positions after {shown(there[1])} and after "
                        f"{shown(here[1])}, but {what}: let net_inputs tell, or leave it if it matters little"
                    )
            if over or len(played) > game.max_game_length:
                break
            action = drawn.choice(legal[:_FEW] if number % 2 else legal)
            played.append(action_word(state, action))
            apply_legal(state, action)
    return None


def _says_player(state: Game) -> bool:
    """Whether the rules tell whose turn it would be in a state that is over; they need not."""
    try:
        return state.current_player() in (0, 1)
    except Exception:
        return False
