"""Proving a position: alpha-beta to the end of the game within a number of moves, with a small table.

For two players who take turns, with a constant sum of returns. It finds the exact value and all moves that
keep it. Values are those of player 0, who maximises. Children where the game is over, or whose value is in
the table, are looked at before any line is followed. Source: Knuth, Moore, "An analysis of alpha-beta
pruning", 1975.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.machine.kernel import entry_kernel, kernel

DEPTH = 64
"""Moves that a line of a proof may have; longer ones count as unproven."""
TABLE_SIZE = 16384
PROVEN, NOT_PROVEN = 1, 0

_MARGIN = 1e-6


class Proof(NamedTuple):
    """Memory of a proof; D = DEPTH, A distinct actions, T = TABLE_SIZE."""

    actions: NDArray[np.int32]  # [D + 1, A] moves at each level that are left to look at
    counts: NDArray[np.int64]  # [D + 1] how many
    nexts: NDArray[np.int64]  # [D + 1] the next of them
    players: NDArray[np.int64]  # [D + 1] the player to move
    alpha: NDArray[np.float64]  # [D + 1]
    beta: NDArray[np.float64]  # [D + 1]
    floor: NDArray[np.float64]  # [D + 1] alpha and beta when the level was entered
    ceiling: NDArray[np.float64]  # [D + 1]
    best: NDArray[np.float64]  # [D + 1]
    hashes: NDArray[np.uint64]  # [D + 1]
    returns: NDArray[np.float64]  # [2]
    keys: NDArray[np.uint64]  # [T] 0: empty
    lower: NDArray[np.float64]  # [T] bounds of the value
    upper: NDArray[np.float64]  # [T]
    cuts: NDArray[np.int64]  # [2, A] how often a player's move made looking at others needless
    kept: NDArray[np.int32]  # [A] moves of the position that keep its value
    found: NDArray[np.float64]  # [2] how many they are, and the value

    @classmethod
    def of(cls, num_actions: int) -> Proof:
        """Allocate memory for a game."""
        levels = DEPTH + 1
        line = [np.zeros(levels, kind) for kind in 3 * [np.int64] + 5 * [np.float64] + [np.uint64]]
        table = [np.zeros(TABLE_SIZE, kind) for kind in (np.uint64, np.float64, np.float64)]
        moves = np.zeros((levels, num_actions), np.int32)
        of_actions = np.zeros((2, num_actions), np.int64), np.zeros(num_actions, np.int32)
        return cls._make([moves, *line, np.zeros(2), *table, *of_actions, np.zeros(2)])


@entry_kernel
def prove_position(states, proof, limit):
    """Prove the first of `states`; see `prove_state`."""
    return prove_state(states, proof, limit)


@kernel
def prove_state(states, proof, limit):
    """Return PROVEN, with proof.kept and proof.found, NOT_PROVEN after `limit` moves, or a negative status.

    states : DEPTH + 2 states, the first of them the position, in which the game is not over.
    """
    level = 0
    left = limit
    proof.found[0] = 0.0
    proof.alpha[0] = states.min_return - 1.0
    proof.beta[0] = states.max_return
    proof.hashes[0] = states.content_hash()
    left = _enter(states, proof, 0, left)
    while left >= 0:
        is_cut = level > 0 and proof.alpha[level] >= proof.beta[level]
        if is_cut or proof.nexts[level] == proof.counts[level]:
            value = proof.best[level]
            if level == 0:
                proof.found[1] = value
                return PROVEN
            _remember(proof, level)
            level -= 1
            action = proof.actions[level, proof.nexts[level] - 1]
            _take(proof, level, action, value)
            if proof.alpha[level] >= proof.beta[level]:
                proof.cuts[proof.players[level], action] += 1
            continue
        if level == DEPTH:
            return NOT_PROVEN
        state = states.at(level)
        child = states.at(level + 1)
        child.copy_from(state)
        child.apply_action(_next_move(proof, level))
        proof.alpha[level + 1] = proof.alpha[level]
        proof.beta[level + 1] = proof.beta[level]
        level += 1
        proof.hashes[level] = child.content_hash()
        left = _enter(child, proof, level, left - 1)
    return NOT_PROVEN


@kernel
def _next_move(proof, level):
    """Return the move to look at next: of those that are left, the one that has cut off most so far."""
    actions, first = proof.actions[level], proof.nexts[level]
    cuts = proof.cuts[proof.players[level]]
    best = first
    for i in range(first + 1, proof.counts[level]):
        if cuts[actions[i]] > cuts[actions[best]]:
            best = i
    action = actions[best]
    actions[best] = actions[first]
    actions[first] = action
    proof.nexts[level] += 1
    return np.int64(action)


@kernel
def _enter(state, proof, level, left):
    """List the moves of the state at `level`, after a look at each; returns how many moves are left."""
    player = np.int64(state.current_player())
    proof.players[level] = player
    proof.best[level] = -np.inf if player == 0 else np.inf
    proof.floor[level], proof.ceiling[level] = proof.alpha[level], proof.beta[level]
    proof.nexts[level] = proof.counts[level] = 0
    count = state.fill_legal_actions(proof.actions[level])
    if count < 1 or count > proof.actions.shape[1] or player < 0 or player > 1:
        return -1  # the search tells what is wrong
    trial = state.at(1)
    waiting = 0
    for i in range(count):
        action = proof.actions[level, i]
        trial.copy_from(state)
        trial.apply_action(np.int64(action))
        left -= 1
        if trial.is_terminal():
            trial.write_returns(proof.returns)
            _take(proof, level, action, proof.returns[0])
        else:
            key = trial.content_hash() | np.uint64(1)
            slot = (key >> np.uint64(20)) & np.uint64(TABLE_SIZE - 1)
            is_known = proof.keys[slot] == key
            if is_known and proof.lower[slot] >= min(proof.beta[level], proof.upper[slot]):
                _take(proof, level, action, proof.lower[slot])
            elif is_known and proof.upper[slot] <= proof.alpha[level]:
                _take(proof, level, action, proof.upper[slot])
            else:
                proof.actions[level, waiting] = action
                waiting += 1
        if level > 0 and proof.alpha[level] >= proof.beta[level]:
            break
    proof.counts[level] = waiting
    return left


@kernel
def _take(proof, level, action, value):
    """Count the `value` of a move at `level`; at the position itself, keep the moves that are best."""
    best = proof.best[level]
    is_first = proof.players[level] == 0
    if level == 0:
        better = value > best + _MARGIN if is_first else value < best - _MARGIN
        if better:
            proof.found[0] = 0.0
        if better or abs(value - best) <= _MARGIN:
            proof.kept[np.int64(proof.found[0])] = action
            proof.found[0] += 1.0
    if is_first:
        proof.best[level] = max(best, value)
        # The window is wider here, so that a worse move is not taken for an equal one.
        proof.alpha[level] = max(proof.alpha[level], value - _MARGIN if level == 0 else value)
    else:
        proof.best[level] = min(best, value)
        proof.beta[level] = min(proof.beta[level], value + _MARGIN if level == 0 else value)


@kernel
def _remember(proof, level):
    """Enter what is known of the state at `level` in the table."""
    key = proof.hashes[level] | np.uint64(1)
    slot = (key >> np.uint64(20)) & np.uint64(TABLE_SIZE - 1)
    if proof.keys[slot] != key:
        proof.keys[slot] = key
        proof.lower[slot], proof.upper[slot] = -np.inf, np.inf
    value = proof.best[level]
    if value < proof.ceiling[level]:
        proof.upper[slot] = min(proof.upper[slot], value)
    if value > proof.floor[level]:
        proof.lower[slot] = max(proof.lower[slot], value)
