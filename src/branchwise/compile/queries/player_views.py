"""What players see of states, and how they are dealt anew, by compiled rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.methods.record_words import HASH_STEP
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.checking.player_views import NOTHING, View, deal_anew, key_from, look_from
from branchwise.core.numbers.random_streams import NUM_STREAMS, PLAYOUT_STREAM, mixed
from branchwise.game.kinds.hidden_information import has_rule, state_observed, unseen_cells
from branchwise.game.kinds.random_numbers import Draws
from branchwise.game.rules_class import Game

keep_on_disk()


class CompiledViews:
    """The compiled form of the rules about hidden information. Raises `GameError` if they do not compile.

    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> views = CompiledViews(KuhnPoker)
    >>> first, second = (KuhnPoker.from_actions(deal) for deal in ("J K", "J Q"))
    >>> [views.view(first, player) == views.view(second, player) for player in (0, 1)]
    [True, False]
    """

    def __init__(self, game: type[Game]) -> None:
        self._game = game
        self._states = NativeRecords(compiled_type(game))
        self._view = View(np.zeros(1, np.uint64), np.zeros(1, np.int64), visible_bits(game))
        self._streams = np.zeros(NUM_STREAMS, np.uint64)

    def view(self, state: Game, player: int) -> int:
        """Return a hash of what `player` sees of a state."""
        self._look(state, player, NOTHING)
        return int(self._view.hash[0])

    def seen(self, state: Game, action: int, player: int) -> int | None:
        """Return what `player` sees of another's `action`, about to be applied; None for nothing."""
        self._look(state, player, action)
        return None if self._view.seen[0] == NOTHING else int(self._view.seen[0])

    def deal(self, state: Game, player: int, random: Draws) -> tuple[Game, bool]:
        """Return a copy of `state` dealt anew by the class's `determinize`, and whether it is consistent."""
        self._states.records[0] = state.to_record()
        self._streams[PLAYOUT_STREAM] = random.counter
        fits = bool(call(deal_anew, self._states, player, self._streams))
        random.counter = int(self._streams[PLAYOUT_STREAM])
        return self._game.from_record(self._states.records[0]), fits

    def _look(self, state: Game, player: int, action: int) -> None:
        self._states.records[0] = state.to_record()
        call(look_from, self._states, player, action, self._view)


def visible_bits(game: type[Game]) -> NDArray[np.uint64]:
    """Return the bits of a state's 8-byte words that each player sees, uint64 [players, words]."""
    words = (game._dtype.itemsize + 7) // 8
    seen = np.zeros((game.num_players, 8 * words), np.uint8)
    assert game._dtype.fields is not None
    for player in range(game.num_players):
        for field in game._fields:
            offset: int = game._dtype.fields[field.name][1]
            visible = np.repeat(~unseen_cells(field, player).reshape(-1), field.dtype.itemsize)
            seen[player, offset : offset + visible.size] = np.where(visible, 255, 0)
    return seen.view(np.uint64)


def observation_keys(game: type[Game], player: int, observations: list[tuple[float, ...]]) -> list[int]:
    """Return the keys that compiled rules give for these observations of `player`.

    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> states = [KuhnPoker.from_actions(deal) for deal in ("J K", "Q K", "K Q")]
    >>> first, second, third = observation_keys(KuhnPoker, 1, [state.observation(1) for state in states])
    >>> first == second, second == third
    (True, False)
    """
    if has_rule(game, "observation"):
        return [_hash_of_numbers(numbers) for numbers in observations]
    states, masks = NativeRecords(compiled_type(game)), visible_bits(game).reshape(-1)
    keys = []
    for numbers in observations:
        states.records[0] = state_observed(game, player, numbers).to_record()
        keys.append(int(call(key_from, states, player, masks)))
    return keys


def _hash_of_numbers(numbers: tuple[float, ...]) -> int:
    """Return the same as a state's `view_key` if the class has an `observation` of its own."""
    total = np.zeros(1, np.uint64)
    for bits in (np.array(numbers, np.float64) + 0.0).view(np.uint64):
        total = mixed.py_func(total ^ bits) + HASH_STEP  # an array, so that it overflows silently
    return int(total[0])
