"""Random games in step with OpenSpiel's, and games that are defined twice in step with each other."""

import random

import pytest

from branchwise.games.backgammon import BAR, LOW_FIRST, NONE, Backgammon
from branchwise.games.connect_four import ConnectFour
from branchwise.games.mnk import MNK
from branchwise.games.nim import Nim
from branchwise.games.pig import Pig
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.games.ultimate_tic_tac_toe import UltimateTicTacToe
from support.rows import slow

THEIR_BAR = 100


def assert_same(state, other):
    assert state.is_terminal() == other.is_terminal()
    if state.is_terminal():
        assert list(state.returns()) == list(other.returns())
    else:
        assert state.current_player() == other.current_player()
        assert state.legal_actions() == list(other.legal_actions())


@pytest.mark.parametrize(
    ("game", "openspiel"),
    [
        (TicTacToe, "tic_tac_toe"),
        (MNK.configured(rows=3, columns=3, in_a_row=3), "tic_tac_toe"),
        (ConnectFour, "connect_four"),
        (MNK.configured(rows=6, columns=7, gravity=True), "connect_four"),
        (ConnectFour.configured(rows=5, columns=4), "connect_four(rows=5,columns=4)"),
        (ConnectFour.configured(in_a_row=3), "connect_four(x_in_row=3)"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_random_games_agree_with_openspiel(game, openspiel):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(openspiel)
    rng = random.Random(1)
    for _ in range(1000):
        state, other = game(), theirs.new_initial_state()
        while not state.is_terminal():
            assert_same(state, other)
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            other.apply_action(action)
        assert_same(state, other)


def test_random_games_of_nim_agree_with_openspiel():
    """OpenSpiel's action takes `action // heaps + 1` chips from heap `action % heaps`."""
    pyspiel = pytest.importorskip("pyspiel")
    for misere in (False, True):
        game = Nim.configured(heaps=(1, 3, 5, 7), max_take=0, misere=misere)
        theirs = pyspiel.load_game(f"nim(pile_sizes=1;3;5;7,is_misere={misere})")
        rng = random.Random(1)
        for _ in range(500):
            state, other = game(), theirs.new_initial_state()
            while not state.is_terminal():
                assert state.current_player() == other.current_player()
                mapped = {action % 7 * 4 + action // 7: action for action in state.legal_actions()}
                assert sorted(mapped) == other.legal_actions()
                action = rng.choice(other.legal_actions())
                state.apply_action(mapped[action])
                other.apply_action(action)
            assert other.is_terminal()
            assert list(state.returns()) == other.returns()


def test_random_games_of_ultimate_tic_tac_toe_agree_with_openspiel():
    """Where the board is free to choose, OpenSpiel has a separate move for it before the cell."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("ultimate_tic_tac_toe")
    rng = random.Random(1)

    def must_choose_board(other):
        return other.action_to_string(other.current_player(), other.legal_actions()[0]).startswith("Choose")

    def legal_actions(other):
        if not must_choose_board(other):
            return [9 * state.board + cell for cell in other.legal_actions()]
        boards = {board: other.child(board).legal_actions() for board in other.legal_actions()}
        return [9 * board + cell for board, cells in boards.items() for cell in cells]

    for _ in range(1000):
        state, other = UltimateTicTacToe(), theirs.new_initial_state()
        while not state.is_terminal():
            assert not other.is_terminal()
            assert state.current_player() == other.current_player()
            assert state.legal_actions() == legal_actions(other)
            action = rng.choice(state.legal_actions())
            if must_choose_board(other):
                other.apply_action(action // 9)
            state.apply_action(action)
            other.apply_action(action % 9)
        assert_same(state, other)


@pytest.mark.parametrize("options", [slow({}), {"target": 20}, {"target": 30, "sides": 4}], ids=str)
def test_random_games_of_pig_agree_with_openspiel_in_their_chances_too(options):
    pyspiel = pytest.importorskip("pyspiel")
    game = Pig.configured(**options)
    theirs = pyspiel.load_game(
        "pig", {"winscore": game.target, "diceoutcomes": game.sides, "horizon": 1_000_000}
    )
    rng = random.Random(1)
    for _ in range(1000):
        state, other = game(), theirs.new_initial_state()
        while not state.is_terminal():
            assert_same(state, other)
            if other.is_chance_node():
                assert state.chance_outcomes() == other.chance_outcomes()
                action = rng.choice(state.legal_actions())
            else:  # rolls more often than not, so that games are short
                action = rng.choice([state.legal_actions()[0], *state.legal_actions()])
            state.apply_action(action)
            other.apply_action(action)
        assert_same(state, other)


def our_checker_moves(state, action):
    """Return the moves of an action as pairs of point and target, in no order; -1 is off the board."""
    dice = (state.high, state.low) if action < LOW_FIRST else (state.low, state.high)
    points = (action % 26, action % LOW_FIRST // 26)
    moves = zip(points, dice, strict=True)
    return tuple(sorted((point, max(point - die, -1)) for point, die in moves if point != NONE))


def their_checker_moves(other, action):
    """Return the same of OpenSpiel's action: player 0's points are counted from the other end there."""
    found = []
    for move in other.spiel_move_to_checker_moves(other.current_player(), action):
        if move.pos >= 0:  # -1 is a pass
            point = 23 - move.pos if other.current_player() == 0 else move.pos
            point = BAR if move.pos == THEIR_BAR else point
            found.append((point, max(point - move.num, -1)))
    return tuple(sorted(found))


def by_dice(state, other):
    """Return our outcomes and theirs by the dice; theirs tell apart which of the later dice is which."""
    ours, theirs = {}, {}
    for outcome, chance in state.chance_outcomes():
        ours[state.action_to_string(outcome).replace("-", "")] = outcome, chance
    for outcome, chance in other.chance_outcomes():
        text = other.action_to_string(-1, outcome)
        dice = text.rpartition("roll: ")[2].strip(")")
        if state.started:
            dice = "".join(sorted(dice, reverse=True))
        else:  # theirs are named the lower one first for X, who is player 0
            dice = "".join(sorted(dice, reverse="X starts" in text))
        theirs.setdefault(dice, []).append((outcome, chance))
    return ours, theirs


@pytest.mark.parametrize("games", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_games_of_backgammon_agree_with_openspiel_in_their_chances_too(games):
    """OpenSpiel has an action for each order of two checker moves, which come to the same."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("backgammon(max_player_turns=1000000)")
    rng = random.Random(games)
    for _ in range(games):
        state, other = Backgammon(), theirs.new_initial_state()
        while not state.is_terminal():
            assert not other.is_terminal()
            assert state.current_player() == other.current_player()
            for point in range(24):
                assert other.board(0, point) == state.checkers[0, 23 - point]
                assert other.board(1, point) == state.checkers[1, point]
            if other.is_chance_node():
                mine, rolls = by_dice(state, other)
                assert mine.keys() == rolls.keys()
                dice = rng.choice(sorted(mine))
                outcome, chance = mine[dice]
                assert chance == pytest.approx(sum(chance for _, chance in rolls[dice]))
                state.apply_action(outcome)
                other.apply_action(rng.choice(rolls[dice])[0])
            else:
                mapped = {our_checker_moves(state, action): action for action in state.legal_actions()}
                assert len(mapped) == len(state.legal_actions())
                actions = {their_checker_moves(other, action): action for action in other.legal_actions()}
                assert mapped.keys() == actions.keys()
                moves = rng.choice(sorted(mapped))
                state.apply_action(mapped[moves])
                other.apply_action(actions[moves])
        assert other.is_terminal()
        assert list(state.returns()) == other.returns()


@pytest.mark.parametrize(
    ("bits", "options"),
    [
        (TicTacToe, {"rows": 3, "columns": 3, "in_a_row": 3}),
        (ConnectFour, {"rows": 6, "columns": 7}),
        (ConnectFour, {"rows": 4, "columns": 8, "in_a_row": 5}),
        (ConnectFour, {"rows": 9, "columns": 6, "in_a_row": 6}),
        (ConnectFour, {"rows": 1, "columns": 9, "in_a_row": 3}),
    ],
    ids=str,
)
def test_games_on_bits_agree_with_the_same_on_a_board_array(bits, options):
    gravity = bits is ConnectFour
    one = bits.configured(**options) if gravity else bits
    other = MNK.configured(**options, gravity=gravity)
    rng = random.Random(1)
    for _ in range(100):
        state, twin = one(), other()
        while not state.is_terminal():
            assert_same(state, twin)
            action = rng.choice(state.legal_actions())
            assert state.action_to_string(action) == twin.action_to_string(action)
            state.apply_action(action)
            twin.apply_action(action)
        assert_same(state, twin)
        assert str(state) == str(twin)
