"""Hex, Y and Havannah: OpenSpiel, a search over the board, solved boards, bridges, pictures and refusals.

Published: the openings that win on small boards of Y and on Hex 2x2, https://hexwiki.net, "Where to swap (y)"
and "Small boards". The outcomes on Hex 3x3 and 4x4 are proofs of this program.
"""

import random
import re
from math import perm

import pytest

import branchwise as bw
from branchwise.boards.layer import squares_of
from branchwise.compile.states.randomness import Randomness
from branchwise.core.numbers.random_streams import new_streams
from branchwise.games.connection import STONE, Connection
from branchwise.games.havannah import Havannah
from branchwise.games.hex import Hex
from branchwise.games.y import Y
from branchwise.testing import perft
from support.budgets import share_of_points
from support.rows import slow

HEX_4, Y_4, HAVANNAH_3 = Hex.configured(size=4), Y.configured(size=4), Havannah.configured(size=3)
MANY = pytest.mark.parametrize("games", [20, pytest.param(1000, marks=pytest.mark.slow)])


def owner(state, cell):
    """Return who has a stone on a cell; None if nobody has."""
    value = int(state.board[cell])
    return None if value == 0 else 0 if value & STONE else 1


def play_in_step(game, openspiel, games):
    """Play random games in step with OpenSpiel's, in which moves have the same names."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(openspiel)
    for number in range(games):
        rng = random.Random(number)
        state, other = game(), theirs.new_initial_state()
        while not state.is_terminal():
            assert not other.is_terminal()
            assert state.current_player() == other.current_player()
            mine = {state.action_to_string(action): action for action in state.legal_actions()}
            same = {other.action_to_string(action): action for action in other.legal_actions()}
            assert mine.keys() == same.keys()
            name = "swap" if "swap" in mine and number % 2 else rng.choice(sorted(mine))
            state.apply_action(mine[name])
            other.apply_action(same[name])
        assert other.is_terminal()
        assert list(state.returns()) == other.returns()


@MANY
@pytest.mark.parametrize(("size", "swap"), [(2, True), (5, True), (5, False), (11, False)])
def test_random_games_of_hex_agree_with_openspiel(size, swap, games):
    play_in_step(Hex.configured(size=size, swap=swap), f"hex(board_size={size},swap={swap})", games)


@MANY
@pytest.mark.parametrize("size", [3, 6, 13])
def test_random_games_of_y_agree_with_openspiel(size, games):
    play_in_step(Y.configured(size=size), f"y(board_size={size})", games)


@MANY
@pytest.mark.parametrize("size", [3, 4, 8])
def test_random_games_of_havannah_agree_with_openspiel(size, games):
    play_in_step(Havannah.configured(size=size), f"havannah(board_size={size})", games)


# --- a search over the board --------------------------------------------------------------------------------


def cells_by_place(game):
    return {tuple(place): cell for cell, place in enumerate(places_of(game))}


def places_of(game):
    return sorted((place for row in game.layout()[0] for place in row), key=lambda place: place[::-1])


def groups(game, state, player):
    """Return the sets of places (x, y) of a player's connected stones, by a walk from stone to stone."""
    _, steps, _ = game.layout()
    stones = {place for place, cell in cells_by_place(game).items() if owner(state, cell) == player}
    found = []
    while stones:
        waiting = [stones.pop()]
        group = set()
        while waiting:
            x, y = waiting.pop()
            group.add((x, y))
            near = {(x + right, y + up) for right, up in steps} & stones
            stones -= near
            waiting += near
        found.append(group)
    return found


def connects(game, group, player):
    xs, ys = {x for x, _ in group}, {y for _, y in group}
    last = game.size - 1
    if issubclass(game, Hex):
        return {0, last} <= (ys if player == 0 else xs)
    return 0 in xs and 0 in ys and any(x + y == last for x, y in group)


@pytest.mark.parametrize(
    "game",
    [HEX_4, Hex.configured(size=7), Hex.configured(size=1), Y_4, Y.configured(size=8), Y.configured(size=1)],
    ids=lambda game: game.name,
)
def test_a_game_is_won_just_when_a_walk_finds_the_sides_connected(game, positions):
    for state in positions(game, games=8):
        winners = [p for p in range(2) if any(connects(game, group, p) for group in groups(game, state, p))]
        assert winners == ([1 - state.current_player()] if state.is_terminal() else [])
        if winners:
            assert state.returns()[winners[0]] == 1.0


