"""Reviews of games with hidden information, and of games in which all players move at once."""

import pytest

import branchwise as bw
from branchwise.arena.play.referee import _move_record
from branchwise.arena.records.record import GamePlan, GameRecord, MoveRecord
from branchwise.arena.review import decisions, ranked, review
from branchwise.common.players import SIMULTANEOUS
from branchwise.games import load_game
from branchwise.rules.knowledge.information import InformationState
from support.lookalikes import twins


def record_of(played):
    moves = tuple(MoveRecord(ply, move.player, move.action) for ply, move in enumerate(played.moves))
    plan = GamePlan(0, 0, (), (0, 1), (1, 2))
    return GameRecord(plan, (0.0, 0.0), "end", moves=moves)


def played_to_end(game, moves):
    return record_of(bw.Playthrough(load_game(game)(), moves))


def test_a_review_is_of_what_the_player_knew():
    """Folding a king to a bet, and calling one with the jack, are mistakes whatever the other holds."""
    for moves, lost in (("Q K bet pass", True), ("J K bet bet", False), ("K J bet bet", True)):
        reviews = list(review(load_game("kuhn_poker"), played_to_end("kuhn_poker", moves), simulations=2000))
        assert [reviewed.player for reviewed in reviews] == [0, 1]
        last = reviews[-1]
        assert isinstance(last.state, InformationState)
        assert last.played.visits >= 990
        assert (last.lost > 0.9) is lost
        assert last.line in ("pass", "bet")


@pytest.mark.parametrize("name", ["kuhn_poker", "phantom_tic_tac_toe"])
def test_games_that_look_the_same_to_a_player_are_reviewed_alike(name):
    game = load_game(name)
    for pair in twins(game, 2, seed=3):
        player, found = pair[0].player, []
        for one in pair:
            one.play(min(one.state.legal_actions()))
            reviews = list(review(game, record_of(one), simulations=60, seed=1))
            mine = [reviewed for reviewed in reviews if reviewed.player == player]
            found.append([(r.played, r.better, r.line, r.lost) for r in mine])
        assert found[0] == found[1]
        assert found[0]


def test_a_position_for_which_no_state_is_found_loses_nothing(monkeypatch):
    monkeypatch.setattr("branchwise.search.run.information_set.source_of", lambda *_, **__: None)
    for reviewed in review(load_game("kuhn_poker"), played_to_end("kuhn_poker", "K J bet bet")):
        assert (reviewed.lost, reviewed.played.visits) == (0.0, 0)


def test_each_action_of_a_joint_move_is_compared_with_the_others_of_its_player():
    """Bids of 1 for the best card are poor against a 4; who has no choice is left out."""
    game = load_game("goofspiel(num_cards=4,points_order=descending)")
    played = bw.Playthrough(game(), ["1,4"])
    record = record_of(played)
    assert decisions(record) == 2
    first, second = review(game, record, simulations=4000, seed=1)
    assert (first.player, second.player, first.move.seat) == (0, 1, SIMULTANEOUS)
    assert first.state.action_to_string(first.better.action) == "4"
    assert first.lost > 0.2
    assert second.lost < 0.1
    assert ranked([second, first])[0] is first


def test_a_record_keeps_the_moves_of_a_line_without_what_was_seen_between():
    known = bw.Playthrough(load_game("kuhn_poker")(), "K J").information_state(0)
    result = bw.MCTS(seed=1).search(known, simulations=1000)
    best = result.children[0]
    assert len(best.line) == 3  # move, what was seen, move
    record = _move_record(2, 0, best.action, 0.1, None, result)
    assert record.line == best.line[::2]
    assert " ".join(map(known.action_to_string, record.line)) == result.line_text(best.line)
