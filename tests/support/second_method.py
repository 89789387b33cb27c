"""Exact values by a method of its own: states listed in plain Python, equations solved by SciPy."""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import coo_matrix, identity
from scipy.sparse.linalg import spsolve

import branchwise as bw


@dataclass
class Listed:
    """States by number; of each state its mover and its steps: (probability, reward, factor, next)."""

    movers: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    final: list = field(default_factory=list)
    states: list = field(default_factory=list)
    left: list = field(default_factory=list)


def listed(start, pays=None):
    """List all states that can be reached, with player 0's rewards; a horizon is part of a state."""
    game = type(start)
    found, places = Listed(), {}
    pays = game.returns is bw.Game.__dict__.get("returns") if pays is None else pays
    waiting = []

    def place(state, left):
        key = (state, left)
        if key not in places:
            places[key] = len(places)
            waiting.append(key)
        return places[key]

    place(start.copy(), game.horizon or -1)
    for state, left in waiting:  # which grows
        found.states.append(state)
        found.left.append(left if left >= 0 else None)
        over = state.is_terminal()
        if over or (left == 0 and state.current_player() != bw.CHANCE):
            found.movers.append(None)
            found.steps.append([])
            found.final.append(float(state.returns()[0]) if over and not pays else 0.0)
            continue
        mover = state.current_player()
        pairs = (
            list(state.chance_outcomes()) if mover == bw.CHANCE else [(a, 1.0) for a in state.legal_actions()]
        )
        after_left = left if left < 0 or mover == bw.CHANCE else left - 1
        found.movers.append(mover)
        found.final.append(0.0)
        steps = []
        for action, chance in pairs:
            if chance == 0.0:
                continue
            after = state.copy()
            paid = after.apply_action(action)
            reward = 0.0 if not pays or paid is None else float(paid[0] if isinstance(paid, tuple) else paid)
            by_choice = not after.is_terminal() and after.current_player() != bw.CHANCE
            steps.append((chance, reward, game.discount if by_choice else 1.0, place(after, after_left)))
        found.steps.append(steps)
    return found


def by_policies(found):
    """Return all values by policy iteration, from a policy that ends; for one player."""
    policy = _ending(found)
    while True:
        values = _of_policy(found, policy)
        changed = False
        for state, steps in enumerate(found.steps):
            if found.movers[state] == 0:
                gains = [reward + factor * values[after] for _, reward, factor, after in steps]
                best = int(np.argmax(gains))
                if gains[best] > gains[policy[state]] + 1e-11 * (1 + abs(gains[best])):
                    policy[state], changed = best, True
        if not changed:
            return values


def _ending(found):
    """Return a policy that leads to an end, where one does."""
    policy = [0] * len(found.steps)
    done = [mover is None for mover in found.movers]
    changed = True
    while changed:
        changed = False
        for state, steps in enumerate(found.steps):
            if not done[state]:
                for number, step in enumerate(steps):
                    if done[step[-1]]:
                        policy[state], done[state], changed = number, True, True
                        break
    return policy


def _of_policy(found, policy):
    rows, columns, shares = [], [], []
    paid = np.array(found.final)
    for state, steps in enumerate(found.steps):
        taken = [steps[policy[state]]] if found.movers[state] == 0 else steps
        for chance, reward, factor, after in taken:
            rows.append(state)
            columns.append(after)
            shares.append(chance * factor)
            paid[state] += chance * reward
    size = len(paid)
    return spsolve((identity(size) - coo_matrix((shares, (rows, columns)), (size, size))).tocsc(), paid)


def by_sweeps(found, sweeps=100_000):
    """Return all values by sweeps from 0 until nothing changes, for one player or two."""
    values = np.array(found.final)
    for _ in range(sweeps):
        before = values.copy()
        for state, steps in enumerate(found.steps):
            if steps:
                gains = [reward + factor * values[after] for _, reward, factor, after in steps]
                mover = found.movers[state]
                if mover == bw.CHANCE:
                    values[state] = sum(step[0] * gain for step, gain in zip(steps, gains, strict=True))
                else:
                    values[state] = max(gains) if mover == 0 else min(gains)
        if np.abs(values - before).max() < 1e-15:
            return values
    raise AssertionError("sweeps do not converge")
