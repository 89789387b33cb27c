"""A game of dice on the command line."""

import json
import re
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.bots.players.random import RandomBot
from branchwise.cli.play.terminal_session import Session
from branchwise.common.errors import ActionError
from branchwise.common.players import CHANCE
from cli.test_dialogue import Sitting
from support.pig import Pig

FILE = Path(__file__).parents[1] / "support/pig.py"
PIG = f"{FILE}:Pig"


LIMITS = {"optimise": ("--playouts", "20"), "compare": ("--steps", "20", "--methods", "dfs")}
DRAWN_FIRST = """
import numpy as np
import branchwise as bw


class Prize(bw.Game):
    num_players, num_actions, num_outcomes = 1, 2, 5
    max_game_length = 2
    min_return, max_return = 0.0, 9.0

    prize: np.int8 = -1
    took: np.int8 = -1

    def current_player(self):
        return bw.CHANCE if self.prize < 0 else 0

    def chance_outcomes(self):
        for prize in range(5):
            yield prize, 0.2

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        if self.prize < 0:
            self.prize = action
        else:
            self.took = action

    def is_terminal(self):
        return self.took >= 0

    def returns(self):
        return (float(self.prize * self.took),)
"""


@pytest.fixture
def session():
    return Session(Pig, RandomBot(seed=1), {0}, seed=4)


def refused(shown, why):
    """Check that a command refused in one sentence, with one line of advice at most."""
    assert shown.code not in (0, None)
    first, *rest = shown.err.strip().splitlines()
    assert why in first
    assert [line[:7] for line in rest] in ([], ["  mend:"])


def go_on(session):
    """Let everybody but the person move."""
    while not session.is_over and not session.is_humans_turn:
        session.chance_move() if session.is_chances_turn else session.bot_move()


def test_dice_are_the_sessions_and_not_the_bots():
    games = []
    for bot in (RandomBot(seed=1), RandomBot(seed=2)):
        session = Session(Pig, bot, {0, 1}, seed=4)
        for _ in range(12):
            session.play("roll")
            session.chance_move()
        games.append([move.text for move in session.moves])
    assert games[0] == games[1]
    assert [move.player for move in session.moves][:2] == [0, CHANCE]


def test_undo_goes_to_the_last_decision_of_a_person_and_redo_rolls_the_same(session):
    session.play("roll")
    go_on(session)
    session.play("hold")
    go_on(session)
    played, reached = session.moves, session.state.copy()
    taken = session.undo()
    assert [move.text for move in taken][-1] == "hold"
    assert session.is_humans_turn
    session.undo()
    assert session.moves == ()
    with pytest.raises(ActionError, match="nothing to undo"):
        session.undo()
    session.redo()
    assert session.is_humans_turn
    session.redo()
    assert (session.moves, session.state) == (played, reached)


def test_after_undo_the_same_move_brings_the_same_dice_and_another_move_new_ones():
    session = Session(Pig, RandomBot(seed=1), {0, 1}, seed=4)

    def played(*moves):
        faces = []
        for move in moves:
            session.play(move)
            while session.is_chances_turn:
                faces.append(session.chance_move().text)
        return faces

    first = played(*["roll"] * 12)
    for _ in range(12):
        session.undo()
    assert session.moves == ()
    assert played(*["roll"] * 12) == first
    for _ in range(12):
        session.undo()
    played("hold", "hold")
    assert played(*["roll"] * 12) != first


def test_dice_that_are_typed_in_are_taken_back_one_by_one():
    session = Session(Pig, RandomBot(seed=1), {0}, types_dice=True)
    session.play("roll")
    assert session.waits_for_person
    session.play("4")
    session.play("roll")
    with pytest.raises(ActionError):
        session.play("7")
    session.play("3")
    assert [move.text for move in session.undo()] == ["3"]
    assert session.is_chances_turn
    session.play("6")
    assert session.state.turn == 10
    assert [move.text for move in session.undo()] == ["6"]
    assert [move.text for move in session.undo()] == ["roll"]
    assert [move.text for move in session.redo()] == ["roll"]
    assert [move.text for move in session.redo()] == ["6"]


