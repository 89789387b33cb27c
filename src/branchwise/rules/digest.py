"""A digest of a game's rules, by which files of measurements recognise the rules that they belong to."""

from __future__ import annotations

from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING

from branchwise.draws import Draws
from branchwise.players import CHANCE
from branchwise.rules.dice import sampled_outcome
from branchwise.rules.facts import apply_legal, facts_of, reward_of
from branchwise.rules.type import pays
from branchwise.traits import samples_outcomes

if TYPE_CHECKING:
    from branchwise.game import Game

_SAMPLE_GAMES = 5
_SAMPLE_LENGTH = 1000
_digests: dict[type[Game], str] = {}


def rules_digest(game: type[Game]) -> str:
    """Return a digest of the rules, from some random games; it is the same on every machine.

    Rules that draw at random are compared by their draws from the same random numbers.
    """
    if game in _digests:
        return _digests[game]
    digest = blake2b(digest_size=8)
    for number in range(_SAMPLE_GAMES):
        source, draws, state = Random(f"rules {number}"), Draws(number), game()
        for _ in range(_SAMPLE_LENGTH):
            if state.is_terminal():
                if not pays(game):
                    digest.update(repr([float(gain) for gain in state.returns()]).encode())
                break
            by_chance = state.current_player() == CHANCE
            drawn = by_chance and samples_outcomes(game)
            legal = [sampled_outcome(state, draws)] if drawn else [int(a) for a in state.legal_actions()]
            digest.update(f"{int(state.current_player())}{legal}".encode())
            if by_chance and not drawn:
                pairs = state.chance_outcomes()  # type: ignore[attr-defined]
                digest.update(" ".join(f"{chance:.9f}" for _, chance in pairs).encode())
            given = apply_legal(state, legal[int(source.random() * len(legal))], draws)
            if pays(game):
                rewards = reward_of(state, given, facts_of(state, joint=True))
                digest.update(" ".join(f"{reward:.6f}" for reward in rewards).encode())
    _digests[game] = digest.hexdigest()
    return _digests[game]
