"""Go, Atari Go and NoGo against their definition, against OpenSpiel, and against published counts."""

import copy
import random
import re

import pytest

import branchwise as bw
from branchwise.games.atari_go import AtariGo
from branchwise.games.go import Go
from branchwise.games.go_shapes import SHAPES, symmetric_forms
from branchwise.games.nogo import NoGo
from branchwise.testing import perft
from support.budgets import share_of_points
from support.rows import slow


class Stones:
    """A board as a list, and what a stone does to it, by the definition of chains."""

    def __init__(self, size):
        self.size = size
        self.board = [0] * size**2

    def around(self, point):
        row, column = divmod(point, self.size)
        places = ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1))
        return [r * self.size + c for r, c in places if 0 <= r < self.size and 0 <= c < self.size]

    def region(self, board, point):
        """Return the connected points of one colour, or of none, around `point`, and what is next to them."""
        found, waiting, border = {point}, [point], set()
        while waiting:
            for near in self.around(waiting.pop()):
                if board[near] != board[point]:
                    border.add(near)
                elif near not in found:
                    found.add(near)
                    waiting.append(near)
        return found, border

    def after(self, point, player):
        """Return the board after a stone and the points captured, or None for suicide."""
        board = list(self.board)
        board[point] = player + 1
        taken = set()
        for near in self.around(point):
            if board[near] == 2 - player and near not in taken:
                members, border = self.region(board, near)
                if all(board[p] for p in border):
                    taken |= members
        for near in taken:
            board[near] = 0
        _, border = self.region(board, point)
        return (board, taken) if any(board[p] == 0 for p in border) else None


class PlainGo(Stones):
    """Go by its definition: `superko` or the ko rule."""

    def __init__(self, size, komi, superko, most_moves):
        super().__init__(size)
        self.komi, self.superko, self.most_moves = komi, superko, most_moves
        self.history, self.passes, self.played, self.forbidden = [tuple(self.board)], 0, 0, None

    def legal(self):
        found = []
        for point in range(self.size**2):
            result = None if self.board[point] else self.after(point, self.played % 2)
            if result is None:
                continue
            again = tuple(result[0]) in self.history if self.superko else point == self.forbidden
            if not again:
                found.append(point)
        return [*found, self.size**2]

    def play(self, action):
        player, self.forbidden = self.played % 2, None
        self.played += 1
        if action == self.size**2:
            self.passes += 1
            return
        self.passes = 0
        self.board, taken = self.after(action, player)
        members, border = self.region(self.board, action)
        if len(taken) == len(members) == 1 and {p for p in border if self.board[p] == 0} == taken:
            (self.forbidden,) = taken
        self.history.append(tuple(self.board))

    def is_over(self):
        return self.passes == 2 or self.played == self.most_moves

    def lead(self):
        area = [0, 0]
        for point, stone in enumerate(self.board):
            colours = {stone} if stone else {self.board[p] for p in self.region(self.board, point)[1]}
            if len(colours) == 1:
                area[colours.pop() - 1] += 1
        return area[0] - area[1] - self.komi


def chains_of(state):
    """Return the chains of a state: number, members, liberties and whether it is in atari, by definition."""
    stones = Stones(state.size)
    stones.board = state.board[:-1].tolist()
    found = {}
    for point, stone in enumerate(stones.board):
        if stone:
            members, border = stones.region(stones.board, point)
            found[min(members)] = members, {p for p in border if stones.board[p] == 0}
    return found