def test_a_sitting_takes_dice_that_are_typed_in():
    lines = ("dice typed", "roll", "9", "hint", "4", "roll", "", "dice rolled", "roll", "dice", "dice blue")
    sitting = Sitting(PIG, *lines, bot="random", humans=(0, 1))
    assert "You type in the dice." in sitting.after("dice typed")
    assert "Type in the dice, or Enter to have them rolled: 1 2 3 4 5 6" in sitting.after("roll")
    assert '"9" is not a possible outcome here' in sitting.after("9")
    assert "chance is to move: there is no hint" in sitting.after("hint")
    assert [move.text for move in sitting.session.moves][:3] == ["roll", "4", "roll"]
    assert "chance: " in sitting.after("")
    assert "The program rolls the dice." in sitting.after("dice rolled")
    assert "one of rolled, typed" in sitting.after("dice blue")


def test_backgammons_dice_are_typed_in_any_order():
    lines = ("undo", "3 1", "6/5 8/5", "2-6", "undo", "5-6")
    sitting = Sitting("backgammon", "dice typed", *lines, bot="random", humans=(0, 1))
    assert [move.text for move in sitting.session.moves] == ["3-1", "8/5,6/5", "6-5"]
    assert "Took back: 6-2." in sitting.text


def test_help_speaks_of_dice_only_where_there_are_some():
    with_dice, without = Sitting(PIG, "help", "dcie"), Sitting("nim", "help", "dice")
    assert "dice      choose who rolls" in with_dice.after("help")
    assert "the same moves again bring the same dice" in with_dice.after("help")
    assert 'did you mean "dice"?' in with_dice.after("dcie")
    assert "dice" not in without.after("help")
    assert '"dice" is not a legal move here' in without.after("dice")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((PIG, "--dice", "typed"), "dice can only be typed in at a terminal"),
        ((PIG, "--dice", "loaded"), "dice = 'loaded' is unknown"),
        (("nim", "--dice", "typed"), "nim has no dice"),
    ],
)
def test_dice_that_cannot_be_typed_in_are_refused(run, words, why):
    refused(run("play", *words), why)


def test_a_sitting_shows_what_chance_does():
    sitting = Sitting(PIG, "roll", "moves", "undo", "hint", bot="random", humans=(0, 1))
    face = sitting.after("roll").partition("chance: ")[2][0]
    assert face in "123456"
    assert f"Played: roll {face}" in sitting.after("moves")
    assert f"Took back: {face} roll." in sitting.after("undo")
    assert "Best move found: roll" in sitting.after("hint")


def test_a_sitting_against_a_bot_that_searches_ends():
    sitting = Sitting(PIG, *["hold"] * 200, bot="mcts(simulations=50)")
    assert sitting.session.is_over
    assert "Game over after" in sitting.text
    assert {move.player for move in sitting.session.moves} == {0, 1, CHANCE}


def test_bots_play_alone_and_the_record_has_the_outcomes(run):
    words = ("play", PIG, "--opponent", "random", "--seed", "3")
    shown = run(*words, "--json")
    played = json.loads(shown.out)
    assert shown.out == run(*words, "--json").out
    record = bw.Playthrough.from_json(json.dumps({**played, "game": "pig"}), Pig)
    assert record.is_over
    assert played["returns"] == list(record.returns)
    assert CHANCE in {move.player for move in record.moves}
    text = run(*words).out
    outcomes = [f"{at}. chance: {m.text}" for at, m in enumerate(record.moves, 1) if m.player == CHANCE]
    assert [line for line in text.splitlines() if "chance" in line] == outcomes


@pytest.mark.parametrize("bot", ["mcts(simulations=40)", "flat(simulations=40)", "minimax(depth=3)"])
def test_bots_that_search_play_alone(run, bot):
    played = json.loads(run("play", PIG, "--opponent", bot, "--seed", "1", "--json").out)
    assert sorted(played["returns"]) == [-1.0, 1.0]


def test_levels_refuse_in_one_sentence(run):
    refused(run("play", PIG, "--level", "3"), "levels")


