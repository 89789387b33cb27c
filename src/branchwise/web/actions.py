"""Actions in messages: a number, or the numbers of a continuous action as one word, such as `0.25,-1.0`.

The word gives the vector exactly, so that a page names it by the same text; the rules' text of an action
is for people, and may be rounded.
"""

from __future__ import annotations

from typing import Any

from branchwise.boxes import as_vector, has_box, has_texts, vector_text
from branchwise.boxes import short_text as short_vector
from branchwise.rules.facts import action_text

Sent = int | str
"""An action as it is sent."""


def sent(action: Any) -> Sent:
    """Return an action, a number or a vector, as it is sent.

    >>> sent(3), sent((0.25, -1.0))
    (3, '0.25,-1.0')
    """
    return vector_text(action) if hasattr(action, "__len__") else int(action)


def received(state: Any, action: Any) -> Any:
    """Return an action that was sent as `legal_action` of the game of `state` reads it, legal or not.

    The numbers of a continuous action become a vector, in case the rules read texts in their own way.
    """
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
