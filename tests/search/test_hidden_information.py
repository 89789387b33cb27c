"""Searches of games with hidden information: nobody sees what is hidden from them."""

import random
import re

import numpy as np
import pytest

import branchwise as bw
from branchwise.arena.play.referee import Referee, Terms
from branchwise.arena.play.status_board import StatusBoard
from branchwise.arena.play.time_control import TimeControl
from branchwise.arena.records.record import GamePlan
from branchwise.bots.base.bot import Bot
from branchwise.bots.base.warm_up import rehearse
from branchwise.cli.play.terminal_session import Session
from branchwise.games.battleship import Battleship
from branchwise.games.connect_four import ConnectFour
from branchwise.games.hearts import Hearts
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.liars_dice import LiarsDice
from branchwise.games.sealed_goofspiel import SealedGoofspiel
from support.hiding import Sure, Told
from support.lookalikes import GAMES, NAMES, other_deal, twins
from support.rows import slow
from support.shipped import HIDDEN

THREE = (Battleship, KuhnPoker, SealedGoofspiel)
"""Games with which quick tests show what holds for all: each compiles searches for itself."""
SOME_GAMES = pytest.mark.parametrize(
    "game",
    [game if issubclass(game, THREE) else slow(game) for game in GAMES],
    ids=lambda game: game.name,
)


def test_every_shipped_game_with_hidden_information_is_among_these():
    assert set(HIDDEN) == NAMES


@SOME_GAMES
def test_searches_of_states_that_look_the_same_are_the_same_to_the_bit(game):
    for number, (one, other) in enumerate(twins(game, 6)):
        results = []
        for played in (one, other):
            known = played.information_state(played.player)
            found = bw.PIMC(deals=4, seed=number).search(known, simulations=80)
            results.append((found.votes, found.deals, found.repeated, found.left, found.simulations))
            assert found.known.view == one.information_state(one.player).view
        assert results[0] == results[1]
        assert one.state != other.state


@pytest.mark.slow
def test_searches_of_hearts_are_the_same_to_the_bit():
    rng, compared = random.Random(1), 0
    played = bw.Playthrough(Hearts(), [0])  # no cards are passed
    while not played.is_over:
        if not played.is_chance and played.ply in (54, 61, 70):
            player = played.player
            other = other_deal(played, player)
            known = [game.information_state(player) for game in (played, other)]
            assert known[0] == known[1]
            assert played.state != other.state
            one, two = (bw.PIMC(deals=2, seed=1).search(k, simulations=20).votes for k in known)
            assert one == two
            compared += 1
        played.play(rng.choice(played.state.legal_actions()))
    assert compared == 3


@SOME_GAMES
def test_a_bot_that_keeps_deals_from_move_to_move_still_plays_the_same(game):
    """Both histories are asked about all their earlier moments first."""
    for number, (one, other) in enumerate(twins(game, 2, seed=2)):
        answers = []
        for played in (one, other):
            bot = bw.load_bot("pimc(simulations=40,deals=2)", seed=number)
            player, chosen = played.player, []
            for ply in range(played.ply + 1):
                known = played.information_state(player, ply)
                if known.turn == "to move":
                    chosen.append((bot.choose(known), bot.deals.votes))
            answers.append(chosen)
        assert answers[0] == answers[1]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_search_of_everything_is_refused_unless_asked_for(game):
    state = twins(game, 1)[0][0].state
    sentence = re.escape(f"{game.name} has hidden information")
    for search in (
        lambda: bw.MCTS().search(state, simulations=10),
        lambda: bw.MCTS().start(state),
        lambda: next(bw.MCTS().steps(state)),
        lambda: bw.load_bot("flat").choose(state),
        lambda: bw.load_bot("mcts").choose(state),
    ):
        with pytest.raises(bw.GameError, match=sentence) as caught:
            search()
        assert "perfect_information=True" in caught.value.mend
    with pytest.raises(bw.GameError, match=sentence):
        bw.load_bot("minimax").choose(state)