def points_of(state, words):
    return {p for p in range(state.points) if words[p // state.span] >> p % state.span & 1}


def assert_consistent(state):
    """Check each field against the board."""
    chains = chains_of(state)
    board = state.board[:-1].tolist()
    for player in range(2):
        assert points_of(state, state.stones[player]) == {p for p, s in enumerate(board) if s == player + 1}
    assert points_of(state, state.empty) == {p for p, s in enumerate(board) if s == 0}
    in_atari = [members for members, liberties in chains.values() if len(liberties) == 1]
    assert points_of(state, state.atari) == set().union(*in_atari)
    for chain in range(state.places):
        members, liberties = chains.get(chain, (set(), set()))
        assert points_of(state, state.members[chain]) == members
        assert points_of(state, state.liberties[chain]) == liberties
        assert all(state.chain[p] == chain for p in members)
    assert all(state.chain[p] == state.nowhere for p, s in enumerate(board) if s == 0)


def random_moves(state, rng):
    """Yield a state before each move of a random game that seldom passes."""
    while not state.is_terminal():
        yield state
        actions = state.legal_actions()
        points = [action for action in actions if action < state.points]
        state.apply_action(rng.choice(points if points and rng.random() < 0.97 else actions))
    yield state


@pytest.mark.parametrize(
    ("size", "superko", "games"),
    [
        (1, True, 2),
        (2, True, 20),
        (3, False, 10),
        (3, True, 10),
        (7, False, 2),
        (8, True, 1),
        (9, False, 2),
        slow(18, False, 1),
        slow(19, True, 1),
    ],
)
def test_random_games_of_go_follow_the_definition(size, superko, games):
    game = Go.configured(size=size, superko=superko, komi=0.5)
    for seed in range(games):
        rng = random.Random(f"{size} {superko} {seed}")
        state, plain = game(), PlainGo(size, 0.5, superko, game.max_game_length)
        while not plain.is_over():
            assert not state.is_terminal()
            assert state.legal_actions() == plain.legal()
            assert state.current_player() == plain.played % 2
            points = plain.legal()[:-1]
            action = rng.choice(points if points and rng.random() < 0.95 else plain.legal())
            state.apply_action(action)
            plain.play(action)
            assert state.board[:-1].tolist() == plain.board
        assert state.is_terminal()
        assert list(state.returns()) == ([1.0, -1.0] if plain.lead() > 0 else [-1.0, 1.0])
        assert_consistent(state)


@pytest.mark.parametrize("game", [Go, AtariGo, NoGo, NoGo.configured(size=7), slow(Go.configured(size=19))])
def test_every_field_follows_from_the_board(game):
    rng = random.Random(game.name)
    for number, state in enumerate(random_moves(game(), rng)):
        if number % 25 == 0:
            assert_consistent(state)
    assert_consistent(state)


@pytest.mark.parametrize("size", [2, 5, 9])
def test_random_games_without_capture_follow_the_definition(size):
    for game in (AtariGo, NoGo):
        for seed in range(3):
            rng = random.Random(f"{size} {seed}")
            state, plain, mover, captured = game.configured(size=size)(), Stones(size), 0, False
            while not state.is_terminal():
                legal = {}
                for point in range(size**2):
                    result = None if plain.board[point] else plain.after(point, mover)
                    if result is not None and not (game is NoGo and result[1]):
                        legal[point] = result
                assert state.legal_actions() == list(legal)
                action = rng.choice(list(legal))
                plain.board, taken = legal[action]
                state.apply_action(action)
                mover = 1 - mover
                captured = bool(taken)
            assert captured or not state.legal_actions()
            assert state.returns()[1 - mover] == 1.0
            assert game is AtariGo or not captured


@pytest.mark.parametrize(
    ("size", "games"),
    [(9, 15), (5, 10), pytest.param(9, 2000, marks=pytest.mark.slow), slow(13, 100), slow(19, 40)],
)
def test_random_games_of_go_agree_with_openspiel(size, games):
    """OpenSpiel ends a game when a position is repeated; until then both are the same."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(f"go(board_size={size})")
    game = Go.configured(size=size)
    assert (game.num_actions, game.max_game_length) == (
        theirs.num_distinct_actions(),
        theirs.max_game_length(),
    )
    rng = random.Random(size)
    ended = 0
    for _ in range(games):
        state, other, boards = game(), theirs.new_initial_state(), {bytes(game().board)}
        while not state.is_terminal() and not other.is_terminal():
            assert state.current_player() == other.current_player()
            assert state.legal_actions() == other.legal_actions()
            action = rng.choice(state.legal_actions())
            if action % 7 == 0:
                text = other.action_to_string(other.current_player(), action).split()[-1]
                assert state.action_to_string(action).lower() == text.lower()
            state.apply_action(action)
            other.apply_action(action)
            repeated = action < state.points and bytes(state.board) in boards
            boards.add(bytes(state.board))
            assert repeated == (other.is_terminal() and not state.is_terminal())
        if state.is_terminal():
            ended += 1
            assert list(state.returns()) == other.returns()
    assert ended > games / 2


# --- counts and single rules of Go ----------------------------------------------------------------------


def positions_reached(game, plain=False):
    """Return the boards that can be reached; as players may pass, either may make all the moves."""
    seen, waiting = set(), [game()]
    while waiting:
        state = waiting.pop()
        for _ in range(2):
            key = bytes(state.board), state.mover, state.ko
            if key not in seen:
                seen.add(key)
                for action in state.legal_actions()[:-1]:
                    after = state.copy()
                    after.apply_action(action)
                    after.played = 0
                    waiting.append(after)
            state = state.copy()
            state.apply_action(state.points)
            state.passes = state.played = 0
    return {board for board, _, _ in seen}


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 57), slow(3, 12675)])
def test_as_many_positions_are_legal_as_published(size, count):
    """Tromp, Farnebäck, "Combinatorics of Go", 2007."""
    assert len(positions_reached(Go.configured(size=size))) == count


def with_stones(black, white, mover=0, **options):
    """Return a position with these stones, given as points with blanks between them."""
    state = Go.configured(**options)()
    point = state.action_from_string
    stones = [(p, point(name)) for p, names in enumerate((black, white)) for name in names.split()]
    state.set_up(stones, mover)
    assert_consistent(state)
    return state


def names(state, points=None):
    return {state.action_to_string(point) for point in (state.legal_actions() if points is None else points)}


@pytest.mark.parametrize("superko", [False, True])
def test_a_ko_is_retaken_only_after_another_move(superko):
    state = with_stones("B3 A2 B1", "C3 D2 C1 B2", size=5, superko=superko)
    state.play("C2")
    assert state.board[state.action_from_string("A5")] == 0
    assert "B2" not in names(state)
    state.play("pass")
    state.play("A5")
    assert ("B2" in names(state)) == (not superko or state.mover == 1)


def perft_of(plain, depth):
    if depth == 0 or plain.is_over():
        return depth == 0
    total = 0
    for action in plain.legal():
        after = copy.copy(plain)
        after.history = list(plain.history)
        after.play(action)
        total += perft_of(after, depth - 1)
    return total


@pytest.mark.parametrize("superko", [False, True])
def test_perft_of_go_on_four_points_follows_the_definition(superko):
    game = Go.configured(size=2, superko=superko, max_moves=20)
    counts = [perft(game(), depth, compiled=False) for depth in range(1, 7)]
    assert counts == [perft_of(PlainGo(2, 0.5, superko, 20), depth) for depth in range(1, 7)]


def test_a_chain_that_is_taken_gives_liberties_to_all_its_neighbours():
    state = with_stones("A1 B1 C1", "A2 B2 C2", mover=1, size=4)
    assert state.atari.any()
    state.play("D1")
    assert names(state, points_of(state, state.stones[1])) == {"A2", "B2", "C2", "D1"}
    assert not state.stones[0].any()
    assert_consistent(state)


def test_suicide_is_illegal_unless_it_captures():
    assert "A1" not in names(with_stones("", "A2 B1", size=3))
    assert "A1" in names(with_stones("C1 B2", "A2 B1", size=3))


def test_area_is_scored_with_komi_at_the_end():
    game = Go.configured(size=3)
    moves = "B1 C1 B2 C2 B3 pass pass"
    assert game.configured(komi=3.5).from_actions(moves).returns() == (1.0, -1.0)
    assert game.configured(komi=4.0).from_actions(moves).returns() == (0.0, 0.0)
    assert game.configured(komi=4.5).from_actions(moves).returns() == (-1.0, 1.0)


def test_the_longest_game_is_scored_as_it_stands():
    state = Go.configured(size=3, komi=0.5, max_moves=3).from_actions("B2 A1 A2")
    assert state.is_terminal()
    assert state.returns() == (1.0, -1.0)


# --- playouts -------------------------------------------------------------------------------------------


def eyes_by_definition(state):
    mine, board = state.mover + 1, Stones(state.size)
    found = set()
    for point in range(state.points):
        row, column = divmod(point, state.size)
        corners = [(row + a, column + b) for a in (-1, 1) for b in (-1, 1)]
        inside = [(r, c) for r, c in corners if 0 <= r < state.size and 0 <= c < state.size]
        theirs = sum(state.board[r * state.size + c] == 3 - mine for r, c in inside)
        own = all(state.board[near] == mine for near in board.around(point))
        if state.board[point] == 0 and own and theirs < (2 if len(inside) == 4 else 1):
            found.add(point)
    return found


@pytest.mark.parametrize("game", [Go, Go.configured(size=8)], ids=lambda game: game.name)
def test_playouts_of_go_never_fill_an_eye_and_pass_only_if_nothing_else_is_left(game):
    rng, random_numbers = random.Random(1), bw.Random(1)
    for state in random_moves(game(), rng):
        eyes = eyes_by_definition(state)
        words = [state.eyes(word) for word in range(state.words)]
        assert points_of(state, words) == eyes
        if state.is_terminal():
            continue
        action = state.playout_action(random_numbers)
        useful = set(state.legal_actions()[:-1]) - eyes
        captures = {p for p in state.legal_actions()[:-1] if captures_by_definition(state, p)}
        assert action in useful | captures or (action == state.points and not useful)


def shape_around(state, point):
    """Return the three by three points around a point as a text of nine characters."""
    row, column = divmod(point, state.size)
    places = [(r, c) for r in (row + 1, row, row - 1) for c in (column - 1, column, column + 1)]
    inside = [0 <= r < state.size and 0 <= c < state.size for r, c in places]
    return "".join(
        ".XO"[state.board[r * state.size + c]] if ok else "#"
        for (r, c), ok in zip(places, inside, strict=True)
    )


def test_shapes_are_recognised_however_they_are_turned_mirrored_or_coloured():
    meanings = {"?": ".XO#", "x": ".O#", "o": ".X#"}
    forms = [
        [meanings.get(mark, mark) for mark in form] for shape in SHAPES for form in symmetric_forms(shape)
    ]
    found = {True: 0, False: 0}
    for state in random_moves(Go(), random.Random(3)):
        for point in state.legal_actions()[:-1]:
            around = shape_around(state, point)
            expected = any(all(c in m for c, m in zip(around, form, strict=True)) for form in forms)
            assert state.makes_shape(point) == expected
            found[expected] += 1
        if state.played == 40:
            break
    assert min(found.values()) > 50


def test_playouts_of_go_answer_a_move_with_a_shape_next_to_it():
    state = with_stones("E5", "E6", size=9)
    state.play("pass")
    state.play("D5")
    shapes = {state.draw_shape(bw.Random(seed)) for seed in range(20)}
    assert len(shapes) > 1
    assert all(state.makes_shape(point) for point in shapes)
    near = {state.action_from_string(name) for name in ["C4", "D4", "E4", "C5", "C6", "D6"]}
    assert shapes <= near


def captures_by_definition(state, point):
    stones = Stones(state.size)
    stones.board = state.board[:-1].tolist()
    result = stones.after(point, state.mover)
    return result is not None and bool(result[1])


def test_playouts_of_go_end_with_two_passes_long_before_the_limit():
    random_numbers = bw.Random(1)
    for _ in range(5):
        state = Go()
        while not state.is_terminal():
            state.apply_action(state.playout_action(random_numbers))
        assert state.passes == 2


def test_playouts_of_atari_go_capture_at_once_if_they_can():
    rng, random_numbers = random.Random(2), bw.Random(2)
    for _ in range(5):
        for state in random_moves(AtariGo.configured(size=6)(), rng):
            captures = {p for p in state.legal_actions() if captures_by_definition(state, p)}
            if captures and not state.is_terminal():
                assert state.playout_action(random_numbers) in captures


def test_captures_are_drawn_evenly():
    state = with_stones("B1 A2 C2 F6 E5 G5", "B2 F5 J9", size=9)
    chosen = {state.draw_point(0, bw.Random(seed)) for seed in range(30)}
    assert names(state, chosen) == {"B3", "F4"}
    assert state.draw_point(1, bw.Random(1)) == state.nowhere


# --- options and records --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("go(size=0)", "go(size=0) is not from 1 to 19"),
        ("nogo(size=20)", "nogo(size=20) is not from 1 to 19"),
        ("go(komi=400.0)", "go(komi=400.0) is not from -361 to 361"),
        ("go(max_moves=-1)", "go(max_moves=-1) is negative"),
    ],
)
def test_options_that_make_no_board_are_refused(text, problem):
    with pytest.raises(bw.GameError, match=re.escape(problem)):
        bw.load_game(text)


def test_points_are_named_without_the_letter_i():
    assert [Go.point_name(point) for point in (7, 8, 80)] == ["H1", "J1", "J9"]
    state = Go.from_actions("j9 H8 pass")
    assert str(state).splitlines()[0] == "9  . . . . . . . . X"
    with pytest.raises(bw.ActionError, match='"I5" is not a legal move'):
        state.play("I5")


def test_a_record_in_sgf_is_read_with_variations_left_out_and_escapes():
    record = r"""(;FF[4]GM[1]SZ[9]KM[6.5]C[a \] bracket; B\[cc\]]
        ;B[ee];White[gc](;B[tt];W[])(;B[aa]))(;B[bb])"""
    state = Go.from_sgf(record)
    assert state.name == "go(komi=6.5)"
    assert state.is_terminal()
    assert state == Go.configured(komi=6.5).from_actions("E5 G7 pass pass")


def test_handicap_stones_of_a_record_are_set_up_and_white_begins():
    state = Go.from_sgf("(;SZ[9]HA[2]AB[cg][gc];W[ee])")
    assert names(state, points_of(state, state.stones[0])) == {"C3", "G7"}
    assert (state.mover, state.played) == (0, 1)
    assert_consistent(state)
    assert Go.from_sgf("(;SZ[5]AB[aa]PL[W])").mover == 1


def test_two_moves_in_a_row_of_one_colour_are_read_without_a_pass_between_them():
    state = Go.from_sgf("(;SZ[9];B[ee];B[cc])")
    assert names(state, points_of(state, state.stones[0])) == {"E5", "C7"}
    assert (state.mover, state.played, state.passes) == (1, 2, 0)
    assert not Go.from_sgf("(;SZ[9];B[ee];B[];B[])").is_terminal()
    assert Go.from_sgf("(;SZ[9];B[ee];W[];B[])").is_terminal()


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ("", "this is no SGF record"),
        ("(;SZ[9];B[ee]", "a mistake at character 13, before 'the end'"),
        ("(;B[ee)", "a mistake at character 2, before 'B[ee)'"),
        ("(B[ee])", "a mistake at character 1"),
        ("(;GM[2]SZ[9])", "not one of Go"),
        ("(;SZ[nine])", "SZ[nine], which is not a number"),
        ("(;SZ[25])", "go(size=25) is not from 1 to 19"),
        ("(;SZ[9];B[jj])", '"jj", which is not on a board of 9 by 9'),
        ("(;SZ[9];B[ee];W[ee])", "move 2 of this SGF record, W[ee]"),
        ("(;SZ[9]AB[ee]AW[ee])", "cannot be set up on E5"),
        ("(;SZ[9]AB[ab][ba]AW[aa])", "cannot be set up"),
    ],
)
def test_a_broken_record_is_one_clear_error(record, problem):
    with pytest.raises(bw.BranchwiseError, match=re.escape(problem)):
        Go.from_sgf(record)


# --- strength -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [Go.configured(size=5, komi=0.5), AtariGo.configured(size=6), NoGo.configured(size=5)],
    ids=lambda game: game.name,
)
def test_more_simulations_win_more_games(game):
    assert share_of_points(game, (100, 5), pairs=12, opening_moves=3) > 0.6


def test_more_simulations_win_more_games_of_small_nogo_in_plain_python():
    game = NoGo.configured(size=3)
    assert share_of_points(game, (30, 1), pairs=10, opening_moves=2, compiled=False) > 0.6
