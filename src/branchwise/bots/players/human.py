"""A person at the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from branchwise.bots.base.bot import Bot, check_not_over
from branchwise.common.errors import ActionError
from branchwise.rules.facts.facts import legal_action
from branchwise.search.settings.move_limit import Limit


class HumanBot(Bot):
    """Asks for a move until it gets a legal one; a bad move never costs the turn.

    ask : shows a prompt and returns the answer.   tell : shows a message.
    """

    name = "human"

    def __init__(self, *, ask: Callable[[str], str] = input, tell: Callable[[str], object] = print) -> None:
        self._ask = ask
        self._tell = tell

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        while True:
            answer = self._ask(f"player {state.current_player()}, your move: ").strip()
            try:
                action: int = legal_action(state, answer)
                return action
            except ActionError as error:
                self._tell(str(error))
