"""Breakthrough: published counts, OpenSpiel and a naive board in step, its variants, and its playouts."""

import random
import re

import pytest

import branchwise as bw
from branchwise.compile.states.randomness import Randomness
from branchwise.core.numbers.random_streams import new_streams
from branchwise.games.breakthrough import Breakthrough
from branchwise.testing import divide, perft, solve_actions
from support.budgets import share_of_points
from support.rows import slow

VARIANTS = [
    {},
    {"rows": 5, "columns": 4},
    {"rows": 6, "columns": 3, "misere": True},
    {"knightthrough": True},
    {"rows": 7, "columns": 5, "knightthrough": True, "misere": True},
    {"rows": 4, "columns": 21, "home": 1},
    {"rows": 32, "columns": 2},
]


class Board:
    """The rules on a dictionary from (column, row) to player, with row 0 at the bottom."""

    def __init__(self, rows=8, columns=8, home=2, misere=False, knightthrough=False):
        self.rows, self.columns, self.misere = rows, columns, misere
        self.steps = ((-1, 1), (0, 1), (1, 1))
        if knightthrough:
            self.steps = ((-2, 1), (-1, 2), (1, 2), (2, 1))
        self.men = {(c, r): 0 for c in range(columns) for r in range(home)}
        self.men |= {(c, rows - 1 - r): 1 for c in range(columns) for r in range(home)}
        self.mover = 0

    def moves(self):
        found = []
        for (column, row), player in self.men.items():
            for aside, ahead in self.steps if player == self.mover else ():
                end = column + aside, row + (ahead if player == 0 else -ahead)
                on_board = 0 <= end[0] < self.columns and 0 <= end[1] < self.rows
                blocked = end in self.men if aside == 0 else self.men.get(end) == player
                if on_board and not blocked:
                    found.append(((column, row), end))
        return found

    def play(self, start, end):
        self.men.pop(start)
        self.men[end] = self.mover
        self.mover = 1 - self.mover

    def returns(self):
        arrived = any(row == (self.rows - 1, 0)[player] for (_, row), player in self.men.items())
        if not arrived and self.mover in self.men.values():
            return None
        winner = self.mover if self.misere else 1 - self.mover
        return (1.0, -1.0) if winner == 0 else (-1.0, 1.0)


def name(move):
    return "".join("abcdefghijklmnopqrstuvwxyz"[column] + str(row + 1) for column, row in move)


def named(state):
    return {state.action_to_string(action): action for action in state.legal_actions()}


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_random_games_agree_with_a_naive_board(options):
    rng = random.Random(1)
    for _ in range(6):
        state, board = Breakthrough.configured(**options)(), Board(**options)
        while board.returns() is None:
            assert not state.is_terminal()
            assert state.current_player() == board.mover
            moves, actions = {name(move): move for move in board.moves()}, named(state)
            assert sorted(moves) == sorted(actions)
            shown = {
                (c, 1 + r): cell.owner
                for r, row in enumerate(reversed(state.to_grid().cells))
                for c, cell in enumerate(row)
                if cell.owner is not None
            }
            assert shown == {(c, 1 + r): player for (c, r), player in board.men.items()}
            move = rng.choice(sorted(moves))
            state.apply_action(actions[move])
            board.play(*moves[move])
        assert state.is_terminal()
        assert tuple(state.returns()) == board.returns()


@pytest.mark.parametrize(
    ("options", "openspiel", "games"),
    [
        ({}, "breakthrough", 10),
        ({"rows": 6, "columns": 5}, "breakthrough(rows=6,columns=5)", 20),
        slow({}, "breakthrough", 1000),
        slow({"rows": 6, "columns": 6}, "breakthrough(rows=6,columns=6)", 1000),
        slow({"rows": 8, "columns": 4}, "breakthrough(rows=8,columns=4)", 1000),
    ],
)
def test_random_games_agree_with_openspiel(options, openspiel, games):
    """OpenSpiel's first player moves down, and it marks captures with a star."""
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs = Breakthrough.configured(**options), pyspiel.load_game(openspiel)

    def moves(other):
        texts = ((a, other.action_to_string(a)) for a in other.legal_actions())
        return {
            re.sub(r"\d", lambda digit: str(game.rows + 1 - int(digit[0])), t).strip("*"): a for a, t in texts
        }

    rng = random.Random(games)
    for _ in range(games):
        state, other = game(), theirs.new_initial_state()
        while not other.is_terminal():
            assert not state.is_terminal()
            assert state.current_player() == other.current_player()
            ours, his = named(state), moves(other)
            assert ours.keys() == his.keys()
            move = rng.choice(sorted(ours))
            state.apply_action(ours[move])
            other.apply_action(his[move])
        assert state.is_terminal()
        assert list(state.returns()) == other.returns()


