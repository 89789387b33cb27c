"""Bots that make a share of their moves by lot."""

import pytest

import branchwise as bw
from branchwise.games.tic_tac_toe import TicTacToe


def test_a_share_of_moves_is_drawn_by_lot():
    bot = bw.load_bot("mcts(simulations=20,random_moves=0.3)", seed=1)
    searched = 0
    for _ in range(200):
        bot.choose(TicTacToe())
        searched += bot.result is not None
    assert 115 < searched < 165
    all_by_lot = bw.load_bot("mcts(simulations=20,random_moves=1)", seed=1)
    assert {all_by_lot.choose(TicTacToe()) for _ in range(100)} == set(range(9))


def test_proofs_of_a_bot_that_may_not_keep_to_them_end_no_game():
    bots = ["mcts(simulations=500)", "mcts(simulations=500,random_moves=0.5)"]
    result = bw.Match("nim", bots, games=10, concurrency=1, seed=1).run()
    proven = [record for record in result.records if record.ending == "proof"]
    assert proven
    assert {record.plan.seating[record.moves[-1].seat] for record in proven} == {0}
    assert any(record.points()[record.plan.seating.index(1)] for record in result.records)


@pytest.mark.parametrize("share", [-0.1, 1.1, "often"])
def test_a_share_outside_its_range_is_refused(share):
    with pytest.raises(bw.SettingsError, match="random_moves = "):
        bw.load_bot(f"mcts(random_moves={share})")


KNOWN = bw.Playthrough(bw.load_game("phantom_tic_tac_toe")()).shown(0)
JOINT = bw.Playthrough(bw.load_game("rock_paper_scissors")()).shown(1)


@pytest.mark.parametrize(
    ("bot", "shown"), [("ismcts(simulations=2", KNOWN), ("mcts(simulations=2,joint=regret_matching", JOINT)]
)
def test_bots_that_do_not_see_everything_draw_a_share_by_lot(bot, shown):
    searched, some = 0, bw.load_bot(f"{bot},random_moves=0.3)", seed=1)
    for _ in range(200):
        some.choose(shown)
        searched += some.result is not None
    assert 115 < searched < 165
    all_by_lot = bw.load_bot(f"{bot},random_moves=1)", seed=1)
    assert {all_by_lot.choose(shown) for _ in range(150)} == set(shown.legal_actions())
    with pytest.raises(bw.SettingsError, match="random_moves = "):
        bw.load_bot(f"{bot},random_moves=2)")