# --- Hex ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "winning"),
    [
        slow(2, "b1 a2"),
        slow(3, "c1 a2 b2 c2 a3"),
        (4, "d1 c2 b3 a4"),
    ],
)
def test_small_hex_is_proven_with_the_known_outcome_of_every_opening(size, winning):
    game = Hex.configured(size=size)
    won = []
    for opening in range(size * size):
        result = bw.MCTS(seed=1).search(game.from_actions([opening]), simulations=200_000)
        assert result.ended_by == "proven"
        if result.value == -1.0:
            won.append(game().action_to_string(opening))
    assert won == winning.split()


def test_perft_of_hex_counts_orders_of_cells_until_one_can_be_connected():
    game = Hex.configured(size=4)
    assert [perft(game(), depth) for depth in range(1, 5)] == [perm(16, depth) for depth in range(1, 5)]
    assert perft(game(), 3, compiled=False) == perm(16, 3)
    assert perft(game.configured(swap=True)(), 2, compiled=False) == 16 * 16


def test_a_swapped_stone_changes_its_owner_and_is_mirrored():
    game = Hex.configured(size=5, swap=True)
    state = game.from_actions("b1 swap")
    assert [[cell.text for cell in row] for row in state.to_grid().cells][1] == ["O", ".", ".", ".", "."]
    assert state.current_player() == 0
    assert sorted(state.legal_actions()) == [cell for cell in range(25) if cell != 5]
    assert "swap" not in {
        state.action_to_string(action) for action in game.from_actions("b1 c1").legal_actions()
    }
    again = game.from_actions("c3 swap")
    assert owner(again, 12) == 1
    assert sorted(again.legal_actions()) == [cell for cell in range(25) if cell != 12]


def test_a_swapped_stone_is_linked_to_its_new_side():
    state = Hex.configured(size=3, swap=True).from_actions("a1 swap b1 b2 c1 c2")
    assert not state.is_terminal()
    state = Hex.configured(size=3, swap=True).from_actions(
        "b1 swap c1 b2 c2 c3 b3 c1".replace(" c3 b3 c1", "")
    )
    state.play("b3")
    assert owner(state, 3) == 1


def test_a_swap_has_no_place_on_the_board():
    state = Hex.configured(size=3, swap=True).from_actions("b1")
    assert squares_of(state, 9) == ()
    assert squares_of(state, 8) == (8,)


# --- Y ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "losing"),
    [
        slow(3, "a1 c1 a3"),
        (4, "a1 d1 a4"),
        slow(5, "a1 b1 c1 d1 e1 a2 d2 a3 c3 a4 b4 a5"),
    ],
)
def test_small_y_is_proven_with_the_published_outcome_of_every_opening(size, losing):
    game = Y.configured(size=size)
    lost = []
    for opening in range(game.cells):
        result = bw.MCTS(seed=1).search(game.from_actions([opening]), simulations=20_000_000)
        assert result.ended_by == "proven"
        if result.value == 1.0:
            lost.append(game().action_to_string(opening))
    assert lost == losing.split()


# --- Havannah -----------------------------------------------------------------------------------------------


def played(game, moves, others):
    """Return the state after player 0 has placed stones on `moves`, player 1 meanwhile on `others`."""
    line = []
    for number, move in enumerate(moves.split()):
        line += [move, others.split()[number]]
    return game.from_actions(line[: 2 * len(moves.split()) - 1])


@pytest.mark.parametrize(
    ("moves", "won"),
    [
        ("c4 d5 e5 e4 d3 c3", True),  # around the empty cell d4
        ("d4 c4 d5 e5 e4 d3 c3", True),  # around an own stone
        ("c4 d5 e5 e4 d3", False),
        ("c4 d5 e5 c3 d4", False),
        ("c3 d3 e4 d4 c4", False),  # five stones without a cell between them
        ("c3 c4 d5 e6 f6 f5 e4 d3", True),  # around two cells
    ],
)
def test_a_ring_wins_around_whatever_cell(moves, won):
    others = "e7 a2 g6 c1 b5 f3 f7 b3"
    assert played(Havannah.configured(size=4), moves, others).is_terminal() == won


def test_a_ring_wins_around_a_stone_of_the_opponent():
    state = played(Havannah.configured(size=4), "c4 d5 e5 e4 d3 c3", "d4 e7 a2 g6 c1 b5")
    assert state.is_terminal()
    assert state.returns() == (1.0, -1.0)


