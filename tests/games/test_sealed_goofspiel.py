"""Goofspiel with sealed bids: what players see, bids dealt anew, searches, wrong options."""

import random
from collections import Counter
from itertools import permutations

import pytest

import branchwise as bw
from branchwise.games import bid_draws
from branchwise.games.sealed_goofspiel import SealedGoofspiel
from branchwise.rules.checking.contract import unlikely
from branchwise.rules.knowledge.dealing import drawn_state

FOUR = SealedGoofspiel.configured(num_cards=4, points_order="descending")


def test_players_see_who_won_and_not_the_bid():
    known = [
        bw.Playthrough(FOUR(), moves).information_state(0) for moves in ("4 2 1 3", "4 1 1 2", "4 4 1 2")
    ]
    assert known[0] == known[1] != known[2]
    assert str(known[0]).splitlines() == [
        "           points  bids cards",
        "> player 0     4   4 1   2 3",
        "  player 1     3   ? ?     ?",
        "point card 2",
    ]


def test_the_last_cards_are_bid_by_themselves_and_all_is_shown_then():
    state = FOUR.from_actions("4 3 1 2 2 1")
    assert state.is_terminal()
    assert state.bids.tolist() == [[4, 1, 2, 3], [3, 2, 1, 4]]
    assert state.points.tolist() == [4 + 2, 3 + 1]
    assert state.returns().tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"num_cards": 1}, "sealed_goofspiel(num_cards=1)"),
        ({"num_turns": 14}, "sealed_goofspiel(num_turns=14)"),
        ({"points_order": "up"}, 'sealed_goofspiel(points_order="up")'),
    ],
)
def test_impossible_options_are_refused(options, said):
    with pytest.raises(bw.GameError) as caught:
        SealedGoofspiel.configured(**options)
    assert said in str(caught.value)


# --- bids dealt anew ----------------------------------------------------------------------------------------


def right_shares(num_cards, own, signs, in_turn):
    """Return the share of each way to bid that fits, by listing all of them."""
    found = {}
    for bids in permutations(range(num_cards), len(own)):
        if all((bid > mine) - (bid < mine) == sign for bid, mine, sign in zip(bids, own, signs, strict=True)):
            share, left = 1.0, set(range(num_cards))
            for bid, mine, sign in zip(bids, own, signs, strict=True):
                if in_turn:
                    share /= sum((card > mine) - (card < mine) == sign for card in left)
                left.discard(bid)
            found[bids] = share
    whole = sum(found.values())
    return {bids: share / whole for bids, share in found.items()}


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(
    ("num_cards", "own", "theirs"),
    [
        (4, (3, 0), (2, 1)),
        (5, (4, 0, 2), (1, 3, 0)),
        (6, (2, 5, 1, 3), (2, 3, 4, 1)),
        (7, (1, 4, 2, 5, 3), (3, 1, 5, 2, 4)),
        (7, (3, 2, 6, 0, 5), (5, 6, 0, 4, 2)),
        (6, (0, 1, 2, 3), (1, 2, 3, 4)),
    ],
)
def test_bids_come_in_the_shares_of_all_that_fit(num_cards, own, theirs, player):
    """Won and lost turns, and equal bids; the order of the bids counts."""
    played = bw.Playthrough(SealedGoofspiel.configured(num_cards=num_cards, points_order="ascending")())
    for mine, bid in zip(own, theirs, strict=True):
        for action in (mine, bid) if player == 0 else (bid, mine):
            if not played.is_over:
                played.play(action)
    if player == 1 and not played.is_over:
        played.play(next(action for action in played.state.legal_actions()))
    signs = [(bid > mine) - (bid < mine) for bid, mine in zip(theirs, own, strict=True)]
    right = right_shares(num_cards, own, signs, in_turn=player == 0)
    known, source, number = played.information_state(player), bw.Random(5), 2000
    drawn = Counter()
    for _ in range(number):
        dealt = drawn_state(known, source).bids[1 - player].tolist()
        drawn[tuple(bid - 1 for bid in dealt[: len(own)])] += 1
    assert set(drawn) <= set(right)
    pairs = [(drawn[bids], share * number) for bids, share in right.items() if share * number >= 5]
    rare = number - sum(due for _, due in pairs)
    if rare >= 5:
        pairs.append((number - sum(seen for seen, _ in pairs), rare))
    if len(pairs) > 1:
        assert not unlikely(sum((seen - due) ** 2 / due for seen, due in pairs), len(pairs) - 1)


@pytest.mark.parametrize("tries", [bid_draws.MOST_TRIES, 0])
def test_a_game_with_other_bids_dealt_looks_the_same_to_the_player(tries, monkeypatch):
    """In every turn of a long game there is a deal, and it explains who won each turn."""
    monkeypatch.setattr(bid_draws, "MOST_TRIES", tries)
    for seed in range(6):
        rng, source, played, differ = (
            random.Random(seed),
            bw.Random(seed),
            bw.Playthrough(SealedGoofspiel()),
            0,
        )
        while not played.is_over:
            if not played.is_chance:
                known = played.information_state(played.player)
                dealt = drawn_state(known, source)
                turns, moves = Counter(), []
                for move in played.moves[: played.ply]:
                    bid = dealt.bids[move.player, turns[move.player]] - 1 if move.player >= 0 else move.action
                    turns[move.player] += 1
                    moves.append(int(bid))
                other = bw.Playthrough(SealedGoofspiel(), moves)
                assert other.information_state(played.player) == known
                differ += other.state != played.state
            played.play(rng.choice(played.state.legal_actions()))
        assert differ > 5


# --- searches -----------------------------------------------------------------------------------------------


def test_outcome_sampling_comes_near_equilibrium():
    found = []
    for simulations in (1_000, 20_000, 200_000):
        policy = bw.OOS(seed=1).solve(FOUR, simulations=simulations)
        found.append(bw.exploitability(policy))
    assert found[0] > 3 * found[2]
    assert found[2] < 0.02
    assert bw.expected_returns(policy)[0] == pytest.approx(0.0, abs=0.005)
