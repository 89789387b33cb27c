"""What a player is given to choose from where all players move at once."""

from __future__ import annotations

from typing import Any

from branchwise.common.errors import GameError
from branchwise.game.kinds.simultaneous_moves import choice_text
from branchwise.rules.facts.facts import copied, name_of, num_players_of
from branchwise.rules.facts.given_to_bots import Shown


class JointChoice(Shown):
    """A state in which all players move at once, from the point of view of one of them.

    Bots get it in place of the state, so that each chooses an action of their own without seeing the others'.
    It answers as the state does, for this player alone.

    state : the state; it is copied.   player : who is asked.

    >>> from branchwise.games.rock_paper_scissors import RockPaperScissors
    >>> choice = JointChoice(RockPaperScissors(), 1)
    >>> choice.current_player(), choice.legal_actions(), choice.action_to_string(2)
    (1, [0, 1, 2], 'scissors')
    """

    def __init__(self, state: Any, player: int) -> None:
        self.state = copied(state)
        self.player = player
        self.name = name_of(state)

    def current_player(self) -> int:
        """Return the player who is asked."""
        return self.player

    def legal_actions(self) -> list[int]:
        """Return the player's legal actions, at least one."""
        return list(self.state.legal_actions(self.player))

    def is_terminal(self) -> bool:
        """Return False: there is something to choose."""
        return False

    def action_to_string(self, action: int) -> str:
        """Return the text of an action of the player."""
        return choice_text(self.state, self.player, action)

    def not_a_state(self) -> GameError:
        """Return the error for a search of states that is given this in place of one."""
        return GameError(
            f"all players of {self.name} move at once here, which only MCTS plans for",
            mend="use the bots mcts or random",
        )

    def __str__(self) -> str:
        return str(self.state)

    def __repr__(self) -> str:
        return f"<branchwise.JointChoice {self.name}: player {self.player}>"


def chooser_views(state: Any) -> dict[int, JointChoice]:
    """Return what each player with a choice is given, where all move at once.

    >>> from branchwise.games.rock_paper_scissors import RockPaperScissors
    >>> sorted(chooser_views(RockPaperScissors()))
    [0, 1]
    """
    views = (JointChoice(state, player) for player in range(num_players_of(state)))
    return {view.player: view for view in views if view.legal_actions()}
