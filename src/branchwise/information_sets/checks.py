"""Which games these searches take."""

from __future__ import annotations

from branchwise.common.errors import GameError
from branchwise.game.kinds.game_kinds import samples_outcomes, starts_at_random
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, facts_of
from branchwise.rules.facts.game_type import declared_sum, pays, simulates


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
