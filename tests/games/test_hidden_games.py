"""Games with hidden information in step with OpenSpiel's, the partition into information states included."""

import random

import pytest

import branchwise as bw
from branchwise.games.battleship import Battleship
from branchwise.games.dark_hex import DarkHex
from branchwise.games.hearts import Hearts
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.liars_dice import LiarsDice
from branchwise.games.phantom_tic_tac_toe import PhantomTicTacToe
from branchwise.games.sealed_goofspiel import SealedGoofspiel
from branchwise.rules.knowledge.dealing import Dealer

PAIRS = [
    (KuhnPoker, "kuhn_poker"),
    (KuhnPoker.configured(players=3), "kuhn_poker(players=3)"),
    (KuhnPoker.configured(players=5), "kuhn_poker(players=5)"),
    (LeducPoker, "leduc_poker"),
    (LeducPoker.configured(players=3), "leduc_poker(players=3)"),
    (Hearts, "hearts"),
    (LiarsDice, "liars_dice"),
    (LiarsDice.configured(faces=3), "liars_dice(dice_sides=3)"),
    (LiarsDice.configured(dice=2, faces=3), "liars_dice(numdice=2,dice_sides=3)"),
    (PhantomTicTacToe, "phantom_ttt"),
    (DarkHex, "dark_hex"),
    (DarkHex.configured(size=4, abrupt=True), "dark_hex(board_size=4,gameversion=adh)"),
    (PhantomTicTacToe.configured(abrupt=True), "phantom_ttt(gameversion=abrupt)"),
    (SealedGoofspiel, "turn_based_simultaneous_game(game=goofspiel(imp_info=true))"),
    (
        SealedGoofspiel.configured(num_cards=4, points_order="descending"),
        "turn_based_simultaneous_game(game=goofspiel(imp_info=true,num_cards=4,points_order=descending))",
    ),
    (
        SealedGoofspiel.configured(num_cards=6, num_turns=4),
        "turn_based_simultaneous_game(game=goofspiel(imp_info=true,num_cards=6,num_turns=4))",
    ),
    (
        SealedGoofspiel.configured(num_cards=4, points_order="ascending", returns_type="point_difference"),
        "turn_based_simultaneous_game(game=goofspiel(imp_info=true,num_cards=4,points_order=ascending,"
        "returns_type=point_difference))",
    ),
    (
        Battleship.configured(rows=2, columns=2, sizes=(1, 2), shots=3),
        "battleship(board_height=2,board_width=2,ship_sizes=[1;2],ship_values=[1;1],num_shots=3)",
    ),
    (
        Battleship.configured(
            rows=4,
            columns=3,
            sizes=(2, 3, 3),
            values=(1.0, 2.5, 0.0),
            shots=8,
            repeats=False,
            loss_multiplier=2.0,
        ),
        "battleship(board_height=4,board_width=3,ship_sizes=[2;3;3],ship_values=[1;2.5;0],num_shots=8,"
        "allow_repeated_shots=false,loss_multiplier=2.0)",
    ),
]


def own_actions(played):
    """Return the actions of the player to move so far."""
    return [move.action for move in played.moves if move.player == played.player]


