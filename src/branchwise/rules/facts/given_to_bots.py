"""What a player is given to choose from in place of the state."""

from __future__ import annotations

from abc import ABC, abstractmethod

from branchwise.common.errors import GameError


class Shown(ABC):
    """What a player is given where the state would tell too much.

    `Playthrough.shown` gives it: an `InformationState` in a game with hidden information, a `History` in a
    partially observed problem, and a `JointChoice` where all players move at once. It answers a bot as a
    state does, for the player who is asked, but cannot be played on.

    >>> import branchwise as bw
    >>> shown = bw.Playthrough(bw.load_game("rock_paper_scissors")()).shown(1)
    >>> isinstance(shown, Shown), shown.current_player(), shown.legal_actions()
    (True, 1, [0, 1, 2])
    """

    legal: tuple[int, ...]

    @abstractmethod
    def current_player(self) -> int:
        """Return the player who is asked; raises `GameError` if the player is not to move."""

    @abstractmethod
    def is_terminal(self) -> bool:
        """Return whether the game is over."""

    def legal_actions(self) -> list[int]:
        """Return the player's legal actions; empty if the player is not to move."""
        return list(self.legal)

    @abstractmethod
    def action_to_string(self, action: int) -> str:
        """Return the text of one of these actions."""

    @abstractmethod
    def not_a_state(self) -> GameError:
        """Return the error for a search of states that is given this in place of one."""
