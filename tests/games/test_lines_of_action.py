"""Lines of Action: OpenSpiel and a naive board in step, connections, and the limit of moves."""

import random
import re

import pytest

import branchwise as bw
from branchwise.games.lines_of_action import LinesOfAction
from support.budgets import share_of_points
from support.rows import slow

DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]


def named(state):
    return {state.action_to_string(action): action for action in state.legal_actions()}


@pytest.mark.parametrize("games", [3, slow(1000)])
def test_random_games_agree_with_openspiel(games):
    """OpenSpiel ends a game as a draw when a position comes again, which is not noticed here."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("lines_of_action")
    rng = random.Random(games)
    for _ in range(games):
        state, other, repeated = LinesOfAction(), theirs.new_initial_state(), False
        seen = {str(state)}
        while not other.is_terminal():
            assert not state.is_terminal()
            assert state.current_player() == other.current_player()
            his = {re.sub("[-x]", "", other.action_to_string(a)): a for a in other.legal_actions()}
            ours = named(state)
            assert ours.keys() == his.keys()
            move = rng.choice(sorted(ours))
            state.apply_action(ours[move])
            other.apply_action(his[move])
            repeated = str(state) in seen
            seen.add(str(state))
        assert repeated or state.is_terminal()
        assert other.returns() == ([0.0, 0.0] if repeated else list(state.returns()))


class Board:
    """The rules on a dictionary from (row, column) to player."""

    def __init__(self, size):
        self.size, self.mover = size, 0
        edge = (0, size - 1)
        self.men = {(r, c): 0 for r in edge for c in range(1, size - 1)}
        self.men |= {(r, c): 1 for r in range(1, size - 1) for c in edge}

    def line(self, cell, direction):
        """Return the cells from one on, in a direction."""
        steps = ((cell[0] + n * direction[0], cell[1] + n * direction[1]) for n in range(1, self.size))
        return [(r, c) for r, c in steps if 0 <= r < self.size and 0 <= c < self.size]

    def moves(self):
        for cell in [cell for cell, player in self.men.items() if player == self.mover]:
            for down, right in DIRECTIONS:
                ahead, behind = self.line(cell, (down, right)), self.line(cell, (-down, -right))
                length = 1 + sum(place in self.men for place in ahead + behind)
                if length <= len(ahead):
                    blocked = any(self.men.get(place) == 1 - self.mover for place in ahead[: length - 1])
                    if not blocked and self.men.get(ahead[length - 1]) != self.mover:
                        yield cell, ahead[length - 1]

    def is_connected(self, player):
        men = {cell for cell, owner in self.men.items() if owner == player}
        group, waiting = set(), [min(men)]
        while waiting:
            cell = waiting.pop()
            group.add(cell)
            near = {(cell[0] + down, cell[1] + right) for down, right in DIRECTIONS}
            waiting += (near & men) - group
        return group == men

    def winner(self):
        """Return the winner after a move, or None."""
        for player in (1 - self.mover, self.mover):
            if self.is_connected(player):
                return player
        return None if any(True for _ in self.moves()) else 1 - self.mover


@pytest.mark.parametrize("size", [4, 5, 7, 8])
def test_random_games_agree_with_a_naive_board(size):
    rng = random.Random(size)
    for _ in range(2 if size == 8 else 5):
        state, board = LinesOfAction.configured(size=size)(), Board(size)
        while not state.is_terminal():
            moves = {
                "".join("abcdefgh"[c] + str(r + 1) for r, c in (start, end)): (start, end)
                for start, end in board.moves()
            }
            actions = named(state)
            assert moves.keys() == actions.keys()
            move = rng.choice(sorted(moves))
            start, end = moves[move]
            del board.men[start]
            board.men[end] = board.mover
            board.mover = 1 - board.mover
            state.apply_action(actions[move])
            winner = board.winner()
            assert state.is_terminal() == (winner is not None)
        assert state.returns() == ((1.0, -1.0) if winner == 0 else (-1.0, 1.0))


def test_if_a_capture_connects_both_sides_the_player_who_moved_wins():
    game = LinesOfAction.configured(size=5)

    def cells(text):
        return sum(1 << 5 * (int(name[1]) - 1) + "abcde".index(name[0]) for name in text.split())

    for mover in (0, 1):
        state = game(mine=cells("a2 c1"), theirs=cells("a3 d5 e5"), mover=mover)
        state.play("c1xa3")
        assert state.winner == mover
        state = game(mine=cells("a1 c1"), theirs=cells("a3 d5 e5"), mover=mover)
        state.play("c1xa3")
        assert state.winner == 1 - mover


def test_a_game_is_drawn_after_its_number_of_moves():
    state = LinesOfAction.configured(moves=2).from_actions("b1b3 a2c2")
    assert state.is_terminal()
    assert state.returns() == (0.0, 0.0)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("size=3", "lines_of_action(size=3) is not from 4 to 8"),
        ("size=9", "lines_of_action(size=9) is not from 4 to 8"),
        ("moves=0", "lines_of_action(moves=0) is not from 1 to 10,000"),
    ],
)
def test_a_variant_that_cannot_be_is_refused(options, problem):
    with pytest.raises(bw.GameError, match=re.escape(problem)):
        bw.load_game(f"lines_of_action({options})")


def test_moves_may_have_a_hyphen_or_an_x_between_their_cells():
    assert LinesOfAction.from_actions(["b1-b3"]) == LinesOfAction.from_actions("B1B3")
    assert LinesOfAction.from_actions(["c1xa3"]) == LinesOfAction.from_actions(["c1a3"])
    with pytest.raises(bw.ActionError, match='"b1b4" is not a legal move'):
        LinesOfAction.from_actions(["b1-b4"])


@pytest.mark.slow
def test_strength_rises_with_the_budget():
    game = LinesOfAction.configured(size=5, moves=100)
    assert share_of_points(game, (200, 10), pairs=6, opening_moves=5) >= 0.7
