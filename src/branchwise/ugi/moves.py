"""Moves and states as single words of a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from branchwise.errors import ActionError
from branchwise.game import Game
from branchwise.rules.facts import action_text, copied

NO_MOVE = "none"
"""An engine's answer when it has no move."""


def move_word(state: Any, action: int) -> str:
    """Return a legal action as one word: its text, or its number if the text is not a single word.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> move_word(ConnectFour(), 3)
    'd1'
    """
    text = action_text(state, action)
    if not text or text.split() != [text] or text in ("moves", NO_MOVE):
        return str(action)
    if hasattr(state, "action_from_string"):
        try:
            if int(state.action_from_string(text)) != action:
                return str(action)
        except ActionError:
            return str(action)
    return text


def move_words(state: Any, actions: Sequence[int]) -> tuple[str, ...]:
    """Return actions played from `state`, each as one word; `state` is not changed."""
    state, words = copied(state), []
    for action in actions:
        words.append(move_word(state, action))
        state.apply_action(action)
    return tuple(words)


def state_word(state: Game) -> str:
    """Return the JSON of a state as one word.

    >>> from branchwise.games.nim import Nim
    >>> state_word(Nim(chips=[5]))
    '{"game":"nim","fields":{"chips":[5],"mover":0}}'
    """
    compact = json.dumps(json.loads(state.to_json()), separators=(",", ":"))
    return compact.replace(" ", "\\u0020")
