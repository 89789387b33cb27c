"""Amazons, Clobber, Domineering and Konane, where a player who cannot move loses.

They are compared with their definition, with OpenSpiel, and with published counts and outcomes.
"""

import random
import re

import pytest

import branchwise as bw
from branchwise.games.amazons import Amazons
from branchwise.games.clobber import Clobber
from branchwise.games.domineering import Domineering
from branchwise.games.konane import Konane
from branchwise.testing import exact_value, perft
from support.budgets import share_of_points
from support.rows import slow

STRAIGHT = ((0, 1), (0, -1), (1, 0), (-1, 0))
ALL_WAYS = (*STRAIGHT, (1, 1), (1, -1), (-1, 1), (-1, -1))


class Board(dict):
    """The cells of a board by row from the top and column: "." for empty, else a symbol."""

    def __init__(self, cells, symbols=".XO"):
        super().__init__(cells)
        self.symbols = symbols

    @classmethod
    def of(cls, state):
        rows = state.to_grid().cells
        cells = {(r, c): cell.text for r, row in enumerate(rows) for c, cell in enumerate(row)}
        return cls(cells, state.symbols)

    def name(self, place):
        rows = max(row for row, _ in self) + 1
        return f"{'abcdefghijklmnopqrstuvwxyz'[place[1]]}{rows - place[0]}"


def clobber_moves(board, mover):
    """Return the moves by name with the board after each."""
    mine, theirs = board.symbols[mover + 1], board.symbols[2 - mover]
    found = {}
    for (row, column), content in board.items():
        for down, right in STRAIGHT:
            target = row + down, column + right
            if content == mine and board.get(target) == theirs:
                after = Board({**board, (row, column): ".", target: mine})
                found[board.name((row, column)) + board.name(target)] = after
    return found


def domineering_moves(board, mover):
    mine, (down, right) = board.symbols[mover + 1], ((1, 0), (0, 1))[mover]
    found = {}
    for row, column in board:
        other = row + down, column + right
        if board[row, column] == board.get(other) == ".":
            found[board.name((row, column))] = Board(
                {**board, (row, column): mine, other: mine}, board.symbols
            )
    return found


