"""Running simulations for any state object, whose rules stay in Python.

The tree is handled by the same kernels as in the compiled search, one call a phase; with the same seed and
the same rules both build the same tree.
"""

from __future__ import annotations

import struct
from functools import cache
from struct import Struct
from typing import Any

import numpy as np
from numba import int64

from branchwise.compile.call import keep_on_disk
from branchwise.core.expand import Bounds
from branchwise.core.loop import Scratch, Settings
from branchwise.core.random import PLAYOUT_STREAM, fill_draws, new_streams
from branchwise.core.status import (
    DONE,
    NEVER_ENDS,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    RETURN_OUT_OF_BOUNDS,
    TOO_MANY_ACTIONS,
    TREE_FULL,
    Status,
)
from branchwise.core.steps import (
    ALL_SOLVED,
    back_up,
    grow,
    new_session,
    select_path,
    settle_child,
    step_into,
)
from branchwise.core.tree import MAX_CHILDREN, Tree
from branchwise.errors import GameError
from branchwise.search.facts import GameFacts, copied

keep_on_disk()

_DRAWS = 4096


class PythonDriver:
    """Simulations from one root state, played move by move through the state's own methods."""

    first_chunk = 1

    def __init__(self, state: Any, facts: GameFacts, tree: Tree, settings: Settings, seed: int) -> None:
        self.tree = tree
        self._clone = state.clone if hasattr(state, "clone") else state.copy
        self._facts = facts
        self._streams = new_streams(seed)
        self._drawn = np.zeros(_DRAWS, np.int64)
        self._draws: list[int] = []
        self._path_actions = np.zeros(settings.max_depth + 2, np.int32)
        self._scratch = Scratch(
            path=np.zeros(settings.max_depth + 2, np.int32),
            depth=np.zeros(1, np.int64),
            actions=np.zeros(min(facts.num_actions, MAX_CHILDREN), np.int32),
            returns=np.zeros(facts.num_players),
        )
        self._session = new_session(
            tree,
            settings,
            self._scratch,
            self._path_actions,
            self._streams,
            Bounds(facts.num_players, facts.num_actions, facts.min_return, facts.max_return),
        )
        self._address: int = self._session.ctypes.data
        self._path_view = self._path_actions.data
        self._actions_view = self._scratch.actions.data
        self._returns_view = self._scratch.returns.data
        self._returns_format = Struct(f"{facts.num_players}d")
        self._decisive = settings.decisive
        self._proofs = settings.proofs
        self._count = 0
        self._faulty_moves: list[int] = []
        self._load_kernels()

    def run(self, simulations: int) -> Status:
        """Run so many simulations, fewer if the root is solved; returns DONE or the fault that ended them."""
        for _ in range(simulations):
            depth = select_path(self._address)
            if depth == ALL_SOLVED:
                break
            status = self._simulate(depth)
            if status:
                return Status(status)
        return Status.DONE

    def path_to_fault(self) -> list[int]:
        """Return the actions before the fault that `run` reported."""
        return self._faulty_moves

    def _load_kernels(self) -> None:
        """Load or compile the kernels by calls that change nothing, so that no budget pays for it."""
        self._scratch.returns[:] = np.nan
        select_path(self._address)
        grow(self._address, 0, 0, 0)
        settle_child(self._address, 0, 0)
        step_into.compile((int64, int64, int64))
        back_up(self._address, 0, False)
        fill_draws(self._streams, PLAYOUT_STREAM, self._drawn[:0])

    def _simulate(self, depth: int) -> int:
        """Run the simulation whose path was selected, to the leaf at `depth`; returns a status."""
        expand = depth < 0
        if expand:
            depth = -1 - depth
        state = self._clone()
        apply_action = state.apply_action
        moves = _actions_format(depth).unpack_from(self._path_view)
        for action in moves:
            apply_action(action)
        over = state.is_terminal()
        if expand and not over:
            status = self._expand(state, depth)
            if not status:
                settled = 0
                if self._proofs:
                    settled, status = self._look_one_move_ahead(state, depth)
                    if status:
                        return self._fault(status, moves)
                action = step_into(self._address, depth, settled)
                moves += (action,)
                apply_action(action)
                depth += 1
                over = state.is_terminal()
            elif status != TREE_FULL:
                return self._fault(status, moves)
        if not over:
            state, status = self._play_out_decisively(state) if self._decisive else self._play_out(state)
            if status:
                return self._fault(status, moves)
        status = self._note_returns(state) or back_up(self._address, depth, over)
        return self._fault(status, moves) if status else status

    def _expand(self, state: Any, depth: int) -> int:
        """Give the leaf its children; returns a status."""
        legal = state.legal_actions()
        self._count = count = len(legal)
        if count > self._scratch.actions.size:
            return TOO_MANY_ACTIONS
        try:
            _actions_format(count).pack_into(self._actions_view, 0, *legal)
        except struct.error as error:
            raise GameError(
                f"{self._facts.name}.legal_actions gave {legal!r}, which are not whole numbers of 32 bits"
            ) from error
        status: int = grow(self._address, depth, state.current_player(), count)
        return status

    def _look_one_move_ahead(self, state: Any, depth: int) -> tuple[int, int]:
        """Settle those new children of the leaf, which `state` belongs to, at which the game is over.

        Returns how many there are, and a status.
        """
        settled = 0
        for number, action in enumerate(_actions_format(self._count).unpack_from(self._actions_view)):
            trial = copied(state)
            trial.apply_action(action)
            if trial.is_terminal():
                status = self._note_returns(trial) or settle_child(self._address, depth, number)
                if status:
                    return settled, status
                settled += 1
        return settled, DONE

    def _note_returns(self, state: Any) -> int:
        """Write the returns of a finished game to where kernels read them; returns a status."""
        try:
            self._returns_format.pack_into(self._returns_view, 0, *state.returns())
        except struct.error:
            return RETURN_OUT_OF_BOUNDS
        return DONE

    def _play_out(self, state: Any) -> tuple[Any, int]:
        """Return the end of a uniformly random game, and a status."""
        is_terminal, legal_actions, apply_action = state.is_terminal, state.legal_actions, state.apply_action
        left = self._facts.max_game_length
        draws = self._draws
        while not is_terminal():
            legal = legal_actions()
            if not legal:
                return state, NO_LEGAL_ACTION
            if not left:
                return state, NEVER_ENDS
            left -= 1
            if not draws:
                self._draw()
            apply_action(legal[draws.pop() * len(legal) >> 32])
        return state, DONE

    def _play_out_decisively(self, state: Any) -> tuple[Any, int]:
        """Return the end of a game in which a player who can win at once does, and a status."""
        draws = self._draws
        for _ in range(self._facts.max_game_length):
            if state.is_terminal():
                return state, DONE
            legal = state.legal_actions()
            if not legal:
                return state, NO_LEGAL_ACTION
            player = state.current_player()
            if not 0 <= player < self._facts.num_players:
                return state, PLAYER_OUT_OF_RANGE
            for action in legal:
                trial = copied(state)
                trial.apply_action(action)
                if trial.is_terminal() and trial.returns()[player] >= self._facts.max_return:
                    return trial, DONE
            if not draws:
                self._draw()
            state.apply_action(legal[draws.pop() * len(legal) >> 32])
        return state, DONE if state.is_terminal() else NEVER_ENDS

    def _draw(self) -> None:
        fill_draws(self._streams, PLAYOUT_STREAM, self._drawn)
        self._draws.extend(self._drawn[::-1].tolist())

    def _fault(self, status: int, moves: tuple[int, ...]) -> int:
        self._faulty_moves = list(moves)
        return status


@cache
def _actions_format(count: int) -> Struct:
    """Return the packed form of `count` actions, an int32 array."""
    return Struct(f"{count}i")
