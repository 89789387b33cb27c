"""Quoridor: in step with OpenSpiel and with a naive form of the rules, jumps, walls, and ends of games."""

import random

import pytest

import branchwise as bw
from branchwise.game.kinds.game_kinds import written_rule
from branchwise.games.quoridor import Quoridor
from branchwise.testing import perft


@pytest.mark.parametrize(
    ("size", "walls", "games"),
    [
        (9, 10, 4),
        (5, 3, 16),
        pytest.param(9, 10, 1000, marks=pytest.mark.slow),
        pytest.param(6, 7, 500, marks=pytest.mark.slow),
    ],
)
def test_random_games_agree_with_openspiel(size, walls, games):
    """OpenSpiel numbers rows from the top. Where nothing but a pass is left it has another action."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(f"quoridor(board_size={size},wall_count={walls})")
    game = Quoridor.configured(size=size, walls=walls)
    apply = written_rule(game.apply_action)
    rng = random.Random(games)

    def flipped(name):
        rows = size - 1 if name[-1] in "hv" else size
        row = int(name[1:].rstrip("hv"))
        return f"{name[0]}{rows + 1 - row}{name[-1] if name[-1] in 'hv' else ''}"

    for _ in range(games):
        state, other = game(), theirs.new_initial_state()
        while not state.is_terminal():
            assert not other.is_terminal()
            mover = state.current_player()
            assert other.current_player() == mover
            ours = {state.action_to_string(action): action for action in state.legal_actions()}
            if list(ours.values()) == [state.pawns[mover]]:
                break
            names = {flipped(other.action_to_string(action)): action for action in other.legal_actions()}
            assert ours.keys() == names.keys()
            name = rng.choice(sorted(ours))
            apply(state, ours[name])
            other.apply_action(names[name])
        else:
            assert other.is_terminal()
            if state.played < game.max_game_length:  # OpenSpiel draws a game that the very last move wins
                assert list(state.returns()) == other.returns()


# --- a naive form of the rules ----------------------------------------------------------------------------


class Naive:
    """Sets of cells and of blocked pairs of cells; every wall is tried by looking for both ways."""

    def __init__(self, size, walls):
        self.size, self.left, self.turn = size, [walls, walls], 0
        self.pawns = [(0, size // 2), (size - 1, size // 2)]
        self.blocked, self.middles = set(), set()

    def neighbours(self, cell, blocked):
        row, column = cell
        for other in ((row + 1, column), (row, column + 1), (row - 1, column), (row, column - 1)):
            inside = 0 <= other[0] < self.size and 0 <= other[1] < self.size
            if inside and frozenset((cell, other)) not in blocked:
                yield other

    def has_way(self, player, blocked):
        seen, waiting = {self.pawns[player]}, [self.pawns[player]]
        while waiting:
            for other in self.neighbours(waiting.pop(), blocked):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return any(row == (self.size - 1, 0)[player] for row, _ in seen)

    def wall(self, row, column, upright):
        cells = [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)]
        pairs = ((0, 1), (2, 3)) if upright else ((0, 2), (1, 3))
        return {frozenset((cells[a], cells[b])) for a, b in pairs}

    def moves(self):
        mine, theirs = self.pawns[self.turn], self.pawns[1 - self.turn]
        found = set()
        for cell in self.neighbours(mine, self.blocked):
            if cell != theirs:
                found.add(cell)
                continue
            beyond = (2 * cell[0] - mine[0], 2 * cell[1] - mine[1])
            landings = set(self.neighbours(cell, self.blocked)) - {mine}
            found |= {beyond} if beyond in landings else landings
        for row in range(self.size - 1):
            for column in range(self.size - 1):
                for upright in (False, True):
                    wall = self.wall(row, column, upright)
                    if self.left[self.turn] == 0 or (row, column) in self.middles or wall & self.blocked:
                        continue
                    if all(self.has_way(player, self.blocked | wall) for player in range(2)):
                        found.add((row, column, upright))
        return found or {mine}

    def play(self, move):
        if len(move) == 2:
            self.pawns[self.turn] = move
        else:
            self.left[self.turn] -= 1
            self.blocked |= self.wall(*move)
            self.middles.add(move[:2])
        self.turn = 1 - self.turn


@pytest.mark.parametrize(("size", "walls", "games"), [(4, 4, 6), (5, 8, 2), (2, 1, 5)])
def test_random_games_agree_with_a_naive_form_of_the_rules(size, walls, games):
    game = Quoridor.configured(size=size, walls=walls)
    rng = random.Random(size)
    for _ in range(games):
        state, naive = game(), Naive(size, walls)
        while not state.is_terminal():
            legal = state.legal_actions()
            moves = [move_of(state, action) for action in legal]
            assert set(moves) == naive.moves()
            assert len(set(legal)) == len(legal)
            place = rng.randrange(len(legal))
            if rng.random() < 0.5:  # walls are most of the moves, but few are placed
                place = 0
            state.apply_action(legal[place])
            naive.play(moves[place])


def move_of(state, action):
    """Return an action as the naive rules have it."""
    size = state.size
    if action < size**2:
        return divmod(action, size)
    upright, spot = divmod(action - size**2, (size - 1) ** 2)
    return (*divmod(spot, size - 1), bool(upright))


def test_perft_of_a_small_board_is_the_same_as_counted_by_the_naive_rules():
    def count(naive, depth):
        if depth == 0:
            return 1
        if naive.pawns[0][0] == 2 or naive.pawns[1][0] == 0:
            return 0
        total = 0
        for move in naive.moves():
            after = Naive(3, 1)
            after.left, after.turn, after.pawns = [*naive.left], naive.turn, [*naive.pawns]
            after.blocked, after.middles = set(naive.blocked), set(naive.middles)
            after.play(move)
            total += count(after, depth - 1)
        return total

    game = Quoridor.configured(size=3, walls=1)
    for depth in range(1, 5):
        assert perft(game(), depth, compiled=False) == count(Naive(3, 1), depth)


# --- what the rules say -----------------------------------------------------------------------------------


def steps(line):
    state = Quoridor.from_actions(line)
    return {state.action_to_string(action) for action in state.legal_actions() if action < 81}


def test_a_pawn_jumps_over_the_other_and_beside_it_where_a_wall_is_behind():
    meeting = "e2 e8 e3 e7 e4 e6 e5 "
    assert steps(meeting) == {"e4", "d6", "f6", "e7"}
    assert steps(meeting + "e4h a1h") == {"d5", "f5", "d6", "f6", "e7"}
    assert steps(meeting + "e5h a1h") == {"d6", "f6", "e7"}  # a wall between the pawns


def test_a_wall_may_not_close_the_last_way():
    state = Quoridor.configured(size=3, walls=4).from_actions("a1h")
    walls = {state.action_to_string(action) for action in state.legal_actions() if action >= 9}
    assert walls == {"a2h", "b2h", "a2v"}  # b1v and b2v would shut a pawn in, a1v cross the wall


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("size=1", "quoridor(size=1) is not from 2 to 13"),
        ("size=14", "quoridor(size=14) is not from 2 to 13"),
        ("walls=-1", "quoridor(walls=-1) is not from 0 to 60"),
    ],
)
def test_options_that_make_no_board_are_refused(options, problem):
    with pytest.raises(bw.GameError) as caught:
        bw.load_game(f"quoridor({options})")
    assert problem in str(caught.value)


def test_the_board_is_drawn_with_walls_between_the_cells():
    state = Quoridor.configured(size=3, walls=2).from_actions("a1h a2v c1")
    assert str(state).splitlines() == [
        "3  . | O   .",
        "     |",
        "2  . | .   .",
        "   -----",
        "1  .   .   X",
        "   a   b   c",
        "X has 1 walls",
        "O has 1 walls",
    ]


def test_a_game_that_nobody_wins_is_drawn():
    state = Quoridor.configured(size=3, walls=0)()
    for move in ["a1", "a3", "b1", "b3"] * 9:
        assert not state.is_terminal()
        state.play(move)
    assert state.is_terminal()
    assert state.returns() == (0.0, 0.0)


@pytest.mark.parametrize("mover", [0, 1])
def test_a_step_to_the_goal_is_proven_for_either_player(mover):
    state = Quoridor(pawns=[64, 10], walls_left=[0, 0], played=mover)
    result = bw.MCTS(seed=1, compiled=False).search(state, simulations=30)
    assert result.value == 1.0
    state.apply_action(result.best_action)
    assert state.winner() == mover


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pawns", "mover", "winner"),
    [("e6 a4", 0, 0), ("e6 a4", 1, 1), ("e5 a3", 0, 1), ("e5 a3", 1, 1), ("e7 a5", 1, 0)],
)
def test_without_walls_the_shorter_way_wins(pawns, mover, winner):
    cells = ["abcdefghi".index(name[0]) + 9 * (int(name[1]) - 1) for name in pawns.split()]
    state = Quoridor(pawns=cells, walls_left=[0, 0], played=mover)
    result = bw.MCTS(seed=1).search(state, simulations=4000)
    assert result.value == (1.0 if winner == mover else -1.0)
