"""Moves and states as single words of a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from branchwise.engines.ugi.language import NO_MOVE
from branchwise.game.kinds.continuous_actions import has_box, vector_text
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import action_word
from branchwise.rules.playthrough.playthrough import Playthrough


def move_word(state: Any, action: Any) -> str:
    """Return a legal action as one word: its text, or its number if the text is not a single word.

    A continuous action without a text of its own is its numbers with commas between them.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> move_word(ConnectFour(), 3)
    'd1'
    """
    word = action_word(state, action)
    if word in ("moves", NO_MOVE):
        return vector_text(action) if has_box(state) else str(action)
    return word


def move_words(state: Any, actions: Sequence[Any]) -> tuple[str, ...]:
    """Return actions played from `state`, each as one word; `state` is not changed."""
    played = Playthrough(state, actions)
    return tuple(move_word(before, action) for before, action in played.positions())


def state_word(state: Game) -> str:
    """Return the JSON of a state as one word.

    >>> from branchwise.games.nim import Nim
    >>> state_word(Nim(chips=[5]))
    '{"game":"nim","fields":{"chips":[5],"mover":0}}'
    """
    compact = json.dumps(json.loads(state.to_json()), separators=(",", ":"))
    return compact.replace(" ", "\\u0020")
