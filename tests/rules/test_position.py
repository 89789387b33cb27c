"""Positions of games with chance: what is drawn, and how the player to move sees it."""

import pytest

import branchwise as bw
from branchwise.common.players import CHANCE
from branchwise.game.kinds.random_numbers import Random
from branchwise.games import load_game
from branchwise.rules.playthrough.position import position_after
from support.pig import Pig


def test_the_same_random_numbers_draw_the_same_outcomes():
    lines = [
        position_after(Pig(), ["roll", "?", "roll"], Random(seed)).played.actions for seed in (1, 1, 2, 3)
    ]
    assert lines[0] == lines[1]
    assert len(set(lines)) > 1


def test_a_player_is_to_move_unless_the_end_is_left_open():
    assert position_after(Pig(), ["roll"], Random(1)).played.player != CHANCE
    left = position_after(Pig(), ["roll"], Random(1), to_decision=False)
    assert (left.played.player, left.drawn) == (CHANCE, ())


def test_a_question_mark_is_no_move_of_a_player():
    with pytest.raises(bw.ActionError, match=r'move 2: "\?" is not a legal move'):
        position_after(Pig(), ["hold", "?"], Random(1))


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "hearts", "liars_dice"])
def test_what_is_told_of_a_deal_follows_from_what_the_player_knows(name):
    """Seeds are grouped by information state; in each group the same is searched, shown and told."""
    groups = {}
    game = load_game(name)
    for seed in range(40):
        position = position_after(game(), [], Random(seed))
        assert position.viewer == position.played.player
        told = (position.outcomes(), str(position.shown), position.searched.legal_actions())
        groups.setdefault(position.searched, []).append((told, position.played.actions))
    if name in ("kuhn_poker", "leduc_poker"):
        assert any(len({actions for _, actions in same}) > 1 for same in groups.values())
    for same in groups.values():
        assert all(told == same[0][0] for told, _ in same)


def test_everything_is_told_if_asked():
    position = position_after(load_game("kuhn_poker")(), [], Random(1), sees_all=True)
    assert (position.viewer, position.outcomes()) == (None, ["J", "Q"])
    assert position.searched is position.state


def test_a_playthrough_draws_in_place_of_outcomes_that_were_taken_back():
    played = bw.Playthrough(Pig(), ["roll"], random=Random(1))
    first = [played.draw()]
    while len(first) < 12:
        played.undo()
        first.append(played.draw())
    assert played.length == 2
    assert len(set(first)) > 1
    again = bw.Playthrough(Pig(), ["roll"])
    assert again.draw(Random(1)) == first[0]
    with pytest.raises(bw.ActionError, match="chance is not to move"):
        again.draw()
