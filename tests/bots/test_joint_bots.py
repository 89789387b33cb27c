"""Bots, matches and records of games in which players move at once."""

import random

import pytest

import branchwise as bw
from branchwise.bots import load_bot
from branchwise.games.goofspiel import Goofspiel
from branchwise.games.rock_paper_scissors import RockPaperScissors
from branchwise.rules.playthrough.joint_choice import JointChoice, chooser_views
from support.all_at_once import Auction

BIASED = RockPaperScissors.configured(biased=True)


def test_a_bot_is_asked_for_its_own_player_alone():
    state = Auction(purses=[4, 0], least=1, worth=2)
    assert list(chooser_views(state)) == [0]
    shown = bw.Playthrough(state).shown(0)
    assert isinstance(shown, JointChoice)
    assert (shown.current_player(), shown.legal_actions()) == (0, [1, 2, 3, 4])
    assert load_bot("random", seed=1).choose(shown) in shown.legal_actions()
    shown.state.apply_actions((4, bw.NO_ACTION))
    assert state == Auction(purses=[4, 0], least=1, worth=2)


def test_the_search_bot_draws_from_the_mean_strategy_of_its_player():
    """In biased rock-paper-scissors, 1 to 10 to 5."""
    bot = load_bot("mcts(simulations=2000,joint=regret_matching)", seed=3)
    drawn = [bot.choose(JointChoice(BIASED(), seat)) for seat in (0, 1) for _ in range(150)]
    shares = [drawn.count(action) / len(drawn) for action in range(3)]
    assert shares == pytest.approx([1 / 16, 10 / 16, 5 / 16], abs=0.1)
    assert isinstance(bot.result, bw.JointResult)
    with pytest.raises(bw.SettingsError, match="no choice"):
        result = bw.MCTS(seed=1).search(Auction(purses=[4, 0], least=1, worth=2), simulations=50)
        result.drawn_action(1, random.Random(1))


def test_other_bots_refuse_in_one_sentence():
    for text in ("flat(simulations=10)", "minimax(depth=1)"):
        bot = load_bot(text, seed=1)
        with pytest.raises(bw.BranchwiseError, match="at once"):
            bot.check_game(RockPaperScissors)
            bot.choose(JointChoice(RockPaperScissors(), 0))


def test_a_match_is_played_and_its_games_are_replayed(tmp_path):
    game, file = Goofspiel.configured(num_cards=4), tmp_path / "results.db"
    match = bw.Match(game, ["mcts(simulations=50,joint=exp3)", "random"], games=4, seed=1)
    assert len(match.run(store=file).records) == 4
    with bw.Store(file) as store:
        records = store.games(1)
    assert len(records) == 4
    for record in records:
        assert record.ending == "end"
        assert record.fault is None
        joint = [move for move in record.moves if move.seat == bw.SIMULTANEOUS]
        assert joint
        assert all(type(move.action) is tuple and len(move.action) == 2 for move in joint)
        played = bw.Playthrough(game(), record.actions)
        assert played.returns == record.returns


def test_a_playthrough_survives_json():
    played = bw.Playthrough(Auction(), [1, 2, (2, 1), 0, 1, "1,2"])
    assert played.moves[2].text == "2,1"
    twin = bw.Playthrough.from_json(played.to_json(), Auction)
    assert twin.actions == played.actions
    assert twin.state == played.state
    played.undo()
    assert played.is_joint
