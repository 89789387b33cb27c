"""What each player knows, as a hash that grows with every move.

Knowledge is a 64-bit hash of all that a player has seen and done. It is equal where
`rules.information.InformationState` is equal: it grows by the number of the player's own move, by what
`action_seen` gives of another's, and by the player's view if that changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.numbers.random_streams import mixed

_OWN = np.uint64(0x9E3779B97F4A7C15)
_SEEN = np.uint64(0xC2B2AE3D27D4EB4F)
_VIEW = np.uint64(0x165667B19E3779F9)
_STEP = np.uint64(0x9E3779B97F4A7C15)


class Story(NamedTuple):
    """What one player saw: at the start, number 0, and in each of K - 1 events."""

    actions: NDArray[np.int64]  # [K] own action, or -1
    seen: NDArray[np.int64]  # [K] what `action_seen` gave, or -1
    changed: NDArray[np.bool_]  # [K] whether the view changed
    ends: NDArray[np.int64]  # [K] number of words up to the end of each view
    words: NDArray[np.uint64]  # words that make up the views, as `view_hash` reads them


class Sight(NamedTuple):
    """What P players know at one state, which is played on; W words of 8 bytes a state."""

    known: NDArray[np.uint64]  # [P]
    views: NDArray[np.uint64]  # [P] hashes of what each player sees
    seen: NDArray[np.int64]  # [P] what `action_seen` gave of the last move, or -1
    masks: NDArray[np.uint64]  # [P, W] bits of a state's words that each player sees


@kernel
def first_knowledge(view, player):
    """Return what a player knows at the start, uint64; view : hash of what the player sees."""
    return mixed(view + np.uint64(player + 1))


@kernel
def after_own(known, action):
    """Return what is known after the player's own action, before the view is looked at."""
    return mixed((known ^ _OWN) + np.uint64(action + 1))


@kernel
def after_seen(known, seen):
    """Return what is known after another's move of which `action_seen` gave `seen`, from 0."""
    return mixed((known ^ _SEEN) + np.uint64(seen + 1))


@kernel
def after_view(known, view):
    """Return what is known after the player's view changed to `view`."""
    return mixed((known ^ _VIEW) + view)


@kernel
def look(state, sight):
    """Set what all players know at a state to what they see of it, as at the start of a game."""
    for player in range(sight.known.size):
        view = state.view_hash(player, sight.masks)
        sight.views[player] = view
        sight.known[player] = first_knowledge(view, player)


@kernel
def play_seen(state, sight, mover, action):
    """Apply an action or outcome to a state, and add it to what all players know.

    mover : who chose it, or CHANCE.   state, sight : modified in place.
    """
    watch(state, sight, mover, action)
    state.apply_action(action)
    learn(state, sight, mover, action)


@kernel
def watch(state, sight, mover, action):
    """Note what players see of a move that is about to be applied to a state."""
    for player in range(sight.known.size):
        sight.seen[player] = np.int64(-1) if player == mover else state.seen_of(action, player)


@kernel
def learn(state, sight, mover, action):
    """Add a move that was watched, and applied to the state, to what all players know."""
    for player in range(sight.known.size):
        known = sight.known[player]
        if player == mover:
            known = after_own(known, action)
        elif sight.seen[player] >= 0:
            known = after_seen(known, sight.seen[player])
        view = state.view_hash(player, sight.masks)
        if view != sight.views[player]:
            known = after_view(known, view)
            sight.views[player] = view
        sight.known[player] = known


@entry_kernel
def look_at(state, sight):
    """The same as `look`, for calls from Python."""
    look(state, sight)


@entry_kernel
def follow_story(story, player, chain):
    """Write what the player knew at the start and after each event into `chain`, uint64 [K]."""
    known = np.uint64(0)
    start = np.int64(0)
    for i in range(chain.size):
        view = np.uint64(0)
        for word in range(start, story.ends[i]):
            view = mixed(view ^ story.words[word]) + _STEP
        start = story.ends[i]
        if i == 0:
            known = first_knowledge(view, player)
        else:
            if story.actions[i] >= 0:
                known = after_own(known, story.actions[i])
            elif story.seen[i] >= 0:
                known = after_seen(known, story.seen[i])
            if story.changed[i]:
                known = after_view(known, view)
        chain[i] = known
