"""Whole sessions with scripted input: the questions asked, and the text shown."""

import io
import logging
from pathlib import Path

import pytest
from rich.console import Console

from branchwise.bots import load_bot
from branchwise.cli.play.dialogue import Dialogue
from branchwise.cli.play.terminal_session import Session
from branchwise.cli.terminal.screen import Screen
from branchwise.common.errors import SettingsError
from branchwise.games import load_game


class Sitting:
    """Plays a script against a bot; the script ends as Ctrl-D does."""

    def __init__(self, game, *lines, bot="mcts(simulations=200)", humans=(0,), opening=()):
        self.written = io.StringIO()
        out = Console(file=self.written, width=120, markup=False, highlight=False)
        err = Console(file=io.StringIO(), width=120)
        self.session = Session(load_game(game), load_bot(bot, seed=1), humans, opening)
        self._lines = list(lines)
        Dialogue(
            self.session,
            Screen(out, err),
            ask=self._ask,
            load=lambda text: load_bot(text, seed=1),
            adviser=load_bot("mcts(simulations=200)", seed=1),
        ).run()

    def _ask(self, prompt):
        if not self._lines:
            raise EOFError
        self.written.write(f"{prompt}{self._lines[0]}\n")
        return self._lines.pop(0)

    @property
    def text(self):
        return self.written.getvalue()

    def after(self, line):
        """What was shown between the answer `line` and the next prompt."""
        return self.text.partition(f"> {line}\n")[2].partition("> ")[0]


def test_a_whole_game_with_a_bad_move_undo_redo_and_a_hint():
    sitting = Sitting(
        "nim(heaps=(9,))",
        "7",
        "hint",
        "1",
        "undo",
        "redo",
        "undo",
        "1",
        "3",
        "3",
        "2",
        "1",
        "quit",
        bot="random",
    )
    assert "is not a legal move here" in sitting.after("7")
    assert "Best move found: 1" in sitting.after("hint")
    assert "Took back" in sitting.after("undo")
    assert "Played again: 1" in sitting.after("redo")
    assert sitting.session.is_over
    assert "Game over after" in sitting.text
    assert "Another game?" in sitting.text


def test_bot_shows_what_it_considered():
    shown = Sitting("connect_four", "d").after("d")
    assert "O plays" in shown
    assert "200 simulations" in shown
    assert "values for O" in shown
    assert "visits" in shown
    assert "+2 more" in shown


def test_bad_move_never_costs_the_turn():
    sitting = Sitting("connect_four", "z", "d9", "88", "", "undo", "hnit")
    assert sitting.session.moves == ()
    assert "nothing to undo" in sitting.after("undo")
    assert 'did you mean "hint"?' in sitting.after("hnit")


def test_human_as_second_player_waits_for_the_bot():
    sitting = Sitting("connect_four", "d", humans=(1,))
    assert [move.player for move in sitting.session.moves] == [0, 1, 0]
    assert sitting.text.index("X plays") < sitting.text.index("O to move")


def test_two_people_play_without_the_bot():
    sitting = Sitting("tic_tac_toe", "a1", "b1", "a2", "b2", "a3", humans=(0, 1))
    assert "Game over after 5 moves: player 0 (X, you) wins.  Returns: X +1, O -1." in sitting.text


def test_draw_is_announced():
    sitting = Sitting("tic_tac_toe", *["b2", "a1", "a2", "c2", "b1", "b3", "c1", "a3", "c3"], humans=(0, 1))
    assert "Game over after 9 moves: a draw." in sitting.text


def test_three_players_and_people_on_two_seats(tmp_path):
    file = tmp_path / "three.py"
    file.write_text(THREE)
    sitting = Sitting(str(file), "1", "0", "0", "opponent minimax", "0", bot="random", humans=(0, 2))
    assert "You are player 0 and player 2; random" in sitting.text
    assert "player 1 plays" in sitting.text


def test_opponent_that_cannot_play_the_game_leaves_the_other_in_its_place(tmp_path):
    file = tmp_path / "three_again.py"
    file.write_text(THREE)
    sitting = Sitting(str(file), "opponent minimax", "0", "moves", bot="random(seed=4)", humans=(0, 2))
    assert "minimax plays two-player games" in sitting.text
    assert "random(seed=4) stays." in sitting.text
    assert len(sitting.session.moves) == 2


