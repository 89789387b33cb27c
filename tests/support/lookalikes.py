"""Pairs of games that differ, and look the same to the player to move."""

import random

import branchwise as bw
from branchwise.games.battleship import Battleship
from branchwise.games.dark_hex import DarkHex
from branchwise.games.hearts import Hearts
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.liars_dice import LiarsDice
from branchwise.games.phantom_tic_tac_toe import PhantomTicTacToe
from branchwise.games.sealed_goofspiel import SealedGoofspiel

GAMES = [
    Battleship.configured(rows=2, columns=3, sizes=(2,), shots=3),
    DarkHex,
    KuhnPoker,
    LeducPoker,
    LiarsDice,
    PhantomTicTacToe,
    SealedGoofspiel.configured(num_cards=4),
]
"""Games in which random play soon reaches two states that look the same; hearts has a test of its own."""

NAMES = {game.name.partition("(")[0] for game in GAMES} | {"hearts"}


def twins(game, count, seed=1):
    """Return pairs of playthroughs whose states differ, and look the same to the player to move."""
    rng = random.Random(seed)
    first, pairs, paired = {}, [], set()
    for _ in range(20_000):
        played = bw.Playthrough(game())
        while not played.is_over:
            if not played.is_chance:
                known = played.information_state(played.player)
                other = first.setdefault(known, played.copy())
                if other.state != played.state and known not in paired:
                    paired.add(known)
                    pairs.append((other, played.copy()))
                    if len(pairs) == count:
                        return pairs
            played.play(rng.choice(played.state.legal_actions()))
    raise AssertionError("no states look the same")


def finished_twins(game, viewer, count, seed=1):
    """Return pairs of finished games that look the same to `viewer` until the last move, and differ there.

    The viewer chooses among the first two legal actions, so that there are fewer different games.
    """
    rng = random.Random(seed)
    first, pairs = {}, []
    for _ in range(20_000):
        played = bw.Playthrough(game())
        while not played.is_over:
            legal = played.state.legal_actions()
            played.play(rng.choice(legal[:2] if played.player == viewer else legal))
        last = played.length - 1
        other = first.setdefault(played.information_state(viewer, last), played)
        if other.state_at(other.length - 1) != played.state_at(last):
            pairs.append((other, played))
            if len(pairs) == count:
                return pairs
    raise AssertionError("no finished games look the same")


def other_deal(played, player):
    """Return the same game of hearts with two cards exchanged between players who do not play them here."""
    actions = list(played.actions)
    for first in range(1, 53):
        for second in range(first + 1, 53):
            owners = {(first - 1) % 4, (second - 1) % 4}
            if player in owners or len(owners) == 1:
                continue
            changed = list(actions)
            changed[first], changed[second] = actions[second], actions[first]
            try:
                return bw.Playthrough(Hearts(), changed)
            except bw.ActionError:
                continue
    return None
