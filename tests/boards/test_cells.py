"""What the cells of the games' boards hold and what their moves touch, in random games."""

import random
from collections import Counter

import pytest

import branchwise as bw
from branchwise.boards.layer import NO_CELL, cells_of, has_layer, squares_of
from branchwise.boards.style import look_of
from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.game.kinds.hidden_information import blanked, hides_information
from branchwise.game.kinds.random_numbers import Random
from branchwise.games import game_names, load_game
from branchwise.rules.knowledge.dealing import Dealer

VARIANTS = (
    "hex(size=5,swap=True)",
    "dark_hex(size=5)",
    "havannah(size=3)",
    "y(size=4)",
    "kalah(pits=3,seeds=90)",
    "chinese_checkers(players=6)",
    "twenty_forty_eight(rows=3,columns=5)",
    "same_game(rows=4,columns=6)",
    "sokoban(rows=5,columns=6,boxes=1)",
    "battleship(rows=3,columns=4,sizes=(1,2,3),shots=8)",
    "kuhn_poker(players=3)",
    "leduc_poker(players=4)",
    "liars_dice(players=3,dice=3)",
    "hearts(pass_cards=False)",
)
SAID = [name for name in (*game_names(), *VARIANTS) if has_layer(load_game(name))]
HIDING = [name for name in SAID if hides_information(load_game(name))]


def random_game(name, seed, moves=60):
    """Yield the playthrough at each position of a random game."""
    source = random.Random(seed)
    played = bw.Playthrough(load_game(name).new_initial_state(bw.Random(seed)))
    for _ in range(moves):
        yield played
        state = played.state
        if state.is_terminal():
            return
        if state.current_player() == SIMULTANEOUS:
            choices = [list(state.legal_actions(player)) for player in range(state.num_players)]
            played.play(tuple(source.choice(actions) for actions in choices))
        elif state.current_player() == CHANCE:
            played.play(source.choice([outcome for outcome, _ in state.chance_outcomes()]))
        else:
            played.play(source.choice(list(state.legal_actions())))


@pytest.mark.parametrize("name", SAID)
def test_cells_have_owners_kinds_and_symbols(name):
    look = look_of(load_game(name))
    for played in random_game(name, 1):
        for owner, kind in cells_of(played.state).reshape(-1, 2).tolist():
            assert owner < 0 or kind >= 0
            if kind > 0 and look.family not in ("marks", "tiles"):
                assert kind < len(look.symbols[owner + 1])
        if played.state.to_grid() is not None:
            assert len(played.state.to_grid().cells) == look.rows


@pytest.mark.parametrize("name", SAID)
def test_paths_stay_on_cells_of_the_board(name):
    for played in random_game(name, 2, moves=30):
        state = played.state
        if state.is_terminal() or state.current_player() < 0:
            continue
        kinds = cells_of(state)[:, :, 1].ravel()
        for action in state.legal_actions():
            for square in squares_of(state, action):
                assert kinds[square] != NO_CELL


@pytest.mark.parametrize("name", SAID)
def test_moves_with_the_same_path_have_different_names(name):
    for played in random_game(name, 3, moves=30):
        state = played.state
        if state.is_terminal() or state.current_player() < 0:
            continue
        told = Counter(
            (squares_of(state, action), state.action_to_string(action)) for action in state.legal_actions()
        )
        assert set(told.values()) == {1}


@pytest.mark.parametrize("name", HIDING)
def test_cells_of_a_view_do_not_tell_what_is_hidden(name):
    for number, played in enumerate(random_game(name, 4, moves=40)):
        state = played.state
        if number % 4 or state.is_terminal() or state.current_player() < 0:
            continue
        for player in range(state.num_players):
            known = played.information_state(player)
            seen = cells_of(known.view)
            for seed in range(3):
                dealt = Dealer().deal(known, Random(seed))
                assert dealt is None or (cells_of(blanked(dealt, player)) == seen).all()
