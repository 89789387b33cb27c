"""Playing games in which all move at once at a terminal: nobody sees a choice before all have chosen."""

import io
import json

import pytest
from rich.console import Console

import branchwise as bw
from branchwise.bots import load_bot
from branchwise.bots.base.bot import Bot
from branchwise.cli.play.dialogue import Dialogue
from branchwise.cli.play.terminal_session import Session
from branchwise.cli.terminal.screen import Screen
from branchwise.common.errors import ActionError, BranchwiseError
from branchwise.games import load_game
from branchwise.games.goofspiel import Goofspiel
from branchwise.games.rock_paper_scissors import RockPaperScissors
from branchwise.rules.playthrough.choices_collected import Choices
from branchwise.rules.playthrough.joint_choice import JointChoice
from support import three_at_once
from support.three_at_once import ThreeAtOnce

ADVISER = "mcts(simulations=200,joint=regret_matching)"
CARDS = "goofspiel(num_cards=4,points_order=descending)"


class Last(Bot):
    """Takes the last legal action, and keeps what it was given."""

    name = "last"

    def __init__(self):
        self.given = []

    def choose(self, state, limit, moves):
        self.given.append((state, moves))
        return state.legal_actions()[-1]


class Sitting:
    """Plays a script; what is typed unseen is not written."""

    def __init__(self, game, *lines, humans=(0,), bot=None, opening=(), adviser=ADVISER, load=None):
        self.written, self._lines = io.StringIO(), list(lines)
        game = load_game(game) if isinstance(game, str) else game
        self.session = Session(game, bot or Last(), humans, opening, seed=1)
        out = Console(file=self.written, width=120, markup=False, highlight=False)
        Dialogue(
            self.session,
            Screen(out, Console(file=io.StringIO(), width=120)),
            ask=lambda prompt: self._ask(prompt, seen=True),
            ask_unseen=lambda prompt: self._ask(prompt, seen=False),
            load=load or (lambda text: load_bot(text, seed=1)),
            adviser=load_bot(adviser, seed=1),
        ).run()

    def _ask(self, prompt, *, seen):
        if not self._lines:
            raise EOFError
        line = self._lines.pop(0)
        self.written.write(f"{prompt}{line if seen else ''}\n")
        return line

    @property
    def text(self):
        return self.written.getvalue()

    def after(self, line):
        return self.text.partition(f"> {line}\n")[2].partition("> ")[0]


def test_a_whole_game_shows_each_joint_move_and_how_it_ended():
    sitting = Sitting("rock_paper_scissors", "rok", "1", "n")
    assert "player 0 to choose: rock paper scissors" in sitting.text
    assert '"rok" is not a legal move here' in sitting.after("rok")
    assert "player 0 paper : player 1 scissors" in sitting.after("1")
    assert "paper against scissors" in sitting.after("1")
    assert "player 1 (last) wins.  Returns: player 0 -1, player 1 +1." in sitting.text


def test_a_bot_is_given_the_position_before_whatever_the_person_chose():
    given = []
    for own in ("rock", "paper", "scissors"):
        sitting = Sitting("rock_paper_scissors", own)
        ((state, moves),) = sitting.session.bot.given
        assert isinstance(state, JointChoice)
        assert state.player == 1
        given.append((state.state, moves))
    assert given == [(RockPaperScissors(), ())] * 3


def test_a_searching_bot_chooses_the_same_against_any_choice_of_a_person():
    replies = set()
    for card in ("1", "2", "3", "4"):
        bot = load_bot("mcts(simulations=60,joint=regret_matching,compiled=false)", seed=5)
        (move,) = Sitting(CARDS, card, bot=bot).session.moves
        assert move.action[0] == int(card) - 1
        assert move.result is not None
        replies.add(move.action[1])
    assert len(replies) == 1


def test_the_search_of_a_bot_is_shown_with_the_strategies_of_both():
    shown = Sitting(CARDS, "2", bot=load_bot("mcts(simulations=60,compiled=false)", seed=1)).after("2")
    assert "60 simulations in" in shown
    assert "values for" not in shown
    assert "player  action  probability" in shown


def test_a_hint_is_the_mean_strategy_and_an_action_drawn_from_it():
    shown = Sitting("rock_paper_scissors", "hint").after("hint")
    assert shown.count("%") == 6
    drawn = shown.partition("Drawn from the mean strategy: ")[2].split()[0]
    assert drawn in ("rock", "paper", "scissors")


