"""Checkers: published counts, OpenSpiel in step, chains of jumps, FEN and the notation of moves."""

import random
import re

import pytest

import branchwise as bw
from branchwise.games.checkers import AFTER, CAPTURED, Checkers, square_of
from branchwise.testing import perft
from support.budgets import share_of_points
from support.rows import slow

PUBLISHED = (7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564)
"""OEIS A133046, computed by Aart Bik; two chains that capture the same men are counted separately."""


def moves(fen):
    state = Checkers.from_fen(fen)
    return {state.action_to_string(action) for action in state.legal_actions()}


def test_perft_in_plain_python_matches_published_counts():
    assert [perft(Checkers(), depth, compiled=False) for depth in range(1, 6)] == [*PUBLISHED[:5]]


@pytest.mark.slow
def test_perft_to_depth_10_matches_published_counts():
    assert [perft(Checkers(), depth) for depth in range(1, 11)] == [*PUBLISHED]


# --- in step with OpenSpiel -------------------------------------------------------------------------------


def cell(square):
    """Return OpenSpiel's name of a square; its first player moves up the board."""
    row, place = divmod(square - 1, 4)
    column = 2 * place + (row + 1) % 2
    return f"{'hgfedcba'[column]}{row + 1}"


def whole_moves(other, path=()):
    """Yield each move of OpenSpiel's state, where every jump is an action, as cells and actions."""
    player = other.current_player()
    for action in other.legal_actions():
        text = other.action_to_string(action)
        start, end = text[:2], text[2:]
        line = (*(path or ((start,), ())),)
        line = ((*line[0], end), (*line[1], action))
        after = other.child(action)
        if not after.is_terminal() and after.current_player() == player:
            yield from whole_moves(after, line)
        else:
            yield line


@pytest.mark.parametrize("games", [10, slow(1000)])
def test_random_games_agree_with_openspiel(games):
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs = Checkers.configured(draw_after=40, men_count=False), pyspiel.load_game("checkers")
    rng = random.Random(games)
    for _ in range(games):
        state, other = game(), theirs.new_initial_state()
        while not other.is_terminal():
            assert not state.is_terminal()
            assert state.current_player() == other.current_player()
            ours = {tuple(map(cell, state.squares(action))): action for action in state.legal_actions()}
            his = dict(whole_moves(other))
            assert ours.keys() == his.keys()
            path = rng.choice(sorted(ours))
            state.apply_action(ours[path])
            for action in his[path]:
                other.apply_action(action)
        assert state.is_terminal()
        assert list(state.returns()) == other.returns()


# --- rules -----------------------------------------------------------------------------------------------


def test_captures_are_compulsory_and_chains_are_played_to_their_end():
    assert moves("B:W18,25:B14,1") == {"14x23"}
    assert moves("W:W22,32:B18,11") == {"22x15x8"}


def test_a_man_that_becomes_a_king_stops():
    state = Checkers.from_fen("W:W11:B7,6,1")
    assert moves("W:W11:B7,6,1") == {"11x2"}
    state.play("11x2")
    assert state.to_fen() == "B:WK2:B1,6"
    assert moves("W:WK11:B7,6") == {"11x2x9"}


def test_men_capture_forward_only_and_kings_both_ways():
    assert moves("B:W9,18:B14") == {"14x23"}
    assert moves("B:W9,18:BK14") == {"14x5", "14x23"}


def test_a_king_may_return_to_the_square_from_which_it_began():
    assert moves("B:W7,8,15,16:BK3") == {"3x12x19x10x3", "3x10x19x12x3"}
    state = Checkers.from_fen("B:W7,8,15,16,32:BK3")
    state.play("3x10x19x12x3")
    assert state.to_fen() == "W:W32:BK3"


def test_there_is_every_chain_of_jumps_once():
    assert len(CAPTURED) == 1328
    names = {tuple(Checkers().squares(140 + trail)) for trail in range(len(CAPTURED))}
    assert len(names) == 1328
    assert max(len(name) for name in names) == 10
    assert all(AFTER[trail] > trail for trail in range(1328))


@pytest.mark.parametrize(
    ("fen", "returns"),
    [
        ("B:W5,6,9,10:B1", (-1.0, 1.0)),
        ("W:W8:B3,4", (1.0, -1.0)),
        ("B:W31:B", (-1.0, 1.0)),
        ("W:W:B1", (1.0, -1.0)),
        ("W:W31:B", None),
        ("W:WK8:B3,4", None),
    ],
)
def test_a_player_who_cannot_move_loses(fen, returns):
    state = Checkers.from_fen(fen)
    assert state.is_terminal() == (returns is not None)
    assert returns is None or state.returns() == returns


@pytest.mark.parametrize(("men_count", "after_a_man", "length"), [(True, 0, 6), (False, 3, 4)])
def test_a_game_is_drawn_after_quiet_moves(men_count, after_a_man, length):
    game = Checkers.configured(draw_after=4, men_count=men_count)
    state = game.from_fen("B:W28,K32:BK1,5")
    for number, move in enumerate(["1-6", "28-24", "6-1", "32-28", "1-6", "28-32"], start=1):
        assert not state.is_terminal()
        state.play(move)
        if number == length - 1:
            assert not state.is_terminal()
        if number == length:
            break
    assert state.is_terminal()
    assert state.returns() == (0.0, 0.0)


