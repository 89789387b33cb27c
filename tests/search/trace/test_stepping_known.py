"""Walk-throughs of searches by what a player knows."""

import pytest

import branchwise as bw
from branchwise.common.players import CHANCE
from branchwise.games import load_game
from support.lookalikes import GAMES, twins

KUHN = load_game("kuhn_poker")
PHANTOM = load_game("phantom_tic_tac_toe")


def known(game, moves, player):
    return bw.Playthrough(game(), moves).information_state(player)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_games_that_look_the_same_have_the_same_walk_through_whose_tree_is_the_searchs(game):
    (pair,) = twins(game, 1, seed=1)
    shown = []
    for one in pair:
        given = one.information_state(one.player)
        walk = bw.MCTS(seed=1).walkthrough(given, simulations=20)
        searched = bw.MCTS(seed=1, compiled=False).search(given, simulations=20)
        assert walk.tree.to_text(top=99, depth=99) == searched.tree.to_text(top=99, depth=99)
        shown.append((walk.to_text(), walk.to_html(), walk.to_svg(), walk.to_dict()["simulations"]))
    assert shown[0] == shown[1]
    assert pair[0].state != pair[1].state


def test_a_step_leads_from_a_move_to_what_is_known_after_it():
    steps = list(bw.MCTS(seed=1).steps(known(KUHN, "K J", 0), simulations=40))
    assert [step.number for step in steps] == list(range(1, 41))
    for step in steps:
        choices = step.choices
        assert [choice.player == CHANCE for choice in choices][1::2] == [True] * (len(choices) // 2)
        assert {choice.because for choice in choices[1::2]} <= {"learnt", "known"}
        path = [choice.siblings[choice.chosen].node for choice in choices]
        assert [update.node for update in step.backup.updates] == [*path[::-1], 0]
    boards = {step.selection.board for step in steps}
    assert any("Q" in board for board in boards)
    assert any("J" in board for board in boards)  # each simulation deals the other card anew


def test_moves_that_look_the_same_lead_to_one_node():
    """In phantom tic-tac-toe the first player sees nothing of where the other plays."""
    steps = list(bw.MCTS(seed=1).steps(known(PHANTOM, "", 0), simulations=150))
    reached = {}
    for step in steps:
        for move, seen in zip(step.choices[::2], step.choices[1::2], strict=False):
            if move.player == 1:
                reached.setdefault(seen.siblings[seen.chosen].node, set()).add(seen.node)
    assert max(map(len, reached.values())) > 1
    assert bw.MCTS(seed=1).walkthrough(known(PHANTOM, "", 0), simulations=2, after=100).to_html()


def test_words_are_of_what_is_known():
    text = bw.MCTS(seed=1).walkthrough(known(KUHN, "K J", 0), simulations=3).to_text(width=200)
    assert "Each simulation deals anew what player 0 does not see, and boards show its deal." in text
    assert "After pass what is known is new: it is ~1." in text
    assert "chance" not in text


def test_what_cannot_be_walked_through_is_refused_in_one_sentence():
    start = known(KUHN, "K J", 0)
    with pytest.raises(bw.SettingsError, match="with several threads simulations cannot be shown"):
        bw.MCTS(threads=2, parallel="root").walkthrough(start)
    with pytest.raises(bw.SettingsError, match="open_loop has no meaning where nodes are"):
        bw.MCTS(open_loop=True).walkthrough(start)
    with pytest.raises(bw.GameError, match="a search of the state would see"):
        bw.MCTS().walkthrough(bw.Playthrough(KUHN(), "K J").state)
