"""Our bots as engines in games of chance, of hidden information, and where all players move at once."""

import re

import pytest

import branchwise as bw
from branchwise.bots import load_bot
from branchwise.bots.servers.engine_server import EngineServer
from branchwise.games import load_game
from support.line_talk import LineTalk
from support.lookalikes import GAMES, twins
from support.pig import Pig


@pytest.fixture
def talk():
    talks = []

    def begin(game, bot):
        talks.append(LineTalk(EngineServer, game, bot, 1))
        return talks[-1]

    yield begin
    assert all(talk.close() for talk in talks)


def answer(talk, moves):
    talk.say(f"position startpos moves {' '.join(moves)}" if moves else "position startpos", "go nodes 30")
    return [line for line in talk.hear("bestmove") if "compiling" not in line]


def test_what_chance_brings_is_drawn_by_the_seed_and_said(talk):
    pig = talk(Pig, "mcts(simulations=30)")
    answers = [answer(pig, ["roll"]), answer(pig, ["roll"]), answer(pig, ["roll", "6", "hold", "roll"])]
    told = [re.fullmatch(r"info string chance: (\d)", heard[0])[1] for heard in answers]
    assert told[0] == told[1]
    assert answers[0][-1] in ("bestmove roll", "bestmove hold")
    pig.say("position startpos moves roll ?", "query gameover")
    assert pig.hear("response") == ["response false"]
    faces = {answer(pig, ["roll", "1"] * turns + ["roll"])[0] for turns in range(8)}
    assert len(faces) > 1  # the same seed brings other outcomes later in the game


def test_chance_is_said_as_the_player_to_move_sees_it(talk):
    poker = talk(load_game("kuhn_poker"), "ismcts(simulations=30)")
    heard = answer(poker, [])
    assert re.fullmatch(r"info string chance: [JQK] \?", heard[0])
    assert heard[-1] in ("bestmove pass", "bestmove bet")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_games_that_look_the_same_get_the_same_answers(talk, game):
    """The other program sends all moves; the bot knows what its player has seen."""
    for one, other in twins(game, 2, seed=4):
        heard = [
            answer(talk(game, "ismcts(simulations=30)"), [move.text for move in each.moves])
            for each in (one, other)
        ]
        first, second = ([re.sub(r"time \d+ nps \d+", "", line) for line in lines] for lines in heard)
        assert first == second
        assert "error" not in " ".join(first)


def test_a_state_is_refused_where_players_do_not_see_it(talk):
    poker = talk(load_game("kuhn_poker"), "ismcts(simulations=30)")
    poker.say(f"position fen {load_game('kuhn_poker')().to_json().replace(' ', '')}")
    assert "a state does not tell what its players know" in poker.hear("info")[-1]


def test_where_all_move_at_once_the_answer_has_an_action_of_each_player(talk):
    game = load_game("goofspiel(num_cards=3)")
    for bot in ("random", "mcts(simulations=30,joint=regret_matching)"):
        best = answer(talk(game, bot), ["2"])[-1].removeprefix("bestmove ")
        assert str(game.from_actions(["2", best])) != str(game.from_actions(["2"]))


def test_a_program_is_refused_before_a_game_in_which_it_would_be_sent_too_much():
    program = load_bot("engine(command='./program')")
    for name, why in (
        ("kuhn_poker", "hidden information"),
        ("rock_paper_scissors", "move at once"),
        ("tiger", "partially observed"),
    ):
        with pytest.raises(bw.SettingsError, match=why):
            program.check_game(load_game(name))
