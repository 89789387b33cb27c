"""Dots and boxes: OpenSpiel in step, solved boards, boards of any size, and its picture."""

import random

import pytest

import branchwise as bw
from branchwise.games.dots_and_boxes import DotsAndBoxes
from branchwise.testing import exact_value, perft, solve_actions
from support.budgets import share_of_points
from support.rows import slow

SIZES = [(2, 2), (1, 1), (3, 5), (7, 8)]


@pytest.mark.parametrize(
    ("rows", "columns", "games"),
    [*((*size, 5) for size in SIZES), slow(2, 2, 1000), slow(5, 5, 1000), slow(7, 8, 200)],
)
def test_random_games_agree_with_openspiel(rows, columns, games):
    pyspiel = pytest.importorskip("pyspiel")
    size = f"num_rows={rows},num_cols={columns}"
    for margin in (False, True):
        game = DotsAndBoxes.configured(rows=rows, columns=columns, margin=margin)
        theirs = pyspiel.load_game(f"dots_and_boxes({size},utility_margin={margin})")
        rng = random.Random(games)
        for _ in range(games):
            state, other = game(), theirs.new_initial_state()
            while not other.is_terminal():
                assert not state.is_terminal()
                assert state.current_player() == other.current_player()
                assert state.legal_actions() == other.legal_actions()
                action = rng.choice(state.legal_actions())
                state.apply_action(action)
                other.apply_action(action)
            assert state.is_terminal()
            assert list(state.returns()) == other.returns()


def test_perft_counts_every_order_of_the_sides():
    assert perft(DotsAndBoxes(), 5, compiled=False) == 12 * 11 * 10 * 9 * 8


# --- solved boards -----------------------------------------------------------------------------------------

NET_SCORES = {(1, 1): -1, (1, 2): 0, (1, 3): -1, (2, 2): 2, (2, 3): -2}
"""Boxes by which the first player leads with best play of both, as the naive solver below computes them too.
That the first player wins on 2x2 is explained in Berlekamp, Conway, Guy, "Winning Ways", chapter 16."""


def naive_net_score(rows, columns):
    """Solve a board whose sides are pairs of dots; the value is that of the player to move."""
    dots = [(r, c) for r in range(rows + 1) for c in range(columns + 1)]
    sides = frozenset((a, b) for a in dots for b in dots if (b[0] - a[0], b[1] - a[1]) in ((0, 1), (1, 0)))
    boxes = [
        {
            ((r, c), (r, c + 1)),
            ((r + 1, c), (r + 1, c + 1)),
            ((r, c), (r + 1, c)),
            ((r, c + 1), (r + 1, c + 1)),
        }
        for r in range(rows)
        for c in range(columns)
    ]
    known = {frozenset(): 0}

    def value(free):
        if free not in known:
            results = []
            for side in free:
                left = free - {side}
                gained = sum(side in box and not box & left for box in boxes)
                results.append(gained + value(left) if gained else -value(left))
            known[free] = max(results)
        return known[free]

    return value(sides)


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (1, 3), slow((2, 2)), slow((2, 3))], ids=str)
def test_net_scores_are_those_of_a_naive_solver(size):
    assert naive_net_score(*size) == NET_SCORES[size]
    if size[0] == 1:
        game = DotsAndBoxes.configured(rows=size[0], columns=size[1], margin=True)
        assert exact_value(game()) == NET_SCORES[size]


@pytest.mark.slow
@pytest.mark.parametrize("margin", [False, True])
@pytest.mark.parametrize("size", [(2, 2), (2, 3)], ids=str)
def test_a_search_proves_the_value_of_small_boards_at_both_parities(size, margin):
    """The second parity is that after a first move that keeps the value."""
    game = DotsAndBoxes.configured(rows=size[0], columns=size[1], margin=margin)
    expected = NET_SCORES[size] if margin else (1 if NET_SCORES[size] > 0 else -1)
    state = game()
    result = bw.MCTS(seed=1, transpositions=True).search(state, simulations=2_000_000)
    assert (result.ended_by, result.value) == ("proven", expected)
    state.apply_action(result.best_action)
    result = bw.MCTS(seed=1, transpositions=True).search(state, simulations=2_000_000)
    assert (result.ended_by, result.value) == ("proven", -expected)


def test_every_proven_value_of_a_row_of_boxes_is_exact():
    game = DotsAndBoxes.configured(rows=1, columns=2)
    for first in (0, 5):
        state = game()
        state.apply_action(first)
        exact = solve_actions(state)
        result = bw.MCTS(seed=1, compiled=False).search(state, simulations=3000)
        assert result.ended_by == "proven"
        assert result.value == max(exact.values())


# --- rules, names and pictures -----------------------------------------------------------------------------


def test_a_box_gives_another_turn_and_two_boxes_count_twice():
    state = DotsAndBoxes.configured(rows=1, columns=2).from_actions("b1 d1 b3 d3 a2 e2")
    assert state.current_player() == 0
    state.play("c2")
    assert (state.lead, state.mover, state.is_terminal()) == (2, 0, True)
    assert state.returns() == (1.0, -1.0)
    state = DotsAndBoxes.from_actions("b1 a2 c2")
    assert (state.lead, state.mover) == (0, 1)
    state.play("b3")
    assert (state.lead, state.mover) == (-1, 1)


def test_the_sides_of_a_large_board_are_in_several_numbers():
    game = DotsAndBoxes.configured(rows=12, columns=30)
    assert (game.num_actions, game.words) == (762, 13)
    state = game()
    assert len(state.legal_actions()) == 762
    for side in range(760):
        state.apply_action(side)
    assert state.legal_actions() == [760, 761]
    state.apply_action(761)
    state.apply_action(760)
    assert state.is_terminal()
    assert abs(state.lead) <= 360


def test_returns_are_the_lead_with_margin():
    game = DotsAndBoxes.configured(margin=True)
    assert (game.min_return, game.max_return) == (-4, 4)
    state = game.from_actions(range(12))
    assert state.returns() == (float(state.lead), -float(state.lead))


@pytest.mark.parametrize("options", ["rows=0", "columns=31", "rows=-1,columns=2"])
def test_a_board_that_cannot_be_is_refused(options):
    with pytest.raises(bw.GameError, match=r"dots_and_boxes\(\w+=-?\d+\) is not from 1 to 30"):
        bw.load_game(f"dots_and_boxes({options})")


def test_sides_are_named_as_the_cells_of_the_picture():
    state = DotsAndBoxes.from_actions("b1 a2 c2 b3 d1")
    lines = str(state).splitlines()
    assert lines[2:5] == ["3  + ─ + . +", "2  │ # │   .", "1  + ─ + ─ +"]
    assert lines[-1] == "player 0: 0, player 1: 1"
    with pytest.raises(bw.ActionError, match='"b1" is not a legal move here'):
        state.play("b1")
    for name in ("a1", "b2"):  # a dot and a box
        with pytest.raises(bw.ActionError, match="is not a legal move here"):
            state.play(name)


def test_strength_rises_with_the_budget():
    game = DotsAndBoxes.configured(rows=3, columns=3)
    assert share_of_points(game, (400, 10), pairs=6, opening_moves=5) >= 0.7
