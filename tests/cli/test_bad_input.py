"""Every mistake on the command line gets one clear error on stderr, exit code 2, and no traceback."""

import re

import pytest

VARIED = ("nim", "--bot", "flat(simulations={n})", "--against", "random")
SWEEP = ["sweep", *VARIED]
TUNE = ["tune", *VARIED]

BAD = {
    "unknown game": (["search", "conect_four"], 'no game "conect_four"; did you mean "connect_four"?'),
    "no game at all": (["search", ""], "has no name"),
    "unknown option": (["play", "connect_four(row=5)"], 'did you mean "rows"?'),
    "unreadable option": (["search", "connect_four(rows="], 'cannot read "connect_four(rows="'),
    "impossible option": (["search", "connect_four(rows=100)"], "cannot be 100 rows by 7 columns"),
    "option of another kind": (["search", "nim(misere=2)"], "takes a bool"),
    "option that is no whole number": (["search", "same_game(keep=1.5)"], "takes an int, not 1.5"),
    "unknown file": (["check", "nowhere.py"], "no file nowhere.py"),
    "unknown bot": (["play", "nim", "--opponent", "rndom"], 'no bot "rndom"; did you mean "random"?'),
    "unknown option of a bot": (["play", "nim", "--opponent", "mcts(secnds=1)"], 'did you mean "seconds"?'),
    "bad value for a bot": (["play", "nim", "--opponent", "minimax(depth=0)"], "depth = 0"),
    "unknown side": (["play", "nim", "--side", "frist"], 'no side "frist"; did you mean "first"?'),
    "no such player": (["play", "nim", "--side", "2"], "nim has no player 2"),
    "no side": (["play", "nim", "--side", ""], "no side is given"),
    "illegal move": (
        ["search", "connect_four", "--moves", "d z9 a"],
        'move 2: "z9" is not a legal move here',
    ),
    "illegal move in play": (["play", "connect_four", "--moves", "d z9 a"], 'move 2: "z9" is not a legal'),
    "illegal move in check": (["check", "connect_four", "--moves", "d z9"], 'move 2: "z9" is not a legal'),
    "zero seconds": (["search", "nim", "--seconds", "0"], "seconds = 0.0 is outside its range"),
    "negative seconds": (["search", "nim", "--seconds", "-1"], "seconds = -1.0 is outside its range"),
    "no number of seconds": (["search", "nim", "--seconds", "nan"], "seconds = nan is outside its range"),
    "endless seconds": (["search", "nim", "--seconds", "inf"], "seconds = inf is outside its range"),
    "zero simulations": (["search", "nim", "--simulations", "0"], "simulations = 0 is outside its range"),
    "absurd simulations": (["search", "nim", "--simulations", "9" * 30], "is outside its range"),
    "broken simulations": (["search", "nim", "--simulations", "many"], "Invalid value for '--simulations'"),
    "too few nodes": (["search", "nim", "--max-nodes", "1"], "max_nodes = 1 is outside its range"),
    "negative exploration": (["search", "nim", "--c", "-1"], "c = -1.0 is outside its range"),
    "zero seconds in play": (["play", "nim", "--seconds", "0"], "seconds = 0.0 is outside its range"),
    "zero simulations in play": (["play", "nim", "--simulations", "0"], "simulations = 0 is outside"),
    "no games to check": (["check", "nim", "--games", "0"], "games = 0 is outside its range"),
    "zero seconds of bench": (["bench", "nim", "--seconds", "0"], "seconds = 0.0 is outside its range"),
    "no bots": (["match", "nim"], "a match needs a game and bots"),
    "nothing to match": (["match"], "a match needs a game and bots"),
    "too few bots": (["match", "nim", "random"], "nim has 2 players, but 1 bots are given"),
    "unknown bot in a match": (["match", "nim", "random", "mtcs"], 'no bot "mtcs"; did you mean "mcts"?'),
    "person in a match": (["match", "nim", "random", "human"], "a person cannot play a match"),
    "no games": (["match", "nim", "random", "random", "--games", "0"], "games = 0 is outside its range"),
    "no clock": (["match", "nim", "random", "random", "--clock", "1h"], 'cannot read the clock "1h"'),
    "two limits of time": (
        ["match", "nim", "random", "random", "--clock", "1", "--seconds", "1"],
        "either seconds for each move or a clock",
    ),
    "no test": (["match", "nim", "random", "random", "--sprt", "30"], 'cannot read the test "30"'),
    "test the wrong way round": (
        ["match", "nim", "random", "random", "--sprt", "30,0"],
        "elo0 = 30 is not below elo1 = 0",
    ),
    "unknown kind of test": (
        ["match", "nim", "random", "random", "--sprt", "0,30,normalised"],
        'did you mean "normalized"?',
    ),
    "test without error": (
        ["match", "nim", "random", "random", "--sprt", "0,30", "--alpha", "0"],
        "alpha = 0.0 is outside its range",
    ),
    "errors without a test": (
        ["match", "nim", "random", "random", "--beta", "0.1"],
        "--beta is given without",
    ),
    "resumed with a test": (["match", "--resume", "--sprt", "0,30"], "--sprt cannot be changed"),
    "no file of openings": (
        ["match", "nim", "random", "random", "--openings", "nowhere.txt"],
        "cannot read the openings in nowhere.txt",
    ),
    "resumed with another game": (["match", "--resume", "nim"], '"nim" is not the number of a match'),
    "resumed with bots": (["match", "--resume", "1", "random"], "bots cannot be changed"),
    "resumed with settings": (["match", "--resume", "--games", "5"], "--games cannot be changed"),
    "no store to resume from": (
        ["match", "--resume", "--store", "nowhere.sqlite"],
        "there is no file nowhere",
    ),
    "no store": (["results", "--store", "nowhere.sqlite"], "there is no file nowhere.sqlite"),
    "store of something else": (["results", "--store", __file__], "is not a file of matches"),
    "no store to replay from": (["replay", "1", "0", "--store", "nowhere.sqlite"], "there is no file"),
    "no store to review from": (["review", "1", "0", "--store", "nowhere.sqlite"], "there is no file"),
    "too few simulations to review": (
        ["review", "1", "0", "--simulations", "1"],
        "simulations = 1 is outside",
    ),
    "nothing to sweep": (["sweep"], "GAME is missing"),
    "no bot to sweep": (["sweep", "nim"], "--bot is missing"),
    "nothing to vary": (SWEEP, "--vary is missing"),
    "no opponent": (["tune", "nim", "--bot", "random", "--vary", "n=1,2"], "--against is missing"),
    "unreadable values": ([*SWEEP, "--vary", "n=1:2"], 'cannot read "n=1:2"'),
    "values of another name": ([*SWEEP, "--vary", "m=1,2"], 'no varied name "n"'),
    "bot that no value makes": ([*SWEEP, "--vary", "n=0,2"], "simulations = 0 is outside its range"),
    "odd games of a sweep": ([*SWEEP, "--vary", "n=1,2", "-n", "3"], "without its partner"),
    "figure of a form unknown": ([*SWEEP, "--vary", "n=1,2", "-o", "x.pdf"], "not written as .pdf"),
    "figure of a kind unknown": (
        [*SWEEP, "--vary", "n=1,2", "-o", "x", "--draw", "pie"],
        'no kind of figure "pie"',
    ),
    "figure without a place": ([*SWEEP, "--vary", "n=1,2", "--draw", "lines"], "the figure needs a file"),
    "resumed sweep with another bot": (["sweep", "--resume", "--bot", "random"], "--bot cannot be changed"),
    "resumed sweep with seed 0": (["sweep", "--resume", "--seed", "0"], "--seed cannot be changed"),
    "resumed sweep of no number": (["sweep", "nim", "--resume"], '"nim" is not the number of a sweep'),
    "no store of sweeps": (["tune", "--resume", "--store", "nowhere.sqlite"], "there is no file nowhere"),
    "one setting to tune": ([*TUNE, "--vary", "n=1"], "there is nothing to choose"),
    "too few games to tune": (
        [*TUNE, "--vary", "n=1,2", "-n", "4"],
        "2 games are too few to choose from 2 settings",
    ),
    "unknown figure": (["figure", "exploraton-10"], 'did you mean "exploration-10"?'),
    "games of a formula": (["figure", "exploration-10", "--games", "4"], "it takes no --games"),
    "no games of a figure": (["figure", "mcts-against-random", "-n", "0"], "games = 0 is outside its range"),
    "figure into a file": (["figure", "exploration-10", "-o", __file__], "is not a folder"),
    "map of one setting": (["figure", "iterations-and-c", "--vary", "c=1,2"], 'no varied name "n"'),
    "finished game": (["search", "tic_tac_toe", "--moves", "a1 b1 a2 b2 a3"], "game is over"),
    "move after the end": (["search", "tic_tac_toe", "--moves", "a1 b1 a2 b2 a3 c3"], "the game is over"),
    "unknown switch": (["search", "nim", "--sed", "3"], "No such option: --sed"),
    "missing game": (["search"], "Missing argument"),
}


