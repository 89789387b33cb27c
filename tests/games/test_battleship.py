"""Battleship: published sizes, what shots tell, fleets dealt anew, crowded boards, wrong options."""

import math
import random
from collections import Counter

import numpy as np
import pytest

import branchwise as bw
from branchwise.boards.layer import squares_of
from branchwise.equilibrium.game_tree import game_tree
from branchwise.games import fleet_draws
from branchwise.games.battleship import Battleship
from branchwise.rules.checking.contract import unlikely
from branchwise.rules.knowledge.dealing import drawn_state

SMALL = Battleship.configured(rows=3, columns=3, sizes=(2, 3), shots=9)


def known(game, moves, player):
    return bw.Playthrough(game(), moves).information_state(player)


# --- rules ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "shots", "sizes", "first", "second", "ends"),
    [
        (2, 2, (1,), 53, 109, 1072),
        pytest.param(2, 3, (1,), 341, 397, 2224, marks=pytest.mark.slow),
        (2, 2, (1, 2), 397, 1189, 9216),
        pytest.param(3, 2, (1,), 187, 751, 19116, marks=pytest.mark.slow),
    ],
)
def test_information_sets_and_ends_are_as_many_as_openspiel_lists(columns, shots, sizes, first, second, ends):
    """The table is in the head of OpenSpiel's battleship.h; boards have two rows, and no shot is repeated."""
    tree = game_tree(Battleship.configured(rows=2, columns=columns, sizes=sizes, shots=shots, repeats=False))
    owners = tree.owners.tolist()
    assert (owners.count(0), owners.count(1)) == (first, second)
    assert int((tree.histories.arrays.players == bw.TERMINAL).sum()) == ends


def test_a_shot_tells_water_hit_or_sunk_and_a_repeated_one_tells_it_again():
    state = SMALL.from_actions("a3h a2v c3v c3v")
    told = []
    for shot in ["a1", "b1", "a2", "a1", "c2", "c3", "c1"]:
        state.play(shot)
        told.append(state.marks[1, state.action_from_string(shot)])
        if not state.is_terminal():
            state.play("b1")
    assert told == [2, 1, 3, 3, 2, 2, 3]
    assert state.is_terminal()
    assert state.returns() == (2.0, -2.0)


def test_values_and_the_weight_of_losses_make_the_return():
    game = bw.load_game("battleship(rows=1,columns=4,sizes=(1,2),values=(3,0.5),shots=2,loss_multiplier=0.5)")
    assert (game.min_return, game.max_return, game.utility) == (-1.75, 3.5, "general_sum")
    state = game.from_actions("a1h a1h c1h b1h a1 c1 b1 d1")
    assert state.is_terminal()
    assert state.returns() == (2.75, -1.0)
    assert game.from_actions("a1h a1h c1h b1h b1 d1 b1 c1").returns() == (-0.25, 0.5)
    loving = bw.load_game("battleship(loss_multiplier=-1)")
    assert (loving.min_return, loving.max_return) == (0.0, 10.0)


def test_a_ship_is_laid_only_where_the_next_ones_have_room():
    game = bw.load_game("battleship(rows=2,columns=3,sizes=(2,3),shots=1)")
    assert [game().action_to_string(action) for action in game().legal_actions()] == [
        "a2h",
        "b2h",
        "a1h",
        "b1h",
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("rows=11", "rows=11"),
        ("columns=0", "columns=0"),
        ("sizes=()", "sizes=()"),
        ("rows=2,columns=3,sizes=(4,)", "sizes=(4,)"),
        ("sizes=(2.5,)", "sizes=(2.5,)"),
        ("rows=2,columns=2,sizes=(2,2,1)", "ships of the lengths (2, 2, 1) do not fit on 2 by 2 cells"),
        ("rows=2,columns=2,sizes=(1,2,1),values=(1,2)", "values=(1,2)"),
        ("sizes=(2,),values=(-1,)", "values=(-1,)"),
        ("sizes=(2,),values=(0,)", "values=(0,)"),
        ("sizes=(2,),loss_multiplier=1e999", "loss_multiplier=inf"),
        ("shots=0", "shots=0"),
        ("rows=2,columns=2,sizes=(1,),shots=5,repeats=false", "shots=5"),
    ],
)
def test_impossible_options_are_refused(options, said):
    with pytest.raises(bw.GameError) as caught:
        bw.load_game(f"battleship({options})")
    assert said in str(caught.value)
    assert caught.value.mend