def test_opponent_whose_program_is_not_there_costs_no_game():
    sitting = Sitting("nim", "1", "opponent engine(command='./no_such_engine')", "1", "1", bot="random")
    assert "there is no program ./no_such_engine" in " ".join(sitting.text.split())
    assert "random(seed=1) stays." in sitting.text
    assert len(sitting.session.moves) == 6


def test_opponent_that_cannot_play_from_the_start_is_an_error(tmp_path):
    file = tmp_path / "three_more.py"
    file.write_text(THREE)
    with pytest.raises(SettingsError, match="two-player games"):
        Sitting(str(file), "0", bot="minimax", humans=(0,))


def test_opponent_and_side_can_be_changed_on_the_way():
    sitting = Sitting("connect_four", "d", "opponent minimax(depth=2)", "side second", "side both", "board")
    assert "minimax(depth=2,seed=1) plays O" in sitting.after("opponent minimax(depth=2)")
    assert "You are O; minimax(depth=2,seed=1) plays X." in sitting.after("side second")
    assert "X plays" in sitting.after("side second")
    assert "You are X and O." in sitting.after("side both")


def test_opponent_human_leaves_all_seats_to_people():
    assert "You are X and O." in Sitting("connect_four", "opponent human").text


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("opponent rndom", 'did you mean "random"?'),
        ("opponent mcts(secnds=1)", 'did you mean "seconds"?'),
        ("opponent mcts(seconds=0)", "seconds = 0 is outside its range"),
        ("side frist", 'did you mean "first"?'),
        ("side 5", "no player 5"),
        ("redo", "nothing to redo"),
    ],
)
def test_bad_commands_are_reported_in_words(line, told):
    sitting = Sitting("nim", line, "moves")
    assert told in sitting.after(line)
    assert "Legal: 1 2 3" in sitting.after("moves")


def test_new_game_after_the_end_and_on_the_way():
    sitting = Sitting("nim(heaps=(3,))", "3", "y", "1", "new", "2")
    assert sitting.text.count("A new game.") == 2
    assert sitting.session.moves[0].text == "2"


def test_answers_after_the_end():
    sitting = Sitting("nim(heaps=(3,))", "3", "perhaps", "hint", "undo", "3", "n", "never read")
    assert '"perhaps" is not an answer' in sitting.after("perhaps")
    assert "there is no hint" in sitting.after("hint")
    assert sitting.text.endswith("Goodbye.\n")


def test_yes_is_no_command_during_a_game():
    sitting = Sitting("connect_four", "d", "y")
    assert len(sitting.session.moves) == 2


def test_a_player_alone_is_reported_and_not_by_the_symbol_on_the_board(tmp_path):
    file = tmp_path / "marks.py"
    file.write_text(MARKS)
    sitting = Sitting(f"{file}", "0", "1", "n", bot="random")
    assert "You play alone." in sitting.text
    assert "Your move: 0 1" in sitting.text
    assert "You are" not in sitting.text
    assert "Game over after 2 moves: the return is +1." in sitting.text
    watched = Sitting(f"{file}", "n", bot="random", humans=())
    assert "random(seed=1) plays alone." in watched.text
    assert "random plays 0" in watched.text or "random plays 1" in watched.text


def test_a_legal_move_comes_before_a_command_of_that_name(tmp_path):
    file = tmp_path / "words.py"
    file.write_text(WORDS)
    sitting = Sitting(str(file), "undo", "/undo", bot="random")
    assert "Took back: undo." in sitting.after("/undo")


def test_end_of_input_leaves_politely():
    assert Sitting("nim").text.endswith("Goodbye.\n")


def test_help_names_every_command():
    shown = Sitting("nim", "help").after("help")
    for command in ("undo", "redo", "hint", "moves", "board", "side", "opponent", "new", "quit"):
        assert f"\n  {command} " in shown


def test_many_legal_moves_are_cut_short():
    shown = Sitting("mnk(rows=9,columns=9)").text
    assert "and 51 more" in shown


def test_ctrl_c_at_the_prompt_ends_the_program():
    def interrupt(_):
        raise KeyboardInterrupt

    session = Session(load_game("nim"), load_bot("random"), (0,))
    dialogue = Dialogue(
        session,
        Screen(Console(file=io.StringIO()), Console(file=io.StringIO())),
        ask=interrupt,
        load=load_bot,
        adviser=load_bot("mcts"),
    )
    with pytest.raises(KeyboardInterrupt):
        dialogue.run()