def test_a_search_that_sees_everything_knows_the_others_cards():
    seeing = bw.MCTS(seed=1, perfect_information=True)
    weak, strong = (bw.Playthrough(KuhnPoker(), deal + " bet").state for deal in ("J Q", "K Q"))
    assert [seeing.search(state, simulations=300).best_action for state in (weak, strong)] == [1, 0]
    assert next(seeing.steps(weak, simulations=1)).number == 1


def test_states_of_openspiel_are_refused_in_the_same_way():
    pyspiel = pytest.importorskip("pyspiel")
    state = pyspiel.load_game("kuhn_poker").new_initial_state()
    state.apply_action(0)
    state.apply_action(1)
    with pytest.raises(bw.GameError, match="kuhn_poker has hidden information"):
        bw.MCTS().search(state, simulations=10)
    assert bw.MCTS(seed=1, perfect_information=True).search(state, simulations=200).simulations > 0


def test_what_is_known_is_no_state_to_search():
    known = bw.Playthrough(KuhnPoker(), "J K").information_state(0)
    for text in ("mcts", "flat", "minimax", "rule"):
        with pytest.raises(bw.GameError, match="kuhn_poker has hidden information, so there is no"):
            bw.load_bot(text).choose(known)
    assert bw.load_bot("random", seed=1).choose(known) in (0, 1)
    bot = bw.load_bot("human")
    bot._ask, bot._tell = (lambda _: "bet"), print
    assert bot.choose(known) == 1


@pytest.mark.parametrize("text", ["mcts", "flat", "rule", "mcts(perfect_information=true)"])
def test_bots_that_search_states_refuse_the_game_before_it_begins(text):
    with pytest.raises(bw.SettingsError, match="kuhn_poker has hidden information, and"):
        bw.load_bot(text).check_game(KuhnPoker)


# --- determinised search ------------------------------------------------------------------------------------


def known(game, moves, player):
    return bw.Playthrough(game(), moves).information_state(player)


def test_what_is_best_in_every_deal_is_found():
    assert bw.PIMC(deals=8, seed=1).search(known(KuhnPoker, "J K bet", 1), simulations=400).best_action == 1
    result = bw.PIMC(deals=8, seed=1).search(known(KuhnPoker, "Q J bet", 1), simulations=400)
    assert result.best_action == 0
    assert result.policy() == {0: 1.0, 1: 0.0}
    assert result.votes[0].votes == result.deals == 8
    assert result.votes[0].value == pytest.approx(-1.0)
    assert "player 1 to move, 8 deals" in str(result)


def test_values_are_means_over_what_the_player_thinks_possible():
    """With a queen, a call wins 2 against a jack and loses 2 against a king: 0 on average; a pass loses 1."""
    result = bw.PIMC(deals=400, seed=3).search(known(KuhnPoker, "K Q bet", 1), simulations=8000)
    values = {vote.text: vote.value for vote in result.votes}
    assert values["pass"] == pytest.approx(-1.0)
    assert values["bet"] == pytest.approx(0.0, abs=0.3)
    assert 100 < result.votes[0].votes < 300


def test_a_budget_is_for_all_deals_together():
    state = known(LiarsDice, "3 6 1-3", 1)
    assert bw.PIMC(deals=5, seed=1, proofs=False).search(state, simulations=103).simulations == 103
    assert bw.PIMC(deals=5, seed=1, proofs=False).search(state, simulations=2).simulations == 5
    quick = bw.PIMC(deals=1000, seed=1, proofs=False).search(state, seconds=0.2)
    assert 0 < quick.deals < 1000
    assert quick.seconds < 20  # on a busy machine, too


def test_without_any_deal_the_choice_is_random_and_said_to_be():
    state = known(Sure, [3], 1)
    found = [bw.PIMC(deals=3, attempts=5, seed=seed).search(state, simulations=30) for seed in range(12)]
    assert {result.deals for result in found} == {0}
    assert len({result.best_action for result in found}) > 1
    assert found[0].policy() == dict.fromkeys(range(4), 0.25)
    assert "0 deals" in str(found[0])


