"""A digest of a game's rules, by which files of measurements recognise the rules that they belong to."""

from __future__ import annotations

from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Any

from branchwise.common.players import CHANCE, NO_ACTION, SIMULTANEOUS
from branchwise.game.kinds.game_kinds import samples_outcomes
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.kinds.random_numbers import Draws
from branchwise.rules.facts.dice import sampled_outcome
from branchwise.rules.facts.facts import apply_legal, facts_of, reward_of
from branchwise.rules.facts.game_type import pays

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game

_SAMPLE_GAMES = 5
_SAMPLE_LENGTH = 1000
_digests: dict[type[Game], str] = {}


def rules_digest(game: type[Game]) -> str:
    """Return a digest of the rules, from some random games; it is the same on every machine.

    It depends on what each player sees, if not all see everything. Rules that draw at random are compared by
    their draws from the same random numbers.
    """
    if game in _digests:
        return _digests[game]
    digest, hides = blake2b(digest_size=8), hides_information(game)
    for number in range(_SAMPLE_GAMES):
        source, draws, state = Random(f"rules {number}"), Draws(number), game()
        for _ in range(_SAMPLE_LENGTH):
            if state.is_terminal():
                if not pays(game):
                    digest.update(repr([float(gain) for gain in state.returns()]).encode())
                break
            if hides:
                seen = [state.observation(player) for player in range(game.num_players)]
                digest.update(repr(seen).encode())
            if state.current_player() == SIMULTANEOUS:
                choices = [state.legal_actions(player) for player in range(game.num_players)]
                digest.update(f"{choices}".encode())
                move: Any = tuple(c[int(source.random() * len(c))] if c else NO_ACTION for c in choices)
                digest.update(_paid(state, apply_legal(state, move), game))
                continue
            by_chance = state.current_player() == CHANCE
            drawn = by_chance and samples_outcomes(game)
            legal = [sampled_outcome(state, draws)] if drawn else [int(a) for a in state.legal_actions()]
            digest.update(f"{int(state.current_player())}{legal}".encode())
            if by_chance and not drawn:
                pairs = state.chance_outcomes()  # type: ignore[attr-defined]
                digest.update(" ".join(f"{chance:.9f}" for _, chance in pairs).encode())
            given = apply_legal(state, legal[int(source.random() * len(legal))], draws)
            digest.update(_paid(state, given, game))
    _digests[game] = digest.hexdigest()
    return _digests[game]


def _paid(state: Game, given: object, game: type[Game]) -> bytes:
    """Return the rewards of a move as bytes; none if the game does not pay on the way."""
    if not pays(game):
        return b""
    rewards = reward_of(state, given, facts_of(state, joint=True))
    return " ".join(f"{reward:.6f}" for reward in rewards).encode()