@pytest.mark.parametrize("command", ["search", "tree", "walkthrough"])
def test_where_chance_is_to_move_an_outcome_is_drawn_by_the_seed_and_shown(run, command):
    words = (command, PIG, "--moves", "roll", "--simulations", "4", "--seed")
    shown = [run(*words, str(seed)) for seed in range(4)]
    faces = [re.search(r"^chance, drawn by --seed (\d): (\d)$", one.out, re.M) for one in shown]
    assert [face[1] for face in faces] == ["0", "1", "2", "3"]
    assert len({face[2] for face in faces}) > 1
    given = run(command, PIG, "--moves", f"roll {faces[1][2]}", *words[4:], "1")
    assert given.code == 0
    assert _without_times(given.out) == _without_times(shown[1].out.partition("\n\n")[2])


def _without_times(text):
    return re.sub(r"in [\d.]+ s, [\d,]+ ?k?/s", "", text)


def test_a_question_mark_among_the_moves_is_what_chance_brings_there(run):
    words = ("--simulations", "20", "--seed", "1", "--json")
    told = json.loads(run("search", PIG, "--moves", "roll ? roll ?", *words).out)
    assert told["moves"] == ["roll", "?", "roll", "?"]
    assert (len(told["drawn"]), told["drawn_by"]) == (2, 1)
    line = " ".join(f"roll {face}" for face in told["drawn"])
    assert json.loads(run("search", PIG, "--moves", line, *words).out)["children"] == told["children"]
    refused(run("search", PIG, "--moves", "?"), 'move 1: "?" is not a legal move here')


def test_what_is_drawn_without_a_seed_can_be_drawn_again(run):
    first = json.loads(run("search", PIG, "--moves", "roll", "--simulations", "20", "--json").out)
    seed = str(first["drawn_by"])
    again = run("search", PIG, "--moves", "roll", "--simulations", "20", "--json", "--seed", seed)
    assert json.loads(again.out)["drawn"] == first["drawn"]


def test_a_walkthrough_shows_draws_of_chance(run):
    shown = run("walkthrough", PIG, "--simulations", "4", "--seed", "1")
    assert shown.code == 0
    assert "gets its children: the 6 outcomes of chance. Chance decides: 5, probability 1/6" in " ".join(
        shown.out.split()
    )


@pytest.mark.parametrize("command", ["optimise", "compare"])
def test_a_problem_with_chance_is_refused_for_one_reason(run, command):
    shown = run(command, "blackjack", "--python", "--seed", "1")
    refused(shown, "chance moves in blackjack, so no line of actions is certain")
    assert "--moves" not in shown.err


@pytest.mark.parametrize("command", ["optimise", "compare"])
def test_a_problem_in_which_chance_moves_only_first_is_solved_from_what_it_drew(run, command, tmp_path):
    file = tmp_path / f"drawn_first_{tmp_path.name}.py"
    file.write_text(DRAWN_FIRST)
    words = (command, str(file), "--python", "--seed", "2", *LIMITS[command])
    told = json.loads(run(*words, "--json").out)
    best = told["best_score"] if command == "optimise" else told["methods"][0]["best"]
    assert best == float(told["drawn"][0])
    assert "chance, drawn by --seed 2: " in run(*words).out


def test_perft_counts_outcomes_compiled_as_in_python(run):
    counts = [
        json.loads(run("perft", PIG, "--depth", "5", "--json", *plain).out)["count"]
        for plain in ((), ("--plain",))
    ]
    assert counts[0] == counts[1] == bw.testing.perft(Pig(), 5, compiled=False)
    assert bw.testing.perft(Pig.from_actions("roll"), 3, compiled=True) == 48
    assert bw.testing.perft(Pig.from_actions("roll"), 3, compiled=False) == 48


def test_bench_measures_a_game_that_begins_with_a_roll(run, tmp_path):
    file = tmp_path / f"rolls_first_{tmp_path.name}.py"
    file.write_text(FILE.read_text().replace("rolling: np.bool_ = False", "rolling: np.bool_ = True"))
    entry = json.loads(run("bench", str(file), "--seconds", "0.05", "--json").out)["games"][0]
    assert min(entry["simulations_per_second"], entry["random_games_per_second"]) > 0
    assert "hold" in run("search", str(file), "--moves", "4", "--simulations", "50").out


def test_check_takes_outcomes_among_the_moves(run):
    assert run("check", PIG, "--games", "200", "--python").code == 0
    assert run("check", PIG, "--moves", "roll 4 hold", "--python").code == 0