def test_a_hint_by_decoupled_uct_is_the_most_visited_action():
    adviser = "mcts(simulations=60,compiled=false)"
    shown = Sitting("rock_paper_scissors", "hint", adviser=adviser).after("hint")
    assert "Best move found: " in shown


def test_games_that_also_hide_something_are_refused(run):
    shown = run("play", f"{three_at_once.__file__}:Sealed")
    assert shown.code == 2
    assert "players of sealed move at once and do not see everything" in " ".join(shown.err.split())


def test_undo_and_redo_take_whole_joint_moves():
    sitting = Sitting(CARDS, "1", "2", "undo", "undo", "redo", "undo", "undo", "3", "moves")
    assert "Took back: 2,3." in sitting.text
    assert "Took back: 1,4." in sitting.text
    assert "Played again: 1,4." in sitting.text
    assert "there is nothing to undo" in sitting.text
    assert "Played: 3,4" in sitting.after("moves")
    assert "Legal: 1 2 4" in sitting.after("moves")


def test_several_people_choose_unseen_and_no_choice_is_shown_before_all_have_chosen():
    sitting = Sitting("goofspiel(num_cards=4,players=3)", "3", "9", "2", humans=(0, 1), opening=["4"])
    before, _, after = sitting.text.partition("player 0 3 : player 1 2 : player 2 4")
    assert after
    assert "player 0 to choose (typing is not shown): 1 2 3 4" in before
    assert "player 0 has chosen.\nplayer 1 to choose (typing is not shown): 1 2 3 4" in before
    assert "that is not a legal move here" in before
    assert "9" not in before


def test_undo_takes_back_the_choice_of_one_person_before_that_of_a_whole_move():
    sitting = Sitting(CARDS, "1", "undo", "2", "3", "4", "undo", "undo", "moves", humans=(0, 1))
    assert sitting.text.count("Took back what player 0 chose.") == 2
    assert "player 0 2 : player 1 3" in sitting.text
    assert "Took back: 2,3." in sitting.text
    assert "Played: nothing yet" in sitting.text


def test_people_alone_play_without_a_bot():
    sitting = Sitting("rock_paper_scissors", "rock", "paper", "n", humans=(0, 1))
    assert "player 1 (you) wins" in sitting.text
    assert sitting.session.bot.given == []


def test_other_players_or_a_new_game_forget_what_was_chosen():
    sitting = Sitting(CARDS, "1", "side first", "2", "side both", "3", "new", "4", "3", humans=(0, 1))
    assert [move.text for move in sitting.session.moves] == ["4,3"]
    assert "player 0 2 : player 1 4" in sitting.text


def test_players_without_a_choice_are_neither_asked_nor_named():
    sitting = Sitting(ThreeAtOnce, "1", "1", "1", humans=(0, 1), opening=["1", "0,0,1", "0"])
    moves = [move.text for move in sitting.session.moves]
    assert moves == ["1", "0,0,1", "0", "1", "1,1,-"]
    assert "player 0 1 : player 1 1\n" in sitting.text
    back = Sitting(ThreeAtOnce, "1", "undo", humans=(1,), opening=["1", "0,1,0", "1", "0,-,0"])
    assert [move.text for move in back.session.moves] == ["1"]


def test_bots_play_each_other_and_the_record_is_read_again(run):
    shown = run("play", CARDS, "--opponent", "random", "--seed", "4")
    assert shown.code == 0
    assert "1. player 0 " in shown.out
    assert "Game over after" in shown.out
    record = run("play", CARDS, "--simulations", "30", "--seed", "4", "--json").out
    game = load_game(CARDS)
    played = bw.Playthrough.from_json(record, game)
    assert played.is_over
    assert json.loads(record)["bot"] == "mcts(simulations=30,joint='regret_matching',seed=4)"
    assert json.loads(record)["returns"] == list(played.returns)
    again = run("play", CARDS, "--moves", played.text, "--json").out
    assert json.loads(again)["actions"] == json.loads(record)["actions"]


@pytest.mark.parametrize(
    ("bot", "words"),
    [("flat", "which flat does not plan for"), ("minimax", "which only MCTS plans for")],
)
def test_bots_that_do_not_plan_for_it_are_refused_in_one_sentence(run, bot, words):
    shown = run("play", CARDS, "--opponent", bot)
    assert shown.code == 2
    assert words in " ".join(shown.err.split())
    assert "Traceback" not in shown.err