@pytest.mark.parametrize("games", [60, pytest.param(3000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("game", "openspiel"), PAIRS, ids=lambda value: getattr(value, "name", ""))
def test_random_games_and_information_states_agree_with_openspiel(game, openspiel, games):
    """Two moments look the same to the player to move exactly if they do in OpenSpiel."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(openspiel)
    assert theirs.num_distinct_actions() == game.num_actions
    assert theirs.min_utility() == game.min_return
    assert theirs.max_utility() == (36.0 if openspiel.startswith("hearts") else game.max_return)
    if openspiel.startswith("hearts"):
        games = games // 6
    rng = random.Random(games)
    ours_of, theirs_of = {}, {}
    for _ in range(games):
        played, other = bw.Playthrough(game()), theirs.new_initial_state()
        while not played.is_over:
            state = played.state
            assert not other.is_terminal()
            assert state.current_player() == other.current_player()
            if played.is_chance:
                assert sorted(state.chance_outcomes()) == sorted(other.chance_outcomes())
            else:
                assert state.legal_actions() == other.legal_actions()
                mine = played.information_state(played.player)
                named = played.player, other.information_state_string(played.player)
                if openspiel.startswith("hearts"):  # its text sorts the cards that a player passed
                    named = (*named, *own_actions(played)[:3])
                if openspiel.startswith("dark_hex"):  # its text has the number of all moves in second place
                    named = played.player, other.observation_string(played.player), *own_actions(played)
                assert ours_of.setdefault(named, mine) == mine
                assert theirs_of.setdefault(mine, named) == named
            action = rng.choice(state.legal_actions())
            played.play(action)
            other.apply_action(action)
        assert other.is_terminal()
        assert list(played.returns) == other.returns()
    assert len(ours_of) == len(theirs_of) > 10


@pytest.mark.parametrize("game", [game for game, _ in PAIRS], ids=lambda game: game.name)
def test_the_picture_and_text_for_a_player_show_no_card_of_another(game):
    rng = random.Random(1)
    for _ in range(5):
        played = bw.Playthrough(game())
        while not played.is_over:
            played.play(rng.choice(played.state.legal_actions()))
            for player in range(game.num_players):
                known = played.information_state(player)
                twin = game.from_json(known.view.to_json())
                assert (str(known), known.view.to_svg()) == (str(twin), twin.to_svg())
                for field in game._hidden:
                    assert not getattr(known.view, field.name)[player + 1 :].any() or field.sight == "public"


def test_kuhn_poker_from_text():
    assert KuhnPoker.from_actions("J K pass bet bet").returns().tolist() == [-2.0, 2.0]
    assert KuhnPoker.from_actions("K J pass pass").returns().tolist() == [1.0, -1.0]
    assert KuhnPoker.from_actions("Q J bet pass").returns().tolist() == [1.0, -1.0]
    three = KuhnPoker.configured(players=3)
    assert three.from_actions("T J Q pass bet bet pass").returns().tolist() == [-1.0, -2.0, 3.0]


def test_leduc_poker_from_text():
    assert LeducPoker.from_actions("Ja Qa check check Jb raise fold").returns().tolist() == [1.0, -1.0]
    assert LeducPoker.from_actions("Ja Qa raise call Jb raise call").returns().tolist() == [7.0, -7.0]
    assert LeducPoker.from_actions("Ja Jb check check Ka check check").returns().tolist() == [0.0, 0.0]


def test_without_passing_the_two_of_clubs_leads_at_once():
    state = Hearts.configured(pass_cards=False).from_actions([0, *range(52)])
    assert state.current_player() == 0
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["2c"]


def test_a_lie_is_a_lie_and_the_highest_face_is_wild():
    assert LiarsDice.from_actions("3 6 1-3 2-3 liar").returns().tolist() == [-1.0, 1.0]
    assert LiarsDice.from_actions("3 5 1-3 2-3 liar").returns().tolist() == [1.0, -1.0]
    assert LiarsDice.from_actions("6 5 2-5 liar").returns().tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    "name",
    ["kuhn_poker(players=1)", "leduc_poker(players=11)", "liars_dice(dice=0)", "liars_dice(faces=1)"],
)
def test_impossible_options_are_refused(name):
    with pytest.raises(bw.GameError, match="is not from"):
        bw.load_game(name)


def test_redeals_of_hearts_keep_to_what_play_has_shown():
    """Nobody gets a suit that they did not follow, and cards that were passed on stay where they went."""
    rng, source, shown = random.Random(2), bw.Random(2), 0
    for _ in range(3):
        played, dealers = bw.Playthrough(Hearts()), [Dealer() for _ in range(4)]
        while not played.is_over:
            if not played.is_chance and played.state.num_played % 7 == 3:
                player, state = played.player, played.state
                dealt = dealers[player].deal(played.information_state(player), source)
                assert dealt.left.tolist() == state.left.tolist()
                assert [hand.bit_count() for hand in dealt.hands.tolist()] == state.left.tolist()
                assert sum(dealt.hands.tolist()) == sum(state.hands.tolist())  # the same bits
                for other in range(4):
                    suits = {card % 4 for card in range(52) if dealt.hands[other] >> card & 1}
                    assert not any(state.void[other, suit] for suit in suits)
                    shown += int(state.void[other].sum())
                if state.direction > 0:
                    target = (player + state.direction) % 4
                    out = set(state.played[: state.num_played].tolist())
                    gone = set(state.passed[player].tolist()) - out
                    assert all(dealt.hands[target] >> card - 1 & 1 for card in gone)
            played.play(rng.choice(played.state.legal_actions()))
    assert shown > 0
