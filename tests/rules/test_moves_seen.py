"""Names of moves as one player saw them: right where given, and the same where games look the same."""

import random

import pytest

import branchwise as bw
from branchwise.common.players import CHANCE, NO_PLAYER
from branchwise.games.hearts import Hearts
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.phantom_tic_tac_toe import PhantomTicTacToe
from branchwise.rules.playthrough.moves_seen import SeenMoves
from support.hiding import Glimpse, Told
from support.lookalikes import GAMES, finished_twins, twins


def seen_by(player, played):
    seen = SeenMoves(player)
    seen.update(played)
    return seen


def names(player, game, moves):
    return " ".join(move.text for move in seen_by(player, bw.Playthrough(game(), moves)).moves)


def finished(game, seed):
    rng, played = random.Random(seed), bw.Playthrough(game())
    while not played.is_over:
        played.play(rng.choice(played.state.legal_actions()))
    return played


def test_cards_of_others_have_no_names_and_bets_do():
    assert names(0, LeducPoker, "Ja Qb raise call Kb check") == "Ja ? raise call Kb check"
    assert names(1, LeducPoker, "Ja Qb raise call Kb check") == "? Qb raise call Kb check"
    assert names(1, KuhnPoker, "J K bet") == "? K bet"


def test_a_move_that_was_not_seen_does_not_count():
    """Player 1 tries c1 in vain, which player 0 does not see, and then c2."""
    played = bw.Playthrough(PhantomTicTacToe(), "c1 c1 c2")
    assert [move.text for move in seen_by(0, played).moves] == ["c1", "?"]
    assert seen_by(0, played).counts == [0, 1, 1, 2]
    assert [move.text for move in seen_by(1, played).moves] == ["?", "c1", "c2"]


def test_what_action_seen_tells_is_shown_where_it_names_no_move():
    assert names(1, Told, "3 2") == "? (1) 2"


def test_moves_have_no_names_where_the_view_does_not_tell_what_they_do():
    """All fields are blank in a class that hides by `observation` alone, so whose move it was is unknown."""
    played = bw.Playthrough(Glimpse(), [1, 0])
    assert [(move.player, move.text) for move in seen_by(0, played).moves] == [(0, "0")]
    assert {move.player for move in seen_by(1, played).moves} <= {
        CHANCE,
        NO_PLAYER,
    }


@pytest.mark.parametrize("game", [*GAMES, Hearts], ids=lambda game: game.name)
def test_a_name_is_the_name_of_the_move(game):
    for seed in range(1 if game is Hearts else 20):
        played = finished(game, seed)
        for player in range(min(game.num_players, 2)):
            seen = seen_by(player, played)
            at = [ply for ply in range(played.ply) if seen.counts[ply + 1] > seen.counts[ply]]
            assert len(at) == len(seen.moves)
            for ply, move in zip(at, seen.moves, strict=True):
                true = played.moves[ply]
                if move.text != "?":
                    assert (move.player, move.action, move.text) == (true.player, true.action, true.text)
                else:
                    assert true.player != player


def test_most_public_moves_have_names():
    played = finished(Hearts, 1)
    cards = [move for move in seen_by(2, played).moves if move.player != CHANCE][-52:]
    assert "?" not in {move.text for move in cards}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_names_are_the_same_in_games_that_look_the_same(game):
    for one, other in twins(game, 6, seed=4):
        assert seen_by(one.player, one).moves == seen_by(one.player, other).moves
    for pair in finished_twins(game, 1, 3):
        one, other = (bw.Playthrough(game(), played.actions[:-1]) for played in pair)
        assert seen_by(1, one).moves == seen_by(1, other).moves


def test_moves_are_added_as_the_game_goes_on():
    played, seen = finished(LeducPoker, 3), SeenMoves(0)
    whole = seen_by(0, played).moves
    for ply in range(played.length + 1):
        played.go_to(ply)
        seen.update(played)
        assert seen.moves == whole[: len(seen.moves)]
    assert seen.moves == whole


def test_an_end_of_the_budget_ends_the_naming():
    class SpentError(Exception):
        pass

    def spend():
        raise SpentError

    with pytest.raises(SpentError):
        SeenMoves(0, each_try=spend).update(bw.Playthrough(KuhnPoker(), "J K"))
