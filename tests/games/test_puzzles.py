"""Puzzles of one player: their rules against other ways to tell the same, and known best results."""

import itertools
import random

import numpy as np
import pytest

import branchwise as bw
from branchwise.problems.morpion import SIDE, Morpion
from branchwise.problems.peg_solitaire import BOARDS, PEG, PegSolitaire
from branchwise.problems.same_game import SameGame
from branchwise.problems.snake_in_the_box import SnakeInTheBox
from branchwise.problems.weak_schur import WeakSchur


def at_random(state, source, moves=1000):
    """Play random moves; returns the rewards."""
    rewards = []
    while not state.is_terminal() and len(rewards) < moves:
        rewards.append(state.apply_action(source.choice(state.legal_actions())))
    return rewards


def best_by_trying_all(state):
    """Return the best sum of rewards."""
    best = 0.0 if state.is_terminal() else -np.inf
    for action in state.legal_actions() if not state.is_terminal() else ():
        after = state.copy()
        best = max(best, after.apply_action(action) + best_by_trying_all(after))
    return best


# --- weak Schur numbers ---------------------------------------------------------------------------------


def test_weakly_sum_free_parts_are_those_of_the_rules():
    source = random.Random(1)
    for _ in range(20):
        state = WeakSchur.configured(parts=3)()
        parts = [set(), set(), set()]
        while not state.is_terminal():
            free = [
                p
                for p, part in enumerate(parts)
                if not any(a + b == state.number for a, b in itertools.combinations(part, 2))
            ]
            used = sum(map(bool, parts))
            assert state.legal_actions() == [p for p in free if p <= used]
            action = source.choice(state.legal_actions())
            parts[action].add(int(state.number))
            assert state.apply_action(action) == 1.0
        assert sum(map(len, parts)) == state.number - 1


@pytest.mark.parametrize(("parts", "number"), [(1, 2), (2, 8)])
def test_small_weak_schur_numbers_by_trying_all(parts, number):
    assert best_by_trying_all(WeakSchur.configured(parts=parts)()) == number


def test_only_one_to_six_parts():
    with pytest.raises(bw.GameError, match=r"weak_schur\(parts=7\) is not from 1 to 6"):
        WeakSchur.configured(parts=7)


# --- snake in the box -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("dimension", "longest"), [(2, 2), (3, 4), (4, 7)])
def test_longest_snakes_by_trying_all(dimension, longest):
    assert best_by_trying_all(SnakeInTheBox.configured(dimension=dimension)()) == longest


def test_a_snake_is_an_induced_path():
    source = random.Random(2)
    for _ in range(50):
        state = SnakeInTheBox.configured(dimension=6)()
        path = [0]
        while not state.is_terminal():
            state.apply_action(source.choice(state.legal_actions()))
            path.append(int(state.corner))
        for (i, one), (j, other) in itertools.combinations(enumerate(path), 2):
            assert (bin(one ^ other).count("1") == 1) == (j == i + 1)
        assert state.length == len(path) - 1


# --- SameGame -------------------------------------------------------------------------------------------


def groups_of(board):
    """Return the groups of a board, an array [row from the bottom, column], as sets of cells."""
    left = {(r, c) for r, c in np.ndindex(board.shape) if board[r, c]}
    found = []
    while left:
        group, waiting = set(), [left.pop()]
        while waiting:
            r, c = waiting.pop()
            group.add((r, c))
            for near in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
                if near in left and board[near] == board[r, c]:
                    left.remove(near)
                    waiting.append(near)
        found.append(group)
    return found


def without(board, group):
    """Return the board after a group is removed."""
    columns = [
        [board[r, c] for r in range(board.shape[0]) if board[r, c] and (r, c) not in group]
        for c in range(board.shape[1])
    ]
    after = np.zeros_like(board)
    for c, column in enumerate(column for column in columns if column):
        after[: len(column), c] = column
    return after


def board_of(state):
    colours = [state.colour_of(cell) for cell in range(state.num_actions)]
    return np.array(colours).reshape(state.columns, state.rows).T


