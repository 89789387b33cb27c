"""The games that UCI and GTP are made for."""

from __future__ import annotations

from branchwise.common.errors import GameError
from branchwise.game.kinds.game_kinds import starts_at_random
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import draws_what_happens, game_facts


def check_two_players(game: type[Game]) -> None:
    """Raise `GameError` unless moves alone determine a position, and two players move in turn."""
    state = game()
    facts = game_facts(state)
    why = None
    if facts.num_players != 2:
        why = f"{facts.num_players} players" if facts.num_players > 1 else "one player"
    elif game.num_outcomes or draws_what_happens(state) or starts_at_random(game):
        why = "chance in it"
    if why is not None:
        raise GameError(
            f"{game.name} has {why}, and GTP and UCI are for two players without chance",
            mend="engine(command=...), which speaks UGI, plays it",
        )


def base_name(game: type[Game]) -> str:
    """Return the name of a game without its options.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> base_name(ConnectFour.configured(rows=5))
    'connect_four'
    """
    return (game._base or game).name
