"""The bot that plays with the settings found for its game."""

from dataclasses import replace

import pytest

import branchwise as bw
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from support.rules import Race
from support.tuned import tuned_settings

TUNED = tuned_settings(Nim, "nim")


@pytest.fixture(autouse=True)
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("BRANCHWISE_TUNED", str(tmp_path))
    (tmp_path / "nim.json").write_text(TUNED.to_json())
    (tmp_path / "tic_tac_toe.json").write_text(
        tuned_settings(TicTacToe, "tic_tac_toe", found={"c": 0.5}).to_json()
    )
    return tmp_path


def game_of(bot):
    state, moves = Nim(), []
    while not state.is_terminal():
        moves.append(bot.choose(state))
        state.apply_action(moves[-1])
    return moves


def test_it_plays_as_mcts_with_the_settings_of_the_game():
    bot = bw.load_bot("tuned(simulations=40)", seed=7)
    bot.check_game(Nim)
    inner = bot._player
    assert inner.options()["c"] == 0.2
    assert inner.options()["reuse"] is False
    seed = inner.options()["seed"]
    same = bw.load_bot("mcts(simulations=40,c=0.2,reuse=False)", seed=seed)
    assert game_of(bot) == game_of(same)
    assert repr(bot) == "tuned(simulations=40,seed=7)"


def test_given_settings_take_precedence():
    bot = bw.load_bot("tuned(simulations=40,c=0.9,reuse=True)", seed=7)
    bot.check_game(Nim)
    assert bot._player.options()["c"] == 0.9
    assert bot._player.options()["reuse"] is None  # the default


def test_one_bot_plays_each_game_with_that_games_settings():
    bot = bw.load_bot("tuned(simulations=10)", seed=1)
    found = []
    for game in (Nim, TicTacToe, Nim):
        assert bot.choose(game()) in game().legal_actions()
        found.append(bot._player.options()["c"])
    assert found == [0.2, 0.5, 0.2]


def test_a_match_gives_it_its_limit_and_lets_it_begin_uncompiled():
    match = bw.Match("nim", ["tuned", "mcts"], simulations=20, games=4, seed=1, concurrency=1)
    assert match.settings()["bots"] == ["tuned(simulations=20)", "mcts(simulations=20)"]
    assert match._conditions.terms.at_once
    result = match.run()
    assert len(result.records) == 4
    assert not result.faults()


def test_a_file_of_settings_can_be_named(settings, tmp_path):
    file = tmp_path / "other.json"
    file.write_text(replace(TUNED, found={"c": 1.5}).to_json())
    bot = bw.load_bot(f"tuned(simulations=10,file='{file}')", seed=1)
    bot.check_game(Nim)
    assert bot._player.options()["c"] == 1.5


def test_what_it_cannot_play_is_refused(settings):
    with pytest.raises(bw.SettingsError, match="race has not been tuned"):
        bw.load_bot("tuned(simulations=10)").choose(Race())
    with pytest.raises(bw.SettingsError, match=r"nim.misere=True. has not been tuned"):
        bw.Match("nim(misere=True)", ["tuned", "random"], simulations=10)
    with pytest.raises(bw.SettingsError, match="has tuned settings, and object is not one"):
        bw.load_bot("tuned").check_game(object)
    (settings / "nim.json").write_text("{")
    with pytest.raises(bw.SettingsError, match="has no tuned settings"):
        bw.Match("nim", ["tuned", "random"], simulations=10)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tuned(simulatons=10)", 'no option of tuned "simulatons"; did you mean "simulations"'),
        ("tuned(simulations=0)", "simulations = 0 is outside its range"),
        ("tuned(selection=best)", 'no selection rule "best"'),
    ],
)
def test_wrong_options_are_refused_when_the_bot_is_made(text, told):
    with pytest.raises(bw.BranchwiseError, match=told):
        bw.load_bot(text)


def test_a_game_with_hidden_information_is_refused_even_with_settings(settings):
    found = tuned_settings(KuhnPoker, "kuhn_poker", found={"c": 0.5})
    (settings / "kuhn_poker.json").write_text(found.to_json())
    with pytest.raises(bw.SettingsError, match="kuhn_poker has hidden information, and mcts searches states"):
        bw.load_bot("tuned(simulations=10)").check_game(KuhnPoker)