@pytest.mark.parametrize(
    ("rows", "columns", "colours", "boards"),
    [
        (15, 15, 5, 5),
        (4, 6, 2, 60),
        (7, 9, 2, 9),
        (8, 8, 3, 9),
        (31, 5, 2, 3),
        (32, 3, 2, 3),
        (50, 4, 3, 3),
        (1, 20, 2, 9),
        (20, 1, 2, 9),
    ],
)
def test_groups_fall_as_in_another_program(rows, columns, colours, boards):
    source = random.Random(3)
    cleared = 0
    for number in range(1, boards + 1):
        state = SameGame.configured(rows=rows, columns=columns, colours=colours, board=number)()
        while True:
            board = board_of(state)
            groups = {min(c * rows + r for r, c in g): g for g in groups_of(board) if len(g) >= 2}
            assert state.is_terminal() == (not groups)
            if not groups:
                break
            assert sorted(groups) == state.legal_actions()
            action = source.choice(sorted(groups))
            reward = state.apply_action(action)
            after = without(board, groups[action])
            assert (board_of(state) == after).all()
            cleared += not after.any()
            assert reward == (len(groups[action]) - 2) ** 2 + 1000 * (not after.any())
    assert cleared > 0 or boards < 60


def test_a_code_is_that_of_a_groups_cells_wherever_they_have_fallen():
    game = SameGame.configured(board=3)
    codes, moved = {}, 0
    for seed in range(3):
        state, source = game(), random.Random(seed)
        board = board_of(state)
        whence = np.arange(1, 226).reshape(15, 15)
        while not state.is_terminal():
            for group in groups_of(board):
                if len(group) >= 2:
                    r, c = min(group, key=lambda cell: cell[1] * 15 + cell[0])
                    code = state.action_code(c * 15 + r)
                    assert code >= 0
                    cells = frozenset(int(whence[cell]) for cell in group)
                    moved += any(whence[cell] != 15 * cell[0] + cell[1] + 1 for cell in group)
                    assert codes.setdefault(code, cells) == cells
            action = source.choice(state.legal_actions())
            group = next(g for g in groups_of(board) if (action % 15, action // 15) in g)
            board, whence = without(board, group), without(whence, group)
            state.apply_action(action)
    assert len(set(codes.values())) == len(codes) > 50 < moved


def test_groups_found_step_by_step_are_those_of_a_board_as_it_is():
    source = random.Random(8)
    for number in range(1, 6):
        state = SameGame.configured(rows=9, columns=7, colours=3, board=number)()
        while not state.is_terminal():
            state.apply_action(source.choice(state.legal_actions()))
            anew = state.copy()
            anew.size[:], anew.shape_code[:], anew.removable[:] = 0, 0, 0
            anew.touched[1:-1] = 2**64 - 1
            anew.find_groups()
            assert anew == state
            assert not any(field.any() for field in (state.group, state.touched, state.seeds))


def test_playouts_leave_the_most_frequent_colour():
    state = SameGame.configured(board=1)()
    random_numbers = bw.Random(5)
    while not state.is_terminal():
        counts = [int((board_of(state) == colour).sum()) for colour in range(1, 6)]
        assert list(state.left) == counts
        kept = 1 + counts.index(max(counts))
        action = state.playout_action(random_numbers)
        legal = state.legal_actions()
        assert action in legal
        assert state.colour_of(action) != kept or all(state.colour_of(other) == kept for other in legal)
        state.apply_action(action)


@pytest.mark.parametrize("keep", [1, 2, 3, 4])
def test_searches_keep_a_colour_of_choice(keep):
    state = SameGame.configured(rows=8, columns=6, colours=4, keep=keep)()
    random_numbers = bw.Random(5)
    while not state.is_terminal():
        legal = state.legal_actions()
        for action in legal:
            size = state.size[state.spot_of(action)]
            least = 1e-6 if size > 2 else 0.1
            assert state.prior(action) == (least if state.colour_of(action) == keep else 1.0)
        action = state.playout_action(random_numbers)
        assert action in legal
        assert state.colour_of(action) != keep or all(state.colour_of(other) == keep for other in legal)
        state.apply_action(action)


def test_a_colour_to_keep_is_one_of_the_board():
    for keep in (-1, 4):
        with pytest.raises(bw.GameError, match=rf"keep={keep}\): colours are numbered from 1 to 3"):
            SameGame.configured(rows=8, columns=6, colours=3, keep=keep)


def playout_choices(tmp_path, rows):
    """Return how often 4,000 choices of playouts remove each group of a board, by its first cell's name."""
    file = tmp_path / "board.txt"
    file.write_text("\n".join(rows))
    state = SameGame.configured(rows=len(rows), columns=len(rows[0]), colours=4, file=str(file))()
    random_numbers = bw.Random(1)
    chosen = [state.action_to_string(state.playout_action(random_numbers)) for _ in range(4000)]
    return {name: chosen.count(name) for name in map(state.action_to_string, state.legal_actions())}


def test_playouts_remove_rare_colours_first_and_keep_the_most_frequent_one(tmp_path):
    counts = playout_choices(tmp_path, ["111444", "111444", "222444", "334444", "334444"])
    # The least of uniform numbers below 6 ** 2, 3 ** 2 and 4 ** 2.
    expected = {"a4": 406, "a3": 2563, "a1": 1031, "c1": 0}
    assert counts == pytest.approx(expected, rel=0.15)


def test_playouts_remove_small_groups_first(tmp_path):
    counts = playout_choices(tmp_path, ["2121", "1111", "2222", "1111", "2211"])
    # Of two groups, the least of uniform numbers below 2 ** 2 and 4 ** 2.
    assert counts == pytest.approx({"a1": 3500, "a2": 0, "a3": 500, "a4": 0}, rel=0.15)


def test_boards_are_read_from_a_file(tmp_path):
    file = tmp_path / "boards.txt"
    file.write_text("0 1 2\n2 1 0\n\n1 1 1\n0 2 0\n")
    game = SameGame.configured(rows=2, columns=3, colours=3, file=str(file), board=2)
    assert board_of(game()).tolist() == [[1, 3, 1], [2, 2, 2]]
    assert game().legal_actions() == [1]
    file.write_text("123\n221\n")
    game = SameGame.configured(rows=2, columns=3, colours=3, file=str(file), board=1)
    assert board_of(game()).tolist() == [[2, 2, 1], [1, 2, 3]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 2 3\n", "has 1 rows, so there is no board 1 of 2 rows"),
        ("1 2 3\n1 2\n", r"row 2 is '1 2', not 3 colours"),
        ("1 2 3\n1 x 2\n", r"row 2 is '1 x 2', not 3 colours"),
        ("1 2 3\n4 5 6\n", "has 6 colours, not 3"),
        ("1 2 3\n1 2 3\n\n1 2 3\n", "has 3 rows, which do not make whole boards of 2 rows"),
    ],
)
def test_a_bad_file_is_reported(tmp_path, text, told):
    file = tmp_path / "boards.txt"
    file.write_text(text)
    with pytest.raises(bw.GameError, match=told):
        SameGame.configured(rows=2, columns=3, colours=3, file=str(file))


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(bw.GameError, match="cannot be read"):
        SameGame.configured(file=str(tmp_path / "none.txt"))


# --- peg solitaire --------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", sorted(BOARDS))
def test_jumps_are_those_of_another_program(board):
    assert PegSolitaire.configured(board=board).max_return == {"english": 31, "european": 35}[board]
    source = random.Random(6)
    for _ in range(5):
        state = PegSolitaire.configured(board=board)()
        pegs = {(r, c) for r in range(7) for c in range(7) if BOARDS[board][r][c] == "O"}
        holes = {(r, c) for r in range(7) for c in range(7) if BOARDS[board][r][c] == "."}
        while True:
            jumps = {}
            for r, c in pegs:
                for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                    over, behind = (r + down, c + right), (r + 2 * down, c + 2 * right)
                    if over in pegs and behind in holes:
                        name = "-".join(f"{'abcdefg'[x]}{7 - y}" for y, x in ((r, c), behind))
                        jumps[name] = ({(r, c), over}, behind)
            assert sorted(map(state.action_to_string, state.legal_actions())) == sorted(jumps)
            assert state.is_terminal() == (not jumps)
            if not jumps:
                break
            name = source.choice(sorted(jumps))
            gone, behind = jumps[name]
            pegs, holes = (pegs - gone) | {behind}, (holes | gone) - {behind}
            state.play(name)
        assert len(pegs) == (state.cells == PEG).sum()


@pytest.mark.slow
def test_nrpa_leaves_one_peg():
    result = bw.NRPA(level=3, iterations=100, seed=2).search(PegSolitaire(), playouts=300_000)
    assert result.best_score == PegSolitaire.max_return == 31
    assert (result.end.cells == PEG).sum() == 1


def test_an_unknown_board_is_reported():
    with pytest.raises(bw.UnknownNameError, match="english"):
        PegSolitaire.configured(board="englisch")


# --- morpion solitaire ----------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["5T", "5D"])
def test_lines_are_those_of_another_program(variant):
    source = random.Random(7)
    ways = ((0, 1), (1, 0), (1, 1), (1, -1))
    state = Morpion.configured(variant=variant)()
    points = {divmod(cell, SIDE) for cell in range(SIDE * SIDE) if state.has_point(cell)}
    drawn = []
    assert len(points) == 36
    while True:
        legal = {}
        for r, c, way in itertools.product(range(SIDE), range(SIDE), range(4)):
            cells = [(r + n * ways[way][0], c + n * ways[way][1]) for n in range(5)]
            missing = [cell for cell in cells if cell not in points]
            shared = 1 if variant == "5T" else 0
            if len(missing) == 1 and all(0 <= x < SIDE for cell in cells for x in cell):
                others = (line for line, other in drawn if other == way)
                if all(len(set(cells) & set(line)) <= shared for line in others):
                    legal[4 * (SIDE * r + c) + way] = (cells, missing[0])
        assert sorted(state.legal_actions()) == sorted(legal)
        assert state.is_terminal() == (not legal)
        if not legal:
            break
        action = source.choice(sorted(legal))
        cells, new = legal[action]
        assert state.action_code(action) == 5 * action + cells.index(new)
        state.apply_action(action)
        points.add(new)
        drawn.append((cells, action % 4))
    assert len(drawn) == state.made > 10


def test_lines_may_share_a_weight_whichever_of_their_points_is_new():
    state = Morpion.configured(by_point=False)()
    while not state.is_terminal():
        legal = list(state.legal_actions())
        assert [state.action_code(action) for action in legal] == legal
        state.apply_action(legal[-1])


@pytest.mark.parametrize("variant", ["5T", "5D"])
def test_lines_through_a_point_do_not_leave_the_board(variant):
    state = Morpion.configured(variant=variant)()
    source = np.random.default_rng(9)
    found = 0
    for _ in range(3):
        state.points[:] = 0
        for cell in np.flatnonzero(source.random(SIDE * SIDE) < 0.75):
            state.add_point(cell)
        state.marks[:] = (source.random((state.marks.size, 32)) < 0.1) @ 2 ** np.arange(32)
        for point, direction in itertools.product(range(SIDE * SIDE), range(4)):
            step = (1, SIDE, SIDE + 1, SIDE - 1)[direction]
            lines = {4 * (point - place * step) + direction: place for place in range(5)}
            places = state.places_to_draw(point, direction)
            for line, place in lines.items():
                fits = 0 <= line < state.num_actions and state.fits[line]
                assert fits == bool(state.fits[line & state.last_action])
                if fits:
                    assert (int(places) >> place) & 1 == state.can_draw(line)
                    found += state.can_draw(line)
    assert found > 100