THREE = '''
import numpy as np
import branchwise as bw


class Three(bw.Game):
    """Three players take one or two chips; whoever takes the last wins."""

    num_players = 3
    num_actions = 2

    chips: np.int8 = 9
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for action in range(min(2, self.chips)):
            yield action

    def apply_action(self, action):
        self.chips -= action + 1
        self.mover = (self.mover + 1) % 3

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        last = (self.mover + 2) % 3
        return (1.0 if last == 0 else -1.0, 1.0 if last == 1 else -1.0, 1.0 if last == 2 else -1.0)
'''

WORDS = '''
import numpy as np
import branchwise as bw


class Words(bw.Game):
    """A game whose moves are called like commands."""

    num_players = 1
    num_actions = 2

    step: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.step += 1

    def is_terminal(self):
        return self.step == 3

    def returns(self):
        return (1.0,)

    def action_to_string(self, action):
        return ("undo", "hint")[action]
'''

MARKS = '''
import numpy as np
import branchwise as bw


class Marks(bw.Game):
    """A player alone marks two cells, one after the other."""

    num_players = 1
    num_actions = 2
    symbols = ".a"

    board: bw.Array[np.int8, 1, 2] = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        for cell in range(2):
            if self.board[0, cell] == 0:
                yield cell

    def apply_action(self, action):
        self.board[0, action] = 1

    def is_terminal(self):
        return self.board[0, 0] == 1 and self.board[0, 1] == 1

    def returns(self):
        return (1.0,)

    def action_to_string(self, action):
        return str(action)
'''


def test_vectors_are_typed_in_where_actions_are_continuous():
    sitting = Sitting("pendulum", "moves", "0.5", "3", "0.5,1", "hint", "undo", "redo", "-2", "moves", "quit")
    assert "Your move: 1 number: -2 to 2" in sitting.text
    assert "Legal: 1 number: -2 to 2" in sitting.after("moves")
    assert "the action 3.0 is outside its box\n  an action is 1 number: -2 to 2" in sitting.after("3")
    assert "0.5,1.0 has 2 numbers, not 1" in sitting.after("0.5,1")
    assert -2.0 <= float(sitting.after("hint").partition("Best move found: ")[2].split()[0]) <= 2.0
    assert "Took back: 0.5." in sitting.after("undo")
    assert "Played again: 0.5." in sitting.after("redo")
    assert [move.action.tolist() for move in sitting.session.moves] == [[0.5], [-2.0]]


def test_a_bot_answers_vectors_with_vectors():
    duel = f"{Path(__file__).parents[1] / 'support' / 'boxes.py'}:Duel"
    sitting = Sitting(duel, "0.25", "quit")
    assert "player 1 plays " in sitting.after("0.25")
    assert sitting.session.is_over
    assert sitting.session.to_dict()["actions"][0] == [0.25]


def test_a_bot_that_resigns_ends_the_session(tmp_path):
    (tmp_path / "quitter.py").write_text(
        "import branchwise as bw\nclass Quitter(bw.Bot):\n    name = 'quitter'\n"
        "    def choose(self, state):\n        raise bw.ResignedError('there is no hope')\n"
    )
    sitting = Sitting("tic_tac_toe", "b2", "a1", bot=str(tmp_path / "quitter.py"))
    assert sitting.text.rstrip().endswith("there is no hope.")
    assert len(sitting.session.moves) == 1


@pytest.mark.parametrize("terminal", [True, False])
def test_messages_wait_until_a_prompt_is_answered(terminal):
    """On a terminal nothing is said of compiling, which goes on while a person thinks."""
    log, shown = logging.getLogger("branchwise"), io.StringIO()
    screen = Screen(err=Console(file=shown, width=120, force_terminal=terminal, color_system=None))
    with screen.asking():
        log.warning("compiling nim, once", extra={"compiling": True})
        log.warning("the level file is old")
        assert shown.getvalue() == ""
    said = ["the level file is old"] if terminal else ["compiling nim, once", "the level file is old"]
    assert [line.strip() for line in shown.getvalue().splitlines()] == said
    log.warning("compiling kalah, once", extra={"compiling": True})
    assert "compiling kalah, once" in shown.getvalue()
