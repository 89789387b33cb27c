"""Paths of shipped games: each legal action has squares that tell it apart, or a text that does."""

import random
from collections import defaultdict

import pytest

import branchwise as bw
from branchwise.boards.layer import NO_CELL, cells_of, has_layer, path_name, squares_of
from branchwise.boards.style import look_of
from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.game.kinds.game_kinds import is_simulator
from branchwise.games import game_names, load_game
from branchwise.problems.racetrack import NAMES

SECOND_CHOICES = {"chess": 4, "rock_sample": 2}
"""Games in which legal actions share a path, and how many at most: a pawn has four promotions, and a rover
goes to a rock or checks it."""
OFF_THE_BOARD = {
    "backgammon": {"pass"},
    "blokus_duo": {"pass"},
    "chinese_checkers": {"stop"},
    "cliff_walking": {"down", "left", "right", "up"},
    "frozen_lake": {"down", "left", "right", "up"},
    "go": {"pass"},
    "kuhn_poker": {"bet", "pass"},
    "leduc_poker": {"call", "check", "fold", "raise"},
    "light_dark": {"-10", "-1", "+1", "+10"},
    "othello": {"pass"},
    "racetrack": set(NAMES),
    "rock_sample": {"east", "sample"},
    "tiger": {"listen"},
    "twenty_forty_eight": {"down", "left", "right", "up"},
    "weak_schur": {"a", "b", "c", "d"},
}
"""Games with legal actions that have no place on the board, and their names; all bids of dice have none."""

VARIANTS = (
    'chess(fen="8/P6k/8/8/8/8/p6K/8 w - - 0 1")',
    "breakthrough(knightthrough=True)",
    "breakthrough(rows=9,columns=7,home=1)",
    "othello(size=6)",
    "lines_of_action(size=5)",
    "clobber(rows=3,columns=7)",
    "konane(rows=6,columns=9)",
    "domineering(rows=5,columns=7)",
    'tron(layout="1..#/#..2")',
    "go(size=5)",
    "go(size=19)",
    "mnk(rows=4,columns=5,gravity=True)",
    "mnk(rows=3,columns=3,in_a_row=3)",
    "nine_mens_morris(rings=1,men=3)",
    "quoridor(size=5,walls=3)",
    "dots_and_boxes(rows=1,columns=3)",
    "nim(heaps=(3,4,5),max_take=0)",
)
WITH_BOARDS = [name for name in game_names() if has_layer(load_game(name))]


def choosers(state):
    """Yield (player, legal actions); the player is None unless all move at once."""
    if state.current_player() == SIMULTANEOUS:
        for player in range(state.num_players):
            yield player, list(map(int, state.legal_actions(player)))
    elif state.current_player() != CHANCE:
        yield None, list(map(int, state.legal_actions()))


def random_states(name, games=2, most=60, seed=1):
    """Yield the states of random games."""
    rng = random.Random(seed)
    for _ in range(games):
        state = load_game(name).new_initial_state(bw.Random(rng.randrange(1000)))
        draws = (bw.Random(1),) if is_simulator(type(state)) else ()
        for _ in range(most):
            if state.is_terminal():
                break
            yield state
            player = state.current_player()
            if player == SIMULTANEOUS:
                state.apply_actions([rng.choice(legal) for _, legal in choosers(state)])
            elif player == CHANCE:
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, chances)[0])
            else:
                state.apply_action(rng.choice(list(state.legal_actions())), *draws)


@pytest.mark.parametrize("name", [*WITH_BOARDS, *VARIANTS])
def test_paths_stay_on_the_board_and_tell_legal_actions_apart(name):
    look, short = look_of(load_game(name)), name.partition("(")[0]
    most, off_board = 1, set()
    for state in random_states(name):
        kinds = cells_of(state)[:, :, 1]
        for player, legal in choosers(state):
            texts = defaultdict(list)
            for action in legal:
                path = squares_of(state, action, player)
                assert all(kinds[divmod(square, look.columns)] != NO_CELL for square in path)
                texts[path].append(state.action_to_string(action))
            off_board.update(texts.pop((), ()))
            assert all(len(set(same)) == len(same) for same in texts.values())
            most = max(most, *(len(same) for same in texts.values()), 1)
    assert most <= SECOND_CHOICES.get(short, 1)
    assert short == "liars_dice" or off_board <= OFF_THE_BOARD.get(short, set())


@pytest.mark.parametrize("name", ["chess", "breakthrough", "lines_of_action", "clobber", "amazons", "go"])
def test_names_of_moves_follow_from_their_paths(name):
    for state in random_states(name, games=1, most=20):
        for _, legal in choosers(state):
            for action in legal:
                if squares_of(state, action):
                    assert state.action_to_string(action).startswith(path_name(state, action))


def squares(name, moves, text):
    """Return the names of the squares of a move after others."""
    state = load_game(name).from_actions(moves)
    look = look_of(type(state))
    return [look.name(square) for square in squares_of(state, state.action_from_string(text))]


@pytest.mark.parametrize(
    ("name", "moves", "text", "path"),
    [
        ('chess(fen="r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")', "", "O-O", ["e1", "g1"]),
        ('chess(fen="8/P6k/8/8/8/8/p6K/8 w - - 0 1")', "", "a7a8n", ["a7", "a8"]),
        ("amazons", "d1 d7", "g7", ["g7"]),
        ("breakthrough", "a2a3", "h7g6", ["h7", "g6"]),
        ("othello", "", "f5", ["f5"]),
        ("konane", "d5 d4", "b5-d5", ["b5", "d5"]),
        ("domineering", "", "b3", ["b3"]),
        ("go", "D4", "E5", ["E5"]),
        ("mnk(rows=4,columns=5,gravity=True)", "c1", "c2", ["c2"]),
        ("nine_mens_morris", "", "d2", ["d2"]),
        ("nine_mens_morris", "a1 g1 a4 g4 a7", "xg1", ["g1"]),
        ("dots_and_boxes", "", "b1", ["b1"]),
        ("nim(heaps=(3,4,5),max_take=0)", "", "b3", ["2b"]),
        ("quoridor", "", "e2", ["e2"]),
    ],
)
def test_paths_of_moves(name, moves, text, path):
    assert squares(name, moves, text) == path


def test_a_chain_of_jumps_is_a_path_over_all_squares_where_the_piece_lands():
    state = bw.load_game("checkers").from_fen("W:WK10:B15,23,24")
    actions = {state.action_to_string(action): action for action in state.legal_actions()}
    assert squares_of(state, actions["10x19x26"]) == (19, 37, 51)


def test_walls_of_quoridor_are_drawn_from_gap_to_gap():
    state = bw.load_game("quoridor")()
    look = look_of(type(state))
    flat, upright = (squares_of(state, state.action_from_string(text)) for text in ("e3h", "e3v"))
    assert [divmod(square, look.columns) for square in flat] == [(11, 8), (11, 10)]
    assert [divmod(square, look.columns) for square in upright] == [(12, 9), (10, 9)]
    state.play("e3h")
    state.play("c3v")
    kinds = cells_of(state)[:, :, 1]
    assert kinds[11, 8:11].tolist() == [2, 2, 2]
    assert kinds[10:13, 5].tolist() == [1, 1, 1]


def test_where_players_move_at_once_a_path_depends_on_the_player():
    state = bw.load_game("tron")()
    assert [squares_of(state, 1, player) for player in range(2)] == [(38,), (44,)]