@pytest.mark.parametrize("draw_after", [0, 1001])
def test_a_limit_that_makes_no_sense_is_refused(draw_after):
    with pytest.raises(bw.GameError, match="is not from 1 to 1,000"):
        Checkers.configured(draw_after=draw_after)


# --- positions and moves as text ---------------------------------------------------------------------------


def test_a_position_survives_its_fen(positions):
    for state in positions(Checkers, 3):
        again = Checkers.from_fen(state.to_fen())
        again.quiet = state.quiet
        assert again == state


def test_a_fen_may_have_ranges_lower_case_and_a_full_stop():
    assert Checkers.from_fen(" b:b1-12:w21-32. ") == Checkers()
    assert Checkers.from_fen("W:WK1-3:BK32").to_fen() == "W:WK1,K2,K3:BK32"


@pytest.mark.parametrize(
    ("fen", "problem"),
    [
        ("", "it does not have a side to move and the pieces of both"),
        ("B:W21", "it does not have a side to move and the pieces of both"),
        ("X:W21:B1", "it does not have a side to move and the pieces of both"),
        ("B:B21:B1", "it does not have a side to move and the pieces of both"),
        ("B:W33:B1", "33 is not from 1 to 32"),
        ("B:W0:B1", "0 is not from 1 to 32"),
        ("B:W21-19:B1", "21-19 is not from 1 to 32"),
        ("B:Wa3:B1", "A3 is no square"),
        ("B:W21:B1,K21", "K21 is on a square that has a piece"),
        ("B:W3:B1", "3 of W is a man on its last row"),
        ("B:W21:B30", "30 of B is a man on its last row"),
    ],
)
def test_a_broken_fen_is_refused(fen, problem):
    with pytest.raises(bw.GameError, match=re.escape(problem)) as caught:
        Checkers.from_fen(fen)
    assert '"B:W21-32:B1-12"' in caught.value.mend


def test_a_capture_is_read_in_full_or_by_its_ends():
    state = Checkers.from_fen("W:W22,32:B18,11")
    names = ["22x15x8", "22X15X8", "22-15-8", "22:15:8", "22x8", "22-8"]
    assert {state.action_from_string(name) for name in names} == set(state.legal_actions())
    both_ways = Checkers.from_fen("B:W7,8,15,16:BK3")
    with pytest.raises(bw.ActionError, match='"3x3" is not a legal move here'):
        both_ways.action_from_string("3x3")
    for name in ("11-15", "11x15", "11 - 15"):
        assert Checkers().action_from_string(name) == Checkers().action_from_string("11-15")
    for name in ("11-14", "x", "11-", "11x15x18", "1-5"):
        with pytest.raises(bw.ActionError, match="is not a legal move here"):
            Checkers().action_from_string(name)


def test_the_board_has_the_numbers_of_its_empty_squares():
    lines = str(Checkers.from_fen("W:WK10:B1,22")).splitlines()
    assert lines[0].split() == ["b", "2", "3", "4"]
    assert lines[2].split() == ["9", "W", "11", "12"]
    assert lines[5].split() == ["21", "b", "23", "24"]


# --- knowledge ----------------------------------------------------------------------------------------------


def turned(state):
    """Return the position with colours exchanged, seen from the other side."""
    colour, white, black = state.to_fen().split(":")

    def pieces(group):
        return ",".join(re.sub(r"\d+", lambda n: str(33 - int(n[0])), item) for item in group[1:].split(","))

    return Checkers.from_fen(f"{'W' if colour == 'B' else 'B'}:W{pieces(black)}:B{pieces(white)}")


def test_evaluation_and_prior_are_alike_for_both_sides(positions):
    for state in positions(Checkers, 3):
        if state.is_terminal():
            continue
        twin = turned(state)
        assert twin.evaluate() == state.evaluate()[::-1]
        ours = {tuple(state.squares(a)): state.prior(a) for a in state.legal_actions()}
        his = {tuple(33 - n for n in twin.squares(a)): twin.prior(a) for a in twin.legal_actions()}
        assert ours == his


def test_evaluation_favours_more_men_kings_and_trades_when_ahead():
    def value(fen):
        return Checkers.from_fen(fen).evaluate()[0]

    assert value("B:W21-32:B1-12") == value("W:W21-32:B1-12") == 0
    assert 0 < value("B:W22,23:B10,11,12") < value("B:W22:B10,11")
    assert value("B:W22:BK10") > 0 > value("B:WK22:B10")


def test_a_step_onto_an_attacked_square_has_the_smallest_prior(positions):
    """From the definition: after it, the opponent has a capture of that piece."""
    compared = 0
    for state in positions(Checkers, 4):
        for action in [] if state.is_terminal() or state.jumpers else state.legal_actions():
            after = state.copy()
            after.apply_action(action)
            end = state.squares(action)[-1]
            taken = [CAPTURED[answer - 140] for answer in after.legal_actions() if answer >= 140]
            hanging = any(
                bits >> bit & 1
                for bits in taken
                for bit in range(35)
                if square_of(bit) == end and bit % 9 != 8
            )
            if state.prior(action) < 1:
                assert hanging
                compared += 1
    assert compared > 5


@pytest.mark.slow
def test_strength_rises_with_the_budget():
    assert share_of_points(Checkers, (160, 10), pairs=4, opening_moves=5) >= 0.7
