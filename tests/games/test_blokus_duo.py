"""Blokus Duo: published counts, a naive form of the rules, passing, and scores.

Counts: 91 forms of the 21 pieces and 13,729 places on the board are well known from programs for Blokus
Duo, such as Pentobi; the number of first moves over one starting square follows from the sizes of the forms.
"""

import random

import pytest

import branchwise as bw
from branchwise.game.kinds.game_kinds import written_rule
from branchwise.games.blokus_duo import FORMS, NAMES, PASS, PIECE, STARTS, BlokusDuo, place_of, squares_of
from branchwise.testing import perft


def test_forms_and_places_are_as_many_as_published():
    assert (len(FORMS), PASS, len(NAMES)) == (91, 13_729, 21)
    sizes = [len(form) for _, form in FORMS]
    assert [sizes.count(size) for size in range(1, 6)] == [1, 2, 6, 19, 63]
    assert len({tuple(squares_of(action)) for action in range(PASS)}) == PASS
    assert all(0 <= r < 14 and 0 <= c < 14 for action in range(PASS) for r, c in squares_of(action))


def test_the_first_piece_covers_either_starting_square_in_414_ways():
    first = [squares_of(action) for action in BlokusDuo().legal_actions()]
    for start in STARTS:
        assert sum(start in squares for squares in first) == 414
    assert len(first) == 2 * 414


class Naive:
    """The same rules on sets of squares; every place of every piece is tried."""

    def __init__(self):
        self.squares, self.used, self.turn, self.passes = [set(), set()], [set(), set()], 0, 0

    def moves(self):
        own, other = self.squares[self.turn], self.squares[1 - self.turn]
        beside = {(r + dr, c + dc) for r, c in own for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        across = (
            {(r + dr, c + dc) for r, c in own for dr in (-1, 1) for dc in (-1, 1)} if own else set(STARTS)
        )
        barred = own | other | beside
        return {
            action
            for action in range(PASS)
            if PIECE[place_of(action)[0]] not in self.used[self.turn]
            and across.intersection(ALL_SQUARES[action])
            and barred.isdisjoint(ALL_SQUARES[action])
        } or {PASS}

    def play(self, action):
        self.passes = self.passes + 1 if action == PASS else 0
        if action != PASS:
            self.squares[self.turn] |= set(ALL_SQUARES[action])
            self.used[self.turn].add(int(PIECE[place_of(action)[0]]))
        self.turn = 1 - self.turn


ALL_SQUARES = [squares_of(action) for action in range(PASS)]


@pytest.mark.parametrize("games", [1, pytest.param(100, marks=pytest.mark.slow)])
def test_random_games_agree_with_a_naive_form_of_the_rules(games):
    rng = random.Random(games)
    apply = written_rule(BlokusDuo.apply_action)
    for _ in range(games):
        state, naive = BlokusDuo(), Naive()
        while not state.is_terminal():
            legal = state.legal_actions()
            assert len(set(legal)) == len(legal)
            assert set(legal) == naive.moves()
            action = rng.choice(legal)
            apply(state, action)
            naive.play(action)
        assert naive.passes == 2
        scores = [len(naive.squares[player]) for player in range(2)]
        assert [state.score(player) - state.bonus[player] for player in range(2)] == scores
        lead = state.score(0) - state.score(1)
        assert state.returns()[0] == (lead > 0) - (lead < 0)


def test_perft_counts_the_replies_to_every_first_move():
    """A reply covers a starting square and nothing of the first piece."""
    over_start = [set(squares) for squares in ALL_SQUARES if set(STARTS).intersection(squares)]
    expected = sum(first.isdisjoint(reply) for first in over_start for reply in over_start)
    assert perft(BlokusDuo(), 2, compiled=True) == expected


def test_moves_are_read_with_their_squares_in_any_order():
    state = BlokusDuo()
    action = state.action_from_string("e5,f5,g5")
    assert state.action_to_string(action) == "e5,f5,g5"
    assert state.action_from_string("G5,E5,F5") == action
    for wrong in ("e5,g5", "a1", "e5,f5,g5,h5,i5,j5", "", "pass"):
        with pytest.raises(bw.ActionError, match="is not a legal move here"):
            state.play(wrong)


def test_pieces_of_one_player_meet_at_corners_only():
    state = BlokusDuo.from_actions("e5 j10")
    for touching in ("e6,e7", "f5,f6", "d5,c5", "g7,g8"):
        with pytest.raises(bw.ActionError):
            state.action_from_string(touching)
    state.play("f6,f7")
    assert state.score(0) == 3
    with pytest.raises(bw.ActionError):
        state.copy().play("e5")  # taken by the other player


def test_a_player_without_a_place_passes_and_two_passes_end_the_game():
    state = BlokusDuo.from_actions("e5 j10")
    state.used[:] = (1 << 21) - 1
    assert state.legal_actions() == [PASS]
    state.play("pass")
    assert not state.is_terminal()
    state.play("pass")
    assert state.is_terminal()
    assert state.returns() == (0.0, 0.0)


@pytest.mark.parametrize(("last", "bonus"), [("e5", 20), ("e5,e6", 15)])
def test_placing_all_pieces_earns_more_if_the_single_square_is_last(last, bonus):
    state = BlokusDuo()
    size = len(last.split(","))
    state.used[0] = ((1 << 21) - 1) ^ (1 << size - 1)
    state.squares[0, 0] = 1 << 16 * 3 + 3  # d4
    state.play(last)
    assert (state.bonus[0], state.score(0)) == (bonus, bonus + size + 1)


@pytest.mark.parametrize("mover", [0, 1])
def test_the_only_move_that_wins_is_found_for_either_player(mover):
    """Both have placed as much; the player to move has one piece left and must not pass it by."""
    state = BlokusDuo.from_actions("e5 j10")
    state.used[:] = (1 << 21) - 1
    state.used[mover] ^= 1 << 1
    state.mover = mover
    result = bw.MCTS(seed=1, compiled=False).search(state, simulations=40)
    assert result.value == 1.0
