"""Turning one state by its game's symmetry, for the rule checker."""

from __future__ import annotations

from branchwise.core.machine.kernel import entry_kernel


@entry_kernel
def turn_state(state, k, actions):
    """Replace a state, and actions of it, by what symmetry k makes of them; actions : int64 [any number]."""
    for place in range(actions.size):
        actions[place] = state.symmetry_action(k, actions[place])
    state.symmetry(k)
    return 0