@pytest.mark.parametrize("mistake", BAD)
def test_mistake_is_reported_in_words(run, mistake):
    words, told = BAD[mistake]
    shown = run(*words)
    assert shown.code == 2
    assert told in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_error_names_its_kind_and_how_to_mend_it(run):
    shown = run("search", "nim", "--simulations", "0")
    assert shown.err == "SettingsError: simulations = 0 is outside its range\n  mend: 1 to 2,000,000,000\n"


def test_unexpected_error_keeps_its_traceback(run, monkeypatch):
    from branchwise.search.planner import MCTS

    def fail(*_, **__):
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr(MCTS, "search", fail)
    with pytest.raises(ZeroDivisionError):
        run("search", "nim", "--simulations", "10")


FAULTY = {
    "missing method": (("def returns(self)", "def outcome(self)"), "Chips has no method returns"),
    "untyped field": (("self.mover = 1 -", "self.last = 1 -"), "Chips.last is set, but it is not a field"),
    "field of no known type": (("chips: np.int8", "chips: str"), "Chips.chips has the type <class 'str'>"),
    "action out of range": (("yield action", "yield action + 1"), "gave action 3, but num_actions is 3"),
    "no action in a live state": (("self.chips == 0", "self.chips == -1"), "gave no action in a state"),
    "returns of the wrong length": (("(1.0, -1.0)", "(1.0, -1.0, 0.0)"), "but num_players is 2"),
    "returns out of bounds": (("(1.0, -1.0)", "(5.0, -1.0)"), "but min_return is -1.0 and max_return is 1.0"),
    "player out of range": (("return self.mover", "return self.mover + 1"), "but num_players is 2"),
    "game without end": (
        ("self.chips -= action + 1", "self.max_game_length"),
        "is not over after 40 moves, but max_game_length is 40",
    ),
    "rules that raise": (("self.mover = 1 -", "self.mover = [1][action] -"), "raised IndexError"),
    "a file that cannot be run": (("def returns(self):", "def returns(self:"), "cannot be run: SyntaxError"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_search_and_check_tell_a_fault_of_the_rules(run, rules, fault):
    change, told = FAULTY[fault]
    file = rules(("num_actions = 3", "num_actions = 3\n    max_game_length = 40"), change)
    searched = run("search", file, "--simulations", "500", "--seed", "1")
    assert searched.code == 2
    assert searched.err.count("GameError: ") == 1
    assert told in searched.err
    checked = run("check", file, "--games", "50")
    assert checked.code == 1
    assert checked.out.startswith("GameError: ")
    assert told in checked.out


def test_check_tells_where_rules_cannot_be_compiled(run, rules):
    file = rules(("self.mover = 1 - self.mover", "self.mover = {0: 1, 1: 0}[int(str(self.mover))]"))
    shown = run("check", file, "--games", "50")
    assert shown.code == 1
    assert "Chips.apply_action cannot be compiled" in shown.out
    assert "self.mover = {0: 1, 1: 0}[int(str(self.mover))]" in shown.out


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "return self.chips == 0",
            "return self.chip == 0",
            r"Chips.is_terminal raised AttributeError: .*line \d+: return self.chip ==",
        ),
        (
            "return self.mover\n",
            "return [0, 1][2 + self.mover]\n",
            r"Chips.current_player raised IndexError: .*line \d+: return \[0, 1\]",
        ),
        (
            "return self.chips == 0",
            "return np.arange(3) == self.chips",
            "Chips.is_terminal gave an array of 3",
        ),
    ],
    ids=["is_terminal", "current_player", "array"],
)
@pytest.mark.parametrize("command", ["search", "play", "tree", "match"])
def test_rules_that_raise_at_the_start_are_one_error_with_their_line(run, rules, command, old, new, told):
    words = ["random", "random", "--games", "2"] if command == "match" else ["--simulations", "10"]
    outcome = run(command, rules((old, new)), *words)
    assert outcome.code == 2
    assert re.search(told, " ".join(outcome.err.split()))
    assert "Traceback" not in outcome.out + outcome.err


def test_a_bot_that_raises_while_it_plays_is_one_error_with_its_line(run, tmp_path):
    file = tmp_path / "failing.py"
    file.write_text(
        "import branchwise as bw\n\n"
        "class Failing(bw.Bot):\n    def choose(self, state):\n        return 1 // 0\n"
    )
    outcome = run("play", "nim", "--opponent", f"{file}:Failing", "--seed", "1")
    assert outcome.code == 2
    assert re.search(
        r"Failing.choose raised ZeroDivisionError: .*line 5: return 1 // 0", " ".join(outcome.err.split())
    )
    assert "Traceback" not in outcome.out + outcome.err