def test_deals_that_are_repeated_are_counted():
    result = bw.PIMC(deals=30, attempts=1, seed=1).search(known(Told, [3], 1), simulations=300)
    assert result.deals == 30
    assert result.repeated == 30 - result.left


def test_wrong_calls_are_refused():
    state = known(KuhnPoker, "J K", 1)
    for given, error, text in (
        (KuhnPoker.from_actions("J K"), bw.GameError, "not from a KuhnPoker"),
        (bw.Playthrough(ConnectFour()).information_state(0), bw.GameError, "connect_four hides nothing"),
        (state, bw.ActionError, "player 1 is not to move here"),
    ):
        with pytest.raises(error, match=text):
            bw.PIMC().search(given, simulations=10)
    with pytest.raises(bw.SettingsError):
        bw.PIMC().search(known(KuhnPoker, "J K", 0))
    with pytest.raises(bw.SettingsError, match="takes no perfect_information"):
        bw.PIMC(perfect_information=True)
    with pytest.raises(bw.SettingsError, match="deals"):
        bw.PIMC(deals=0)
    with pytest.raises(bw.GameError, match="hides nothing, so pimc has nothing to deal"):
        bw.load_bot("pimc").check_game(ConnectFour)


def test_the_bot_reads_back_from_its_text():
    text = "pimc(deals=4,simulations=40,c=1.0,seed=1)"
    assert repr(bw.load_bot(text)) == text
    with pytest.raises(bw.UnknownNameError, match="perfect_information"):
        bw.load_bot("pimc(perfect_information=true)")


# --- what a bot is given ------------------------------------------------------------------------------------


class Spy(Bot):
    """Plays the first legal action, and keeps what it was given."""

    name = "spy"
    given = []

    def choose(self, state, limit=None, moves=None):
        Spy.given.append((state, moves))
        return state.legal_actions()[0]


@pytest.fixture
def spy(monkeypatch):
    monkeypatch.setattr(Spy, "given", [])
    bw.register_bot(Spy, "spy")
    return Spy


def assert_blind(given, game):
    assert given
    for state, moves in given:
        assert type(state) is bw.InformationState
        assert state.current_player() == state.player
        assert moves is None
        for field in game._hidden:
            cells = np.array(getattr(state.view, field.name))
            if field.sight == "private":
                cells[state.player] = 0
            assert not cells.any()


def test_a_referee_gives_bots_what_they_know(spy):
    board = StatusBoard()
    try:
        plan = GamePlan(0, 0, (), (0, 1), (1, 2))
        record = Referee(LeducPoker, plan, Terms(("spy", "spy"), TimeControl()), board).play()
    finally:
        board.close()
    assert record.ending == "end"
    assert_blind(spy.given, LeducPoker)


def test_a_session_and_a_rehearsal_give_bots_what_they_know(spy):
    session = Session(KuhnPoker, Spy(), (), seed=1)
    while not session.is_over:
        session.chance_move() if session.is_chances_turn else session.bot_move()
    rehearse(KuhnPoker, Spy)
    assert len(spy.given) >= 4
    assert_blind(spy.given, KuhnPoker)


def test_bots_of_other_games_are_given_the_state(spy):
    rehearse(ConnectFour, Spy)
    assert [type(state) for state, _ in spy.given] == [ConnectFour, ConnectFour]
    assert spy.given[0][1] == ()


@pytest.mark.slow
@pytest.mark.parametrize("game", ["phantom_tic_tac_toe", "dark_hex", "liars_dice"])
def test_determinised_search_beats_random_play(game):
    match = bw.Match(game=game, bots=("pimc(simulations=400,deals=10)", "random"), games=100, seed=1)
    assert match.run().score().interval()[0] > 0.5
