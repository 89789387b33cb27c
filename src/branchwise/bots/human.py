"""A person at the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from branchwise.bots.bot import Bot, check_not_over
from branchwise.errors import ActionError
from branchwise.rules.facts import action_text


class HumanBot(Bot):
    """Asks for a move until it gets a legal one; a bad move never costs the turn.

    ask : shows a prompt and returns the answer.   tell : shows a message.
    """

    name = "human"

    def __init__(self, *, ask: Callable[[str], str] = input, tell: Callable[[str], object] = print) -> None:
        self._ask = ask
        self._tell = tell

    def choose(self, state: Any) -> int:
        check_not_over(state)
        while True:
            answer = self._ask(f"player {state.current_player()}, your move: ").strip()
            try:
                return read_action(state, answer)
            except ActionError as error:
                self._tell(str(error))


def read_action(state: Any, text: str) -> int:
    """Return the legal action that `text` names, for any state object.

    Raises `ActionError` with the legal moves for anything else.
    """
    if hasattr(state, "action_from_string"):
        return int(state.action_from_string(text))
    legal = {action_text(state, action): int(action) for action in state.legal_actions()}
    if text in legal:
        return legal[text]
    if text.isdecimal() and int(text) in legal.values():
        return int(text)
    raise ActionError(f'"{text}" is not a legal move here', mend=f"legal moves are {' '.join(legal)}")
