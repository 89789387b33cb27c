"""Which games and information states these searches take."""

from __future__ import annotations

from typing import Any

from branchwise.errors import ActionError, GameError
from branchwise.game import Game
from branchwise.hidden import hides_information
from branchwise.rules.facts import GameFacts, facts_of
from branchwise.rules.information import InformationState
from branchwise.rules.type import declared_sum, pays, simulates
from branchwise.traits import samples_outcomes, starts_at_random


def check_known(known: Any, method: str) -> None:
    """Raise unless `known` is the information state of a player who is to move among numbered actions."""
    if not isinstance(known, InformationState):
        raise GameError(
            f"{method} searches by what a player knows, not from a {type(known).__name__}",
            mend="give Playthrough(...).information_state(player)",
        )
    if not hides_information(known.game):
        raise GameError(f"{known.name} hides nothing", mend="search the state with MCTS")
    if known.turn != "to move":
        raise ActionError(f"player {known.player} is not to move here: there is nothing to search")
    if not known.legal:
        raise GameError(f"the actions of {known.name} are not numbered, which {method} needs")


def checked_facts(game: type[Game], method: str) -> GameFacts:
    """Return the facts of a game that can be played from its start in compiled code.

    Raises `GameError` for all others, in one sentence.
    """
    if starts_at_random(game):
        raise GameError(f"{game.name} draws its start, and {method} walks from the start of the game")
    start = game()
    facts = facts_of(start)
    if samples_outcomes(game) or simulates(game):
        raise GameError(f"what happens in {game.name} is drawn by its rules, and {method} needs it listed")
    if pays(game):
        raise GameError(f"{game.name} pays rewards on the way, and {method} looks at returns alone")
    if start.is_terminal():
        raise GameError(f"{game.name} is over at its start: there is nothing to search")
    return facts


def sum_of_two(game: type[Game], method: str) -> float:
    """Return the constant sum of both players' returns; raises `GameError` for any other game."""
    found = declared_sum(game, game) if game.num_players == 2 else None
    if found is None:
        players = f"is for {game.num_players} players" if game.num_players != 2 else "is not zero-sum"
        raise GameError(
            f"{game.name} {players}, and {method} converges in zero-sum games for two alone",
            mend="use MOISMCTS, which plays any number of players, or declare the utility of the class",
        )
    return found
