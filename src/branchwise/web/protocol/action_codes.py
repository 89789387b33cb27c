"""Actions in messages: a number, or the numbers of a continuous action as one word, such as `0.25,-1.0`.

The word gives the vector exactly, so that a page names it by the same text; the rules' text of an action
is for people, and may be rounded. A joint move is the numbers of its actions with colons between, such as
`2:0`, and "-" for a player without a choice.
"""

from __future__ import annotations

import re
from typing import Any

from branchwise.common.players import NO_ACTION
from branchwise.game.kinds.continuous_actions import as_vector, has_box, has_texts, vector_text
from branchwise.game.kinds.continuous_actions import short_text as short_vector
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import action_text

Sent = int | str
"""An action as it is sent."""

_JOINT = re.compile(r"(\d{1,10}|-)(:(\d{1,10}|-))+")


def sent(action: Any) -> Sent:
    """Return an action, a number, a vector or a joint move, as it is sent.

    >>> sent(3), sent((0.25, -1.0)), sent((2, -1))
    (3, '0.25,-1.0', '2:-')
    """
    if type(action) is tuple and all(type(part) is int for part in action):
        return ":".join("-" if part == NO_ACTION else str(part) for part in action)
    return vector_text(action) if hasattr(action, "__len__") else int(action)


def received(state: Any, action: Any) -> Any:
    """Return an action that was sent as `legal_action` of the game of `state` reads it, legal or not.

    The numbers of a continuous action become a vector, and those of a joint move a tuple, in case the rules
    read texts in their own way.
    """
    if isinstance(action, str) and _JOINT.fullmatch(action) and isinstance(state, Game) and state._joint:
        return tuple(NO_ACTION if part == "-" else int(part) for part in action.split(":"))
    vector = as_vector(action) if isinstance(action, str) and has_box(state) else None
    return action if vector is None else vector


def shown(state: Any, action: Any) -> str:
    """Return the text of an action for people; without a text in the rules, a vector to four digits.

    >>> from branchwise.problems.pendulum import Pendulum
    >>> shown(Pendulum(), (1.23456789,))
    '1.235'
    """
    if has_box(state) and not has_texts(state) and hasattr(action, "__len__"):
        return short_vector(action)
    return action_text(state, action)