def test_an_illegal_choice_of_a_bot_names_it_and_changes_nothing():
    class Wrong(Last):
        def choose(self, state, limit, moves):
            return 7

    session = Session(load_game(CARDS), Wrong(), (0,))
    session.play("1")
    with pytest.raises(BranchwiseError, match="chose action 7, which is not legal here"):
        session.bot_move()
    assert session.moves == ()
    session.bot = Last()
    assert session.bot_move().text == "1,4"


class TestChoices:
    def test_each_player_chooses_once(self):
        choices = Choices(Goofspiel.configured(num_cards=3, points_order="ascending")())
        choices.choose(0, "2")
        assert (choices.chosen, choices.missing) == ((0,), (1,))
        with pytest.raises(ActionError, match="player 0 has already chosen"):
            choices.choose(0, "3")
        with pytest.raises(ActionError, match="player 1 has not chosen yet"):
            choices.joint_move()
        assert choices.joint_move({1: 2}) == (1, 2)
        choices.take_back(0)
        with pytest.raises(ActionError, match="player 0 has not chosen yet"):
            choices.take_back(0)

    @pytest.mark.parametrize("action", ["7", 3, -1, "-", "1,2", 1.0, None])
    def test_what_is_not_legal_is_not_chosen(self, action):
        choices = Choices(Goofspiel.configured(num_cards=3, points_order="ascending")())
        with pytest.raises(ActionError):
            choices.choose(0, action)
        assert choices.chosen == ()

    def test_a_player_without_a_choice_is_not_waited_for_and_cannot_choose(self):
        state = ThreeAtOnce.from_actions(["1", "0,1,0", "1"])
        choices = Choices(state)
        assert choices.choosers == (0, 2)
        with pytest.raises(ActionError, match="player 1 has no choice here"):
            choices.choose(1, bw.NO_ACTION)
        with pytest.raises(ActionError, match="has no player 3"):
            choices.choose(3, 0)
        choices.choose(2, 1)
        choices.choose(0, 0)
        assert choices.joint_move() == (0, bw.NO_ACTION, 1)


def test_a_stored_game_is_replayed_with_what_each_bot_chose(run, tmp_path):
    store = tmp_path / "m.sqlite"
    words = ("match", "goofspiel(num_cards=3,points_order=descending)", "random", "random", "--games", "2")
    assert run(*words, "--seed", "1", "--store", store).code == 0
    moves = [
        move["move"] for move in json.loads(run("replay", "1", "0", "--json", "--store", store).out)["moves"]
    ]
    shown = run("replay", "1", "0", "--store", store).out
    titles = [line for line in shown.splitlines() if " : " in line]
    joint = [move.split(",") for move in moves if "," in move]
    assert [title.split(". ", 1)[1] for title in titles] == [
        f"player 0 {one} (random) : player 1 {other} (random)" for one, other in joint
    ]
    assert len(joint) >= 2
    assert "player -2" not in shown


def test_a_tree_says_that_all_players_move(run):
    shown = run("tree", "rock_paper_scissors", "--simulations", "20", "--seed", "1")
    assert shown.out.startswith("rock_paper_scissors: all players move, 20 visits")


def test_points_are_counted_in_words():
    state = Goofspiel.configured(num_cards=3, points_order="ascending").from_actions(["2,1"])
    assert "player 0: 1 point, cards 1 3\n" in str(state)
    assert "player 1: 0 points, cards 2 3\n" in str(state)


def test_a_bot_that_cannot_play_is_refused_and_the_game_goes_on():
    def load(text):
        bot = load_bot(text, seed=1)
        bot.check_game(Goofspiel)
        return bot

    sitting = Sitting(
        CARDS, "opponent minimax", "opponent oos", "opponent uci(command='cat')", "3", load=load
    )
    for told in ("goofspiel", "hides nothing, so oos is not for it", "a program that speaks UCI plays chess"):
        assert told in sitting.text
    assert "player 0 3 : player 1 4" in sitting.text


def test_a_game_of_one_move_is_over_after_one_move():
    assert "Game over after 1 move: " in Sitting("rock_paper_scissors", "rock").text


def test_perft_counts_joint_moves(run):
    told = json.loads(run("perft", "goofspiel", "--depth", "2", "--json").out)
    assert (told["count"], told["compiled"]) == (13 * 13 * 13, False)
