"""What a player has known from the start on, as the hashes that compiled searches compute."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.queries.player_views import visible_bits
from branchwise.core.information_sets.information_keys import Story, follow_story
from branchwise.game.kinds.hidden_information import has_rule, state_observed
from branchwise.rules.knowledge.information import Event, InformationState, Observation

keep_on_disk()


def knowledge_of(known: InformationState) -> NDArray[np.uint64]:
    """Return hashes of what the player knew at the start and after each event, uint64 [events + 1].

    They equal those of `core.information_sets.information_keys` in every game that looks like this to the
    player.

    >>> import branchwise as bw
    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> played = [bw.Playthrough(KuhnPoker(), f"{deal} bet") for deal in ("J K", "Q K")]
    >>> one, other = (knowledge_of(playthrough.information_state(1)) for playthrough in played)
    >>> one.tolist() == other.tolist(), len(one)
    (True, 4)
    """
    events = [Event(observation=known.start), *known.events]
    mask = None if has_rule(known.game, "observation") else visible_bits(known.game)[known.player]
    views = [_view_words(known, event.observation, mask) for event in events]
    story = Story(
        actions=np.array([-1 if event.action is None else event.action for event in events], np.int64),
        seen=np.array([-1 if event.seen is None else event.seen for event in events], np.int64),
        changed=np.array([event.observation is not None for event in events]),
        ends=np.cumsum([len(words) for words in views], dtype=np.int64),
        words=np.concatenate(views),
    )
    chain = np.zeros(len(events), np.uint64)
    call(follow_story, story, known.player, chain)
    return chain


def _view_words(
    known: InformationState, observation: Observation | None, mask: NDArray[np.uint64] | None
) -> NDArray[np.uint64]:
    """Return the words of which a state's `view_hash` is made.

    mask : bits of a state's words that the player sees; None if the class has an `observation`.
    """
    if observation is None:
        return np.zeros(0, np.uint64)
    if mask is None:
        return (np.array(observation, np.float64) + 0.0).view(np.uint64)
    content = state_observed(known.game, known.player, observation).to_record().tobytes()
    words: NDArray[np.uint64] = np.frombuffer(content.ljust(8 * mask.size, b"\0"), np.uint64) & mask
    return words
