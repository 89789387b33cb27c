"""The bot that plays a game unless another is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from branchwise.game.kinds.game_kinds import is_partially_observed
from branchwise.game.kinds.hidden_information import hides_information

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game

OPEN_BOT = "mcts"
JOINT_BOT = "mcts(joint=regret_matching)"
"""Where players move at once: best play is mixed there, which the default of `joint` need not find."""


def usual_bot(game: type[Game]) -> str:
    """Return the text form of the bot that searches a game by what its players know.

    >>> from branchwise.games import load_game
    >>> [usual_bot(load_game(name)) for name in ("nim", "kuhn_poker", "goofspiel", "tiger")]
    ['mcts', 'ismcts', 'mcts(joint=regret_matching)', 'pomcp']
    """
    if is_partially_observed(game):
        return "pomcp"
    if hides_information(game):
        return "ismcts"
    return JOINT_BOT if game._joint else OPEN_BOT
