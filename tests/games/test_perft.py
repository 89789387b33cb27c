"""Perft of games against published counts, and of their forms on a board array.

Published: ultimate tic-tac-toe, the perft tests of independent engines on GitHub; tic-tac-toe, OEIS;
Connect 4, chessprogramming.org. Tic-tac-toe and Connect 4 on bits are counted in tests/testing.
"""

from collections import Counter
from itertools import product
from math import prod

from branchwise.games.cant_stop import CantStop
from branchwise.games.connect_four import ConnectFour
from branchwise.games.mnk import MNK
from branchwise.games.nim import Nim
from branchwise.games.pig import Pig
from branchwise.games.ultimate_tic_tac_toe import UltimateTicTacToe
from branchwise.games.yahtzee import Yahtzee
from branchwise.testing import divide, perft

ULTIMATE = (81, 720, 6336, 55080, 473256)


def counts(game, depth):
    return tuple(perft(game(), d) for d in range(1, depth + 1))


def test_perft_ultimate_tic_tac_toe_matches_published_counts():
    assert counts(UltimateTicTacToe, 5) == ULTIMATE


def test_perft_ultimate_tic_tac_toe_in_plain_python_matches_published_counts():
    plain = [perft(UltimateTicTacToe(), depth, compiled=False) for depth in range(1, 4)]
    assert plain == [*ULTIMATE[:3]]


def test_perft_ultimate_tic_tac_toe_depth_6_matches_published_count():
    assert perft(UltimateTicTacToe(), 6) == 4_020_960


def test_perft_tic_tac_toe_as_mnk_matches_published_counts():
    game = MNK.configured(rows=3, columns=3, in_a_row=3)
    assert counts(game, 6) == (9, 72, 504, 3024, 15120, 54720)


def test_perft_connect_four_as_mnk_matches_published_counts():
    game = MNK.configured(rows=6, columns=7, gravity=True)
    assert counts(game, 6) == (7, 49, 343, 2401, 16807, 117649)


def test_perft_of_small_connect_four_counts_every_sequence_while_nothing_is_full_or_won():
    assert counts(ConnectFour.configured(rows=4, columns=5), 4) == (5, 25, 125, 625)


def test_perft_nim_counts_the_ways_to_take_chips():
    assert counts(Nim.configured(heaps=(2, 1), max_take=0), 4) == (3, 5, 3, 0)


def test_perft_pig_counts_outcomes_as_moves():
    """Far from the target n moves begin with a hold, or with a roll and one of six outcomes."""
    expected = [1, 2]
    while len(expected) <= 8:
        expected.append(expected[-1] + 6 * expected[-2])
    assert counts(Pig, 8) == tuple(expected[1:])
    assert [perft(Pig(), depth, compiled=False) for depth in range(7)] == expected[:7]


def test_perft_pig_ends_with_the_target():
    """To 1 with a two-sided die, who rolls a two has to hold, and the game is over."""
    game = Pig.configured(target=1, sides=2)
    assert counts(game, 3) == (2, 4, 7)
    assert divide(game.from_actions("roll"), 2) == {"1": 2, "2": 1}


def throws(dice):
    """Return the different throws of some dice, each in ascending order."""
    return {tuple(sorted(sides)) for sides in product(range(1, 7), repeat=dice)}


def test_perft_cant_stop_counts_throws_pairings_and_going_on():
    """At the start every pairing can be used in full; then the same player rolls, or the other."""
    pairings = sum(
        len({frozenset((a + x, sum(throw) - a - x)) for x in rest})
        for throw in throws(4)
        for a, *rest in [throw]
    )
    assert counts(CantStop, 3) == (126, pairings, 2 * pairings)
    assert perft(CantStop(), 4) == 2 * pairings * 126
    assert perft(CantStop(), 4, compiled=False) == 2 * pairings * 126


def test_perft_yahtzee_counts_throws_boxes_and_dice_to_keep():
    """Of dice whose sides come n, m, ... times, (n + 1) (m + 1) ... selections are kept, but not all dice."""
    keeps = [prod(count + 1 for count in Counter(throw).values()) - 1 for throw in throws(5)]
    assert counts(Yahtzee, 2) == (252, sum(13 + keep for keep in keeps))
    thrown = [len(throws(5 - len(kept))) for throw in throws(5) for kept in selections(throw)]
    assert len(thrown) == sum(keeps)
    assert perft(Yahtzee(), 3) == 252 * 13 * 252 + sum(thrown)


def selections(throw):
    """Return what of a throw can be kept while at least one die is thrown anew."""
    sets = {
        tuple(side for side, kept in zip(throw, bits, strict=True) if kept)
        for bits in product((0, 1), repeat=5)
    }
    return sets - {throw}