def test_the_text_for_a_player_shows_the_own_fleet_and_what_shots_told():
    moves = "a3h a2v c3v c3v a1 c3 b1 b2 a2"
    assert str(known(SMALL, moves, 0)).splitlines() == [
        "player 0    player 1",
        "3 a a B     3 . . .",
        "2 . ~ b     2 X . .",
        "1 . . b     1 x ~ .",
        "  a b c       a b c",
        "player 1 shoots, 7 shots left",
    ]
    assert str(known(SMALL, moves, 1)).splitlines()[1:4] == [
        "3 . . x     3 . . b",
        "2 . ~ .     2 A . b",
        "1 . . .     1 A ~ b",
    ]
    svg = known(SMALL, moves, 1).view.to_svg()
    assert [svg.count(f'data-action="{action}"') for action in range(SMALL.num_actions)] == [1] * 9 + [0] * 18
    laying = SMALL()
    paths = {squares_of(laying, action) for action in laying.legal_actions()}
    assert len(paths) == len(laying.legal_actions())


# --- fleets dealt anew ------------------------------------------------------------------------------------


def fleets(game, placed, before=()):
    """Yield each way to lay the first ships, with its probability if each is laid on a random place."""
    if placed == 0:
        yield before, 1.0
        return
    state = game(turn=2 * len(before))
    state.ships[0, : len(before)] = before
    legal = state.legal_actions()
    for action in legal:
        for fleet, share in fleets(game, placed - 1, (*before, action)):
            yield fleet, share / len(legal)