def test_perft_matches_published_counts():
    """22 and 484 follow from the start, where no man can capture; 11132 and 256036 are known counts."""
    assert [perft(Breakthrough(), depth, compiled=False) for depth in range(1, 4)] == [22, 484, 11132]


@pytest.mark.slow
def test_perft_depth_4_and_5_match_published_and_mirrored_counts():
    assert perft(Breakthrough(), 4) == 256_036
    counts = divide(Breakthrough(), 5)
    mirrored = str.maketrans("abcdefgh", "hgfedcba")
    assert all(counts[move.translate(mirrored)] == count for move, count in counts.items())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("breakthrough(columns=1)", "breakthrough cannot be 8 rows by 1 columns"),
        ("breakthrough(rows=9)", "breakthrough cannot be 9 rows by 8 columns"),
        ("breakthrough(rows=1)", "breakthrough cannot be 1 rows by 8 columns"),
        ("breakthrough(rows=3)", "breakthrough(home=2) does not fit 3 rows"),
        ("breakthrough(home=0)", "breakthrough(home=0) does not fit 8 rows"),
        ("breakthrough(columns=3,knightthrough=true)", "knightthrough cannot be 8 rows by 3 columns"),
        ("breakthrough(misere=1)", "takes a bool, not 1"),
    ],
)
def test_a_board_that_cannot_be_is_refused(text, problem):
    with pytest.raises(bw.GameError, match=re.escape(problem)):
        bw.load_game(text)


def test_moves_may_have_a_hyphen_or_an_x_between_their_cells():
    line = ["B2-B3", "b7b6", "b3b4", "b6b5", "b4xa5"]
    game = Breakthrough
    assert game.from_actions(line) == game.from_actions("b2b3 b7b6 b3b4 b6b5 b4a5")
    with pytest.raises(bw.ActionError, match='"a2a4" is not a legal move'):
        game.from_actions(["a2-a4"])
    wide = Breakthrough.configured(rows=3, columns=25, home=1)
    assert wide.from_actions(["x1-x2"]) == wide.from_actions(["x1x2"])


def test_the_first_man_on_the_far_row_wins_and_loses_the_misere_game():
    line = ["a2a3", "h7h6", "a3a4", "h6h5", "a4a5", "h5h4", "a5a6", "h4h3", "a6b7", "h3g2", "b7a8"]
    assert Breakthrough.from_actions(line).returns() == (1.0, -1.0)
    assert Breakthrough.configured(misere=True).from_actions(line).returns() == (-1.0, 1.0)
    line = [*line[:-1], "a1a2", "g2h1"]
    state = Breakthrough.from_actions(line)
    assert state.returns() == (-1.0, 1.0)
    assert str(state).splitlines()[7] == "1  . X X X X X X O"


def test_a_player_without_men_loses():
    for mover, expected in ((0, (-1.0, 1.0)), (1, (1.0, -1.0))):
        state = Breakthrough.configured(rows=4, columns=4)(mine=0, mover=mover)
        assert state.is_terminal()
        assert state.returns() == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"home": 1},
        {"columns": 3, "misere": True},
        {"rows": 5, "columns": 3},
        {"rows": 5, "home": 1, "knightthrough": True},
    ],
    ids=str,
)
def test_small_boards_are_proven_as_an_exact_solver_says(options):
    """Of both parities: the start, and the positions after each first move."""
    game = Breakthrough.configured(**{"rows": 4, "columns": 4, **options})
    exact = solve_actions(game())
    result = bw.MCTS(seed=1, transpositions=True).search(game(), simulations=1_000_000)
    assert result.ended_by == "proven"
    assert result.value == max(exact.values())
    for action, value in exact.items():
        state = game()
        state.apply_action(action)
        result = bw.MCTS(seed=1, transpositions=True).search(state, simulations=1_000_000)
        assert result.ended_by == "proven"
        assert result.value == -value