def konane_moves(board, mover):
    mine, theirs = board.symbols[mover + 1], board.symbols[2 - mover]
    rows, columns = (max(place[axis] for place in board) + 1 for axis in (0, 1))
    gaps = [place for place, content in board.items() if content == "."]
    if len(gaps) < 2:
        middle = [{(length - 1) // 2, length // 2} for length in (rows, columns)]
        corners = [{0, rows - 1}, {0, columns - 1}]
        first = {(r, c) for rs, cs in (middle, corners) for r in rs for c in cs}
        beside = {(r + a, c + b) for r, c in gaps for a, b in STRAIGHT}
        places = [place for place in (beside if gaps else first) if board.get(place) == mine]
        return {board.name(place): Board({**board, place: "."}) for place in places}
    found = {}
    for (row, column), content in board.items():
        for down, right in STRAIGHT if content == mine else ():
            after, place = Board({**board, (row, column): "."}), (row, column)
            while True:
                over = place[0] + down, place[1] + right
                place = over[0] + down, over[1] + right
                if board.get(over) != theirs or board.get(place) != ".":
                    break
                after[over] = "."
                found[f"{board.name((row, column))}-{board.name(place)}"] = Board({**after, place: mine})
    return found


def slides(board, start):
    for down, right in ALL_WAYS:
        place = start[0] + down, start[1] + right
        while board.get(place) == ".":
            yield place
            place = place[0] + down, place[1] + right


def amazon_turns(board, mover):
    """Return all turns as lines of three squares."""
    mine, found = board.symbols[mover + 1], set()
    for start in [place for place, content in board.items() if content == mine]:
        for target in slides(board, start):
            after = Board({**board, start: ".", target: mine})
            found |= {" ".join(map(board.name, (start, target, arrow))) for arrow in slides(after, target)}
    return found


def names(state):
    return {state.action_to_string(action) for action in state.legal_actions()}


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        (Clobber, clobber_moves),
        (Clobber.configured(rows=9, columns=10), clobber_moves),
        (Domineering, domineering_moves),
        (Domineering.configured(rows=3, columns=11), domineering_moves),
        (Domineering.configured(rows=9, columns=8), domineering_moves),
        (Konane, konane_moves),
        (Konane.configured(rows=5, columns=7), konane_moves),
        slow(Konane.configured(rows=15, columns=15), konane_moves),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_random_games_follow_the_definition(game, moves):
    rng = random.Random(game.name)
    for _ in range(2 if game.num_actions > 500 else 6):
        state, mover = game(), 0
        board = Board.of(state)
        while True:
            expected = moves(board, mover)
            assert state.current_player() == mover
            assert names(state) == expected.keys()
            assert state.is_terminal() == (not expected)
            if not expected:
                break
            move = rng.choice(sorted(expected))
            state.play(move)
            board, mover = expected[move], 1 - mover
            assert Board.of(state) == board
        assert state.returns()[1 - mover] == 1.0


def turns_of(state):
    """Return the turns of amazons that the actions allow."""
    found = set()
    for queen in state.legal_actions():
        moving = state.copy()
        moving.apply_action(queen)
        for target in moving.legal_actions():
            shooting = moving.copy()
            shooting.apply_action(target)
            squares = (queen, target)
            for arrow in shooting.legal_actions():
                found.add(" ".join(state.action_to_string(square) for square in (*squares, arrow)))
    return found


@pytest.mark.parametrize("size", [4, 6, slow(10), slow(15)])
def test_turns_of_amazons_follow_the_definition(size):
    game, rng = Amazons.configured(size=size), random.Random(size)
    for _ in range(3 if size < 10 else 1):
        state, mover = game(), 0
        while not state.is_terminal():
            expected = amazon_turns(Board.of(state), mover)
            assert state.current_player() == mover
            assert turns_of(state) == expected
            for square in rng.choice(sorted(expected)).split():
                state.play(square)
            mover = 1 - mover
        assert not amazon_turns(Board.of(state), mover)
        assert state.returns()[1 - mover] == 1.0


@pytest.mark.parametrize(
    ("game", "games"),
    [(Amazons, 8), (Clobber, 20), slow(Amazons, 1000), slow(Clobber, 2000)],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_random_games_agree_with_openspiel(game, games):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(game.name)
    assert game.num_actions == theirs.num_distinct_actions()
    rng = random.Random(games)
    for _ in range(games):
        state, other = game(), theirs.new_initial_state()
        while not state.is_terminal():
            assert not other.is_terminal()
            assert state.current_player() == other.current_player()
            assert sorted(state.legal_actions()) == other.legal_actions()
            action = rng.choice(other.legal_actions())
            if game is Clobber:
                assert state.action_to_string(action) == other.action_to_string(
                    other.current_player(), action
                )
            state.apply_action(action)
            other.apply_action(action)
        assert other.is_terminal()
        assert list(state.returns()) == other.returns()


def test_random_games_of_clobber_agree_with_openspiel_on_other_boards():
    pyspiel = pytest.importorskip("pyspiel")
    rng = random.Random(1)
    for rows, columns in ((8, 8), (3, 9), (10, 2)):
        state = Clobber.configured(rows=rows, columns=columns)()
        other = pyspiel.load_game(f"clobber(rows={rows},columns={columns})").new_initial_state()
        while not state.is_terminal():
            assert sorted(state.legal_actions()) == other.legal_actions()
            action = rng.choice(other.legal_actions())
            state.apply_action(action)
            other.apply_action(action)
        assert other.is_terminal()


# --- published counts and outcomes --------------------------------------------------------------------------


def test_amazons_has_as_many_first_turns_as_known():
    """2,176 turns are possible at the start, as every description of the game says."""
    assert perft(Amazons(), 3, compiled=False) == 2176


@pytest.mark.slow
def test_amazons_has_as_many_pairs_of_turns_as_the_definition():
    total = 0
    for turn in sorted(amazon_turns(Board.of(Amazons()), 0)):
        total += len(amazon_turns(Board.of(Amazons.from_actions(turn)), 1))
    assert perft(Amazons(), 6) == total == 4_307_152


@pytest.mark.parametrize(("size", "value"), [(2, 1.0), (3, 1.0), (4, 1.0), (5, -1.0)])
def test_small_domineering_has_the_published_winner(size, value):
    """Breuker, Uiterwijk, van den Herik, "Solving 8x8 Domineering", 2000."""
    assert exact_value(Domineering.configured(rows=size, columns=size)()) == value


@pytest.mark.slow
@pytest.mark.parametrize(("size", "value"), [(5, -1.0), (6, 1.0)])
def test_a_search_proves_the_published_winner_of_domineering(size, value):
    """The same source."""
    game = Domineering.configured(rows=size, columns=size)
    result = bw.MCTS(seed=1, transpositions=True).search(game(), simulations=20_000_000)
    assert (result.ended_by, result.value) == ("proven", value)


def test_the_first_player_wins_clobber_on_a_strip_except_one_of_six_stones():
    """Albert, Grossman, Nowakowski, Wolfe, "An introduction to Clobber", 2005: (xo)^n for n from 1 to 19."""
    values = [exact_value(Clobber.configured(rows=1, columns=2 * n)()) for n in range(1, 6)]
    assert values == [1.0, 1.0, -1.0, 1.0, 1.0]


def wins(board, mover, moves):
    return any(not wins(after, 1 - mover, moves) for after in moves(board, mover).values())


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        (Clobber.configured(rows=2, columns=3), clobber_moves),
        (Clobber.configured(rows=3, columns=3), clobber_moves),
        (Konane.configured(rows=4, columns=4), konane_moves),
        (Konane.configured(rows=3, columns=5), konane_moves),
        (Domineering.configured(rows=3, columns=4), domineering_moves),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_small_boards_have_the_winner_that_the_definition_gives(game, moves):
    state = game()
    assert (exact_value(state) > 0) == wins(Board.of(state), 0, moves)


# --- options, names and evaluations -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("amazons(size=3)", "amazons(size=3) is not from 4 to 15"),
        ("amazons(size=16)", "amazons(size=16) is not from 4 to 15"),
        ("clobber(rows=1,columns=1)", "clobber cannot be one cell"),
        ("clobber(columns=21)", "clobber(columns=21) is not from 1 to 20"),
        ("domineering(rows=0)", "domineering(rows=0) is not from 1 to 30"),
        ("domineering(rows=1,columns=1)", "domineering cannot be one cell"),
        ("konane(rows=1)", "konane(rows=1) is not from 2 to 15"),
        ("konane(columns=16)", "konane(columns=16) is not from 2 to 15"),
    ],
)
def test_options_that_make_no_board_are_refused(text, problem):
    with pytest.raises(bw.GameError, match=re.escape(problem)):
        bw.load_game(text)


def test_the_evaluation_of_amazons_is_for_who_has_more_moves():
    state = Amazons()
    assert state.evaluate() == (0.0, 0.0)
    for player in range(2):
        queens = [divmod(int(square), 10) for square in state.queens[player]]
        assert state.mobility(player) == sum(len(list(slides(Board.of(state), queen))) for queen in queens)
    state = Amazons.from_actions("d1 d7 d8")
    assert state.mobility(0) > state.mobility(1)
    assert state.evaluate()[0] == -state.evaluate()[1] > 0
    mirrored = state.copy()
    mirrored.queens[:] = state.queens[::-1]
    assert mirrored.evaluate()[0] == state.evaluate()[1]


def test_an_amazons_queen_shoots_back_to_where_it_came_from():
    state = Amazons.from_actions("d1 d2")
    assert "d1" in names(state)
    state.play("d1")
    assert str(state).splitlines()[9] == " 1  . . . # . . W . . ."
    assert state.current_player() == 1


def test_a_jump_of_konane_may_go_on_in_its_direction():
    state = Konane.configured(rows=2, columns=7)(played=2)
    state.stones[:] = 0
    state.stones[0, 2], state.stones[1, 2] = 0b0000001, 0b0101010
    state.empty[2] = 0b1010100
    assert names(state) == {"a2-c2", "a2-e2", "a2-g2"}
    state.play("a2-e2")
    assert str(state).splitlines()[0] == "2  . . . . X O ."


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [
        Amazons.configured(size=5),
        Clobber,
        Domineering.configured(rows=6, columns=6),
        Konane.configured(rows=6, columns=6),
    ],
    ids=lambda game: game.name,
)
def test_more_simulations_win_more_games(game):
    assert share_of_points(game, (100, 5), pairs=12, opening_moves=3) > 0.6


@pytest.mark.parametrize(
    "game",
    [Clobber.configured(rows=3, columns=4), Domineering.configured(rows=4, columns=5)],
    ids=lambda game: game.name,
)
def test_more_simulations_win_more_games_of_small_boards_in_plain_python(game):
    assert share_of_points(game, (80, 1), pairs=12, opening_moves=2, compiled=False) > 0.6