def shares(state, player):
    """Return the share of each fleet of the other player, by brute force: replay all shots at each."""
    other, found = 1 - player, Counter()
    for fleet, share in fleets(type(state), state.num_laid(other)):
        twin = state.copy()
        twin.ships[other, : len(fleet)] = fleet
        twin.marks[other] = 0
        twin.told[other] = 0
        for shot in range(state.num_shots(other)):
            twin.turn = 2 * (state.num_ships + shot) + 1 - other
            twin.shoot(other, int(state.told[other, shot]) // 4)
        twin.turn = state.turn
        if np.array_equal(twin.told[other], state.told[other]):
            found[fleet] = share
    whole = sum(found.values())
    return {fleet: share / whole for fleet, share in found.items()}


@pytest.mark.parametrize(
    ("options", "moves"),
    [
        ("rows=1,columns=7,sizes=(2,3)", "a1h a1h e1h e1h"),
        ("rows=1,columns=7,sizes=(2,3)", "a1h a1h e1h e1h e1"),
        ("rows=3,columns=3,sizes=(2,3)", "a3h a2v c3v c3v"),
        ("rows=3,columns=3,sizes=(2,3)", "a3h a2v c3v c3v b2"),
        ("rows=3,columns=4,sizes=(2,3)", "a3h a2v c3v c3v b2 b2 a1 c1 a2 a3 b2"),
        ("rows=3,columns=4,sizes=(2,2,1)", "a3h a3h a1h c1h d3h d3h a3 b2 d3 c2 a1 a1 b3"),
        ("rows=4,columns=4,sizes=(2,3)", "a3h a1h a2h b2h"),
        ("rows=4,columns=4,sizes=(2,3,2)", "a3h a1h a2h b2h a1h a3v b1 b1 b3 b2 b2 c1"),
        ("rows=3,columns=3,sizes=(3,2,2)", "a3h a3h a2h a2h a1h"),
        ("rows=4,columns=2,sizes=(2,2,3)", "a4h a4h a3v a3v b3v b3v b4 b4 b2 a1"),
    ],
)
def test_fleets_come_in_the_shares_of_all_that_fit(options, moves):
    """Compared by brute force: with hits, sinkings, repeated shots, equal ships, and too little room."""
    played = bw.Playthrough(bw.load_game(f"battleship({options},shots=9)")(), moves)
    player = played.player
    right, source = shares(played.state, player), bw.Random(7)
    state, number = played.information_state(player), 1000
    drawn = Counter(
        tuple(drawn_state(state, source).ships[1 - player].tolist()[: len(next(iter(right)))])
        for _ in range(number)
    )
    assert set(drawn) <= set(right)
    assert len(right) > 1
    counted = [fleet for fleet in right if right[fleet] * number >= 5]
    rare = 1.0 - sum(right[fleet] for fleet in counted)
    pairs = [(drawn[fleet], right[fleet] * number) for fleet in counted]
    if rare * number >= 5:
        pairs.append((number - sum(drawn[fleet] for fleet in counted), rare * number))
    assert not unlikely(sum((seen - due) ** 2 / due for seen, due in pairs), len(pairs) - 1)


def after_deal(played, player, source):
    """Return the same game with the other's fleet as dealt anew."""
    dealt, moves = drawn_state(played.information_state(player), source), []
    for turn, action in enumerate(played.actions):
        is_theirs = turn % 2 != player and turn < 2 * dealt.num_ships
        moves.append(int(dealt.ships[1 - player, turn // 2]) if is_theirs else action)
    return bw.Playthrough(type(dealt)(), moves)


def hunting(state, rng):
    """Return an action; most shots are beside hits, or at ships that the shooter does not see."""
    legal = state.legal_actions()
    if state.is_laying():
        return rng.choice(legal)
    owner = 1 - state.current_player()
    ships = [cell for cell in legal if state.marks[owner, cell] == 0 and state.ship_at(owner, cell) >= 0]
    return rng.choice(ships if ships and rng.random() < 0.4 else legal)


@pytest.mark.parametrize("games", [2, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name",
    [
        "battleship",
        "battleship(repeats=false,shots=100)",
        "battleship(rows=6,columns=5,sizes=(4,3,3,2,2,1),shots=40)",
        "battleship(rows=4,columns=4,sizes=(4,4,4,4),shots=30)",
        "battleship(rows=7,columns=7,sizes=(7,7,7,7,7,7,7),shots=20)",
    ],
)
def test_a_game_with_another_fleet_dealt_looks_the_same_to_the_player(name, games):
    """In every moment of a game there is a deal, however many ships were hit, and it explains all shots."""
    game, differ = bw.load_game(name), 0
    for seed in range(games):
        rng, source, played = random.Random(seed), bw.Random(seed), bw.Playthrough(game())
        while not played.is_over:
            if played.ply % 13 == 4 or (played.ply > 60 and played.ply % 9 == 0):
                other = after_deal(played, played.player, source)
                assert other.information_state(played.player) == played.information_state(played.player)
                differ += other.state != played.state
            played.play(hunting(played.state, rng))
    assert differ > games


@pytest.mark.parametrize("name", ["battleship", "battleship(rows=4,columns=4,sizes=(4,4,4,4),shots=30)"])
def test_the_search_for_any_fleet_that_fits_finds_one(name, monkeypatch):
    """It is what is left when all proposals are rejected."""
    monkeypatch.setattr(fleet_draws, "MOST_TRIES", 0)
    rng, source, played, found = random.Random(3), bw.Random(3), bw.Playthrough(bw.load_game(name)()), set()
    while not played.is_over:
        if played.ply % 8 == 3:
            other = after_deal(played, played.player, source)
            assert other.information_state(played.player) == played.information_state(played.player)
            found.add(other.state)
        played.play(hunting(played.state, rng))
    assert len(found) > 3


def test_bounds_of_free_places_hold():
    """Acceptance is a probability because no fleet leaves a ship fewer places than the bound."""
    rng = random.Random(1)
    for sizes in ((2, 3, 3, 4, 5), (5, 4, 3, 3, 2), (1, 6, 1)):
        game, least = Battleship.configured(sizes=sizes), math.inf
        assert not game.is_tight
        for _ in range(30):
            state = game()
            while state.is_laying():
                number = len(state.legal_actions())
                assert number >= game.least[state.turn // 2]
                least = min(least, number)
                state.apply_action(rng.choice(state.legal_actions()))
        assert least > 1