@pytest.mark.parametrize(
    ("rows", "columns", "value"),
    [
        (4, 4, -1.0),
        pytest.param(4, 5, -1.0, marks=pytest.mark.slow),
        pytest.param(5, 4, -1.0, marks=pytest.mark.slow),
        pytest.param(6, 3, 1.0, marks=pytest.mark.slow),
    ],
)
def test_a_search_with_priors_proves_the_value_of_larger_boards(rows, columns, value):
    game = Breakthrough.configured(rows=rows, columns=columns)
    planner = bw.MCTS(seed=1, transpositions=True, selection="puct", memory_mb=3000)
    result = planner.search(game(), simulations=3_000_000)
    assert (result.ended_by, result.value) == ("proven", value)


# --- knowledge ------------------------------------------------------------------------------------------


def wanted(board, misere):
    """Return the moves that a playout may make, from the definition."""
    moves = board.moves()
    goal = (board.rows - 1, 0)[board.mover]
    if misere:
        return [move for move in moves if move[1][1] != goal] or moves
    homes = (0, board.rows - 1)
    longest = max(ahead for _, ahead in board.steps)
    threats = [
        end
        for end, player in board.men.items()
        if player != board.mover and abs(end[1] - homes[board.mover]) <= longest
    ]
    for ends in ([end for _, end in moves if end[1] == goal], threats, board.men):
        chosen = [move for move in moves if move[1] in ends]
        if chosen:
            return chosen
    return moves


@pytest.mark.parametrize("options", [*VARIANTS[1:3], slow(VARIANTS[3]), VARIANTS[4]], ids=str)
def test_playouts_win_then_defend_then_capture(options):
    game = Breakthrough.configured(**options)
    chance, rng = Randomness(new_streams(1)), random.Random(1)
    narrowed = 0
    for _ in range(5):
        state, board = game(), Board(**options)
        while board.returns() is None:
            expected = {name(move) for move in wanted(board, board.misere)}
            drawn = [state.action_to_string(state.playout_action(chance)) for _ in range(20 * len(expected))]
            assert set(drawn) == expected
            moves = {name(move): move for move in board.moves()}
            narrowed += len(expected) < len(moves)
            move = rng.choice(sorted(moves))
            state.play(move)
            board.play(*moves[move])
    assert narrowed


def test_a_step_to_the_goal_has_the_largest_prior_then_a_defence_then_a_capture():
    state = Breakthrough.from_actions("a2a3 h7h6 a3a4 h6h5 a4a5 h5h4 a5a6 h4h3 a6b7 h3g2")
    priors = {state.action_to_string(action): state.prior(action) for action in state.legal_actions()}
    wins, defences = {"b7a8", "b7b8", "b7c8"}, {"f1g2", "h1g2"}
    assert {text for text, prior in priors.items() if prior == priors["b7a8"]} == wins - {"b7b8"}
    assert {text for text, prior in priors.items() if priors["b7a8"] > prior > 4} == defences


def test_evaluation_is_the_movers_and_favours_men_that_are_more_and_further_on():
    even = Breakthrough()
    assert even.evaluate() == (0.0, -0.0)
    ahead = Breakthrough.from_actions("b2b3 g7g6 b3b4 g6g5 b4b5 a7a6 b5xa6")
    for state in (ahead, Breakthrough.from_actions("b2b3 g7g6 b3b4 g6g5 b4b5 a7a6 b5xa6 g5g4")):
        assert 0.1 < state.evaluate()[0] < 1
        assert state.evaluate()[1] == -state.evaluate()[0]
    assert Breakthrough.from_actions("a2a3 g7g6").evaluate()[0] == pytest.approx(0.0)


@pytest.mark.slow
def test_strength_rises_with_the_budget():
    assert share_of_points(Breakthrough, (200, 20), pairs=8, opening_moves=5) >= 0.7