def test_two_corners_make_a_bridge_and_three_sides_a_fork():
    game = Havannah.configured(size=4)
    others = "e7 f7 c3 e4 c6 a3 b5"
    assert played(game, "a1 b1 c1 d1", others).is_terminal()
    assert not played(game, "a1 b1 c1", others).is_terminal()
    assert not played(game, "a2 b2 b1 d2", others).is_terminal()
    fork = "b1 b2 c3 d4 e5 f6 g6"  # the bottom and the right side
    others = "a1 a3 b5 e7 d7 f7 c6"
    assert not played(game, fork, others).is_terminal()
    assert played(game, "a2 " + fork, others + " c5").is_terminal()


def test_a_corner_belongs_to_no_side():
    marks = [int(mark) for mark in Havannah.configured(size=4).marks]
    assert sorted(mark for mark in marks if mark and mark < 64) == [1, 2, 4, 8, 16, 32]
    assert sorted(mark >> 6 for mark in marks if mark >= 64) == sorted([1, 2, 4, 8, 16, 32] * 2)


def test_a_full_board_without_a_winner_is_a_draw():
    state = HAVANNAH_3(left=0)
    assert state.is_terminal()
    assert state.returns() == (0.0, 0.0)


# --- all three ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [HEX_4, Y_4, HAVANNAH_3], ids=lambda game: game.name)
def test_more_simulations_win_more_games(game):
    assert share_of_points(game, (200, 4), pairs=10, opening_moves=3) > 0.7


def saving(state):
    """Return the cells that save a bridge which the last stone has cut, from the definition of a bridge."""
    if state.last < 0:
        return set()
    last = int(state.last)
    mine, sides = state.current_player(), range(state.cells, state.places)
    near = {cell: set(map(int, state.neighbours[cell])) for cell in range(state.cells)}

    def is_end(place):
        if place in sides:
            return int(state.board[place]) >> state.bits * mine & state.ends != 0
        return owner(state, place) == mine

    return {
        reply
        for reply in near[last]
        if reply not in sides and owner(state, reply) is None
        if sum(is_end(end) for end in near[last] & near[reply]) == 2
    }


@pytest.mark.parametrize("name", ["hex(size=6)", "y(size=7)", "havannah(size=4)"])
def test_playouts_save_bridges_and_are_random_otherwise(name, positions):
    game = bw.load_game(name)
    random_numbers = Randomness(new_streams(1))
    saved = 0
    for state in positions(game, games=12):
        if not state.is_terminal():
            found = {int(state.playout_action(random_numbers)) for _ in range(30)}
            expected = saving(state)
            assert found <= (expected or set(state.legal_actions()))
            assert len(found) == 1 if expected else len(found) > 1 or state.left < 4
            saved += bool(expected)
    assert saved > 10


def test_a_bridge_to_a_side_is_saved():
    state = Hex.configured(size=5).from_actions("c2 a5 a4 c1")  # c2 reaches the top by c1 or d1
    assert state.action_to_string(state.playout_action(Randomness(new_streams(1)))) == "d1"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hex(size=0)", "is not from 1 to 19"),
        ("hex(size=20)", "is not from 1 to 19"),
        ("y(size=0)", "is not from 1 to 26"),
        ("y(size=27)", "is not from 1 to 26"),
        ("havannah(size=1)", "is not from 2 to 26"),
        ("havannah(size=27)", "is not from 2 to 26"),
    ],
)
def test_sizes_that_make_no_board_are_refused(text, problem):
    with pytest.raises(bw.GameError, match=re.escape(f"{text} {problem}")):
        bw.load_game(text)


@pytest.mark.parametrize("name", ["hex(size=19,swap=True)", "y(size=26)", "havannah(size=26)"])
def test_the_largest_boards_can_be_played(name):
    game = bw.load_game(name)
    rng = random.Random(1)
    state = game()
    assert issubclass(game, Connection)
    for _ in range(60):
        state.apply_action(rng.choice(state.legal_actions()))
    assert len(str(state).splitlines()) >= game.size


def test_moves_that_are_taken_or_off_the_board_are_refused():
    state = HEX_4.from_actions("a1")
    for move in ("a1", "e1", "swap", "", "a0"):
        with pytest.raises(bw.ActionError):
            state.play(move)


def test_columns_beyond_the_first_row_of_havannah_are_named_at_the_ends_of_rows():
    lines = str(HAVANNAH_3()).splitlines()
    assert lines[2:] == ["3  . . . . .", " 2  . . . . e", "  1  . . . d", "     a b c"]
    grid = HAVANNAH_3().to_grid()
    for row in range(5):
        for place, cell in enumerate(grid.cells[row]):
            label = f"{grid.column_label(row, place)}{grid.row_labels[row]}"
            assert HAVANNAH_3().action_to_string(cell.action) == label
